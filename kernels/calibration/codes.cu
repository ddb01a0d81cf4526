/* The template of the straight codes (ci/calibrate --codes --measure, docs/model.md). Over its row of FFMAs codes are
 * written, one for each warp of a scheduler, which read the clock into the registers that are stored behind it. Outside
 * the matrix: no role runs it.
 *
 * The warps of a block wait for each other behind the row, so that none does anything else while another still runs its
 * code. */
#include "codes_parameters.h"

static __device__ __forceinline__ unsigned accp_now(void)
{
    return (unsigned)clock();
}

extern "C" __global__ void __launch_bounds__(32 * ACCP_CODES_SCHEDULERS * ACCP_CODES_WARPS)
    accp_codes(const __grid_constant__ struct accp_codes_parameters parameters)
{
    __shared__ unsigned begin;
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const struct accp_codes_start *next = parameters.starts + warp * parameters.phases;
    unsigned *record = parameters.records + warp * parameters.phases * ACCP_CODES_RECORDS;
    if (threadIdx.x == 0) begin = accp_now();
    __syncthreads();
#pragma unroll 1
    for (int phase = 0; phase < parameters.phases; ++phase) {
        const struct accp_codes_start given = *next++;
        const float select = __int_as_float((int)given.select);
        float row = __int_as_float((int)given.until_cycle), values[ACCP_CODES_RECORDS];
        while (accp_now() - begin < given.until_cycle) {
        }
#pragma unroll
        for (int i = 0; i < ACCP_CODES_SLOTS; ++i) {
            asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(row) : "f"(select));
            if (i < ACCP_CODES_RECORDS) values[i] = row;
        }
        /* It needs the row's last result, and the stores need what it answers; that both come to nothing is not known
         * to the compiler. */
        record += (unsigned)__syncthreads_or(__float_as_int(row) & (int)parameters.zero);
#pragma unroll
        for (int i = 0; i < ACCP_CODES_RECORDS; ++i)
            record[i] = (unsigned)__float_as_int(values[i]); /* all lanes write the same */
        record += ACCP_CODES_RECORDS;
    }
}
