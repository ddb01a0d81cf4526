#include "device_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

const char kernel_name[] = "optimal_chain7_acc3_effective3";

double launch_timeout_s;

void use_fake(const char *words)
{
    const bool hangs = strcmp(words, "hang") == 0;
    launch_timeout_s = hangs ? 0.2 : 30; /* what ends is waited for on the busiest machine */
    setenv("ACCPROBE_LIBCUDA", ACCP_FAKE_LIBCUDA, 1);
    setenv("ACCPROBE_LIBNVML", ACCP_FAKE_LIBNVML, 1);
    setenv("ACCP_FAKE", words, 1);
    unsetenv("ACCP_FAKE_RUN");
    unsetenv("ACCP_FAKE_SCALE");
}

int live(void)
{
    void *library = dlopen(ACCP_FAKE_LIBCUDA, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    void *found = dlsym(library, "accp_fake_live");
    assert_non_null(found);
    int (*count)(void);
    memcpy(&count, &found, sizeof count);
    int standing = count();
    dlclose(library);
    return standing;
}

struct cubin make_cubin(unsigned flags, unsigned char abi_version)
{
    struct cubin cubin;
    memset(&cubin, 0, sizeof cubin);
    memcpy(cubin.header.e_ident, ELFMAG, SELFMAG);
    cubin.header.e_ident[EI_CLASS] = ELFCLASS64;
    cubin.header.e_ident[EI_ABIVERSION] = abi_version;
    cubin.header.e_machine = 190;
    cubin.header.e_flags = flags;
    cubin.header.e_shoff = sizeof cubin.header;
    cubin.header.e_shentsize = sizeof cubin.section;
    cubin.header.e_shnum = 1;
    return cubin;
}

struct cubin cubin_for_hopper(void)
{
    return make_cubin(0x6005a04, 8);
}

enum accp_status allocate_parameters(struct accp_device *device, struct work *work,
                                     struct accp_parameters *parameters, struct accp_error *error)
{
    uint64_t input, skews, records, sinks;
    unsigned zero[BLOCKS * WARPS] = {0};
    ACCP_TRY(accp_device_allocate(device, sizeof work->input, &input, error));
    ACCP_TRY(accp_device_allocate(device, sizeof zero, &skews, error));
    ACCP_TRY(accp_device_allocate(device, sizeof work->records, &records, error));
    ACCP_TRY(accp_device_allocate(device, sizeof work->sinks, &sinks, error));
    ACCP_TRY(accp_device_write(device, input, work->input, sizeof work->input, error));
    ACCP_TRY(accp_device_write(device, skews, zero, sizeof zero, error));
    ACCP_TRY(accp_device_fill(device, records, 0, sizeof work->records, error));
    memset(parameters, 0, sizeof *parameters);
    parameters->input = (const float *)(uintptr_t)input;
    parameters->skew_cycles = (const unsigned *)(uintptr_t)skews;
    parameters->records = (struct accp_record *)(uintptr_t)records;
    parameters->sinks = (float *)(uintptr_t)sinks;
    parameters->phases = ACCP_PHASES;
    parameters->budget_cycles[0] = 500;
    parameters->budget_cycles[2] = 50000;
    return ACCP_STATUS_OK;
}

static enum accp_status launch_and_read(struct accp_device *device,
                                        const struct accp_device_kernel *kernel, struct work *work,
                                        struct accp_error *error)
{
    struct accp_parameters parameters;
    ACCP_TRY(allocate_parameters(device, work, &parameters, error));
    ACCP_TRY(accp_device_timer_begin(device, error));
    ACCP_TRY(
        accp_device_launch(device, kernel, BLOCKS, THREADS, &parameters, sizeof parameters, error));
    ACCP_TRY(accp_device_timer_end(device, error));
    ACCP_TRY(accp_device_synchronise(device, launch_timeout_s, error));
    ACCP_TRY(accp_device_timer_read(device, &work->elapsed_ms, error));
    ACCP_TRY(accp_device_read(device, work->records, (uint64_t)(uintptr_t)parameters.records,
                              sizeof work->records, error));
    ACCP_TRY(accp_device_read(device, work->sinks, (uint64_t)(uintptr_t)parameters.sinks,
                              sizeof work->sinks, error));
    accp_device_free(device, (uint64_t)(uintptr_t)parameters.sinks);
    return ACCP_STATUS_OK;
}

enum accp_status do_work(struct accp_device *device, const char *symbol, struct work *work,
                         struct accp_error *error)
{
    struct cubin cubin = cubin_for_hopper();
    struct accp_module *module;
    struct accp_device_kernel kernel;
    for (int i = 0; i < ACCP_INPUT_ROWS * ACCP_LANES; ++i)
        work->input[i] = 0.001f * (float)(i % 97 + 1);
    ACCP_TRY(accp_device_load(device, &cubin, sizeof cubin, &module, error));
    ACCP_TRY(accp_device_kernel(device, module, symbol, &kernel, error));
    ACCP_TRY(launch_and_read(device, &kernel, work, error));
    accp_device_unload(device, module);
    return ACCP_STATUS_OK;
}

enum accp_status open_and_work(const char *symbol, struct work *work, struct accp_error *error)
{
    struct accp_device *device;
    ACCP_TRY(accp_device_open(0, &device, error));
    enum accp_status status = do_work(device, symbol, work, error);
    struct accp_run_device facts = {0};
    accp_device_facts(device, &facts);
    accp_device_observe(device, &facts);
    accp_device_close(device);
    return status;
}
