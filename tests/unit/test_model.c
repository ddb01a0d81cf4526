/* Holds the issue model against loops that ran on an H200, and its switches against each other. */
#include "model/model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LONGEST = 128, WORD_DIGITS = 32 };

struct measured_loop {
    const char *id;
    int position, warps;
    double cycles;
    const char *code;
};

static const struct measured_loop measured[] = {
#define LOOP(id, position, warps, cycles, code) {#id, position, warps, cycles, code},
#include "model_loops.def"
};

enum { MEASURED = sizeof measured / sizeof *measured };

/* A kernel that holds nothing but the loop, at its position in the line. */
struct fixture {
    struct accp_instruction instructions[LONGEST + 8];
    struct accp_kernel kernel;
    struct accp_loop loop;
    struct accp_code code;
};

static void assemble(const struct measured_loop *loop, struct fixture *fixture)
{
    memset(fixture, 0, sizeof *fixture);
    size_t count = (size_t)loop->position;
    for (const char *at = loop->code; *at; at += WORD_DIGITS, at += *at == ' ') {
        uint8_t bytes[ACCP_INSTRUCTION_BYTES];
        for (size_t k = 0; k < sizeof bytes; ++k) {
            const char digits[] = {at[2 * k], at[2 * k + 1], 0};
            bytes[sizeof bytes - 1 - k] = (uint8_t)strtoul(digits, NULL, 16);
        }
        assert_true(count < LONGEST);
        assert_int_equal(accp_sass_decode(90, bytes, &fixture->instructions[count++], NULL),
                         ACCP_STATUS_OK);
    }
    fixture->kernel = (struct accp_kernel){.name = loop->id, .registers = 32};
    fixture->loop = (struct accp_loop){.head = (size_t)loop->position,
                                       .latch = count - 1,
                                       .instructions = count - (size_t)loop->position};
    fixture->code = (struct accp_code){.kernel = &fixture->kernel,
                                       .sm = 90,
                                       .count = count,
                                       .instructions = fixture->instructions,
                                       .loop_count = 1,
                                       .loops = &fixture->loop};
}

static const struct measured_loop *find(const char *id)
{
    for (size_t i = 0; i < MEASURED; ++i)
        if (!strcmp(measured[i].id, id)) return &measured[i];
    fail_msg("no loop %s", id);
    return NULL;
}

static struct accp_prediction predict(const char *id, int warps, uint32_t without)
{
    struct fixture fixture;
    struct accp_prediction prediction;
    assemble(find(id), &fixture);
    const struct accp_model_options options = {.warps = warps, .seed = 7, .without = without};
    assert_int_equal(accp_model_predict(&fixture.code, &fixture.loop, &options, &prediction, NULL),
                     ACCP_STATUS_OK);
    return prediction;
}

static void test_one_warp_is_exact(void **state)
{
    (void)state;
    for (size_t i = 0; i < MEASURED; ++i) {
        if (measured[i].warps > 4) continue;
        const struct accp_prediction prediction = predict(measured[i].id, measured[i].warps, 0);
        assert_true(prediction.known);
        if (fabs(prediction.cycles.mean - measured[i].cycles) > 0.01)
            fail_msg("%s: predicted %g, measured %g", measured[i].id, prediction.cycles.mean,
                     measured[i].cycles);
    }
}

static void test_several_warps_are_near(void **state)
{
    (void)state;
    for (size_t i = 0; i < MEASURED; ++i) {
        if (measured[i].warps <= 4) continue;
        const double off = measured[i].warps == 8 ? 0.01 : 0.03;
        const struct accp_prediction prediction = predict(measured[i].id, measured[i].warps, 0);
        if (fabs(prediction.cycles.mean / measured[i].cycles - 1) > off)
            fail_msg("%s: predicted %g, measured %g", measured[i].id, prediction.cycles.mean,
                     measured[i].cycles);
    }
}

/* The loop with its inner branch under another guard (4 bits, the highest negates; 7: always), and
 * `ahead` instructions farther. */
static struct accp_prediction predict_branch(const char *id, uint64_t guard, uint64_t ahead)
{
    struct fixture fixture;
    struct accp_prediction prediction;
    assemble(find(id), &fixture);
    for (size_t i = fixture.loop.head; i < fixture.loop.latch; ++i) {
        struct accp_instruction *at = &fixture.instructions[i];
        if (!at->has_target) continue;
        const uint64_t low = (at->low & ~UINT64_C(0xf000)) | guard << 12;
        const uint64_t words[2] = {low + (ahead * 4 << 16), at->high};
        uint8_t bytes[ACCP_INSTRUCTION_BYTES];
        memcpy(bytes, words, sizeof bytes);
        assert_int_equal(accp_sass_decode(90, bytes, at, NULL), ACCP_STATUS_OK);
    }
    fixture.code.count += 60; /* what stands behind the loop */
    struct accp_instruction more[LONGEST + 68] = {0};
    memcpy(more, fixture.instructions, sizeof fixture.instructions);
    fixture.code.instructions = more;
    const struct accp_model_options options = {.warps = 4, .seed = 7};
    assert_int_equal(accp_model_predict(&fixture.code, &fixture.loop, &options, &prediction, NULL),
                     ACCP_STATUS_OK);
    return prediction;
}

static void test_branches_inside(void **state)
{
    enum { P2 = 2, ALWAYS = 7, NEVER = 15, TO_THE_END = 38 };
    static const double fall_through_cycles = 65; /* measured with a predicate that was false */
    const char *id = "jump_skip5_at10";
    (void)state;
    struct accp_prediction prediction = predict_branch(id, ALWAYS, 0);
    assert_true(prediction.known && prediction.cycles.mean == find(id)->cycles);
    prediction = predict_branch(id, NEVER, 0);
    assert_true(prediction.known && prediction.cycles.mean == fall_through_cycles);
    prediction = predict_branch(id, P2, 0);
    assert_false(prediction.known);
    assert_non_null(strstr(prediction.unknown, "that a predicate decides"));
    /* An iteration that another one follows does not leave the loop. */
    prediction = predict_branch(id, P2, TO_THE_END);
    assert_true(prediction.known && prediction.cycles.mean == fall_through_cycles);
    prediction = predict_branch(id, ALWAYS, TO_THE_END);
    assert_false(prediction.known);
    assert_non_null(strstr(prediction.unknown, "leaves the loop"));
}

/* 392 NOPs around the counter took 416.5 cycles on the H200 from the begin of a line, and 424.2 from its
 * fourth instruction; 363 instructions from there take what they would in a shorter loop. */
static void test_long_loops_fetch_their_beginning(void **state)
{
    enum { LONG = 395, KEPT = 363, EXTRA = 9, BRANCH = 10 };
    static struct accp_instruction instructions[LONG];
    struct accp_kernel kernel = {.name = "long", .registers = 32};
    struct fixture fixture;
    (void)state;
    assemble(find("target_with_8_left_in_its_line"), &fixture);
    for (int i = 0; i < LONG; ++i)
        instructions[i] = fixture.instructions[1]; /* a NOP of stall 1 */
    for (int count = KEPT; count <= LONG; count += LONG - KEPT) {
        struct accp_loop loop = {
            .head = 0, .latch = (size_t)count - 1, .instructions = (size_t)count};
        const struct accp_code code = {.kernel = &kernel,
                                       .sm = 90,
                                       .count = (size_t)count,
                                       .instructions = instructions,
                                       .loop_count = 1,
                                       .loops = &loop};
        struct accp_model_options options = {.warps = 1};
        struct accp_prediction prediction, without;
        instructions[count - 1] = fixture.instructions[fixture.loop.latch];
        assert_int_equal(accp_model_predict(&code, &loop, &options, &prediction, NULL),
                         ACCP_STATUS_OK);
        options.without = 1u << ACCP_MECHANISM_CACHE;
        assert_int_equal(accp_model_predict(&code, &loop, &options, &without, NULL),
                         ACCP_STATUS_OK);
        assert_true(without.cycles.mean == count - 1 + BRANCH);
        assert_true(prediction.cycles.mean == without.cycles.mean + (count == LONG ? EXTRA : 0));
        instructions[count - 1] = fixture.instructions[1];
    }
}

struct switch_case {
    enum accp_mechanism mechanism;
    const char *loop;
    int warps;
    double least, most; /* what leaving it out adds to the mean */
};

static void test_each_mechanism_switches(void **state)
{
    (void)state;
    static const struct switch_case cases[] = {
        {ACCP_MECHANISM_STALLS, "branch_of_stall_15", 4, -20, -5},
        {ACCP_MECHANISM_YIELD, "yields_alone", 4, -33, -31},
        {ACCP_MECHANISM_SCOREBOARDS, "constant_waited_for", 4, -25, -20},
        {ACCP_MECHANISM_GREEDY, "ffma_on_two_pipes", 8, 0.5, 20},
        {ACCP_MECHANISM_SHARES, "tree_125_four_warps", 16, 4, 16},
        {ACCP_MECHANISM_PIPES, "integer_pipe", 4, -40, -30},
        {ACCP_MECHANISM_WIDE, "wide_products", 4, -64, -32},
        {ACCP_MECHANISM_REUSE, "reuse_of_three", 4, 80, 100},
        {ACCP_MECHANISM_RESULTS, "results_chain_77", 4, -5.01, -4.99},
        {ACCP_MECHANISM_PORTS, "reads_conflict_eee_eee_s1_n", 4, -2.01, -1.99},
        {ACCP_MECHANISM_BRANCH, "branch_of_stall_1", 4, -10, -8},
        {ACCP_MECHANISM_LINES, "target_with_1_left_in_its_line", 4, -2.01, -1.99},
        {ACCP_MECHANISM_FETCH, "target_with_2_left_in_its_line", 8, -9, -0.5},
        {ACCP_MECHANISM_SHARED, "constant_waited_for", 32, -50, -1},
        {ACCP_MECHANISM_UNIFORM, "uniform_pipe", 4, -40, -30},
        {ACCP_MECHANISM_QUEUES, "sfu_queue", 4, -24, -22},
        {ACCP_MECHANISM_WRITES, "fp64_and_a_result_2_cycles_behind", 4, -1.01, -0.99},
        {ACCP_MECHANISM_WRITES, "constant_whose_result_waits", 4, -1.01, -0.99},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const struct switch_case *one = &cases[i];
        const double with = predict(one->loop, one->warps, 0).cycles.mean;
        const double change =
            predict(one->loop, one->warps, 1u << one->mechanism).cycles.mean - with;
        if (change < one->least || change > one->most)
            fail_msg("without %s, %s goes from %g by %g", accp_mechanism_name(one->mechanism),
                     one->loop, with, change);
    }
    const uint32_t no_reuse = 1u << ACCP_MECHANISM_REUSE;
    const double conflicts = predict("reuse_of_three", 4, no_reuse).cycles.mean;
    assert_true(predict("reuse_of_three", 4, no_reuse | 1u << ACCP_MECHANISM_PORTS).cycles.mean <
                conflicts - 80);
}

static void watch(const struct accp_model_cycle *cycle, void *context)
{
    *(int64_t *)context += cycle->cycle >= 0;
}

static bool are_equal(const struct accp_cycles *a, const struct accp_cycles *b)
{
    bool equal = a->n == b->n && a->mean == b->mean && a->min == b->min && a->max == b->max &&
                 a->mode_count == b->mode_count;
    for (size_t i = 0; i < a->mode_count && equal; ++i)
        equal =
            a->modes[i].cycles == b->modes[i].cycles && a->modes[i].weight == b->modes[i].weight;
    return equal;
}

/* States that come back are not simulated again, which nothing but the time may show. While somebody watches,
 * everything is simulated. */
static void test_remembered_states_change_nothing(void **state)
{
    static const int warps[] = {5, 8, 12};
    static const uint32_t without[] = {0, 1u << ACCP_MECHANISM_SHARES};
    enum { LOADS = sizeof warps / sizeof *warps, WITHOUTS = sizeof without / sizeof *without };
    (void)state;
    for (size_t i = 0; i < (size_t)MEASURED * LOADS * WITHOUTS; ++i) {
        const char *id = measured[i / LOADS / WITHOUTS].id;
        struct accp_model_options options = {.warps = warps[i / WITHOUTS % LOADS],
                                             .phases = 2,
                                             .seed = 7,
                                             .without = without[i % WITHOUTS]};
        struct fixture fixture;
        struct accp_prediction watched, remembered;
        int64_t cycles = 0;
        assemble(find(id), &fixture);
        assert_int_equal(
            accp_model_predict(&fixture.code, &fixture.loop, &options, &remembered, NULL),
            ACCP_STATUS_OK);
        options.trace = watch;
        options.trace_context = &cycles;
        options.traces_every_start = true;
        assert_int_equal(accp_model_predict(&fixture.code, &fixture.loop, &options, &watched, NULL),
                         ACCP_STATUS_OK);
        assert_true(cycles > 0);
        if (!are_equal(&watched.cycles, &remembered.cycles))
            fail_msg("%s at %d warps: %.17g watched, %.17g remembered", id, options.warps,
                     watched.cycles.mean, remembered.cycles.mean);
    }
}

/* A loop whose every instruction drains its warp. */
static void test_loops_may_be_too_long(void **state)
{
    static struct accp_instruction instructions[ACCP_MODEL_INSTRUCTIONS];
    struct accp_kernel kernel = {.name = "long", .registers = 32};
    struct accp_loop loop = {.latch = ACCP_MODEL_INSTRUCTIONS - 1,
                             .instructions = ACCP_MODEL_INSTRUCTIONS};
    const struct accp_code code = {.kernel = &kernel,
                                   .sm = 90,
                                   .count = ACCP_MODEL_INSTRUCTIONS,
                                   .instructions = instructions,
                                   .loop_count = 1,
                                   .loops = &loop};
    struct accp_model_options options = {.warps = 64};
    struct accp_prediction prediction;
    struct fixture fixture;
    (void)state;
    assemble(find("target_with_8_left_in_its_line"), &fixture);
    for (int i = 0; i < ACCP_MODEL_INSTRUCTIONS; ++i) {
        instructions[i] = fixture.instructions[1];
        instructions[i].control.stall_cycles = 0;
        instructions[i].control.yield = true;
    }
    instructions[loop.latch] = fixture.instructions[fixture.loop.latch];
    assert_int_equal(accp_model_predict(&code, &loop, &options, &prediction, NULL), ACCP_STATUS_OK);
    assert_false(prediction.known);
    assert_non_null(strstr(prediction.unknown, "an iteration of some 13"));
    assert_non_null(strstr(prediction.unknown, "too long at 64 warps; fewer may do"));
    assert_true(prediction.cycles.n == 0);
    options.warps = 1;
    assert_int_equal(accp_model_predict(&code, &loop, &options, &prediction, NULL), ACCP_STATUS_OK);
    assert_true(prediction.known && prediction.cycles.mean > 33.0 * (ACCP_MODEL_INSTRUCTIONS - 1));
}

static void test_distribution_is_sound_and_repeats(void **state)
{
    (void)state;
    const struct accp_prediction first = predict("two_pat_2x1_4", 8, 0);
    const struct accp_prediction again = predict("two_pat_2x1_4", 8, 0);
    assert_memory_equal(&first.cycles, &again.cycles, sizeof first.cycles);
    assert_true(first.cycles.min <= first.cycles.mean && first.cycles.mean <= first.cycles.max);
    assert_int_equal(first.cycles.n, 32 * 2);
    double weight = 0;
    for (size_t i = 0; i < first.cycles.mode_count; ++i)
        weight += first.cycles.modes[i].weight;
    assert_true(fabs(weight - 1) < 1e-9);
}

/* Five warps: one scheduler has two, three have one. */
static void test_every_warp_counts_once(void **state)
{
    (void)state;
    const double one = predict("integer_pipe", 4, 0).cycles.mean;
    const double two = predict("integer_pipe", 8, 0).cycles.mean;
    const double five = predict("integer_pipe", 5, 0).cycles.mean;
    assert_true(two > one * 1.2);
    assert_true(fabs(five / ((2 * two + 3 * one) / 5) - 1) < 0.005);
}

struct seen {
    int64_t cycles, issued, causes[ACCP_CAUSE_COUNT];
    int warps;
};

static void look(const struct accp_model_cycle *cycle, void *context)
{
    struct seen *seen = context;
    int served = 0;
    if (cycle->scheduler) return; /* all four run where they share a queue */
    if (cycle->issued >= 0) ++seen->issued;
    for (int w = 0; w < cycle->warps; ++w) {
        ++seen->causes[cycle->causes[w]];
        if (cycle->causes[w] == ACCP_CAUSE_NONE) ++served;
        assert_int_equal(cycle->causes[w] == ACCP_CAUSE_NONE, w == cycle->issued);
        assert_in_range(cycle->instructions[w], 0, LONGEST);
    }
    assert_int_equal(served, cycle->issued >= 0);
    assert_int_equal(cycle->cycle, seen->cycles++);
    seen->warps = cycle->warps;
}

static struct seen trace(const char *id, int warps)
{
    struct fixture fixture;
    struct accp_prediction prediction;
    struct seen seen = {0};
    assemble(find(id), &fixture);
    const struct accp_model_options options = {
        .warps = warps, .trace = look, .trace_context = &seen};
    assert_int_equal(accp_model_predict(&fixture.code, &fixture.loop, &options, &prediction, NULL),
                     ACCP_STATUS_OK);
    assert_int_equal(seen.warps, warps / 4);
    const double an_iteration = (double)seen.cycles / prediction.cycles.mean;
    const double issued = (double)fixture.loop.instructions * an_iteration * seen.warps;
    assert_true(fabs((double)seen.issued / issued - 1) < 0.03);
    return seen;
}

/* What each loop loses its cycles to, and how many of a hundred at the least. */
static void test_trace_names_the_causes(void **state)
{
    (void)state;
    static const struct {
        const char *loop;
        int warps;
        enum accp_cause cause;
        int percent;
    } cases[] = {
        {"integer_pipe", 4, ACCP_CAUSE_PIPE, 35},
        {"constant_waited_for", 4, ACCP_CAUSE_SCOREBOARD, 20},
        {"reads_conflict_eee_eee_s1_n", 4, ACCP_CAUSE_PORTS, 5},
        {"branch_of_stall_1", 4, ACCP_CAUSE_BRANCH, 10},
        {"target_with_1_left_in_its_line", 4, ACCP_CAUSE_LINE, 3},
        {"yields_alone", 4, ACCP_CAUSE_STALL, 35},
        {"ffma_on_two_pipes", 8, ACCP_CAUSE_ANOTHER, 10},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const struct seen seen = trace(cases[i].loop, cases[i].warps);
        const int64_t percent = 100 * seen.causes[cases[i].cause] / (seen.cycles * seen.warps);
        if (percent < cases[i].percent)
            fail_msg("%s: %d %% of the cycles lost to \"%s\"", cases[i].loop, (int)percent,
                     accp_cause_name(cases[i].cause));
    }
}

static void test_options_are_checked(void **state)
{
    (void)state;
    struct fixture fixture;
    struct accp_prediction prediction;
    struct accp_error error;
    assemble(find("integer_pipe"), &fixture);
    struct accp_model_options options = {.warps = 0};
    assert_int_equal(
        accp_model_predict(&fixture.code, &fixture.loop, &options, &prediction, &error),
        ACCP_STATUS_USAGE);
    options.warps = ACCP_MODEL_WARPS + 1;
    assert_int_equal(
        accp_model_predict(&fixture.code, &fixture.loop, &options, &prediction, &error),
        ACCP_STATUS_USAGE);
    options = (struct accp_model_options){.warps = 4, .phases = ACCP_MODEL_PHASES + 1};
    assert_int_equal(
        accp_model_predict(&fixture.code, &fixture.loop, &options, &prediction, &error),
        ACCP_STATUS_USAGE);
    options = (struct accp_model_options){.warps = 36};
    fixture.kernel.registers = 64; /* 65536 / (64 * 32) = 32 warps */
    assert_int_equal(
        accp_model_predict(&fixture.code, &fixture.loop, &options, &prediction, &error),
        ACCP_STATUS_INPUT);
    assert_non_null(strstr(error.text, "allow 32"));
    options.warps = 32;
    assert_int_equal(
        accp_model_predict(&fixture.code, &fixture.loop, &options, &prediction, &error),
        ACCP_STATUS_OK);
    fixture.code.sm = 70;
    assert_int_equal(
        accp_model_predict(&fixture.code, &fixture.loop, &options, &prediction, &error),
        ACCP_STATUS_UNSUPPORTED);
}

static void test_loops_are_checked(void **state)
{
    (void)state;
    struct fixture fixture;
    struct accp_prediction prediction;
    struct accp_error error;
    const struct accp_model_options options = {.warps = 4};
    assemble(find("integer_pipe"), &fixture);
    fixture.instructions[3].opcode = ACCP_OPCODE_LDG;
    assert_int_equal(
        accp_model_predict(&fixture.code, &fixture.loop, &options, &prediction, &error),
        ACCP_STATUS_OK);
    assert_false(prediction.known);
    assert_non_null(strstr(prediction.unknown, "LDG"));
    assert_non_null(strstr(prediction.unknown, "0x30"));
    fixture.instructions[3].opcode = ACCP_OPCODE_UNKNOWN;
    assert_int_equal(
        accp_model_predict(&fixture.code, &fixture.loop, &options, &prediction, &error),
        ACCP_STATUS_OK);
    assert_false(prediction.known);
    fixture.instructions[3].opcode = ACCP_OPCODE_BRA;
    assert_int_equal(
        accp_model_predict(&fixture.code, &fixture.loop, &options, &prediction, &error),
        ACCP_STATUS_OK);
    assert_false(prediction.known);
    fixture.loop.latch = fixture.loop.head + ACCP_MODEL_INSTRUCTIONS;
    assert_int_equal(
        accp_model_predict(&fixture.code, &fixture.loop, &options, &prediction, &error),
        ACCP_STATUS_INPUT);
}

static void test_names_lead_back(void **state)
{
    (void)state;
    for (int i = 0; i < ACCP_MECHANISM_COUNT; ++i)
        assert_int_equal(accp_mechanism_find(accp_mechanism_name((enum accp_mechanism)i)), i);
    assert_int_equal(accp_mechanism_find("gravity"), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_warp_is_exact),
        cmocka_unit_test(test_several_warps_are_near),
        cmocka_unit_test(test_branches_inside),
        cmocka_unit_test(test_long_loops_fetch_their_beginning),
        cmocka_unit_test(test_each_mechanism_switches),
        cmocka_unit_test(test_remembered_states_change_nothing),
        cmocka_unit_test(test_loops_may_be_too_long),
        cmocka_unit_test(test_distribution_is_sound_and_repeats),
        cmocka_unit_test(test_every_warp_counts_once),
        cmocka_unit_test(test_trace_names_the_causes),
        cmocka_unit_test(test_options_are_checked),
        cmocka_unit_test(test_loops_are_checked),
        cmocka_unit_test(test_names_lead_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) ? 1 : 0;
}
