/* A policy on paper: tables, JSON ("accprobe-policy/1"), and what a judgement of it found. */
#ifndef ACCP_CLI_POLICY_PRINT_H
#define ACCP_CLI_POLICY_PRINT_H

#include "cli/options.h"
#include "policy/judge.h"
#include "policy/policy.h"
#include "report/table.h"

#include <jansson.h>
#include <stdio.h>

/* What is asked for: chains and loads, and the conditions that they share. */
struct accp_policy_request {
    const int *chains, *loads; /* borrowed */
    size_t chain_count, load_count;
    int fits; /* warps on each scheduler, of which the loads are those that fit; 0: all do */
    struct accp_policy_conditions conditions; /* chain and load are set from the lists */
};

/* Prints the splits of every chain and load: a matrix of them, then the rule of each in words; one
 * answer alone with all its figures. Errors: as accp_policy_ask. */
enum accp_status accp_policy_print(const struct accp_policy *policy,
                                   const struct accp_policy_request *request,
                                   enum accp_format format, FILE *stream, struct accp_error *error);

/* Prints one answer with all its figures: the split, why, and what each choice takes. MEMORY. */
enum accp_status accp_policy_print_answer(const struct accp_policy_answer *answer, int load,
                                          bool markdown, FILE *stream, struct accp_error *error);

/* Fills columns 2 to 7 of the row begun last: split, margins over 1, 2 and 4, rule, words. */
void accp_policy_answer_cells(struct accp_table *table, const struct accp_policy_answer *answer);

/* Adds split, ties, margins, rule and words to `cell`, which it takes over and returns; NULL: no memory. */
json_t *accp_policy_answer_json(const struct accp_policy_answer *answer, json_t *cell);

/* Prints a judgement: a row a cell, and the figures over all. `policy` NULL: what is judged has been said. */
enum accp_status accp_policy_judgement_print(const struct accp_policy *policy, const char *file,
                                             const struct accp_policy_regret *regrets, size_t count,
                                             enum accp_format format, FILE *stream,
                                             struct accp_error *error);

#endif
