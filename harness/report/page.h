/* A run and its judgement as one page of HTML: no script, nothing fetched, texts of others escaped. */
#ifndef ACCP_REPORT_PAGE_H
#define ACCP_REPORT_PAGE_H

#include "golden/summary.h"
#include "report/beside.h"
#include "report/judgement.h"
#include "report/plot.h"
#include "report/sweep.h"
#include "report/timeline.h"

/* Everything that a page is made from; all borrowed. */
struct accp_page {
    const struct accp_report *report;
    char *const *files;                    /* of the runs */
    const struct accp_golden_found *found; /* those that answered, of all probes */
    size_t found_count;
    const struct accp_run *occupancy; /* recorded, of this GPU, at many warps; NULL: none */
    const char *occupancy_file;
    const struct accp_run *document; /* the original document's numbers; NULL: none */
    const struct accp_sweep *sweep;  /* of the run's arch; empty: none on record */
    const struct accp_timeline *timelines;
    size_t timeline_count;
    const char *timeline_note; /* why some or all are missing; "": nothing is */
};

/* Writes the page. Errors: INPUT (runs that do not belong together), UNSUPPORTED and IO as accp_plots_draw, MEMORY. */
enum accp_status accp_page_write(const struct accp_page *page, FILE *stream,
                                 struct accp_error *error);

/* The verdict and what it rests on as Markdown of at most ACCP_BRIEF_LINES lines, for a comment on a change. INPUT,
 * MEMORY. */
enum { ACCP_BRIEF_LINES = 20 };
enum accp_status accp_brief_write(const struct accp_report *report, FILE *stream,
                                  struct accp_error *error);

/* For the parts of a page, each the content of a section; `summary` is of its runs. */
struct accp_paging {
    const struct accp_page *page;
    const struct accp_summary *summary;
    const struct accp_summary *recorded;  /* of the page's occupancy; NULL: none */
    const struct accp_beside_map *beside; /* of its runs; NULL: none of them was mixed */
    FILE *stream;
    struct accp_plots *plots; /* whose places are in the stream */
};
/* The parts; a section is left out where its accp_page_has_ says so. */
void accp_page_progress(const struct accp_paging *paging);
void accp_page_peaks(const struct accp_paging *paging);
void accp_page_gap(const struct accp_paging *paging);
void accp_page_modes(const struct accp_paging *paging);
void accp_page_warps(const struct accp_paging *paging);
void accp_page_shapes(const struct accp_paging *paging);
void accp_page_sweep(const struct accp_paging *paging);
void accp_page_timelines(const struct accp_paging *paging);
void accp_page_provenance(const struct accp_paging *paging);
bool accp_page_has_gap(const struct accp_paging *paging);
bool accp_page_has_shapes(const struct accp_paging *paging);

/* The style sheet (page_style.c). */
void accp_page_style(FILE *stream);

/* Accumulator counts of a series or family at a number of warps, ascending: what stands along an axis. */
enum { ACCP_PAGE_ACCS = 32 };
struct accp_page_accs {
    size_t count;
    int accs[ACCP_PAGE_ACCS];
};
void accp_page_accs_of(const struct accp_summary *summary, const char *family, int warps,
                       struct accp_page_accs *accs);

/* The golden level of a point; NULL: none answers. */
const struct accp_golden_level *accp_page_level(const struct accp_page *page,
                                                const struct accp_point *point);

#endif
