#include "measure/selectors.h"

#include <string.h>

size_t accp_selectors_cases(const struct accp_role *role, uint8_t cases[ACCP_SELECTORS_CASES])
{
    size_t count = 0;
    for (size_t i = 0; i < ACCP_ROLE_COUNT && count < ACCP_SELECTORS_CASES; ++i)
        if (strcmp(accp_roles[i].kernel, role->kernel) == 0)
            cases[count++] = (uint8_t)accp_roles[i].acc;
    return count;
}

static void shuffle(uint8_t *cases, size_t count, struct accp_random *random)
{
    for (size_t i = count; i > 1; --i) {
        const size_t j = accp_random_below(random, (uint32_t)i);
        const uint8_t kept = cases[j];
        cases[j] = cases[i - 1];
        cases[i - 1] = kept;
    }
}

void accp_selectors_draw(const struct accp_role *role, size_t blocks, size_t warps,
                         struct accp_random *random, uint8_t *selectors)
{
    const enum accp_dispatch dispatch = role ? role->dispatch : ACCP_DISPATCH_ALONE;
    uint8_t cases[ACCP_SELECTORS_CASES];
    if (dispatch != ACCP_DISPATCH_MIXED) {
        const int selector = dispatch == ACCP_DISPATCH_UNIFORM ? role->acc : 0;
        memset(selectors, selector, blocks * warps);
        return;
    }
    const size_t count = accp_selectors_cases(role, cases);
    for (size_t block = 0; block < blocks; ++block)
        for (size_t warp = 0; warp < warps; ++warp) {
            if (warp % count == 0) shuffle(cases, count, random);
            selectors[block * warps + warp] = cases[warp % count];
        }
}
