#include "report/page.h"

#include "base/plural.h"
#include "report/markup.h"

#include <math.h>
#include <string.h>

enum { CYCLE_WIDTH = 6, CYCLES_A_TICK = 20 }; /* CSS pixels; as the style sheet has them */

static const char *cause_class(int cause)
{
    static const char *const classes[ACCP_CAUSE_COUNT] = {
        [ACCP_CAUSE_NONE] = "k-issue",    [ACCP_CAUSE_ANOTHER] = "k-another",
        [ACCP_CAUSE_STALL] = "k-stall",   [ACCP_CAUSE_SCOREBOARD] = "k-scoreboard",
        [ACCP_CAUSE_PIPE] = "k-pipe",     [ACCP_CAUSE_PORTS] = "k-ports",
        [ACCP_CAUSE_BRANCH] = "k-branch", [ACCP_CAUSE_LINE] = "k-line"};
    return classes[cause];
}

/* What issues, and the height of its mark: tall for what issues, so that the causes are apart without their colours. */
static void put_lane(FILE *stream, const struct accp_timeline *timeline, int lane, int cycles)
{
    const struct accp_timeline_cell *cells = timeline->cells[lane];
    fprintf(stream, "<div class=\"lane\"><span>warp %d</span>", lane);
    for (int from = 0, to; from < cycles; from = to) {
        bool issues = cells[from].cause == ACCP_CAUSE_NONE;
        for (to = from + 1; !issues && to < cycles && cells[to].cause == cells[from].cause &&
                            cells[to].instruction == cells[from].instruction;)
            ++to;
        const char *text = cells[from].instruction < timeline->instruction_count
                               ? timeline->instructions[cells[from].instruction]
                               : "";
        fprintf(stream, "<i class=\"%s\"", cause_class(cells[from].cause));
        if (to > from + 1) fprintf(stream, " style=\"width:%dpx\"", (to - from) * CYCLE_WIDTH);
        fputs(" title=\"", stream);
        accp_markup_format(stream, "cycle %d, %s: %s", from,
                           issues ? "issues" : accp_cause_name((enum accp_cause)cells[from].cause),
                           text);
        fputs("\"></i>", stream);
    }
    fputs("</div>\n", stream);
}

static void put_totals(FILE *stream, const struct accp_timeline *timeline)
{
    int64_t sum = 0;
    for (int i = 0; i < ACCP_CAUSE_COUNT; ++i)
        sum += timeline->totals[i];
    fputs("<ul class=\"legend\">", stream);
    for (int i = 0; i < ACCP_CAUSE_COUNT; ++i)
        if (timeline->totals[i] > 0)
            fprintf(stream, "<li><i class=\"%s\"></i>%s: %.1f %%</li>", cause_class(i),
                    i == ACCP_CAUSE_NONE ? "issues" : accp_cause_meaning((enum accp_cause)i),
                    100 * (double)timeline->totals[i] / (double)sum);
    fputs("</ul>\n", stream);
}

static void put_timeline(FILE *stream, const struct accp_timeline *timeline)
{
    int cycles = (int)fmin(timeline->cycles, ceil(2 * timeline->mean_cycles));
    fputs("<details open><summary>", stream);
    accp_markup_format(stream, "%s, %d warp%s: %.6g cycles an iteration, predicted%s",
                       timeline->role, timeline->warps, ACCP_PLURAL(timeline->warps, "s"),
                       timeline->mean_cycles,
                       timeline->validated ? "" : "; the model was not validated on this arch");
    fputs("</summary>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
          "aria-label=\"Timeline\">\n<div class=\"lane ticks\"><span>cycle</span>",
          stream);
    for (int cycle = 0; cycle < cycles; cycle += CYCLES_A_TICK)
        fprintf(stream, "<b>%d</b>", cycle);
    fputs("</div>\n", stream);
    for (int lane = 0; lane < timeline->lanes; ++lane)
        put_lane(stream, timeline, lane, cycles);
    fputs("</div>\n", stream);
    put_totals(stream, timeline);
    fputs("</details>\n", stream);
}

void accp_page_timelines(const struct accp_paging *paging)
{
    const struct accp_page *page = paging->page;
    fputs("<p class=\"soft\">What the warps of one scheduler do in two iterations, as the issue "
          "model predicts it from the "
          "SASS: tall marks issue an instruction, low ones wait. Others: <code>accprobe report "
          "--timeline RE</code></p>\n",
          paging->stream);
    for (size_t i = 0; i < page->timeline_count; ++i)
        put_timeline(paging->stream, &page->timelines[i]);
    if (page->timeline_note[0]) {
        fputs("<p>", paging->stream);
        accp_markup_text(paging->stream, page->timeline_note);
        fputs("</p>\n", paging->stream);
    }
}

static void put_text(FILE *stream, const char *name, const char *value)
{
    if (!value[0]) return;
    fprintf(stream, "<dt>%s</dt><dd>", name);
    accp_markup_text(stream, value);
    fputs("</dd>\n", stream);
}

static void put_value(FILE *stream, const char *name, double value, const char *unit)
{
    if (value >= 0) fprintf(stream, "<dt>%s</dt><dd>%.15g%s</dd>\n", name, value, unit);
}

static void put_device(FILE *stream, const struct accp_run_device *device)
{
    put_text(stream, "device", device->name);
    put_text(stream, "arch", device->arch);
    put_value(stream, "SMs", (double)device->sm_count, "");
    put_value(stream, "memory", (double)device->memory_bytes, " bytes");
    put_text(stream, "PCI device", device->pci_device);
    put_text(stream, "hash of the UUID", device->uuid_hash);
    put_text(stream, "driver", device->driver);
    put_value(stream, "SM clock", device->sm_clock_mhz, " MHz");
    put_value(stream, "achieved before", device->achieved_mhz_before, " MHz");
    put_value(stream, "achieved after", device->achieved_mhz_after, " MHz");
    put_text(stream, "MIG", device->mig);
    put_text(stream, "ECC", device->ecc);
    put_text(stream, "throttle reasons", device->throttle);
    put_value(stream, "other processes", (double)device->other_processes, "");
    put_value(stream, "utilization before", (double)device->utilization_percent, " %");
}

static void put_run(FILE *stream, const struct accp_run *run, const char *file)
{
    const struct accp_run_protocol *protocol = &run->protocol;
    fputs("<details class=\"whole\"><summary>", stream);
    accp_markup_format(stream, "%s: %s, %s", file, accp_source_text(run->source), run->date);
    fputs("</summary><dl>\n", stream);
    put_text(stream, "accprobe", run->tool);
    put_device(stream, &run->device);
    put_text(stream, "compiler", run->compiler.name);
    put_text(stream, "its version", run->compiler.version);
    put_text(stream, "its flags", run->compiler.flags);
    put_text(stream, "protocol", protocol->name);
    fprintf(stream,
            "<dt>seed</dt><dd>%llu</dd><dt>blocks</dt><dd>%d</dd><dt>launches</dt><dd>%d</"
            "dd><dt>budget</dt><dd>%d cycles</dd>"
            "<dt>start skew</dt><dd>%d cycles</dd><dt>warm-up</dt><dd>%d cycles</dd>\n",
            (unsigned long long)protocol->seed, protocol->blocks, protocol->launches,
            protocol->budget_cycles, protocol->skew_cycles, protocol->warmup_cycles);
    put_value(stream, "reference, first half", run->reference_first, " cycles");
    put_value(stream, "reference, second half", run->reference_second, " cycles");
    fputs("</dl></details>\n", stream);
}

static void put_golden(FILE *stream, const struct accp_golden_found *found)
{
    if (found->answer == ACCP_ANSWER_LAWS) return;
    fputs("<details class=\"whole\"><summary>golden ", stream);
    accp_markup_format(stream, "%s of %s: %s", found->golden.probe, found->name,
                       accp_answer_text(found->answer));
    fputs("</summary>\n", stream);
    for (size_t i = 0; i < found->golden.record_count; ++i) {
        const struct accp_golden_provenance *record = &found->golden.records[i];
        fputs("<dl>", stream);
        put_text(stream, "recorded", record->date);
        put_text(stream, "reason", record->reason);
        put_text(stream, "commit", record->commit);
        put_text(stream, "accprobe", record->tool);
        put_text(stream, "device", record->device);
        put_text(stream, "driver", record->driver);
        put_text(stream, "compiler", record->compiler.version);
        put_text(stream, "protocol", record->protocol.name);
        fputs("</dl>\n", stream);
    }
    fprintf(stream, "<p>False alarms of a whole gate: %.3g, over %d comparisons.</p></details>\n",
            found->golden.false_alarm_rate, found->golden.comparisons);
}

void accp_page_provenance(const struct accp_paging *paging)
{
    const struct accp_page *page = paging->page;
    for (size_t i = 0; i < page->report->run_count; ++i)
        put_run(paging->stream, &page->report->runs[i], page->files[i]);
    for (size_t i = 0; i < page->found_count; ++i)
        put_golden(paging->stream, &page->found[i]);
}
