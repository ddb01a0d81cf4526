/* Every number of accumulators from 1 to 16 for every chain from 3 to 64: the kernels of the peak map
 * (ci/peaks, docs/peaks.md). They run the iteration of the optimal probe and stand outside the
 * matrix, so no build and no gate needs them. */
#include "iteration.cuh"

/* The kernel map_chain<chain>_acc<acc>. */
#define ACC(chain, acc) \
    extern "C" __global__ void __launch_bounds__(ACCP_BLOCK_THREADS) \
        map_chain##chain##_acc##acc(const __grid_constant__ struct accp_parameters parameters) \
    { \
        accp_run<chain, acc, ACCP_SINK_FULL, ACCP_PLACEMENT_ROUND_ROBIN>(parameters); \
    }

/* UP_TO_n(chain): 1 to n accumulators. */
#define UP_TO_3(chain)  ACC(chain, 1) ACC(chain, 2) ACC(chain, 3)
#define UP_TO_4(chain)  UP_TO_3(chain) ACC(chain, 4)
#define UP_TO_5(chain)  UP_TO_4(chain) ACC(chain, 5)
#define UP_TO_6(chain)  UP_TO_5(chain) ACC(chain, 6)
#define UP_TO_7(chain)  UP_TO_6(chain) ACC(chain, 7)
#define UP_TO_8(chain)  UP_TO_7(chain) ACC(chain, 8)
#define UP_TO_9(chain)  UP_TO_8(chain) ACC(chain, 9)
#define UP_TO_10(chain) UP_TO_9(chain) ACC(chain, 10)
#define UP_TO_11(chain) UP_TO_10(chain) ACC(chain, 11)
#define UP_TO_12(chain) UP_TO_11(chain) ACC(chain, 12)
#define UP_TO_13(chain) UP_TO_12(chain) ACC(chain, 13)
#define UP_TO_14(chain) UP_TO_13(chain) ACC(chain, 14)
#define UP_TO_15(chain) UP_TO_14(chain) ACC(chain, 15)
#define UP_TO_16(chain) UP_TO_15(chain) ACC(chain, 16)

/* clang-format off */
UP_TO_3(3) UP_TO_4(4) UP_TO_5(5) UP_TO_6(6) UP_TO_7(7) UP_TO_8(8)
UP_TO_9(9) UP_TO_10(10) UP_TO_11(11) UP_TO_12(12) UP_TO_13(13) UP_TO_14(14) UP_TO_15(15) UP_TO_16(16)
UP_TO_16(17) UP_TO_16(18) UP_TO_16(19) UP_TO_16(20) UP_TO_16(21) UP_TO_16(22) UP_TO_16(23) UP_TO_16(24)
UP_TO_16(25) UP_TO_16(26) UP_TO_16(27) UP_TO_16(28) UP_TO_16(29) UP_TO_16(30) UP_TO_16(31) UP_TO_16(32)
UP_TO_16(33) UP_TO_16(34) UP_TO_16(35) UP_TO_16(36) UP_TO_16(37) UP_TO_16(38) UP_TO_16(39) UP_TO_16(40)
UP_TO_16(41) UP_TO_16(42) UP_TO_16(43) UP_TO_16(44) UP_TO_16(45) UP_TO_16(46) UP_TO_16(47) UP_TO_16(48)
UP_TO_16(49) UP_TO_16(50) UP_TO_16(51) UP_TO_16(52) UP_TO_16(53) UP_TO_16(54) UP_TO_16(55) UP_TO_16(56)
UP_TO_16(57) UP_TO_16(58) UP_TO_16(59) UP_TO_16(60) UP_TO_16(61) UP_TO_16(62) UP_TO_16(63) UP_TO_16(64)
    /* clang-format on */
