#include "scenario.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static bool add_rule(struct accp_fake_scenario *scenario, const char *symbol,
                     struct accp_fake_rule rule)
{
    if (scenario->rule_count == ACCP_FAKE_RULES) return false;
    snprintf(rule.symbol, sizeof rule.symbol, "%s", symbol);
    scenario->rules[scenario->rule_count++] = rule;
    return true;
}

static bool is_symbol(const char *name)
{
    for (int i = 1; i < ACCP_FAKE_SYMBOL_COUNT; ++i)
        if (strcmp(symbols[i], name) == 0) return true;
    return false;
}

/* "SYMBOL:N:CODE": only the Nth call; "SYMBOL:N+:CODE": the Nth and all after it; "cu*": of any
 * symbol that begins so. */
static bool read_rule(struct accp_fake_scenario *scenario, const char *text)
{
    char symbol[64], plus[2] = "";
    unsigned first;
    int code;
    if (sscanf(text, "%63[^:]:%u:%d", symbol, &first, &code) != 3 &&
        sscanf(text, "%63[^:]:%u%1[+]:%d", symbol, &first, plus, &code) != 4)
        return false;
    char *star = strchr(symbol, '*');
    if (star) *star = 0;
    return (star || is_symbol(symbol)) &&
           add_rule(scenario, symbol,
                    (struct accp_fake_rule){.is_prefix = star != NULL,
                                            .code = code,
                                            .first = first,
                                            .last = plus[0] ? UINT_MAX : first});
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
               add_rule(scenario, symbols[scenarios[i].symbol],
                        (struct accp_fake_rule){
                            .code = scenarios[i].code, .first = 1, .last = UINT_MAX});
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

/* ACCP_FAKE_LOG names a file that gets a line a call. */
static void log_call(const char *symbol)
{
    const char *path = getenv("ACCP_FAKE_LOG");
    FILE *file = path && path[0] ? fopen(path, "a") : NULL;
    if (!file) return;
    fprintf(file, "%s\n", symbol);
    fclose(file);
}

int accp_fake_enter(struct accp_fake_scenario *scenario, enum accp_fake_symbol symbol)
{
    log_call(symbols[symbol]);
    int answer = 0;
    for (int i = 0; i < scenario->rule_count; ++i) {
        struct accp_fake_rule *rule = &scenario->rules[i];
        if (rule->is_prefix ? strncmp(symbols[symbol], rule->symbol, strlen(rule->symbol)) != 0
                            : strcmp(symbols[symbol], rule->symbol) != 0)
            continue;
        const unsigned call = __atomic_add_fetch(&rule->calls, 1, __ATOMIC_RELAXED);
        if (answer == 0 && call >= rule->first && call <= rule->last) answer = rule->code;
    }
    if (scenario->sticky && needs_context(symbol)) return scenario->sticky;
    while (answer == ACCP_FAKE_NEVER_RETURNS)
        pause();
    if (needs_context(symbol) && answer > 0 && answer < 1000 && driver_sticky[answer])
        scenario->sticky = answer;
    return answer;
}
