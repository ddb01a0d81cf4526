/* The command line: one table of options (options.def), of which each verb takes some. */
#ifndef ACCP_CLI_OPTIONS_H
#define ACCP_CLI_OPTIONS_H

#include "base/status.h"

#include <stdbool.h>
#include <stdio.h>

enum accp_option {
#define OPTION(id, name, kind, low, high, argument, help) ACCP_OPTION_##id,
#include "cli/options.def"
    ACCP_OPTION_COUNT
};

/* A set of options, as a verb declares what it takes: ACCP_TAKES(probe) | ACCP_TAKES(out). */
#define ACCP_TAKES(id) (1u << ACCP_OPTION_##id)
_Static_assert(ACCP_OPTION_COUNT <= 32, "a set of options is 32 bits");

enum accp_option_kind {
    ACCP_OPTION_KIND_TEXT,
    ACCP_OPTION_KIND_NUMBER,
    ACCP_OPTION_KIND_DEVICE,
    ACCP_OPTION_KIND_FLAG
};

/* One row of options.def; the fields are its columns. */
struct accp_option_row {
    const char *name;
    enum accp_option_kind kind;
    long low, high;
    const char *argument, *help;
};
extern const struct accp_option_row accp_option_rows[ACCP_OPTION_COUNT];

typedef const char *accp_option_TEXT; /* NULL: not given */
typedef long accp_option_NUMBER;      /* -1: not given */
typedef long accp_option_DEVICE;      /* -1: not given; ACCP_DEVICE_ALL */
typedef bool accp_option_FLAG;

enum { ACCP_DEVICE_ALL = -2 };

enum accp_format { ACCP_FORMAT_TABLE, ACCP_FORMAT_JSON, ACCP_FORMAT_MARKDOWN };

/* What the command line said. Texts are borrowed from argv. */
struct accp_options {
#define OPTION(id, name, kind, low, high, argument, help) accp_option_##kind id;
#include "cli/options.def"
    enum accp_format shape; /* of the output: --format, read */
    int operand_count;
    char **operands; /* what is not an option */
};

/* Reads argv[1...] (argv[0] is the verb) into *options. USAGE: an unknown option, one that the verb
 * does not take, one with a value twice, a value missing, out of range or not a number, a format that is not one of three,
 * or a number of operands outside [operands_low, operands_high]. Long options may not be shortened.
 */
enum accp_status accp_options_parse(int argc, char **argv, unsigned takes, int operands_low,
                                    int operands_high, struct accp_options *options,
                                    struct accp_error *error);

#endif
