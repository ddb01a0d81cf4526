/* How many accumulators to split a chain over: a table of what the optimal and the sink probe cost at every load, and
 * the rule that reads it. It is made from runs, whatever their source, and knows nothing else.
 *
 * A load is a number of warps on each scheduler. A time is what one iteration of one warp takes of
 * its scheduler, in cycles: cycles per iteration over the load. */
#ifndef ACCP_POLICY_POLICY_H
#define ACCP_POLICY_POLICY_H

#include "base/status.h"
#include "matrix.h"
#include "run/run.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    ACCP_POLICY_ACCS = 16, /* numbers of accumulators, and chains or loads, that are told apart */
    ACCP_POLICY_VALUES = 64,
    ACCP_POLICY_TEXT_BYTES = 512
};

/* What the iterations do with the accumulators. */
enum accp_policy_sink {
    ACCP_POLICY_SUNK, /* each sums them: the roles of the optimal probe, the kernels of the peak map */
    ACCP_POLICY_CARRIED, /* they are summed after the loop: the carried roles of the sink probe */
    ACCP_POLICY_SINKS
};

/* An ascending list without doubles. */
struct accp_policy_values {
    size_t count;
    int values[ACCP_POLICY_VALUES];
};

/* What one role costs at one load. */
struct accp_policy_point {
    enum accp_policy_sink sink;
    int chain, load, acc, runs;
    double sum, squares; /* over the runs, of cycles per iteration */
};

/* Initialise to zero; pair with accp_policy_fini. */
struct accp_policy {
    size_t run_count;
    enum accp_source source;
    struct accp_run_device device; /* of the first run */
    struct accp_run_compiler compiler;
    char first_date[32], last_date[32];
    const struct accp_arch *arch;
    struct accp_policy_values chains[ACCP_POLICY_SINKS], loads[ACCP_POLICY_SINKS], accs;
    size_t point_count, point_room;
    struct accp_policy_point *points; /* owned; ascending in sink, chain, load, acc */
};

void accp_policy_fini(struct accp_policy *policy);

/* Which cost a role is: optimal.chainN.accA, map_chainN_accA (kernels/map) and sink.chainN.accA.carried, at a whole
 * number of warps for each scheduler. False: none, or it has no samples. */
bool accp_policy_point_of(const struct accp_arch *arch, const struct accp_run_role *role,
                          struct accp_policy_point *point);

/* The point of that cost; NULL: it was not measured. */
const struct accp_policy_point *accp_policy_point_find(const struct accp_policy *policy,
                                                       const struct accp_policy_point *wanted);

/* Adds the roles of a run that are a cost (accp_policy_point_of). INPUT: the run holds none; its arch is not in
 * arches.def; or it differs from the runs before in source, arch, number of SMs, PCI device or
 * compiler, which no policy can be a mean of. */
enum accp_status accp_policy_add(struct accp_policy *policy, const char *file,
                                 const struct accp_run *run, struct accp_error *error);

/* Which roles bound what can be asked for: those that are summed after the loop where their sum serves none or several
 * iterations, for they are fewer. */
enum accp_policy_sink accp_policy_bounding_sink(int iterations);

/* What surrounds the chain: accp_policy_conditions_init, then chain and load; the other members are
 * conditions.def's, and stand for "nothing" until they are set. */
struct accp_policy_conditions {
    int chain; /* links of an iteration */
    int load;  /* warps on each scheduler */
#define CONDITION(id, name, type, low, high, words) type id;
#include "policy/conditions.def"
    char bandwidth_from[160]; /* what measured the bandwidth; "": it was given */
};

/* Nothing surrounds it, each iteration of a chain sums the accumulators, and registers are no matter. */
void accp_policy_conditions_init(struct accp_policy_conditions *conditions);

/* Reads "name=value,name=value". USAGE: another name, which lists those there are; a value that is
 * no number of its type and range. */
enum accp_status accp_policy_conditions_read(const char *text,
                                             struct accp_policy_conditions *conditions,
                                             struct accp_error *error);

/* INPUT: bytes without bandwidth, or bandwidth without bytes. */
enum accp_status
accp_policy_conditions_check_memory(const struct accp_policy_conditions *conditions,
                                    struct accp_error *error);

/* The conditions that are set, as --given would have them, and what measured the bandwidth; "nothing" where none is. */
void accp_policy_conditions_text(const struct accp_policy_conditions *conditions, char *text,
                                 size_t text_bytes);

/* RULE(id, words): which rule answered. */
#define ACCP_POLICY_RULE_TABLE(RULE) \
    RULE(SPLIT, "the chain's latency is what the iteration waits for") \
    RULE(KEEP_ONE, "keep 1: a split saves no more than it costs") \
    RULE(NO_DIFFERENCE, "keep 1, no difference: what a split saves is within the noise") \
    RULE(MEMORY, "keep 1, no difference: memory is what the iteration waits for") \
    RULE(COVERED, "keep 1: other work of the scheduler covers the chain's latency") \
    RULE(REGISTERS, "no further than registers are left") \
    RULE(OCCUPANCY, "no further than the resident warps stay")

enum accp_policy_rule {
#define RULE(id, words) ACCP_POLICY_##id,
    ACCP_POLICY_RULE_TABLE(RULE)
#undef RULE
        ACCP_POLICY_RULE_COUNT
};

/* What one number of accumulators costs under the conditions. */
struct accp_policy_choice {
    int acc;
    bool is_open; /* the conditions allow it, and it was measured */
    int load;     /* that is left: further registers may cost resident warps */
    double time;  /* cycles of a scheduler for one iteration of one warp */
    double noise; /* of it: standard deviation between processes, relative */
};

struct accp_policy_answer {
    int split;
    enum accp_policy_rule rule;
    size_t choice_count;
    struct accp_policy_choice choices[ACCP_POLICY_ACCS]; /* ascending in acc */
    int best;                                            /* acc of the least time that is open */
    int best_at_all; /* of the least time, were all the registers there that it takes */
    bool is_tied[ACCP_POLICY_ACCS];     /* [choice]: within the noise of the best */
    char words[ACCP_POLICY_TEXT_BYTES]; /* the rule, with its figures */
};

/* Answers from the table: the fewest accumulators that the noise does not tell from the best ones. Between measured
 * chains and loads it goes along straight lines; beyond them it does not answer. Independent chains and other
 * instructions hide the chain's latency as further warps do: a load of load x independent x
 * (1 + surrounding) x 4 / latency is looked up, and one above the highest measured hides it all. INPUT, saying what is missing and how to get it: no run; a chain or load
 * outside of the measured ones; more warps than the arch, or the registers in use, let stay; a number of iterations or a
 * condition below 0; no carried roles where they are needed. */
enum accp_status accp_policy_ask(const struct accp_policy *policy,
                                 const struct accp_policy_conditions *conditions,
                                 struct accp_policy_answer *answer, struct accp_error *error);

/* Warps on each scheduler that stay resident when a thread takes so many registers (1 or more), but
 * no more than the highest load measured (of the roles that are summed in each iteration). Source: CUDA C++ Programming Guide, "Hardware
 * Multithreading"; arches.def. */
int accp_policy_resident_load(const struct accp_policy *policy, int registers);

/* The highest load that can be asked for under the conditions: measured, and resident with the registers that are used. 0:
 * the runs lack what is needed. */
int accp_policy_highest_load(const struct accp_policy *policy,
                             const struct accp_policy_conditions *conditions);

/* How much slower `acc` is than the split: time over the split's, less 1; NaN where it was not
 * measured. */
double accp_policy_margin(const struct accp_policy_answer *answer, int acc);

/* "SPLIT" and the words of a rule; static. */
const char *accp_policy_rule_id(enum accp_policy_rule rule);
const char *accp_policy_rule_words(enum accp_policy_rule rule);

/* The C header: accp_split(chain, warps_per_scheduler, registers_left) for every whole chain and
 * load between the measured ones, under the other conditions given. *text is malloc'd, owned by the
 * caller. Errors: as accp_policy_ask, MEMORY. */
enum accp_status accp_policy_header(const struct accp_policy *policy,
                                    const struct accp_policy_conditions *conditions, char **text,
                                    struct accp_error *error);

#endif
