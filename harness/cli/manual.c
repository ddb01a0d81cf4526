/* Prints the manual page and the shells' completions of accprobe from the tables of its command
 * line: accprobe-manual man|man-compile|bash|zsh|fish. Runs in the build; nobody else needs it. */
#include "cli/completion.h"
#include "cli/help.h"
#include "compile/help.h"

#include <string.h>

/* Text for roff: a hyphen in what is to be typed is a minus, and no line may begin with a dot or a
 * quote. */
static void put_roff(const char *text)
{
    if (*text == '.' || *text == '\'') fputs("\\&", stdout);
    for (; *text; ++text) {
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else
            putchar(*text);
    }
}

static void put_paragraph(const char *tag, const char *argument, const char *text)
{
    fputs(".TP\n\\fB", stdout);
    put_roff(tag);
    fputs("\\fR", stdout);
    if (*argument) {
        fputs(" \\fI", stdout);
        put_roff(argument);
        fputs("\\fR", stdout);
    }
    putchar('\n');
    put_roff(text);
    putchar('\n');
}

static void put_texts(const char *section, const struct accp_help_text *texts)
{
    printf(".SH %s\n", section);
    for (; texts->name; ++texts)
        put_paragraph(texts->name, "", texts->text);
}

static void put_verb(enum accp_verb id)
{
    const struct accp_verb_row *verb = &accp_verb_rows[id];
    char option[64];
    printf(".SS \"%s\"\n\\fBaccprobe %s\\fR [\\fIoptions\\fR] \\fI", verb->name, verb->name);
    put_roff(verb->operands);
    fputs("\\fR\n.PP\n", stdout);
    put_roff(verb->summary);
    putchar('\n');
    for (int i = 0; i < ACCP_OPTION_COUNT; ++i) {
        const struct accp_option_row *row = &accp_option_rows[i];
        if (!(verb->takes & 1u << i)) continue;
        snprintf(option, sizeof option, "--%s", row->name);
        const struct accp_help_text help = accp_help_option(id, (enum accp_option)i);
        put_paragraph(option, help.name, help.text);
    }
    if (id == ACCP_VERB_policy) {
        fputs(".PP\nConditions of --given:\n", stdout);
        for (const struct accp_help_text *text = accp_help_conditions; text->name; ++text)
            put_paragraph(text->name, "", text->text);
    }
    fputs(".PP\nExit status:\n", stdout);
    const struct accp_help_text *status;
    for (size_t i = 0; (status = accp_help_status(id, i)) != NULL; ++i)
        put_paragraph(status->name, "", status->text);
}

static void print_manual(void)
{
    printf(".TH ACCPROBE 1 \"\" \"accprobe " ACCPROBE_VERSION "\" \"User Commands\"\n"
           ".SH NAME\naccprobe \\- ");
    put_roff(accp_help_summary);
    fputs(
        "\n.SH SYNOPSIS\n\\fBaccprobe\\fR \\fIVERB\\fR [\\fIoptions\\fR] [\\fIoperands\\fR]\n.br\n"
        "\\fBaccprobe\\fR [\\fIVERB\\fR] \\fB\\-\\-help\\fR\n.br\n"
        "\\fBaccprobe \\-\\-version\\fR\n.SH VERBS\n",
        stdout);
    for (int i = 0; i < ACCP_VERB_COUNT; ++i)
        put_verb((enum accp_verb)i);
    put_texts("\"EXIT STATUS\"", accp_help_statuses);
    put_texts("ENVIRONMENT", accp_help_variables);
    fputs(".SH FILES\n.TP\n\\fI../share/accprobe/golden\\fR, \\fI../share/accprobe/cubin\\fR\n"
          "baselines and kernels, found from where the tool lies\n"
          ".SH EXAMPLES\n.TP\n\\fBaccprobe gate\\fR\nthe verdict on this machine\n"
          ".TP\n\\fBaccprobe predict \\-\\-cubin mine.cubin\\fR\n"
          "cycles of the loops in a cubin of your own, without a GPU\n"
          ".TP\n\\fBaccprobe diff old.cubin new.cubin\\fR\nwhat another compiler made of it\n"
          ".SH \"SEE ALSO\"\n\\fBaccprobe\\-compile\\fR(1)\n",
          stdout);
}

/* Of accprobe-compile, from the table of its --help. */
static void print_compile(void)
{
    printf(".TH ACCPROBE\\-COMPILE 1 \"\" \"accprobe " ACCPROBE_VERSION "\" \"User Commands\"\n"
           ".SH NAME\naccprobe\\-compile \\- %s\n.SH SYNOPSIS\n",
           accp_compile_summary);
    for (size_t i = 0; accp_compile_usages[i]; ++i) {
        fputs(i ? ".br\n\\fBaccprobe\\-compile\\fR " : "\\fBaccprobe\\-compile\\fR ", stdout);
        put_roff(accp_compile_usages[i]);
        putchar('\n');
    }
    fputs(".SH DESCRIPTION\n", stdout);
    put_roff(accp_compile_description);
    fputs("\n.SH OPTIONS\n", stdout);
    for (const struct accp_compile_option *option = accp_compile_options; option->name; ++option) {
        char word[64];
        if (option->name[0])
            snprintf(word, sizeof word, "--%s", option->name);
        else
            snprintf(word, sizeof word, "-%c", option->letter);
        put_paragraph(word, option->argument, option->text);
    }
    fputs(".SH \"EXIT STATUS\"\n", stdout);
    for (size_t i = 0; accp_compile_statuses[i].status; ++i)
        put_paragraph(accp_compile_statuses[i].status, "", accp_compile_statuses[i].text);
    fputs(".SH \"SEE ALSO\"\n\\fBaccprobe\\fR(1)\n", stdout);
}

static const struct {
    const char *name;
    void (*print)(void);
} formats[] = {{"man", print_manual},
               {"man-compile", print_compile},
               {"bash", accp_completion_bash},
               {"zsh", accp_completion_zsh},
               {"fish", accp_completion_fish}};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof formats / sizeof *formats; ++i) {
        if (strcmp(argv[1], formats[i].name) != 0) continue;
        formats[i].print();
        return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 4;
    }
    fputs("accprobe-manual: takes one operand: man, man-compile, bash, zsh or fish\n", stderr);
    return 4;
}
