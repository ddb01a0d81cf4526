#include "cli/output.h"
#include "cli/policy_bandwidth.h"
#include "cli/policy_judging.h"
#include "cli/policy_kernels.h"
#include "cli/policy_print.h"
#include "cli/select.h"
#include "cli/verbs.h"
#include "golden/summary.h"
#include "policy/judge.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char how_to_measure[] =
    "measure on the GPU: accprobe measure --protocol occupancy --filter "
    "'^optimal[.]|[.]carried$' --out RUN.json, then accprobe policy RUN.json; or predict";

static enum accp_status add_run(struct accp_policy *policy, const char *file,
                                struct accp_error *error)
{
    struct accp_run run;
    ACCP_TRY(accp_run_read(file, &run, error));
    const enum accp_status status = accp_policy_add(policy, file, &run, error);
    accp_run_fini(&run);
    return status;
}

static int is_run(const struct dirent *entry)
{
    const char *end = strstr(entry->d_name, ".run.json");
    return end && strcmp(end, ".run.json") == 0;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void free_entries(struct dirent **entries, int count)
{
    for (int i = 0; i < count; ++i)
        free(entries[i]);
    if (count >= 0) free(entries);
}

/* Every run of measured/<gpu>/occupancy; *count: how many there are. */
static enum accp_status add_folder(struct accp_policy *policy, const char *golden, const char *gpu,
                                   int *count, struct accp_error *error)
{
    char folder[PATH_MAX], file[PATH_MAX];
    struct dirent **entries;
    enum accp_status status = ACCP_STATUS_OK;
    const int length = snprintf(folder, sizeof folder, "%s/measured/%s/occupancy", golden, gpu);
    *count = length < PATH_MAX ? scandir(folder, &entries, is_run, versionsort) : -1;
    for (int i = 0; i < *count && policy && status == ACCP_STATUS_OK; ++i) {
        if (snprintf(file, sizeof file, "%s/%s", folder, entries[i]->d_name) < PATH_MAX)
            status = add_run(policy, file, error);
    }
    if (*count >= 0) free_entries(entries, *count);
    if (*count < 0) *count = 0;
    return status;
}

/* The GPUs that have runs: their names one after another, and how many. */
static int list_gpus(const char *golden, char *names, size_t names_bytes, char *only)
{
    char folder[PATH_MAX];
    struct dirent **entries;
    int found = 0;
    names[0] = 0;
    if (snprintf(folder, sizeof folder, "%s/measured", golden) >= PATH_MAX) return 0;
    const int count = scandir(folder, &entries, is_visible, versionsort);
    for (int i = 0; i < count; ++i) {
        int runs = 0;
        add_folder(NULL, golden, entries[i]->d_name, &runs, NULL);
        if (runs == 0) continue;
        const size_t used = strlen(names);
        snprintf(names + used, names_bytes - used, "%s%s", found ? ", " : "", entries[i]->d_name);
        snprintf(only, NAME_MAX + 1, "%s", entries[i]->d_name);
        ++found;
    }
    free_entries(entries, count);
    return found;
}

/* The recorded runs of --gpu, or of the only GPU that has some; never a guess. */
static enum accp_status add_recorded(const struct accp_options *options, struct accp_policy *policy,
                                     struct accp_error *error)
{
    char golden[PATH_MAX], names[256], only[NAME_MAX + 1] = "";
    int runs = 0;
    ACCP_TRY(accp_golden_folder(options, golden, error));
    const int gpus = list_gpus(golden, names, sizeof names, only);
    if (options->gpu && strchr(options->gpu, '/'))
        return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                         "--gpu %.60s: must be a folder of golden/measured; there are: %s",
                         options->gpu, names);
    if (!options->gpu && gpus > 1)
        return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                         "several GPUs have runs: choose one with --gpu: %s", names);
    const char *gpu = options->gpu ? options->gpu : only;
    if (gpu[0]) ACCP_TRY(add_folder(policy, golden, gpu, &runs, error));
    if (runs > 0) return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_INPUT, gpu[0] ? gpu : "policy", -1,
                     "no run of %s is recorded (there are: %s); %s", gpu[0] ? "it" : "any GPU",
                     names[0] ? names : "none", how_to_measure);
}

/* The runs that were named, each another session: what they differ by is the noise of the answers. */
static enum accp_status add_named(const struct accp_options *options, struct accp_policy *policy,
                                  struct accp_error *error)
{
    const size_t count = (size_t)options->operand_count;
    size_t read = 0;
    enum accp_status status = ACCP_STATUS_OK;
    struct accp_run *runs = calloc(count, sizeof *runs);
    if (!runs) return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for the runs");
    while (read < count && status == ACCP_STATUS_OK) {
        status = accp_run_read(options->operands[read], &runs[read], error);
        if (status == ACCP_STATUS_OK)
            status = accp_policy_add(policy, options->operands[read], &runs[read], error);
        ++read;
    }
    if (status == ACCP_STATUS_OK) status = accp_summary_seeds(runs, count, error);
    while (read > 0)
        accp_run_fini(&runs[--read]);
    free(runs);
    return status;
}

static enum accp_status gather(const struct accp_options *options, struct accp_policy *policy,
                               struct accp_error *error)
{
    if (options->operand_count == 0) return add_recorded(options, policy, error);
    if (options->gpu)
        return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                         "--gpu names recorded runs: give it, or runs, not both");
    if (options->golden)
        return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                         "--golden is where recorded runs are: give it, or runs, not both");
    return add_named(options, policy, error);
}

static enum accp_status judge(const struct accp_options *options, const struct accp_policy *policy,
                              double bandwidth, FILE *stream, struct accp_error *error)
{
    const struct accp_policy_source source = {.chains = policy, .bandwidth = bandwidth};
    struct accp_policy_judging judging;
    struct accp_policy_regret *regrets;
    size_t count;
    ACCP_TRY(accp_policy_judging_read(options->against, &judging, error));
    enum accp_status status =
        accp_policy_judging_regrets(&judging, &source, options->against, &regrets, &count, error);
    accp_policy_judging_fini(&judging);
    if (status != ACCP_STATUS_OK) return status;
    status = accp_policy_judgement_print(policy, options->against, regrets, count, options->shape,
                                         stream, error);
    free(regrets);
    return status;
}

static enum accp_status print_header(const struct accp_policy *policy,
                                     const struct accp_policy_conditions *conditions, FILE *stream,
                                     struct accp_error *error)
{
    char *text;
    ACCP_TRY(accp_policy_header(policy, conditions, &text, error));
    fputs(text, stream);
    free(text);
    return ACCP_STATUS_OK;
}

/* What speaks of every chain and load takes none of them, and a header no form but its own. */
static enum accp_status check_whole(const struct accp_options *options,
                                    const struct accp_policy_conditions *conditions,
                                    struct accp_error *error)
{
    if (conditions->waits >= 0)
        return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                         "--given waits: goes with --cubin; chains alone wait for no memory");
    if (options->header && conditions->registers_left >= 0)
        return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                         "--given registers-left: is the header's third argument: leave it out");

    const char *whole = options->header    ? "--header: is C, of every chain and load"
                        : options->against ? "--against: judges every chain and load"
                                           : NULL;
    const char *given = options->chain >= 0   ? "--chain"
                        : options->warps >= 0 ? "--warps"
                        : !options->header    ? NULL
                        : options->against    ? "--against"
                        : options->format     ? "--format"
                                              : NULL;
    if (!whole || !given) return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1, "%s: leave %s out", whole, given);
}

/* Loads of a table that fit; of those that do not, the head says so. */
static size_t fitting(const struct accp_policy *policy,
                      const struct accp_policy_conditions *conditions,
                      const struct accp_policy_values *loads)
{
    const int highest = accp_policy_highest_load(policy, conditions);
    size_t count = 0;
    while (count < loads->count && loads->values[count] <= highest)
        ++count;
    return count;
}

static enum accp_status answer(const struct accp_options *options, const struct accp_policy *policy,
                               const struct accp_policy_conditions *conditions, FILE *stream,
                               struct accp_error *error)
{
    const int chain = (int)options->chain, load = (int)options->warps;
    const enum accp_policy_sink sink = accp_policy_bounding_sink(conditions->iterations);
    struct accp_policy_request request = {
        .chains = policy->chains[sink].values,
        .loads = policy->loads[sink].values,
        .chain_count = policy->chains[sink].count,
        .load_count = fitting(policy, conditions, &policy->loads[sink]),
        .conditions = *conditions,
    };
    if (options->warps < 0 && request.load_count < policy->loads[sink].count)
        request.fits = accp_policy_highest_load(policy, conditions);
    if (options->chain >= 0) {
        request.chains = &chain;
        request.chain_count = 1;
    }
    if (options->warps >= 0) {
        request.loads = &load;
        request.load_count = 1;
    }
    if (request.chain_count == 0) { /* ask says what the runs lack */
        struct accp_policy_answer none;
        return accp_policy_ask(policy, conditions, &none, error);
    }
    ACCP_TRY(check_whole(options, conditions, error));
    if (options->against) return judge(options, policy, conditions->bandwidth, stream, error);
    if (options->header) return print_header(policy, conditions, stream, error);
    return accp_policy_print(policy, &request, options->shape, stream, error);
}

static enum accp_status check_filter(const struct accp_options *options, struct accp_error *error)
{
    if (!options->filter || options->cubin) return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                     "--filter chooses kernels: it goes with --cubin");
}

/* A judgement takes the other conditions from the cells of its run. */
static enum accp_status check_against(const struct accp_options *options,
                                      const struct accp_policy_conditions *conditions,
                                      struct accp_error *error)
{
    struct accp_policy_conditions rest = *conditions, none;
    char given[ACCP_POLICY_TEXT_BYTES];
    accp_policy_conditions_init(&none);
    rest.waits = none.waits;
    rest.bandwidth = none.bandwidth;
    accp_policy_conditions_text(&rest, given, sizeof given);
    if (!options->against || strcmp(given, "nothing") == 0) return ACCP_STATUS_OK;
    return accp_fail(
        error, ACCP_STATUS_USAGE, NULL, -1,
        "--given %.80s: with --against the run's cells say that: leave it out (waits and "
        "bandwidth may be given)",
        given);
}

int accp_verb_policy(const struct accp_options *options)
{
    struct accp_error error;
    struct accp_policy policy = {0};
    struct accp_policy_conditions conditions;
    struct accp_output output;
    accp_policy_conditions_init(&conditions);
    enum accp_status status = ACCP_STATUS_OK;
    if (options->given) status = accp_policy_conditions_read(options->given, &conditions, &error);
    if (status == ACCP_STATUS_OK && !options->cubin) status = gather(options, &policy, &error);
    if (status == ACCP_STATUS_OK) status = check_filter(options, &error);
    if (status == ACCP_STATUS_OK) status = check_against(options, &conditions, &error);
    if (status == ACCP_STATUS_OK && !options->cubin && !options->against)
        status =
            accp_policy_bandwidth(options, policy.device.arch, &policy.device, &conditions, &error);
    if (status == ACCP_STATUS_OK) status = accp_output_open(&output, options->out, &error);
    if (status == ACCP_STATUS_OK) {
        status = options->cubin
                     ? accp_policy_of_kernels(options, &conditions, output.stream, &error)
                     : answer(options, &policy, &conditions, output.stream, &error);
        status = accp_output_close(&output, status, &error);
    }
    accp_policy_fini(&policy);
    return status == ACCP_STATUS_OK ? ACCP_EXIT_PASS : accp_exit_error(&error);
}
