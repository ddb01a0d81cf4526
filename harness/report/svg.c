#include "report/svg.h"

#include "report/markup.h"

#include <math.h>
#include <stdarg.h>

void accp_svg_open(FILE *stream, double width, double height, const char *title)
{
    fprintf(stream, "<svg viewBox=\"0 0 %.6g %.6g\" style=\"--width:%.6gpx\" role=\"img\"><title>",
            width, height, width);
    accp_markup_text(stream, title);
    fputs("</title>\n", stream);
}

void accp_svg_close(FILE *stream)
{
    fputs("</svg>\n", stream);
}

void accp_svg_line(FILE *stream, const char *class, double x1, double y1, double x2, double y2)
{
    fprintf(stream, "<line class=\"%s\" x1=\"%.5g\" y1=\"%.5g\" x2=\"%.5g\" y2=\"%.5g\"/>\n", class,
            x1, y1, x2, y2);
}

static void end_mark(FILE *stream, const char *element, const char *note)
{
    if (!note) {
        fputs("/>\n", stream);
        return;
    }
    fputs("><title>", stream);
    accp_markup_text(stream, note);
    fprintf(stream, "</title></%s>\n", element);
}

void accp_svg_circle(FILE *stream, const char *class, double x, double y, double radius,
                     const char *note)
{
    fprintf(stream, "<circle class=\"%s\" cx=\"%.5g\" cy=\"%.5g\" r=\"%.3g\"", class, x, y, radius);
    end_mark(stream, "circle", note);
}

void accp_svg_rectangle(FILE *stream, const char *class, double x, double y, double width,
                        double height, const char *note)
{
    fprintf(stream, "<rect class=\"%s\" x=\"%.5g\" y=\"%.5g\" width=\"%.5g\" height=\"%.5g\"",
            class, x, y, width, height);
    end_mark(stream, "rect", note);
}

void accp_svg_text(FILE *stream, const char *class, char anchor, double x, double y,
                   const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stream, "<text class=\"%s %c\" x=\"%.5g\" y=\"%.5g\">", class, anchor, x, y);
    accp_markup_text(stream, text);
    fputs("</text>\n", stream);
}

void accp_svg_upward(FILE *stream, const char *class, double x, double y, const char *text)
{
    fprintf(stream, "<text class=\"%s e\" transform=\"translate(%.5g %.5g) rotate(-90)\">", class,
            x, y);
    accp_markup_text(stream, text);
    fputs("</text>\n", stream);
}

double accp_plot_x(const struct accp_plot *plot, double value)
{
    return plot->left + plot->width * (value - plot->x_low) / (plot->x_high - plot->x_low);
}

double accp_plot_y(const struct accp_plot *plot, double value)
{
    return plot->top + plot->height * (plot->y_high - value) / (plot->y_high - plot->y_low);
}

double accp_plot_range(double *low, double *high)
{
    if (!(*high > *low)) {
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

/* 150000 is 150k: the axis names the unit. */
static void tick_text(double value, char text[32])
{
    if (fabs(value) >= 10000)
        snprintf(text, 32, "%.6gk", value / 1000);
    else
        snprintf(text, 32, "%.6g", fabs(value) < 1e-9 ? 0 : value);
}

void accp_plot_grid(const struct accp_plot *plot, double step)
{
    char text[32];
    for (double value = plot->y_low; value <= plot->y_high + step / 2; value += step) {
        double y = accp_plot_y(plot, value);
        tick_text(value, text);
        accp_svg_line(plot->stream, "grid", plot->left, y, plot->left + plot->width, y);
        accp_svg_text(plot->stream, "tick", 'e', plot->left - 5, y + 4, "%s", text);
    }
}

void accp_plot_grid_x(const struct accp_plot *plot, double step)
{
    char text[32];
    for (double value = plot->x_low; value <= plot->x_high + step / 2; value += step) {
        double x = accp_plot_x(plot, value);
        tick_text(value, text);
        accp_svg_line(plot->stream, "grid", x, plot->top, x, plot->top + plot->height);
        accp_svg_text(plot->stream, "tick", 'm', x, plot->top + plot->height + 14, "%s", text);
    }
}
