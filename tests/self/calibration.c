#include "calibration.h"

#include "base/file.h"
#include "calibration_text.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const int calibration_warps[CALIBRATION_LOADS] = {
#define LOAD(warps) warps,
    CALIBRATION_LOAD_TABLE(LOAD)
#undef LOAD
};

static enum accp_status read_loop(struct calibration_reader *reader, char *rest,
                                  struct calibration_loop *loop)
{
    memset(loop, 0, sizeof *loop);
    const char *group = calibration_cut(&rest, '\t');
    if (!group || !*group || strlen(group) >= sizeof loop->group)
        return calibration_wrong(reader, "a group's name has 1 to 23 letters", group);
    memcpy(loop->group, group, strlen(group));
    if (!calibration_number(calibration_cut(&rest, '\t'), 1 << 20, &loop->number))
        return calibration_wrong(reader, "a loop has a number in its group", group);
    if (!calibration_number(calibration_cut(&rest, '\t'), CALIBRATION_LINE - 1, &loop->position))
        return calibration_wrong(reader, "a loop has a position of 0 to 7", group);
    for (size_t i = 0; i < CALIBRATION_LOADS; ++i) {
        char *text = calibration_cut(&rest, '\t'), *end;
        if (!text) return calibration_wrong(reader, "a loop has cycles at each load", group);
        if (!strcmp(text, "-")) continue;
        loop->cycles[i] = strtod(text, &end);
        if (end == text || *end || !isfinite(loop->cycles[i]) || loop->cycles[i] < 1)
            return calibration_wrong(reader, "cycles are a number from 1 on, or -", text);
    }
    bool branch = false;
    struct calibration_code code = {.most = CALIBRATION_INSTRUCTIONS, .bytes = loop->code};
    for (char *text; (text = calibration_cut(&rest, ' '));) {
        if (branch)
            return calibration_wrong(reader, "something stands behind the branch back", text);
        branch = !strncmp(text, "BRA:", 4);
        ACCP_TRY(calibration_read_instruction(reader, text, &code));
    }
    loop->count = code.count;
    if (code.reach > code.count)
        return calibration_wrong(reader, "a branch leaves the loop", group);
    return branch ? ACCP_STATUS_OK
                  : calibration_wrong(reader, "no branch back ends the loop", group);
}

static enum accp_status read_lines(struct calibration_reader *reader, char *text,
                                   struct calibration *calibration)
{
    for (char *line; (line = calibration_cut(&text, '\n'));) {
        ++reader->line;
        if (!*line || *line == '#') continue;
        const char *kind = calibration_cut(&line, '\t');
        if (!strcmp(kind, "word")) {
            ACCP_TRY(calibration_read_word(reader, line));
            continue;
        }
        if (strcmp(kind, "loop") != 0)
            return calibration_wrong(reader, "a line starts with word or loop", kind);
        struct calibration_loop *loops =
            realloc(calibration->loops, (calibration->count + 1) * sizeof *loops);
        if (!loops)
            return accp_fail(reader->error, ACCP_STATUS_MEMORY, reader->path, reader->line,
                             "too many loops for the memory");
        calibration->loops = loops;
        ACCP_TRY(read_loop(reader, line, &loops[calibration->count]));
        ++calibration->count;
    }
    return calibration->count ? ACCP_STATUS_OK : calibration_wrong(reader, "no loop", "");
}

enum accp_status calibration_read(const char *path, struct calibration *calibration,
                                  struct accp_error *error)
{
    struct accp_bytes bytes;
    *calibration = (struct calibration){0};
    ACCP_TRY(calibration_read_text(path, &bytes, error));
    struct calibration_reader reader = {.path = path, .error = error};
    const enum accp_status status = read_lines(&reader, (char *)bytes.data, calibration);
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
    ACCP_TRY(calibration_read_text(path, &bytes, error));
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
