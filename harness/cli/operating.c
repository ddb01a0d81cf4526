/* `accprobe measure --probe ops`: operators, not chains, so it shares the device and the run file
 * with accp_measuring, and nothing of its protocols. */
#include "base/watchdog.h"
#include "cli/measuring.h"
#include "cli/select.h"
#include "cli/verbs.h"
#include "operators.h"
#include "ops/ops.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 7, SKEW_CYCLES = 1024, LENGTH_MOST = 100000 };

/* --length: the lengths that are asked for instead of operators.def's. */
struct lengths {
    int count, values[ACCP_OPS_LENGTHS];
};

static bool wants(const void *context, const char *role)
{
    return accp_pattern_matches(context, role);
}

static enum accp_status read_lengths(const char *text, struct lengths *lengths,
                                     struct accp_error *error)
{
    const char *at = text;
    lengths->count = 0;
    while (at) {
        char *end;
        const long value = isdigit((unsigned char)*at) ? strtol(at, &end, 10) : 0;
        if (value < 1 || value > LENGTH_MOST || (*end && *end != ','))
            return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                             "--length %.40s: must be whole numbers from 1 to %d, with commas",
                             text, LENGTH_MOST);
        for (int i = 0; i < lengths->count; ++i)
            if (lengths->values[i] == value)
                return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                                 "--length %.40s: holds %ld twice: give it once", text, value);
        if (lengths->count == ACCP_OPS_LENGTHS)
            return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                             "--length %.40s: more than %d lengths: measure by parts", text,
                             ACCP_OPS_LENGTHS);
        lengths->values[lengths->count++] = (int)value;
        at = *end ? end + 1 : NULL;
    }
    return ACCP_STATUS_OK;
}

/* Bad input is that with or without a GPU. */
static enum accp_status check_filter(const struct accp_options *options,
                                     const struct accp_pattern *filter,
                                     const struct lengths *wanted, struct accp_error *error)
{
    char name[ACCP_NAME_BYTES];
    int lengths[ACCP_OPS_LENGTHS];
    for (int i = 0; i < ACCP_OPERATOR_KERNEL_COUNT; ++i)
        for (int size = 0; size < ACCP_OPERATOR_SIZE_COUNT; ++size) {
            const struct accp_operator_kernel *kernel = &accp_operator_kernels[i];
            const int count = accp_ops_lengths(kernel->op, wanted->values, wanted->count, lengths);
            for (int length = 0; length < count; ++length) {
                accp_ops_name(kernel, &accp_operator_sizes[size], lengths[length], name);
                if (accp_pattern_matches(filter, name)) return ACCP_STATUS_OK;
            }
        }
    return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                     "--filter %.60s: matches no role of ops; they are called like "
                     "ops.dot.warp1.n61.acc4 (matrix/operators.def)",
                     options->filter);
}

static enum accp_status check_options(const struct accp_options *options, struct accp_error *error)
{
    const char *given = options->protocol    ? "protocol"
                        : options->warps > 0 ? "warps"
                        : options->kernel    ? "kernel"
                                             : NULL;
    if (!given) return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                     "--%s: the ops probe has none; its sizes stand in matrix/operator_sizes.def",
                     given);
}

static enum accp_status read_cubin(const struct accp_options *options, const char *arch, char *path,
                                   struct accp_bytes *bytes, struct accp_error *error)
{
    if (!options->cubin) return accp_cubin_read(arch, "ops", path, bytes, error);
    snprintf(path, PATH_MAX, "%s", options->cubin);
    return accp_file_read(path, 64u << 20, bytes, error);
}

static enum accp_status operate_on(const struct accp_options *options,
                                   const struct accp_pattern *filter, const struct lengths *lengths,
                                   struct accp_device *device, struct accp_run *run,
                                   struct accp_error *error)
{
    char path[PATH_MAX];
    struct accp_bytes bytes = {0};
    struct accp_cubin cubin = {0};
    enum accp_status status = read_cubin(options, accp_device_arch(device), path, &bytes, error);
    if (status == ACCP_STATUS_OK)
        status = accp_cubin_open(path, bytes.data, bytes.size, &cubin, error);
    if (status == ACCP_STATUS_OK) {
        const struct accp_ops_request request = {.cubin = bytes.data,
                                                 .cubin_bytes = bytes.size,
                                                 .wants = wants,
                                                 .context = filter,
                                                 .rounds = ROUNDS,
                                                 .skew_cycles = SKEW_CYCLES,
                                                 .lengths = lengths->values,
                                                 .length_count = lengths->count,
                                                 .seed = accp_measuring_seed(options)};
        accp_measuring_sign(run);
        accp_measuring_name_compiler(&cubin, &run->compiler);
        status = accp_ops_measure(device, &request, run, error);
    }
    accp_cubin_close(&cubin);
    accp_bytes_fini(&bytes);
    return status;
}

enum accp_status accp_operating(const struct accp_options *options, struct accp_run *run,
                                struct accp_error *error)
{
    struct accp_pattern filter;
    struct lengths lengths = {0};
    struct accp_device *device = NULL;
    ACCP_TRY(accp_measuring_check_device(options, error));
    ACCP_TRY(check_options(options, error));
    ACCP_TRY(read_lengths(options->length, &lengths, error));
    ACCP_TRY(accp_pattern_init(&filter, "filter", options->filter, error));
    enum accp_status status = check_filter(options, &filter, &lengths, error);
    accp_watchdog_watch(accp_timeout_s(), ACCP_EXIT_ENVIRONMENT);
    if (status == ACCP_STATUS_OK)
        status = accp_device_open(accp_measuring_device_index(options), &device, error);
    if (status == ACCP_STATUS_OK) {
        status = operate_on(options, &filter, &lengths, device, run, error);
        if (status != ACCP_STATUS_OK) accp_device_close(device);
    }
    accp_watchdog_rest();
    accp_pattern_fini(&filter);
    return status;
}
