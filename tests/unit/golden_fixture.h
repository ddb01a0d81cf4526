/* Sessions of a made-up GPU for the tests of goldens and verdicts: the means of the first H200
 * measurements (sm_90, 132 SMs), with a normal spread between processes that a seed repeats. */
#ifndef ACCP_TESTS_GOLDEN_FIXTURE_H
#define ACCP_TESTS_GOLDEN_FIXTURE_H

#include "base/random.h"
#include "golden/record.h"
#include "run/run.h"

enum {
    FIXTURE_SESSIONS = 30,
    FIXTURE_ROLES = 0 /* the first of the tables: the optimal probe's */
#define ROLE(...) +1
#include "optimal.def"
};

/* Standard deviation between processes at 8 warps, relative. */
#define FIXTURE_NOISE 0.0005

/* Uniform in (0, 1). */
double fixture_uniform(struct accp_random *random);

/* One process at 4 warps (whole cycles, exact) and 8 warps. Free with accp_run_fini. */
void fixture_run(struct accp_run *run, struct accp_random *random);

/* `count` processes in a malloc'd array; free with fixture_sessions_free. */
struct accp_run *fixture_sessions(size_t count, uint64_t seed);
void fixture_sessions_free(struct accp_run *runs, size_t count);

/* Multiplies the cycles of a role at a number of warps (0: at any) in `count` runs. */
void fixture_scale(struct accp_run *runs, size_t count, const char *role, int warps, double factor);

/* A role of a run, to be changed. Fails the test if it is not there. */
struct accp_run_role *fixture_role(struct accp_run *run, const char *role, int warps);

/* A request that records `runs` into `folder`. */
struct accp_record_request fixture_request(const struct accp_run *runs, size_t count,
                                           const char *folder);

/* A fresh folder below the temporary one, which fixture_remove deletes with all that is in it. */
void fixture_folder(char path[64]);
void fixture_remove(const char *path);

#endif
