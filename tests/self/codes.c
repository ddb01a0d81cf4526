#include "codes.h"

#include "calibration_text.h"
#include "sass/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SM = 90, NUMBER_MOST = 1 << 20, CYCLE_MOST = 1 << 14 };

void codes_quiet(int reg, uint64_t words[2])
{
    const uint64_t control = CODES_QUIET_CYCLES | 7U << 5 | 7U << 8;
    words[0] = reg < 0 ? 0x7918 : 0x7805 | (uint64_t)reg << 16;
    words[1] = (reg < 0 ? 0 : 0x5000) | control << 41;
}

static enum accp_status find_reads(const struct calibration_reader *reader, struct codes_code *code)
{
    for (; code->reads < CODES_QUIET; ++code->reads)
        code->read_at[code->reads] = (uint8_t)code->reads;
    for (size_t i = 0; i < code->count; ++i) {
        struct accp_instruction at;
        ACCP_TRY(accp_sass_decode(SM, code->bytes[i], &at, reader->error));
        if (at.has_target && at.target_bytes <= 0)
            return calibration_wrong(reader, "a branch of a code goes ahead", "");
        if (!accp_instruction_reads_clock(&at)) continue;
        if (code->reads == CODES_READS)
            return calibration_wrong(reader, "too many clock reads", "");
        code->read_at[code->reads++] = (uint8_t)(CODES_QUIET + i);
    }
    return code->reads > CODES_QUIET ? ACCP_STATUS_OK
                                     : calibration_wrong(reader, "a code reads the clock", "");
}

static enum accp_status read_code(struct calibration_reader *reader, char *text,
                                  struct codes_code *code)
{
    struct calibration_code read = {.most = CODES_INSTRUCTIONS, .bytes = code->bytes};
    for (char *word; (word = calibration_cut(&text, ' '));)
        ACCP_TRY(calibration_read_instruction(reader, word, &read));
    code->count = read.count;
    if (read.reach > read.count) return calibration_wrong(reader, "a branch leaves its code", "");
    return find_reads(reader, code);
}

/* A number, or - for 0. */
static bool read_count(char *text, int *value)
{
    *value = 0;
    return text && (!strcmp(text, "-") || calibration_number(text, NUMBER_MOST, value));
}

static enum accp_status read_set(struct calibration_reader *reader, char *rest,
                                 struct codes_set *set)
{
    memset(set, 0, sizeof *set);
    const char *group = calibration_cut(&rest, '\t');
    if (!group || !*group || strlen(group) >= sizeof set->group)
        return calibration_wrong(reader, "a group's name has 1 to 23 letters", group);
    memcpy(set->group, group, strlen(group));
    if (!calibration_number(calibration_cut(&rest, '\t'), NUMBER_MOST, &set->number))
        return calibration_wrong(reader, "a set has a number in its group", group);
    if (!read_count(calibration_cut(&rest, '\t'), &set->starts) ||
        !read_count(calibration_cut(&rest, '\t'), &set->distinct))
        return calibration_wrong(reader, "a set has its starts and timelines, or -", group);
    for (char *text; (text = calibration_cut(&rest, '\t'));) {
        if (set->warps == ACCP_CODES_WARPS)
            return calibration_wrong(reader, "a set has a code for each of 2 to 4 warps", group);
        ACCP_TRY(read_code(reader, text, &set->codes[set->warps++]));
    }
    if (set->warps > 1) return ACCP_STATUS_OK;
    return calibration_wrong(reader, "a set has a code for each of 2 to 4 warps", group);
}

/* The cycle of the first read, against that of warp 0, and how many later each other one was: CYCLES*TIMES. */
static bool read_cycles(char *text, int reads, int cycles[])
{
    int count = 0, before = 0, later, times;
    for (char *word; (word = calibration_cut(&text, ' '));) {
        const bool is_negative = count == 0 && *word == '-';
        char *rest = word + is_negative, *number = calibration_cut(&rest, '*');
        if (!calibration_number(number, CYCLE_MOST, &later)) return false;
        times = 1;
        if (rest && !calibration_number(rest, reads, &times)) return false;
        for (; times > 0; --times) {
            if (count == reads) return false;
            before += is_negative ? -later : later;
            cycles[count++] = before;
        }
    }
    return count == reads;
}

static enum accp_status read_timeline(struct calibration_reader *reader, char *rest,
                                      struct codes_set *set)
{
    if (!set || set->timeline_count == CODES_TIMELINES)
        return calibration_wrong(reader, "up to 24 timelines stand behind their codes", rest);
    struct codes_timeline *timeline = &set->timelines[set->timeline_count++];
    if (!calibration_number(calibration_cut(&rest, '\t'), NUMBER_MOST, &timeline->times) ||
        !timeline->times)
        return calibration_wrong(reader, "a timeline has how often it came", rest);
    for (int w = 0; w < set->warps; ++w)
        if (!read_cycles(calibration_cut(&rest, '\t'), set->codes[w].reads, timeline->cycles[w]))
            return calibration_wrong(reader, "a timeline has the cycles of each warp's reads",
                                     set->group);
    return rest ? calibration_wrong(reader, "a timeline ends with its last warp", rest)
                : ACCP_STATUS_OK;
}

static enum accp_status read_lines(struct calibration_reader *reader, char *text,
                                   struct codes *codes)
{
    for (char *line; (line = calibration_cut(&text, '\n'));) {
        ++reader->line;
        if (!*line || *line == '#') continue;
        const char *kind = calibration_cut(&line, '\t');
        if (!strcmp(kind, "word")) {
            ACCP_TRY(calibration_read_word(reader, line));
        } else if (!strcmp(kind, "timeline")) {
            ACCP_TRY(
                read_timeline(reader, line, codes->count ? &codes->sets[codes->count - 1] : NULL));
        } else if (!strcmp(kind, "codes")) {
            struct codes_set *sets = realloc(codes->sets, (codes->count + 1) * sizeof *sets);
            if (!sets)
                return accp_fail(reader->error, ACCP_STATUS_MEMORY, reader->path, reader->line,
                                 "too many codes for the memory");
            codes->sets = sets;
            ACCP_TRY(read_set(reader, line, &sets[codes->count]));
            ++codes->count;
        } else {
            return calibration_wrong(reader, "a line starts with word, codes or timeline", kind);
        }
    }
    return codes->count ? ACCP_STATUS_OK : calibration_wrong(reader, "no codes", "");
}

enum accp_status codes_read(const char *path, struct codes *codes, struct accp_error *error)
{
    struct accp_bytes bytes;
    *codes = (struct codes){0};
    ACCP_TRY(calibration_read_text(path, &bytes, error));
    struct calibration_reader reader = {.path = path, .error = error};
    const enum accp_status status = read_lines(&reader, (char *)bytes.data, codes);
    accp_bytes_fini(&bytes);
    if (status != ACCP_STATUS_OK) codes_fini(codes);
    return status;
}

static void write_timeline(const struct codes_set *set, const struct codes_timeline *timeline,
                           FILE *out)
{
    fprintf(out, "timeline\t%d", timeline->times);
    for (int w = 0; w < set->warps; ++w) {
        const int *cycles = timeline->cycles[w];
        fprintf(out, "\t%d", cycles[0]);
        for (int i = 1, times; i < set->codes[w].reads; i += times) {
            const int later = cycles[i] - cycles[i - 1];
            for (times = 1; i + times < set->codes[w].reads &&
                            cycles[i + times] - cycles[i + times - 1] == later;)
                ++times;
            fprintf(out, times > 1 ? " %d*%d" : " %d", later, times);
        }
    }
    putc('\n', out);
}

/* A set's line with other counts in its fourth field and its fifth, and its timelines below. */
static void write_set(char *line, const struct codes_set *set, FILE *out)
{
    enum { BEFORE = 3 };
    for (int i = 0; i < BEFORE; ++i)
        fprintf(out, "%s\t", calibration_cut(&line, '\t'));
    calibration_cut(&line, '\t');
    calibration_cut(&line, '\t');
    fprintf(out, "%d\t%d\t%s\n", set->starts, set->distinct, line);
    for (size_t i = 0; i < set->timeline_count; ++i)
        write_timeline(set, &set->timelines[i], out);
}

static void write_lines(char *text, const struct codes *codes, const char *measured, FILE *out)
{
    size_t count = 0;
    for (char *line; (line = calibration_cut(&text, '\n'));) {
        if (!strncmp(line, "# Measured ", 11))
            fprintf(out, "# Measured %s\n", measured);
        else if (!strncmp(line, "codes\t", 6) && count < codes->count)
            write_set(line, &codes->sets[count++], out);
        else if (text && strncmp(line, "timeline\t", 9) != 0)
            fprintf(out, "%s\n", line);
    }
}

enum accp_status codes_write(const char *path, const struct codes *codes, const char *measured,
                             const char *out, struct accp_error *error)
{
    struct accp_bytes bytes;
    char *data = NULL;
    size_t size = 0;
    ACCP_TRY(calibration_read_text(path, &bytes, error));
    FILE *memory = open_memstream(&data, &size);
    if (memory) write_lines((char *)bytes.data, codes, measured, memory);
    accp_bytes_fini(&bytes);
    const bool whole = memory && !ferror(memory);
    enum accp_status status =
        memory && fclose(memory) == 0 && whole
            ? accp_file_write_atomic(out, data, size, error)
            : accp_fail(error, ACCP_STATUS_MEMORY, out, -1, "no memory for the recording");
    free(data);
    return status;
}

void codes_fini(struct codes *codes)
{
    free(codes->sets);
    *codes = (struct codes){0};
}
