/* What the parts of a verdict share. Internal to harness/verdict. */
#ifndef ACCP_VERDICT_JUDGE_H
#define ACCP_VERDICT_JUDGE_H

#include "golden/laws.h"
#include "golden/statistics.h"
#include "verdict/verdict.h"

struct accp_judge {
    const struct accp_verdict_input *input;
    struct accp_summary summary;
    const struct accp_golden *golden; /* NULL: none answers */
    enum accp_answer answer;
    bool is_other_model; /* the golden's predictions are not of the model that made the run */
    struct accp_confidence confidence;
    struct accp_judgement *judgement;
};

/* A new line for `subject`.`kind`@`warps` (no "@" for warps 0), with what every line of this judge
 * has. */
enum accp_status accp_judge_line(struct accp_judge *judge, const char *subject, const char *kind,
                                 int warps, struct accp_line **line, struct accp_error *error);

/* Verdict and reason of a line; the text becomes the reason's sentence, then what the format says.
 */
void accp_judge_say(struct accp_line *line, enum accp_verdict verdict, enum accp_reason reason,
                    const char *format, ...) __attribute__((format(printf, 4, 5)));

/* NO_GOLDEN, with the reason why no row answers: `record` is the row's recording, or -1 if there is
 * no row. False: a row answers, recorded with the run's protocol. */
bool accp_judge_unanswered(const struct accp_judge *judge, int record, enum accp_reason *reason);

/* Whether the run says of a role that the model does not time it, and the golden says so too. */
bool accp_judge_untimed(const struct accp_judge *judge, const struct accp_point *point);

/* The static side of a role; UNKNOWN if nobody knows. */
struct accp_static accp_judge_static(const struct accp_verdict_input *input, const char *role);

/* Level, structure and laws of every role (levels.c); order, peak, growth and coverage (claims.c).
 */
enum accp_status accp_judge_roles(struct accp_judge *judge, struct accp_error *error);
enum accp_status accp_judge_claims(struct accp_judge *judge, struct accp_error *error);

#endif
