/* The reader of run files: what it takes it writes, and reads again as the same text; and the run is
 * judged by the laws, as any run without a golden is. */
#include "run/run.h"
#include "verdict/verdict.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void judge(const struct accp_run *run)
{
    struct accp_judgement judgement;
    struct accp_error error = {0};
    const struct accp_verdict_input input = {
        .runs = run, .run_count = 1, .today = "2026-11-30", .reference_role = run->roles[0].role};
    if (accp_verdict_judge(&input, &judgement, &error) != ACCP_STATUS_OK) {
        if (!error.text[0]) abort();
        return;
    }
    if (judgement.line_count == 0) abort();
    accp_judgement_fini(&judgement);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct accp_run run, again;
    struct accp_error error = {0};
    char *text, *text_again;
    size_t bytes, bytes_again;
    if (accp_run_parse("f", data, size, &run, &error) != ACCP_STATUS_OK) {
        if (!error.text[0] || strchr(error.text, '\n') || run.roles) abort();
        return 0;
    }
    if (accp_run_format(&run, &text, &bytes, NULL) != ACCP_STATUS_OK) abort();
    if (accp_run_parse("f", text, bytes, &again, NULL) != ACCP_STATUS_OK) abort();
    if (accp_run_format(&again, &text_again, &bytes_again, NULL) != ACCP_STATUS_OK) abort();
    if (strcmp(text, text_again) != 0) abort();
    judge(&run);
    free(text);
    free(text_again);
    accp_run_fini(&run);
    accp_run_fini(&again);
    return 0;
}
