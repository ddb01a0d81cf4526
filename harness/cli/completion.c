#include "cli/completion.h"

#include "cli/help.h"
#include "matrix.h"

#include <stdio.h>
#include <string.h>

enum value { VALUE_NONE, VALUE_ANY, VALUE_FILE, VALUE_FOLDER, VALUE_WORDS };

enum { WORDS_BYTES = 1024 };

static const char *const exports[] = {
#define EXPORT(id, name, what) name,
#include "report/exports.def"
};

static void add_word(char *words, const char *word)
{
    size_t used = strlen(words);
    const char *space = strrchr(words, ' ');
    if (strcmp(space ? space + 1 : words, word) == 0) return; /* a row more of it */
    snprintf(words + used, WORDS_BYTES - used, "%s%s", used ? " " : "", word);
}

/* What may follow an option, and in `words` which words, if it is one of a few. */
static enum value value_of(int option, char words[WORDS_BYTES])
{
    const struct accp_option_row *row = &accp_option_rows[option];
    words[0] = 0;
    switch (option) {
    case ACCP_OPTION_probe:
        for (int i = 0; i < ACCP_PROBE_COUNT; ++i)
            add_word(words, accp_probe_names[i]);
        return VALUE_WORDS;
    case ACCP_OPTION_arch:
        for (int i = 0; i < ACCP_ARCH_COUNT; ++i)
            add_word(words, accp_arches[i].name);
        return VALUE_WORDS;
    case ACCP_OPTION_protocol:
        for (int i = 0; i < ACCP_PROTOCOL_COUNT; ++i)
            add_word(words, accp_protocols[i].name);
        return VALUE_WORDS;
    case ACCP_OPTION_to:
        for (size_t i = 0; i < sizeof exports / sizeof *exports; ++i)
            add_word(words, exports[i]);
        return VALUE_WORDS;
    case ACCP_OPTION_format:
        snprintf(words, WORDS_BYTES, "table json markdown");
        return VALUE_WORDS;
    default:
        if (row->kind == ACCP_OPTION_KIND_FLAG) return VALUE_NONE;
        return strcmp(row->argument, "FILE") == 0  ? VALUE_FILE
               : strcmp(row->argument, "DIR") == 0 ? VALUE_FOLDER
                                                   : VALUE_ANY;
    }
}

static bool takes(const struct accp_verb_row *verb, int option)
{
    return (verb->takes | ACCP_TAKES(help)) & 1u << option;
}

/* `text` with a backslash before each of `marked`. */
static void put_escaped(const char *text, const char *marked)
{
    for (; *text; ++text) {
        if (strchr(marked, *text)) putchar('\\');
        putchar(*text);
    }
}

static void put_verbs(void)
{
    for (int i = 0; i < ACCP_VERB_COUNT; ++i)
        printf("%s%s", i ? " " : "", accp_verb_rows[i].name);
}

static void bash_values(void)
{
    static const char *const commands[] = {
        [VALUE_ANY] = "", [VALUE_FILE] = "-f", [VALUE_FOLDER] = "-d"};
    char words[WORDS_BYTES];
    for (int i = 0; i < ACCP_OPTION_COUNT; ++i) {
        enum value value = value_of(i, words);
        if (value == VALUE_NONE) continue;
        printf("    --%s)", accp_option_rows[i].name);
        if (value == VALUE_WORDS)
            printf(" mapfile -t COMPREPLY < <(compgen -W '%s' -- \"$current\");", words);
        else if (*commands[value])
            printf(" mapfile -t COMPREPLY < <(compgen %s -- \"$current\");", commands[value]);
        printf(" return ;;\n");
    }
}

void accp_completion_bash(void)
{
    printf("# bash completion for accprobe " ACCPROBE_VERSION
           ", made from the tables of its command line\n"
           "_accprobe() {\n"
           "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
           "    local words='' files=''\n"
           "    COMPREPLY=()\n"
           "    if [ \"$COMP_CWORD\" = 1 ]; then\n"
           "        mapfile -t COMPREPLY < <(compgen -W '");
    put_verbs();
    printf(" --help --version' -- \"$current\")\n"
           "        return\n"
           "    fi\n"
           "    # bash makes three words of --option=value\n"
           "    if [ \"$current\" = = ]; then current=''; fi\n"
           "    if [ \"$previous\" = = ]; then previous=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
           "    case $previous in\n");
    bash_values();
    printf("    esac\n"
           "    case ${COMP_WORDS[1]} in\n");
    for (int i = 0; i < ACCP_VERB_COUNT; ++i) {
        printf("    %s) words='", accp_verb_rows[i].name);
        for (int k = 0; k < ACCP_OPTION_COUNT; ++k)
            if (takes(&accp_verb_rows[i], k)) printf("--%s ", accp_option_rows[k].name);
        printf("'%s ;;\n", accp_verb_rows[i].high > 0 ? "; files=yes" : "");
    }
    printf("    esac\n"
           "    if [ -n \"$files\" ] && [[ $current != -* ]]; then\n"
           "        mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
           "    else\n"
           "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
           "    fi\n"
           "}\n"
           "complete -o filenames -F _accprobe accprobe\n");
}

static void zsh_option(enum accp_verb verb, int option)
{
    char words[WORDS_BYTES];
    const struct accp_option_row *row = &accp_option_rows[option];
    enum value value = value_of(option, words);
    printf(" \\\n            \"--%s%s[", row->name, value == VALUE_NONE ? "" : "=");
    const struct accp_help_text help = accp_help_option(verb, (enum accp_option)option);
    put_escaped(help.text, "[]:\"\\`$");
    putchar(']');
    if (value != VALUE_NONE) printf(":%s:", help.name);
    if (value == VALUE_FILE) fputs("_files", stdout);
    if (value == VALUE_FOLDER) fputs("_files -/", stdout);
    if (value == VALUE_WORDS) printf("(%s)", words);
    putchar('"');
}

void accp_completion_zsh(void)
{
    printf("#compdef accprobe\n"
           "# zsh completion for accprobe " ACCPROBE_VERSION
           ", made from the tables of its command line\n"
           "_accprobe() {\n"
           "    local -a verbs\n"
           "    verbs=(\n");
    for (int i = 0; i < ACCP_VERB_COUNT; ++i) {
        printf("        \"%s:", accp_verb_rows[i].name);
        put_escaped(accp_verb_rows[i].summary, "\"\\`$");
        printf("\"\n");
    }
    printf("        \"--help:what there is\"\n"
           "        \"--version:which accprobe this is\"\n"
           "    )\n"
           "    if (( CURRENT == 2 )); then\n"
           "        _describe verb verbs\n"
           "        return\n"
           "    fi\n"
           "    local verb=$words[2]\n"
           "    shift words\n"
           "    (( CURRENT-- ))\n"
           "    case $verb in\n");
    for (int i = 0; i < ACCP_VERB_COUNT; ++i) {
        printf("    %s)\n        _arguments", accp_verb_rows[i].name);
        for (int k = 0; k < ACCP_OPTION_COUNT; ++k)
            if (takes(&accp_verb_rows[i], k)) zsh_option((enum accp_verb)i, k);
        if (accp_verb_rows[i].high > 0) printf(" \\\n            '*:file:_files'");
        printf("\n        ;;\n");
    }
    printf("    esac\n"
           "}\n"
           "_accprobe \"$@\"\n");
}

static void fish_option(enum accp_verb verb, int option)
{
    char words[WORDS_BYTES];
    const struct accp_option_row *row = &accp_option_rows[option];
    printf("complete -c accprobe -n '__fish_seen_subcommand_from %s' -l %s",
           accp_verb_rows[verb].name, row->name);
    switch (value_of(option, words)) {
    case VALUE_NONE:
        break;
    case VALUE_ANY:
        fputs(" -x", stdout);
        break;
    case VALUE_FILE:
        fputs(" -r -F", stdout);
        break;
    case VALUE_FOLDER:
        fputs(" -x -a '(__fish_complete_directories)'", stdout);
        break;
    case VALUE_WORDS:
        printf(" -x -a '%s'", words);
        break;
    }
    fputs(" -d '", stdout);
    put_escaped(accp_help_option(verb, (enum accp_option)option).text, "'\\");
    fputs("'\n", stdout);
}

void accp_completion_fish(void)
{
    printf(
        "# fish completion for accprobe " ACCPROBE_VERSION
        ", made from the tables of its command line\n"
        "complete -c accprobe -f\n"
        "complete -c accprobe -n __fish_use_subcommand -l help -d 'what there is'\n"
        "complete -c accprobe -n __fish_use_subcommand -l version -d 'which accprobe this is'\n");
    for (int i = 0; i < ACCP_VERB_COUNT; ++i) {
        const struct accp_verb_row *verb = &accp_verb_rows[i];
        printf("complete -c accprobe -n __fish_use_subcommand -a %s -d '", verb->name);
        put_escaped(verb->summary, "'\\");
        fputs("'\n", stdout);
        if (verb->high > 0)
            printf("complete -c accprobe -n '__fish_seen_subcommand_from %s' -F\n", verb->name);
        for (int k = 0; k < ACCP_OPTION_COUNT; ++k)
            if (takes(verb, k)) fish_option((enum accp_verb)i, k);
    }
}
