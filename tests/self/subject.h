/* The code of one kernel, to be changed as a compiler could have written it. */
#ifndef ACCP_SELF_SUBJECT_H
#define ACCP_SELF_SUBJECT_H

#include "sass/code.h"

struct accp_subject {
    uint8_t *code; /* the kernel's bytes in the cubin's image, borrowed and writable */
    const struct accp_code *decoded;
    const struct accp_loop *loop; /* the hot one */
};

/* The two words of instruction `index`. */
void accp_subject_get(const struct accp_subject *subject, size_t index, uint64_t words[2]);
void accp_subject_put(const struct accp_subject *subject, size_t index, const uint64_t words[2]);

/* Puts other words in place of an instruction, under its control bits. */
void accp_subject_replace(const struct accp_subject *subject, size_t index, uint64_t low,
                          uint64_t high);

/* Whether two neighbours may change places: neither writes what the other reads or writes, and
 * neither jumps or reads the clock. */
bool accp_subject_independent(const struct accp_subject *subject, size_t left, size_t right);

/* Makes register `one` into `other` and the reverse, everywhere. false, and nothing is changed:
 * either stands in a pair, or in an address, where a single register could not. */
bool accp_subject_exchange(const struct accp_subject *subject, int one, int other);

/* Moves everything from `index` on by one instruction, over a NOP at the end, and puts `words`
 * there; jumps to `index` arrive at the new one. false, and nothing is changed: no NOP to spare. */
bool accp_subject_insert(const struct accp_subject *subject, size_t index, const uint64_t words[2]);

#endif
