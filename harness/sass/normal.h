/* Normalised listings: what of a kernel's SASS matters, without what varies with no meaning. Gone
 * are addresses and trailing NOPs; branch targets are distances, parameters are offsets from their
 * own start, registers and predicates are numbered in the order in which they appear. Kept is every
 * other bit of an instruction, also those that the tables give no name to. */
#ifndef ACCP_SASS_NORMAL_H
#define ACCP_SASS_NORMAL_H

#include "sass/code.h"

#include <stdint.h>

enum { ACCP_HASH_BYTES = 17, ACCP_NORMAL_TEXT_BYTES = 256 };

/* Names given so far. */
struct accp_renaming {
    int16_t general[256], uniform[256], predicate[8], uniform_predicate[8], convergence[16];
    int next_general, next_uniform, next_predicate, next_uniform_predicate, next_convergence;
};

void accp_renaming_init(struct accp_renaming *renaming);

/* Writes the normalised line of instruction `index`, always terminated: "FFMA r0, r1, r2, r0 {0}".
 * The braces hold the bits that no operand and no control field covers. */
void accp_normal_line(const struct accp_code *code, size_t index, struct accp_renaming *renaming,
                      char *text, size_t text_bytes);

/* Instructions of the kernel without the NOPs and the branch to itself that pad its end. */
size_t accp_normal_count(const struct accp_code *code);

/* Hashes of the normalised listing, alone and with the control bits: FNV-1a of 64 bits, as 16
 * hexadecimal digits. Of the members of `loop`, or of the whole kernel when it is NULL. Source:
 * Fowler, Noll, Vo, "The FNV non-cryptographic hash algorithm" (offset 0xcbf29ce484222325, prime
 * 0x100000001b3). */
void accp_normal_hash(const struct accp_code *code, const struct accp_loop *loop,
                      char hash[ACCP_HASH_BYTES], char control_hash[ACCP_HASH_BYTES]);

/* The same of the instructions for which is_member[i] holds (sass/dealt.h), as if nothing stood between
 * them: branches over others have the distance that is left, and those to others no distance. */
void accp_normal_part_hash(const struct accp_code *code, const bool *is_member,
                           char hash[ACCP_HASH_BYTES], char control_hash[ACCP_HASH_BYTES]);

/* The two hashes under way: lines are added in order. */
struct accp_normal_digest {
    uint64_t plain, with_control;
};
void accp_normal_digest_init(struct accp_normal_digest *digest);
void accp_normal_digest_add(struct accp_normal_digest *digest, const char *line,
                            const struct accp_control *control);
void accp_normal_digest_text(uint64_t hash, char text[ACCP_HASH_BYTES]);

/* Hash of what the loop is to the hardware: its instructions bit by bit, register names included,
 * and where its head stands in its line of the instruction cache. Two loops that agree in the
 * control hash and differ here may still differ in register banks and in fetching. */
void accp_exact_hash(const struct accp_code *code, const struct accp_loop *loop,
                     char hash[ACCP_HASH_BYTES]);

#endif
