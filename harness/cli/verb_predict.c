#include "cli/measuring.h"
#include "cli/predicting.h"
#include "cli/verbs.h"

#include <stdio.h>

int accp_verb_predict(const struct accp_options *options)
{
    struct accp_run run;
    struct accp_error error;
    char note[1024];
    size_t unknown = 0;
    accp_run_init(&run);
    enum accp_status status =
        accp_predicting(options, false, &run, note, sizeof note, &unknown, &error);
    if (status == ACCP_STATUS_OK && options->out)
        status = accp_run_write(options->out, &run, &error);
    if (status == ACCP_STATUS_OK && (!options->out || options->format))
        status = accp_run_print(&run, options->shape, &error);
    accp_run_fini(&run);
    if (status != ACCP_STATUS_OK) return accp_exit_error(&error);
    if (note[0]) fprintf(stderr, "accprobe: note: %s\n", note);
    return unknown > 0 ? ACCP_EXIT_ENVIRONMENT : ACCP_EXIT_PASS;
}
