/* mutate CUBIN KERNEL MUTATION OUT [SITE [TURN]]: writes the cubin with one change to the hot loop of a kernel, as a compiler
 * could have made it (mutations.def), at the SITEth place, from 0 on, where the loop allows it. KERNEL may be a role, whose
 * loop it is then, in a kernel that it shares too; `all` changes the loop of every role that has such a place, or, where a
 * change reaches beyond its loop, of the TURNth role of each kernel, from 0 on (candidates.h). Prints a line a change: the
 * kernel, or with `all` the role, and where. Works on the code of any arch whose loops have what it changes. */
#include "candidates.h"
#include "sass/chain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct wanted {
    const char *cubin, *kernel, *mutation, *out;
    unsigned site, turn;
};

static enum accp_status no_place(const struct wanted *wanted, struct accp_error *error)
{
    return accp_fail(error, ACCP_STATUS_INPUT, wanted->kernel, wanted->site,
                     "no place %u that %s could change", wanted->site, wanted->mutation);
}

static enum accp_status change_all(const struct wanted *wanted, struct accp_candidates *candidates,
                                   struct accp_error *error)
{
    ACCP_TRY(accp_candidates_init(candidates, wanted->cubin, error));
    if (accp_candidates_change(candidates, wanted->mutation, wanted->site, wanted->turn) == 0)
        return no_place(wanted, error);
    for (size_t i = 0; i < candidates->count; ++i)
        if (candidates->all[i].is_changed)
            printf("%s 0x%zx\n", candidates->all[i].role->name, candidates->all[i].address);
    return accp_file_write_atomic(wanted->out, candidates->image.data, candidates->image.size,
                                  error);
}

static enum accp_status change_kernel(const struct wanted *wanted, const struct accp_bytes *bytes,
                                      const struct accp_cubin *cubin, struct accp_error *error)
{
    const struct accp_role *role = accp_role_find(wanted->kernel);
    const struct accp_kernel *kernel;
    struct accp_code code;
    size_t address;
    ACCP_TRY(accp_cubin_pick(cubin, wanted->cubin, role ? role->kernel : wanted->kernel, &kernel,
                             error));
    ACCP_TRY(accp_code_init(cubin, kernel, &code, error));
    struct accp_subject subject = {.code = bytes->data + (kernel->code - bytes->data),
                                   .decoded = &code};
    enum accp_status status = accp_chain_find_loop(&code, role, -1, &subject.loop, error);
    if (status == ACCP_STATUS_OK &&
        !accp_mutate(&subject, wanted->mutation, wanted->site, &address))
        status = no_place(wanted, error);
    if (status == ACCP_STATUS_OK) printf("%s 0x%zx\n", kernel->name, address);
    accp_code_fini(&code);
    ACCP_TRY(status);
    return accp_file_write_atomic(wanted->out, bytes->data, bytes->size, error);
}

static enum accp_status change_one(const struct wanted *wanted, struct accp_error *error)
{
    struct accp_bytes bytes = {0};
    struct accp_cubin cubin = {0};
    enum accp_status status = accp_file_read(wanted->cubin, ACCP_CUBIN_LIMIT_BYTES, &bytes, error);
    if (status == ACCP_STATUS_OK)
        status = accp_cubin_open(wanted->cubin, bytes.data, bytes.size, &cubin, error);
    if (status == ACCP_STATUS_OK) status = change_kernel(wanted, &bytes, &cubin, error);
    accp_cubin_close(&cubin);
    accp_bytes_fini(&bytes);
    return status;
}

static enum accp_status mutate(const struct wanted *wanted, struct accp_error *error)
{
    struct accp_candidates candidates = {0};
    if (!accp_mutation_known(wanted->mutation))
        return accp_fail(error, ACCP_STATUS_USAGE, wanted->mutation, -1, "is not in mutations.def");
    if (strcmp(wanted->kernel, "all") != 0) return change_one(wanted, error);
    const enum accp_status status = change_all(wanted, &candidates, error);
    accp_candidates_fini(&candidates);
    return status;
}

int main(int argc, char **argv)
{
    struct accp_error error;
    if (argc < 5 || argc > 7) {
        fputs("usage: mutate CUBIN KERNEL MUTATION OUT [SITE [TURN]]\n", stderr);
        return 1;
    }
    const struct wanted wanted = {.cubin = argv[1],
                                  .kernel = argv[2],
                                  .mutation = argv[3],
                                  .out = argv[4],
                                  .site = argc > 5 ? (unsigned)strtoul(argv[5], NULL, 10) : 0,
                                  .turn = argc > 6 ? (unsigned)strtoul(argv[6], NULL, 10) : 0};
    if (mutate(&wanted, &error) == ACCP_STATUS_OK) return 0;
    fprintf(stderr, "mutate: %s %s\n", error.where, error.text);
    return 1;
}
