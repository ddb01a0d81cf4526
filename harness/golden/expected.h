/* Failures that are known, with a reason and a date on which the patience ends.
 * File: golden/measured/<sku>/expected.json, written by hand:
 *   {"format": "accprobe-expected/1",
 *    "expected": [
 *     {"claim": "optimal.chain29.acc16.level@8", "reason": "ptxas 13.1 reloads b", "expires":
 * "2027-03-31"}]} */
#ifndef ACCP_GOLDEN_EXPECTED_H
#define ACCP_GOLDEN_EXPECTED_H

#include "base/json.h"
#include "matrix.h"

#include <stdbool.h>
#include <stddef.h>

enum { ACCP_CLAIM_BYTES = ACCP_NAME_BYTES + 32 };

struct accp_expected_failure {
    char claim[ACCP_CLAIM_BYTES];
    char reason[256];
    char expires[16]; /* YYYY-MM-DD: the last day on which it holds */
};

struct accp_expected {
    struct accp_expected_failure *failures; /* owned */
    size_t count;
};

/* Reads the file; a file that does not exist is an empty list. Pair with accp_expected_fini.
 * INPUT: bad JSON, no reason, a date that is none, a claim of no known role, series or family, or
 * named twice. */
enum accp_status accp_expected_read(const char *file, struct accp_expected *expected,
                                    struct accp_error *error);
void accp_expected_fini(struct accp_expected *expected);

/* The same from a file that is parsed already; *expected is cleared on failure. */
enum accp_status accp_expected_parse(const struct accp_json *root, struct accp_expected *expected,
                                     struct accp_error *error);

/* Reads "expected.json" beside a golden's file. */
enum accp_status accp_expected_beside(const char *golden_path, struct accp_expected *expected,
                                      struct accp_error *error);

const struct accp_expected_failure *accp_expected_find(const struct accp_expected *expected,
                                                       const char *claim);

/* Whether `today` (ISO 8601, may go on behind the day) is after the last day of the failure. */
bool accp_expected_expired(const struct accp_expected_failure *failure, const char *today);

#endif
