#include "policy/answer.h"

#include <math.h>
#include <stdio.h>

enum { NOISE_FACTOR = 3 };
static const double least_difference = 0.001;
static const double rounds_to_nothing = 0.0005; /* 0.0 %, as figures are given */

static const struct {
    const char *id, *words;
} rules[] = {
#define RULE(id, words) [ACCP_POLICY_##id] = {#id, words},
    ACCP_POLICY_RULE_TABLE(RULE)
#undef RULE
};

const char *accp_policy_rule_id(enum accp_policy_rule rule)
{
    return rules[rule].id;
}

const char *accp_policy_rule_words(enum accp_policy_rule rule)
{
    return rules[rule].words;
}

double accp_answer_tie(const struct accp_policy_choice *a, const struct accp_policy_choice *b)
{
    return fmax(least_difference, NOISE_FACTOR * hypot(a->noise, b->noise));
}

const struct accp_policy_choice *accp_answer_choice(const struct accp_policy_answer *answer,
                                                    int acc)
{
    for (size_t i = 0; i < answer->choice_count; ++i)
        if (answer->choices[i].acc == acc) return &answer->choices[i];
    return NULL;
}

double accp_policy_margin(const struct accp_policy_answer *answer, int acc)
{
    const struct accp_policy_choice *other = accp_answer_choice(answer, acc);
    return other ? other->time / accp_answer_choice(answer, answer->split)->time - 1 : NAN;
}

bool accp_answer_pick(struct accp_policy_answer *answer)
{
    const struct accp_policy_choice *best = NULL, *best_at_all = NULL;
    for (size_t i = 0; i < answer->choice_count; ++i) {
        const struct accp_policy_choice *choice = &answer->choices[i];
        if (isnan(choice->time)) continue;
        if (!best_at_all || choice->time < best_at_all->time) best_at_all = choice;
        if (choice->is_open && (!best || choice->time < best->time)) best = choice;
    }
    if (!best) return false;
    answer->best = best->acc;
    answer->best_at_all = best_at_all->acc;
    answer->split = best->acc;
    for (size_t i = answer->choice_count; i-- > 0;) {
        const struct accp_policy_choice *choice = &answer->choices[i];
        answer->is_tied[i] =
            choice->is_open && choice->time <= best->time * (1 + accp_answer_tie(choice, best));
        if (answer->is_tied[i] && choice->acc < answer->split) answer->split = choice->acc;
    }
    return true;
}

void accp_answer_say(struct accp_policy_answer *answer)
{
    static const int compared[] = {1, 2, 4};
    size_t used =
        (size_t)snprintf(answer->words, sizeof answer->words, "%s", rules[answer->rule].words);
    for (size_t i = 0; i < sizeof compared / sizeof *compared; ++i) {
        const double margin = accp_policy_margin(answer, compared[i]);
        if (compared[i] == answer->split || isnan(margin)) continue;
        if (fabs(margin) < rounds_to_nothing)
            used += (size_t)snprintf(answer->words + used, sizeof answer->words - used,
                                     "; %d would take as long", compared[i]);
        else
            used += (size_t)snprintf(answer->words + used, sizeof answer->words - used,
                                     "; %d would take %.1f %% %s", compared[i], 100 * fabs(margin),
                                     margin < 0 ? "less" : "more");
    }
    const char *separator = "; no difference between ";
    size_t ties = 0;
    for (size_t i = 0; i < answer->choice_count; ++i)
        ties += answer->is_tied[i];
    for (size_t i = 0; i < answer->choice_count && ties > 1; ++i) {
        if (!answer->is_tied[i]) continue;
        used += (size_t)snprintf(answer->words + used, sizeof answer->words - used, "%s%d",
                                 separator, answer->choices[i].acc);
        separator = ", ";
    }
}
