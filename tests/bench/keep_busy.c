/* keep_busy CUBIN KERNEL all|one|bursts: computes on GPU 0 beside a gate until it gets SIGTERM, then prints how many
 * launches it made. `all` fills every SM without a pause, `one` only one block, `bursts` fills every SM for 5 ms and
 * sleeps for 20: seldom enough that a percentage of utilization need not show it. */
#include "base/file.h"
#include "device/device.h"
#include "parameters.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { WARPS = 8, BLOCKS_OF_SM = 8, LAUNCH_CYCLES = 1000000, BURST_LAUNCHES = 10, QUEUE = 8 };
static const double timeout_s = 20;
static volatile sig_atomic_t stopped;

static void stop(int number)
{
    (void)number;
    stopped = 1;
}

struct load {
    struct accp_device *device;
    struct accp_device_kernel kernel;
    int blocks, launches;
    struct timespec pause;
};

static bool read_mode(const char *mode, struct load *load)
{
    const int all = accp_device_sm_count(load->device) * BLOCKS_OF_SM;
    *load = (struct load){load->device, load->kernel, all, QUEUE, {0, 0}};
    if (strcmp(mode, "all") == 0) return true;
    if (strcmp(mode, "one") == 0) {
        load->blocks = 1;
        return true;
    }
    load->launches = BURST_LAUNCHES;
    load->pause.tv_nsec = 20000000;
    return strcmp(mode, "bursts") == 0;
}

static enum accp_status allocate(const struct load *load, struct accp_parameters *parameters,
                                 struct accp_error *error)
{
    const size_t warps = (size_t)load->blocks * WARPS;
    const size_t bytes[] = {sizeof(float) * ACCP_INPUT_ROWS * ACCP_LANES, sizeof(unsigned) * warps,
                            sizeof(struct accp_record) * warps, sizeof(float) * ACCP_LANES * warps};
    uint64_t at[4];
    for (int i = 0; i < 4; ++i) {
        ACCP_TRY(accp_device_allocate(load->device, bytes[i], &at[i], error));
        ACCP_TRY(accp_device_fill(load->device, at[i], 0, bytes[i], error));
    }
    *parameters = (struct accp_parameters){.budget_cycles = {LAUNCH_CYCLES},
                                           .input = (const float *)at[0],
                                           .skew_cycles = (const unsigned *)at[1],
                                           .records = (struct accp_record *)at[2],
                                           .sinks = (float *)at[3],
                                           .phases = 1};
    return ACCP_STATUS_OK;
}

static enum accp_status compute(const struct load *load, long *launches, struct accp_error *error)
{
    struct accp_parameters parameters;
    ACCP_TRY(allocate(load, &parameters, error));
    while (!stopped) {
        for (int i = 0; i < load->launches; ++i, ++*launches)
            ACCP_TRY(accp_device_launch(load->device, &load->kernel, load->blocks,
                                        WARPS * ACCP_LANES, &parameters, sizeof parameters, error));
        ACCP_TRY(accp_device_synchronise(load->device, timeout_s, error));
        if (load->pause.tv_nsec > 0) nanosleep(&load->pause, NULL);
    }
    return ACCP_STATUS_OK;
}

static enum accp_status run(char **argv, long *launches, struct accp_error *error)
{
    struct accp_bytes cubin;
    struct accp_module *module;
    struct load load = {0};
    ACCP_TRY(accp_file_read(argv[1], 1 << 30, &cubin, error));
    enum accp_status status = accp_device_open(0, &load.device, error);
    if (status == ACCP_STATUS_OK)
        status = accp_device_load(load.device, cubin.data, cubin.size, &module, error);
    if (status == ACCP_STATUS_OK)
        status = accp_device_kernel(load.device, module, argv[2], &load.kernel, error);
    if (status == ACCP_STATUS_OK && !read_mode(argv[3], &load))
        status = accp_fail(error, ACCP_STATUS_USAGE, argv[3], -1, "is not all, one or bursts");
    if (status == ACCP_STATUS_OK) status = compute(&load, launches, error);
    accp_device_close(load.device);
    accp_bytes_fini(&cubin);
    return status;
}

int main(int argc, char **argv)
{
    struct accp_error error;
    long launches = 0;
    const struct sigaction action = {.sa_handler = stop};
    if (argc != 4) {
        fputs("usage: keep_busy CUBIN KERNEL all|one|bursts\n", stderr);
        return 4;
    }
    sigaction(SIGTERM, &action, NULL);
    if (run(argv, &launches, &error) == ACCP_STATUS_OK) {
        printf("%ld launches\n", launches);
        return 0;
    }
    fprintf(stderr, "keep_busy: %s: %s\n", error.where, error.text);
    return 4;
}
