#include "candidates.h"

#include "sass/chain.h"

#include <stdlib.h>
#include <string.h>

static bool is_taken(const struct accp_candidates *candidates, const struct accp_candidate *one,
                     const struct accp_loop *loop)
{
    for (size_t i = 0; i < candidates->count; ++i)
        if (candidates->all[i].code.kernel == one->code.kernel &&
            candidates->all[i].loop->head == loop->head)
            return true;
    return false;
}

static enum accp_status add(struct accp_candidates *candidates, const struct accp_role *role,
                            const struct accp_kernel *kernel, struct accp_error *error)
{
    struct accp_candidate *one = &candidates->all[candidates->count];
    one->role = role;
    ACCP_TRY(accp_code_init(&candidates->cubin, kernel, &one->code, error));
    enum accp_status status = accp_chain_find_loop(&one->code, role, -1, &one->loop, error);
    if (status != ACCP_STATUS_OK || is_taken(candidates, one, one->loop)) {
        accp_code_fini(&one->code);
        return status;
    }
    for (size_t i = 0; i < candidates->count; ++i)
        one->turn += candidates->all[i].code.kernel == kernel;
    if (one->turn >= candidates->turns) candidates->turns = one->turn + 1;
    one->subject = (struct accp_subject){
        candidates->image.data + (kernel->code - candidates->original.data), &one->code, one->loop};
    ++candidates->count;
    return ACCP_STATUS_OK;
}

enum accp_status accp_candidates_init(struct accp_candidates *candidates, const char *path,
                                      struct accp_error *error)
{
    *candidates = (struct accp_candidates){0};
    ACCP_TRY(accp_file_read(path, ACCP_CUBIN_LIMIT_BYTES, &candidates->original, error));
    ACCP_TRY(accp_cubin_open(path, candidates->original.data, candidates->original.size,
                             &candidates->cubin, error));
    candidates->all = calloc(ACCP_ROLE_COUNT, sizeof *candidates->all);
    candidates->image.data = malloc(candidates->original.size);
    candidates->image.size = candidates->original.size;
    if (!candidates->all || !candidates->image.data)
        return accp_fail(error, ACCP_STATUS_MEMORY, path, -1, "no memory for its roles");
    memcpy(candidates->image.data, candidates->original.data, candidates->original.size);
    for (int i = 0; i < ACCP_ROLE_COUNT; ++i) {
        const struct accp_kernel *kernel =
            accp_cubin_find(&candidates->cubin, accp_roles[i].kernel);
        if (kernel) ACCP_TRY(add(candidates, &accp_roles[i], kernel, error));
    }
    if (candidates->count > 0) return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_INPUT, path, -1, "holds no kernel of the tables");
}

void accp_candidates_fini(struct accp_candidates *candidates)
{
    for (size_t i = 0; i < candidates->count; ++i)
        accp_code_fini(&candidates->all[i].code);
    free(candidates->all);
    accp_bytes_fini(&candidates->image);
    accp_cubin_close(&candidates->cubin);
    accp_bytes_fini(&candidates->original);
}

size_t accp_candidates_change(struct accp_candidates *candidates, const char *mutation,
                              unsigned site, unsigned turn)
{
    const bool is_apart = accp_mutation_reaches_kernel(mutation);
    size_t changed = 0;
    memcpy(candidates->image.data, candidates->original.data, candidates->original.size);
    for (size_t i = 0; i < candidates->count; ++i) {
        struct accp_candidate *one = &candidates->all[i];
        one->is_changed = turn == (is_apart ? one->turn : 0) &&
                          accp_mutate(&one->subject, mutation, site, &one->address);
        changed += one->is_changed;
    }
    return changed;
}

void accp_candidates_spare(struct accp_candidates *candidates, const char *mutation, unsigned site,
                           struct accp_candidate *spared)
{
    spared->is_changed = false;
    memcpy(candidates->image.data, candidates->original.data, candidates->original.size);
    for (size_t i = 0; i < candidates->count; ++i) {
        struct accp_candidate *one = &candidates->all[i];
        if (one->is_changed) accp_mutate(&one->subject, mutation, site, &one->address);
    }
}
