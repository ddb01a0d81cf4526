/* How long one warp waits for copies to shared memory, when they come from L2: `waits` of accprobe policy --cubin
 * (docs/policy.md). Stands alone: nvcc -arch=sm_90 -o copy_waits tests/bench/copy_waits.cu && ./copy_waits */
#include <cstdio>

enum { LANES = 32, TURNS = 20, STRIDE = 8 /* copies of a warp that lie between two of ours */ };

template <int bytes, int copies>
__global__ void wait_for_copies(const char *from, long long *took_cycles)
{
    __shared__ __align__(16) char stage[copies][LANES * bytes];
    for (int turn = 0; turn < TURNS; ++turn) {
        const long long begin = clock64();
        for (int i = 0; i < copies; ++i) {
            const unsigned to = (unsigned)__cvta_generic_to_shared(&stage[i][threadIdx.x * bytes]);
            const char *source =
                from + ((long long)(turn * copies + i) * STRIDE * LANES + threadIdx.x) * bytes;
            asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(source),
                         "n"(bytes)
                         : "memory");
        }
        asm volatile("cp.async.wait_all;" ::: "memory");
        if (threadIdx.x == 0) took_cycles[turn] = clock64() - begin;
    }
}

/* The second launch finds in L2 what the first has read, and nothing in L1. */
template <int bytes, int copies> static void show(const char *from, long long *took_cycles)
{
    long long host[TURNS], sum = 0;
    for (int pass = 0; pass < 2; ++pass)
        wait_for_copies<bytes, copies><<<1, LANES>>>(from, took_cycles);
    cudaMemcpy(host, took_cycles, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < TURNS; ++i)
        sum += host[i];
    printf("%2d copies of %2d bytes a lane: %lld cycles\n", copies, bytes, sum / TURNS);
}

int main()
{
    char *from;
    long long *took_cycles;
    if (cudaMalloc(&from, 64 << 20) != cudaSuccess ||
        cudaMalloc(&took_cycles, TURNS * sizeof *took_cycles) != cudaSuccess) {
        fputs("copy_waits: no GPU\n", stderr);
        return 77;
    }
    cudaMemset(from, 0, 64 << 20);
    show<4, 1>(from, took_cycles);
    show<4, 24>(from, took_cycles);
    show<16, 6>(from, took_cycles);
    show<16, 12>(from, took_cycles);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 3;
}
