#include "golden/record.h"

#include "base/text.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

static size_t count_runs(const char *folder)
{
    DIR *entries = opendir(folder);
    size_t count = 0;
    const struct dirent *entry;
    while (entries && (entry = readdir(entries))) {
        size_t length = strlen(entry->d_name);
        count += length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0;
    }
    if (entries) closedir(entries);
    return count;
}

enum accp_status accp_golden_pending(const char *folder, const struct accp_run *run, char *text,
                                     size_t text_bytes, struct accp_error *error)
{
    char name[ACCP_TEXT_BYTES], place[PATH_MAX], path[PATH_MAX];
    struct accp_sku sku = accp_sku_of(run);
    accp_sku_name(&sku, name);
    int length = snprintf(place, sizeof place, "%s/%s", folder, name);
    int more = snprintf(path, sizeof path, "%s/%s-%016llx.json", place,
                        run->date[0] ? run->date : "run", (unsigned long long)run->protocol.seed);
    if (length < 0 || more < 0 || (size_t)length >= sizeof place || (size_t)more >= sizeof path)
        return accp_fail(error, ACCP_STATUS_IO, folder, -1, "the path is too long");
    /* A date comes from a run file: it must name a file in the folder, and no other place. */
    for (char *at = path + length + 1; *at; ++at)
        if (*at == '/' || *at == ':') *at = '-';
    int made;
    ACCP_TRY(accp_folder_make(place, &made, error));
    const enum accp_status status = accp_run_write(path, run, error);
    if (status != ACCP_STATUS_OK) accp_folder_unmake(place, made);
    ACCP_TRY(status);
    char word[4 * PATH_MAX + 8];
    accp_text_word(place, word, sizeof word);
    size_t count = count_runs(place);
    if (count < ACCP_GOLDEN_SESSIONS_MIN)
        snprintf(text, text_bytes,
                 "pending baseline: %zu of %d sessions in %s; run the gate again, then accept them "
                 "with: "
                 "accprobe record %s/*.json --reason TEXT",
                 count, ACCP_GOLDEN_SESSIONS_MIN, place, word);
    else
        snprintf(
            text, text_bytes,
            "pending baseline: %zu sessions in %s; accept them with: accprobe record %s/*.json "
            "--reason TEXT",
            count, place, word);
    return ACCP_STATUS_OK;
}
