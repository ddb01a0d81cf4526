/* Normalised listings of hot loops as text, kept by their hash: with them the first instruction
 * that differs is named without the compiler that wrote the other side. */
#ifndef ACCP_SASS_LISTING_H
#define ACCP_SASS_LISTING_H

#include "base/json.h"
#include "sass/code.h"
#include "sass/normal.h"

enum {
    ACCP_LISTING_LINES = 65536, /* of a loop, at most */
    ACCP_LISTING_LINE_BYTES = ACCP_NORMAL_TEXT_BYTES + 32,
    ACCP_LISTING_DIFFERENCE_BYTES = 160
};

/* One loop: a line an instruction, each ended by a newline, "FFMA r0, r1, r2, r0 {0:223} [4Y w7 r7
 * m00 u1]": the normalised line (normal.h), then stall cycles, Y for yield, write and read barrier,
 * wait mask and reuse bits. `hash` is the loop's control hash, which the lines alone determine. */
struct accp_listing {
    char hash[ACCP_HASH_BYTES];
    size_t lines;
    char *text; /* owned */
};

/* Listings sorted by hash, none twice. Cleared is empty; pair with accp_listings_fini. */
struct accp_listings {
    size_t count;
    struct accp_listing *items; /* owned */
};
void accp_listings_fini(struct accp_listings *listings);

/* The listing of that control hash; NULL when there is none. */
const struct accp_listing *accp_listings_find(const struct accp_listings *listings,
                                              const char *hash);

/* Adds the loop's listing unless it is there. Errors: UNSUPPORTED (more than ACCP_LISTING_LINES),
 * MEMORY. */
enum accp_status accp_listings_add(struct accp_listings *listings, const struct accp_code *code,
                                   const struct accp_loop *loop, struct accp_error *error);

/* Adds all of `from` that `listings` lacks; *added (may be NULL) is how many. MEMORY. */
enum accp_status accp_listings_merge(struct accp_listings *listings,
                                     const struct accp_listings *from, size_t *added,
                                     struct accp_error *error);

/* Reads the object {"<hash>": ["line", ...], ...} into *listings, which the caller has cleared and
 * frees in any case. INPUT: lines of another form, or that do not have the hash that they are filed
 * under. */
enum accp_status accp_listings_read(const struct accp_json *object, struct accp_listings *listings,
                                    struct accp_error *error);

/* Writes that object, a line an instruction, in the order of the hashes. */
void accp_listings_put(FILE *stream, const struct accp_listings *listings);

/* Where two loops part: "instruction 7 of the loop: FFMA r0, r1, r2, r0 -> NOP" or, when only
 * control bits differ, "control bits of instruction 7 of the loop: FFMA r0, r1, r2, r0 [4 ...] ->
 * [5 ...]". "" when nothing differs. *control_only (may be NULL) is true when no line differs in
 * anything else. */
void accp_listing_difference(const struct accp_listing *before, const struct accp_listing *after,
                             char text[ACCP_LISTING_DIFFERENCE_BYTES], bool *control_only);

#endif
