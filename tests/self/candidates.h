/* The roles of a cubin of ours, each with its loop, and one change to all of them at a time. */
#ifndef ACCP_SELF_CANDIDATES_H
#define ACCP_SELF_CANDIDATES_H

#include "base/file.h"
#include "mutations.h"

struct accp_candidate {
    const struct accp_role *role;
    struct accp_code code;
    const struct accp_loop *loop; /* of code; no other candidate's */
    struct accp_subject subject;  /* its code lies in the image */
    unsigned turn;                /* number among the candidates of its kernel, from 0 on */
    bool is_changed;              /* in the image as it is now */
    size_t address;               /* where, in bytes from the kernel's begin */
};

struct accp_candidates {
    struct accp_bytes original, image; /* the cubin as it was read, and as it is changed */
    struct accp_cubin cubin;           /* of the original */
    struct accp_candidate *all;
    size_t count;
    unsigned turns; /* candidates of one kernel, at the most: 1 where each role has a kernel */
};

/* Reads a cubin and finds the loops of all roles in it; one whose loop is another's already, in a
 * kernel that they share, is left out. Whatever it returns,
 * accp_candidates_fini is due. Errors: of reading and decoding; INPUT: no kernel of the tables. */
enum accp_status accp_candidates_init(struct accp_candidates *candidates, const char *path,
                                      struct accp_error *error);
void accp_candidates_fini(struct accp_candidates *candidates);

/* Makes the image the original again, then one change, at place number `site` of each loop that has
 * so many (accp_mutate). A mutation that reaches beyond its loop changes one role of a kernel, the
 * one whose turn it is; turn 0 changes all otherwise, and any other turn none. Returns how many
 * were changed. */
size_t accp_candidates_change(struct accp_candidates *candidates, const char *mutation,
                              unsigned site, unsigned turn);

/* Takes the change to one candidate back: makes those of all others again. */
void accp_candidates_spare(struct accp_candidates *candidates, const char *mutation, unsigned site,
                           struct accp_candidate *spared);

#endif
