#include "calibration_text.h"

#include <stdlib.h>
#include <string.h>

enum { FILE_LIMIT_BYTES = 1 << 24 };

char *calibration_cut(char **at, char separator)
{
    char *start = *at;
    if (!start) return NULL;
    char *end = strchr(start, separator);
    if (end) *end++ = 0;
    *at = end;
    return start;
}

enum accp_status calibration_wrong(const struct calibration_reader *reader, const char *what,
                                   const char *text)
{
    return accp_fail(reader->error, ACCP_STATUS_INPUT, reader->path, reader->line,
                     "line %lld: %s: '%.40s'; its head says what a line holds",
                     (long long)reader->line, what, text ? text : "");
}

/* A number of `base` in [0, most] at *at, which moves behind it. */
static bool number(char **at, int base, long most, long *value)
{
    char *end;
    if (!strchr("0123456789abcdef", **at) || !**at) return false;
    *value = strtol(*at, &end, base);
    const bool good = end != *at && *value >= 0 && *value <= most;
    *at = end;
    return good;
}

bool calibration_number(char *text, long most, int *value)
{
    long read;
    if (!text || !number(&text, 10, most, &read) || *text) return false;
    *value = (int)read;
    return true;
}

enum accp_status calibration_read_word(struct calibration_reader *reader, char *rest)
{
    const char *name = calibration_cut(&rest, '\t');
    const char *digits = calibration_cut(&rest, '\t');
    if (!digits || rest || strlen(digits) != 32 || strspn(digits, "0123456789abcdef") != 32)
        return calibration_wrong(reader, "a word has a name and 32 hexadecimal digits", name);
    if (reader->word_count == CALIBRATION_WORDS)
        return calibration_wrong(reader, "too many words", name);
    char high[17] = {0};
    memcpy(high, digits, 16);
    reader->words[reader->word_count++] = (struct calibration_word){
        .name = name, .high = strtoull(high, NULL, 16), .low = strtoull(digits + 16, NULL, 16)};
    return ACCP_STATUS_OK;
}

/* The 21 control bits; false: not of the form STALL[y][wN][rN][mHH][uH]. */
static bool read_control(char **at, uint64_t *control)
{
    /* FIELD: its letter, the base of its number, its most, its lowest bit, its value when absent */
    static const struct {
        char letter;
        int base;
        long most;
        unsigned bit;
        uint64_t absent;
    } fields[] = {
        {'w', 10, 5, 5, 7}, {'r', 10, 5, 8, 7}, {'m', 16, 63, 11, 0}, {'u', 16, 7, 17, 0}};
    long value;
    if (!number(at, 10, 15, &value)) return false;
    *control = (uint64_t)value | (uint64_t)(**at != 'y') << 4;
    *at += **at == 'y';
    for (size_t i = 0; i < sizeof fields / sizeof *fields; ++i) {
        uint64_t field = fields[i].absent;
        if (**at == fields[i].letter) {
            ++*at;
            if (!number(at, fields[i].base, fields[i].most, &value)) return false;
            field = (uint64_t)value;
        }
        *control |= field << fields[i].bit;
    }
    return true;
}

/* The word of an instruction's name, with its registers; NULL: not known, or no registers. */
static const struct calibration_word *read_name(const struct calibration_reader *reader, char *name,
                                                uint64_t *registers)
{
    char *digits = strchr(name, '/');
    if (digits) {
        *digits++ = 0;
        if (strlen(digits) != 8 || strspn(digits, "0123456789abcdef") != 8) return NULL;
        *registers = strtoull(digits, NULL, 16);
    }
    for (size_t i = 0; i < reader->word_count; ++i)
        if (!strcmp(reader->words[i].name, name)) return &reader->words[i];
    return NULL;
}

static void put(struct calibration_code *code, const uint64_t words[2])
{
    uint8_t *bytes = code->bytes[code->count++];
    for (unsigned i = 0; i < ACCP_INSTRUCTION_BYTES; ++i)
        bytes[i] = (uint8_t)(words[i / 8] >> 8 * (i % 8));
}

/* Bits 23 to 16, then 81 to 34. */
void calibration_aim(uint64_t words[2], int64_t distance)
{
    const uint64_t units = (uint64_t)(4 * (distance - 1));
    words[0] = (words[0] & 0x3ff00ffff) | (units & 255) << 16 | units >> 8 << 34;
    words[1] = (words[1] & ~UINT64_C(0x3ffff)) | (units >> 38 & 0x3ffff);
}

/* Cuts >AHEAD off a branch's name; 0: there is none. false: wrong. */
static bool read_ahead(char *name, long most, long *ahead)
{
    char *digits = strchr(name, '>');
    *ahead = 0;
    if (!digits) return true;
    *digits++ = 0;
    return number(&digits, 10, most, ahead) && !*digits && *ahead > 0;
}

enum accp_status calibration_read_instruction(struct calibration_reader *reader, char *text,
                                              struct calibration_code *code)
{
    uint64_t registers = 0, control;
    long times = 1, ahead;
    char *at = text;
    char *name = calibration_cut(&at, ':');
    if (!read_ahead(name, (long)code->most, &ahead))
        return calibration_wrong(reader, "a branch goes 1 instruction ahead or more", name);
    const struct calibration_word *word = read_name(reader, name, &registers);
    if (!word)
        return calibration_wrong(reader, "no word of that name, or not 8 digits of registers",
                                 name);
    if (!at || !read_control(&at, &control))
        return calibration_wrong(reader, "wrong control bits of", name);
    if (*at == '*') {
        ++at;
        if (!number(&at, 10, (long)code->most, &times) || times < 1) at = text;
    }
    if (*at) return calibration_wrong(reader, "wrong end of", name);
    if (code->count + (size_t)times > code->most)
        return calibration_wrong(reader, "too many instructions at", name);

    const uint64_t low = word->low | (registers >> 24 & 255) << 16 | (registers >> 16 & 255) << 24 |
                         (registers >> 8 & 255) << 32;
    const uint64_t high = word->high | (registers & 255) | control << 41;
    uint64_t words[2] = {low, high};
    if (!strcmp(name, "BRA"))
        calibration_aim(words, -(int64_t)code->count);
    else if (ahead)
        calibration_aim(words, ahead);
    if (ahead && code->count + (size_t)ahead >= code->reach)
        code->reach = code->count + (size_t)ahead + 1;
    while (times--)
        put(code, words);
    return ACCP_STATUS_OK;
}

enum accp_status calibration_read_text(const char *path, struct accp_bytes *bytes,
                                       struct accp_error *error)
{
    ACCP_TRY(accp_file_read(path, FILE_LIMIT_BYTES, bytes, error));
    if (strlen((const char *)bytes->data) == bytes->size) return ACCP_STATUS_OK;
    accp_bytes_fini(bytes);
    return accp_fail(error, ACCP_STATUS_INPUT, path, -1, "holds a NUL: it is no text");
}
