#include "run/mix.h"

#include <stdlib.h>
#include <string.h>

enum accp_status accp_run_append_mix(struct accp_run *run, const struct accp_run_mix *mix,
                                     struct accp_error *error)
{
    /* Grows as accp_run_append does. */
    const size_t count = run->mix_count;
    if ((count & (count - 1)) == 0) {
        struct accp_run_mix *mixes =
            realloc(run->mixes, (count ? count * 2 : 1) * sizeof *run->mixes);
        if (!mixes) return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for a run");
        run->mixes = mixes;
    }
    run->mixes[run->mix_count++] = *mix;
    return ACCP_STATUS_OK;
}

const struct accp_run_mix *accp_run_find_mix(const struct accp_run *run, const char *role,
                                             int warps)
{
    for (size_t i = 0; i < run->mix_count; ++i)
        if (run->mixes[i].warps == warps && strcmp(run->mixes[i].role, role) == 0)
            return &run->mixes[i];
    return NULL;
}

/* One [key, mean, n]; `times`: how often a sample may stand in the parts. */
static enum accp_status read_part(const struct accp_json *parts, size_t index,
                                  const struct accp_cycles *cycles, uint64_t times, int low,
                                  int high, struct accp_run_part *part, struct accp_error *error)
{
    struct accp_json element;
    ACCP_TRY(accp_json_element(parts, index, JSON_ARRAY, &element, error));
    const json_t *key = json_array_get(element.value, 0), *mean = json_array_get(element.value, 1),
                 *n = json_array_get(element.value, 2);
    if (json_array_size(element.value) != 3 || !json_is_integer(key) || !json_is_number(mean) ||
        !json_is_integer(n))
        return accp_json_fail(&element, error, "must be [key, mean, n]");
    if (json_integer_value(key) < low || json_integer_value(key) > high)
        return accp_json_fail(&element, error, "has a key outside %d to %d that ascend", low, high);
    *part = (struct accp_run_part){(int)json_integer_value(key), (uint64_t)json_integer_value(n),
                                   json_number_value(mean)};
    if (json_integer_value(n) < 1 || part->n / times > cycles->n)
        return accp_json_fail(&element, error,
                              "has a number of samples that the role does not have");
    const double rounded = accp_run_round(part->mean), highest = accp_run_round(cycles->max);
    if (rounded >= accp_run_round(cycles->min) - ACCP_RUN_SLACK * highest &&
        rounded <= (1 + ACCP_RUN_SLACK) * highest)
        return ACCP_STATUS_OK;
    return accp_json_fail(&element, error, "has a mean outside of the role's min and max");
}

static enum accp_status read_parts(const struct accp_json *object, const char *member,
                                   const struct accp_cycles *cycles, uint64_t times, int low,
                                   int high, struct accp_run_part *parts, size_t most,
                                   size_t *count, struct accp_error *error)
{
    struct accp_json array;
    ACCP_TRY(accp_json_member(object, member, JSON_ARRAY, &array, error));
    *count = json_array_size(array.value);
    if (*count > most)
        return accp_json_fail(&array, error, "has %zu entries, at most %zu fit", *count, most);
    for (size_t i = 0; i < *count; ++i) {
        ACCP_TRY(read_part(&array, i, cycles, times, low, high, &parts[i], error));
        low = parts[i].key + 1;
    }
    return ACCP_STATUS_OK;
}

enum accp_status accp_mix_read(const struct accp_json *object, const struct accp_run_role *role,
                               struct accp_run *run, struct accp_error *error)
{
    if (!accp_json_has(object, "by_warp") && !accp_json_has(object, "beside"))
        return ACCP_STATUS_OK;
    struct accp_run_mix mix = {.warps = role->warps};
    uint64_t samples = 0;
    memcpy(mix.role, role->role, sizeof mix.role);
    ACCP_TRY(read_parts(object, "by_warp", &role->cycles, 1, 0, role->warps - 1, mix.by_warp,
                        ACCP_RUN_WARPS, &mix.by_warp_count, error));
    ACCP_TRY(read_parts(object, "beside", &role->cycles, (uint64_t)role->warps, 1, ACCP_RUN_ACC_MAX,
                        mix.beside, ACCP_RUN_BESIDE, &mix.beside_count, error));
    for (size_t i = 0; i < mix.by_warp_count; ++i) /* each is at most cycles.n, and none wraps */
        samples += samples > role->cycles.n ? 0 : mix.by_warp[i].n;
    if (samples != role->cycles.n)
        return accp_json_fail(object, error, "by_warp holds %llu samples, cycles %llu",
                              (unsigned long long)samples, (unsigned long long)role->cycles.n);
    return accp_run_append_mix(run, &mix, error);
}

static json_t *parts_json(const struct accp_run_part *parts, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; ++i) {
        json_t *part = json_array();
        json_array_append_new(part, json_integer(parts[i].key));
        json_array_append_new(part, accp_run_rounded(parts[i].mean));
        json_array_append_new(part, json_integer((json_int_t)parts[i].n));
        json_array_append_new(array, part);
    }
    return array;
}

void accp_mix_write(json_t *object, const struct accp_run_mix *mix)
{
    json_object_set_new(object, "by_warp", parts_json(mix->by_warp, mix->by_warp_count));
    json_object_set_new(object, "beside", parts_json(mix->beside, mix->beside_count));
}
