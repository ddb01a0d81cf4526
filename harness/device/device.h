/* GPUs through the driver: libcuda.so.1 and libnvidia-ml.so.1, both opened at run time. Nothing
 * here needs a toolkit, and a machine without a GPU is an answer, not a crash.
 *
 * ACCPROBE_LIBCUDA and ACCPROBE_LIBNVML name other libraries to open in their place.
 *
 * Statuses of every function: SKIP (there is no GPU to measure on: the error's `where` is the code
 * of a row of absence.def), DEVICE (the GPU or the driver failed in the middle of work), MEMORY.
 * After a DEVICE failure that the driver cannot recover from (a fault in a kernel, a launch that
 * never ends) every further call on that device fails at once with DEVICE: end the process.
 *
 * A device is used by one thread at a time; several devices can be open at once. */
#ifndef ACCP_DEVICE_DEVICE_H
#define ACCP_DEVICE_DEVICE_H

#include "base/status.h"
#include "run/run.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum accp_absence {
#define ABSENCE(id, status, what, remedy) ACCP_ABSENCE_##id,
#include "device/absence.def"
    ACCP_ABSENCE_COUNT
};

/* Code ("NO_DRIVER") and the two clauses of a reason; static. */
const char *accp_absence_code(enum accp_absence absence);
const char *accp_absence_what(enum accp_absence absence);
const char *accp_absence_remedy(enum accp_absence absence);

/* The reason that an error of this module carries in `where`; ACCP_ABSENCE_COUNT: none. */
enum accp_absence accp_absence_of(const struct accp_error *error);

struct accp_device;
struct accp_module;

/* A kernel of a loaded module: plain data, valid until the module is unloaded. */
struct accp_device_kernel {
    void *function;   /* the driver's handle */
    int registers;    /* of a thread */
    int threads_max;  /* in a block */
    int local_bytes;  /* of a thread: spills and local arrays */
    int shared_bytes; /* of a block, static */
};

/* How many GPUs the driver shows, 1 or more. Makes no context. Errors: SKIP (also for none). */
enum accp_status accp_device_count(int *count, struct accp_error *error);

/* Opens GPU `index` (0 ..): retains its primary context, and asks NVML in a thread of its own
 * meanwhile. *device is owned by the caller: accp_device_close. Errors: USAGE (no such index),
 * SKIP, DEVICE, MEMORY; on failure *device is NULL. */
enum accp_status accp_device_open(int index, struct accp_device **device, struct accp_error *error);

/* Unloads, frees and releases whatever is left; NULL is fine. A process that is about to end may
 * leave it out once accp_device_facts has returned: tearing down a context takes time that the end
 * of the process does not. After an unrecoverable failure only host memory is freed, since the
 * driver could wait for ever. */
void accp_device_close(struct accp_device *device);

/* The facts about the GPU as they stood when it was opened; waits for the thread. Fields that
 * nobody knows stay as accp_run_init leaves them; achieved_mhz_* are not touched. */
void accp_device_facts(struct accp_device *device, struct accp_run_device *facts);

/* Asks NVML again (about 1 ms): adds throttle reasons seen now to facts->throttle, takes the larger
 * number of other processes, and sets the clocks to the present ones. For the middle and the end of
 * a run. Without NVML: nothing. */
void accp_device_observe(struct accp_device *device, struct accp_run_device *facts);

/* Whether NVML answered every question about this GPU. If not, *note says which reason was met
 * first (code UNSUPPORTED, `where` a row of absence.def): worth a warning, never a failure. */
bool accp_device_managed(struct accp_device *device, struct accp_error *note);

/* "sm_90", valid as long as the device; the number of SMs. */
const char *accp_device_arch(const struct accp_device *device);
int accp_device_sm_count(const struct accp_device *device);

/* Loads a cubin (an ELF file in memory, copied by the driver). *module is owned by the device, and
 * by the caller if it wants to unload it sooner. Errors: INPUT (not an ELF file, cut short, for
 * another arch, damaged), SKIP (the driver is too old for it, out of memory), DEVICE, MEMORY. */
enum accp_status accp_device_load(struct accp_device *device, const void *cubin, size_t cubin_bytes,
                                  struct accp_module **module, struct accp_error *error);
void accp_device_unload(struct accp_device *device, struct accp_module *module);

/* Finds a kernel by its symbol. Errors: INPUT (the cubin has none of that name), SKIP, DEVICE. */
enum accp_status accp_device_kernel(struct accp_device *device, struct accp_module *module,
                                    const char *symbol, struct accp_device_kernel *kernel,
                                    struct accp_error *error);

/* Device memory, uninitialised; the address is aligned to 256 bytes. `bytes` > 0. Owned by the
 * caller, who may leave freeing to accp_device_close. Errors: SKIP (OUT_OF_MEMORY), DEVICE, MEMORY.
 */
enum accp_status accp_device_allocate(struct accp_device *device, size_t bytes, uint64_t *address,
                                      struct accp_error *error);
void accp_device_free(struct accp_device *device, uint64_t address);

/* Copies between host and device and within the device (from a range that `to` does not touch), and fills with a byte.
 * They wait for launches before them, for ever if need be: synchronise first. */
enum accp_status accp_device_write(struct accp_device *device, uint64_t address, const void *data,
                                   size_t bytes, struct accp_error *error);
enum accp_status accp_device_read(struct accp_device *device, void *data, uint64_t address,
                                  size_t bytes, struct accp_error *error);
enum accp_status accp_device_copy(struct accp_device *device, uint64_t to, uint64_t from,
                                  size_t bytes, struct accp_error *error);
enum accp_status accp_device_fill(struct accp_device *device, uint64_t address, uint8_t value,
                                  size_t bytes, struct accp_error *error);

/* Starts `blocks` blocks of `threads` threads, with the kernel's parameters as one struct of the
 * size that the kernel has, and returns before they end. Launches run one after another, in order.
 * The driver queues about a thousand and then waits for earlier ones, for ever if need be. Errors:
 * USAGE (more threads than the kernel takes), DEVICE (also: another size of the parameters). */
enum accp_status accp_device_launch(struct accp_device *device,
                                    const struct accp_device_kernel *kernel, int blocks,
                                    int threads, const void *parameters, size_t parameters_bytes,
                                    struct accp_error *error);

/* Waits until all launches have ended. DEVICE: a kernel failed, or they did not end within
 * `timeout_s` seconds. */
enum accp_status accp_device_synchronise(struct accp_device *device, double timeout_s,
                                         struct accp_error *error);

/* GPU time of the launches between begin and end. The milliseconds can be read once
 * accp_device_synchronise has returned OK after the end. */
enum accp_status accp_device_timer_begin(struct accp_device *device, struct accp_error *error);
enum accp_status accp_device_timer_end(struct accp_device *device, struct accp_error *error);
enum accp_status accp_device_timer_read(struct accp_device *device, double *elapsed_ms,
                                        struct accp_error *error);

#endif
