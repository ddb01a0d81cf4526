/* What recordings of calibration loops and codes are written in: lines of words, and of instructions that are made of
 * these. The head of tests/data/calibration/loops.tsv describes both. */
#ifndef CALIBRATION_TEXT_H
#define CALIBRATION_TEXT_H

#include "base/file.h"
#include "base/status.h"
#include "sass/cubin.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CALIBRATION_WORDS = 256 };

struct calibration_word {
    const char *name;
    uint64_t low, high;
};

struct calibration_reader {
    const char *path;
    int64_t line;
    struct calibration_word words[CALIBRATION_WORDS];
    size_t word_count;
    struct accp_error *error;
};

/* Instructions in a row. */
struct calibration_code {
    size_t count, most;
    size_t reach; /* behind the farthest instruction that a branch ahead goes to */
    uint8_t (*bytes)[ACCP_INSTRUCTION_BYTES]; /* room for `most`, borrowed */
};

/* Reads a text file of up to 16 MiB; the caller frees *bytes with accp_bytes_fini. Errors: those of
 * accp_file_read; INPUT: it holds a NUL. */
enum accp_status calibration_read_text(const char *path, struct accp_bytes *bytes,
                                       struct accp_error *error);

/* INPUT: the line that is being read is wrong, at `text` (NULL: it lacks something). */
enum accp_status calibration_wrong(const struct calibration_reader *reader, const char *what,
                                   const char *text);

/* Adds the word of a line, of which `rest` is what follows its kind; the line must outlive the reader. */
enum accp_status calibration_read_word(struct calibration_reader *reader, char *rest);

/* Appends NAME/DDAABBCC:CONTROL*TIMES, or NAME>AHEAD:CONTROL. */
enum accp_status calibration_read_instruction(struct calibration_reader *reader, char *text,
                                              struct calibration_code *code);

/* Whether `text` is a decimal number in [0, most]. */
bool calibration_number(char *text, long most, int *value);

/* Lets the branch in `words` jump over `distance` instructions from its own address on, which it holds in
 * units of 4 bytes from the next one on. */
void calibration_aim(uint64_t words[2], int64_t distance);

/* Cuts the text at *at behind its next `separator` and moves *at there; NULL: it is used up. */
char *calibration_cut(char **at, char separator);

#endif
