/* What the fake libraries have been told to be, by the environment; README.md lists the variables.
 */
#ifndef ACCP_FAKE_SCENARIO_H
#define ACCP_FAKE_SCENARIO_H

#include "device/driver.h"

enum accp_fake_scenario_id {
#define SCENARIO(id, symbol, code, meaning) ACCP_FAKE_##id,
#include "scenario.def"
    ACCP_FAKE_SCENARIO_COUNT
};

struct accp_fake_sku {
    const char *id, *name;
    int major, minor, sm_count;
    int64_t memory_mib;
    unsigned pci_device;
    int sm_mhz, memory_mhz;
};

enum accp_fake_symbol {
    ACCP_FAKE_SYMBOL_NONE,
#define DRIVER(symbol, arguments) ACCP_FAKE_SYMBOL_##symbol,
#include "device/driver.def"
#define NVML(symbol, arguments) ACCP_FAKE_SYMBOL_##symbol,
#include "device/nvml.def"
    ACCP_FAKE_SYMBOL_COUNT
};

enum { ACCP_FAKE_RULES = 16, ACCP_FAKE_NEVER_RETURNS = -1 };

/* Of the calls of `symbol`, or of all symbols that begin so, number first .. last answer `code`. */
struct accp_fake_rule {
    char symbol[64];
    bool is_prefix;
    int code;
    unsigned first, last, calls;
};

struct accp_fake_scenario {
    bool on[ACCP_FAKE_SCENARIO_COUNT];
    const struct accp_fake_sku *sku;
    int rule_count;
    struct accp_fake_rule rules[ACCP_FAKE_RULES];
    int device; /* that the launching thread has its context on */
    int sticky; /* the code that a lost context answers with; 0: it is not lost */
};

/* Reads ACCP_FAKE afresh, and forgets all calls. false, with a line on stderr: it makes no sense.
 */
bool accp_fake_scenario_read(struct accp_fake_scenario *scenario);

/* Counts a call, and returns what it has to answer at once; 0: go on. */
int accp_fake_enter(struct accp_fake_scenario *scenario, enum accp_fake_symbol symbol);

#endif
