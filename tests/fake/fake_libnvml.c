/* A libnvidia-ml.so.1 that answers what ACCP_FAKE says; see README.md. */
#include "scenario.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* The table's rows as prototypes: a definition that differs from it does not compile. */
#define NVML(symbol, arguments) EXPORT int symbol arguments;
#include "device/nvml.def"

enum {
    NVML_NOT_SUPPORTED = 3,
    NVML_NO_PERMISSION = 4,
    NVML_NOT_FOUND = 6,
    UNKNOWN_RESULT = 999,
    OUTSIDE_PID = 0x7ffffff0 /* above any pid_max: names no process */
};

static struct accp_fake_scenario scenario;

#define ENTER(symbol) \
    do { \
        int entered = accp_fake_enter(&scenario, ACCP_FAKE_SYMBOL_##symbol); \
        if (entered) return entered; \
        if (scenario.on[ACCP_FAKE_nvml_na] && \
            ACCP_FAKE_SYMBOL_##symbol > ACCP_FAKE_SYMBOL_nvmlDeviceGetHandleByPciBusId_v2) \
            return NVML_NOT_SUPPORTED; \
    } while (0)

#define ENTER_PRIVATE(symbol) \
    do { \
        ENTER(symbol); \
        if (scenario.on[ACCP_FAKE_nvml_private]) return NVML_NO_PERMISSION; \
    } while (0)

/* As NVML does, counts who started it, in any thread. The first reads the scenario, and who comes when that is another. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char text_read[1024];
static int starts;

static bool start(void)
{
    const char *text = getenv("ACCP_FAKE");
    pthread_mutex_lock(&lock);
    const bool is_other = strncmp(text_read, text ? text : "", sizeof text_read - 1) != 0;
    snprintf(text_read, sizeof text_read, "%s", text ? text : "");
    const bool is_started = (starts > 0 && !is_other) || accp_fake_scenario_read(&scenario);
    starts += is_started;
    pthread_mutex_unlock(&lock);
    return is_started;
}

static void stop(void)
{
    pthread_mutex_lock(&lock);
    --starts;
    pthread_mutex_unlock(&lock);
}

int nvmlInit_v2(void)
{
    if (!start()) return UNKNOWN_RESULT;
    const int answer = accp_fake_enter(&scenario, ACCP_FAKE_SYMBOL_nvmlInit_v2);
    if (answer) stop();
    return answer;
}

int nvmlShutdown(void)
{
    stop();
    ENTER(nvmlShutdown);
    return 0;
}

int nvmlSystemGetDriverVersion(char *version, unsigned version_bytes)
{
    ENTER(nvmlSystemGetDriverVersion);
    snprintf(version, version_bytes, "580.159.04-fake");
    return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *pci_id, void **device)
{
    ENTER(nvmlDeviceGetHandleByPciBusId_v2);
    if (strncmp(pci_id, "0000:", 5) != 0) return NVML_NOT_FOUND;
    *device = &scenario;
    return 0;
}

int nvmlDeviceGetPciInfo_v3(void *device, struct accp_nvml_pci *pci)
{
    (void)device;
    ENTER(nvmlDeviceGetPciInfo_v3);
    memset(pci, 0, sizeof *pci);
    pci->device_id = scenario.sku->pci_device;
    return 0;
}

int nvmlDeviceGetClockInfo(void *device, int clock, unsigned *mhz)
{
    (void)device;
    ENTER(nvmlDeviceGetClockInfo);
    int sm_mhz = scenario.sku->sm_mhz / (scenario.on[ACCP_FAKE_throttled] ? 2 : 1);
    *mhz = (unsigned)(clock == ACCP_NVML_CLOCK_SM ? sm_mhz : scenario.sku->memory_mhz);
    return 0;
}

int nvmlDeviceGetMaxClockInfo(void *device, int clock, unsigned *mhz)
{
    (void)device;
    ENTER(nvmlDeviceGetMaxClockInfo);
    *mhz =
        (unsigned)(clock == ACCP_NVML_CLOCK_SM ? scenario.sku->sm_mhz : scenario.sku->memory_mhz);
    return 0;
}

int nvmlDeviceGetUtilizationRates(void *device, struct accp_nvml_utilization *percent)
{
    (void)device;
    ENTER(nvmlDeviceGetUtilizationRates);
    if (scenario.on[ACCP_FAKE_mig]) return NVML_NOT_SUPPORTED; /* as the real one */
    percent->gpu = scenario.on[ACCP_FAKE_busy] ? 97 : 0;
    percent->memory = 0;
    return 0;
}

int nvmlDeviceGetMigMode(void *device, unsigned *current, unsigned *pending)
{
    (void)device;
    ENTER_PRIVATE(nvmlDeviceGetMigMode);
    *current = *pending = scenario.on[ACCP_FAKE_mig];
    return 0;
}

int nvmlDeviceGetEccMode(void *device, unsigned *current, unsigned *pending)
{
    (void)device;
    ENTER_PRIVATE(nvmlDeviceGetEccMode);
    *current = *pending = !scenario.on[ACCP_FAKE_ecc_off];
    return 0;
}

static unsigned long long throttle_bits(void)
{
    enum { IDLE = 0x1, APPLICATIONS = 0x2, POWER_CAP = 0x4, HARDWARE = 0x8, THERMAL = 0x40 };
    return (scenario.on[ACCP_FAKE_throttled] ? HARDWARE | THERMAL : 0u) |
           (scenario.on[ACCP_FAKE_power_capped] ? POWER_CAP : 0u) |
           (scenario.on[ACCP_FAKE_idle_clocks] ? IDLE | APPLICATIONS : 0u);
}

int nvmlDeviceGetCurrentClocksEventReasons(void *device, unsigned long long *bits)
{
    (void)device;
    ENTER(nvmlDeviceGetCurrentClocksEventReasons);
    if (scenario.on[ACCP_FAKE_old_nvml]) return ACCP_NVML_FUNCTION_NOT_FOUND;
    *bits = throttle_bits();
    return 0;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *bits)
{
    (void)device;
    ENTER(nvmlDeviceGetCurrentClocksThrottleReasons);
    *bits = throttle_bits();
    return 0;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count,
                                            struct accp_nvml_process *processes)
{
    (void)device;
    ENTER_PRIVATE(nvmlDeviceGetComputeRunningProcesses_v3);
    unsigned pids[3], listed = 0;
    if (!scenario.on[ACCP_FAKE_hidden_processes])
        pids[listed++] = scenario.on[ACCP_FAKE_container] ? OUTSIDE_PID : (unsigned)getpid();
    if (scenario.on[ACCP_FAKE_busy]) {
        pids[listed++] = 1;
        pids[listed++] = OUTSIDE_PID + 1;
    }
    bool fits = listed <= *count;
    *count = listed;
    if (!fits) return ACCP_NVML_INSUFFICIENT_SIZE;
    for (unsigned i = 0; i < listed; ++i)
        processes[i] = (struct accp_nvml_process){.pid = pids[i]};
    return 0;
}
