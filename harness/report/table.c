#include "report/table.h"

#include "base/json.h"
#include "base/text.h"
#include "report/markup.h"

#include <jansson.h>
#include <libsmartcols.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PLAIN_COLUMNS = 64, PIPE_WIDTH = 1000 };

struct accp_table {
    struct libscols_table *lines;
    struct libscols_line *present; /* borrowed from `lines` */
    size_t column_count;
    const struct accp_column *columns; /* the caller's, static by convention */
    bool is_ascii, is_plain; /* no byte above 0x7f; and none that takes other than a column */
};

enum accp_status accp_table_create(const struct accp_column *columns, size_t count,
                                   struct accp_table **table, struct accp_error *error)
{
    *table = calloc(1, sizeof **table);
    struct libscols_table *lines = scols_new_table();
    bool made = *table && lines;
    for (size_t i = 0; made && i < count; ++i) {
        int flags =
            (columns[i].right ? SCOLS_FL_RIGHT : 0) | (columns[i].trunc ? SCOLS_FL_TRUNC : 0);
        made = scols_table_new_column(lines, columns[i].name, 0, flags) != NULL;
    }
    if (!made) {
        scols_unref_table(lines);
        free(*table);
        *table = NULL;
        return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for a table");
    }
    **table = (struct accp_table){lines, NULL, count, columns, true, true};
    return ACCP_STATUS_OK;
}

void accp_table_destroy(struct accp_table *table)
{
    if (!table) return;
    scols_unref_table(table->lines);
    free(table);
}

enum accp_status accp_table_row(struct accp_table *table, struct accp_error *error)
{
    table->present = scols_table_new_line(table->lines, NULL);
    if (!table->present)
        return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for a row");
    return ACCP_STATUS_OK;
}

static void look_at(struct accp_table *table, const char *text)
{
    for (; *text; ++text) {
        table->is_ascii &= !(*text & 0x80);
        table->is_plain &= *text >= ' ' && *text <= '~';
    }
}

void accp_table_cell(struct accp_table *table, size_t column, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    look_at(table, text);
    scols_line_set_data(table->present, column, text);
}

void accp_text_put(FILE *stream, const char *text, bool markdown)
{
    char *shown = text ? strdup(text) : NULL;
    if (!shown) return;
    accp_text_show(shown);
    if (markdown)
        accp_markdown_text(stream, shown);
    else
        fputs(shown, stream);
    free(shown);
}

static void print_markdown_cell(FILE *stream, const char *text)
{
    fputs("| ", stream);
    accp_text_put(stream, text, true);
    fputc(' ', stream);
}

static void print_markdown(const struct accp_table *table, FILE *stream)
{
    for (size_t i = 0; i < table->column_count; ++i)
        print_markdown_cell(stream, table->columns[i].name);
    fputs("|\n", stream);
    for (size_t i = 0; i < table->column_count; ++i)
        fputs(table->columns[i].right ? "|---:" : "|---", stream);
    fputs("|\n", stream);
    size_t rows = scols_table_get_nlines(table->lines);
    for (size_t row = 0; row < rows; ++row) {
        struct libscols_line *line = scols_table_get_line(table->lines, row);
        for (size_t i = 0; i < table->column_count; ++i) {
            struct libscols_cell *cell = scols_line_get_cell(line, i);
            print_markdown_cell(stream, cell ? scols_cell_get_data(cell) : "");
        }
        fputs("|\n", stream);
    }
}

/* Numbers are read and written in C's way; only the width of characters is asked of a locale, and
 * only where there are others than ASCII's: to load one takes as long as to print the table. */
static int print_wide(struct libscols_table *lines)
{
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (!utf8) utf8 = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    locale_t before = utf8 ? uselocale(utf8) : (locale_t)0;
    int failed = scols_print_table(lines);
    if (utf8) {
        uselocale(before);
        freelocale(utf8);
    }
    return failed;
}

static const char *cell_text(struct libscols_line *line, size_t column)
{
    struct libscols_cell *cell = scols_line_get_cell(line, column);
    const char *text = cell ? scols_cell_get_data(cell) : NULL;
    return text ? text : "";
}

/* The widths of the columns, if the whole fits into `most`. */
static bool fits(const struct accp_table *table, size_t rows, size_t widths[PLAIN_COLUMNS],
                 size_t most)
{
    size_t sum = 0;
    if (!table->is_plain || table->column_count > PLAIN_COLUMNS || rows == 0) return false;
    for (size_t i = 0; i < table->column_count; ++i)
        widths[i] = strlen(table->columns[i].name);
    for (size_t row = 0; row < rows; ++row) {
        struct libscols_line *line = scols_table_get_line(table->lines, row);
        for (size_t i = 0; i < table->column_count; ++i) {
            const size_t length = strlen(cell_text(line, i));
            if (length > widths[i]) widths[i] = length;
        }
    }
    for (size_t i = 0; i < table->column_count; ++i)
        sum += widths[i] + 1;
    return sum <= most;
}

static void print_spaces(size_t count, FILE *stream)
{
    for (; count > 0; --count)
        putc_unlocked(' ', stream);
}

static void print_plain_cell(const struct accp_table *table, size_t column, size_t width,
                             const char *text, FILE *stream)
{
    const bool is_last = column + 1 == table->column_count, right = table->columns[column].right;
    const size_t padding = width - strlen(text);
    if (right) print_spaces(padding, stream);
    fputs(text, stream);
    if (!right && !is_last) print_spaces(padding, stream);
    putc_unlocked(is_last ? '\n' : ' ', stream);
}

/* As libsmartcols lays out what needs no fitting, in a tenth of the time: that is a seventh of what `shape` of a probe
 * takes. */
static bool print_plain(const struct accp_table *table, FILE *stream)
{
    size_t widths[PLAIN_COLUMNS];
    const size_t rows = scols_table_get_nlines(table->lines);
    if (!fits(table, rows, widths, PIPE_WIDTH)) return false;
    for (size_t i = 0; i < table->column_count; ++i)
        print_plain_cell(table, i, widths[i], table->columns[i].name, stream);
    for (size_t row = 0; row < rows; ++row) {
        struct libscols_line *line = scols_table_get_line(table->lines, row);
        for (size_t i = 0; i < table->column_count; ++i)
            print_plain_cell(table, i, widths[i], cell_text(line, i), stream);
    }
    return true;
}

enum accp_status accp_table_print(const struct accp_table *table, FILE *stream, bool markdown,
                                  struct accp_error *error)
{
    const bool is_terminal = isatty(fileno(stream));
    if (markdown) {
        print_markdown(table, stream);
    } else if (is_terminal || !print_plain(table, stream)) {
        scols_table_set_stream(table->lines, stream);
        /* libsmartcols takes 80 columns for a pipe's width and would cut what a log has room for.
         */
        if (!is_terminal) scols_table_set_termwidth(table->lines, PIPE_WIDTH);
        if (!is_terminal) scols_table_set_termforce(table->lines, SCOLS_TERMFORCE_NEVER);
        if ((table->is_ascii ? scols_print_table : print_wide)(table->lines) != 0)
            return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "cannot lay out a table");
    }
    return ACCP_STATUS_OK;
}

static json_t *row_json(const struct accp_table *table, size_t row)
{
    json_t *object = json_object();
    struct libscols_line *line = scols_table_get_line(table->lines, row);
    for (size_t i = 0; i < table->column_count; ++i) {
        struct libscols_cell *cell = scols_line_get_cell(line, i);
        const char *text = cell ? scols_cell_get_data(cell) : NULL;
        json_object_set_new(object, table->columns[i].name, json_string(text ? text : ""));
    }
    return object;
}

enum accp_status accp_table_print_json(const struct accp_table *table, const char *name,
                                       FILE *stream, struct accp_error *error)
{
    bool failed = false;
    fprintf(stream, "{\"format\": \"%s\", \"rows\": [", name);
    for (size_t row = 0; row < scols_table_get_nlines(table->lines); ++row) {
        json_t *object = row_json(table, row);
        fputs(row ? ",\n  " : "\n  ", stream);
        failed |= !object || json_dumpf(object, stream, 0) != 0;
        json_decref(object);
    }
    fputs("]}\n", stream);
    return accp_json_written(stream, failed, "a table", error);
}
