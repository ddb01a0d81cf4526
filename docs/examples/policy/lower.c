/* A code generator in small: writes the body of a loop that sums `chain` products, over as many accumulators as an
 * H200 wants. usage: lower CHAIN WARPS_PER_SCHEDULER REGISTERS_LEFT */
#include "split/sm_90-132sm-140gib-10de.2335.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc != 4) {
        fputs("usage: lower CHAIN WARPS_PER_SCHEDULER REGISTERS_LEFT\n", stderr);
        return 4;
    }
    const int chain = atoi(argv[1]);
    const int split = accp_split(chain, atoi(argv[2]), atoi(argv[3]));
    if (split == 0) {
        fputs("lower: nobody measured that: see accprobe policy --help\n", stderr);
        return 4;
    }
    for (int i = 0; i < chain; ++i) {
        if (i < split)
            printf("float sum%d = left[%d] * right[%d];\n", i, i, i);
        else
            printf("sum%d = fmaf(left[%d], right[%d], sum%d);\n", i % split, i, i, i % split);
    }
    for (int k = 1; k < split; ++k)
        printf("sum0 += sum%d;\n", k);
    return 0;
}
