#include "test_sass_data.h"

#include "sass/listing.h"

#include <stdlib.h>
#include <string.h>

static struct accp_listings listings_of(const char *name)
{
    struct opened opened = data_open(name);
    struct accp_listings listings = {0};
    struct accp_code code;
    struct accp_error error;
    const struct accp_loop *loop;
    assert_int_equal(accp_code_init(&opened.cubin, &opened.cubin.kernels[0], &code, &error),
                     ACCP_STATUS_OK);
    assert_int_equal(accp_code_hot_loop(&code, -1, &loop, &error), ACCP_STATUS_OK);
    for (int twice = 0; twice < 2; ++twice)
        assert_int_equal(accp_listings_add(&listings, &code, loop, &error), ACCP_STATUS_OK);
    assert_int_equal(listings.count, 1);
    assert_int_equal(listings.items[0].lines, loop->instructions);
    accp_code_fini(&code);
    data_close(&opened);
    return listings;
}

static void test_hash_is_that_of_the_shape(void **state)
{
    (void)state;
    struct opened opened = data_open("clock_around.sm_90.13.0");
    struct accp_shape shape = data_shape(&opened, NULL);
    struct accp_listings listings = listings_of("clock_around.sm_90.13.0");
    assert_non_null(accp_listings_find(&listings, shape.loop.control_hash));
    assert_null(accp_listings_find(&listings, "0123456789abcdef"));
    accp_listings_fini(&listings);
    data_close(&opened);
}

static enum accp_status read_text(const char *text, struct accp_listings *listings,
                                  struct accp_error *error)
{
    json_t *json;
    struct accp_json root;
    memset(listings, 0, sizeof *listings);
    assert_int_equal(accp_json_parse("loops", text, strlen(text), &json, &root, error),
                     ACCP_STATUS_OK);
    enum accp_status status = accp_listings_read(&root, listings, error);
    json_decref(json);
    return status;
}

/* What is written is read as the same text; an edited line no longer has its hash. */
static void test_round_trip(void **state)
{
    (void)state;
    struct accp_listings listings = listings_of("clock_around.sm_90.13.0"), again;
    struct accp_listings other = listings_of("clock_around.sm_90.12.4");
    struct accp_error error;
    char *text;
    size_t bytes, added;
    assert_int_equal(accp_listings_merge(&listings, &other, &added, &error), ACCP_STATUS_OK);
    assert_int_equal(added, 1);
    FILE *stream = open_memstream(&text, &bytes);
    accp_listings_put(stream, &listings);
    fclose(stream);
    assert_int_equal(read_text(text, &again, &error), ACCP_STATUS_OK);
    assert_int_equal(again.count, 2);
    for (size_t i = 0; i < again.count; ++i)
        assert_string_equal(again.items[i].text, listings.items[i].text);
    accp_listings_fini(&again);
    char *stall = strstr(text, "[4Y ");
    assert_non_null(stall);
    stall[1] = '5';
    assert_int_equal(read_text(text, &again, &error), ACCP_STATUS_INPUT);
    assert_non_null(strstr(error.text, "not what was recorded"));
    accp_listings_fini(&again);
    accp_listings_fini(&other);
    accp_listings_fini(&listings);
    free(text);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"{\"0123456789abcdef\": []}", "has 0 lines"},
        {"{\"0123456789abcdef\": {}}", "0123456789abcdef"},
        {"{\"0123456789abcdef\": [1]}", "line 1 is not an instruction"},
        {"{\"0123456789abcdef\": [\"NOP {0:918}\"]}", "line 1 is not an instruction"},
        {"{\"0123456789abcdef\": [\"[1 w7 r7 m00 u0]\"]}", "line 1 is not an instruction"},
        {"{\"0123456789abcdef\": [\"NOP {0:918} [1 w7 r7 m00]\"]}", "line 1 is not an instruction"},
        {"{\"0123456789abcdef\": [\"NOP {0:918} [01 w7 r7 m00 u0]\"]}", "line 1 is not"},
        {"{\"0123456789abcdef\": [\"NOP {0:918} [1 w7 r7 m00 u0] \"]}", "line 1 is not"},
        {"{\"0123456789abcdef\": [\"NOP {0:918} [1 w7 r7 m00 u0]\"]}", "not what was recorded"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct accp_listings listings;
        struct accp_error error;
        assert_int_equal(read_text(cases[i].text, &listings, &error), ACCP_STATUS_INPUT);
        if (!strstr(error.text, cases[i].words) && !strstr(error.where, cases[i].words))
            fail_msg("%s: %s %s", cases[i].text, error.where, error.text);
        accp_listings_fini(&listings);
    }
}

static void test_difference(void **state)
{
    (void)state;
    struct accp_listing before = {.lines = 2,
                                  .text = (char *)"FFMA r0, r1, r2, r0 {0:223} [4 w7 r7 m00 u0]\n"
                                                  "NOP {0:918} [1 w7 r7 m00 u0]\n"};
    static const struct {
        const char *after, *text;
        bool control_only;
    } cases[] = {
        {"FFMA r0, r1, r2, r0 {0:223} [4 w7 r7 m00 u0]\nNOP {0:918} [1 w7 r7 m00 u0]\n", "", false},
        {"FFMA r0, r1, r2, r0 {0:223} [4 w7 r7 m00 u0]\nNOP {0:918} [2Y w7 r7 m00 u0]\n",
         "control bits of instruction 2 of the loop: NOP [1 w7 r7 m00 u0] -> [2Y w7 r7 m00 u0]",
         true},
        {"FFMA r0, r1, r2, r0 {0:223} [5 w7 r7 m00 u0]\nEXIT {0:94d} [1 w7 r7 m00 u0]\n",
         "instruction 2 of the loop: NOP -> EXIT", false},
        {"FFMA r0, r1, r2, r0 {0:223} [4 w7 r7 m00 u0]\n",
         "instruction 2 of the loop: NOP -> (its end)", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct accp_listing after = {.text = (char *)(uintptr_t)cases[i].after};
        char text[ACCP_LISTING_DIFFERENCE_BYTES];
        bool control_only;
        accp_listing_difference(&before, &after, text, &control_only);
        assert_string_equal(text, cases[i].text);
        assert_int_equal(control_only, cases[i].control_only);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hash_is_that_of_the_shape),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) ? 1 : 0;
}
