#include "sass/code.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 512, LIST_BYTES = ACCP_ERROR_TEXT_BYTES / 2 };

/* Puts "::part" behind what stands there; false: it does not fit. */
static bool append(char *name, size_t name_bytes, const char *part, size_t part_bytes)
{
    const size_t used = strlen(name);
    const int written =
        snprintf(name + used, name_bytes - used, "%s%.*s", used ? "::" : "", (int)part_bytes, part);
    return written > 0 && (size_t)written < name_bytes - used;
}

/* The identifier at *at, its length in front of it, goes behind `name`; *at moves past it. */
static bool take_identifier(const char **at, char *name, size_t name_bytes)
{
    static const char unnamed[] = "_GLOBAL__N"; /* of a namespace without a name */
    char *end;
    const unsigned long bytes = strtoul(*at, &end, 10);
    if (bytes == 0 || bytes > strlen(end)) return false;
    *at = end + bytes;
    if (strncmp(end, unnamed, sizeof unnamed - 1) == 0)
        return append(name, name_bytes, "(anonymous namespace)", NAME_BYTES);
    return append(name, name_bytes, end, bytes);
}

bool accp_kernel_plain_name(const char *symbol, char *name, size_t name_bytes)
{
    const char *at = symbol;
    name[0] = 0;
    if (strncmp(at, "_Z", 2) != 0) return false;
    at += 2;
    const bool is_nested = *at == 'N';
    at += is_nested;
    do {
        at += *at == 'L'; /* internal linkage */
        if (!isdigit((unsigned char)*at) || !take_identifier(&at, name, name_bytes)) return false;
    } while (is_nested && isdigit((unsigned char)*at));
    return true;
}

/* Whether a person may mean that symbol: as it is in the source, with its namespaces or without. */
static bool is_called(const char *symbol, const char *asked)
{
    char name[NAME_BYTES];
    if (!accp_kernel_plain_name(symbol, name, sizeof name)) return false;
    const size_t bytes = strlen(name), asked_bytes = strlen(asked);
    if (asked_bytes == 0 || asked_bytes > bytes) return false;
    const char *end = name + bytes - asked_bytes;
    return strcmp(end, asked) == 0 && (end == name || (end - name > 2 && end[-1] == ':'));
}

static enum accp_status has_loop(const struct accp_cubin *cubin, const struct accp_kernel *kernel,
                                 bool *has, struct accp_error *error)
{
    struct accp_code code;
    ACCP_TRY(accp_code_init(cubin, kernel, &code, error));
    *has = code.loop_count > 0;
    accp_code_fini(&code);
    return ACCP_STATUS_OK;
}

/* Kernels of which one is to be chosen. */
struct candidates {
    const struct accp_kernel *last;
    size_t count, left_out; /* left_out: of these, not in the list */
    char list[LIST_BYTES];  /* "_Z3dotPf (dot), plain" */
};

static void add(struct candidates *candidates, const struct accp_kernel *kernel)
{
    char name[NAME_BYTES], item[2 * NAME_BYTES];
    const bool is_mangled = accp_kernel_plain_name(kernel->name, name, sizeof name);
    snprintf(item, sizeof item, "%s%.400s%s%s%s", candidates->count ? ", " : "", kernel->name,
             is_mangled ? " (" : "", is_mangled ? name : "", is_mangled ? ")" : "");
    ++candidates->count;
    candidates->last = kernel;
    const size_t used = strlen(candidates->list);
    if (candidates->left_out > 0 || strlen(item) >= sizeof candidates->list - used)
        ++candidates->left_out;
    else
        memcpy(candidates->list + used, item, strlen(item) + 1);
}

static enum accp_status add_looping(const struct accp_cubin *cubin, struct candidates *candidates,
                                    struct accp_error *error)
{
    for (size_t i = 0; i < cubin->kernel_count; ++i) {
        bool has;
        ACCP_TRY(has_loop(cubin, &cubin->kernels[i], &has, error));
        if (has) add(candidates, &cubin->kernels[i]);
    }
    return ACCP_STATUS_OK;
}

static enum accp_status refuse(const struct candidates *candidates, const char *file,
                               const char *said, struct accp_error *error)
{
    char more[64] = "";
    if (candidates->left_out > 0)
        snprintf(more, sizeof more, " and %zu more", candidates->left_out);
    return accp_fail(error, ACCP_STATUS_INPUT, file, -1, "%s: %s%s", said, candidates->list, more);
}

static enum accp_status pick_named(const struct accp_cubin *cubin, const char *file,
                                   const char *name, const struct accp_kernel **kernel,
                                   struct accp_error *error)
{
    struct candidates candidates = {0};
    char said[192];
    *kernel = accp_cubin_find(cubin, name);
    if (*kernel) return ACCP_STATUS_OK;
    for (size_t i = 0; i < cubin->kernel_count; ++i)
        if (is_called(cubin->kernels[i].name, name)) add(&candidates, &cubin->kernels[i]);
    *kernel = candidates.count == 1 ? candidates.last : NULL;
    if (*kernel) return ACCP_STATUS_OK;
    if (candidates.count > 1) {
        snprintf(said, sizeof said,
                 "has %zu kernels called %.80s: choose one with --kernel and its symbol",
                 candidates.count, name);
        return refuse(&candidates, file, said, error);
    }
    const bool has_arguments = strpbrk(name, "<(") && !strstr(name, "(anonymous namespace)");
    ACCP_TRY(add_looping(cubin, &candidates, error));
    if (candidates.count == 0)
        return accp_fail(error, ACCP_STATUS_INPUT, file, -1,
                         "has no kernel %.80s, and none with a loop", name);
    snprintf(said, sizeof said, "has no kernel %.60s%s; with a loop it has", name,
             has_arguments ? " (--kernel takes a symbol, or a name without <...> and (...))" : "");
    return refuse(&candidates, file, said, error);
}

enum accp_status accp_cubin_pick(const struct accp_cubin *cubin, const char *file, const char *name,
                                 const struct accp_kernel **kernel, struct accp_error *error)
{
    struct candidates candidates = {0};
    char said[128];
    if (name) return pick_named(cubin, file, name, kernel, error);
    *kernel = cubin->kernel_count == 1 ? &cubin->kernels[0] : NULL;
    if (*kernel) return ACCP_STATUS_OK;
    ACCP_TRY(add_looping(cubin, &candidates, error));
    if (candidates.count == 0)
        return accp_fail(error, ACCP_STATUS_INPUT, file, -1, "has %zu kernels, and none has a loop",
                         cubin->kernel_count);
    *kernel = candidates.count == 1 ? candidates.last : NULL;
    if (*kernel) return ACCP_STATUS_OK;
    snprintf(said, sizeof said, "has %zu kernels with a loop, of %zu: choose one with --kernel",
             candidates.count, cubin->kernel_count);
    return refuse(&candidates, file, said, error);
}
