/* Where the fake GPU's cycles per iteration come from: a recorded run, and the environment. */
#ifndef ACCP_FAKE_CYCLES_H
#define ACCP_FAKE_CYCLES_H

#include "base/random.h"
#include "gpu.h"
#include "run/run.h"

/* The distribution that a launch draws from; made once a launch. */
struct accp_fake_cycles {
    size_t count; /* 0: the run has no samples for it */
    struct accp_mode modes[ACCP_RUN_MODES];
};

/* Whether all of ACCP_FAKE_SCALE can change something: kernels of the tables or of `run` (NULL: none), a number each. If not, it
 * says so on stderr. */
bool accp_fake_cycles_check(const struct accp_run *run);

/* Of a role (NULL: a stranger's kernel, by its symbol) at so many warps in a block. `run` may be
 * NULL: made up from chain and effective. */
void accp_fake_cycles_find(const struct accp_run *run, const char *symbol,
                           const struct accp_role *role, int warps,
                           struct accp_fake_cycles *cycles);

/* One warp's cycles per iteration. */
double accp_fake_cycles_draw(const struct accp_fake_cycles *cycles, struct accp_random *random);

#endif
