/* The fake GPU: device memory that is host memory with bounds, and kernels that write what a real
 * GPU would have written, with cycles from a recorded run. */
#ifndef ACCP_FAKE_GPU_H
#define ACCP_FAKE_GPU_H

#include "matrix.h"
#include "scenario.h"

/* What cuModuleGetFunction hands out. */
struct accp_fake_function {
    struct accp_fake_function *next;
    char symbol[ACCP_NAME_BYTES];
    const struct accp_role *role; /* the first of the kernel's roles; NULL: a stranger's, which
                                     computes nothing */
    bool is_clock_rate, is_calibration, is_codes;
    const struct accp_operator_kernel *operates; /* NULL: no kernel of the ops probe */
};

/* Reads ACCP_FAKE_RUN and ACCP_FAKE_SEED afresh. false, with a line on stderr: unreadable. */
bool accp_fake_gpu_start(void);

/* Reads a variable that holds a whole number up to `most`; *number stays as it is where it is not set. false, with a
 * line on stderr: it holds something else. */
bool accp_fake_number(const char *variable, uint64_t most, uint64_t *number);

/* Memory of the calling thread's device. allocate: 0 on success, or a CUresult. */
int accp_fake_gpu_allocate(uint64_t *address, size_t bytes);
int accp_fake_gpu_free(uint64_t address);

/* Host pointer to `bytes` bytes at a device address; NULL: they lie in no allocation. Results that
 * are owed to them are written first. */
void *accp_fake_gpu_memory(uint64_t address, size_t bytes);

/* The function of a symbol that is of one of our probes, in the recorded run, or the clock's. NULL:
 * no such kernel. Owned by the fake. */
struct accp_fake_function *accp_fake_gpu_function(const char *symbol);

/* Runs a kernel. 0 or a CUresult: 1 for parameters of another size, 700 for pointers outside of
 * allocations. */
int accp_fake_gpu_launch(const struct accp_fake_scenario *scenario,
                         const struct accp_fake_function *function, unsigned blocks,
                         unsigned threads, const void *parameters, size_t parameters_bytes);

/* GPU time spent so far. */
double accp_fake_gpu_ms(void);

/* Allocations that stand. */
int accp_fake_gpu_allocations(void);

#endif
