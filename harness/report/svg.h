/* Plots as SVG inside a page. Colours and fonts are the page's: a mark names classes of page_style.c, so that light, dark
 * and print are decided there alone. Coordinates are CSS pixels of the picture, from its top left. */
#ifndef ACCP_REPORT_SVG_H
#define ACCP_REPORT_SVG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A rectangle of a picture with scales along its sides. */
struct accp_plot {
    FILE *stream;
    double left, top, width, height;
    double x_low, x_high, y_low, y_high; /* at left, right, bottom, top */
};

/* Begins a picture that is as wide as its place, and a text that says what it shows to those who do not see it. End it
 * with accp_svg_close. */
void accp_svg_open(FILE *stream, double width, double height, const char *title);
void accp_svg_close(FILE *stream);

/* Marks. `class` is one or more classes; `note` is shown under the pointer and read aloud, NULL: none. Texts of others
 * are escaped. `anchor`: 's'tart, 'm'iddle or 'e'nd of the text is at x. */
void accp_svg_line(FILE *stream, const char *class, double x1, double y1, double x2, double y2);
void accp_svg_circle(FILE *stream, const char *class, double x, double y, double radius,
                     const char *note);
void accp_svg_rectangle(FILE *stream, const char *class, double x, double y, double width,
                        double height, const char *note);
void accp_svg_text(FILE *stream, const char *class, char anchor, double x, double y,
                   const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Turned by 90 degrees against the clock, its end at (x, y). */
void accp_svg_upward(FILE *stream, const char *class, double x, double y, const char *text);

/* Where a value lies in the picture. */
double accp_plot_x(const struct accp_plot *plot, double value);
double accp_plot_y(const struct accp_plot *plot, double value);

/* Widens [*low, *high] to whole multiples of a step of 1, 2 or 5 times a power of ten, of which there are 3 to 8 in it;
 * returns the step. A range of nothing is widened first. */
double accp_plot_range(double *low, double *high);

/* Lines across at every step of the range, with their values at the left; frames nothing. */
void accp_plot_grid(const struct accp_plot *plot, double step);

/* The same upright, with the values below. */
void accp_plot_grid_x(const struct accp_plot *plot, double step);

#endif
