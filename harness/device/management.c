#include "device/management.h"

#include "base/watchdog.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
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
static bool told(struct accp_management_work *work, int result, const char *call)
{
    struct accp_error failure;
    if (accp_nvml_check(result, call, &failure) == ACCP_STATUS_OK) return true;
    struct accp_error *note = &work->note;
    if (note->code == ACCP_STATUS_OK ||
        (accp_absence_of(note) == ACCP_ABSENCE_NVML_NOT_SUPPORTED &&
         accp_absence_of(&failure) != ACCP_ABSENCE_NVML_NOT_SUPPORTED))
        *note = failure;
    return false;
}

#define HAS(work, symbol) ((work)->nvml.symbol != NULL)
#define TOLD(work, symbol, arguments) \
    told(work, HAS(work, symbol) ? (work)->nvml.symbol arguments : ACCP_NVML_FUNCTION_NOT_FOUND, \
         #symbol)

static void ask_clocks(struct accp_management_work *work, struct accp_run_device *facts)
{
    unsigned mhz;
    if (TOLD(work, nvmlDeviceGetClockInfo, (work->device, ACCP_NVML_CLOCK_SM, &mhz)))
        facts->sm_clock_mhz = mhz;
    if (TOLD(work, nvmlDeviceGetClockInfo, (work->device, ACCP_NVML_CLOCK_MEMORY, &mhz)))
        facts->memory_clock_mhz = mhz;
}

/* Drivers before 535 have the second name only, and a later one may drop it. */
static void ask_throttle(struct accp_management_work *work, struct accp_run_device *facts)
{
    unsigned long long bits = 0;
    void *device = work->device;
    bool known =
        (HAS(work, nvmlDeviceGetCurrentClocksEventReasons) &&
         work->nvml.nvmlDeviceGetCurrentClocksEventReasons(device, &bits) == ACCP_NVML_SUCCESS) ||
        TOLD(work, nvmlDeviceGetCurrentClocksThrottleReasons, (device, &bits));
    if (known) {
        work->throttle_known = true;
        work->throttle_bits |= bits;
    }
    if (work->throttle_known)
        throttle_format(work->throttle_bits, facts->throttle, sizeof facts->throttle);
}

static void set_mode(char text[16], unsigned current)
{
    snprintf(text, 16, "%s", current ? "on" : "off");
}

static void ask_facts(struct accp_management_work *work)
{
    struct accp_run_device *facts = &work->facts;
    void *device = work->device;
    char version[80] = "";
    if (TOLD(work, nvmlSystemGetDriverVersion, (version, sizeof version)))
        accp_text_copy(facts->driver, sizeof facts->driver, version);
    unsigned mhz;
    if (TOLD(work, nvmlDeviceGetMaxClockInfo, (device, ACCP_NVML_CLOCK_SM, &mhz)))
        facts->sm_clock_max_mhz = mhz;
    struct accp_nvml_utilization percent;
    if (TOLD(work, nvmlDeviceGetUtilizationRates, (device, &percent)))
        facts->utilization_percent = percent.gpu;
    unsigned current, pending;
    if (TOLD(work, nvmlDeviceGetMigMode, (device, &current, &pending)))
        set_mode(facts->mig, current);
    if (TOLD(work, nvmlDeviceGetEccMode, (device, &current, &pending)))
        set_mode(facts->ecc, current);
    struct accp_nvml_pci pci;
    if (TOLD(work, nvmlDeviceGetPciInfo_v3, (device, &pci)))
        snprintf(facts->pci_device, sizeof facts->pci_device, "%04x:%04x", pci.device_id & 0xffff,
                 pci.device_id >> 16);
    ask_clocks(work, facts);
    ask_throttle(work, facts);
}

static void ask(struct accp_management_work *work)
{
    if (accp_nvml_open(&work->nvml, &work->note) != ACCP_STATUS_OK) return;
    work->initialised = true;
    void *device = NULL;
    if (!TOLD(work, nvmlDeviceGetHandleByPciBusId_v2, (work->pci_id, &device))) return;
    work->device = device;
    ask_facts(work);
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

static void count(struct accp_management_work *work)
{
    struct accp_nvml_process processes[ACCP_NVML_PROCESSES];
    unsigned listed = ACCP_NVML_PROCESSES;
    int result = ACCP_NVML_FUNCTION_NOT_FOUND;
    if (HAS(work, nvmlDeviceGetComputeRunningProcesses_v3))
        result =
            work->nvml.nvmlDeviceGetComputeRunningProcesses_v3(work->device, &listed, processes);
    if (result == ACCP_NVML_INSUFFICIENT_SIZE) /* more than that: how many does not matter */
        work->facts.other_processes = ACCP_NVML_PROCESSES;
    else if (told(work, result, "nvmlDeviceGetComputeRunningProcesses_v3"))
        work->facts.other_processes =
            count_others(processes, listed < ACCP_NVML_PROCESSES ? listed : ACCP_NVML_PROCESSES);
}

static void observe(struct accp_management_work *work)
{
    ask_clocks(work, &work->facts);
    ask_throttle(work, &work->facts);
    count(work);
}

static void shut_down(struct accp_management_work *work)
{
    work->nvml.nvmlShutdown();
}

static void *run_task(void *argument)
{
    struct accp_management *management = argument;
    management->work.task(&management->work);
    pthread_mutex_lock(&management->lock);
    management->has_ended = true;
    pthread_cond_signal(&management->changed);
    pthread_mutex_unlock(&management->lock);
    return NULL;
}

static void start_task(struct accp_management *management,
                       void (*task)(struct accp_management_work *work))
{
    struct accp_run blank;
    accp_run_init(&blank);
    management->work.facts = blank.device;
    management->work.task = task;
    management->has_ended = false;
    management->running = pthread_create(&management->thread, NULL, run_task, management) == 0;
    if (!management->running) run_task(management);
}

/* The monotonic clock: a jump of the other one is no reason to give up. */
static void prepare(struct accp_management *management)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&management->lock, NULL);
    pthread_cond_init(&management->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    management->started = true;
}

void accp_management_start(struct accp_management *management, const char *pci_id)
{
    struct accp_run blank;
    memset(management, 0, sizeof *management);
    accp_run_init(&blank);
    management->facts = blank.device;
    snprintf(management->work.pci_id, sizeof management->work.pci_id, "%s", pci_id);
    prepare(management);
    start_task(management, ask);
    management->asking = true;
}

/* A flag, and no join that gives up in time: valgrind's checkers of threads do not know that one. */
static bool join(struct accp_management *management)
{
    const double timeout_s = accp_timeout_s() / ACCP_TIMEOUT_SHARE;
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)timeout_s;
    until.tv_nsec += (long)((timeout_s - (double)(time_t)timeout_s) * 1e9);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&management->lock);
    for (int result = 0; !management->has_ended && result == 0;)
        result = pthread_cond_timedwait(&management->changed, &management->lock, &until);
    const bool has_ended = management->has_ended;
    pthread_mutex_unlock(&management->lock);
    return has_ended && pthread_join(management->thread, NULL) == 0;
}

/* Waits for the task; false: it did not come back, now or earlier, and its findings are not there. */
static bool finish_task(struct accp_management *management)
{
    if (management->running && !join(management)) {
        management->abandoned = true;
        accp_absence_fail(&management->note, ACCP_ABSENCE_NVML_TIMEOUT, NULL);
    }
    management->running = false;
    if (!management->abandoned) management->note = management->work.note;
    return !management->abandoned;
}

void accp_management_wait(struct accp_management *management)
{
    const bool is_first = management->asking;
    management->asking = false;
    if (finish_task(management) && is_first) management->facts = management->work.facts;
}

static bool do_task(struct accp_management *management,
                    void (*task)(struct accp_management_work *work))
{
    accp_management_wait(management);
    if (management->abandoned || !management->work.device) return false;
    start_task(management, task);
    return finish_task(management);
}

static void raise_count(const struct accp_management *management, struct accp_run_device *facts)
{
    const int64_t others = management->work.facts.other_processes;
    if (others > facts->other_processes) facts->other_processes = others;
}

void accp_management_count(struct accp_management *management, struct accp_run_device *facts)
{
    if (do_task(management, count)) raise_count(management, facts);
}

void accp_management_observe(struct accp_management *management, struct accp_run_device *facts)
{
    if (!do_task(management, observe)) return;
    const struct accp_run_device *found = &management->work.facts;
    if (found->sm_clock_mhz >= 0) facts->sm_clock_mhz = found->sm_clock_mhz;
    if (found->memory_clock_mhz >= 0) facts->memory_clock_mhz = found->memory_clock_mhz;
    if (found->throttle[0]) memcpy(facts->throttle, found->throttle, sizeof facts->throttle);
    raise_count(management, facts);
}

void accp_management_stop(struct accp_management *management)
{
    accp_management_wait(management);
    if (management->abandoned) return;
    if (management->work.initialised) {
        start_task(management, shut_down);
        finish_task(management);
    }
    management->work.initialised = false;
    management->work.device = NULL;
    if (!management->started || management->abandoned) return;
    pthread_mutex_destroy(&management->lock);
    pthread_cond_destroy(&management->changed);
    management->started = false;
}
