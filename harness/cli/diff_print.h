/* Differences as rows, for people, for a review and for programs. */
#ifndef ACCP_CLI_DIFF_PRINT_H
#define ACCP_CLI_DIFF_PRINT_H

#include "cli/options.h"
#include "sass/diff.h"

/* Which side has it. */
enum accp_sides { ACCP_SIDES_BOTH, ACCP_SIDES_BEFORE, ACCP_SIDES_AFTER };

/* One kernel, or one role at a number of warps. */
struct accp_difference {
    char name[ACCP_KERNEL_NAME_BYTES];
    int warps; /* of a run's row; 0: of a kernel */
    enum accp_sides sides;
    /* Kernels: the class, and every finding in one line. */
    enum accp_diff_class class;
    char text[2 * ACCP_DIFF_TEXT_BYTES + 1024];
    /* Runs: cycles per iteration (NaN: no sample), and whether they differ as printed. */
    double before, after;
    bool differs;
};

/* Pair with accp_differences_fini; cleared is empty. */
struct accp_differences {
    size_t count;
    struct accp_difference *items; /* owned */
    bool of_runs;
    char head[512]; /* what the two sides are */
};
void accp_differences_fini(struct accp_differences *differences);

/* Appends a cleared row of that name. MEMORY. */
enum accp_status accp_differences_add(struct accp_differences *differences, const char *name,
                                      struct accp_difference **difference,
                                      struct accp_error *error);

/* 0 identical, 2 differs, 1 structure lost. */
int accp_differences_exit(const struct accp_differences *differences);

/* Prints rows that say something (with --all every row) and a summary. Errors: MEMORY. */
enum accp_status accp_differences_print(const struct accp_options *options,
                                        const struct accp_differences *differences,
                                        struct accp_error *error);

#endif
