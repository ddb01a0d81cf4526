#include "report/timeline.h"

#include <stdlib.h>
#include <string.h>

static void keep(const struct accp_model_cycle *told, void *context)
{
    struct accp_timeline *timeline = context;
    if (told->scheduler != 0) return;
    for (int w = 0; w < told->warps; ++w) {
        ++timeline->totals[told->causes[w]];
        if (told->cycle < ACCP_TIMELINE_CYCLES)
            timeline->cells[w][told->cycle] = (struct accp_timeline_cell){
                (uint8_t)told->causes[w], (uint16_t)told->instructions[w]};
    }
    timeline->lanes = told->warps;
    if (told->cycle < ACCP_TIMELINE_CYCLES && told->cycle >= timeline->cycles)
        timeline->cycles = (int)told->cycle + 1;
}

static enum accp_status name_instructions(const struct accp_code *code,
                                          const struct accp_loop *loop,
                                          struct accp_timeline *timeline, struct accp_error *error)
{
    size_t count = loop->latch - loop->head + 1;
    timeline->instructions = calloc(count, sizeof *timeline->instructions);
    if (!timeline->instructions)
        return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for a timeline");
    timeline->instruction_count = (int)count;
    for (size_t i = 0; i < count; ++i)
        accp_instruction_text(&code->instructions[loop->head + i],
                              (loop->head + i) * ACCP_INSTRUCTION_BYTES, timeline->instructions[i],
                              ACCP_TIMELINE_TEXT_BYTES);
    return ACCP_STATUS_OK;
}

enum accp_status accp_timeline_make(const struct accp_code *code, const struct accp_loop *loop,
                                    const char *role, int warps, struct accp_timeline *timeline,
                                    struct accp_error *error)
{
    struct accp_prediction prediction;
    const struct accp_model_options options = {
        .warps = warps, .seed = 1, .trace = keep, .trace_context = timeline};
    memset(timeline, 0, sizeof *timeline);
    snprintf(timeline->role, sizeof timeline->role, "%s", role);
    timeline->warps = warps;
    ACCP_TRY(accp_model_predict(code, loop, &options, &prediction, error));
    if (!prediction.known)
        return accp_fail(error, ACCP_STATUS_UNSUPPORTED, role, -1, "the model does not time %s",
                         prediction.unknown);
    timeline->mean_cycles = prediction.cycles.mean;
    timeline->validated = prediction.validated;
    return name_instructions(code, loop, timeline, error);
}

void accp_timeline_fini(struct accp_timeline *timeline)
{
    free(timeline->instructions);
    timeline->instructions = NULL;
}
