/* Plots of a page, as SVG inside it. gnuplot draws them, all of a page at once: while a page is written, marks gather in its
 * script, and each plot leaves a place in the page. gnuplot gets numbers and words of ours alone: what stands in a run file
 * is text of the page (headings, notes), and never part of the script. A mark's colour is a name, of which the style sheet
 * makes one for light, dark and print. */
#ifndef ACCP_REPORT_PLOT_H
#define ACCP_REPORT_PLOT_H

#include "base/status.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* COLOUR(id, style): the style sheet's properties of a mark of that colour. */
#define ACCP_PLOT_COLOUR_TABLE(COLOUR) \
    COLOUR(TEXT, "fill:var(--ink)") \
    COLOUR(TICK, "fill:var(--soft)") \
    COLOUR(GRID, "stroke:var(--rule);stroke-width:1") \
    COLOUR(JOIN, "stroke:var(--soft);stroke-width:1.5") \
    COLOUR(DOT, "color:var(--blue)") \
    COLOUR(BEST, "color:var(--green)") \
    COLOUR(OUTSIDE, "color:var(--red)") \
    COLOUR(BAND, "fill:var(--amber);fill-opacity:.35") \
    COLOUR(MODE, "color:var(--blue);opacity:.65") \
    COLOUR(MEAN, "stroke:var(--red);stroke-width:2")

enum accp_plot_colour {
#define COLOUR(id, style) ACCP_PLOT_##id,
    ACCP_PLOT_COLOUR_TABLE(COLOUR)
#undef COLOUR
        ACCP_PLOT_COLOUR_COUNT
};

/* The character that a plot leaves in the page at its place. No text of others can hold it: accp_markup_text lets no control
 * character pass. */
enum { ACCP_PLOT_PLACE = 1 };

enum accp_plot_shape { ACCP_PLOT_DISC, ACCP_PLOT_RING };
enum accp_plot_axis { ACCP_PLOT_X, ACCP_PLOT_Y };

/* Of one page. */
struct accp_plots {
    FILE *script, *elements, *notes, *heads; /* streams into the texts below */
    char *script_text, *elements_text, *notes_text, *heads_text;
    size_t script_bytes, elements_bytes, notes_bytes, heads_bytes;
    size_t count, element_count,
        mark_count;    /* plots; what they are drawn of; marks, which have notes */
    bool has_ticks[2]; /* by axis: the plot has ticks with names already */
    int present[3];    /* kind, colour and form of the element that is being written; 0: none */
};

/* Begins without a plot. Pair with accp_plots_fini, also after an error. MEMORY. */
enum accp_status accp_plots_init(struct accp_plots *plots, struct accp_error *error);
void accp_plots_fini(struct accp_plots *plots);

/* Begins a plot of that many CSS pixels at this place of `page`; `title` says what it shows to those who do not see it, and
 * may hold texts of others. `right_columns` are left free beside it for labels. End it with accp_plot_end. */
void accp_plot_begin(struct accp_plots *plots, FILE *page, int width, int height, int right_columns,
                     const char *title);
void accp_plot_end(struct accp_plots *plots);

/* An axis from `low` to `high`, which may be the greater or the lesser; `name` stands beside it ("": none). With a `step` above
 * 0 it has numbers and lines across at its multiples; with 0, what accp_plot_tick puts there; `grid`: with lines across. */
void accp_plot_range(struct accp_plots *plots, enum accp_plot_axis axis, double low, double high,
                     double step, bool grid, const char *name);
void accp_plot_tick(struct accp_plots *plots, enum accp_plot_axis axis, double at, const char *name,
                    int number); /* "acc7"; number < 0: the name alone */

/* Marks, drawn in this order, and fastest where those of a kind and colour follow one another. `note` is shown under the
 * pointer and read aloud, and may hold texts of others; NULL: none. A radius is in CSS pixels. A line's dashes are 0 (none)
 * to 3. */
void accp_plot_mark(struct accp_plots *plots, enum accp_plot_colour colour,
                    enum accp_plot_shape shape, double radius, double x, double y,
                    const char *note);
void accp_plot_line(struct accp_plots *plots, enum accp_plot_colour colour, int dashes,
                    const double (*points)[2], size_t count);
void accp_plot_bar(struct accp_plots *plots, enum accp_plot_colour colour, double x_low,
                   double x_high, double y_low, double y_high);
/* A word of ours at the right of a point, or above it. */
void accp_plot_label(struct accp_plots *plots, bool above, double x, double y, const char *text);

/* Widens [*low, *high] to whole multiples of a step of 1, 2 or 5 times a power of ten, of which there are 3 to 8 in it;
 * returns the step. A range of nothing is widened first. */
double accp_plot_step(double *low, double *high);

/* Where gnuplot is. UNSUPPORTED, with what to install: it is not on the PATH. */
enum accp_status accp_plot_tool(char path[PATH_MAX], struct accp_error *error);

/* Writes `page`, in which each plot has left its place, with the plots in these places. UNSUPPORTED: as accp_plot_tool; IO:
 * gnuplot did not draw them, with what it said; MEMORY. */
enum accp_status accp_plots_draw(struct accp_plots *plots, const char *page, FILE *stream,
                                 struct accp_error *error);

/* The rules of the style sheet for the colours. */
void accp_plot_style(FILE *stream);

#endif
