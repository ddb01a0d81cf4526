/* Mutations of libFuzzer that keep JSON valid most of the time: values are replaced, copied, removed
 * and doubled whole, so that the executions reach the readers behind the parser. One in eight is a
 * mutation of bytes, for the parser itself. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *left, size_t left_size, const uint8_t *right,
                                 size_t right_size, uint8_t *out, size_t max_size,
                                 unsigned int seed);

enum { VALUES = 512, DEPTH = 32 };

/* A value, or the name of a member: data[begin, end). */
struct value {
    size_t begin, end;
};

struct values {
    size_t count;
    struct value items[VALUES];
};

static const char *const constants[] = {
    "0",
    "-0",
    "1",
    "-1",
    "2",
    "8",
    "32",
    "33",
    "1.0",
    "0.5",
    "-0.25",
    "1e-320",
    "1e308",
    "1e999",
    "1e12",
    "2147483647",
    "2147483648",
    "9223372036854775807",
    "9223372036854775808",
    "null",
    "true",
    "false",
    "[]",
    "{}",
    "[[]]",
    "[0,0]",
    "\"\"",
    "\" \"",
    "\"\\n\"",
    "\"\\u0000\"",
    "\"\\ud800\"",
    "\"%s%n\"",
    "\"optimal.chain7.acc1\"",
    "\"optimal.chain29.acc16\"",
    "\"optimal\"",
    "\"optimal.chain7\"",
    "\"sm_90\"",
    "\"measured\"",
    "\"predicted\"",
    "\"document\"",
    "\"acc1 > acc2\"",
    "\"0123456789abcdef\"",
    "\"2026-11-30\"",
    "\">\"",
    ("\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
     "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"")};

static uint32_t draw(uint32_t *state, size_t below)
{
    *state = *state * 1664525u + 1013904223u;
    return (uint32_t)((*state >> 8) % (below ? below : 1));
}

static size_t end_of_string(const uint8_t *data, size_t size, size_t at)
{
    for (++at; at < size && data[at] != '"'; ++at)
        at += data[at] == '\\';
    return at < size ? at + 1 : size;
}

static void find_values(const uint8_t *data, size_t size, struct values *values)
{
    size_t open[DEPTH], depth = 0;
    values->count = 0;
    for (size_t at = 0; at < size && values->count < VALUES;) {
        size_t end = at + 1;
        if (strchr("[{", data[at]) && data[at]) {
            if (depth < DEPTH) open[depth++] = at;
        } else if (data[at] == ']' || data[at] == '}') {
            if (depth > 0) values->items[values->count++] = (struct value){open[--depth], end};
        } else if (!strchr(" \t\r\n,:", data[at])) {
            if (data[at] == '"')
                end = end_of_string(data, size, at);
            else
                while (end < size && data[end] && !strchr(" \t\r\n,:[]{}\"", data[end]))
                    ++end;
            values->items[values->count++] = (struct value){at, end};
        }
        at = end;
    }
}

/* Puts `text` in place of data[begin, end); the input as it was when that is too long. */
static size_t splice(uint8_t *data, size_t size, size_t max_size, struct value place,
                     const void *text, size_t text_size)
{
    size_t new_size = size - (place.end - place.begin) + text_size;
    if (new_size > max_size || new_size == 0) return size;
    memmove(data + place.begin + text_size, data + place.end, size - place.end);
    memcpy(data + place.begin, text, text_size);
    return new_size;
}

/* With the comma that goes with it. */
static size_t remove_value(uint8_t *data, size_t size, size_t max_size, struct value place)
{
    while (place.end < size && strchr(" \n", data[place.end]))
        ++place.end;
    if (place.end < size && data[place.end] == ':') return size; /* the name of a member */
    if (place.end < size && data[place.end] == ',') ++place.end;
    return splice(data, size, max_size, place, "", 0);
}

static size_t double_value(uint8_t *data, size_t size, size_t max_size, struct value place)
{
    char copy[4096];
    size_t length = place.end - place.begin;
    if (length + 1 > sizeof copy) return size;
    copy[0] = ',';
    memcpy(copy + 1, data + place.begin, length);
    place.begin = place.end;
    return splice(data, size, max_size, place, copy, length + 1);
}

static size_t mutate_inside(uint8_t *data, size_t size, size_t max_size, struct value place)
{
    uint8_t copy[256];
    size_t length = place.end - place.begin, quote = data[place.begin] == '"';
    if (length > sizeof copy / 2 || length <= 2 * quote) return size;
    memcpy(copy, data + place.begin + quote, length - 2 * quote);
    length = LLVMFuzzerMutate(copy, length - 2 * quote, sizeof copy);
    place.begin += quote;
    place.end -= quote;
    return splice(data, size, max_size, place, copy, length);
}

static size_t change_number(uint8_t *data, size_t size, size_t max_size, struct value place,
                            uint32_t *state)
{
    static const double factors[] = {-1, 0.5, 0.999, 1.001, 1.01, 2, 10, 1e9, 1e-9};
    char text[64], *end;
    size_t length = place.end - place.begin;
    if (length >= sizeof text) return size;
    memcpy(text, data + place.begin, length);
    text[length] = 0;
    double number = strtod(text, &end);
    if (end == text) return size;
    if (strpbrk(text, ".eE"))
        number *= factors[draw(state, sizeof factors / sizeof *factors)];
    else
        number += (double)draw(state, 5) - 2;
    int printed = snprintf(text, sizeof text, strpbrk(text, ".eE") ? "%.7g" : "%.0f", number);
    return splice(data, size, max_size, place, text, (size_t)printed);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    static struct values values;
    uint32_t state = seed;
    find_values(data, size, &values);
    if (values.count == 0 || draw(&state, 8) == 0) return LLVMFuzzerMutate(data, size, max_size);
    struct value place = values.items[draw(&state, values.count)];
    const char *constant = constants[draw(&state, sizeof constants / sizeof *constants)];
    switch (draw(&state, 6)) {
    case 0:
        return splice(data, size, max_size, place, constant, strlen(constant));
    case 1: {
        char copy[4096];
        struct value from = values.items[draw(&state, values.count)];
        size_t length = from.end - from.begin;
        if (length > sizeof copy) return size;
        memcpy(copy, data + from.begin, length);
        return splice(data, size, max_size, place, copy, length);
    }
    case 2:
        return remove_value(data, size, max_size, place);
    case 3:
        return double_value(data, size, max_size, place);
    case 4:
        return change_number(data, size, max_size, place, &state);
    default:
        return mutate_inside(data, size, max_size, place);
    }
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *left, size_t left_size, const uint8_t *right,
                                 size_t right_size, uint8_t *out, size_t max_size,
                                 unsigned int seed)
{
    static struct values values;
    uint32_t state = seed;
    find_values(right, right_size, &values);
    if (values.count == 0 || left_size > max_size) return 0;
    struct value from = values.items[draw(&state, values.count)];
    find_values(left, left_size, &values);
    if (values.count == 0) return 0;
    memcpy(out, left, left_size);
    return splice(out, left_size, max_size, values.items[draw(&state, values.count)],
                  right + from.begin, from.end - from.begin);
}
