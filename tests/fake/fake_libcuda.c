/* A libcuda.so.1 without a GPU: answers what ACCP_FAKE says, and runs the kernels of the matrix on
 * the CPU; see README.md. */
#include "gpu.h"
#include "scenario.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* The table's rows as prototypes: a definition that differs from it does not compile. */
#define DRIVER(symbol, arguments) EXPORT int symbol arguments;
#include "device/driver.def"

/* Contexts, modules, events and allocations that stand: what a test looks at for leaks. */
EXPORT int accp_fake_live(void);

enum {
    OK = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    INVALID_DEVICE = 101,
    INVALID_CONTEXT = 201,
    NO_BINARY_FOR_GPU = 209,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    ILLEGAL_ADDRESS = 700,
    DEVICES = 2
};

/* A module or an event. The list keeps what a lost context does not give back: it is the driver's,
 * and no leak of the process. */
struct object {
    struct object *next;
    double recorded_ms;
};

static struct accp_fake_scenario scenario;
static int contexts[DEVICES]; /* how often each primary context is retained */
static struct object *objects;
/* One of contexts. Beside the thread's other statics from the start on, since LeakSanitizer (GCC 12) takes the bytes in
 * front of a block that came with dlopen for its size, and reads wherever these point. */
static _Thread_local int *current __attribute__((tls_model("initial-exec")));

#define ENTER(symbol) \
    do { \
        int entered = accp_fake_enter(&scenario, ACCP_FAKE_SYMBOL_##symbol); \
        if (entered) return entered; \
    } while (0)

#define ENTER_CONTEXT(symbol) \
    do { \
        ENTER(symbol); \
        if (!current || *current == 0) return INVALID_CONTEXT; \
    } while (0)

int accp_fake_live(void)
{
    int count = contexts[0] + contexts[1] + accp_fake_gpu_allocations();
    for (const struct object *at = objects; at; at = at->next)
        ++count;
    return count;
}

static int make_object(void **handle)
{
    struct object *object = calloc(1, sizeof *object);
    if (!object) return OUT_OF_MEMORY;
    object->next = objects;
    objects = object;
    *handle = object;
    return OK;
}

static int destroy_object(void *handle)
{
    for (struct object **at = &objects; *at; at = &(*at)->next) {
        if (*at != handle) continue;
        *at = (*at)->next;
        free(handle);
        return OK;
    }
    return INVALID_HANDLE;
}

static int device_count(void)
{
    if (scenario.on[ACCP_FAKE_zero_devices]) return 0;
    return scenario.on[ACCP_FAKE_two_devices] ? 2 : 1;
}

int cuInit(unsigned flags)
{
    if (flags != 0 || !accp_fake_scenario_read(&scenario) || !accp_fake_gpu_start())
        return INVALID_VALUE;
    ENTER(cuInit);
    return OK;
}

int cuDriverGetVersion(int *version)
{
    ENTER(cuDriverGetVersion);
    *version = 13000;
    return OK;
}

int cuDeviceGetCount(int *count)
{
    ENTER(cuDeviceGetCount);
    *count = device_count();
    return OK;
}

int cuDeviceGet(int *device, int index)
{
    ENTER(cuDeviceGet);
    if (index < 0 || index >= device_count()) return INVALID_DEVICE;
    *device = index;
    return OK;
}

int cuDeviceGetName(char *name, int name_bytes, int device)
{
    (void)device;
    ENTER(cuDeviceGetName);
    snprintf(name, (size_t)name_bytes, "%s", scenario.sku->name);
    return OK;
}

static int compute_mode(void)
{
    if (scenario.on[ACCP_FAKE_prohibited]) return ACCP_CU_COMPUTEMODE_PROHIBITED;
    return scenario.on[ACCP_FAKE_exclusive] ? ACCP_CU_COMPUTEMODE_EXCLUSIVE_PROCESS : 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    const struct accp_fake_sku *sku = scenario.sku;
    (void)device;
    ENTER(cuDeviceGetAttribute);
    switch (attribute) {
    case ACCP_CU_CLOCK_RATE_KHZ:
        *value = sku->sm_mhz * 1000;
        return OK;
    case ACCP_CU_MEMORY_CLOCK_RATE_KHZ:
        *value = sku->memory_mhz * 1000;
        return OK;
    case ACCP_CU_MULTIPROCESSOR_COUNT:
        *value = sku->sm_count;
        return OK;
    case ACCP_CU_COMPUTE_MODE:
        *value = compute_mode();
        return OK;
    case ACCP_CU_CAPABILITY_MAJOR:
        *value = sku->major;
        return OK;
    case ACCP_CU_CAPABILITY_MINOR:
        *value = sku->minor;
        return OK;
    default:
        return INVALID_VALUE;
    }
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    (void)device;
    ENTER(cuDeviceTotalMem_v2);
    *bytes = (size_t)scenario.sku->memory_mib << 20;
    return OK;
}

int cuDeviceGetUuid_v2(unsigned char *uuid, int device)
{
    ENTER(cuDeviceGetUuid_v2);
    uint64_t machine = 0;
    if (!accp_fake_number("ACCP_FAKE_HOST", 15, &machine)) return INVALID_VALUE;
    for (int i = 0; i < 16; ++i)
        uuid[i] = (unsigned char)(17 * i + 16 * (int)machine + device);
    return OK;
}

int cuDeviceGetPCIBusId(char *id, int id_bytes, int device)
{
    ENTER(cuDeviceGetPCIBusId);
    snprintf(id, (size_t)id_bytes, "0000:%02x:00.0", 0x19 + device);
    return OK;
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
    ENTER(cuDevicePrimaryCtxRetain);
    if (device < 0 || device >= device_count()) return INVALID_DEVICE;
    ++contexts[device];
    *context = &contexts[device];
    return OK;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
    ENTER(cuDevicePrimaryCtxRelease_v2);
    if (device < 0 || device >= DEVICES || contexts[device] == 0) return INVALID_CONTEXT;
    --contexts[device];
    return OK;
}

int cuCtxSetCurrent(void *context)
{
    ENTER(cuCtxSetCurrent);
    current = context;
    return OK;
}

/* A cubin is an ELF file; its arch stands where its ABI version says. */
static int cubin_capability(const void *image)
{
    Elf64_Ehdr header;
    memcpy(&header, image, sizeof header);
    unsigned flags = header.e_flags;
    return (int)(header.e_ident[EI_ABIVERSION] >= 8 ? flags >> 8 & 0xff : flags & 0xff);
}

int cuModuleLoadData(void **module, const void *image)
{
    ENTER_CONTEXT(cuModuleLoadData);
    int capability = cubin_capability(image);
    if (capability / 10 != scenario.sku->major || capability % 10 > scenario.sku->minor)
        return NO_BINARY_FOR_GPU;
    return make_object(module);
}

int cuModuleUnload(void *module)
{
    ENTER_CONTEXT(cuModuleUnload);
    return destroy_object(module);
}

int cuModuleGetFunction(void **function, void *module, const char *name)
{
    (void)module;
    ENTER_CONTEXT(cuModuleGetFunction);
    *function = accp_fake_gpu_function(name);
    return *function ? OK : NOT_FOUND;
}

int cuFuncGetAttribute(int *value, int attribute, void *function)
{
    (void)function;
    ENTER_CONTEXT(cuFuncGetAttribute);
    switch (attribute) {
    case ACCP_CU_FUNCTION_THREADS_MAX:
        *value = 1024;
        return OK;
    case ACCP_CU_FUNCTION_REGISTERS:
        *value = 32;
        return OK;
    case ACCP_CU_FUNCTION_LOCAL_BYTES:
        *value = 0;
        return OK;
    case ACCP_CU_FUNCTION_SHARED_BYTES:
        *value = 0;
        return OK;
    default:
        return INVALID_VALUE;
    }
}

int cuMemAlloc_v2(uint64_t *address, size_t bytes)
{
    ENTER_CONTEXT(cuMemAlloc_v2);
    return accp_fake_gpu_allocate(address, bytes);
}

int cuMemFree_v2(uint64_t address)
{
    ENTER_CONTEXT(cuMemFree_v2);
    return accp_fake_gpu_free(address);
}

int cuMemcpyHtoD_v2(uint64_t address, const void *data, size_t bytes)
{
    ENTER_CONTEXT(cuMemcpyHtoD_v2);
    void *target = accp_fake_gpu_memory(address, bytes);
    if (!target) return INVALID_VALUE;
    memcpy(target, data, bytes);
    return OK;
}

int cuMemcpyDtoH_v2(void *data, uint64_t address, size_t bytes)
{
    ENTER_CONTEXT(cuMemcpyDtoH_v2);
    const void *source = accp_fake_gpu_memory(address, bytes);
    if (!source) return INVALID_VALUE;
    memcpy(data, source, bytes);
    return OK;
}

int cuMemcpyDtoD_v2(uint64_t to, uint64_t from, size_t bytes)
{
    ENTER_CONTEXT(cuMemcpyDtoD_v2);
    void *target = accp_fake_gpu_memory(to, bytes);
    const void *source = accp_fake_gpu_memory(from, bytes);
    if (!target || !source) return INVALID_VALUE;
    memcpy(target, source, bytes);
    return OK;
}

int cuMemsetD8_v2(uint64_t address, unsigned char value, size_t bytes)
{
    ENTER_CONTEXT(cuMemsetD8_v2);
    void *target = accp_fake_gpu_memory(address, bytes);
    if (!target) return INVALID_VALUE;
    memset(target, value, bytes);
    return OK;
}

int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   void *stream, void **parameters, void **extra)
{
    ENTER_CONTEXT(cuLaunchKernel);
    if (grid_y * grid_z * block_y * block_z != 1 || shared_bytes || stream || parameters ||
        !extra || extra[0] != ACCP_CU_LAUNCH_BUFFER_POINTER ||
        extra[2] != ACCP_CU_LAUNCH_BUFFER_SIZE || extra[4] != ACCP_CU_LAUNCH_END)
        return INVALID_VALUE;
    size_t bytes;
    memcpy(&bytes, extra[3], sizeof bytes);
    scenario.device = (int)(current - contexts);
    int result = accp_fake_gpu_launch(&scenario, function, grid_x, block_x, extra[1], bytes);
    if (result != ILLEGAL_ADDRESS) return result;
    scenario.sticky = result; /* as on a GPU, seen by the calls that follow */
    return OK;
}

int cuStreamQuery(void *stream)
{
    (void)stream;
    ENTER_CONTEXT(cuStreamQuery);
    return OK;
}

int cuEventCreate(void **event, unsigned flags)
{
    (void)flags;
    ENTER_CONTEXT(cuEventCreate);
    return make_object(event);
}

int cuEventDestroy_v2(void *event)
{
    ENTER_CONTEXT(cuEventDestroy_v2);
    return destroy_object(event);
}

int cuEventRecord(void *event, void *stream)
{
    (void)stream;
    ENTER_CONTEXT(cuEventRecord);
    ((struct object *)event)->recorded_ms = accp_fake_gpu_ms();
    return OK;
}

int cuEventElapsedTime(float *elapsed_ms, void *begin, void *end)
{
    ENTER_CONTEXT(cuEventElapsedTime);
    const struct object *first = begin, *last = end;
    *elapsed_ms = (float)(last->recorded_ms - first->recorded_ms);
    return OK;
}
