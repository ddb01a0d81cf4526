#include "device/session.h"

#include <elf.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MACHINE_CUDA = 190, ABI_VERSION_CUDA_13 = 8 };

static bool inside(size_t bytes, uint64_t offset, uint64_t size)
{
    return offset <= bytes && size <= bytes - offset;
}

/* The driver takes no size, so an image cut short would have it read past the end: every extent
 * that the ELF headers name has to lie inside. No section at all means more than 65279 of them. */
static bool extents_inside(const uint8_t *image, size_t bytes, const Elf64_Ehdr *header)
{
    if (header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shnum == 0 ||
        !inside(bytes, header->e_shoff, header->e_shnum * sizeof(Elf64_Shdr)))
        return false;
    for (size_t i = 0; i < header->e_shnum; ++i) {
        Elf64_Shdr section;
        memcpy(&section, image + header->e_shoff + i * sizeof section, sizeof section);
        if (section.sh_type != SHT_NOBITS && !inside(bytes, section.sh_offset, section.sh_size))
            return false;
    }
    if (header->e_phnum == 0) return true;
    if (header->e_phentsize != sizeof(Elf64_Phdr) ||
        !inside(bytes, header->e_phoff, header->e_phnum * sizeof(Elf64_Phdr)))
        return false;
    for (size_t i = 0; i < header->e_phnum; ++i) {
        Elf64_Phdr segment;
        memcpy(&segment, image + header->e_phoff + i * sizeof segment, sizeof segment);
        if (!inside(bytes, segment.p_offset, segment.p_filesz)) return false;
    }
    return true;
}

static enum accp_status check_cubin(const void *cubin, size_t bytes, int *capability,
                                    struct accp_error *error)
{
    Elf64_Ehdr header;
    if (bytes < sizeof header)
        return accp_absence_fail(error, ACCP_ABSENCE_CUBIN_INVALID, "it is too short for one");
    memcpy(&header, cubin, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_machine != MACHINE_CUDA)
        return accp_absence_fail(error, ACCP_ABSENCE_CUBIN_INVALID,
                                 "it is not an ELF file for CUDA");
    if (!extents_inside(cubin, bytes, &header))
        return accp_absence_fail(error, ACCP_ABSENCE_CUBIN_INVALID, "it is cut short");
    *capability = header.e_ident[EI_ABIVERSION] >= ABI_VERSION_CUDA_13
                      ? (int)(header.e_flags >> 8 & 0xff)
                      : (int)(header.e_flags & 0xff);
    return ACCP_STATUS_OK;
}

/* "No binary for this GPU" is the answer to a cubin of another arch and to one that is newer than
 * the driver. A cubin runs on the GPUs of its major version from its minor version on. */
static enum accp_status refuse_cubin(struct accp_device *device, int capability, int result,
                                     struct accp_error *error)
{
    struct accp_error failure;
    enum accp_status status = accp_session_check(device, result, "cuModuleLoadData", &failure);
    enum accp_absence absence = accp_absence_of(&failure);
    bool arch_fits =
        capability / 10 == device->capability_major && capability % 10 <= device->capability_minor;
    if (absence == ACCP_ABSENCE_DRIVER_TOO_OLD || absence == ACCP_ABSENCE_CUBIN_INVALID) {
        char detail[128];
        snprintf(detail, sizeof detail, "cubin for sm_%d, GPU is %s, driver %s; %d", capability,
                 device->facts.arch, device->facts.driver, result);
        if (!arch_fits) return accp_absence_fail(error, ACCP_ABSENCE_CUBIN_OTHER_ARCH, detail);
        return accp_absence_fail(error, absence, detail);
    }
    if (error) *error = failure;
    return status;
}

enum accp_status accp_device_load(struct accp_device *device, const void *cubin, size_t cubin_bytes,
                                  struct accp_module **module, struct accp_error *error)
{
    int capability = 0;
    *module = NULL;
    ACCP_TRY(check_cubin(cubin, cubin_bytes, &capability, error));
    ACCP_TRY(accp_session_enter(device, error));
    struct accp_module *loaded = calloc(1, sizeof *loaded);
    if (!loaded) return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for a module");
    int result = device->driver.cuModuleLoadData(&loaded->handle, cubin);
    if (result != ACCP_CU_SUCCESS) {
        free(loaded);
        return refuse_cubin(device, capability, result, error);
    }
    loaded->next = device->modules;
    device->modules = loaded;
    *module = loaded;
    return ACCP_STATUS_OK;
}

void accp_device_unload(struct accp_device *device, struct accp_module *module)
{
    for (struct accp_module **at = &device->modules; *at; at = &(*at)->next) {
        if (*at != module) continue;
        *at = module->next;
        if (accp_session_enter(device, NULL) == ACCP_STATUS_OK)
            device->driver.cuModuleUnload(module->handle);
        free(module);
        return;
    }
}

static enum accp_status function_attribute(struct accp_device *device, void *function,
                                           int attribute, int *value, struct accp_error *error)
{
    return ACCP_SESSION_CALL(device, error, cuFuncGetAttribute, (value, attribute, function));
}

enum accp_status accp_device_kernel(struct accp_device *device, struct accp_module *module,
                                    const char *symbol, struct accp_device_kernel *kernel,
                                    struct accp_error *error)
{
    memset(kernel, 0, sizeof *kernel);
    ACCP_TRY(accp_session_enter(device, error));
    struct accp_device_kernel found = {0};
    int result = device->driver.cuModuleGetFunction(&found.function, module->handle, symbol);
    struct accp_error failure;
    if (accp_session_check(device, result, symbol, &failure) != ACCP_STATUS_OK) {
        if (error) *error = failure;
        return failure.code;
    }
    ACCP_TRY(function_attribute(device, found.function, ACCP_CU_FUNCTION_REGISTERS,
                                &found.registers, error));
    ACCP_TRY(function_attribute(device, found.function, ACCP_CU_FUNCTION_THREADS_MAX,
                                &found.threads_max, error));
    ACCP_TRY(function_attribute(device, found.function, ACCP_CU_FUNCTION_LOCAL_BYTES,
                                &found.local_bytes, error));
    ACCP_TRY(function_attribute(device, found.function, ACCP_CU_FUNCTION_SHARED_BYTES,
                                &found.shared_bytes, error));
    *kernel = found;
    return ACCP_STATUS_OK;
}

enum accp_status accp_device_allocate(struct accp_device *device, size_t bytes, uint64_t *address,
                                      struct accp_error *error)
{
    *address = 0;
    ACCP_TRY(accp_session_enter(device, error));
    struct accp_allocation *allocation = calloc(1, sizeof *allocation);
    if (!allocation)
        return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for an allocation");
    enum accp_status status =
        ACCP_SESSION_CALL(device, error, cuMemAlloc_v2, (&allocation->address, bytes));
    if (status != ACCP_STATUS_OK) {
        free(allocation);
        return status;
    }
    allocation->next = device->allocations;
    device->allocations = allocation;
    *address = allocation->address;
    return ACCP_STATUS_OK;
}

void accp_device_free(struct accp_device *device, uint64_t address)
{
    for (struct accp_allocation **at = &device->allocations; *at; at = &(*at)->next) {
        struct accp_allocation *allocation = *at;
        if (allocation->address != address) continue;
        *at = allocation->next;
        if (accp_session_enter(device, NULL) == ACCP_STATUS_OK)
            device->driver.cuMemFree_v2(address);
        free(allocation);
        return;
    }
}

enum accp_status accp_device_write(struct accp_device *device, uint64_t address, const void *data,
                                   size_t bytes, struct accp_error *error)
{
    ACCP_TRY(accp_session_enter(device, error));
    return ACCP_SESSION_CALL(device, error, cuMemcpyHtoD_v2, (address, data, bytes));
}

enum accp_status accp_device_read(struct accp_device *device, void *data, uint64_t address,
                                  size_t bytes, struct accp_error *error)
{
    ACCP_TRY(accp_session_enter(device, error));
    return ACCP_SESSION_CALL(device, error, cuMemcpyDtoH_v2, (data, address, bytes));
}

enum accp_status accp_device_copy(struct accp_device *device, uint64_t to, uint64_t from,
                                  size_t bytes, struct accp_error *error)
{
    ACCP_TRY(accp_session_enter(device, error));
    return ACCP_SESSION_CALL(device, error, cuMemcpyDtoD_v2, (to, from, bytes));
}

enum accp_status accp_device_fill(struct accp_device *device, uint64_t address, uint8_t value,
                                  size_t bytes, struct accp_error *error)
{
    ACCP_TRY(accp_session_enter(device, error));
    return ACCP_SESSION_CALL(device, error, cuMemsetD8_v2, (address, value, bytes));
}

/* The parameters go as a buffer with a size: the driver then checks that against the kernel's own,
 * where a bare pointer would have it read as many bytes as a stranger's kernel asks for. */
enum accp_status accp_device_launch(struct accp_device *device,
                                    const struct accp_device_kernel *kernel, int blocks,
                                    int threads, const void *parameters, size_t parameters_bytes,
                                    struct accp_error *error)
{
    ACCP_TRY(accp_session_enter(device, error));
    if (blocks < 1 || threads < 1 || threads > kernel->threads_max)
        return accp_fail(error, ACCP_STATUS_USAGE, "launch", -1,
                         "%d blocks of %d threads: the kernel takes 1 to %d threads in a block",
                         blocks, threads, kernel->threads_max);
    void *buffer;
    memcpy(&buffer, &parameters, sizeof buffer); /* the driver only reads it, without const */
    void *extra[] = {ACCP_CU_LAUNCH_BUFFER_POINTER, buffer, ACCP_CU_LAUNCH_BUFFER_SIZE,
                     &parameters_bytes, ACCP_CU_LAUNCH_END};
    ACCP_TRY(ACCP_SESSION_CALL(
        device, error, cuLaunchKernel,
        (kernel->function, (unsigned)blocks, 1, 1, (unsigned)threads, 1, 1, 0, NULL, NULL, extra)));
    device->pending = true;
    return ACCP_STATUS_OK;
}

static double now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

enum accp_status accp_device_synchronise(struct accp_device *device, double timeout_s,
                                         struct accp_error *error)
{
    static const double patience_s = 0.002; /* launches are short: yield at first, sleep later */
    static const struct timespec nap = {0, 50000};
    ACCP_TRY(accp_session_enter(device, error));
    const double begin_s = now_s();
    /* The time from before the question: a process that was stopped meanwhile asks once more. */
    for (double waited_s = 0;; waited_s = now_s() - begin_s) {
        int result = device->driver.cuStreamQuery(NULL);
        if (result != ACCP_CU_NOT_READY) {
            if (result == ACCP_CU_SUCCESS) device->pending = false;
            return accp_session_check(device, result, "cuStreamQuery", error);
        }
        if (waited_s > timeout_s) break;
        if (waited_s < patience_s)
            sched_yield();
        else
            nanosleep(&nap, NULL);
    }
    struct accp_error loss;
    accp_fail(
        &loss, ACCP_STATUS_DEVICE, "GPU", -1,
        "launch did not end within %g s; end this process, and see whether the kernel's loop ends",
        timeout_s);
    return accp_session_lose(device, error, &loss);
}

static enum accp_status record(struct accp_device *device, void **event, struct accp_error *error)
{
    ACCP_TRY(accp_session_enter(device, error));
    if (!*event) ACCP_TRY(ACCP_SESSION_CALL(device, error, cuEventCreate, (event, 0)));
    ACCP_TRY(ACCP_SESSION_CALL(device, error, cuEventRecord, (*event, NULL)));
    device->pending = true;
    return ACCP_STATUS_OK;
}

enum accp_status accp_device_timer_begin(struct accp_device *device, struct accp_error *error)
{
    return record(device, &device->timer_begin, error);
}

enum accp_status accp_device_timer_end(struct accp_device *device, struct accp_error *error)
{
    return record(device, &device->timer_end, error);
}

enum accp_status accp_device_timer_read(struct accp_device *device, double *elapsed_ms,
                                        struct accp_error *error)
{
    float ms = 0;
    *elapsed_ms = 0;
    ACCP_TRY(accp_session_enter(device, error));
    if (!device->timer_begin || !device->timer_end || device->pending)
        return accp_fail(error, ACCP_STATUS_USAGE, "timer", -1,
                         "read before its begin, its end or accp_device_synchronise");
    ACCP_TRY(ACCP_SESSION_CALL(device, error, cuEventElapsedTime,
                               (&ms, device->timer_begin, device->timer_end)));
    *elapsed_ms = (double)ms;
    return ACCP_STATUS_OK;
}
