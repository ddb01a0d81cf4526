#include "report/plot.h"

#include "report/markup.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FONT_SIZE = 11 };

/* A colour that stands for a name until the style sheet replaces it: #0102xx. */
static int mark_of(enum accp_plot_colour colour)
{
    return 0x010200 + (int)colour;
}

/* gnuplot writes the colour of lines and shapes with blanks, and that of text without. */
void accp_plot_style(FILE *stream)
{
    static const char *const styles[] = {
#define COLOUR(id, style) [ACCP_PLOT_##id] = style,
        ACCP_PLOT_COLOUR_TABLE(COLOUR)
#undef COLOUR
    };
    for (int i = 0; i < ACCP_PLOT_COLOUR_COUNT; ++i)
        fprintf(stream,
                "[stroke='rgb( 1, 2, %d)'],[fill='rgb( 1, 2, %d)'],[color='rgb( 1, 2, "
                "%d)'],[fill='rgb(1,2,%d)']{%s}\n",
                i, i, i, i, styles[i]);
}

enum accp_status accp_plots_init(struct accp_plots *plots, struct accp_error *error)
{
    memset(plots, 0, sizeof *plots);
    plots->script = open_memstream(&plots->script_text, &plots->script_bytes);
    plots->elements = open_memstream(&plots->elements_text, &plots->elements_bytes);
    plots->notes = open_memstream(&plots->notes_text, &plots->notes_bytes);
    plots->heads = open_memstream(&plots->heads_text, &plots->heads_bytes);
    if (!plots->script || !plots->elements || !plots->notes || !plots->heads)
        return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for plots");
    fprintf(
        plots->script,
        "set border 0\nset tics scale 0 textcolor rgb '#%06x'\nunset key\n"
        "set style fill solid noborder\nset tmargin 1\nset bmargin 3.2\nset format '%%.0s%%c'\n",
        mark_of(ACCP_PLOT_TICK));
    return ACCP_STATUS_OK;
}

void accp_plots_fini(struct accp_plots *plots)
{
    FILE *const streams[] = {plots->script, plots->elements, plots->notes, plots->heads};
    for (size_t i = 0; i < sizeof streams / sizeof *streams; ++i)
        if (streams[i]) fclose(streams[i]);
    free(plots->script_text);
    free(plots->elements_text);
    free(plots->notes_text);
    free(plots->heads_text);
    memset(plots, 0, sizeof *plots);
}

enum kind { KIND_NONE, KIND_MARK, KIND_LINE, KIND_BAR };

/* Data end before anything else stands in the script. */
static void end_element(struct accp_plots *plots)
{
    if (plots->present[0] != KIND_NONE) fputs("E\n", plots->script);
    plots->present[0] = KIND_NONE;
}

void accp_plot_begin(struct accp_plots *plots, FILE *page, int width, int height, int right_columns,
                     const char *title)
{
    fputc(ACCP_PLOT_PLACE, page);
    ++plots->count;
    fprintf(plots->heads,
            "<svg class=\"plot\" style=\"--width:%dpx\" viewBox=\"0 0 %d %d\" role=\"img\"><title>",
            width, width, height);
    accp_markup_text(plots->heads, title);
    fprintf(plots->heads, "</title>%c", 0);
    fprintf(plots->script,
            "set terminal svg size %d,%d noenhanced font ',%d'\nset rmargin %d\nunset grid\n"
            "unset label\n",
            width, height, FONT_SIZE, right_columns);
    rewind(plots->elements);
}

void accp_plot_end(struct accp_plots *plots)
{
    end_element(plots);
    fputc(0, plots->elements);
    fflush(plots->elements);
    fprintf(plots->script, "plot %s\n", plots->elements_text);
}

/* A hair is added at both ends, so that rounding puts no mark outside, where gnuplot would not draw it. */
void accp_plot_range(struct accp_plots *plots, enum accp_plot_axis axis, double low, double high,
                     double step, bool grid, const char *name)
{
    const char letter = axis == ACCP_PLOT_X ? 'x' : 'y';
    end_element(plots);
    const double hair = 1e-6 * (high - low);
    fprintf(plots->script, "set %crange [%.12g:%.12g]\nset %clabel '%s' textcolor rgb '#%06x'\n",
            letter, low - hair, high + hair, letter, name, mark_of(ACCP_PLOT_TICK));
    plots->has_ticks[axis] = false;
    if (step > 0) fprintf(plots->script, "set %ctics %.12g\n", letter, step);
    if (grid)
        fprintf(plots->script, "set grid %ctics lt 1 lc rgb '#%06x' lw 1\n", letter,
                mark_of(ACCP_PLOT_GRID));
}

void accp_plot_tick(struct accp_plots *plots, enum accp_plot_axis axis, double at, const char *name,
                    int number)
{
    const char letter = axis == ACCP_PLOT_X ? 'x' : 'y';
    end_element(plots);
    fprintf(plots->script, "set %ctics %s('%s", letter, plots->has_ticks[axis] ? "add " : "", name);
    if (number >= 0) fprintf(plots->script, "%d", number);
    fprintf(plots->script, "' %.12g)\n", at);
    plots->has_ticks[axis] = true;
}

/* Goes on with the element at hand where it is of this kind; else begins one and returns true: its style has to follow. */
static bool begin_element(struct accp_plots *plots, enum kind kind, enum accp_plot_colour colour,
                          int form)
{
    const int *present = plots->present;
    if (present[0] == (int)kind && present[1] == (int)colour && present[2] == form) return false;
    end_element(plots);
    plots->present[0] = (int)kind;
    plots->present[1] = (int)colour;
    plots->present[2] = form;
    ++plots->element_count;
    fprintf(plots->script, "$d%zu << E\n", plots->element_count);
    fprintf(plots->elements, "%s$d%zu ", ftell(plots->elements) > 0 ? ", " : "",
            plots->element_count);
    return true;
}

void accp_plot_mark(struct accp_plots *plots, enum accp_plot_colour colour,
                    enum accp_plot_shape shape, double radius, double x, double y, const char *note)
{
    const double radius_of_size_1 = 4.125; /* what gnuplot scales its disc by, at FONT_SIZE */
    if (begin_element(plots, KIND_MARK, colour, (int)shape))
        fprintf(plots->elements, "with points pt %d ps variable lc rgb '#%06x'",
                shape == ACCP_PLOT_DISC ? 7 : 6, mark_of(colour));
    fprintf(plots->script, "%.12g %.12g %.4g\n", x, y, radius / radius_of_size_1);
    if (note) accp_markup_text(plots->notes, note);
    fputc(0, plots->notes);
    ++plots->mark_count;
}

void accp_plot_line(struct accp_plots *plots, enum accp_plot_colour colour, int dashes,
                    const double (*points)[2], size_t count)
{
    if (begin_element(plots, KIND_LINE, colour, dashes))
        fprintf(plots->elements, "with lines dt %d lc rgb '#%06x'", dashes + 1, mark_of(colour));
    for (size_t i = 0; i < count; ++i)
        fprintf(plots->script, "%.12g %.12g\n", points[i][0], points[i][1]);
    fputc('\n', plots->script); /* the next one is a line of its own */
}

void accp_plot_bar(struct accp_plots *plots, enum accp_plot_colour colour, double x_low,
                   double x_high, double y_low, double y_high)
{
    if (begin_element(plots, KIND_BAR, colour, 0))
        fprintf(plots->elements, "with boxxyerror fc rgb '#%06x'", mark_of(colour));
    fprintf(plots->script, "%.12g %.12g %.12g %.12g %.12g %.12g\n", x_low, y_low, x_low, x_high,
            y_low, y_high);
}

void accp_plot_label(struct accp_plots *plots, bool above, double x, double y, const char *text)
{
    end_element(plots);
    fprintf(plots->script, "set label '%s' at %.12g,%.12g %s textcolor rgb '#%06x'\n", text, x, y,
            above ? "center offset 0,0.9" : "left offset 1,0", mark_of(ACCP_PLOT_TEXT));
}

double accp_plot_step(double *low, double *high)
{
    if (!(*high - *low > 1e-9 * fabs(*high))) {
        double half = *high != 0 ? fabs(*high) * 0.02 : 1;
        *low -= half;
        *high += half;
    }
    double rough = (*high - *low) / 4, power = pow(10, floor(log10(rough)));
    double step = rough / power < 1.5 ? power : rough / power < 3.5 ? 2 * power : 5 * power;
    *low = floor(*low / step + 1e-9) * step;
    *high = ceil(*high / step - 1e-9) * step;
    return step;
}
