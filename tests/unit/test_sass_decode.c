#include "test_sass_data.h"

#include "sass/decode.h"

#include <stdlib.h>
#include <string.h>

/* The two words as `nvdisasm -hex` prints them: low, high. */
static struct accp_instruction decode(int sm, uint64_t low, uint64_t high)
{
    uint8_t code[16];
    struct accp_instruction instruction;
    struct accp_error error;
    for (int i = 0; i < 8; ++i) {
        code[i] = (uint8_t)(low >> 8 * i);
        code[8 + i] = (uint8_t)(high >> 8 * i);
    }
    assert_int_equal(accp_sass_decode(sm, code, &instruction, &error), ACCP_STATUS_OK);
    return instruction;
}

/* Every text here was held against nvdisasm 13.5's by hand; test_sass_agreement.c does so for whole
 * files. */
static void test_texts(void **state)
{
    (void)state;
    static const struct {
        int sm;
        uint64_t low, high;
        const char *text;
    } rows[] = {
        {90, 0x000000000e0b7223, 0x0c0fe2000000000d, "FFMA R11, R14.reuse, R0.reuse, R13"},
        {90, 0x000000000b0b7221, 0x000fc80000000000, "FADD R11, R11, R0"},
        {90, 0x0000000402077210, 0x000fca0007f1e1ff, "IADD3 R7, P0, -R2, R4, RZ"},
        {90, 0x0000000105047824, 0x000fe200000e0e03, "IMAD.X R4, R5, 0x1, -R3, P0"},
        {90, 0x0000000407047825, 0x002fe200078e0204, "IMAD.WIDE R4, R7, 0x4, R4"},
        {90, 0x000000ff0400720c, 0x000fda0003f06300, "ISETP.GE.AND.EX P0, R4, RZ, PT, P0"},
        {90, 0xfffffffc00e88947, 0x000fea000383ffff, "@!P0 BRA 0x1a0"},
        {90, 0x0000000000027805, 0x000fe20000015000, "CS2R R2, SR_CLOCKLO"},
        {90, 0x0000840006067abb, 0x000fe20008000a00, "ULDC.64 UR6, c[0x0][0x210], [UR6]"},
        {90, 0x00000806020d7981, 0x004f62000c1e1900, "LDG.E R13, desc[UR6][R2+0x8]"},
        {90, 0x0000000000007918, 0x000fc00000000000, "NOP"},
        {100, 0x00007c00ff0677ac, 0x000e620008000a00, "LDCU.64 UR6, c[0x0][0x3e0]"},
        {120, 0x00000028062a7235, 0x000fcc00078e0300, "IADD.64 R42, -R6, R40"},
        {100, 0x00000002040a7249, 0x0a0fe40000240003, "FFMA2 R10, R4, R2.reuse, R3"},
        {120, 0x0000002006067885, 0x000fe2000bffe400, "UIMNMX.U64 UR6, UR6, 0x20"},
        {120, 0x0000000806067285, 0x000fe2000b81c400, "UIMNMX.U64 UP0, UP0, UR6, UR6, UR8, !UP6"},
        {75, 0x000000000c0c7a24, 0x001fe200078e0203, "IMAD R12, R12, c[0x0][0x0], R3"},
        {90, 0x0000000000007fff, 0x000fe20000000000, "unknown 0xfff"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        struct accp_instruction instruction = decode(rows[i].sm, rows[i].low, rows[i].high);
        char text[ACCP_INSTRUCTION_TEXT_BYTES];
        accp_instruction_text(&instruction, 0x1f0, text, sizeof text);
        assert_string_equal(text, rows[i].text);
    }
}

static void test_control_bits(void **state)
{
    (void)state;
    struct accp_control control = decode(90, 0x000000000e0b7223, 0x0c0fe2000000000d).control;
    assert_int_equal(control.stall_cycles, 1);
    assert_false(control.yield);
    assert_int_equal(control.write_barrier, ACCP_SCOREBOARD_NONE);
    assert_int_equal(control.read_barrier, ACCP_SCOREBOARD_NONE);
    assert_int_equal(control.wait_mask, 0);
    assert_int_equal(control.reuse, 3);
    control = decode(90, 0x0000000407047825, 0x002fe200078e0204).control;
    assert_int_equal(control.wait_mask, 2);
    control = decode(90, 0x00000806020d7981, 0x004f62000c1e1900).control;
    assert_int_equal(control.stall_cycles, 1);
    assert_int_equal(control.write_barrier, 5);
    control = decode(90, 0x000000ff0400720c, 0x000fda0003f06300).control;
    assert_int_equal(control.stall_cycles, 13);
    assert_true(control.yield);
}

static void test_operands(void **state)
{
    (void)state;
    struct accp_instruction wide = decode(90, 0x0000000407047825, 0x002fe200078e0204);
    assert_int_equal(wide.opcode, ACCP_OPCODE_IMAD);
    assert_true(wide.operands[0].written);
    assert_int_equal(wide.operands[0].index, 4);
    assert_int_equal(wide.operands[0].count, 2);
    struct accp_instruction load = decode(90, 0x00000806020d7981, 0x004f62000c1e1900);
    assert_int_equal(accp_instruction_class(&load), ACCP_CLASS_LOAD);
    bool has_descriptor = false, has_address = false;
    for (int i = 0; i < load.operand_count; ++i) {
        has_descriptor |= load.operands[i].descriptor && load.operands[i].index == 6;
        has_address |= load.operands[i].kind == ACCP_OPERAND_REGISTER && load.operands[i].address &&
                       load.operands[i].count == 2;
    }
    assert_true(has_descriptor && has_address);
    struct accp_instruction packed = decode(100, 0x00000002040a7249, 0x0a0fe40000240003);
    assert_int_equal(accp_instruction_ffmas(&packed), 2);
    assert_int_equal(packed.operands[0].count, 2);
    assert_int_equal(packed.operands[1].count, 1); /* R4.F32 is read for both lanes */
    assert_int_equal(packed.operands[2].count, 2);
    struct accp_instruction clock = decode(90, 0x0000000000027805, 0x000fe20000015000);
    assert_true(accp_instruction_reads_clock(&clock));
    assert_int_equal(clock.operands[0].count, 2);
    assert_false(accp_instruction_reads_clock(&wide));
}

static void test_uniform_zero_of_both_widths(void **state)
{
    (void)state;
    /* UMOV UR4, URZ: URZ is 63 up to sm_90 and 255 from sm_100 on. */
    struct accp_instruction old = decode(90, 0x0000003f00047c82, 0x000fd40008000000);
    struct accp_instruction new = decode(120, 0x000000ff00047c82, 0x000fd40008000000);
    assert_int_equal(old.operands[1].index, ACCP_REGISTER_ZERO);
    assert_int_equal(new.operands[1].index, ACCP_REGISTER_ZERO);
    assert_int_equal(decode(120, 0x0000003f00047c82, 0x000fd40008000000).operands[1].index, 63);
}

static void test_unknown_keeps_control_and_guard(void **state)
{
    (void)state;
    struct accp_instruction unknown = decode(90, 0x0000000000003fff, 0x002fe20000000000);
    assert_int_equal(unknown.opcode, ACCP_OPCODE_UNKNOWN);
    assert_int_equal(accp_instruction_class(&unknown), ACCP_CLASS_UNKNOWN);
    assert_int_equal(unknown.operand_count, 0);
    assert_int_equal(unknown.guard, 3);
    assert_int_equal(unknown.control.wait_mask, 2);
}

static void test_arch_range(void **state)
{
    (void)state;
    const uint8_t code[16] = {0};
    struct accp_instruction instruction;
    struct accp_error error;
    assert_int_equal(accp_sass_decode(70, code, &instruction, &error), ACCP_STATUS_UNSUPPORTED);
    assert_int_equal(accp_sass_decode(130, code, &instruction, &error), ACCP_STATUS_UNSUPPORTED);
    for (int i = 0; i < ACCP_ARCH_COUNT; ++i)
        assert_int_equal(
            accp_sass_decode(atoi(accp_arches[i].name + 3), code, &instruction, &error),
            ACCP_STATUS_OK);
}

/* Every row of encodings.def can be reached, fits, and no two rows of one code overlap in arches.
 */
static void test_tables_are_sound(void **state)
{
    (void)state;
    static const struct {
        unsigned code;
        enum accp_opcode opcode;
        int first, last;
        const char *operands;
    } rows[] = {
#define ENCODING(code, opcode, first, last, operands) \
    {code, ACCP_OPCODE_##opcode, first, last, operands},
#include "encodings.def"
    };
    enum { ROWS = sizeof rows / sizeof *rows };
    bool is_used[ACCP_OPCODE_COUNT] = {[ACCP_OPCODE_UNKNOWN] = true};
    for (size_t i = 0; i < ROWS; ++i) {
        is_used[rows[i].opcode] = true;
        assert_true(rows[i].code < 1 << 13);
        assert_true(rows[i].first >= 75 && rows[i].first <= rows[i].last && rows[i].last <= 121);
        size_t words = *rows[i].operands != 0;
        for (const char *at = rows[i].operands; *at; ++at)
            words += *at == ' ';
        assert_true(words <= ACCP_OPERANDS);
        for (size_t k = 0; k < i; ++k)
            assert_true(rows[k].code != rows[i].code || rows[k].last < rows[i].first ||
                        rows[i].last < rows[k].first);
        uint64_t high = 0x000fe20000000000 | (uint64_t)(rows[i].code >> 12) << 27;
        assert_int_equal(decode(rows[i].first, 0x7000 | (rows[i].code & 0xfff), high).opcode,
                         rows[i].opcode);
    }
    for (int i = 0; i < ACCP_OPCODE_COUNT; ++i)
        if (!is_used[i]) fail_msg("opcode %s has no encoding", accp_opcodes[i].name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_control_bits),
        cmocka_unit_test(test_operands),
        cmocka_unit_test(test_uniform_zero_of_both_widths),
        cmocka_unit_test(test_unknown_keeps_control_and_guard),
        cmocka_unit_test(test_arch_range),
        cmocka_unit_test(test_tables_are_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) ? 1 : 0;
}
