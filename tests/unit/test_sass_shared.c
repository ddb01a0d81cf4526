/* Kernels that several roles share: which loop is whose, and what of the kernel is a role's. */
#include "test_sass_data.h"

#include <string.h>

static struct accp_shape shape_of(const struct opened *opened, const char *name)
{
    struct accp_shape shape;
    struct accp_error error;
    const struct accp_role *role = accp_role_find(name);
    assert_non_null(role);
    assert_int_equal(accp_shape_make(&opened->cubin, accp_cubin_find(&opened->cubin, role->kernel),
                                     role, NULL, &shape, &error),
                     ACCP_STATUS_OK);
    return shape;
}

/* The first loop has the accumulators and the depth of acc2 too, and one FFMA less: it is not acc2's. */
static void test_dealt_by_ffmas(void **state)
{
    (void)state;
    struct opened opened = data_open("shared.sm_90.13.0");
    struct accp_shape whole = shape_of(&opened, "dispatch.chain7.acc2");
    assert_int_equal(whole.loop.address, 0x1f0);
    assert_int_equal(whole.ffma, 7);
    assert_int_equal(accp_shape_first_broken(&whole), ACCP_SHAPE_LAW_COUNT);
    struct accp_shape lacking = shape_of(&opened, "dispatch.chain7.acc1");
    assert_int_equal(lacking.loop.address, 0xe0);
    assert_int_equal(lacking.ffma, 6);
    assert_int_equal(lacking.accumulators, whole.accumulators);
    assert_int_equal(lacking.depth, whole.depth);
    assert_int_equal(accp_shape_first_broken(&lacking), ACCP_SHAPE_LAW_CHAIN);
    data_close(&opened);
}

/* Where in the kernel a stall count grows, by the listing, and whose shape has to differ for it. */
static const struct {
    const char *what;
    size_t address;
    bool of_first, of_second;
} places[] = {
    {"what both run before their loops", 0x70, true, true},
    {"what only the first runs before its loop", 0xd0, true, false},
    {"the first one's loop", 0x100, true, false},
    {"what only the first runs behind its loop", 0x1d0, true, false},
    {"what only the second runs before its loop", 0x1e0, false, true},
    {"the second one's loop", 0x200, false, true},
    {"what both run behind their loops", 0x310, true, true},
};

static void expect_changed(const char *what, const struct accp_shape *before,
                           const struct accp_shape *after, bool is_changed)
{
    if ((strcmp(before->control_hash, after->control_hash) != 0) != is_changed)
        fail_msg("%s: %s has %s hash", what, after->role, is_changed ? "the same" : "another");
    assert_string_equal(before->hash, after->hash);
}

static void test_own_part(void **state)
{
    (void)state;
    struct opened opened = data_open("shared.sm_90.13.0");
    const struct accp_kernel *kernel = accp_cubin_find(&opened.cubin, "dispatch_chain7");
    const struct accp_shape first = shape_of(&opened, "dispatch.chain7.acc1");
    const struct accp_shape second = shape_of(&opened, "dispatch.chain7.acc2");
    assert_string_not_equal(first.hash, second.hash);
    for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
        /* Bits 105 to 108 of an instruction are its stall count. */
        uint8_t *code = opened.bytes.data + (kernel->code - opened.bytes.data) + places[i].address;
        code[13] ^= 2;
        const struct accp_shape first_now = shape_of(&opened, "dispatch.chain7.acc1");
        const struct accp_shape second_now = shape_of(&opened, "dispatch.chain7.acc2");
        expect_changed(places[i].what, &first, &first_now, places[i].of_first);
        expect_changed(places[i].what, &second, &second_now, places[i].of_second);
        code[13] ^= 2;
    }
    data_close(&opened);
}

/* A longer loop of another role pushes everything behind it away, and branches over it are longer. */
static void test_distances(void **state)
{
    (void)state;
    struct opened opened = data_open("shared.sm_90.13.0");
    const struct accp_shape here = shape_of(&opened, "dispatch.chain7.acc2");
    const struct accp_shape further = shape_of(&opened, "mixed.chain7.acc2");
    assert_int_equal(further.loop.address, here.loop.address + 0x10);
    assert_string_equal(here.hash, further.hash);
    assert_string_equal(here.control_hash, further.control_hash);
    assert_string_equal(here.loop.control_hash, further.loop.control_hash);
    assert_string_not_equal(here.loop.exact_hash, further.loop.exact_hash);
    data_close(&opened);
}

/* Copies of one loop, in another order than the roles of the table: only the selector tells whose each is. */
static const struct {
    const char *cubin, *role;
    int64_t address;
} copies[] = {
    {"selected.sm_75.13.0", "dispatch.chain7.acc16", 0x140},
    {"selected.sm_75.13.0", "dispatch.chain7.acc8", 0x2e0},
    {"selected.sm_75.13.0", "dispatch.chain7.acc7", 0x440},
    {"selected.sm_90.13.0", "dispatch.chain7.acc16", 0x150},
    {"selected.sm_90.13.0", "dispatch.chain7.acc8", 0x300},
    {"selected.sm_90.13.0", "dispatch.chain7.acc7", 0x470},
};

static void test_selected(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof copies / sizeof *copies; ++i) {
        struct opened opened = data_open(copies[i].cubin);
        const struct accp_shape shape = shape_of(&opened, copies[i].role);
        assert_int_equal(shape.loop.address, copies[i].address);
        assert_int_equal(accp_shape_first_broken(&shape), ACCP_SHAPE_LAW_COUNT);
        data_close(&opened);
    }
}

static uint8_t *instruction_at(struct opened *opened, int64_t address)
{
    const struct accp_kernel *kernel = accp_cubin_find(&opened->cubin, "dispatch_chain7");
    return opened->bytes.data + (kernel->code - opened->bytes.data) + address;
}

/* One FFMA of the second copy becomes a NOP. */
static void test_copy_breaks(void **state)
{
    static const uint8_t nop[16] = {0x18, 0x79, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xc0, 0x0f, 0};
    (void)state;
    struct opened opened = data_open("selected.sm_90.13.0");
    memcpy(instruction_at(&opened, 0x320), nop, sizeof nop);
    for (size_t i = 3; i < sizeof copies / sizeof *copies; ++i) {
        const struct accp_shape shape = shape_of(&opened, copies[i].role);
        assert_int_equal(shape.loop.address, copies[i].address);
        assert_int_equal(accp_shape_first_broken(&shape),
                         i == 4 ? ACCP_SHAPE_LAW_CHAIN : ACCP_SHAPE_LAW_COUNT);
    }
    data_close(&opened);
}

/* A selector of four bytes is none that is known of: then links decide, which all copies have alike. */
static void test_not_selected(void **state)
{
    (void)state;
    struct opened opened = data_open("selected.sm_90.13.0");
    instruction_at(&opened, 0x40)[9] |= 4 << 1;
    for (size_t i = 3; i < sizeof copies / sizeof *copies; ++i)
        assert_int_equal(shape_of(&opened, copies[i].role).loop.address, copies[3].address);
    data_close(&opened);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dealt_by_ffmas), cmocka_unit_test(test_own_part),
        cmocka_unit_test(test_distances),      cmocka_unit_test(test_selected),
        cmocka_unit_test(test_copy_breaks),    cmocka_unit_test(test_not_selected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) ? 1 : 0;
}
