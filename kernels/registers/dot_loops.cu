/* One dot product, two ways to leave its loop: through a forward branch, with an unconditional jump
 * back; or with one negated branch back. ptxas has been seen to unroll the first and not the
 * second. PTX, because a front end would turn both into the same. The kernels run under
 * `accprobe measure --cubin`. */
#include "../loop.cuh"

enum { DOT_ELEMENTS = 64 };

extern "C" {
__device__ float dot_left[DOT_ELEMENTS], dot_right[DOT_ELEMENTS];
__device__ unsigned dot_count = DOT_ELEMENTS; /* not constant: no compiler may know it */
}

static __device__ __forceinline__ void dot_jump(struct accp_lane &lane)
{
    asm volatile("{\n"
                 ".reg .pred %%finished;\n"
                 ".reg .b32 %%index;\n"
                 ".reg .f32 %%a, %%b;\n"
                 ".reg .b64 %%left, %%right;\n"
                 "mov.b64 %%left, %1;\n"
                 "mov.b64 %%right, %2;\n"
                 "mov.u32 %%index, 0;\n"
                 "LOOP:\n"
                 "setp.eq.u32 %%finished, %%index, %3;\n"
                 "@%%finished bra DONE;\n"
                 "ld.global.f32 %%a, [%%left];\n"
                 "ld.global.f32 %%b, [%%right];\n"
                 "fma.rn.f32 %0, %%a, %%b, %0;\n"
                 "add.u64 %%left, %%left, 4;\n"
                 "add.u64 %%right, %%right, 4;\n"
                 "add.u32 %%index, %%index, 1;\n"
                 "bra LOOP;\n"
                 "DONE:\n"
                 "}\n"
                 : "+f"(lane.sink)
                 : "l"(dot_left), "l"(dot_right), "r"(dot_count));
}

static __device__ __forceinline__ void dot_branch(struct accp_lane &lane)
{
    asm volatile("{\n"
                 ".reg .pred %%finished;\n"
                 ".reg .b32 %%index;\n"
                 ".reg .f32 %%a, %%b;\n"
                 ".reg .b64 %%left, %%right;\n"
                 "mov.b64 %%left, %1;\n"
                 "mov.b64 %%right, %2;\n"
                 "mov.u32 %%index, 0;\n"
                 "LOOP:\n"
                 "ld.global.f32 %%a, [%%left];\n"
                 "ld.global.f32 %%b, [%%right];\n"
                 "fma.rn.f32 %0, %%a, %%b, %0;\n"
                 "add.u64 %%left, %%left, 4;\n"
                 "add.u64 %%right, %%right, 4;\n"
                 "add.u32 %%index, %%index, 1;\n"
                 "setp.eq.u32 %%finished, %%index, %3;\n"
                 "@!%%finished bra LOOP;\n"
                 "}\n"
                 : "+f"(lane.sink)
                 : "l"(dot_left), "l"(dot_right), "r"(dot_count));
}

#define KERNEL(name) \
    extern "C" __global__ void dot_loops_##name( \
        const __grid_constant__ struct accp_parameters parameters) \
    { \
        accp_loop(parameters, 0, dot_##name, accp_no_finish); \
    }
KERNEL(jump)
KERNEL(branch)
