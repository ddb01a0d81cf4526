/* Goldens: what a GPU is known to do. golden/README.md describes the tree and the files for people.
 *
 * A golden is keyed by what can be measured: arch, SM count, PCI device id and memory size; never
 * by a part of a name. It holds levels (cycles per iteration of a role at a number of warps, with
 * the noise between sessions) and claims (order with ties, peak, growth of the gap), each with the
 * tolerance that its noise implies. */
#ifndef ACCP_GOLDEN_GOLDEN_H
#define ACCP_GOLDEN_GOLDEN_H

#include "golden/summary.h"
#include "run/run.h"

#include <limits.h>

enum {
    ACCP_GOLDEN_ACCS = 16,    /* accumulator counts in a series, at most */
    ACCP_GOLDEN_CHAINS = 16,  /* chains in a family, at most */
    ACCP_GOLDEN_RECORDS = 64, /* recordings that one golden may be made of */
    ACCP_GOLDEN_ROWS = 65536,
    ACCP_GOLDEN_REASON_BYTES = 256,
    ACCP_GOLDEN_SESSIONS_MIN = 10, /* processes behind any measured row */
};

/* A GPU model. Two memory sizes are the same class when they differ by no more than 1 %: what the
 * driver keeps for itself differs by less, and models (80, 94, 96, 141 GB) by more. */
struct accp_sku {
    char arch[16], pci_device[24]; /* "" : unknown, which equals nothing */
    int64_t sm_count, memory_bytes;
};

#define ACCP_SKU_MEMORY_CLASS 0.01

struct accp_golden_level {
    char role[ACCP_NAME_BYTES], kernel[ACCP_NAME_BYTES];
    int warps, sessions, record; /* record: index of its recording */
    double mean, sd, tolerance;  /* cycles per iteration; all 0 in a prediction of a loop that the
                                    model does not time */
    char sass[ACCP_SASS_HASH_BYTES], sass_exact[ACCP_SASS_HASH_BYTES]; /* as in run.h */
};

struct accp_golden_order {
    char series[ACCP_NAME_BYTES];
    int warps, record;
    double margin; /* relative: a pair is broken when it is reversed by more */
    size_t acc_count, tie_count, peak_count;
    int accs[ACCP_GOLDEN_ACCS]; /* fastest first */
    int ties[ACCP_GOLDEN_ACCS * (ACCP_GOLDEN_ACCS - 1) / 2]
            [2];                 /* pairs that are not ordered; no transitivity */
    int peaks[ACCP_GOLDEN_ACCS]; /* the best, and what ties with it */
};

/* The gap (acc1 over the best acc, both in cycles) grows along `chains`. */
struct accp_golden_growth {
    char family[ACCP_NAME_BYTES];
    int warps, record;
    double margin; /* relative */
    size_t chain_count;
    int chains[ACCP_GOLDEN_CHAINS]; /* ascending */
};

/* Where rows came from: one recording. */
struct accp_golden_provenance {
    char date[32], tool[32], commit[64], reason[ACCP_GOLDEN_REASON_BYTES];
    char device[ACCP_TEXT_BYTES], driver[32];
    struct accp_run_compiler compiler;
    struct accp_run_protocol protocol; /* its seed is 0: each session has its own */
};

struct accp_golden {
    char probe[ACCP_NAME_BYTES];
    enum accp_source source; /* MEASURED or PREDICTED */
    struct accp_sku sku;     /* a predicted one has an arch alone */
    double false_alarm_rate; /* of a whole gate */
    int comparisons;         /* lines that share it (statistics.h) */
    size_t record_count, level_count, order_count, growth_count;
    struct accp_golden_provenance *records; /* all owned */
    struct accp_golden_level *levels;       /* sorted by role, then warps */
    struct accp_golden_order *orders;       /* sorted by series, then warps */
    struct accp_golden_growth *growths;     /* sorted by family, then warps */
};

/* Which golden answers for a GPU. */
#define ACCP_ANSWER_TABLE(ANSWER) \
    ANSWER(LAWS, "none: laws only") \
    ANSWER(ARCH, "another GPU of this arch: orders only") \
    ANSWER(SKU, "this GPU")

enum accp_answer {
#define ANSWER(id, text) ACCP_ANSWER_##id,
    ACCP_ANSWER_TABLE(ANSWER)
#undef ANSWER
        ACCP_ANSWER_COUNT
};

struct accp_golden_found {
    enum accp_answer answer;
    char name[ACCP_TEXT_BYTES]; /* "sm_90-132sm-140gib-10de.2335"; "" with LAWS */
    char path[PATH_MAX];        /* of the file */
    struct accp_golden golden;  /* owned; cleared with LAWS */
};

/* A cleared golden; pair with accp_golden_fini, which is safe on a cleared one. */
void accp_golden_init(struct accp_golden *golden);
void accp_golden_fini(struct accp_golden *golden);

/* Reads "accprobe-golden/1". *golden is initialised here and owned by the caller on success,
 * cleared on failure. INPUT: everything that a run file is refused for, and: roles, series or
 * families that the tables do not have or that stand twice, accs that the series does not have,
 * ties of accs that are not in the order, a recording that does not exist, a tolerance of 0, a
 * standard deviation below what the digits can show. */
enum accp_status accp_golden_read(const char *file, struct accp_golden *golden,
                                  struct accp_error *error);
enum accp_status accp_golden_parse(const char *file, const void *data, size_t size,
                                   struct accp_golden *golden, struct accp_error *error);

/* The golden as text, one row a line; *text is malloc'd, owned by the caller. */
enum accp_status accp_golden_format(const struct accp_golden *golden, char **text,
                                    size_t *text_bytes, struct accp_error *error);

/* Rows by key, or NULL. */
const struct accp_golden_level *accp_golden_level_find(const struct accp_golden *golden,
                                                       const char *role, int warps);
const struct accp_golden_order *accp_golden_order_find(const struct accp_golden *golden,
                                                       const char *series, int warps);
const struct accp_golden_growth *accp_golden_growth_find(const struct accp_golden *golden,
                                                         const char *family, int warps);
bool accp_golden_tied(const struct accp_golden_order *order, int left_acc, int right_acc);

/* "acc2 > acc1 > acc3 ~ acc4": fastest first; ~ stands between neighbours that tie. */
void accp_golden_order_text(const struct accp_golden_order *order, char *text, size_t text_bytes);

/* The key of a run's device; its folder name; whether two are the same model. A MIG slice has no
 * key of its own. */
struct accp_sku accp_sku_of(const struct accp_run *run);
void accp_sku_name(const struct accp_sku *sku, char name[ACCP_TEXT_BYTES]);
bool accp_sku_same(const struct accp_sku *left, const struct accp_sku *right);

/* Finds the golden that answers for a run in the tree `folder` (golden/): for a measured run the
 * exact SKU, else the one of the same arch whose SM count is nearest (then by name), else none; for
 * a predicted run the predicted one of its arch; for a document none. Free found->golden with
 * accp_golden_fini. Errors: INPUT (any golden of the probe in the tree is bad, or lies in a folder
 * that is not named after its key; no such folder), IO, MEMORY. */
enum accp_status accp_golden_find(const char *folder, const char *probe, const struct accp_run *run,
                                  struct accp_golden_found *found, struct accp_error *error);

/* "measured/<sku>/<probe>.json" or "predicted/<arch>/<probe>.json" below `folder`, for a key. */
void accp_golden_path(const char *folder, enum accp_source source, const struct accp_sku *sku,
                      const char *probe, char path[PATH_MAX]);

const char *accp_answer_text(enum accp_answer answer);

#endif
