/* A small seeded generator for start skews, shuffles and simulated phases: the same seed gives the
 * same sequence on every machine, which a recorded run depends on. Not for secrets. Source:
 * SplitMix64, Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
 */
#ifndef ACCP_BASE_RANDOM_H
#define ACCP_BASE_RANDOM_H

#include <stdint.h>

struct accp_random {
    uint64_t state; /* any value is a valid seed */
};

static inline uint64_t accp_random_next(struct accp_random *random)
{
    uint64_t value = (random->state += 0x9e3779b97f4a7c15u);
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

/* Uniform in [0, bound) for bound in [1, 2^32]: the high half of a 32 x 32 bit product. */
static inline uint32_t accp_random_below(struct accp_random *random, uint32_t bound)
{
    return (uint32_t)(((accp_random_next(random) >> 32) * (uint64_t)bound) >> 32);
}

#endif
