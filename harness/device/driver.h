/* The two libraries of the driver as tables of function pointers, and the one place where their
 * result codes become errors. Private to this module and to the fake libraries of the tests. */
#ifndef ACCP_DEVICE_DRIVER_H
#define ACCP_DEVICE_DRIVER_H

#include "device/device.h"

/* Values of the driver's interface. Source: CUDA Driver API reference manual. */
enum {
    ACCP_CU_SUCCESS = 0,
    ACCP_CU_NOT_READY = 600,
    ACCP_CU_COMPUTEMODE_PROHIBITED = 2,
    ACCP_CU_COMPUTEMODE_EXCLUSIVE_PROCESS = 3,
    /* CUdevice_attribute */
    ACCP_CU_CLOCK_RATE_KHZ = 13,
    ACCP_CU_MULTIPROCESSOR_COUNT = 16,
    ACCP_CU_COMPUTE_MODE = 20,
    ACCP_CU_MEMORY_CLOCK_RATE_KHZ = 36,
    ACCP_CU_CAPABILITY_MAJOR = 75,
    ACCP_CU_CAPABILITY_MINOR = 76,
    /* CUfunction_attribute */
    ACCP_CU_FUNCTION_THREADS_MAX = 0,
    ACCP_CU_FUNCTION_SHARED_BYTES = 1,
    ACCP_CU_FUNCTION_LOCAL_BYTES = 3,
    ACCP_CU_FUNCTION_REGISTERS = 4
};

/* Tags of the `extra` array of cuLaunchKernel. */
#define ACCP_CU_LAUNCH_END            ((void *)0)
#define ACCP_CU_LAUNCH_BUFFER_POINTER ((void *)1)
#define ACCP_CU_LAUNCH_BUFFER_SIZE    ((void *)2)

struct accp_driver {
#define DRIVER(symbol, arguments) int(*symbol) arguments;
#include "device/driver.def"
};

/* Values and layouts of NVML. Source: NVML API Reference Guide. */
enum {
    ACCP_NVML_SUCCESS = 0,
    ACCP_NVML_INSUFFICIENT_SIZE = 7,
    ACCP_NVML_FUNCTION_NOT_FOUND = 13,
    ACCP_NVML_CLOCK_SM = 1,
    ACCP_NVML_CLOCK_MEMORY = 2,
    ACCP_NVML_PROCESSES = 256
};

struct accp_nvml_pci { /* nvmlPciInfo_t */
    char id_legacy[16];
    unsigned domain, bus, device;
    unsigned device_id; /* device id in the high 16 bits, vendor id in the low */
    unsigned subsystem_id;
    char id[32];
};

struct accp_nvml_utilization { /* nvmlUtilization_t */
    unsigned gpu, memory;
};

struct accp_nvml_process { /* nvmlProcessInfo_v2_t */
    unsigned pid;
    unsigned long long memory_bytes;
    unsigned gpu_instance, compute_instance;
};

struct accp_nvml {
#define NVML(symbol, arguments) int(*symbol) arguments; /* NULL: the library has none */
#include "device/nvml.def"
};

/* Copies text that a library wrote: cut to fit, control characters replaced, trailing blanks gone.
 */
void accp_text_copy(char *text, size_t text_bytes, const char *source);

/* Fails with the status, code and sentence of `absence`; `detail` ("cuInit: ...") may be NULL. */
enum accp_status accp_absence_fail(struct accp_error *error, enum accp_absence absence,
                                   const char *detail);

/* Opens libcuda.so.1, fills the table and calls cuInit. The library stays loaded for good: the
 * driver keeps threads of its own and does not survive being unloaded. Errors: SKIP. */
enum accp_status accp_driver_open(struct accp_driver *driver, struct accp_error *error);

enum accp_driver_stage { ACCP_DRIVER_OPENING, ACCP_DRIVER_WORKING };

/* OK for 0, else the error that driver_result.def gives the result of `call` at that stage. *sticky
 * (may be NULL) is set to true, never to false. `call` is a static text: it also feeds the watchdog
 * (base/watchdog.h). */
enum accp_status accp_driver_check(int result, const char *call, enum accp_driver_stage stage,
                                   bool *sticky, struct accp_error *error);

/* Opens libnvidia-ml.so.1 and calls nvmlInit. Errors: UNSUPPORTED. */
enum accp_status accp_nvml_open(struct accp_nvml *nvml, struct accp_error *error);

/* OK for 0, else UNSUPPORTED with the row that nvml_result.def gives. */
enum accp_status accp_nvml_check(int result, const char *call, struct accp_error *error);

/* Drivers answer "no device", "operating system" or "unknown" alike when a device node is closed to
 * this user. NO_PERMISSION if `node` is there and cannot be opened, else `absence`. */
enum accp_absence accp_absence_refine(enum accp_absence absence, const char *node);

#endif
