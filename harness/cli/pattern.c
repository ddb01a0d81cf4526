#include "cli/pattern.h"

#include <ctype.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 32, ITEMS = 1000 };

/* The count of items that each open group has come to, and that of the last item in it, as the C
 * library will copy them. */
struct extent {
    size_t groups[GROUPS], last;
    int depth;
};

static void add(struct extent *extent, size_t items)
{
    extent->last = items;
    extent->groups[extent->depth] += items;
}

/* Behind a bracket expression that begins at `at`. */
static const char *skip_brackets(const char *at)
{
    at += at[1] == '^' ? 2 : 1;
    if (*at == ']') ++at;
    while (*at && *at != ']') {
        bool is_class = *at == '[' && at[1] && strchr(":.=", at[1]);
        const char *end = is_class ? strchr(at + 2, at[1]) : NULL;
        at = end && end[1] == ']' ? end + 2 : at + 1;
    }
    return *at ? at + 1 : at;
}

/* Behind a repetition {n,m}, or behind the brace where it is none. */
static const char *repeat(struct extent *extent, const char *at)
{
    size_t times = 0;
    const char *end = at + 1;
    while (isdigit((unsigned char)*end) || *end == ',') {
        size_t number = strtoul(end, NULL, 10);
        if (number > times) times = number;
        end += *end == ',' ? 1 : strspn(end, "0123456789");
    }
    if (times > ITEMS) times = ITEMS;
    add(extent, extent->last * (times + 1));
    return *end == '}' ? end + 1 : at + 1;
}

static bool is_repetition(const char *at)
{
    return *at && strchr("*+?{", *at);
}

static bool is_bounded(const char *text)
{
    struct extent extent = {.depth = 0};
    for (const char *at = text; *at;) {
        const char *next = at + 1;
        if (*at == '\\' && isdigit((unsigned char)*next)) return false;
        if (*at == '(') {
            if (++extent.depth == GROUPS) return false;
            extent.groups[extent.depth] = 0;
        } else if (*at == ')' && extent.depth > 0) {
            size_t items = extent.groups[extent.depth--];
            add(&extent, items + 1);
        } else if (*at == '{') {
            next = repeat(&extent, at);
            if (is_repetition(next)) return false;
        } else if (*at == '[') {
            next = skip_brackets(at);
            add(&extent, 1);
        } else if (strchr("*+?", *at)) {
            if (is_repetition(next)) return false;
            add(&extent, 2 * extent.last);
        } else {
            if (*at == '\\' && *next) ++next;
            add(&extent, 1);
        }
        if (extent.groups[extent.depth] > ITEMS) return false;
        at = next;
    }
    return true;
}

enum accp_status accp_pattern_init(struct accp_pattern *pattern, const char *option,
                                   const char *text, struct accp_error *error)
{
    pattern->compiled = NULL;
    if (!text) return ACCP_STATUS_OK;
    if (!is_bounded(text))
        return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                         "--%s %.60s: repeats too much, nests too deep, or refers back: take a "
                         "simpler one",
                         option, text);
    regex_t *compiled = malloc(sizeof *compiled);
    if (!compiled)
        return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for --%s", option);
    int problem = regcomp(compiled, text, REG_EXTENDED | REG_NOSUB);
    if (problem == 0) {
        pattern->compiled = compiled;
        return ACCP_STATUS_OK;
    }
    char reason[128];
    regerror(problem, compiled, reason, sizeof reason);
    free(compiled);
    return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1, "--%s %.60s: not a regular expression: %s",
                     option, text, reason);
}

enum accp_status accp_pattern_check(const char *option, const char *text, struct accp_error *error)
{
    struct accp_pattern pattern;
    ACCP_TRY(accp_pattern_init(&pattern, option, text, error));
    accp_pattern_fini(&pattern);
    return ACCP_STATUS_OK;
}

bool accp_pattern_matches(const struct accp_pattern *pattern, const char *name)
{
    return !pattern->compiled || regexec(pattern->compiled, name, 0, NULL, 0) == 0;
}

bool accp_pattern_matches_kernel(const struct accp_pattern *pattern, const struct accp_role *role,
                                 const char *symbol)
{
    return (role && accp_pattern_matches(pattern, role->name)) ||
           accp_pattern_matches(pattern, symbol);
}

void accp_pattern_fini(struct accp_pattern *pattern)
{
    if (pattern->compiled) regfree(pattern->compiled);
    free(pattern->compiled);
    pattern->compiled = NULL;
}
