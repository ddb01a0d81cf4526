/* The tables of this folder as enums and constant arrays. To add a row, edit the .def alone; to add
 * a probe, add a PROBE line to ACCP_PROBE_TABLE and its two #include lines below. */
#ifndef ACCP_MATRIX_H
#define ACCP_MATRIX_H

#include <stdbool.h>
#include <stddef.h>

/* PROBE(id, question) */
#define ACCP_PROBE_TABLE(PROBE) PROBE(optimal, "which number of accumulators is best for a chain?")

/* SINK(id, what the iteration does with its accumulators) */
#define ACCP_SINK_TABLE(SINK) SINK(FULL, "adds every accumulator to the sink, one after another")

/* PLACEMENT(id, which accumulator link i of the chain goes to) */
#define ACCP_PLACEMENT_TABLE(PLACEMENT) PLACEMENT(ROUND_ROBIN, "accumulator i mod effective")

enum accp_probe {
#define PROBE(id, question) ACCP_PROBE_##id,
    ACCP_PROBE_TABLE(PROBE)
#undef PROBE
        ACCP_PROBE_COUNT
};

enum accp_sink {
#define SINK(id, meaning) ACCP_SINK_##id,
    ACCP_SINK_TABLE(SINK)
#undef SINK
        ACCP_SINK_COUNT
};

enum accp_placement {
#define PLACEMENT(id, meaning) ACCP_PLACEMENT_##id,
    ACCP_PLACEMENT_TABLE(PLACEMENT)
#undef PLACEMENT
        ACCP_PLACEMENT_COUNT
};

enum accp_role_id {
#define ROLE(id, chain, acc, effective, sink, placement) ACCP_ROLE_optimal_##id,
#include "optimal.def"
    ACCP_ROLE_COUNT
};

enum { ACCP_NAME_BYTES = 128 }; /* any role, kernel or probe name with its NUL */

/* One statically compiled kernel. All pointers are static. */
struct accp_role {
    enum accp_probe probe;
    const char *name;   /* optimal.chain29.acc16 */
    const char *kernel; /* optimal_chain29_acc16_effective16 */
    int chain, acc, effective;
    enum accp_sink sink;
    enum accp_placement placement;
};

enum accp_blocks { ACCP_BLOCKS_ONE, ACCP_BLOCKS_EVERY_SM };

enum accp_protocol_id {
#define PROTOCOL(id, name, warps, blocks, launches, budget, skew, warmup) ACCP_PROTOCOL_##id,
#include "protocols.def"
    ACCP_PROTOCOL_COUNT
};

/* One row of protocols.def; the fields are its columns. */
struct accp_protocol {
    const char *name;
    int warps;
    enum accp_blocks blocks;
    int launches;
    int budget_cycles, skew_cycles, warmup_cycles;
};

enum accp_arch_id {
#define ARCH(id, lanes, schedulers, warps, registers, allocation, validated) ACCP_ARCH_##id,
#include "arches.def"
    ACCP_ARCH_COUNT
};

/* One row of arches.def; the fields are its columns. */
struct accp_arch {
    const char *name; /* sm_90 */
    int fp32_lanes, schedulers, warps, registers, allocation;
    bool validated;
};

extern const char *const accp_probe_names[ACCP_PROBE_COUNT];
extern const char *const accp_probe_questions[ACCP_PROBE_COUNT];
extern const struct accp_role accp_roles[ACCP_ROLE_COUNT]; /* in the order of the tables */
extern const struct accp_protocol accp_protocols[ACCP_PROTOCOL_COUNT];
extern const struct accp_arch accp_arches[ACCP_ARCH_COUNT];

/* Look-ups by name (a role also by its kernel's symbol); NULL when there is none. Static storage.
 */
const struct accp_role *accp_role_find(const char *name_or_kernel);
const struct accp_arch *accp_arch_find(const char *name);

/* Whether a row of protocols.def has that name. */
bool accp_protocol_known(const char *name);

/* The probe of that name, or -1. */
int accp_probe_find(const char *name);

#endif
