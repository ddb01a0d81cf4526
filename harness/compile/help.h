/* What accprobe-compile's --help and its manual page say: one table for both. */
#ifndef ACCP_COMPILE_HELP_H
#define ACCP_COMPILE_HELP_H

/* `name` is "" for what has a letter alone, and `argument` for what takes none; the letter tells options apart. */
struct accp_compile_option {
    const char *name;
    int letter;
    const char *argument, *text;
};

struct accp_compile_status {
    const char *status, *text;
};

/* Each ends with a row of NULL. */
extern const struct accp_compile_option accp_compile_options[];
extern const struct accp_compile_status accp_compile_statuses[];
extern const char *const accp_compile_usages[];

extern const char accp_compile_summary[], accp_compile_description[];

#endif
