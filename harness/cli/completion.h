/* The shells' completions of accprobe, printed to standard output from the tables of its command
 * line. Used by the build alone (manual.c). */
#ifndef ACCP_CLI_COMPLETION_H
#define ACCP_CLI_COMPLETION_H

void accp_completion_bash(void);
void accp_completion_zsh(void);
void accp_completion_fish(void);

#endif
