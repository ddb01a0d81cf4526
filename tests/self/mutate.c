/* mutate CUBIN KERNEL MUTATION OUT [SITE]: writes the cubin with one change to the hot loop of a kernel, as a compiler
 * could have made it (mutations.def), at the SITEth place, from 0 on, where the loop allows it. KERNEL may be a role, whose
 * loop it is then, in a kernel that it shares too; `all` changes every kernel that has such a place. Prints a line a changed kernel: its name, and where. Works on the code of any
 * arch whose loops have what it changes. */
#include "base/file.h"
#include "mutations.h"
#include "sass/chain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum accp_status mutate_kernel(const struct accp_bytes *bytes,
                                      const struct accp_cubin *cubin,
                                      const struct accp_kernel *kernel,
                                      const struct accp_role *role, char **argv, unsigned site,
                                      int *changed, struct accp_error *error)
{
    struct accp_code code;
    struct accp_subject subject = {.code = bytes->data + (kernel->code - bytes->data),
                                   .decoded = &code};
    size_t address;
    ACCP_TRY(accp_code_init(cubin, kernel, &code, error));
    enum accp_status status = accp_chain_find_loop(&code, role, -1, &subject.loop, error);
    if (status == ACCP_STATUS_OK && accp_mutate(&subject, argv[3], site, &address)) {
        printf("%s 0x%zx\n", kernel->name, address);
        ++*changed;
    }
    accp_code_fini(&code);
    return status;
}

static enum accp_status mutate(const struct accp_bytes *bytes, const struct accp_cubin *cubin,
                               char **argv, unsigned site, struct accp_error *error)
{
    int changed = 0;
    const struct accp_kernel *kernel;
    if (!accp_mutation_known(argv[3]))
        return accp_fail(error, ACCP_STATUS_USAGE, argv[3], -1, "is not in mutations.def");
    if (strcmp(argv[2], "all") == 0) {
        for (size_t i = 0; i < cubin->kernel_count; ++i)
            ACCP_TRY(
                mutate_kernel(bytes, cubin, &cubin->kernels[i], NULL, argv, site, &changed, error));
    } else {
        const struct accp_role *role = accp_role_find(argv[2]);
        ACCP_TRY(accp_cubin_pick(cubin, argv[1], role ? role->kernel : argv[2], &kernel, error));
        ACCP_TRY(mutate_kernel(bytes, cubin, kernel, role, argv, site, &changed, error));
    }
    if (changed == 0)
        return accp_fail(error, ACCP_STATUS_INPUT, argv[2], site,
                         "no place %u that %s could change", site, argv[3]);
    return accp_file_write_atomic(argv[4], bytes->data, bytes->size, error);
}

int main(int argc, char **argv)
{
    struct accp_error error;
    struct accp_bytes bytes = {0};
    struct accp_cubin cubin;
    if (argc < 5 || argc > 6) {
        fputs("usage: mutate CUBIN KERNEL MUTATION OUT [SITE]\n", stderr);
        return 1;
    }
    const unsigned site = argc > 5 ? (unsigned)strtoul(argv[5], NULL, 10) : 0;
    enum accp_status status = accp_file_read(argv[1], ACCP_CUBIN_LIMIT_BYTES, &bytes, &error);
    if (status == ACCP_STATUS_OK) {
        status = accp_cubin_open(argv[1], bytes.data, bytes.size, &cubin, &error);
        if (status == ACCP_STATUS_OK) {
            status = mutate(&bytes, &cubin, argv, site, &error);
            accp_cubin_close(&cubin);
        }
    }
    accp_bytes_fini(&bytes);
    if (status == ACCP_STATUS_OK) return 0;
    fprintf(stderr, "mutate: %s %s\n", error.where, error.text);
    return 1;
}
