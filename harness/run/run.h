/* A run: what each role did, wherever that came from. Measured, predicted and document runs are
 * this one struct and one file format ("accprobe-run/1"); verdicts, policies and reports read
 * nothing else. */
#ifndef ACCP_RUN_RUN_H
#define ACCP_RUN_RUN_H

#include "base/json.h"
#include "base/status.h"
#include "matrix.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* SOURCE(id, text in the file) */
#define ACCP_SOURCE_TABLE(SOURCE) \
    SOURCE(MEASURED, "measured") \
    SOURCE(PREDICTED, "predicted") \
    SOURCE(DOCUMENT, "document")

enum accp_source {
#define SOURCE(id, text) ACCP_SOURCE_##id,
    ACCP_SOURCE_TABLE(SOURCE)
#undef SOURCE
        ACCP_SOURCE_COUNT
};

enum {
    ACCP_RUN_MODES = 16,
    ACCP_RUN_ROLES = 65536,
    ACCP_RUN_WARPS = 32,    /* of a block, at the most */
    ACCP_RUN_BESIDE = 64,   /* roles of one kernel, at the most */
    ACCP_RUN_ACC_MAX = 255, /* of such a role: its selector is a byte */
    ACCP_TEXT_BYTES = 128,
    ACCP_SASS_HASH_BYTES = 17
};

/* One distinct whole number of cycles per iteration and the share of the warps that had it (0..1].
 */
struct accp_mode {
    double cycles, weight;
};

/* Cycles per iteration of a role over all its warps and launches (the samples of one process). */
struct accp_cycles {
    double mean, min, max;
    uint64_t n; /* samples; 0 means that nothing was timed */
    size_t mode_count;
    struct accp_mode modes[ACCP_RUN_MODES]; /* heaviest first; the rest is left out */
};

/* One role at one number of warps. For a stranger's kernel `role` is its symbol, and chain, acc and
 * effective are 0: unknown. */
struct accp_run_role {
    char role[ACCP_NAME_BYTES], kernel[ACCP_NAME_BYTES];
    int chain, acc, effective;
    int warps; /* in a block */
    /* What SASS it was: the control hash and the exact hash of its hot loop (sass/normal.h); "" :
     * unknown. */
    char sass[ACCP_SASS_HASH_BYTES], sass_exact[ACCP_SASS_HASH_BYTES];
    int spills;    /* LDL and STL of its kernel; 0: none, or unknown */
    int registers; /* of a thread; 0: unknown */
    struct accp_cycles cycles;
    double progress; /* iterations of a warp in 10,000,000 cycles, the document's unit */
};

/* The samples of a role that have something in common. */
struct accp_run_part {
    int key;
    uint64_t n; /* 1 or more in a file */
    double mean;
};

/* What each warp of mixed launches measured: of a role whose warps shared blocks with warps of other
 * roles, its samples by the warp of the block that ran it, and by the acc of a role that a warp of the
 * same scheduler ran (a sample stands once for each such warp). Keys ascend. */
struct accp_run_mix {
    char role[ACCP_NAME_BYTES];
    int warps; /* in a block */
    size_t by_warp_count, beside_count;
    struct accp_run_part by_warp[ACCP_RUN_WARPS], beside[ACCP_RUN_BESIDE];
};

/* The GPU. Text that is unknown is ""; numbers that are unknown are -1. */
struct accp_run_device {
    char name[ACCP_TEXT_BYTES], arch[16], pci_id[24], uuid_hash[24], driver[32];
    char pci_device
        [24]; /* vendor and device of the PCI identity, "10de:2335"; pci_id is the bus address */
    int64_t sm_count, memory_bytes;
    double sm_clock_mhz, sm_clock_max_mhz, memory_clock_mhz; /* as NVML says */
    double achieved_mhz_before, achieved_mhz_after;          /* SM cycles over wall nanoseconds */
    char mig[16], ecc[16];                                   /* "on", "off" or "" */
    char throttle[ACCP_TEXT_BYTES]; /* reasons seen, comma-separated; "none"; "" */
    int64_t other_processes;        /* computing on the GPU beside us */
    int64_t utilization_percent;    /* of the GPU, before the run */
};

/* The compiler, as the cubin itself says. */
struct accp_run_compiler {
    char name[ACCP_TEXT_BYTES];    /* what wrote the SASS: "ptxas" */
    char version[ACCP_TEXT_BYTES]; /* "13.0.88" */
    char flags[ACCP_TEXT_BYTES * 2];
};

/* How the roles were run. */
struct accp_run_protocol {
    char name[32];
    uint64_t seed; /* of skews and role order */
    int blocks, launches, budget_cycles, skew_cycles, warmup_cycles;
};

struct accp_run {
    enum accp_source source;
    char date[32]; /* ISO 8601, UTC */
    char tool[32]; /* version of accprobe */
    struct accp_run_device device;
    struct accp_run_compiler compiler;
    struct accp_run_protocol protocol;
    double reference_first,
        reference_second; /* null control: the reference role in the first and in the
                             second half of the process, cycles per iteration; -1: none */
    size_t role_count;
    struct accp_run_role *roles; /* owned */
    size_t mix_count;
    struct accp_run_mix *mixes; /* owned; of roles above, where it is known */
};

/* A cleared run with every unknown marked so. Pair with accp_run_fini. */
void accp_run_init(struct accp_run *run);
void accp_run_fini(struct accp_run *run);

/* Appends a cleared role and returns it in *role (owned by the run, valid until the next append).
 * MEMORY. */
enum accp_status accp_run_append(struct accp_run *run, struct accp_run_role **role,
                                 struct accp_error *error);

/* Appends a copy of `mix`. MEMORY. */
enum accp_status accp_run_append_mix(struct accp_run *run, const struct accp_run_mix *mix,
                                     struct accp_error *error);

/* What each warp measured of that role at that number of warps; NULL: unknown. */
const struct accp_run_mix *accp_run_find_mix(const struct accp_run *run, const char *role,
                                             int warps);

/* The role of that name at that number of warps (any number: warps < 0, the first one); NULL: none.
 */
const struct accp_run_role *accp_run_find(const struct accp_run *run, const char *role, int warps);

/* Reads a run file. *run is initialised here and owned by the caller on success; on failure it is
 * cleared. Refuses (INPUT): another or newer format, missing or mistyped members, numbers that are
 * not finite or out of range, parts of a role that do not make up its samples, a (role, warps) that stands twice, a role of one of our probes that
 * the tables do not have or whose chain or acc differ from them, no roles. Zero samples are read:
 * the verdict answers for them. */
enum accp_status accp_run_read(const char *file, struct accp_run *run, struct accp_error *error);
enum accp_status accp_run_parse(const char *file, const void *data, size_t size,
                                struct accp_run *run, struct accp_error *error);

/* The run as text, one role a line, in a stable order; *text is malloc'd, owned by the caller. */
enum accp_status accp_run_format(const struct accp_run *run, char **text, size_t *text_bytes,
                                 struct accp_error *error);

/* accp_run_format and accp_file_write_atomic. */
enum accp_status accp_run_write(const char *file, const struct accp_run *run,
                                struct accp_error *error);

/* Reads the optional members "sass" and "sass_exact" of an object, both or none. INPUT: not 16
 * hexadecimal digits. */
enum accp_status accp_run_sass_read(const struct accp_json *object, char sass[ACCP_SASS_HASH_BYTES],
                                    char sass_exact[ACCP_SASS_HASH_BYTES],
                                    struct accp_error *error);

/* "measured", "predicted", "document"; static. */
const char *accp_source_text(enum accp_source source);

#endif
