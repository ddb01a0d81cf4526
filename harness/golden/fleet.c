#include "golden/fleet.h"

#include "base/plural.h"
#include "golden/environment.h"
#include "golden/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a normal distribution, the median absolute deviation over its standard deviation. */
static const double mad_of_normal = 0.6745;

struct accp_run *accp_fleet_kept_runs(const struct accp_fleet *fleet,
                                      const struct accp_fleet_model *model, size_t *count)
{
    struct accp_run *kept = calloc(fleet->run_count + 1, sizeof *kept);
    *count = 0;
    for (size_t i = 0; kept && i < fleet->run_count; ++i)
        for (size_t k = 0; k < model->gpu_count; ++k)
            if (fleet->owners[i] == &model->gpus[k] && !model->gpus[k].kept_out)
                kept[(*count)++] = fleet->runs[i];
    return kept;
}

static void keep_out(struct accp_fleet_model *model, struct accp_fleet_gpu *gpu, const char *reason)
{
    if (gpu->kept_out) return;
    gpu->kept_out = true;
    --model->kept;
    snprintf(gpu->reason, sizeof gpu->reason, "%s", reason);
}

static enum accp_status check_run(const struct accp_run *run, size_t index,
                                  struct accp_error *error)
{
    struct accp_sku sku = accp_sku_of(run);
    if (run->source != ACCP_SOURCE_MEASURED)
        return accp_fail(error, ACCP_STATUS_REFUSED, NULL, (int64_t)index,
                         "run %zu is %s: a fleet is measured", index + 1,
                         accp_source_text(run->source));
    if (!run->device.uuid_hash[0] || !accp_sku_same(&sku, &sku))
        return accp_fail(error, ACCP_STATUS_REFUSED, NULL, (int64_t)index,
                         "run %zu does not say which GPU it was (uuid_hash, SM count, memory, PCI "
                         "device)",
                         index + 1);
    return ACCP_STATUS_OK;
}

static struct accp_fleet_model *find_model(struct accp_fleet *fleet, const struct accp_run *run)
{
    struct accp_sku sku = accp_sku_of(run);
    for (size_t i = 0; i < fleet->model_count; ++i)
        if (accp_sku_same(&fleet->models[i].sku, &sku)) return &fleet->models[i];
    struct accp_fleet_model *model = &fleet->models[fleet->model_count++];
    model->sku = sku;
    accp_sku_name(&sku, model->name);
    return model;
}

static enum accp_status add_run(struct accp_fleet *fleet, size_t index, struct accp_error *error)
{
    const struct accp_run *run = &fleet->runs[index];
    struct accp_fleet_model *model = find_model(fleet, run);
    if (!model->gpus) model->gpus = calloc(fleet->run_count, sizeof *model->gpus);
    if (!model->gpus)
        return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for a fleet");
    for (size_t i = 0; i < model->gpu_count; ++i) {
        if (strcmp(model->gpus[i].uuid_hash, run->device.uuid_hash) != 0) continue;
        ++model->gpus[i].count;
        fleet->owners[index] = &model->gpus[i];
        return ACCP_STATUS_OK;
    }
    struct accp_fleet_gpu *gpu = &model->gpus[model->gpu_count++];
    snprintf(gpu->uuid_hash, sizeof gpu->uuid_hash, "%s", run->device.uuid_hash);
    gpu->first = index;
    gpu->count = 1;
    fleet->owners[index] = gpu;
    ++model->kept;
    return ACCP_STATUS_OK;
}

static void keep_out_troubled(const struct accp_fleet *fleet, struct accp_fleet_model *model,
                              struct accp_fleet_gpu *gpu)
{
    for (size_t i = gpu->first; i < fleet->run_count && !gpu->kept_out; ++i) {
        char text[ACCP_TEXT_BYTES], reason[ACCP_FLEET_TEXT_BYTES];
        if (fleet->owners[i] != gpu) continue;
        enum accp_trouble trouble = accp_environment_check(&fleet->runs[i], text, sizeof text);
        if (trouble == ACCP_TROUBLE_NONE) continue;
        snprintf(reason, sizeof reason, "%s (%s)", accp_trouble_text(trouble), text);
        keep_out(model, gpu, reason);
    }
}

static void protocol_text(const struct accp_run_protocol *protocol, char text[ACCP_TEXT_BYTES])
{
    snprintf(text, ACCP_TEXT_BYTES, "%s, %d launches of %d cycles, skew %d, warm-up %d",
             protocol->name, protocol->launches, protocol->budget_cycles, protocol->skew_cycles,
             protocol->warmup_cycles);
}

/* What runs must share to be one measurement. Returns the first term in which `own` differs, with both values; NULL: in
 * none. */
static const char *other_term(const struct accp_run *own, const struct accp_run *terms,
                              char ours[ACCP_TEXT_BYTES], char theirs[ACCP_TEXT_BYTES])
{
    const struct {
        const char *name, *own, *most;
    } facts[] = {{"driver", own->device.driver, terms->device.driver},
                 {"compiler", own->compiler.version, terms->compiler.version},
                 {"set of compiler flags", own->compiler.flags, terms->compiler.flags}};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; ++i) {
        if (strcmp(facts[i].own, facts[i].most) == 0) continue;
        snprintf(ours, ACCP_TEXT_BYTES, "%s", facts[i].own);
        snprintf(theirs, ACCP_TEXT_BYTES, "%s", facts[i].most);
        return facts[i].name;
    }
    if (accp_protocol_same(&own->protocol, &terms->protocol)) return NULL;
    protocol_text(&own->protocol, ours);
    protocol_text(&terms->protocol, theirs);
    return "protocol";
}

/* The first run of a GPU that is not on the terms of `run`; NULL: all are. */
static const struct accp_run *run_on_other_terms(const struct accp_fleet *fleet,
                                                 const struct accp_fleet_gpu *gpu,
                                                 const struct accp_run *run)
{
    char ours[ACCP_TEXT_BYTES], theirs[ACCP_TEXT_BYTES];
    for (size_t i = gpu->first; i < fleet->run_count; ++i)
        if (fleet->owners[i] == gpu && other_term(&fleet->runs[i], run, ours, theirs))
            return &fleet->runs[i];
    return NULL;
}

/* Keeps the GPUs on the terms that most have; of equally many, on those that came first. */
static void keep_out_other_terms(const struct accp_fleet *fleet, struct accp_fleet_model *model)
{
    size_t most = 0;
    const struct accp_run *terms = NULL;
    for (size_t i = 0; i < model->gpu_count; ++i) {
        size_t sharing = 0;
        for (size_t k = 0; k < model->gpu_count && !model->gpus[i].kept_out; ++k)
            sharing +=
                !model->gpus[k].kept_out &&
                !run_on_other_terms(fleet, &model->gpus[k], &fleet->runs[model->gpus[i].first]);
        if (sharing <= most) continue;
        most = sharing;
        terms = &fleet->runs[model->gpus[i].first];
    }
    for (size_t i = 0; terms && i < model->gpu_count; ++i) {
        char reason[ACCP_FLEET_TEXT_BYTES], ours[ACCP_TEXT_BYTES], theirs[ACCP_TEXT_BYTES];
        const struct accp_run *own = run_on_other_terms(fleet, &model->gpus[i], terms);
        if (!own) continue;
        const char *term = other_term(own, terms, ours, theirs);
        snprintf(reason, sizeof reason, "another %s than most: %.80s; most have %.80s", term, ours,
                 theirs);
        keep_out(model, &model->gpus[i], reason);
    }
}

/* The mean of a role over a GPU's runs, in cycles; NaN where none timed it. */
static double mean_of(const struct accp_fleet *fleet, const struct accp_fleet_gpu *gpu,
                      const struct accp_run_role *role)
{
    double sum = 0;
    size_t timed = 0;
    for (size_t i = gpu->first; i < fleet->run_count; ++i) {
        if (fleet->owners[i] != gpu) continue;
        const struct accp_run_role *here = accp_run_find(&fleet->runs[i], role->role, role->warps);
        if (!here || here->cycles.n == 0) continue;
        sum += here->cycles.mean;
        ++timed;
    }
    return timed ? sum / (double)timed : NAN;
}

static int compare_numbers(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Sorts `values` on the way. */
static double median_of(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_numbers);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* One role over the GPUs of a model. `means` is one of each GPU, `work` as long. */
struct comparison {
    double *means, *work;
    double *worst; /* of each GPU, the largest relative deviation so far that is too large */
    char (*where)[ACCP_FLEET_TEXT_BYTES];
};

static void compare_role(struct accp_fleet_model *model, const struct accp_run_role *role,
                         struct comparison *comparison)
{
    size_t timed = 0;
    for (size_t i = 0; i < model->gpu_count; ++i)
        if (!isnan(comparison->means[i])) comparison->work[timed++] = comparison->means[i];
    if (timed < 2) return;
    double median = median_of(comparison->work, timed);
    for (size_t i = 0; i < timed; ++i)
        comparison->work[i] = fabs(comparison->work[i] - median);
    double deviation = median_of(comparison->work, timed);
    if (deviation > ACCP_LEVEL_TOLERANCE_LEAST * median && !model->refusal[0])
        snprintf(
            model->refusal, sizeof model->refusal,
            "the GPUs do not agree on %.120s at %d warp%s: half of %zu are further than %.2f %% "
            "from their median",
            role->role, role->warps, ACCP_PLURAL(role->warps, "s"), timed,
            100 * deviation / median);
    double limit = fmax(ACCP_LEVEL_TOLERANCE_LEAST * median,
                        ACCP_FLEET_SCORE_LIMIT * deviation / mad_of_normal);
    for (size_t i = 0; i < model->gpu_count; ++i) {
        double off = comparison->means[i] - median;
        if (isnan(off) || fabs(off) <= limit || fabs(off / median) <= comparison->worst[i])
            continue;
        comparison->worst[i] = fabs(off / median);
        snprintf(
            comparison->where[i], sizeof comparison->where[i],
            "stands apart: %.120s at %d warp%s takes %.6g cycles, %+.2f %% of the median of %zu "
            "GPUs",
            role->role, role->warps, ACCP_PLURAL(role->warps, "s"), comparison->means[i],
            100 * off / median, timed);
    }
}

/* Every role that a kept GPU's first run holds; others are held by few, and record asks for all. */
static void compare_roles(const struct accp_fleet *fleet, struct accp_fleet_model *model,
                          struct comparison *comparison)
{
    const struct accp_run *first = NULL;
    for (size_t i = 0; i < model->gpu_count && !first; ++i)
        if (!model->gpus[i].kept_out) first = &fleet->runs[model->gpus[i].first];
    for (size_t role = 0; first && role < first->role_count; ++role) {
        for (size_t i = 0; i < model->gpu_count; ++i)
            comparison->means[i] = model->gpus[i].kept_out
                                       ? NAN
                                       : mean_of(fleet, &model->gpus[i], &first->roles[role]);
        compare_role(model, &first->roles[role], comparison);
    }
    for (size_t i = 0; i < model->gpu_count; ++i)
        if (comparison->worst[i] > 0) keep_out(model, &model->gpus[i], comparison->where[i]);
}

static enum accp_status keep_out_outliers(const struct accp_fleet *fleet,
                                          struct accp_fleet_model *model, struct accp_error *error)
{
    struct comparison comparison = {
        .means = calloc(model->gpu_count, sizeof *comparison.means),
        .work = calloc(model->gpu_count, sizeof *comparison.work),
        .worst = calloc(model->gpu_count, sizeof *comparison.worst),
        .where = calloc(model->gpu_count, sizeof *comparison.where),
    };
    bool there = comparison.means && comparison.work && comparison.worst && comparison.where;
    if (there) compare_roles(fleet, model, &comparison);
    free(comparison.means);
    free(comparison.work);
    free(comparison.worst);
    free(comparison.where);
    return there ? ACCP_STATUS_OK
                 : accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for a fleet");
}

static enum accp_status judge_model(const struct accp_fleet *fleet, struct accp_fleet_model *model,
                                    struct accp_error *error)
{
    for (size_t i = 0; i < model->gpu_count; ++i)
        keep_out_troubled(fleet, model, &model->gpus[i]);
    keep_out_other_terms(fleet, model);
    size_t comparable = model->kept;
    ACCP_TRY(keep_out_outliers(fleet, model, error));
    if (comparable == 0)
        snprintf(model->refusal, sizeof model->refusal,
                 "no GPU of %zu was in a state to be measured", model->gpu_count);
    else if (2 * model->kept <= comparable && !model->refusal[0])
        snprintf(model->refusal, sizeof model->refusal,
                 "%zu of %zu GPUs agree, and more than half must: what is normal is not known",
                 model->kept, comparable);
    return ACCP_STATUS_OK;
}

enum accp_status accp_fleet_init(const struct accp_run *runs, size_t count,
                                 struct accp_fleet *fleet, struct accp_error *error)
{
    memset(fleet, 0, sizeof *fleet);
    for (size_t i = 0; i < count; ++i)
        ACCP_TRY(check_run(&runs[i], i, error));
    fleet->runs = runs;
    fleet->run_count = count;
    fleet->models = calloc(count, sizeof *fleet->models);
    fleet->owners = calloc(count, sizeof *fleet->owners);
    enum accp_status status = ACCP_STATUS_OK;
    if (!fleet->models || !fleet->owners)
        status = accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for a fleet");
    for (size_t i = 0; i < count && status == ACCP_STATUS_OK; ++i)
        status = add_run(fleet, i, error);
    for (size_t i = 0; i < fleet->model_count && status == ACCP_STATUS_OK; ++i)
        status = judge_model(fleet, &fleet->models[i], error);
    if (status != ACCP_STATUS_OK) accp_fleet_fini(fleet);
    return status;
}

void accp_fleet_fini(struct accp_fleet *fleet)
{
    for (size_t i = 0; i < fleet->model_count; ++i)
        free(fleet->models[i].gpus);
    free(fleet->models);
    free(fleet->owners);
    memset(fleet, 0, sizeof *fleet);
}
