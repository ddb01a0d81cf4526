/* Text from strangers: names in files, symbols of cubins. */
#ifndef ACCP_BASE_TEXT_H
#define ACCP_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The character at `text` (UTF-8, ended by a NUL); *bytes, 1 to 4, are its own. UINT32_MAX for a
 * byte that begins none, of which *bytes is 1. */
uint32_t accp_text_character(const char *text, int *bytes);

/* Whether a character does something to a terminal, a line or the direction of writing rather than
 * show: the control characters, up to U+001F and from U+007F to U+009F; the bidirectional
 * embeddings, overrides and isolates, with which a name can look like another; and what is no
 * character, UINT32_MAX. */
bool accp_text_hides(uint32_t character);

/* The first byte of `text` that begins such a character; -1: there is none. */
int accp_text_hidden_at(const char *text);

/* Puts "?" for each such byte: file names and JSON strings come from strangers, and a newline or an escape in them must
 * not forge a line. */
void accp_text_show(char *text);

/* Writes `text` as one word of a shell: as it is where no shell reads anything else into it, else in single
 * quotes. What does not fit into `bytes`, 8 or more, is cut. */
void accp_text_word(const char *text, char *word, size_t bytes);

#endif
