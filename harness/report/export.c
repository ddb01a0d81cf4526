#include "report/export.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name, *what;
    enum accp_status (*write)(const struct accp_exporting *exporting, struct accp_error *error);
} table[] = {
#define EXPORT(id, name, what) {name, what, accp_export_##id},
#include "report/exports.def"
};

int accp_export_find(const char *name)
{
    for (int i = 0; i < ACCP_EXPORT_COUNT; ++i)
        if (strcmp(table[i].name, name) == 0) return i;
    return -1;
}

const char *accp_export_name(enum accp_export id)
{
    return table[id].name;
}

const char *accp_export_what(enum accp_export id)
{
    return table[id].what;
}

bool accp_export_interval(const struct accp_exporting *exporting, const struct accp_point *point,
                          double *low, double *high)
{
    const struct accp_judgement *judgement = exporting->report->judgement;
    char claim[ACCP_CLAIM_BYTES];
    snprintf(claim, sizeof claim, "%s.level@%d", point->role, point->warps);
    for (size_t i = 0; i < judgement->line_count; ++i) {
        const struct accp_line *line = &judgement->lines[i];
        if (strcmp(line->claim, claim) != 0) continue;
        if (isnan(line->change) || isnan(line->change_low) || isnan(line->change_high))
            return false;
        double golden = line->value / (1 + line->change);
        *low = golden * (1 + line->change_low);
        *high = golden * (1 + line->change_high);
        return true;
    }
    return false;
}

double accp_export_part_of(const struct accp_exporting *exporting, const struct accp_point *point,
                           const struct accp_export_part *part, size_t process)
{
    const struct accp_run_mix *mix =
        accp_run_find_mix(&exporting->summary.runs[process], point->role, point->warps);
    const size_t count = !mix ? 0 : part->is_beside ? mix->beside_count : mix->by_warp_count;
    for (size_t i = 0; i < count; ++i) {
        const struct accp_run_part *found = part->is_beside ? &mix->beside[i] : &mix->by_warp[i];
        if (found->key == part->key) return found->mean;
    }
    return 0;
}

static bool fill_part(const struct accp_exporting *exporting, const struct accp_point *point,
                      struct accp_export_part *part)
{
    size_t count = 0;
    part->mean = 0;
    for (size_t i = 0; i < exporting->summary.run_count; ++i) {
        const double mean = accp_export_part_of(exporting, point, part, i);
        part->mean += mean;
        count += mean > 0;
    }
    if (count == 0) return false;
    part->mean /= (double)count;
    snprintf(part->name, sizeof part->name, "%s%d", part->is_beside ? "beside-acc" : "warp",
             part->key);
    return true;
}

bool accp_export_next_part(const struct accp_exporting *exporting, const struct accp_point *point,
                           struct accp_export_part *part)
{
    bool is_mixed = false;
    for (size_t i = 0; i < exporting->summary.run_count && !is_mixed; ++i)
        is_mixed = accp_run_find_mix(&exporting->summary.runs[i], point->role, point->warps);
    if (!is_mixed) return false; /* as nearly all are: no key is looked for */
    if (part->name[0]) ++part->key;
    for (; !part->is_beside && part->key < ACCP_RUN_WARPS; ++part->key)
        if (fill_part(exporting, point, part)) return true;
    if (!part->is_beside) *part = (struct accp_export_part){.is_beside = true};
    for (; part->key <= ACCP_RUN_ACC_MAX; ++part->key)
        if (fill_part(exporting, point, part)) return true;
    return false;
}

void accp_export_parts(const struct accp_exporting *exporting, const char *role, int warps,
                       char text[ACCP_EXPORT_PARTS_BYTES])
{
    const struct accp_point *point = accp_summary_find(&exporting->summary, role, warps);
    struct accp_export_part part = {0};
    size_t used = 0;
    text[0] = 0;
    while (point && used < ACCP_EXPORT_PARTS_BYTES &&
           accp_export_next_part(exporting, point, &part))
        used += (size_t)snprintf(text + used, ACCP_EXPORT_PARTS_BYTES - used, "%s %s %.6g",
                                 used > 0 ? "" : ";", part.name, part.mean);
}

enum accp_status accp_export_write(enum accp_export id, const struct accp_report *report,
                                   FILE *stream, struct accp_error *error)
{
    struct accp_exporting exporting = {.report = report, .stream = stream};
    ACCP_TRY(accp_summary_init(&exporting.summary, report->runs, report->run_count, error));
    enum accp_status status = table[id].write(&exporting, error);
    accp_summary_fini(&exporting.summary);
    return status;
}
