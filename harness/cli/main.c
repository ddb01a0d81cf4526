#include "base/watchdog.h"
#include "cli/help.h"
#include "cli/verbs.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int (*const functions[])(const struct accp_options *options) = {
#define VERB(id, low, high, operands, summary, takes) accp_verb_##id,
#include "cli/verbs.def"
};
_Static_assert(sizeof functions / sizeof *functions == ACCP_VERB_COUNT, "a function a verb");

/* A variable that says nothing would be taken for one that was not set, and its effect missed. */
static enum accp_status check_variables(struct accp_error *error)
{
    static const struct {
        const char *name, *means;
    } switches[] = {
        {"ACCPROBE_REQUIRE_GPU", "1 (a missing GPU is an error) or 0 (it is a skip)"},
        {"ACCPROBE_RECORD_FAKE", "1 (record takes runs of the fake driver) or 0 (it refuses them)"},
    };
    ACCP_TRY(accp_timeout_check(error));
    for (size_t i = 0; i < sizeof switches / sizeof *switches; ++i) {
        const char *text = getenv(switches[i].name);
        if (text && text[0] && strcmp(text, "0") != 0 && strcmp(text, "1") != 0)
            return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1, "%s=%.40s: must be %s",
                             switches[i].name, text, switches[i].means);
    }
    return ACCP_STATUS_OK;
}

static int run_verb(enum accp_verb id, int argc, char **argv)
{
    const struct accp_verb_row *verb = &accp_verb_rows[id];
    struct accp_options options;
    struct accp_error error;
    if (accp_options_parse(argc, argv, verb->takes, verb->low, verb->high, &options, &error) !=
        ACCP_STATUS_OK)
        return accp_exit_error(&error);
    if (options.help) {
        accp_help_verb_print(stdout, id);
        return ACCP_EXIT_PASS;
    }
    if (check_variables(&error) != ACCP_STATUS_OK) return accp_exit_error(&error);
    return functions[id](&options);
}

static int run(int argc, char **argv)
{
    struct accp_error error;
    if (argc < 2) {
        accp_help_print(stderr);
        return ACCP_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        accp_help_print(stdout);
        return ACCP_EXIT_PASS;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("accprobe " ACCPROBE_VERSION);
        return ACCP_EXIT_PASS;
    }
    for (int i = 0; i < ACCP_VERB_COUNT; ++i)
        if (strcmp(argv[1], accp_verb_rows[i].name) == 0)
            return run_verb((enum accp_verb)i, argc - 1, argv + 1);
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
    signal(SIGXFSZ, SIG_IGN); /* a limit on the size of files is an error to tell, not a death */
    int status = run(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("accprobe: standard output");
        status = ACCP_EXIT_USAGE;
    }
    accp_watchdog_leave(accp_timeout_s() / ACCP_TIMEOUT_SHARE, status);
    return status;
}
