/* What the command line says of itself: --help, the manual page and the shells' completions are
 * printed from the same tables, verbs.def and options.def, and from the texts here. */
#ifndef ACCP_CLI_HELP_H
#define ACCP_CLI_HELP_H

#include "cli/options.h"

#include <stdio.h>

enum accp_verb {
#define VERB(id, low, high, operands, summary, takes) ACCP_VERB_##id,
#include "cli/verbs.def"
    ACCP_VERB_COUNT
};

/* One row of verbs.def; the fields are its columns. */
struct accp_verb_row {
    const char *name;
    int low, high;
    const char *operands, *summary;
    unsigned takes;
};
extern const struct accp_verb_row accp_verb_rows[ACCP_VERB_COUNT];

/* A text beside what it is about: an exit status, an environment variable. */
struct accp_help_text {
    const char *name, *text;
};

/* Exit statuses in general, and variables that the tool reads. Each ends in a row of NULLs. */
extern const struct accp_help_text accp_help_statuses[];
extern const struct accp_help_text accp_help_variables[];

/* The exit statuses that a verb ends with, ascending, and what they mean there; static. NULL: it has no more
 * than `index`. */
const struct accp_help_text *accp_help_status(enum accp_verb verb, size_t index);

/* What an option means to a verb that takes it, and how its value is written there; static. */
struct accp_help_text accp_help_option(enum accp_verb verb, enum accp_option option);

/* The conditions of policy's --given; ends in a row of NULLs. */
extern const struct accp_help_text accp_help_conditions[];

/* What the tool is, on one line; static. */
extern const char accp_help_summary[];

/* `accprobe --help` and `accprobe VERB --help`. */
void accp_help_print(FILE *stream);
void accp_help_verb_print(FILE *stream, enum accp_verb verb);

#endif
