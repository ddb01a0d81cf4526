/* What every reader of our JSON stands on, asked in every way for every member of any input; and the
 * two small files that are nothing else: listings of loops, and expected failures. */
#include "base/json.h"
#include "golden/expected.h"
#include "sass/listing.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { DEPTH = 8, VISITS = 256 };

static void check(enum accp_status status, const struct accp_error *error)
{
    if (status == ACCP_STATUS_OK) return;
    if (status != ACCP_STATUS_INPUT || !error->text[0] || strpbrk(error->text, "\r\n")) abort();
}

/* All that can be asked of a member of an object. */
static void ask(const struct accp_json *object, const char *key)
{
    struct accp_error error = {0};
    char text[16];
    double number;
    int64_t integer;
    enum accp_status status = accp_json_string(object, key, text, sizeof text, &error);
    check(status, &error);
    if (status == ACCP_STATUS_OK && (strlen(text) >= sizeof text || strpbrk(text, "\r\n"))) abort();
    status = accp_json_number(object, key, -1e6, 1e6, &number, &error);
    check(status, &error);
    if (status == ACCP_STATUS_OK && !(number >= -1e6 && number <= 1e6)) abort();
    status = accp_json_integer(object, key, -3, INT64_MAX, &integer, &error);
    check(status, &error);
    if (status == ACCP_STATUS_OK && integer < -3) abort();
    check(accp_json_format(object, "accprobe-run/1", &error), &error);
}

static void visit(const struct accp_json *at, int depth, int *visits)
{
    struct accp_error error = {0};
    struct accp_json below;
    if (depth == DEPTH || ++*visits > VISITS) return;
    if (json_is_array(at->value)) {
        for (size_t i = 0; i < json_array_size(at->value); ++i) {
            json_type type = json_typeof(json_array_get(at->value, i));
            if (accp_json_element(at, i, type, &below, &error) != ACCP_STATUS_OK) abort();
            visit(&below, depth + 1, visits);
        }
        check(accp_json_element(at, json_array_size(at->value), JSON_NULL, &below, &error), &error);
    }
    if (!json_is_object(at->value)) return;
    const char *key;
    json_t *value;
    json_object_foreach(at->value, key, value)
    {
        ask(at, key);
        if (accp_json_member(at, key, json_typeof(value), &below, &error) != ACCP_STATUS_OK)
            abort();
        visit(&below, depth + 1, visits);
    }
    ask(at, "no such member");
}

static void use_listings(const struct accp_json *root)
{
    struct accp_listings listings = {0};
    struct accp_error error = {0};
    struct accp_json object;
    char text[ACCP_LISTING_DIFFERENCE_BYTES];
    if (accp_json_member(root, "listings", JSON_OBJECT, &object, &error) != ACCP_STATUS_OK) return;
    check(accp_listings_read(&object, &listings, &error), &error);
    for (size_t i = 1; i < listings.count; ++i)
        accp_listing_difference(&listings.items[i - 1], &listings.items[i], text, NULL);
    accp_listings_fini(&listings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_t *json;
    struct accp_json root;
    struct accp_error error = {0};
    struct accp_expected expected;
    int visits = 0;
    enum accp_status status = accp_json_parse("f", data, size, &json, &root, &error);
    check(status, &error);
    if (status != ACCP_STATUS_OK) return 0;
    visit(&root, 0, &visits);
    use_listings(&root);
    check(accp_expected_parse(&root, &expected, &error), &error);
    accp_expected_fini(&expected);
    json_decref(json);
    return 0;
}
