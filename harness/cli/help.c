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

/* Where the general words leave open what an exit status means. */
static const struct {
    enum accp_verb verb;
    const char *text;
} own_statuses[] = {
    {ACCP_VERB_shape, "1 a law is broken or structure lost; 2 DRIFT: another hot loop than the "
                      "golden shape's of that arch and compiler; 0 also where no golden answers "
                      "and the laws hold (NO_GOLDEN)"},
    {ACCP_VERB_diff, "0 identical (for cubins also with registers renamed); 2 differs; 1 structure "
                     "lost (not for runs)"},
    {ACCP_VERB_explain, "3 the model does not time the loop"},
};

const char *accp_help_own_statuses(enum accp_verb verb)
{
    for (size_t i = 0; i < sizeof own_statuses / sizeof *own_statuses; ++i)
        if (own_statuses[i].verb == verb) return own_statuses[i].text;
    return NULL;
}

static void print_texts(FILE *stream, const char *head, const struct accp_help_text *texts,
                        int width)
{
    fprintf(stream, "\n%s\n", head);
    for (; texts->name; ++texts)
        fprintf(stream, "  %-*s %s\n", width, texts->name, texts->text);
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

void accp_help_verb_print(FILE *stream, enum accp_verb id)
{
    const struct accp_verb_row *verb = &accp_verb_rows[id];
    fprintf(stream, "accprobe %s: %s\n\nusage: accprobe %s [options]%s%s\n\n", verb->name,
            verb->summary, verb->name, *verb->operands ? " " : "", verb->operands);
    accp_options_print(stream, verb->takes);
    print_texts(stream, "exit status:", accp_help_statuses, 3);
    const char *own = accp_help_own_statuses(id);
    if (own) fprintf(stream, "  here: %s\n", own);
}
