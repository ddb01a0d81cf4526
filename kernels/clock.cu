/* How fast does the SM's clock run just now? One thread spins for a number of cycles and reads both
 * clocks: MHz = cycles / nanoseconds x 1000. It is a kernel of its own because %globaltimer, of
 * about a microsecond's resolution, must not stand in a role's loop. */
struct accp_clock_record {
    long long cycles, nanoseconds;
};

static __device__ __forceinline__ long long accp_nanoseconds(void)
{
    long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

/* The timer moves in steps: begin and end on one. */
static __device__ __forceinline__ long long accp_next_tick(void)
{
    const long long before = accp_nanoseconds();
    long long now = before;
    while (now == before)
        now = accp_nanoseconds();
    return now;
}

extern "C" __global__ void accp_clock_rate(long long budget_cycles,
                                           struct accp_clock_record *record)
{
    const long long begin_nanoseconds = accp_next_tick(), begin_cycles = clock64();
    while (clock64() - begin_cycles < budget_cycles) {
    }
    record->nanoseconds = accp_next_tick() - begin_nanoseconds;
    record->cycles = clock64() - begin_cycles;
}
