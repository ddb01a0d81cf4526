#include "golden/expected.h"

#include "base/file.h"
#include "base/json.h"
#include "golden/laws.h"
#include "golden/summary.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXPECTED_MAX = 65536 };

void accp_expected_fini(struct accp_expected *expected)
{
    free(expected->failures);
    *expected = (struct accp_expected){0};
}

const struct accp_expected_failure *accp_expected_find(const struct accp_expected *expected,
                                                       const char *claim)
{
    for (size_t i = 0; i < expected->count; ++i)
        if (strcmp(expected->failures[i].claim, claim) == 0) return &expected->failures[i];
    return NULL;
}

bool accp_expected_expired(const struct accp_expected_failure *failure, const char *today)
{
    return strncmp(today, failure->expires, 10) > 0;
}

static bool is_date(const char *text)
{
    static const int days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    for (int i = 0; i < 10; ++i)
        if (i == 4 || i == 7 ? text[i] != '-' : !isdigit((unsigned char)text[i])) return false;
    if (text[10]) return false;
    int year = atoi(text), month = atoi(text + 5), day = atoi(text + 8);
    if (month < 1 || month > 12 || day < 1 || day > days[month - 1]) return false;
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month != 2 || day < 29 || leap;
}

/* Whether a claim of that subject and kind can come up at all: a mistyped entry would wait for
 * ever. */
static bool claim_known(const char *claim)
{
    char subject[ACCP_CLAIM_BYTES], name[ACCP_NAME_BYTES];
    snprintf(subject, sizeof subject, "%s", claim);
    char *at = strchr(subject, '@');
    if (at) *at = 0;
    char *dot = strrchr(subject, '.');
    if (!dot) return false;
    *dot = 0;
    const char *kind = dot + 1;
    bool law = false;
    for (int i = 0; i < ACCP_LAW_COUNT; ++i)
        law |= strcmp(kind, accp_law_name((enum accp_law)i)) == 0;
    bool of_role = law || strcmp(kind, "level") == 0 || strcmp(kind, "structure") == 0;
    bool of_series = strcmp(kind, "order") == 0 || strcmp(kind, "peak") == 0;
    bool of_family = strcmp(kind, "gap_growth") == 0;
    for (size_t i = 0; i < ACCP_ROLE_COUNT; ++i) {
        if (of_role && strcmp(accp_roles[i].name, subject) == 0) return true;
        accp_series_name(accp_roles[i].name, name);
        if (of_series && strcmp(name, subject) == 0) return true;
        accp_family_name(accp_roles[i].name, name);
        if (of_family && strcmp(name, subject) == 0) return true;
    }
    return false;
}

static enum accp_status read_failure(const struct accp_json *object,
                                     struct accp_expected_failure *failure,
                                     struct accp_error *error)
{
    ACCP_TRY(accp_json_string(object, "claim", failure->claim, sizeof failure->claim, error));
    ACCP_TRY(accp_json_string(object, "reason", failure->reason, sizeof failure->reason, error));
    ACCP_TRY(accp_json_string(object, "expires", failure->expires, sizeof failure->expires, error));
    if (!claim_known(failure->claim))
        return accp_json_fail(object, error, "claim \"%s\" is none that is ever judged",
                              failure->claim);
    if (!failure->reason[strspn(failure->reason, " ")])
        return accp_json_fail(object, error, "reason is empty: say why the failure is accepted");
    if (!is_date(failure->expires))
        return accp_json_fail(object, error, "expires is \"%s\", not a day as 2027-03-31",
                              failure->expires);
    return ACCP_STATUS_OK;
}

static enum accp_status read_list(const struct accp_json *root, struct accp_expected *expected,
                                  struct accp_error *error)
{
    struct accp_json list, object;
    ACCP_TRY(accp_json_member(root, "expected", JSON_ARRAY, &list, error));
    size_t count = json_array_size(list.value);
    if (count > EXPECTED_MAX)
        return accp_json_fail(&list, error, "has %zu entries, at most %d fit", count, EXPECTED_MAX);
    expected->failures = calloc(count + 1, sizeof *expected->failures);
    if (!expected->failures)
        return accp_fail(error, ACCP_STATUS_MEMORY, root->file, -1, "no memory for its entries");
    for (size_t i = 0; i < count; ++i) {
        struct accp_expected_failure *failure = &expected->failures[i];
        ACCP_TRY(accp_json_element(&list, i, JSON_OBJECT, &object, error));
        ACCP_TRY(read_failure(&object, failure, error));
        if (accp_expected_find(expected, failure->claim))
            return accp_json_fail(&object, error, "claim \"%s\" stands there twice",
                                  failure->claim);
        ++expected->count;
    }
    return ACCP_STATUS_OK;
}

enum accp_status accp_expected_parse(const struct accp_json *root, struct accp_expected *expected,
                                     struct accp_error *error)
{
    *expected = (struct accp_expected){0};
    enum accp_status status = accp_json_format(root, "accprobe-expected/1", error);
    if (status == ACCP_STATUS_OK) status = read_list(root, expected, error);
    if (status != ACCP_STATUS_OK) accp_expected_fini(expected);
    return status;
}

enum accp_status accp_expected_read(const char *file, struct accp_expected *expected,
                                    struct accp_error *error)
{
    json_t *json;
    struct accp_json root;
    *expected = (struct accp_expected){0};
    if (access(file, F_OK) != 0 && (errno == ENOTDIR || accp_file_is_missing(file)))
        return ACCP_STATUS_OK;
    ACCP_TRY(accp_json_open(file, "accprobe-expected/1", &json, &root, error));
    enum accp_status status = accp_expected_parse(&root, expected, error);
    json_decref(json);
    return status;
}

enum accp_status accp_expected_beside(const char *golden_path, struct accp_expected *expected,
                                      struct accp_error *error)
{
    char path[PATH_MAX];
    const char *slash = strrchr(golden_path, '/');
    *expected = (struct accp_expected){0};
    if (!golden_path[0]) return ACCP_STATUS_OK;
    int length = snprintf(path, sizeof path, "%.*sexpected.json",
                          slash ? (int)(slash - golden_path) + 1 : 0, golden_path);
    if (length < 0 || (size_t)length >= sizeof path)
        return accp_fail(error, ACCP_STATUS_IO, golden_path, -1, "the path is too long");
    return accp_expected_read(path, expected, error);
}
