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

enum accp_status accp_export_write(enum accp_export id, const struct accp_report *report,
                                   FILE *stream, struct accp_error *error)
{
    struct accp_exporting exporting = {.report = report, .stream = stream};
    ACCP_TRY(accp_summary_init(&exporting.summary, report->runs, report->run_count, error));
    enum accp_status status = table[id].write(&exporting, error);
    accp_summary_fini(&exporting.summary);
    return status;
}
