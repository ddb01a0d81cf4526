#include "scenario.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word;
    enum accp_fake_symbol symbol;
    int code;
} scenarios[] = {
#define SCENARIO(id, symbol, code, meaning) {#id, ACCP_FAKE_SYMBOL_##symbol, code},
#include "scenario.def"
};

static const struct accp_fake_sku skus[] = {
#define SKU(id, name, major, minor, sm_count, memory_mib, pci_device, sm_mhz, memory_mhz) \
    {#id, name, major, minor, sm_count, memory_mib, pci_device, sm_mhz, memory_mhz},
#include "sku.def"
};

static const char *const symbols[] = {
    "NONE",
#define DRIVER(symbol, arguments) #symbol,
#include "device/driver.def"
#define NVML(symbol, arguments) #symbol,
#include "device/nvml.def"
};

static const bool driver_sticky[1000] = {
#define STICKY_NO                                    false
#define STICKY_YES                                   true
#define RESULT(code, name, sticky, opening, working) [code] = STICKY_##sticky,
#include "device/driver_result.def"
};

static bool add_rule(struct accp_fake_scenario *scenario, struct accp_fake_rule rule)
{
    if (scenario->rule_count == ACCP_FAKE_RULES) return false;
    scenario->rules[scenario->rule_count++] = rule;
    return true;
}

/* "SYMBOL:N:CODE": only the Nth call; "SYMBOL:N+:CODE": the Nth and all after it. */
static bool read_rule(struct accp_fake_scenario *scenario, const char *text)
{
    char symbol[64], plus[2] = "";
    unsigned first;
    int code;
    if (sscanf(text, "%63[^:]:%u:%d", symbol, &first, &code) != 3 &&
        sscanf(text, "%63[^:]:%u%1[+]:%d", symbol, &first, plus, &code) != 4)
        return false;
    for (int i = 1; i < ACCP_FAKE_SYMBOL_COUNT; ++i)
        if (strcmp(symbols[i], symbol) == 0)
            return add_rule(scenario, (struct accp_fake_rule){(enum accp_fake_symbol)i, code, first,
                                                              plus[0] ? UINT_MAX : first});
    return false;
}

static bool read_sku(struct accp_fake_scenario *scenario, const char *id)
{
    for (size_t i = 0; i < sizeof skus / sizeof *skus; ++i) {
        if (strcmp(skus[i].id, id) != 0) continue;
        scenario->sku = &skus[i];
        return true;
    }
    return false;
}

static bool read_word(struct accp_fake_scenario *scenario, const char *word)
{
    if (strncmp(word, "fail=", 5) == 0) return read_rule(scenario, word + 5);
    if (strncmp(word, "sku=", 4) == 0) return read_sku(scenario, word + 4);
    for (int i = 0; i < ACCP_FAKE_SCENARIO_COUNT; ++i) {
        if (strcmp(scenarios[i].word, word) != 0) continue;
        scenario->on[i] = true;
        return scenarios[i].symbol == ACCP_FAKE_SYMBOL_NONE ||
               add_rule(scenario, (struct accp_fake_rule){scenarios[i].symbol, scenarios[i].code, 1,
                                                          UINT_MAX});
    }
    return false;
}

bool accp_fake_scenario_read(struct accp_fake_scenario *scenario)
{
    char text[1024];
    const char *variable = getenv("ACCP_FAKE");
    memset(scenario, 0, sizeof *scenario);
    scenario->sku = &skus[0];
    snprintf(text, sizeof text, "%s", variable ? variable : "");
    char *rest;
    for (char *word = strtok_r(text, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        if (read_word(scenario, word)) continue;
        fprintf(stderr, "ACCP_FAKE: \"%s\" is not a word of scenario.def, sku=ID or fail=...\n",
                word);
        return false;
    }
    return true;
}

/* A lost context fails every later call but those that need none. */
static bool needs_context(enum accp_fake_symbol symbol)
{
    const char *name = symbols[symbol];
    return strncmp(name, "cuInit", 6) != 0 && strncmp(name, "cuD", 3) != 0 &&
           strncmp(name, "nvml", 4) != 0;
}

int accp_fake_enter(struct accp_fake_scenario *scenario, enum accp_fake_symbol symbol)
{
    unsigned call = ++scenario->calls[symbol];
    if (scenario->sticky && needs_context(symbol)) return scenario->sticky;
    for (int i = 0; i < scenario->rule_count; ++i) {
        const struct accp_fake_rule *rule = &scenario->rules[i];
        if (rule->symbol != symbol || call < rule->first || call > rule->last) continue;
        if (needs_context(symbol) && rule->code > 0 && rule->code < 1000 &&
            driver_sticky[rule->code])
            scenario->sticky = rule->code;
        return rule->code;
    }
    return 0;
}
