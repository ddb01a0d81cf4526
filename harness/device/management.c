#include "device/management.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct throttle_row {
    unsigned long long bit;
    const char *text;
};

static const struct throttle_row throttles[] = {
#define THROTTLE(id, bit, slows, text) {bit, text},
#include "device/throttle.def"
};

enum { THROTTLE_COUNT = sizeof throttles / sizeof *throttles };

static void throttle_format(unsigned long long bits, char *text, size_t text_bytes)
{
    size_t used = 0;
    snprintf(text, text_bytes, "none");
    for (size_t i = 0; i < THROTTLE_COUNT; ++i)
        if ((bits & throttles[i].bit) && used < text_bytes)
            used += (size_t)snprintf(text + used, text_bytes - used, "%s%s", used ? "," : "",
                                     throttles[i].text);
}

/* "N/A" is the usual answer of a GPU that has no such feature: anything else is worth more. */
static bool told(struct accp_management *management, int result, const char *call)
{
    struct accp_error failure;
    if (accp_nvml_check(result, call, &failure) == ACCP_STATUS_OK) return true;
    struct accp_error *note = &management->note;
    if (note->code == ACCP_STATUS_OK ||
        (accp_absence_of(note) == ACCP_ABSENCE_NVML_NOT_SUPPORTED &&
         accp_absence_of(&failure) != ACCP_ABSENCE_NVML_NOT_SUPPORTED))
        *note = failure;
    return false;
}

#define HAS(management, symbol) ((management)->nvml.symbol != NULL)
#define TOLD(management, symbol, arguments) \
    told(management, \
         HAS(management, symbol) ? (management)->nvml.symbol arguments \
                                 : ACCP_NVML_FUNCTION_NOT_FOUND, \
         #symbol)

static void ask_clocks(struct accp_management *management, struct accp_run_device *facts)
{
    unsigned mhz;
    if (TOLD(management, nvmlDeviceGetClockInfo, (management->device, ACCP_NVML_CLOCK_SM, &mhz)))
        facts->sm_clock_mhz = mhz;
    if (TOLD(management, nvmlDeviceGetClockInfo,
             (management->device, ACCP_NVML_CLOCK_MEMORY, &mhz)))
        facts->memory_clock_mhz = mhz;
}

/* Drivers before 535 have the second name only, and a later one may drop it. */
static void ask_throttle(struct accp_management *management, struct accp_run_device *facts)
{
    unsigned long long bits = 0;
    void *device = management->device;
    bool known = (HAS(management, nvmlDeviceGetCurrentClocksEventReasons) &&
                  management->nvml.nvmlDeviceGetCurrentClocksEventReasons(device, &bits) ==
                      ACCP_NVML_SUCCESS) ||
                 TOLD(management, nvmlDeviceGetCurrentClocksThrottleReasons, (device, &bits));
    if (known) {
        management->throttle_known = true;
        management->throttle_bits |= bits;
    }
    if (management->throttle_known)
        throttle_format(management->throttle_bits, facts->throttle, sizeof facts->throttle);
}

static void set_mode(char text[16], unsigned current)
{
    snprintf(text, 16, "%s", current ? "on" : "off");
}

static void ask_facts(struct accp_management *management)
{
    struct accp_run_device *facts = &management->facts;
    void *device = management->device;
    char version[80] = "";
    if (TOLD(management, nvmlSystemGetDriverVersion, (version, sizeof version)))
        accp_text_copy(facts->driver, sizeof facts->driver, version);
    unsigned mhz;
    if (TOLD(management, nvmlDeviceGetMaxClockInfo, (device, ACCP_NVML_CLOCK_SM, &mhz)))
        facts->sm_clock_max_mhz = mhz;
    struct accp_nvml_utilization percent;
    if (TOLD(management, nvmlDeviceGetUtilizationRates, (device, &percent)))
        facts->utilization_percent = percent.gpu;
    unsigned current, pending;
    if (TOLD(management, nvmlDeviceGetMigMode, (device, &current, &pending)))
        set_mode(facts->mig, current);
    if (TOLD(management, nvmlDeviceGetEccMode, (device, &current, &pending)))
        set_mode(facts->ecc, current);
    struct accp_nvml_pci pci;
    if (TOLD(management, nvmlDeviceGetPciInfo_v3, (device, &pci)))
        snprintf(facts->pci_device, sizeof facts->pci_device, "%04x:%04x", pci.device_id & 0xffff,
                 pci.device_id >> 16);
    ask_clocks(management, facts);
    ask_throttle(management, facts);
}

static void *ask(void *argument)
{
    struct accp_management *management = argument;
    if (accp_nvml_open(&management->nvml, &management->note) != ACCP_STATUS_OK) return NULL;
    management->initialised = true;
    void *device = NULL;
    if (!TOLD(management, nvmlDeviceGetHandleByPciBusId_v2, (management->pci_id, &device)))
        return NULL;
    management->device = device;
    ask_facts(management);
    return NULL;
}

void accp_management_start(struct accp_management *management, const char *pci_id)
{
    struct accp_run blank;
    memset(management, 0, sizeof *management);
    accp_run_init(&blank);
    management->facts = blank.device;
    snprintf(management->pci_id, sizeof management->pci_id, "%s", pci_id);
    management->running = pthread_create(&management->thread, NULL, ask, management) == 0;
    if (!management->running) ask(management);
}

void accp_management_wait(struct accp_management *management)
{
    if (management->running) pthread_join(management->thread, NULL);
    management->running = false;
}

static bool exists_here(unsigned pid)
{
    return kill((pid_t)pid, 0) == 0 || errno != ESRCH;
}

/* Our own process is on the list while its context stands. In a container NVML may know it by the
 * number that it has outside: if none of the entries is us by name, one that names no process here
 * is. It may also hide the list altogether, and then there is nothing to count. */
static int64_t count_others(const struct accp_nvml_process *processes, unsigned count)
{
    int64_t others = 0;
    bool seen_self = false, seen_stranger = false;
    for (unsigned i = 0; i < count; ++i) {
        if (processes[i].pid == (unsigned)getpid()) {
            seen_self = true;
            continue;
        }
        if (!exists_here(processes[i].pid)) seen_stranger = true;
        ++others;
    }
    return others - (!seen_self && seen_stranger);
}

void accp_management_count(struct accp_management *management, struct accp_run_device *facts)
{
    accp_management_wait(management);
    if (!management->device) return;
    struct accp_nvml_process processes[ACCP_NVML_PROCESSES];
    unsigned count = ACCP_NVML_PROCESSES;
    int result = ACCP_NVML_FUNCTION_NOT_FOUND;
    if (HAS(management, nvmlDeviceGetComputeRunningProcesses_v3))
        result = management->nvml.nvmlDeviceGetComputeRunningProcesses_v3(management->device,
                                                                          &count, processes);
    int64_t others = -1;
    if (result == ACCP_NVML_INSUFFICIENT_SIZE)
        others = ACCP_NVML_PROCESSES; /* more than that: how many does not matter any more */
    else if (told(management, result, "nvmlDeviceGetComputeRunningProcesses_v3"))
        others = count_others(processes, count < ACCP_NVML_PROCESSES ? count : ACCP_NVML_PROCESSES);
    if (others > facts->other_processes) facts->other_processes = others;
}

void accp_management_observe(struct accp_management *management, struct accp_run_device *facts)
{
    accp_management_wait(management);
    if (!management->device) return;
    ask_clocks(management, facts);
    ask_throttle(management, facts);
    accp_management_count(management, facts);
}

void accp_management_stop(struct accp_management *management)
{
    accp_management_wait(management);
    if (management->initialised) management->nvml.nvmlShutdown();
    management->initialised = false;
    management->device = NULL;
}
