/* What the answers of a policy have in common, wherever the times of the choices come from. Not for other modules. */
#ifndef ACCP_POLICY_ANSWER_H
#define ACCP_POLICY_ANSWER_H

#include "policy/policy.h"

/* The relative difference of two choices' times that counts as none: 3 standard deviations, and never less than 0.1 %,
 * which nobody should write code for. */
double accp_answer_tie(const struct accp_policy_choice *a, const struct accp_policy_choice *b);

/* The choice of that acc; NULL: there is none. */
const struct accp_policy_choice *accp_answer_choice(const struct accp_policy_answer *answer,
                                                    int acc);

/* Sets split, best, best_at_all and the ties from the choices: the fewest accumulators within the noise of the best.
 * False: no choice is open. */
bool accp_answer_pick(struct accp_policy_answer *answer);

/* Sets the words from the rule and the rest. */
void accp_answer_say(struct accp_policy_answer *answer);

#endif
