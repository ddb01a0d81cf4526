#include "cli/help.h"

#include "cli/verbs.h"

#include <string.h>

const char accp_help_summary[] =
    "which number of accumulators is best for a chain of FFMAs, and what moved it";

const struct accp_verb_row accp_verb_rows[] = {
#define VERB(id, low, high, operands, summary, takes) \
    [ACCP_VERB_##id] = {#id, low, high, operands, summary, takes},
#include "cli/verbs.def"
};

const struct accp_help_text accp_help_statuses[] = {
    {"0", "pass"},
    {"1", "FAIL"},
    {"2", "needs approval (WIN, DRIFT)"},
    {"3", "ENVIRONMENT or INCONCLUSIVE"},
    {"4", "usage, bad input, broken installation"},
    {"77", "skip (4 with ACCPROBE_REQUIRE_GPU=1)"},
    {NULL, NULL},
};

const struct accp_help_text accp_help_variables[] = {
    {"ACCPROBE_REQUIRE_GPU",
     "1: no GPU, driver or permission is an error (4), not a skip (77); 0, the default: a skip"},
    {"ACCPROBE_TIMEOUT_S",
     "seconds to wait for a driver that does not come back, instead of 60; for NVML a sixth"},
    {"ACCPROBE_LIBCUDA", "the driver to load instead of libcuda.so.1"},
    {"ACCPROBE_LIBNVML", "the library to load instead of libnvidia-ml.so.1"},
    {"ACCPROBE_RECORD_FAKE", "1: record takes runs of the fake driver (tests/fake) too: for tests"},
    {"PATH", "where report looks for gnuplot"},
    {"TMPDIR", "where gate --device all keeps the GPUs' runs until all are there; else /tmp"},
    {"CTEST_RESOURCE_GROUP_0_GPUS",
     "the GPU that CTest gave this test, where no --device is given"},
    {NULL, NULL},
};

const struct accp_help_text accp_help_conditions[] = {
#define CONDITION(id, name, type, low, high, words) {name, words},
#include "policy/conditions.def"
    {NULL, NULL},
};

static const struct {
    enum accp_verb verb;
    struct accp_help_text text;
} statuses[] = {
#define STATUS(verb, status, text) {ACCP_VERB_##verb, {#status, text}},
#include "cli/statuses.def"
};

const struct accp_help_text *accp_help_status(enum accp_verb verb, size_t index)
{
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; ++i)
        if (statuses[i].verb == verb && index-- == 0) return &statuses[i].text;
    return NULL;
}

static const struct {
    enum accp_verb verb;
    enum accp_option option;
    struct accp_help_text text;
} option_helps[] = {
#define HELP(verb, option, argument, help) \
    {ACCP_VERB_##verb, ACCP_OPTION_##option, {argument, help}},
#include "cli/option_helps.def"
};

struct accp_help_text accp_help_option(enum accp_verb verb, enum accp_option option)
{
    for (size_t i = 0; i < sizeof option_helps / sizeof *option_helps; ++i)
        if (option_helps[i].verb == verb && option_helps[i].option == option)
            return option_helps[i].text;
    return (struct accp_help_text){accp_option_rows[option].argument,
                                   accp_option_rows[option].help};
}

static void print_text(FILE *stream, const struct accp_help_text *text, int width)
{
    fprintf(stream, "  %-*s %s\n", width, text->name, text->text);
}

static void print_texts(FILE *stream, const char *head, const struct accp_help_text *texts,
                        int width)
{
    fprintf(stream, "\n%s\n", head);
    for (; texts->name; ++texts)
        print_text(stream, texts, width);
}

void accp_help_print(FILE *stream)
{
    fprintf(stream,
            "accprobe: %s\n\nusage: accprobe VERB [options]; accprobe VERB --help says more\n\n",
            accp_help_summary);
    for (int i = 0; i < ACCP_VERB_COUNT; ++i)
        fprintf(stream, "  %-8s %-12s %s\n", accp_verb_rows[i].name, accp_verb_rows[i].operands,
                accp_verb_rows[i].summary);
    fputs("\n  --version, --help\n", stream);
    print_texts(stream, "exit status:", accp_help_statuses, 3);
    print_texts(stream, "environment:", accp_help_variables, 27);
}

static void print_option(FILE *stream, enum accp_verb verb, enum accp_option option)
{
    const char *name = accp_option_rows[option].name;
    const struct accp_help_text help = accp_help_option(verb, option);
    const bool has_value = *help.name;
    fprintf(stream, "  --%s%s%-*s %s\n", name, has_value ? " " : "",
            (int)(16 - strlen(name) - has_value), help.name, help.text);
}

void accp_help_verb_print(FILE *stream, enum accp_verb id)
{
    const struct accp_verb_row *verb = &accp_verb_rows[id];
    fprintf(stream, "accprobe %s: %s\n\nusage: accprobe %s [options]%s%s\n\n", verb->name,
            verb->summary, verb->name, *verb->operands ? " " : "", verb->operands);
    for (int i = 0; i < ACCP_OPTION_COUNT; ++i)
        if ((verb->takes | ACCP_TAKES(help)) & 1u << i)
            print_option(stream, id, (enum accp_option)i);
    if (id == ACCP_VERB_policy)
        print_texts(stream, "conditions of --given:", accp_help_conditions, 16);
    fputs("\nexit status:\n", stream);
    const struct accp_help_text *status;
    for (size_t i = 0; (status = accp_help_status(id, i)) != NULL; ++i)
        print_text(stream, status, 3);
}
