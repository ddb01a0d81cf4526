/* The reader of measured and predicted goldens: what it takes it writes, and reads again as the same
 * text; and a run of the GPU that it names is judged by it. */
#include "verdict/verdict.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A run of what the golden speaks of, 1 % slower than it says. */
static void judge(const struct accp_golden *golden)
{
    struct accp_golden_found found = {.answer = ACCP_ANSWER_SKU, .golden = *golden};
    struct accp_run run;
    struct accp_judgement judgement;
    struct accp_error error = {0};
    accp_run_init(&run);
    run.source = golden->source;
    run.protocol = golden->records[0].protocol;
    for (size_t i = 0; i < golden->level_count; ++i) {
        struct accp_run_role *role;
        const struct accp_role *known = accp_role_find(golden->levels[i].role);
        double cycles = golden->levels[i].mean * 1.01;
        if (accp_run_append(&run, &role, NULL) != ACCP_STATUS_OK) abort();
        strcpy(role->role, known->name);
        strcpy(role->kernel, known->kernel);
        role->chain = known->chain;
        role->acc = known->acc;
        role->effective = known->effective;
        role->warps = golden->levels[i].warps;
        role->cycles = (struct accp_cycles){.mean = cycles, .min = cycles, .max = cycles, .n = 10};
        role->progress = 1e7 / cycles;
    }
    const struct accp_verdict_input input = {
        .runs = &run, .run_count = 1, .found = &found, .today = "2026-11-30"};
    if (accp_verdict_judge(&input, &judgement, &error) != ACCP_STATUS_OK) abort();
    accp_judgement_fini(&judgement);
    accp_run_fini(&run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct accp_golden golden, again;
    struct accp_error error = {0};
    char *text, *text_again;
    size_t bytes, bytes_again;
    if (accp_golden_parse("f", data, size, &golden, &error) != ACCP_STATUS_OK) {
        if (!error.text[0] || strchr(error.text, '\n') || golden.levels) abort();
        return 0;
    }
    if (accp_golden_format(&golden, &text, &bytes, NULL) != ACCP_STATUS_OK) abort();
    if (accp_golden_parse("f", text, bytes, &again, NULL) != ACCP_STATUS_OK) abort();
    if (accp_golden_format(&again, &text_again, &bytes_again, NULL) != ACCP_STATUS_OK) abort();
    if (strcmp(text, text_again) != 0) abort();
    judge(&golden);
    free(text);
    free(text_again);
    accp_golden_fini(&golden);
    accp_golden_fini(&again);
    return 0;
}
