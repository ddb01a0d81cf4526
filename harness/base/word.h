/* Tables that give each of their rows a name and a meaning. */
#ifndef ACCP_BASE_WORD_H
#define ACCP_BASE_WORD_H

struct accp_word {
    const char *name, *meaning;
};

/* Expands a table of rows (id, name, meaning): static const struct accp_word words[] = {THE_TABLE(ACCP_WORD)}; */
#define ACCP_WORD(id, name, meaning) {name, meaning},

#endif
