/* Tables for people: aligned text on a terminal (libsmartcols), or Markdown for a review. */
#ifndef ACCP_REPORT_TABLE_H
#define ACCP_REPORT_TABLE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct accp_column {
    const char *name;
    bool right; /* aligned to the right: numbers */
    bool trunc; /* may be cut where the terminal is too narrow */
};

struct accp_table;

/* A table of `count` columns without rows. *table is owned by the caller: accp_table_destroy.
 * MEMORY. */
enum accp_status accp_table_create(const struct accp_column *columns, size_t count,
                                   struct accp_table **table, struct accp_error *error);
void accp_table_destroy(struct accp_table *table);

/* Begins the next row; its cells are empty until they are set. MEMORY. */
enum accp_status accp_table_row(struct accp_table *table, struct accp_error *error);

/* Sets a cell of the present row (column 0 ...). A failure to get memory leaves the cell empty. */
void accp_table_cell(struct accp_table *table, size_t column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes the table. On a terminal it is fitted to the width; elsewhere columns are as wide as they
 * need. */
enum accp_status accp_table_print(const struct accp_table *table, FILE *stream, bool markdown,
                                  struct accp_error *error);

/* Writes text that may be a stranger's: as accp_text_show leaves it, in Markdown as accp_markdown_text does. NULL: nothing. */
void accp_text_put(FILE *stream, const char *text, bool markdown);

/* Writes the rows as JSON: {"format": NAME, "rows": [...]}, one row a line, its members named after the columns;
 * all values are text. */
enum accp_status accp_table_print_json(const struct accp_table *table, const char *name,
                                       FILE *stream, struct accp_error *error);

#endif
