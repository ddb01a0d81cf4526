/* The cubins of this build: what the tables ask of a role stands in the loop that it runs. */
#include "base/file.h"
#include "sass/chain.h"
#include "sass/shape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Goes through every role of every arch that was built. */
typedef void (*visit_role)(const struct accp_cubin *cubin, const struct accp_kernel *kernel,
                           const struct accp_role *role);

static void visit_probe(const struct accp_arch *arch, int probe, visit_role visit, size_t *visited)
{
    char path[4096];
    struct accp_bytes bytes;
    struct accp_cubin cubin;
    struct accp_error error;
    snprintf(path, sizeof path, "%s/cubin/%s/%s.cubin", ACCP_BINARY_DIR, arch->name,
             accp_probe_names[probe]);
    if (accp_file_read(path, ACCP_CUBIN_LIMIT_BYTES, &bytes, NULL) != ACCP_STATUS_OK) return;
    assert_int_equal(accp_cubin_open(path, bytes.data, bytes.size, &cubin, &error), ACCP_STATUS_OK);
    for (size_t i = 0; i < ACCP_ROLE_COUNT; ++i) {
        const struct accp_role *role = &accp_roles[i];
        if ((int)role->probe != probe) continue;
        const struct accp_kernel *kernel = accp_cubin_find(&cubin, role->kernel);
        if (!kernel) fail_msg("%s lacks %s", path, role->kernel);
        visit(&cubin, kernel, role);
        ++*visited;
    }
    accp_cubin_close(&cubin);
    accp_bytes_fini(&bytes);
}

static void visit_all(visit_role visit)
{
    size_t visited = 0;
    for (int arch = 0; arch < ACCP_ARCH_COUNT; ++arch)
        for (int probe = 0; probe < ACCP_PROBE_COUNT; ++probe)
            visit_probe(&accp_arches[arch], probe, visit, &visited);
    assert_true(visited > 0 && visited % ACCP_ROLE_COUNT == 0);
}

static void keeps_the_laws(const struct accp_cubin *cubin, const struct accp_kernel *kernel,
                           const struct accp_role *role)
{
    struct accp_shape shape;
    struct accp_error error;
    if (accp_shape_make(cubin, kernel, role, NULL, &shape, &error) != ACCP_STATUS_OK)
        fail_msg("%s %s: %s", cubin->arch_name, role->name, error.text);
    enum accp_shape_law law = accp_shape_first_broken(&shape);
    if (law != ACCP_SHAPE_LAW_COUNT)
        fail_msg("%s %s: %s", cubin->arch_name, role->name, shape.laws[law].text);
    assert_int_equal(shape.laws[ACCP_SHAPE_LAW_DEPTH].state, ACCP_SHAPE_LAW_KEPT);
}

static void test_every_role_keeps_the_laws(void **state)
{
    (void)state;
    visit_all(keeps_the_laws);
}

static int sunk(const struct accp_role *role)
{
    const struct accp_links links = accp_links_of(role->placement, role->chain, role->effective);
    int count = 0;
    for (int k = 0; k < role->effective; ++k)
        count += links.is_end[k] && !accp_is_carried(role->sink, k);
    return count;
}

/* An unsunk accumulator costs no instruction: no addition beyond those of the sink, no copy of a
 * float by arithmetic, and no access to memory but the stores that are asked for. */
static void costs_what_its_sink_says(const struct accp_cubin *cubin,
                                     const struct accp_kernel *kernel, const struct accp_role *role)
{
    struct accp_code code;
    struct accp_error error;
    const struct accp_loop *loop;
    int adds = 0, multiplies = 0, stores = 0, loads = 0;
    assert_int_equal(accp_code_init(cubin, kernel, &code, &error), ACCP_STATUS_OK);
    assert_int_equal(accp_chain_find_loop(&code, role, -1, &loop, &error), ACCP_STATUS_OK);
    for (size_t i = 0; i < code.count; ++i) {
        if (!loop->is_member[i]) continue;
        const enum accp_class class = accp_instruction_class(&code.instructions[i]);
        adds += code.instructions[i].opcode == ACCP_OPCODE_FADD;
        multiplies += code.instructions[i].opcode == ACCP_OPCODE_FMUL;
        stores += class == ACCP_CLASS_STORE;
        loads += class == ACCP_CLASS_LOAD;
    }
    accp_code_fini(&code);
    const int stored = role->sink == ACCP_SINK_STORE ? role->effective : 0;
    if (adds != sunk(role) || multiplies != 0 || stores != stored || loads != 0)
        fail_msg("%s %s: %d additions where the sink has %d, %d stores where it has %d, %d "
                 "multiplications, %d loads",
                 cubin->arch_name, role->name, adds, sunk(role), stores, stored, multiplies, loads);
}

static void test_sinks_cost_what_they_say(void **state)
{
    (void)state;
    visit_all(costs_what_its_sink_says);
}

/* A kernel that roles share has a loop for each accumulator count: no two of those counts go to one.
 */
static void test_shared_kernels_have_a_loop_for_each(void **state)
{
    (void)state;
    struct accp_bytes bytes;
    struct accp_cubin cubin;
    for (int arch = 0; arch < ACCP_ARCH_COUNT; ++arch) {
        char path[4096];
        int64_t seen[ACCP_LINKS + 1] = {0};
        snprintf(path, sizeof path, "%s/cubin/%s/mixed.cubin", ACCP_BINARY_DIR,
                 accp_arches[arch].name);
        if (accp_file_read(path, ACCP_CUBIN_LIMIT_BYTES, &bytes, NULL) != ACCP_STATUS_OK) continue;
        assert_int_equal(accp_cubin_open(path, bytes.data, bytes.size, &cubin, NULL),
                         ACCP_STATUS_OK);
        for (size_t i = 0; i < ACCP_ROLE_COUNT; ++i) {
            const struct accp_role *role = &accp_roles[i];
            struct accp_shape shape;
            if (role->probe != ACCP_PROBE_mixed || role->chain != 29) continue;
            assert_int_equal(accp_shape_make(&cubin, accp_cubin_find(&cubin, role->kernel), role,
                                             NULL, &shape, NULL),
                             ACCP_STATUS_OK);
            for (int k = 0; k < role->effective; ++k)
                assert_true(shape.loop.address != seen[k]);
            seen[role->effective] = shape.loop.address;
        }
        accp_cubin_close(&cubin);
        accp_bytes_fini(&bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_role_keeps_the_laws),
        cmocka_unit_test(test_sinks_cost_what_they_say),
        cmocka_unit_test(test_shared_kernels_have_a_loop_for_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) ? 1 : 0;
}
