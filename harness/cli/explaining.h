/* From the command line to an explained loop: what `explain` prints. */
#ifndef ACCP_CLI_EXPLAINING_H
#define ACCP_CLI_EXPLAINING_H

#include "cli/options.h"
#include "cli/shaping.h"
#include "model/explain.h"
#include "sass/code.h"

enum { ACCP_EXPLAIN_CHANGES = 96, ACCP_EXPLAIN_TEXT_BYTES = 160 };

/* CHANGE(id, name, what is changed) */
#define ACCP_CHANGE_TABLE(CHANGE) \
    CHANGE(OPCODE, "opcode", "the loop without any instruction of a kind") \
    CHANGE(ACC, "acc", "another number of accumulators for the same chain") \
    CHANGE(MECHANISM, "mechanism", "an SM without something that costs time") \
    CHANGE(WARPS, "warps", "another number of warps in the block")

enum accp_change_kind {
#define CHANGE(id, name, meaning) ACCP_CHANGE_##id,
    ACCP_CHANGE_TABLE(CHANGE)
#undef CHANGE
        ACCP_CHANGE_COUNT
};

/* One answer to "what would change it": predicted again, not guessed. */
struct accp_change {
    enum accp_change_kind kind;
    char what[ACCP_EXPLAIN_TEXT_BYTES]; /* "without its 6 LDC" */
    double cycles;                      /* of an iteration then */
    double
        relative;  /* change of the time that an iteration takes, of all warps together where their
                        number changes: -0.1 is 10 % faster */
    size_t number; /* in the order in which they were tried: what settles ties */
};

/* Everything about one loop. Pair with accp_explained_fini. */
struct accp_explained {
    struct accp_opened opened;
    struct accp_code code;
    const struct accp_kernel *kernel;
    const struct accp_loop *loop;
    const struct accp_role *role; /* NULL: a stranger's kernel */
    int warps;
    int register_limit;            /* that a thread may have */
    const char *register_limit_by; /* what leaves it so many: "its launch bounds leave"; static */
    struct accp_explanation explanation;
    double *without; /* [instruction]: change of an iteration when it alone is dropped, in cycles;
                        NAN: not computed */
    size_t change_count;
    struct accp_change changes[ACCP_EXPLAIN_CHANGES]; /* by kind, the largest gain first */
    char bottleneck[512];                             /* one sentence */
};

/* Explains the role that the operand names, for --arch, or the kernel of --cubin, at --warps (8 if not
 * given), with --loop. What the model does not time is explained as far as it goes, and no change is
 * computed. Errors: USAGE (no role, or both a role and --cubin), as accp_opened_file,
 * accp_opened_built, accp_cubin_pick, accp_chain_find_loop and accp_explain; INPUT (a role whose
 * warps run different loops). On failure *explained is cleared. */
enum accp_status accp_explaining(const struct accp_options *options,
                                 struct accp_explained *explained, struct accp_error *error);
void accp_explained_fini(struct accp_explained *explained);

const char *accp_change_name(enum accp_change_kind kind);

/* The instruction's address and text, as nvdisasm has it. */
void accp_explained_text(const struct accp_explained *explained, int instruction, char *text,
                         size_t text_bytes);

/* Prints it for people (Markdown: for a review), or as JSON ("accprobe-explain/1"). */
enum accp_status accp_explained_print(const struct accp_explained *explained, bool markdown,
                                      bool all, struct accp_error *error);
enum accp_status accp_explained_print_json(const struct accp_explained *explained,
                                           struct accp_error *error);

#endif
