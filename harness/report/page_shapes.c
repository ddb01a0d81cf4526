#include "report/page.h"

#include "report/markup.h"
#include "sass/diff.h"

#include <math.h>
#include <string.h>

/* Each role once, whatever its numbers of warps, from the first run that has it. */
static const struct accp_run_role *next_role(const struct accp_paging *paging, size_t *at)
{
    const struct accp_summary *summary = paging->summary;
    while (*at < summary->point_count) {
        const struct accp_point *point = &summary->points[(*at)++];
        if (*at > 1 && strcmp(point->role, point[-1].role) == 0) continue;
        for (size_t i = 0; i < summary->run_count; ++i) {
            const struct accp_run_role *role =
                accp_run_find(&summary->runs[i], point->role, point->warps);
            if (role) return role;
        }
    }
    return NULL;
}

static const struct accp_golden_level *level_of(const struct accp_page *page,
                                                const struct accp_run_role *role)
{
    for (size_t i = 0; i < page->found_count; ++i) {
        const struct accp_golden *golden = &page->found[i].golden;
        if (page->found[i].answer != ACCP_ANSWER_SKU) continue;
        const struct accp_golden_level *level =
            accp_golden_level_find(golden, role->role, role->warps);
        if (level) return level;
    }
    return NULL;
}

/* What the verdict says of other SASS, which names the first instruction that differs. */
static const char *verdict_of_change(const struct accp_judgement *judgement, const char *role)
{
    for (size_t i = 0; i < judgement->line_count; ++i) {
        const struct accp_line *line = &judgement->lines[i];
        bool speaks = line->reason == ACCP_REASON_SHAPE_CHANGED ||
                      line->reason == ACCP_REASON_SLOWER_OTHER_SASS ||
                      line->reason == ACCP_REASON_FASTER_OTHER_SASS ||
                      line->reason == ACCP_REASON_STRUCTURE_LOST;
        if (speaks && strcmp(line->role, role) == 0) return line->text;
    }
    return NULL;
}

/* Against the golden's level: what changed in the SASS, in words. */
static void put_change(const struct accp_paging *paging, const struct accp_run_role *role,
                       const struct accp_shape *shape)
{
    const struct accp_page *page = paging->page;
    const struct accp_golden_level *level = level_of(page, role);
    const char *said = verdict_of_change(page->report->judgement, role->role);
    struct accp_diff diff;
    size_t at;
    if (!level || !level->sass[0]) {
        fputs("nothing on record", paging->stream);
        return;
    }
    if (strcmp(level->sass, role->sass) == 0) {
        fputs(strcmp(level->sass_exact, role->sass_exact) == 0
                  ? "same SASS"
                  : "same SASS, registers or place moved",
              paging->stream);
        return;
    }
    fputs("<strong>other SASS</strong>", paging->stream);
    const struct accp_shape *before =
        accp_sweep_find(page->sweep, role->role, level->sass, "", &at);
    if (before && shape) {
        accp_diff_shapes(before, shape, &diff);
        accp_markup_format(paging->stream, ": %s%s%s%s%s", accp_diff_name(diff.class),
                           diff.lost[0] ? "; " : "", diff.lost, diff.moved[0] ? "; " : "",
                           diff.moved);
    }
    if (said) accp_markup_format(paging->stream, "; %s", said);
}

static void put_shape_row(const struct accp_paging *paging, const struct accp_run_role *role)
{
    FILE *stream = paging->stream;
    const struct accp_sweep *sweep = paging->page->sweep;
    const char *version = paging->summary->runs[0].compiler.version;
    size_t at = 0;
    const struct accp_shape *shape = accp_sweep_find(sweep, role->role, role->sass, version, &at);
    fputs("<tr><td class=\"claim\"><span class=\"mono\">", stream);
    accp_markup_text(stream, role->role);
    fputs("</span></td>", stream);
    if (shape) {
        const int numbers[] = {shape->ffma,
                               shape->accumulators,
                               shape->depth,
                               shape->loop.instructions,
                               shape->loop.stall_sum_cycles,
                               shape->registers,
                               shape->resident_blocks,
                               shape->constant_loads,
                               shape->local_loads + shape->local_stores};
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
            fprintf(stream, "<td class=\"n\">%d</td>", numbers[i]);
    } else {
        fputs("<td colspan=\"9\" class=\"soft\">this SASS is not on record</td>", stream);
    }
    fputs("<td class=\"claim\"><span class=\"mono\">", stream);
    accp_markup_text(stream, role->sass);
    fputs("</span></td><td>", stream);
    put_change(paging, role, shape);
    if (shape && strcmp(sweep->shapes[at].compiler_version, version) != 0)
        accp_markup_format(stream, "; as of ptxas %s", sweep->shapes[at].compiler_version);
    fputs("</td></tr>\n", stream);
}

/* A run says of which SASS its roles were, or it does not. */
bool accp_page_has_shapes(const struct accp_paging *paging)
{
    const struct accp_run_role *role;
    for (size_t at = 0; (role = next_role(paging, &at));)
        if (role->sass[0]) return true;
    return false;
}

void accp_page_shapes(const struct accp_paging *paging)
{
    const struct accp_run_role *role;
    fputs("<p class=\"soft\">The hot loop of each role, found by its hash among the shapes on "
          "record, and compared with that of "
          "the golden's level.</p>\n"
          "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
          "aria-label=\"Shapes\"><table><thead><tr><th>role</th>"
          "<th class=\"n\">FFMAs</th><th class=\"n\">accumulators</th><th "
          "class=\"n\">depth</th><th class=\"n\">instructions</th>"
          "<th class=\"n\">stall cycles</th><th class=\"n\">registers</th><th class=\"n\">blocks "
          "of an SM</th><th class=\"n\">LDC</th>"
          "<th class=\"n\">LDL, STL</th><th>hash</th><th>against the "
          "golden</th></tr></thead><tbody>\n",
          paging->stream);
    for (size_t at = 0; (role = next_role(paging, &at));)
        put_shape_row(paging, role);
    fputs("</tbody></table></div>\n", paging->stream);
}

/* The shape of a role as compiler `at` made it; NULL: not on record. */
static const struct accp_shape *made_by(const struct accp_sweep *sweep, size_t at, const char *role)
{
    for (size_t i = 0; i < sweep->shapes[at].count; ++i)
        if (strcmp(sweep->shapes[at].shapes[i].role, role) == 0)
            return &sweep->shapes[at].shapes[i];
    return NULL;
}

static bool same_loop(const struct accp_shape *left, const struct accp_shape *right)
{
    return left && right && strcmp(left->loop.control_hash, right->loop.control_hash) == 0;
}

/* Stall cycles of a role over the least of any compiler; the brighter, the more of them. 25 % and more are one step. */
static int excess_shade(const struct accp_shape *shape, int least)
{
    double excess = least > 0 ? (double)shape->loop.stall_sum_cycles / least - 1 : 0;
    int shade = (int)ceil(excess / 0.03125 - 1e-9);
    return shade > 8 ? 8 : shade;
}

static int least_stalls(const struct accp_sweep *sweep, const char *role)
{
    int least = 0;
    for (size_t i = 0; i < sweep->count; ++i) {
        const struct accp_shape *shape = made_by(sweep, i, role);
        if (shape && (least == 0 || shape->loop.stall_sum_cycles < least))
            least = shape->loop.stall_sum_cycles;
    }
    return least;
}

/* One cell for all neighbouring compilers of one hot loop: where a cell ends, the code changed. */
static void put_sweep_row(const struct accp_paging *paging, const char *role, const char *now)
{
    const struct accp_sweep *sweep = paging->page->sweep;
    FILE *stream = paging->stream;
    int least = least_stalls(sweep, role);
    fputs("<tr><th scope=\"row\">", stream);
    accp_markup_text(stream, role);
    fputs("</th>", stream);
    for (size_t from = 0, to; from < sweep->count; from = to) {
        const struct accp_shape *shape = made_by(sweep, from, role);
        for (to = from + 1; to < sweep->count && same_loop(shape, made_by(sweep, to, role));)
            ++to;
        if (!shape) {
            fputs("<td></td>", stream);
            continue;
        }
        bool is_now = strcmp(shape->loop.control_hash, now) == 0;
        fprintf(stream, "<td colspan=\"%zu\" class=\"h%d\" title=\"", to - from,
                excess_shade(shape, least));
        accp_markup_format(stream,
                           "%s, ptxas %s to %s: %d stall cycles, %d instructions, %d registers, "
                           "%s%s",
                           role, sweep->shapes[from].compiler_version,
                           sweep->shapes[to - 1].compiler_version, shape->loop.stall_sum_cycles,
                           shape->loop.instructions, shape->registers, shape->loop.control_hash,
                           is_now ? ": the SASS of these runs" : "");
        fprintf(stream, "\">%d%s</td>", shape->loop.stall_sum_cycles, is_now ? "•" : "");
    }
    fputs("</tr>\n", stream);
}

static bool has_sweep(const struct accp_paging *paging)
{
    const struct accp_run_role *role;
    for (size_t at = 0; (role = next_role(paging, &at));)
        if (least_stalls(paging->page->sweep, role->role) > 0) return true;
    return false;
}

static void put_sweep_legend(FILE *stream)
{
    static const char *const texts[] = {"the least of all compilers", "up to 6 % more", "12 %",
                                        "19 %", "25 % or more"};
    fputs("<ul class=\"legend\">", stream);
    for (int i = 0; i < 5; ++i)
        fprintf(stream, "<li><i class=\"h%d\"></i>%s</li>", 2 * i, texts[i]);
    fputs("<li>• the SASS of these runs</li></ul>\n", stream);
}

/* The same for readers of text, for search, and for copying. */
static void put_sweep_list(const struct accp_paging *paging)
{
    const struct accp_sweep *sweep = paging->page->sweep;
    const struct accp_run_role *role;
    fputs("<details class=\"whole\"><summary>As a list</summary><dl>\n", paging->stream);
    for (size_t at = 0; (role = next_role(paging, &at));) {
        if (least_stalls(sweep, role->role) == 0) continue;
        fprintf(paging->stream, "<dt class=\"mono\">%s</dt><dd>", role->role);
        for (size_t from = 0, to; from < sweep->count; from = to) {
            const struct accp_shape *shape = made_by(sweep, from, role->role);
            for (to = from + 1;
                 to < sweep->count && same_loop(shape, made_by(sweep, to, role->role));)
                ++to;
            if (shape)
                accp_markup_format(paging->stream, "%s%s to %s: %d", from ? "; " : "",
                                   sweep->shapes[from].compiler_version,
                                   sweep->shapes[to - 1].compiler_version,
                                   shape->loop.stall_sum_cycles);
        }
        fputs("</dd>\n", paging->stream);
    }
    fputs("</dl></details>\n", paging->stream);
}

void accp_page_sweep(const struct accp_paging *paging)
{
    const struct accp_sweep *sweep = paging->page->sweep;
    const struct accp_run_role *role;
    FILE *stream = paging->stream;
    if (!has_sweep(paging)) {
        fputs("<p>No shapes of these roles are on record for this arch.</p>\n", stream);
        return;
    }
    fprintf(stream,
            "<p class=\"soft\">Sum of the stall counts of each role's hot loop on %s, by version "
            "of ptxas, from the shapes on "
            "record. A mark spans the compilers that make the same code: where it ends, the code "
            "changed. The stall counts "
            "bound an iteration of one warp from below; they are no measurement.</p>\n",
            sweep->arch);
    put_sweep_legend(stream);
    fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Compilers\">\n",
          stream);
    fputs("<table class=\"heat sweep\"><thead><tr><td></td>", stream);
    for (size_t i = 0; i < sweep->count; ++i) {
        fputs("<th scope=\"col\"><span>", stream);
        accp_markup_text(stream, sweep->shapes[i].compiler_version);
        fputs("</span></th>", stream);
    }
    fputs("</tr></thead><tbody>\n", stream);
    for (size_t at = 0; (role = next_role(paging, &at));)
        if (least_stalls(sweep, role->role) > 0) put_sweep_row(paging, role->role, role->sass);
    fputs("</tbody></table></div>\n", stream);
    put_sweep_list(paging);
}
