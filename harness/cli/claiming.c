#include "cli/claiming.h"

#include "base/file.h"
#include "cli/select.h"
#include "golden/laws.h"
#include "verdict/document.h"

#include <stdio.h>
#include <string.h>

static bool names(const struct accp_pattern *pattern, const char *subject, const char *kind,
                  int warps)
{
    char claim[ACCP_CLAIM_BYTES], at[16] = "";
    if (warps > 0) snprintf(at, sizeof at, "@%d", warps);
    snprintf(claim, sizeof claim, "%s.%s%s", subject, kind, at);
    return accp_pattern_matches(pattern, claim);
}

/* Claims of a role, and those that it may share with others, at one load. */
static bool matches_at(const struct accp_pattern *pattern, const struct accp_role *role, int warps)
{
    char series[ACCP_NAME_BYTES], family[ACCP_NAME_BYTES];
    accp_series_name(role->name, series);
    accp_family_name(role->name, family);
    for (int law = 0; law < ACCP_LAW_COUNT; ++law)
        if (names(pattern, role->name, accp_law_name((enum accp_law)law), warps)) return true;
    return names(pattern, role->name, "level", warps) || names(pattern, series, "order", warps) ||
           names(pattern, series, "peak", warps) || names(pattern, family, "gap_growth", warps);
}

static bool matches_role(const struct accp_pattern *pattern, const struct accp_role *role)
{
    for (size_t i = 0; i < ACCP_PROTOCOL_COUNT; ++i)
        if (strcmp(accp_protocols[i].name, "gate") == 0 &&
            matches_at(pattern, role, accp_protocols[i].warps))
            return true;
    return names(pattern, role->name, "structure", 0) || names(pattern, role->name, "shape", 0) ||
           names(pattern, accp_probe_names[role->probe], "coverage", 0);
}

/* A document that cannot be read is for the verdict to say, if it comes to it. */
static bool matches_document(const struct accp_pattern *pattern, const char *folder,
                             const char *probe)
{
    char path[PATH_MAX];
    bool found = false;
    struct accp_document document;
    const int length = snprintf(path, sizeof path, "%s/document/%s.json", folder, probe);
    if (length < 0 || (size_t)length >= sizeof path || accp_file_is_missing(path)) return false;
    if (accp_document_read(path, &document, NULL) != ACCP_STATUS_OK) return true;
    for (size_t i = 0; i < document.statement_count && !found; ++i) {
        char claim[ACCP_CLAIM_BYTES];
        accp_document_claim(&document.statements[i], claim);
        found = accp_pattern_matches(pattern, claim);
    }
    accp_document_fini(&document);
    return found;
}

static bool matches_any(const struct accp_pattern *pattern, const struct accp_selection *selection,
                        const char *folder)
{
    bool has_probe[ACCP_PROBE_COUNT] = {false};
    for (size_t i = 0; i < selection->count; ++i) {
        if (matches_role(pattern, selection->roles[i])) return true;
        has_probe[selection->roles[i]->probe] = true;
    }
    for (int probe = 0; probe < ACCP_PROBE_COUNT; ++probe)
        if (has_probe[probe] && matches_document(pattern, folder, accp_probe_names[probe]))
            return true;
    return names(pattern, "unrecorded", "shape", 0);
}

enum accp_status accp_claiming_check(const struct accp_options *options, struct accp_error *error)
{
    struct accp_pattern pattern;
    struct accp_selection selection;
    char folder[PATH_MAX];
    ACCP_TRY(accp_pattern_check("claim", options->claim, error));
    if (!options->claim || options->cubin) return ACCP_STATUS_OK;
    ACCP_TRY(accp_select(options, &selection, error));
    ACCP_TRY(accp_golden_folder(options, folder, error));
    ACCP_TRY(accp_pattern_init(&pattern, "claim", options->claim, error));
    const bool found = matches_any(&pattern, &selection, folder);
    accp_pattern_fini(&pattern);
    if (found) return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                     "--claim %.80s: matches no claim of the roles that are chosen; without it all "
                     "are listed",
                     options->claim);
}
