#include "policy/answer.h"

#include <math.h>
#include <string.h>

/* Of a single run nothing is known about the noise: docs/h200.md has at most 0.075 % between
 * processes. */
static const double assumed_noise = 0.001;

/* Of a dependent FFMA, FADD or FMUL, on every arch of arches.def (docs/model.md). */
static const double ffma_latency_cycles = 4;

/* Cycles per iteration and their relative noise. */
struct cost {
    double cycles, noise;
    bool is_known;
};

static struct cost point_cost(const struct accp_policy *policy, enum accp_policy_sink sink,
                              int chain, int load, int acc)
{
    const struct accp_policy_point wanted = {
        .sink = sink, .chain = chain, .load = load, .acc = acc};
    const struct accp_policy_point *point = accp_policy_point_find(policy, &wanted);
    if (!point) return (struct cost){0, 0, false};
    const double mean = point->sum / point->runs;
    const double variance = fmax(0, point->squares / point->runs - mean * mean);
    const double noise =
        point->runs > 1 ? sqrt(variance * point->runs / (point->runs - 1)) / mean : assumed_noise;
    return (struct cost){mean, noise, true};
}

static struct cost mix(struct cost low, struct cost high, double share)
{
    return (struct cost){low.cycles + share * (high.cycles - low.cycles),
                         fmax(low.noise, high.noise), low.is_known && high.is_known};
}

/* The two values of a list around `value`, which lies within the list, and how far it is from the
 * first to the second. */
struct between {
    int low, high;
    double share;
};

static struct between find_between(const struct accp_policy_values *list, double value)
{
    size_t at = 0;
    while (at + 1 < list->count && list->values[at + 1] <= value)
        ++at;
    const int low = list->values[at];
    if (low >= value || at + 1 == list->count) return (struct between){low, low, 0};
    const int high = list->values[at + 1];
    return (struct between){low, high, (value - low) / (high - low)};
}

static struct cost sink_cost(const struct accp_policy *policy, enum accp_policy_sink sink,
                             int chain, double load, int acc)
{
    if (policy->chains[sink].count == 0) return (struct cost){0, 0, false};
    const struct between c = find_between(&policy->chains[sink], chain),
                         l = find_between(&policy->loads[sink], load);
    const struct cost short_chain = mix(point_cost(policy, sink, c.low, l.low, acc),
                                        point_cost(policy, sink, c.low, l.high, acc), l.share);
    const struct cost long_chain = mix(point_cost(policy, sink, c.high, l.low, acc),
                                       point_cost(policy, sink, c.high, l.high, acc), l.share);
    return mix(short_chain, long_chain, c.share);
}

static int iterations_of(const struct accp_policy_conditions *conditions)
{
    return conditions->iterations >= 0 ? conditions->iterations : 1;
}

/* A sum that serves several iterations costs each of them its share. */
static struct cost cost_of(const struct accp_policy *policy,
                           const struct accp_policy_conditions *conditions, double load, int acc)
{
    const int chain = conditions->chain, iterations = iterations_of(conditions);
    const struct cost none = {0, 0, true};
    const struct cost sunk =
        iterations == 0 ? none : sink_cost(policy, ACCP_POLICY_SUNK, chain, load, acc);
    const struct cost carried =
        iterations == 1 ? none : sink_cost(policy, ACCP_POLICY_CARRIED, chain, load, acc);
    if (iterations == 0) return carried;
    if (iterations == 1) return sunk;
    return mix(carried, sunk, 1.0 / iterations);
}

int accp_policy_resident_load(const struct accp_policy *policy, int registers)
{
    const struct accp_arch *arch = policy->arch;
    const int lanes = 32;
    const int allocated = (registers * lanes + arch->allocation - 1) / arch->allocation;
    const int warps = arch->registers / (allocated * arch->allocation);
    const int load = (warps < arch->warps ? warps : arch->warps) / arch->schedulers;
    const struct accp_policy_values *loads = &policy->loads[ACCP_POLICY_SUNK];
    const int highest = loads->count > 0 ? loads->values[loads->count - 1] : load;
    return load < highest ? load : highest;
}

int accp_policy_highest_load(const struct accp_policy *policy,
                             const struct accp_policy_conditions *conditions)
{
    const struct accp_policy_values *loads =
        &policy->loads[accp_policy_bounding_sink(conditions->iterations)];
    const int measured = loads->count > 0 ? loads->values[loads->count - 1] : 0;
    if (conditions->registers_used < 1) return measured;
    const int fits = accp_policy_resident_load(policy, conditions->registers_used);
    return fits < measured ? fits : measured;
}

enum accp_policy_sink accp_policy_bounding_sink(int iterations)
{
    return iterations == 1 || iterations < 0 ? ACCP_POLICY_SUNK : ACCP_POLICY_CARRIED;
}

static int independent_of(const struct accp_policy_conditions *conditions)
{
    return conditions->independent >= 0 ? conditions->independent : 1;
}

static double surrounding_of(const struct accp_policy_conditions *conditions)
{
    return fmax(0, conditions->surrounding);
}

/* What the memory takes of the scheduler's share of it for an iteration of one warp, in cycles. */
static double memory_cycles(const struct accp_policy *policy,
                            const struct accp_policy_conditions *conditions)
{
    const int lanes = 32;
    if (!(conditions->bytes > 0)) return 0;
    return conditions->bytes * lanes * conditions->chain * policy->arch->schedulers /
           conditions->bandwidth;
}

static int highest_load(const struct accp_policy *policy,
                        const struct accp_policy_conditions *conditions)
{
    const struct accp_policy_values *loads =
        &policy->loads[accp_policy_bounding_sink(conditions->iterations)];
    return loads->values[loads->count - 1];
}

/* Chains in flight on a scheduler, counted in warps that have nothing but a chain of FFMAs; below one it waits as one
 * does. */
static double effective_load(const struct accp_policy_conditions *conditions, int load)
{
    const double latency = conditions->latency > 0 ? conditions->latency / ffma_latency_cycles : 1;
    const double hidden = independent_of(conditions) * (1 + surrounding_of(conditions)) / latency;
    return fmax(load * hidden, 1);
}

static bool is_covered(const struct accp_policy *policy,
                       const struct accp_policy_conditions *conditions)
{
    return effective_load(conditions, conditions->load) > highest_load(policy, conditions);
}

enum { REGISTERS_MAX = 255 }; /* of a thread, on every arch */

static struct accp_policy_choice choose(const struct accp_policy *policy,
                                        const struct accp_policy_conditions *conditions, int acc)
{
    const double others = surrounding_of(conditions) * conditions->chain;
    const int further = (acc - 1) * independent_of(conditions);
    struct accp_policy_choice choice = {.acc = acc, .load = conditions->load, .time = NAN};
    if (conditions->registers_used > 0) {
        const int stays = accp_policy_resident_load(policy, conditions->registers_used + further);
        if (stays < choice.load) choice.load = stays;
    }
    if (acc > conditions->chain || choice.load < 1) return choice;
    const double load =
        fmin(effective_load(conditions, choice.load), highest_load(policy, conditions));
    const struct cost cost = cost_of(policy, conditions, load, acc);
    if (!cost.is_known) return choice;
    choice.noise = cost.noise;
    choice.time = cost.cycles / load + others;
    /* Nothing waits for a link: what is left is the slots that the instructions take. */
    if (is_covered(policy, conditions))
        choice.time = conditions->chain + others +
                      (conditions->iterations ? (acc - 1.0) / iterations_of(conditions) : 0);
    choice.time = fmax(choice.time, memory_cycles(policy, conditions));
    choice.is_open = (conditions->registers_left < 0 || further <= conditions->registers_left) &&
                     conditions->registers_used + further <= REGISTERS_MAX;
    return choice;
}

/* Ranges with their reasons; what a policy cannot answer it must not guess. */
static enum accp_status check_range(const char *what, double value,
                                    const struct accp_policy_values *measured, const char *remedy,
                                    struct accp_error *error)
{
    const int low = measured->values[0], high = measured->values[measured->count - 1];
    if (value >= low && value <= high) return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_INPUT, what, -1,
                     "%.10g lies outside of what the runs hold, %d to %d: %s", value, low, high,
                     remedy);
}

static enum accp_status check_conditions(const struct accp_policy *policy,
                                         const struct accp_policy_conditions *conditions,
                                         struct accp_error *error)
{
    if (policy->run_count == 0)
        return accp_fail(error, ACCP_STATUS_INPUT, "policy", -1,
                         "there is no run to answer from: measure with --protocol occupancy");
    const int fits = policy->arch->warps / policy->arch->schedulers;
    if (conditions->load > fits)
        return accp_fail(error, ACCP_STATUS_INPUT, "warps per scheduler", -1,
                         "%d do not fit: a scheduler of %s holds %d at the most", conditions->load,
                         policy->arch->name, fits);
    const enum accp_policy_sink sink = accp_policy_bounding_sink(conditions->iterations);
    if (policy->chains[sink].count == 0)
        return accp_fail(error, ACCP_STATUS_INPUT, "policy", -1,
                         sink == ACCP_POLICY_SUNK
                             ? "the runs lack the optimal probe's roles, whose iterations sum"
                             : "the runs lack what is needed: a sink that is isolated or serves "
                               "several iterations needs sink's carried roles");
    ACCP_TRY(check_range("chain", conditions->chain, &policy->chains[sink],
                         "give the links of one iteration; for another length, add its roles to "
                         "matrix/optimal.def and sink.def, and measure",
                         error));
    ACCP_TRY(check_range(
        "warps per scheduler", conditions->load, &policy->loads[sink],
        "measure at that load (--warps, 4 for each scheduler's one) and give the run", error));
    const int highest = accp_policy_highest_load(policy, conditions);
    if (conditions->load > highest)
        return accp_fail(error, ACCP_STATUS_INPUT, "policy", -1,
                         "%d warps of a scheduler do not fit: with %d registers a thread it holds "
                         "%d; ask for --warps %d, or give fewer registers-used",
                         conditions->load, conditions->registers_used, highest, highest);
    return accp_policy_conditions_check_memory(conditions, error);
}

static enum accp_policy_rule rule_of(const struct accp_policy *policy,
                                     const struct accp_policy_conditions *conditions,
                                     const struct accp_policy_answer *answer)
{
    const struct accp_policy_choice *one = accp_answer_choice(answer, 1),
                                    *best = accp_answer_choice(answer, answer->best_at_all);
    const struct accp_policy_choice *split = accp_answer_choice(answer, answer->split);
    const double memory = memory_cycles(policy, conditions);
    if (memory > 0 && one && one->time <= memory) return ACCP_POLICY_MEMORY;
    if (is_covered(policy, conditions)) return ACCP_POLICY_COVERED;
    if (!best->is_open && best->time * (1 + accp_answer_tie(best, split)) < split->time)
        return ACCP_POLICY_REGISTERS;
    if (answer->choices[answer->choice_count - 1].load < conditions->load &&
        split->load == conditions->load)
        return ACCP_POLICY_OCCUPANCY;
    if (answer->split > 1) return ACCP_POLICY_SPLIT;
    return answer->best == 1 ? ACCP_POLICY_KEEP_ONE : ACCP_POLICY_NO_DIFFERENCE;
}

enum accp_status accp_policy_ask(const struct accp_policy *policy,
                                 const struct accp_policy_conditions *conditions,
                                 struct accp_policy_answer *answer, struct accp_error *error)
{
    ACCP_TRY(check_conditions(policy, conditions, error));
    memset(answer, 0, sizeof *answer);
    for (size_t i = 0; i < policy->accs.count && i < ACCP_POLICY_ACCS; ++i)
        answer->choices[answer->choice_count++] =
            choose(policy, conditions, policy->accs.values[i]);
    if (!accp_answer_pick(answer)) {
        return accp_fail(error, ACCP_STATUS_INPUT, "policy", -1,
                         "no number of accumulators meets the conditions: not one warp stays "
                         "resident, or the runs lack roles");
    }
    answer->rule = rule_of(policy, conditions, answer);
    accp_answer_say(answer);
    return ACCP_STATUS_OK;
}
