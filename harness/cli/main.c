#include "cli/verbs.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct verb {
    const char *name;
    int low, high;
    const char *operands, *summary;
    unsigned takes;
    int (*run)(const struct accp_options *options);
} verbs[] = {
#define VERB(id, low, high, operands, summary, takes) \
    {#id, low, high, operands, summary, takes, accp_verb_##id},
#include "cli/verbs.def"
};

static const char exit_statuses[] =
    "exit status: 0 pass; 1 FAIL; 2 needs approval (WIN, DRIFT); 3 ENVIRONMENT or INCONCLUSIVE;\n"
    "             4 usage, bad input, broken installation; 77 skip (4 with "
    "ACCPROBE_REQUIRE_GPU=1)\n";

/* What the exit statuses of single verbs mean, where the general words leave it open. */
static const struct {
    const char *verb, *text;
} own_statuses[] = {
    {"shape",
     "here: 1 a law is broken or structure lost; 2 DRIFT: another hot loop than the golden "
     "shape's of that\n      arch and compiler; 0 also where no golden answers and the "
     "laws hold (NO_GOLDEN)\n"},
    {"diff", "here: 0 identical (for cubins also with registers renamed); 2 differs; 1 structure "
             "lost (not for runs)\n"},
};

static void print_help(FILE *stream)
{
    fputs(
        "accprobe: which number of accumulators is best for a chain of FFMAs, and what moved it\n\n"
        "usage: accprobe VERB [options]; accprobe VERB --help says more\n\n",
        stream);
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; ++i)
        fprintf(stream, "  %-8s %-12s %s\n", verbs[i].name, verbs[i].operands, verbs[i].summary);
    fprintf(stream, "\n  --version, --help\n\n%s", exit_statuses);
}

static void print_verb_help(const struct verb *verb)
{
    printf("accprobe %s: %s\n\nusage: accprobe %s [options]%s%s\n\n", verb->name, verb->summary,
           verb->name, *verb->operands ? " " : "", verb->operands);
    accp_options_print(stdout, verb->takes);
    printf("\n%s", exit_statuses);
    for (size_t i = 0; i < sizeof own_statuses / sizeof *own_statuses; ++i)
        if (strcmp(own_statuses[i].verb, verb->name) == 0) fputs(own_statuses[i].text, stdout);
}

static int run_verb(const struct verb *verb, int argc, char **argv)
{
    struct accp_options options;
    struct accp_error error;
    if (accp_options_parse(argc, argv, verb->takes, verb->low, verb->high, &options, &error) !=
        ACCP_STATUS_OK)
        return accp_exit_error(&error);
    if (options.help) {
        print_verb_help(verb);
        return ACCP_EXIT_PASS;
    }
    return verb->run(&options);
}

static int run(int argc, char **argv)
{
    struct accp_error error;
    if (argc < 2) {
        print_help(stderr);
        return ACCP_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return ACCP_EXIT_PASS;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("accprobe " ACCPROBE_VERSION);
        return ACCP_EXIT_PASS;
    }
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; ++i)
        if (strcmp(argv[1], verbs[i].name) == 0) return run_verb(&verbs[i], argc - 1, argv + 1);
    accp_fail(&error, ACCP_STATUS_USAGE, NULL, -1,
              "\"%.60s\" is not a verb; accprobe --help lists them", argv[1]);
    return accp_exit_error(&error);
}

bool accp_gpu_is_required(void)
{
    const char *required = getenv("ACCPROBE_REQUIRE_GPU");
    return required && strcmp(required, "1") == 0;
}

int accp_exit_error(const struct accp_error *error)
{
    char line[ACCP_ERROR_TEXT_BYTES + ACCP_ERROR_WHERE_BYTES + 8];
    accp_error_line(error, line, sizeof line);
    const char *kind = error->code != ACCP_STATUS_SKIP ? ""
                       : accp_gpu_is_required()        ? "ACCPROBE_REQUIRE_GPU=1, but: "
                                                       : "SKIP: ";
    fprintf(stderr, "accprobe: %s%s\n", kind, line);
    switch (error->code) {
    case ACCP_STATUS_OK:
        return ACCP_EXIT_PASS;
    case ACCP_STATUS_WRONG:
        return ACCP_EXIT_FAIL;
    case ACCP_STATUS_DEVICE:
        return ACCP_EXIT_ENVIRONMENT;
    case ACCP_STATUS_SKIP:
        return accp_gpu_is_required() ? ACCP_EXIT_USAGE : ACCP_EXIT_SKIP;
    default:
        return ACCP_EXIT_USAGE;
    }
}

/* An answer that did not reach its reader (a full disk, a closed pipe) is no answer. */
int main(int argc, char **argv)
{
    /* Numbers are read and written in C's way; only the width of characters is asked of the locale.
     */
    if (!setlocale(LC_CTYPE, "C.UTF-8")) setlocale(LC_CTYPE, "");
    int status = run(argc, argv);
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    perror("accprobe: standard output");
    return ACCP_EXIT_USAGE;
}
