#include "golden/golden.h"

#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What a search has found so far. */
struct search {
    const char *folder, *probe;
    enum accp_source source;
    struct accp_sku sku;
    struct accp_golden_found *found;
};

static int64_t distance(const struct accp_sku *left, const struct accp_sku *right)
{
    int64_t difference = left->sm_count - right->sm_count;
    return difference < 0 ? -difference : difference;
}

/* Whether `golden` answers better than what was found: an exact key, else the nearest SM count of
 * the arch. Folders come sorted by name, so the first of two equals stays. */
static bool answers_better(const struct search *search, const struct accp_golden *golden,
                           enum accp_answer *answer)
{
    const struct accp_golden_found *found = search->found;
    if (strcmp(golden->sku.arch, search->sku.arch) != 0) return false;
    bool exact =
        search->source == ACCP_SOURCE_PREDICTED || accp_sku_same(&search->sku, &golden->sku);
    *answer = exact ? ACCP_ANSWER_SKU : ACCP_ANSWER_ARCH;
    if (*answer != found->answer) return *answer > found->answer;
    return distance(&golden->sku, &search->sku) < distance(&found->golden.sku, &search->sku);
}

/* A golden copied into the folder of another GPU would answer for the wrong one. */
static enum accp_status check_place(const struct search *search, const char *path, const char *name,
                                    const struct accp_golden *golden, struct accp_error *error)
{
    char key[ACCP_TEXT_BYTES];
    accp_sku_name(&golden->sku, key);
    if (golden->source == ACCP_SOURCE_PREDICTED) snprintf(key, sizeof key, "%s", golden->sku.arch);
    if (golden->source != search->source || strcmp(golden->probe, search->probe) != 0)
        return accp_fail(error, ACCP_STATUS_INPUT, path, -1,
                         "is a %s golden of probe %s, where a %s one of %s belongs",
                         accp_source_text(golden->source), golden->probe,
                         accp_source_text(search->source), search->probe);
    if (strcmp(key, name) != 0)
        return accp_fail(error, ACCP_STATUS_INPUT, path, -1,
                         "is the golden of another GPU: it belongs into the folder %s", key);
    return ACCP_STATUS_OK;
}

static enum accp_status consider(const struct search *search, const char *name,
                                 struct accp_error *error)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s/%s/%s.json", search->folder,
                          accp_source_text(search->source), name, search->probe);
    if (length < 0 || (size_t)length >= sizeof path)
        return accp_fail(error, ACCP_STATUS_IO, search->folder, -1, "the path is too long");
    struct stat status;
    if (stat(path, &status) != 0) {
        const int reason = errno;
        if (reason == ENOTDIR || accp_file_is_missing(path))
            return ACCP_STATUS_OK; /* no golden of this probe */
        return accp_fail(error, ACCP_STATUS_IO, path, -1, "cannot read: %s", strerror(reason));
    }
    struct accp_golden golden;
    enum accp_answer answer;
    ACCP_TRY(accp_golden_read(path, &golden, error));
    enum accp_status placed = check_place(search, path, name, &golden, error);
    if (placed != ACCP_STATUS_OK || !answers_better(search, &golden, &answer)) {
        accp_golden_fini(&golden);
        return placed;
    }
    accp_golden_fini(&search->found->golden);
    search->found->golden = golden;
    search->found->answer = answer;
    snprintf(search->found->name, sizeof search->found->name, "%s", name);
    memcpy(search->found->path, path, sizeof path);
    return ACCP_STATUS_OK;
}

static int visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static enum accp_status search_tree(const struct search *search, struct accp_error *error)
{
    char path[PATH_MAX];
    struct stat status;
    if (stat(search->folder, &status) != 0 || !S_ISDIR(status.st_mode))
        return accp_fail(error, ACCP_STATUS_INPUT, search->folder, -1,
                         "is no folder of goldens: give one with --golden");
    snprintf(path, sizeof path, "%s/%s", search->folder, accp_source_text(search->source));
    struct dirent **entries;
    int count = scandir(path, &entries, visible, alphasort);
    if (count < 0) {
        const int reason = errno;
        if (accp_file_is_missing(path)) return ACCP_STATUS_OK;
        return accp_fail(error, ACCP_STATUS_IO, path, -1, "cannot list: %s", strerror(reason));
    }
    enum accp_status result = ACCP_STATUS_OK;
    for (int i = 0; i < count; ++i) {
        if (result == ACCP_STATUS_OK) result = consider(search, entries[i]->d_name, error);
        free(entries[i]);
    }
    free(entries);
    return result;
}

enum accp_status accp_golden_find(const char *folder, const char *probe, const struct accp_run *run,
                                  struct accp_golden_found *found, struct accp_error *error)
{
    memset(found, 0, sizeof *found);
    found->answer = ACCP_ANSWER_LAWS;
    accp_golden_init(&found->golden);
    if (run->source == ACCP_SOURCE_DOCUMENT) return ACCP_STATUS_OK;
    const struct search search = {folder, probe, run->source, accp_sku_of(run), found};
    enum accp_status status = search_tree(&search, error);
    if (status == ACCP_STATUS_OK) return status;
    accp_golden_fini(&found->golden);
    memset(found, 0, sizeof *found);
    accp_golden_init(&found->golden);
    return status;
}
