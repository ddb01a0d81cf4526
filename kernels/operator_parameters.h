/* What the harness and the kernels of the ops probe agree on: the one parameter, and where every
 * element lies. Compiles as C11 and C++, so it includes nothing; all pointers are device pointers.
 *
 * With T threads, W warps, lane l of warp w being thread t = 32 w + l, and n = length:
 *   dot      left[t * 64 + i], right[t * 64 + i]; results[t]
 *   gemm     the warp's 32 x 16 results begin at row 32 (w mod tiles) and column 16 (w div tiles); a lane's 4 x 4
 *            at row 4 (l mod 8) and column 4 (l div 8) of these; element i of a row is left[i * 32 tiles + row], of
 *            a column right[i * columns + column]; results[16 t + 4 (row mod 4) + (column mod 4)]
 *   bias     left[i * T + t]; results[t]
 *   stream   elements 4 v to 4 v + 3 are left[4 (v * T + t)] and so on; what is left over after n div 4
 *            such vectors is left[i * T + t]; results[w]
 *   softmax  left[32 n w + 32 i + l]; results[2 w]: the maximum in units of ln 2, then the sum of
 *            exp(x - maximum)
 *   welford  left[32 n w + 32 i + l]; results[2 w]: mean less the row's first element, then the sum of
 *            squared deviations from the mean */
#ifndef ACCP_OPERATOR_PARAMETERS_H
#define ACCP_OPERATOR_PARAMETERS_H

enum {
    ACCP_OPERATOR_LANES = 32,
    ACCP_OPERATOR_DOT_ROW = 64, /* floats from one thread's row to the next */
    ACCP_OPERATOR_TILE = 4,     /* rows and columns of a lane's results */
    ACCP_OPERATOR_WARP_ROWS = 32,
    ACCP_OPERATOR_WARP_COLUMNS = 16,
    /* Elements of a turn: all are copied to shared memory before the first is used, for every number
     * of accumulators alike, and 1, 2, 3, 4, 8 and 24 accumulators divide it. */
    ACCP_OPERATOR_TURN = 24,
    ACCP_OPERATOR_BLOCK_WARPS = 8 /* at most */
};

/* Written by lane 0 of each warp. */
struct accp_operator_record {
    long long begin_cycles, end_cycles; /* of its SM's clock */
    unsigned sm, reserved;
};

struct accp_operator_parameters {
    const float *left, *right;
    float *results;
    struct accp_operator_record *records; /* one for each warp of the grid */
    int length;                           /* elements of a lane, 1 or more */
    int tiles, columns;                   /* of gemm */
    /* Each warp waits for a number of cycles below this before it begins, drawn from the seed and its number, alike for
     * every number of accumulators; 0: none does. */
    unsigned skew_cycles, skew_seed;
    int reserved;
};

#endif
