#include "calibration.h"

#include "base/file.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 256, FILE_LIMIT_BYTES = 1 << 24 };

struct word {
    const char *name;
    uint64_t low, high;
};

struct reader {
    const char *path;
    int64_t line;
    struct word words[WORDS];
    size_t reach; /* behind the farthest instruction of a loop that a branch goes to */
    size_t word_count;
    struct accp_error *error;
};

const int calibration_warps[CALIBRATION_LOADS] = {
#define LOAD(warps) warps,
    CALIBRATION_LOAD_TABLE(LOAD)
#undef LOAD
};

char *calibration_cut(char **at, char separator)
{
    char *start = *at;
    if (!start) return NULL;
    char *end = strchr(start, separator);
    if (end) *end++ = 0;
    *at = end;
    return start;
}

static enum accp_status wrong(const struct reader *reader, const char *what, const char *text)
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

static bool whole_number(char *text, long most, int *value)
{
    long read;
    if (!text || !number(&text, 10, most, &read) || *text) return false;
    *value = (int)read;
    return true;
}

static enum accp_status read_word(struct reader *reader, char *rest)
{
    const char *name = calibration_cut(&rest, '\t');
    const char *digits = calibration_cut(&rest, '\t');
    if (!digits || rest || strlen(digits) != 32 || strspn(digits, "0123456789abcdef") != 32)
        return wrong(reader, "a word has a name and 32 hexadecimal digits", name);
    if (reader->word_count == WORDS) return wrong(reader, "too many words", name);
    char high[17] = {0};
    memcpy(high, digits, 16);
    reader->words[reader->word_count++] = (struct word){
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
static const struct word *read_name(const struct reader *reader, char *name, uint64_t *registers)
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

static void put(struct calibration_loop *loop, const uint64_t words[2])
{
    uint8_t *bytes = loop->code[loop->count++];
    for (unsigned i = 0; i < ACCP_INSTRUCTION_BYTES; ++i)
        bytes[i] = (uint8_t)(words[i / 8] >> 8 * (i % 8));
}

/* In units of 4 bytes from the next instruction on: bits 23 to 16, then 81 to 34. */
void calibration_aim(uint64_t words[2], int64_t distance)
{
    const uint64_t units = (uint64_t)(4 * (distance - 1));
    words[0] = (words[0] & 0x3ff00ffff) | (units & 255) << 16 | units >> 8 << 34;
    words[1] = (words[1] & ~UINT64_C(0x3ffff)) | (units >> 38 & 0x3ffff);
}

/* Cuts >AHEAD off a branch's name; 0: there is none. false: wrong. */
static bool read_ahead(char *name, long *ahead)
{
    char *digits = strchr(name, '>');
    *ahead = 0;
    if (!digits) return true;
    *digits++ = 0;
    return number(&digits, 10, CALIBRATION_INSTRUCTIONS, ahead) && !*digits && *ahead > 0;
}

/* Appends NAME/DDAABBCC:CONTROL*TIMES, or NAME>AHEAD:CONTROL. */
static enum accp_status read_instruction(struct reader *reader, char *text,
                                         struct calibration_loop *loop)
{
    uint64_t registers = 0, control;
    long times = 1, ahead;
    char *at = text;
    char *name = calibration_cut(&at, ':');
    if (!read_ahead(name, &ahead))
        return wrong(reader, "a branch goes 1 instruction ahead or more", name);
    const struct word *word = read_name(reader, name, &registers);
    if (!word) return wrong(reader, "no word of that name, or not 8 digits of registers", name);
    if (!at || !read_control(&at, &control)) return wrong(reader, "wrong control bits of", name);
    if (*at == '*') {
        ++at;
        if (!number(&at, 10, CALIBRATION_INSTRUCTIONS, &times) || times < 1) at = text;
    }
    if (*at) return wrong(reader, "wrong end of", name);
    if (loop->count + (size_t)times > CALIBRATION_INSTRUCTIONS)
        return wrong(reader, "a loop is too long at", name);

    const uint64_t low = word->low | (registers >> 24 & 255) << 16 | (registers >> 16 & 255) << 24 |
                         (registers >> 8 & 255) << 32;
    const uint64_t high = word->high | (registers & 255) | control << 41;
    uint64_t words[2] = {low, high};
    if (!strcmp(name, "BRA"))
        calibration_aim(words, -(int64_t)loop->count);
    else if (ahead)
        calibration_aim(words, ahead);
    if (ahead && loop->count + (size_t)ahead >= reader->reach)
        reader->reach = loop->count + (size_t)ahead + 1;
    while (times--)
        put(loop, words);
    return ACCP_STATUS_OK;
}

static enum accp_status read_loop(struct reader *reader, char *rest, struct calibration_loop *loop)
{
    memset(loop, 0, sizeof *loop);
    const char *group = calibration_cut(&rest, '\t');
    if (!group || !*group || strlen(group) >= sizeof loop->group)
        return wrong(reader, "a group's name has 1 to 23 letters", group);
    memcpy(loop->group, group, strlen(group));
    if (!whole_number(calibration_cut(&rest, '\t'), 1 << 20, &loop->number))
        return wrong(reader, "a loop has a number in its group", group);
    if (!whole_number(calibration_cut(&rest, '\t'), CALIBRATION_LINE - 1, &loop->position))
        return wrong(reader, "a loop has a position of 0 to 7", group);
    for (size_t i = 0; i < CALIBRATION_LOADS; ++i) {
        char *text = calibration_cut(&rest, '\t'), *end;
        if (!text) return wrong(reader, "a loop has cycles at each load", group);
        if (!strcmp(text, "-")) continue;
        loop->cycles[i] = strtod(text, &end);
        if (end == text || *end || !isfinite(loop->cycles[i]) || loop->cycles[i] < 1)
            return wrong(reader, "cycles are a number from 1 on, or -", text);
    }
    bool branch = false;
    reader->reach = 0;
    for (char *text; (text = calibration_cut(&rest, ' '));) {
        if (branch) return wrong(reader, "something stands behind the branch back", text);
        branch = !strncmp(text, "BRA:", 4);
        ACCP_TRY(read_instruction(reader, text, loop));
    }
    if (reader->reach > loop->count) return wrong(reader, "a branch leaves the loop", group);
    return branch ? ACCP_STATUS_OK : wrong(reader, "no branch back ends the loop", group);
}

static enum accp_status read_lines(struct reader *reader, char *text,
                                   struct calibration *calibration)
{
    for (char *line; (line = calibration_cut(&text, '\n'));) {
        ++reader->line;
        if (!*line || *line == '#') continue;
        const char *kind = calibration_cut(&line, '\t');
        if (!strcmp(kind, "word")) {
            ACCP_TRY(read_word(reader, line));
            continue;
        }
        if (strcmp(kind, "loop") != 0)
            return wrong(reader, "a line starts with word or loop", kind);
        struct calibration_loop *loops =
            realloc(calibration->loops, (calibration->count + 1) * sizeof *loops);
        if (!loops)
            return accp_fail(reader->error, ACCP_STATUS_MEMORY, reader->path, reader->line,
                             "too many loops for the memory");
        calibration->loops = loops;
        ACCP_TRY(read_loop(reader, line, &loops[calibration->count]));
        ++calibration->count;
    }
    return calibration->count ? ACCP_STATUS_OK : wrong(reader, "no loop", "");
}

enum accp_status calibration_read(const char *path, struct calibration *calibration,
                                  struct accp_error *error)
{
    struct accp_bytes bytes;
    *calibration = (struct calibration){0};
    ACCP_TRY(accp_file_read(path, FILE_LIMIT_BYTES, &bytes, error));
    struct reader reader = {.path = path, .error = error};
    enum accp_status status =
        strlen((const char *)bytes.data) == bytes.size
            ? read_lines(&reader, (char *)bytes.data, calibration)
            : accp_fail(error, ACCP_STATUS_INPUT, path, -1, "holds a NUL: it is no text");
    accp_bytes_fini(&bytes);
    if (status != ACCP_STATUS_OK) calibration_fini(calibration);
    return status;
}

/* A loop's line with other cycles in its fifth and the fields after it. */
static void write_loop(char *line, const struct calibration_loop *loop, FILE *out)
{
    enum { BEFORE = 4 };
    for (int i = 0; i < BEFORE; ++i)
        fprintf(out, "%s\t", calibration_cut(&line, '\t'));
    for (size_t i = 0; i < CALIBRATION_LOADS; ++i) {
        calibration_cut(&line, '\t');
        if (loop->cycles[i] > 0)
            fprintf(out, "%.6g\t", round(loop->cycles[i] * 100) / 100);
        else
            fputs("-\t", out);
    }
    fprintf(out, "%s\n", line);
}

static void write_lines(char *text, const struct calibration *calibration, const char *measured,
                        FILE *out)
{
    size_t count = 0;
    for (char *line; (line = calibration_cut(&text, '\n'));) {
        if (!strncmp(line, "# Measured ", 11))
            fprintf(out, "# Measured %s\n", measured);
        else if (!strncmp(line, "loop\t", 5) && count < calibration->count)
            write_loop(line, &calibration->loops[count++], out);
        else if (text)
            fprintf(out, "%s\n", line);
    }
}

enum accp_status calibration_write(const char *path, const struct calibration *calibration,
                                   const char *measured, const char *out, struct accp_error *error)
{
    struct accp_bytes bytes;
    char *data = NULL;
    size_t size = 0;
    ACCP_TRY(accp_file_read(path, FILE_LIMIT_BYTES, &bytes, error));
    FILE *memory = open_memstream(&data, &size);
    if (memory) write_lines((char *)bytes.data, calibration, measured, memory);
    accp_bytes_fini(&bytes);
    const bool whole = memory && !ferror(memory);
    enum accp_status status =
        memory && fclose(memory) == 0 && whole
            ? accp_file_write_atomic(out, data, size, error)
            : accp_fail(error, ACCP_STATUS_MEMORY, out, -1, "no memory for the recording");
    free(data);
    return status;
}

void calibration_fini(struct calibration *calibration)
{
    free(calibration->loops);
    *calibration = (struct calibration){0};
}
