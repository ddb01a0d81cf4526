#include "test_sass_data.h"

#include "sass/shape_file.h"

#include <stdlib.h>
#include <string.h>

static void expect_laws(const struct accp_shape *shape, unsigned broken)
{
    for (int law = 0; law < ACCP_SHAPE_LAW_COUNT; ++law) {
        bool is_broken = shape->laws[law].state == ACCP_SHAPE_LAW_BROKEN;
        if (is_broken != ((broken >> law & 1) != 0))
            fail_msg("%s: %s is %s: %s", shape->kernel,
                     accp_shape_law_name((enum accp_shape_law)law), is_broken ? "broken" : "kept",
                     shape->laws[law].text);
        assert_int_equal(shape->laws[law].text[0] != 0, is_broken);
    }
}

enum {
    CHAIN = 1 << ACCP_SHAPE_LAW_CHAIN,
    ACCUMULATORS = 1 << ACCP_SHAPE_LAW_ACCUMULATORS,
    DEPTH = 1 << ACCP_SHAPE_LAW_DEPTH,
    CONTRACTION = 1 << ACCP_SHAPE_LAW_CONTRACTION,
    SPILL = 1 << ACCP_SHAPE_LAW_SPILL,
    CLOCK = 1 << ACCP_SHAPE_LAW_CLOCK
};

/* Counted in nvdisasm's listing of this cubin. */
static void test_counts(void **state)
{
    (void)state;
    struct accp_shape shape = data_shape_of_file("clock_around.sm_90.13.0");
    assert_string_equal(shape.role, "optimal.chain7.acc1");
    assert_int_equal(shape.loop.address, 0xa0);
    assert_int_equal(shape.loop.instructions, 15);
    assert_int_equal(shape.loop.bytes, 240);
    assert_int_equal(shape.loop.stall_sum_cycles, 60);
    assert_int_equal(shape.loop.line_instructions_left, 6);
    assert_int_equal(shape.loop.yields, 10);
    assert_int_equal(shape.ffma, 7);
    assert_int_equal(shape.accumulators, 1);
    assert_int_equal(shape.depth, 7);
    assert_int_equal(shape.clock_reads, 2);
    assert_int_equal(shape.local_loads + shape.local_stores, 0);
    assert_int_equal(shape.constant_loads, 0);
    assert_int_equal(shape.registers, 14);
    assert_int_equal(shape.resident_blocks, 8);
    assert_int_equal(shape.resident_warps, 64);
    assert_int_equal(shape.unknown, 0);
    expect_laws(&shape, 0);
}

/* C9 and C10, and a contraction that was switched off. */
static void test_laws_reject(void **state)
{
    (void)state;
    struct accp_shape shape = data_shape_of_file("clock_hoisted.sm_90.13.0");
    expect_laws(&shape, CHAIN);
    assert_string_equal(
        shape.laws[ACCP_SHAPE_LAW_CHAIN].text,
        "0 FFMAs between the clock reads at 0xa0 and 0xb0, asked: 7; 7 stand outside, the "
        "first at 0xc0");
    shape = data_shape_of_file("chain_unread.sm_90.13.0");
    expect_laws(&shape, CHAIN | ACCUMULATORS | DEPTH);
    shape = data_shape_of_file("chain_folded.sm_90.13.0");
    expect_laws(&shape, CHAIN | ACCUMULATORS | DEPTH);
    shape = data_shape_of_file("chain_split.sm_90.13.0");
    expect_laws(&shape, CHAIN | ACCUMULATORS | DEPTH | CONTRACTION);
    assert_int_equal(shape.split_pairs, 7);
    assert_int_equal(accp_shape_first_broken(&shape), ACCP_SHAPE_LAW_CHAIN);
}

/* A kernel that is no role of ours is asked nothing; the same kernel as another role is asked for
 * that. */
static void test_laws_follow_the_role(void **state)
{
    (void)state;
    struct opened opened = data_open("loop_jump.sm_90.13.0");
    struct accp_shape shape = data_shape(&opened, NULL);
    struct accp_error error;
    assert_string_equal(shape.role, "");
    for (int law = 0; law < ACCP_SHAPE_LAW_COUNT; ++law)
        assert_int_equal(shape.laws[law].state, ACCP_SHAPE_LAW_NOT_ASKED);
    data_close(&opened);
    opened = data_open("clock_around.sm_120.13.0");
    assert_int_equal(accp_shape_make(&opened.cubin, &opened.cubin.kernels[0],
                                     accp_role_find("optimal.chain13.acc2"), NULL, &shape, &error),
                     ACCP_STATUS_OK);
    expect_laws(&shape, CHAIN | ACCUMULATORS);
    data_close(&opened);
}

/* C8: FFMA2 is two FMAs; two packed accumulators are four. */
static void test_packed_count_twice(void **state)
{
    (void)state;
    struct accp_shape shape = data_shape_of_file("chain_packed.sm_100.13.0");
    assert_int_equal(shape.ffma, 16);
    assert_int_equal(shape.accumulators, 4);
    assert_int_equal(shape.depth, 4);
}

/* Patches the opcode of one instruction of the hot loop into another with the same operands. */
static void patch(struct opened *opened, size_t index, uint16_t from, uint16_t to)
{
    uint8_t *code =
        opened->bytes.data + (opened->cubin.kernels[0].code - opened->bytes.data) + 16 * index;
    assert_int_equal((code[0] | code[1] << 8) & 0xfff, from);
    code[0] = (uint8_t)to;
    code[1] = (uint8_t)((code[1] & 0xf0) | to >> 8);
}

static void test_spill_and_lost_clock(void **state)
{
    (void)state;
    struct opened opened = data_open("clock_around.sm_90.13.0");
    patch(&opened, 4, 0x981,
          0x983); /* LDG -> LDL, outside the loop; bit 91 is part of LDG's code */
    ((uint8_t *)(uintptr_t)opened.cubin.kernels[0].code)[16 * 4 + 11] &= (uint8_t)~8;
    struct accp_shape shape = data_shape(&opened, NULL);
    expect_laws(&shape, SPILL);
    assert_non_null(
        strstr(shape.laws[ACCP_SHAPE_LAW_SPILL].text, "1 LDL and 0 STL, the first at 0x40"));
    data_close(&opened);
    opened = data_open("clock_around.sm_90.13.0");
    patch(&opened, 10, 0x805, 0x918); /* both CS2R -> NOP */
    for (size_t i = 11; i < 25; ++i)
        if (opened.cubin.kernels[0].code[16 * i] == 0x05) patch(&opened, i, 0x805, 0x918);
    shape = data_shape(&opened, NULL);
    expect_laws(&shape, CLOCK | CHAIN);
    assert_int_equal(shape.ffma, 7);
    data_close(&opened);
}

/* Two FFMAs that read the same source are two chains: depth and accumulators come from the
 * dataflow. */
static void test_dataflow_not_names(void **state)
{
    (void)state;
    struct opened opened = data_open("clock_around.sm_90.13.0");
    const struct accp_kernel *kernel = &opened.cubin.kernels[0];
    size_t seen = 0;
    for (size_t i = 10; i < 25; ++i) {
        uint8_t *code = opened.bytes.data + (kernel->code - opened.bytes.data) + 16 * i;
        if ((code[0] | (code[1] & 0xf) << 8) != 0x223) continue;
        /* The third link starts afresh, from registers that no FFMA writes: A in 31:24, B in 39:32,
         * C in 71:64 */
        if (++seen == 3) {
            code[3] = 200;
            code[4] = 201;
            code[8] = 202;
        }
    }
    struct accp_shape shape = data_shape(&opened, NULL);
    assert_int_equal(shape.ffma, 7);
    assert_int_equal(shape.accumulators, 2);
    assert_int_equal(shape.depth, 5);
    expect_laws(&shape, ACCUMULATORS | DEPTH);
    data_close(&opened);
}

static void test_loops(void **state)
{
    (void)state;
    struct opened opened = data_open("loops.sm_90.13.0");
    struct accp_shape shape;
    struct accp_error error;
    struct accp_shape_options options = {.loop_address = -1};
    const struct accp_kernel *kernel = accp_cubin_find(&opened.cubin, "loop_none");
    assert_int_equal(accp_shape_make(&opened.cubin, kernel, NULL, &options, &shape, &error),
                     ACCP_STATUS_INPUT);
    assert_non_null(strstr(error.text, "has no loop"));
    kernel = accp_cubin_find(&opened.cubin, "loop_several");
    assert_int_equal(accp_shape_make(&opened.cubin, kernel, NULL, &options, &shape, &error),
                     ACCP_STATUS_INPUT);
    assert_non_null(strstr(error.text, "choose one with --loop: 0x60 (1), 0xb0 (1)"));
    options.loop_address = 0xb0;
    assert_int_equal(accp_shape_make(&opened.cubin, kernel, NULL, &options, &shape, &error),
                     ACCP_STATUS_OK);
    assert_int_equal(shape.loop.address, 0xb0);
    options.loop_address = 0x70;
    assert_int_equal(accp_shape_make(&opened.cubin, kernel, NULL, &options, &shape, &error),
                     ACCP_STATUS_INPUT);
    assert_non_null(strstr(error.text, "has no loop at 0x70"));
    shape = data_shape(&opened, "loop_nested");
    assert_int_equal(shape.loop.address, 0xa0);
    assert_int_equal(shape.loop.nested, 0);
    assert_int_equal(shape.ffma_in_loop, 2);
    options.loop_address = 0x50;
    kernel = accp_cubin_find(&opened.cubin, "loop_nested");
    assert_int_equal(accp_shape_make(&opened.cubin, kernel, NULL, &options, &shape, &error),
                     ACCP_STATUS_OK);
    assert_int_equal(shape.loop.nested, 1);
    assert_int_equal(shape.ffma_in_loop, 3);
    data_close(&opened);
}

/* A jump into the middle of a loop: its head is no longer the only way in, so it is no natural loop. */
static void test_loop_with_a_second_entry(void **state)
{
    (void)state;
    struct opened opened = data_open("loops.sm_90.13.0");
    const struct accp_kernel *kernel = accp_cubin_find(&opened.cubin, "loop_several");
    /* @P0 BRA 0x70 in place of the LDC at 0x30: 12 words of 4 bytes from the next instruction on */
    static const uint8_t jump[16] = {0x47, 0x09, 12,   0, 0, 0,    0,    0,
                                     0,    0,    0x80, 3, 0, 0xea, 0x0f, 0};
    memcpy(opened.bytes.data + (kernel->code - opened.bytes.data) + 0x30, jump, sizeof jump);
    struct accp_code code;
    struct accp_error error;
    const struct accp_loop *loop;
    assert_int_equal(accp_code_init(&opened.cubin, kernel, &code, &error), ACCP_STATUS_OK);
    assert_int_equal(accp_code_target(&code, 3), 7);
    assert_int_equal(code.loop_count, 1);
    assert_int_equal(accp_code_hot_loop(&code, -1, &loop, &error), ACCP_STATUS_OK);
    assert_int_equal(loop->head, 0xb);
    accp_code_fini(&code);
    data_close(&opened);
}

static void test_listing(void **state)
{
    (void)state;
    struct opened opened = data_open("clock_around.sm_90.13.0");
    struct accp_code code;
    struct accp_error error;
    const struct accp_loop *loop;
    char *text;
    size_t bytes;
    assert_int_equal(accp_code_init(&opened.cubin, &opened.cubin.kernels[0], &code, &error),
                     ACCP_STATUS_OK);
    assert_int_equal(accp_code_hot_loop(&code, -1, &loop, &error), ACCP_STATUS_OK);
    FILE *stream = open_memstream(&text, &bytes);
    assert_int_equal(accp_code_list(&code, loop, stream, &error), ACCP_STATUS_OK);
    fclose(stream);
    assert_non_null(strstr(text, "\n  00040   4 - 5 0 01  LDG.E R0, desc[UR6][R2]\n"));
    assert_non_null(strstr(text, "\n| 000a0   1 - - - 01  CS2R R2, SR_CLOCKLO\n"));
    assert_non_null(strstr(text, "BRA 0xa0\n"));
    free(text);
    accp_code_fini(&code);
    data_close(&opened);
}

/* Figures of NVIDIA's occupancy calculator for 256 threads a block. */
static void test_occupancy(void **state)
{
    (void)state;
    const struct accp_arch *hopper = accp_arch_find("sm_90"), *turing = accp_arch_find("sm_75");
    assert_int_equal(accp_resident_blocks(hopper, 32, 8), 8);
    assert_int_equal(accp_resident_blocks(hopper, 33, 8), 6);
    assert_int_equal(accp_resident_blocks(hopper, 60, 8), 4);
    assert_int_equal(accp_resident_blocks(hopper, 70, 8), 3);
    assert_int_equal(accp_resident_blocks(hopper, 104, 8), 2);
    assert_int_equal(accp_resident_blocks(hopper, 170, 8), 1);
    assert_int_equal(accp_resident_blocks(hopper, 255, 8), 1);
    assert_int_equal(accp_resident_blocks(turing, 32, 8), 4);
    assert_int_equal(accp_resident_blocks(hopper, -1, 8), -1);
    assert_int_equal(accp_resident_blocks(NULL, 32, 8), -1);
}

static void test_file_round_trip(void **state)
{
    (void)state;
    struct opened opened = data_open("clock_hoisted.sm_90.13.0");
    struct accp_shapes shapes, again;
    struct accp_error error;
    size_t skipped;
    assert_int_equal(
        accp_shapes_of_cubin("f", &opened.cubin, NULL, NULL, NULL, &shapes, &skipped, &error),
        ACCP_STATUS_OK);
    data_close(&opened);
    char *text, *text_again;
    size_t bytes, bytes_again;
    assert_int_equal(accp_shapes_format(&shapes, &text, &bytes, &error), ACCP_STATUS_OK);
    assert_int_equal(accp_shapes_parse("f", text, bytes, &again, &error), ACCP_STATUS_OK);
    assert_int_equal(accp_shapes_format(&again, &text_again, &bytes_again, &error), ACCP_STATUS_OK);
    assert_string_equal(text, text_again);
    assert_string_equal(again.arch, "sm_90");
    assert_string_equal(again.compiler_version, "13.0.88");
    assert_int_equal(again.shapes[0].laws[ACCP_SHAPE_LAW_CHAIN].state, ACCP_SHAPE_LAW_BROKEN);
    assert_int_equal(again.shapes[0].laws[ACCP_SHAPE_LAW_DEPTH].state, ACCP_SHAPE_LAW_KEPT);
    assert_ptr_equal(accp_shapes_find(&again, "optimal.chain7.acc1"), &again.shapes[0]);
    free(text_again);
    accp_shapes_fini(&again);
    /* Any byte cut off the end, and a member out of range, are refused. */
    for (size_t size = 0; size + 2 < bytes; ++size)
        assert_int_equal(accp_shapes_parse("f", text, size, &again, &error), ACCP_STATUS_INPUT);
    char *count = strstr(text, "\"instructions\": 15");
    count[16] = '-';
    assert_int_equal(accp_shapes_parse("f", text, bytes, &again, &error), ACCP_STATUS_INPUT);
    assert_non_null(strstr(error.text, "kernels[0].loop.instructions"));
    assert_null(again.shapes);
    free(text);
    accp_shapes_fini(&shapes);
}

/* What parse says of `text` with its first `from` replaced. */
static void refused(const char *text, const char *from, const char *to, const char *words)
{
    struct accp_shapes shapes;
    struct accp_error error;
    char changed[8192];
    const char *at = strstr(text, from);
    assert_non_null(at);
    int bytes = snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, to,
                         at + strlen(from));
    assert_in_range(bytes, 1, sizeof changed - 1);
    assert_int_equal(accp_shapes_parse("f", changed, (size_t)bytes, &shapes, &error),
                     ACCP_STATUS_INPUT);
    if (!strstr(error.text, words)) fail_msg("'%s' in: %s", words, error.text);
    assert_null(shapes.shapes);
}

/* The shapes of a cubin of tests/data/sass, and their text as a golden, which the caller frees with them. */
static char *golden_of(const char *name, struct accp_shapes *shapes)
{
    struct opened opened = data_open(name);
    struct accp_error error;
    char *text;
    size_t bytes;
    assert_int_equal(
        accp_shapes_of_cubin("f", &opened.cubin, NULL, NULL, NULL, shapes, NULL, &error),
        ACCP_STATUS_OK);
    data_close(&opened);
    snprintf(shapes->record.reason, sizeof shapes->record.reason, "test");
    assert_int_equal(accp_shapes_format(shapes, &text, &bytes, &error), ACCP_STATUS_OK);
    return text;
}

static void test_golden_rows(void **state)
{
    (void)state;
    struct accp_shapes shapes, again;
    struct accp_error error;
    char *text = golden_of("clock_around.sm_90.13.0", &shapes);
    const size_t bytes = strlen(text);
    assert_null(strstr(text, "\"kernels\""));
    assert_int_equal(accp_shapes_parse("f", text, bytes, &again, &error), ACCP_STATUS_OK);
    assert_int_equal(again.count, 1);
    assert_memory_equal(&again.shapes[0], &shapes.shapes[0], sizeof again.shapes[0]);
    accp_shapes_fini(&again);
    for (size_t size = 0; size + 2 < bytes; ++size)
        assert_int_equal(accp_shapes_parse("f", text, size, &again, &error), ACCP_STATUS_INPUT);
    refused(text, "\"loop.address\"", "\"loop.place\"", "columns: are not those of this build");
    refused(text, "[\"optimal_", "[1, \"optimal_", "rows[0]: has 34 values for 33 columns");
    refused(text, "[\"optimal_chain7_acc1_effective1\"", "[7", "rows[0], kernel: a text is needed");
    refused(text, "effective1\", ", "effective1\", -", "rows[0], loop.address: is out of range");
    refused(text, "effective1\", ", "effective1\", 0.5e", "rows[0], loop.address");
    refused(text, shapes.shapes[0].loop.hash, "xyz", "loop.hash: is not 16 hexadecimal digits");
    refused(text, "\"record\"", "\"recorded\"", "record: is missing");
    refused(text, "\"rows\": [", "\"as\": \"../13.0.88\", \"rows\": [", "is no version");
    free(text);
    accp_shapes_fini(&shapes);
}

/* A golden of a role that breaks laws says so, and of nothing more. */
static void test_golden_rows_of_broken_laws(void **state)
{
    (void)state;
    struct accp_shapes shapes, again;
    struct accp_error error;
    char *text = golden_of("clock_hoisted.sm_90.13.0", &shapes);
    const size_t bytes = strlen(text);
    assert_non_null(strstr(text, "\"rows\""));
    assert_int_equal(accp_shapes_parse("f", text, bytes, &again, &error), ACCP_STATUS_OK);
    assert_memory_equal(&again.shapes[0], &shapes.shapes[0], sizeof again.shapes[0]);
    expect_laws(&again.shapes[0], CHAIN);
    accp_shapes_fini(&again);
    refused(text, "{\"chain\"", "{\"chains\"", "names no law, or one that is unknown");
    refused(text, "{\"chain\"", "{\"chains\": \"\", \"chain\"",
            "names no law, or one that is unknown");
    refused(text, "{\"chain\": \"", "{\"chain\": 7, \"x\": \"", "chain");
    refused(text, "\"broken\": {\n  \"optimal_", "\"broken\": {\n  \"optional_", "is in no row");
    refused(text, "\"broken\": {", "\"broken\": [], \"x\": {", "broken");
    free(text);
    accp_shapes_fini(&shapes);
}

static bool wants_nested(const char *kernel, const struct accp_role *role, void *context)
{
    (void)role;
    (void)context;
    return strstr(kernel, "nested") != NULL;
}

static void test_file_of_several(void **state)
{
    (void)state;
    struct opened opened = data_open("loops.sm_90.13.0");
    struct accp_shapes shapes;
    struct accp_error error;
    size_t skipped;
    assert_int_equal(
        accp_shapes_of_cubin("f", &opened.cubin, NULL, NULL, NULL, &shapes, &skipped, &error),
        ACCP_STATUS_OK);
    assert_int_equal(shapes.count, 1);
    assert_int_equal(skipped, 2);
    char *text;
    size_t bytes;
    shapes.shapes = realloc(shapes.shapes, 2 * sizeof *shapes.shapes);
    shapes.shapes[1] = shapes.shapes[0];
    shapes.count = 2;
    assert_int_equal(accp_shapes_format(&shapes, &text, &bytes, &error), ACCP_STATUS_OK);
    accp_shapes_fini(&shapes);
    assert_int_equal(accp_shapes_parse("f", text, bytes, &shapes, &error), ACCP_STATUS_INPUT);
    assert_non_null(strstr(error.text, "loop_nested stands there twice"));
    free(text);
    assert_int_equal(
        accp_shapes_of_cubin("f", &opened.cubin, wants_nested, NULL, NULL, &shapes, NULL, &error),
        ACCP_STATUS_OK);
    assert_int_equal(shapes.count, 1);
    accp_shapes_fini(&shapes);
    data_close(&opened);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_laws_reject),
        cmocka_unit_test(test_laws_follow_the_role),
        cmocka_unit_test(test_packed_count_twice),
        cmocka_unit_test(test_spill_and_lost_clock),
        cmocka_unit_test(test_dataflow_not_names),
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_loop_with_a_second_entry),
        cmocka_unit_test(test_listing),
        cmocka_unit_test(test_occupancy),
        cmocka_unit_test(test_file_round_trip),
        cmocka_unit_test(test_golden_rows),
        cmocka_unit_test(test_golden_rows_of_broken_laws),
        cmocka_unit_test(test_file_of_several),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) ? 1 : 0;
}
