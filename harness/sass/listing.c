#include "sass/listing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void accp_listings_fini(struct accp_listings *listings)
{
    for (size_t i = 0; i < listings->count; ++i)
        free(listings->items[i].text);
    free(listings->items);
    memset(listings, 0, sizeof *listings);
}

/* Where `hash` stands, or would have to. */
static size_t place_of(const struct accp_listings *listings, const char *hash, bool *is_there)
{
    size_t low = 0, high = listings->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(listings->items[middle].hash, hash);
        if (order == 0) {
            *is_there = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *is_there = false;
    return low;
}

const struct accp_listing *accp_listings_find(const struct accp_listings *listings,
                                              const char *hash)
{
    bool is_there;
    size_t at = place_of(listings, hash, &is_there);
    return is_there ? &listings->items[at] : NULL;
}

static enum accp_status out_of_memory(struct accp_error *error)
{
    return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for the listing of a loop");
}

/* Takes over `listing`, or frees it where its hash is there already. */
static enum accp_status insert(struct accp_listings *listings, struct accp_listing *listing,
                               struct accp_error *error)
{
    bool is_there;
    size_t at = place_of(listings, listing->hash, &is_there);
    if (is_there) {
        free(listing->text);
        return ACCP_STATUS_OK;
    }
    struct accp_listing *items =
        realloc(listings->items, (listings->count + 1) * sizeof *listings->items);
    if (!items) {
        free(listing->text);
        return out_of_memory(error);
    }
    memmove(items + at + 1, items + at, (listings->count - at) * sizeof *items);
    items[at] = *listing;
    listings->items = items;
    ++listings->count;
    return ACCP_STATUS_OK;
}

static void control_text(const struct accp_control *control, char text[32])
{
    snprintf(text, 32, "[%d%s w%d r%d m%02x u%d]", control->stall_cycles, control->yield ? "Y" : "",
             control->write_barrier, control->read_barrier, control->wait_mask, control->reuse);
}

enum accp_status accp_listings_add(struct accp_listings *listings, const struct accp_code *code,
                                   const struct accp_loop *loop, struct accp_error *error)
{
    struct accp_listing listing = {.lines = loop->instructions};
    struct accp_renaming renaming;
    char hash[ACCP_HASH_BYTES];
    size_t bytes;
    if (loop->instructions > ACCP_LISTING_LINES)
        return accp_fail(error, ACCP_STATUS_UNSUPPORTED, code->kernel->name, -1,
                         "its hot loop has %zu instructions; listings hold up to %d",
                         loop->instructions, ACCP_LISTING_LINES);
    accp_normal_hash(code, loop, hash, listing.hash);
    FILE *stream = open_memstream(&listing.text, &bytes);
    if (!stream) return out_of_memory(error);
    accp_renaming_init(&renaming);
    for (size_t i = 0; i < code->count; ++i) {
        char line[ACCP_NORMAL_TEXT_BYTES], control[32];
        if (!loop->is_member[i]) continue;
        accp_normal_line(code, i, &renaming, line, sizeof line);
        control_text(&code->instructions[i].control, control);
        fprintf(stream, "%s %s\n", line, control);
    }
    if (fclose(stream) != 0) {
        free(listing.text);
        return out_of_memory(error);
    }
    return insert(listings, &listing, error);
}

enum accp_status accp_listings_merge(struct accp_listings *listings,
                                     const struct accp_listings *from, size_t *added,
                                     struct accp_error *error)
{
    size_t before = listings->count;
    for (size_t i = 0; i < from->count; ++i) {
        struct accp_listing copy = from->items[i];
        copy.text = strdup(copy.text);
        if (!copy.text) return out_of_memory(error);
        ACCP_TRY(insert(listings, &copy, error));
    }
    if (added) *added = listings->count - before;
    return ACCP_STATUS_OK;
}

/* Splits "FFMA r0, ... [4 w7 r7 m00 u0]" at its control bits; false when it has another form. */
static bool split_line(const char *line, size_t length, size_t *normal_length,
                       struct accp_control *control)
{
    char yield[2] = "", text[32];
    unsigned stall, write, read, mask, reuse;
    size_t at = length;
    while (at > 0 && line[at - 1] != '[')
        --at;
    if (at < 3 || line[at - 2] != ' ' || length - at + 1 >= sizeof text) return false;
    memcpy(text, line + at - 1, length - at + 1);
    text[length - at + 1] = 0;
    if (sscanf(text, "[%2u%1[Y] w%1u r%1u m%2x u%1u]", &stall, yield, &write, &read, &mask,
               &reuse) != 6) {
        yield[0] = 0;
        if (sscanf(text, "[%2u w%1u r%1u m%2x u%1u]", &stall, &write, &read, &mask, &reuse) != 5)
            return false;
    }
    *control = (struct accp_control){.stall_cycles = (uint8_t)stall,
                                     .yield = yield[0] == 'Y',
                                     .write_barrier = (uint8_t)write,
                                     .read_barrier = (uint8_t)read,
                                     .wait_mask = (uint8_t)mask,
                                     .reuse = (uint8_t)reuse};
    char again[32];
    control_text(control, again);
    *normal_length = at - 2;
    return strcmp(again, text) == 0;
}

/* Appends the lines of one array to `stream` and sets the hash that they have. */
static enum accp_status read_lines(const struct accp_json *array, FILE *stream,
                                   char hash[ACCP_HASH_BYTES], struct accp_error *error)
{
    struct accp_normal_digest digest;
    accp_normal_digest_init(&digest);
    for (size_t i = 0; i < json_array_size(array->value); ++i) {
        const char *line = json_string_value(json_array_get(array->value, i));
        struct accp_control control;
        size_t length;
        char normal[ACCP_NORMAL_TEXT_BYTES];
        if (!line || strlen(line) >= ACCP_LISTING_LINE_BYTES || strpbrk(line, "\n\r\"\\") ||
            !split_line(line, strlen(line), &length, &control) || length >= sizeof normal)
            return accp_json_fail(array, error, "line %zu is not an instruction of a listing",
                                  i + 1);
        memcpy(normal, line, length);
        normal[length] = 0;
        accp_normal_digest_add(&digest, normal, &control);
        fprintf(stream, "%s\n", line);
    }
    accp_normal_digest_text(digest.with_control, hash);
    return ACCP_STATUS_OK;
}

static enum accp_status read_listing(const struct accp_json *array, const char *key,
                                     struct accp_listings *listings, struct accp_error *error)
{
    struct accp_listing listing = {.lines = json_array_size(array->value)};
    size_t bytes;
    if (listing.lines == 0 || listing.lines > ACCP_LISTING_LINES)
        return accp_json_fail(array, error, "has %zu lines; 1 to %d are read", listing.lines,
                              ACCP_LISTING_LINES);
    FILE *stream = open_memstream(&listing.text, &bytes);
    if (!stream) return out_of_memory(error);
    enum accp_status status = read_lines(array, stream, listing.hash, error);
    if (fclose(stream) != 0 && status == ACCP_STATUS_OK) status = out_of_memory(error);
    if (status == ACCP_STATUS_OK && strcmp(listing.hash, key) != 0)
        status = accp_json_fail(array, error, "its lines have the hash %s: not what was recorded",
                                listing.hash);
    if (status == ACCP_STATUS_OK) return insert(listings, &listing, error);
    free(listing.text);
    return status;
}

enum accp_status accp_listings_read(const struct accp_json *object, struct accp_listings *listings,
                                    struct accp_error *error)
{
    const char *key;
    json_t *value;
    json_object_foreach(object->value, key, value)
    {
        struct accp_json array;
        ACCP_TRY(accp_json_member(object, key, JSON_ARRAY, &array, error));
        ACCP_TRY(read_listing(&array, key, listings, error));
    }
    return ACCP_STATUS_OK;
}

/* The next line of a listing without its newline; NULL at the end. */
static const char *next_line(const char **at, size_t *length)
{
    const char *line = *at;
    if (!*line) return NULL;
    *length = strcspn(line, "\n");
    *at = line + *length + 1;
    return line;
}

void accp_listings_put(FILE *stream, const struct accp_listings *listings)
{
    fputs("{", stream);
    for (size_t i = 0; i < listings->count; ++i) {
        const char *at = listings->items[i].text, *line, *separator = "";
        size_t length;
        fprintf(stream, "%s\n  \"%s\": [", i ? "," : "", listings->items[i].hash);
        while ((line = next_line(&at, &length))) {
            fprintf(stream, "%s\n   \"%.*s\"", separator, (int)length, line);
            separator = ",";
        }
        fputs("]", stream);
    }
    fputs("}", stream);
}

struct line {
    const char *text; /* NULL: the loop has ended */
    size_t length, normal_length;
    struct accp_control control;
};

static struct line take_line(const char **at)
{
    struct line line = {0};
    line.text = next_line(at, &line.length);
    if (line.text) split_line(line.text, line.length, &line.normal_length, &line.control);
    return line;
}

static bool same_normal(const struct line *left, const struct line *right)
{
    return left->text && right->text && left->normal_length == right->normal_length &&
           memcmp(left->text, right->text, left->normal_length) == 0;
}

/* A line for people: without the bits in braces that no operand names. */
static void say_line(const struct line *line, char text[64])
{
    size_t length = 0;
    while (length < line->normal_length && line->text[length] != '{')
        ++length;
    if (!line->text)
        snprintf(text, 64, "(its end)");
    else
        snprintf(text, 64, "%.*s", (int)(length > 0 ? length - 1 : 0), line->text);
}

static void say_control(size_t index, const struct line *left, const struct line *right,
                        char text[ACCP_LISTING_DIFFERENCE_BYTES])
{
    char words[64], before[32], after[32];
    say_line(left, words);
    control_text(&left->control, before);
    control_text(&right->control, after);
    snprintf(text, ACCP_LISTING_DIFFERENCE_BYTES,
             "control bits of instruction %zu of the loop: %.50s %s -> %s", index, words, before,
             after);
}

void accp_listing_difference(const struct accp_listing *before, const struct accp_listing *after,
                             char text[ACCP_LISTING_DIFFERENCE_BYTES], bool *control_only)
{
    const char *before_at = before->text, *after_at = after->text;
    bool found_control = false, found_line = false;
    text[0] = 0;
    for (size_t index = 1; !found_line; ++index) {
        struct line left = take_line(&before_at), right = take_line(&after_at);
        if (!left.text && !right.text) break;
        found_line = !same_normal(&left, &right);
        if (found_line) {
            char left_words[64], right_words[64];
            say_line(&left, left_words);
            say_line(&right, right_words);
            snprintf(text, ACCP_LISTING_DIFFERENCE_BYTES, "instruction %zu of the loop: %s -> %s",
                     index, left_words, right_words);
        } else if (!found_control && (left.length != right.length ||
                                      memcmp(left.text, right.text, left.length) != 0)) {
            found_control = true;
            say_control(index, &left, &right, text);
        }
    }
    if (control_only) *control_only = found_control && !found_line;
}
