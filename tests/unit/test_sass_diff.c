#include "test_sass_data.h"

#include "sass/diff.h"

#include <string.h>

static struct accp_diff diff_opened(const struct opened *before, const struct opened *after)
{
    struct accp_diff diff;
    struct accp_error error;
    assert_int_equal(accp_diff_kernels(&before->cubin, &before->cubin.kernels[0], &after->cubin,
                                       &after->cubin.kernels[0], NULL, &diff, &error),
                     ACCP_STATUS_OK);
    return diff;
}

static struct accp_diff diff_files(const char *before, const char *after)
{
    struct opened left = data_open(before), right = data_open(after);
    struct accp_diff diff = diff_opened(&left, &right);
    data_close(&left);
    data_close(&right);
    return diff;
}

static uint8_t *code_of(struct opened *opened, size_t index)
{
    return opened->bytes.data + (opened->cubin.kernels[0].code - opened->bytes.data) + 16 * index;
}

static void test_identical(void **state)
{
    (void)state;
    struct accp_diff diff = diff_files("clock_around.sm_90.13.0", "clock_around.sm_90.13.0");
    assert_int_equal(diff.class, ACCP_DIFF_IDENTICAL);
    assert_string_equal(diff.before, "");
    assert_true(diff.is_outside_only);
}

/* C1: fewer FFMAs in the loop is lost unrolling, although registers fell from 17 to 10 and nothing
 * spills. */
static void test_lost_unrolling_is_a_regression(void **state)
{
    (void)state;
    static const char *const arches[] = {"sm_80", "sm_90", "sm_120"};
    for (size_t i = 0; i < sizeof arches / sizeof *arches; ++i) {
        char jump[64], branch[64];
        snprintf(jump, sizeof jump, "loop_jump.%s.13.0", arches[i]);
        snprintf(branch, sizeof branch, "loop_branch.%s.13.0", arches[i]);
        struct accp_diff diff = diff_files(jump, branch);
        assert_int_equal(diff.class, ACCP_DIFF_LOST);
        assert_string_equal(diff.lost, "unrolling lost: 4 FFMAs in the hot loop before, 1 now");
        assert_non_null(strstr(diff.moved, "registers 17 -> 10"));
        diff = diff_files(branch, jump);
        assert_int_equal(diff.class, ACCP_DIFF_DIFFERENT);
        assert_string_equal(diff.lost, "");
        diff = diff_files(jump, jump);
        assert_int_equal(diff.class, ACCP_DIFF_IDENTICAL); /* unaffected */
    }
}

/* C4: 12.4 and 13.0 agree on every instruction and register, and not on the control bits. */
static void test_control_bits_apart(void **state)
{
    (void)state;
    struct accp_diff diff = diff_files("clock_around.sm_90.12.4", "clock_around.sm_90.13.0");
    assert_int_equal(diff.class, ACCP_DIFF_CONTROL);
    assert_non_null(strstr(diff.moved, "sum of stalls 74 -> 60; yields 12 -> 10"));
    assert_non_null(strstr(diff.before, "["));
    assert_int_equal(diff.before_index, diff.after_index);
    assert_false(diff.is_outside_only);
    diff = diff_files("loop_jump.sm_80.11.8", "loop_jump.sm_80.13.0");
    assert_int_equal(diff.class, ACCP_DIFF_CONTROL);
}

static void test_patched_stall(void **state)
{
    (void)state;
    struct opened before = data_open("clock_around.sm_90.13.0"),
                  after = data_open("clock_around.sm_90.13.0");
    code_of(&after, 12)[13] ^= 2; /* bit 105: the lowest of the stall count */
    struct accp_diff diff = diff_opened(&before, &after);
    assert_int_equal(diff.class, ACCP_DIFF_CONTROL);
    assert_int_equal(diff.before_index, 12);
    assert_true(diff.in_loop);
    struct accp_shape left = data_shape(&before, NULL), right = data_shape(&after, NULL);
    assert_string_equal(left.hash, right.hash);
    assert_string_equal(left.loop.hash, right.loop.hash);
    assert_string_not_equal(left.control_hash, right.control_hash);
    assert_string_not_equal(left.loop.control_hash, right.loop.control_hash);
    accp_diff_shapes(&left, &right, &diff);
    assert_int_equal(diff.class, ACCP_DIFF_CONTROL);
    data_close(&before);
    data_close(&after);
}

/* R9 is free in this kernel; name it in place of a register everywhere. */
static void rename_register(struct opened *opened, uint8_t from, uint8_t to)
{
    struct accp_code code;
    struct accp_error error;
    assert_int_equal(accp_code_init(&opened->cubin, &opened->cubin.kernels[0], &code, &error),
                     ACCP_STATUS_OK);
    for (size_t i = 0; i < code.count; ++i)
        for (int k = 0; k < code.instructions[i].operand_count; ++k) {
            const struct accp_operand *operand = &code.instructions[i].operands[k];
            if (operand->kind != ACCP_OPERAND_REGISTER || operand->index != from) continue;
            uint8_t *bytes = code_of(opened, i);
            if (operand->written) bytes[2] = to;
            if (operand->slot == ACCP_SLOT_A) bytes[3] = to;
            if (operand->slot == ACCP_SLOT_B) bytes[4] = to;
            if (operand->slot == ACCP_SLOT_C) bytes[8] = to;
        }
    accp_code_fini(&code);
}

static void test_renamed_registers(void **state)
{
    (void)state;
    struct opened before = data_open("clock_around.sm_90.13.0"),
                  after = data_open("clock_around.sm_90.13.0");
    uint8_t sink = code_of(&after, 11)[3]; /* the first FFMA's register A */
    rename_register(&after, sink, 100);
    assert_memory_not_equal(before.bytes.data, after.bytes.data, before.bytes.size);
    struct accp_diff diff = diff_opened(&before, &after);
    assert_int_equal(diff.class, ACCP_DIFF_REGISTERS);
    struct accp_shape left = data_shape(&before, NULL), right = data_shape(&after, NULL);
    assert_string_equal(left.hash, right.hash);
    assert_string_equal(left.control_hash, right.control_hash);
    data_close(&before);
    data_close(&after);
}

static void test_reordered(void **state)
{
    (void)state;
    struct opened before = data_open("chain_packed.sm_100.13.0"),
                  after = data_open("chain_packed.sm_100.13.0");
    uint8_t spare[16];
    memcpy(spare, code_of(&after, 4), 16); /* two loads before the loop */
    memcpy(code_of(&after, 4), code_of(&after, 6), 16);
    memcpy(code_of(&after, 6), spare, 16);
    struct accp_diff diff = diff_opened(&before, &after);
    assert_int_equal(diff.class, ACCP_DIFF_REORDERED);
    assert_int_equal(diff.before_index, 4);
    assert_false(diff.in_loop);
    assert_true(diff.is_outside_only);
    data_close(&before);
    data_close(&after);
}

/* A modifier that the tables have no name for is a difference all the same. */
static void test_unnamed_modifier(void **state)
{
    (void)state;
    struct opened before = data_open("clock_around.sm_90.13.0"),
                  after = data_open("clock_around.sm_90.13.0");
    code_of(&after, 12)[9] ^= 0x10; /* bit 76 of an FFMA: .FMZ */
    struct accp_diff diff = diff_opened(&before, &after);
    assert_int_equal(diff.class, ACCP_DIFF_DIFFERENT);
    assert_int_equal(diff.before_index, 12);
    data_close(&before);
    data_close(&after);
}

static void test_other_losses(void **state)
{
    (void)state;
    struct accp_diff diff = diff_files("clock_around.sm_90.13.0", "chain_split.sm_90.13.0");
    assert_int_equal(diff.class, ACCP_DIFF_LOST);
    assert_string_equal(diff.lost,
                        "contraction lost: 7 multiply-add pairs in the hot loop, 0 before");
    diff = diff_files("clock_around.sm_90.13.0", "clock_hoisted.sm_90.13.0");
    assert_int_equal(diff.class, ACCP_DIFF_LOST);
    assert_string_equal(diff.lost,
                        "work moved out from between the clock reads: 7 FFMAs before, 0 now");
    struct accp_shape before = data_shape_of_file("clock_around.sm_90.13.0"), after = before;
    after.local_stores = 2;
    after.accumulators = 0;
    accp_diff_shapes(&before, &after, &diff);
    assert_int_equal(diff.class, ACCP_DIFF_LOST);
    assert_string_equal(
        diff.lost, "accumulators lost: 1 before, 0 now; spills: 0 LDL and 2 STL, 0 and 0 before");
}

static struct accp_diff diff_registers(int before_registers, int after_registers)
{
    struct accp_shape before = data_shape_of_file("clock_around.sm_90.13.0"), after = before;
    const struct accp_arch *arch = accp_arch_find("sm_90");
    struct accp_diff diff;
    before.registers = before_registers;
    after.registers = after_registers;
    before.resident_blocks = accp_resident_blocks(arch, before_registers, before.warps);
    after.resident_blocks = accp_resident_blocks(arch, after_registers, after.warps);
    accp_diff_shapes(&before, &after, &diff);
    return diff;
}

/* Everything lost and moved at once, in numbers as long as they come: nothing is cut. */
static void test_all_losses_fit(void **state)
{
    (void)state;
    struct accp_shape before = data_shape_of_file("clock_around.sm_90.13.0"), after = before;
    struct accp_diff diff;
    before.ffma_in_loop = before.accumulators = 2147483647;
    after.ffma_in_loop = after.accumulators = 1000000001;
    before.ffma = 2147483647;
    after.split_pairs = 1000000001;
    after.local_loads = after.local_stores = 1073741823;
    before.registers = before.constant_loads = before.loop.instructions = -2147483647;
    before.loop.stall_sum_cycles = before.loop.yields = before.loop.reuses = -2147483647;
    before.clock_reads = 2;
    after.clock_reads = 0;
    before.resident_blocks = 1073741823;
    after.resident_blocks = 0;
    accp_diff_shapes(&before, &after, &diff);
    const char *end = "; the hot loop no longer reads the clock";
    assert_true(strlen(diff.lost) < sizeof diff.lost - 1);
    assert_non_null(strstr(diff.lost, "unrolling lost: 2147483647 FFMAs"));
    assert_string_equal(diff.lost + strlen(diff.lost) - strlen(end), end);
    assert_true(strlen(diff.moved) < sizeof diff.moved - 1);
    assert_non_null(strstr(diff.moved, "; reuses -2147483647 -> "));
}

/* C5: what registers cost is in the same row, and only what they cost is a loss. */
static void test_registers_and_blocks_in_one_row(void **state)
{
    (void)state;
    struct accp_diff diff = diff_registers(56, 104);
    assert_string_equal(diff.moved, "registers 56 -> 104; resident blocks 4 -> 2");
    assert_string_equal(diff.lost, "occupancy lost: 4 resident blocks before, 2 now");
    assert_int_equal(diff.class, ACCP_DIFF_LOST);
    diff = diff_registers(66, 70);
    assert_string_equal(diff.moved, "registers 66 -> 70");
    assert_int_equal(diff.class, ACCP_DIFF_IDENTICAL);
    diff = diff_registers(60, 70); /* a block fewer, and no half */
    assert_string_equal(diff.moved, "registers 60 -> 70; resident blocks 4 -> 3");
    assert_string_equal(diff.lost, "");
    assert_int_equal(diff.class, ACCP_DIFF_IDENTICAL);
    assert_string_equal(diff_registers(104, 56).lost, "");
    assert_string_equal(diff_registers(-1, 104).lost, ""); /* unknown is no number of blocks */
    assert_string_equal(diff_registers(56, -1).lost, "");
}

static void test_arches_do_not_mix(void **state)
{
    (void)state;
    struct opened before = data_open("clock_around.sm_75.13.0"),
                  after = data_open("clock_around.sm_90.13.0");
    struct accp_diff diff;
    struct accp_error error;
    assert_int_equal(accp_diff_kernels(&before.cubin, &before.cubin.kernels[0], &after.cubin,
                                       &after.cubin.kernels[0], NULL, &diff, &error),
                     ACCP_STATUS_INPUT);
    assert_non_null(strstr(error.text, "compare cubins of one arch"));
    data_close(&before);
    data_close(&after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_identical),
        cmocka_unit_test(test_lost_unrolling_is_a_regression),
        cmocka_unit_test(test_control_bits_apart),
        cmocka_unit_test(test_patched_stall),
        cmocka_unit_test(test_renamed_registers),
        cmocka_unit_test(test_reordered),
        cmocka_unit_test(test_unnamed_modifier),
        cmocka_unit_test(test_other_losses),
        cmocka_unit_test(test_all_losses_fit),
        cmocka_unit_test(test_registers_and_blocks_in_one_row),
        cmocka_unit_test(test_arches_do_not_mix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) ? 1 : 0;
}
