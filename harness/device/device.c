#include "device/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLOSE_TIMEOUT_S = 5 };

/* A device may be left open to the end of the process: held here, it does not pass for a leak. */
static struct accp_device *open_devices;
static pthread_mutex_t open_devices_lock = PTHREAD_MUTEX_INITIALIZER;

static void hold(struct accp_device *device)
{
    pthread_mutex_lock(&open_devices_lock);
    device->next = open_devices;
    open_devices = device;
    pthread_mutex_unlock(&open_devices_lock);
}

static void let_go(struct accp_device *device)
{
    pthread_mutex_lock(&open_devices_lock);
    struct accp_device **at = &open_devices;
    while (*at && *at != device)
        at = &(*at)->next;
    if (*at) *at = device->next;
    pthread_mutex_unlock(&open_devices_lock);
}

enum accp_status accp_session_lose(struct accp_device *device, struct accp_error *error,
                                   const struct accp_error *loss)
{
    device->lost = true;
    device->loss = *loss;
    if (error) *error = *loss;
    return loss->code;
}

enum accp_status accp_session_check(struct accp_device *device, int result, const char *call,
                                    struct accp_error *error)
{
    bool sticky = false;
    struct accp_error failure;
    if (accp_driver_check(result, call, ACCP_DRIVER_WORKING, &sticky, &failure) == ACCP_STATUS_OK)
        return ACCP_STATUS_OK;
    if (sticky) return accp_session_lose(device, error, &failure);
    if (error) *error = failure;
    return failure.code;
}

enum accp_status accp_session_enter(struct accp_device *device, struct accp_error *error)
{
    if (device->lost)
        return accp_fail(error, ACCP_STATUS_DEVICE, "GPU", -1, "was lost earlier: %s",
                         device->loss.text);
    return ACCP_SESSION_CALL(device, error, cuCtxSetCurrent, (device->context));
}

static enum accp_status count_devices(const struct accp_driver *driver, int *count,
                                      struct accp_error *error)
{
    ACCP_TRY(accp_driver_check(driver->cuDeviceGetCount(count), "cuDeviceGetCount",
                               ACCP_DRIVER_OPENING, NULL, error));
    if (*count > 0) return ACCP_STATUS_OK;
    return accp_absence_fail(error, accp_absence_refine(ACCP_ABSENCE_NO_DEVICE, "/dev/nvidiactl"),
                             "cuDeviceGetCount: 0");
}

enum accp_status accp_device_count(int *count, struct accp_error *error)
{
    struct accp_driver driver;
    *count = 0;
    ACCP_TRY(accp_driver_open(&driver, error));
    return count_devices(&driver, count, error);
}

static enum accp_status check_opening(int result, const char *call, struct accp_error *error)
{
    return accp_driver_check(result, call, ACCP_DRIVER_OPENING, NULL, error);
}

#define OPENING_CALL(device, error, symbol, arguments) \
    check_opening((device)->driver.symbol arguments, #symbol, error)

/* FNV-1a, 64 bits (Fowler, Noll, Vo): tells GPUs apart without naming one. A UUID has 122 random
 * bits, so 64 bits of hash cannot be turned back into it. */
static uint64_t hash_uuid(const unsigned char uuid[16])
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (int i = 0; i < 16; ++i)
        hash = (hash ^ uuid[i]) * 0x100000001b3u;
    return hash;
}

/* Facts that only describe: one that the driver does not tell stays unknown. */
static void describe(struct accp_device *device)
{
    const struct accp_driver *driver = &device->driver;
    struct accp_run_device *facts = &device->facts;
    int value, ordinal = device->ordinal;
    if (driver->cuDeviceGetAttribute(&value, ACCP_CU_CLOCK_RATE_KHZ, ordinal) == ACCP_CU_SUCCESS)
        facts->sm_clock_max_mhz = value / 1000.0;
    if (driver->cuDeviceGetAttribute(&value, ACCP_CU_MEMORY_CLOCK_RATE_KHZ, ordinal) ==
        ACCP_CU_SUCCESS)
        facts->memory_clock_mhz = value / 1000.0;
    size_t bytes;
    if (driver->cuDeviceTotalMem_v2(&bytes, ordinal) == ACCP_CU_SUCCESS)
        facts->memory_bytes = (int64_t)bytes;
    unsigned char uuid[16];
    if (driver->cuDeviceGetUuid_v2(uuid, ordinal) == ACCP_CU_SUCCESS)
        snprintf(facts->uuid_hash, sizeof facts->uuid_hash, "%016llx",
                 (unsigned long long)hash_uuid(uuid));
    if (driver->cuDriverGetVersion(&value) == ACCP_CU_SUCCESS)
        snprintf(facts->driver, sizeof facts->driver, "CUDA %d.%d", value / 1000,
                 value % 1000 / 10);
}

/* Facts without which nothing can be measured. */
static enum accp_status identify(struct accp_device *device, struct accp_error *error)
{
    int ordinal = device->ordinal, sm_count;
    char name[ACCP_TEXT_BYTES] = "";
    struct accp_run_device *facts = &device->facts;
    ACCP_TRY(OPENING_CALL(device, error, cuDeviceGetName, (name, sizeof name - 1, ordinal)));
    ACCP_TRY(OPENING_CALL(device, error, cuDeviceGetAttribute,
                          (&device->capability_major, ACCP_CU_CAPABILITY_MAJOR, ordinal)));
    ACCP_TRY(OPENING_CALL(device, error, cuDeviceGetAttribute,
                          (&device->capability_minor, ACCP_CU_CAPABILITY_MINOR, ordinal)));
    ACCP_TRY(OPENING_CALL(device, error, cuDeviceGetAttribute,
                          (&sm_count, ACCP_CU_MULTIPROCESSOR_COUNT, ordinal)));
    accp_text_copy(facts->name, sizeof facts->name, name);
    snprintf(facts->arch, sizeof facts->arch, "sm_%d%d", device->capability_major,
             device->capability_minor);
    facts->sm_count = sm_count;
    describe(device);
    return ACCP_STATUS_OK;
}

/* Drivers answer "unavailable", "invalid device" or worse to all of these: the mode says which. */
static enum accp_status refuse_context(struct accp_device *device, int result,
                                       struct accp_error *error)
{
    char detail[96];
    int mode = 0;
    struct accp_error failure;
    snprintf(detail, sizeof detail, "cuDevicePrimaryCtxRetain: %d", result);
    enum accp_status status = check_opening(result, "cuDevicePrimaryCtxRetain", &failure);
    if (accp_absence_of(&failure) == ACCP_ABSENCE_DEVICE_UNAVAILABLE &&
        device->driver.cuDeviceGetAttribute(&mode, ACCP_CU_COMPUTE_MODE, device->ordinal) ==
            ACCP_CU_SUCCESS) {
        if (mode == ACCP_CU_COMPUTEMODE_PROHIBITED)
            return accp_absence_fail(error, ACCP_ABSENCE_DEVICE_PROHIBITED, detail);
        if (mode == ACCP_CU_COMPUTEMODE_EXCLUSIVE_PROCESS)
            return accp_absence_fail(error, ACCP_ABSENCE_DEVICE_EXCLUSIVE, detail);
    }
    if (error) *error = failure;
    return status;
}

static enum accp_status open_context(struct accp_device *device, struct accp_error *error)
{
    char pci_id[ACCP_PCI_ID_BYTES] = "";
    int count;
    ACCP_TRY(count_devices(&device->driver, &count, error));
    if (device->index < 0 || device->index >= count)
        return accp_fail(error, ACCP_STATUS_USAGE, "device", device->index,
                         "there is no GPU %d: this machine has GPUs 0 to %d", device->index,
                         count - 1);
    ACCP_TRY(OPENING_CALL(device, error, cuDeviceGet, (&device->ordinal, device->index)));
    ACCP_TRY(OPENING_CALL(device, error, cuDeviceGetPCIBusId,
                          (pci_id, sizeof pci_id - 1, device->ordinal)));
    accp_text_copy(device->facts.pci_id, sizeof device->facts.pci_id, pci_id);
    accp_management_start(&device->management, pci_id);
    void *context = NULL;
    int result = device->driver.cuDevicePrimaryCtxRetain(&context, device->ordinal);
    if (result != ACCP_CU_SUCCESS) return refuse_context(device, result, error);
    device->context = context;
    ACCP_TRY(OPENING_CALL(device, error, cuCtxSetCurrent, (context)));
    return identify(device, error);
}

enum accp_status accp_device_open(int index, struct accp_device **device, struct accp_error *error)
{
    struct accp_run blank;
    *device = NULL;
    struct accp_device *opened = calloc(1, sizeof *opened);
    if (!opened) return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for a device");
    hold(opened);
    opened->index = index;
    accp_run_init(&blank);
    opened->facts = blank.device;
    enum accp_status status = accp_driver_open(&opened->driver, error);
    if (status == ACCP_STATUS_OK) status = open_context(opened, error);
    if (status == ACCP_STATUS_OK)
        *device = opened;
    else
        accp_device_close(opened);
    return status;
}

static void release_context(struct accp_device *device)
{
    if (device->pending && !device->lost) accp_device_synchronise(device, CLOSE_TIMEOUT_S, NULL);
    if (accp_session_enter(device, NULL) != ACCP_STATUS_OK) return;
    for (struct accp_allocation *at = device->allocations; at; at = at->next)
        device->driver.cuMemFree_v2(at->address);
    for (struct accp_module *at = device->modules; at; at = at->next)
        device->driver.cuModuleUnload(at->handle);
    if (device->timer_begin) device->driver.cuEventDestroy_v2(device->timer_begin);
    if (device->timer_end) device->driver.cuEventDestroy_v2(device->timer_end);
    device->driver.cuCtxSetCurrent(NULL);
    device->driver.cuDevicePrimaryCtxRelease_v2(device->ordinal);
}

/* A call of NVML that does not come back keeps the memory that it writes to, and the list keeps hold
 * of that. */
void accp_device_close(struct accp_device *device)
{
    if (!device) return;
    accp_management_stop(&device->management);
    const bool is_free = !device->management.abandoned;
    if (is_free) let_go(device);
    if (device->context) release_context(device);
    for (struct accp_allocation *next; device->allocations; device->allocations = next) {
        next = device->allocations->next;
        free(device->allocations);
    }
    for (struct accp_module *next; device->modules; device->modules = next) {
        next = device->modules->next;
        free(device->modules);
    }
    if (is_free) free(device);
}

/* NVML's answer where it has one; the driver's else. */
void accp_device_facts(struct accp_device *device, struct accp_run_device *facts)
{
    accp_management_wait(&device->management);
    const struct accp_run_device *managed = &device->management.facts;
    const double before = facts->achieved_mhz_before, after = facts->achieved_mhz_after;
    *facts = device->facts;
    facts->achieved_mhz_before = before;
    facts->achieved_mhz_after = after;
    facts->sm_clock_mhz = managed->sm_clock_mhz;
    if (managed->sm_clock_max_mhz >= 0) facts->sm_clock_max_mhz = managed->sm_clock_max_mhz;
    if (managed->memory_clock_mhz >= 0) facts->memory_clock_mhz = managed->memory_clock_mhz;
    if (managed->driver[0]) memcpy(facts->driver, managed->driver, sizeof facts->driver);
    memcpy(facts->pci_device, managed->pci_device, sizeof facts->pci_device);
    memcpy(facts->mig, managed->mig, sizeof facts->mig);
    memcpy(facts->ecc, managed->ecc, sizeof facts->ecc);
    memcpy(facts->throttle, managed->throttle, sizeof facts->throttle);
    facts->utilization_percent = managed->utilization_percent;
    accp_management_count(&device->management, facts);
}

void accp_device_observe(struct accp_device *device, struct accp_run_device *facts)
{
    accp_management_observe(&device->management, facts);
}

bool accp_device_managed(struct accp_device *device, struct accp_error *note)
{
    accp_management_wait(&device->management);
    if (note) *note = device->management.note;
    return device->management.note.code == ACCP_STATUS_OK;
}

const char *accp_device_arch(const struct accp_device *device)
{
    return device->facts.arch;
}

int accp_device_sm_count(const struct accp_device *device)
{
    return (int)device->facts.sm_count;
}
