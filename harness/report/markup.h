/* Text of others inside XML, HTML and Markdown. */
#ifndef ACCP_REPORT_MARKUP_H
#define ACCP_REPORT_MARKUP_H

#include <stdio.h>

/* Writes `text` so that it is text in an element and in a quoted attribute alike: & < > " ' as character references,
 * and U+FFFD for everything that XML forbids (control characters, surrogates, U+FFFE, U+FFFF), for bytes that are no
 * UTF-8, and for the marks that turn the direction of writing, with which a name can look like another. */
void accp_markup_text(FILE *stream, const char *text);

/* Formats, then writes as above; what exceeds 4 KiB is cut. */
void accp_markup_format(FILE *stream, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes `text` so that it is text in a line or cell of Markdown: no tag, link, code, emphasis or cell begins or ends in it,
 * and no line does; nor does a forge take it for somebody's name (@all), an issue (#12) or an address. */
void accp_markdown_text(FILE *stream, const char *text);

#endif
