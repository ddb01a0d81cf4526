/* The tables of this folder as enums and constant arrays. To add a row, edit its .def alone; to add a
 * probe, add its row to probes.def and its two lines to roles.def. */
#ifndef ACCP_MATRIX_H
#define ACCP_MATRIX_H

#include "links.h"

#include <stdbool.h>
#include <stddef.h>

/* DISPATCH(id, how a role becomes a kernel, and what the warps of a launch run) */
#define ACCP_DISPATCH_TABLE(DISPATCH) \
    DISPATCH(ALONE, "a kernel of its own: all warps run it") \
    DISPATCH(UNIFORM, \
             "one kernel for all roles of a chain, and a switch: all warps run the same role") \
    DISPATCH(MIXED, \
             "such a kernel: the warps of a block run different roles, drawn for each launch")

enum accp_dispatch {
#define DISPATCH(id, meaning) ACCP_DISPATCH_##id,
    ACCP_DISPATCH_TABLE(DISPATCH)
#undef DISPATCH
        ACCP_DISPATCH_COUNT
};

enum accp_probe {
#define PROBE(id, table, question) ACCP_PROBE_##id,
#include "probes.def"
    ACCP_PROBE_COUNT
};

enum accp_role_id {
#define ROLE_OF(probe, dispatch, id, chain, acc, effective, sink, placement) \
    ACCP_ROLE_##probe##_##id,
#include "roles.def"
    ACCP_ROLE_COUNT
};

enum { ACCP_NAME_BYTES = 128 }; /* any role, kernel or probe name with its NUL */

/* What a warp runs: a kernel of its own, or one case of a kernel that several roles share. All
 * pointers are static. */
struct accp_role {
    enum accp_probe probe;
    enum accp_dispatch dispatch;
    const char *name;          /* optimal.chain29.acc16 */
    const char *kernel;        /* optimal_chain29_acc16_effective16; shared: dispatch_chain29 */
    int chain, acc, effective; /* in a shared kernel, acc is what its switch goes by */
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

/* Look-ups by name (a role also by its kernel's symbol, where the kernel is its alone); NULL when
 * there is none. Static storage. */
const struct accp_role *accp_role_find(const char *name_or_kernel);
const struct accp_arch *accp_arch_find(const char *name);

/* Whether a row of protocols.def has that name. */
bool accp_protocol_known(const char *name);

/* The probe of that name, or -1. */
int accp_probe_find(const char *name);

#endif
