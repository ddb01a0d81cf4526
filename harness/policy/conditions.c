#include "policy/policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    bool is_whole;
    double low, high;
} table[] = {
#define TYPE_int                                    true
#define TYPE_double                                 false
#define CONDITION(id, name, type, low, high, words) {name, TYPE_##type, low, high},
#include "policy/conditions.def"
};
enum { CONDITIONS = sizeof table / sizeof *table };

void accp_policy_conditions_init(struct accp_policy_conditions *conditions)
{
    *conditions = (struct accp_policy_conditions){
#define CONDITION(id, name, type, low, high, words) .id = -1,
#include "policy/conditions.def"
    };
}

static void set(struct accp_policy_conditions *conditions, size_t index, double value)
{
    size_t at = 0;
#define CONDITION(id, name, type, low, high, words) \
    if (at++ == index) conditions->id = (type)value;
#include "policy/conditions.def"
}

static double get(const struct accp_policy_conditions *conditions, size_t index)
{
    const double values[] = {
#define CONDITION(id, name, type, low, high, words) (double)conditions->id,
#include "policy/conditions.def"
    };
    return values[index];
}

static enum accp_status unknown(const char *name, size_t length, struct accp_error *error)
{
    char known[160] = "";
    for (size_t i = 0; i < CONDITIONS; ++i) {
        const size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", table[i].name);
    }
    return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                     "--given %.*s: there is no such condition; there are: %s",
                     (int)(length < 40 ? length : 40), name, known);
}

static enum accp_status read_one(const char *text, size_t length,
                                 struct accp_policy_conditions *conditions,
                                 struct accp_error *error)
{
    size_t index = 0;
    if (length == 0)
        return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                         "--given names no condition before a comma, or behind the last: they are "
                         "written NAME=VALUE,NAME=VALUE");
    const char *equals = memchr(text, '=', length);
    const size_t name = equals ? (size_t)(equals - text) : length;
    while (index < CONDITIONS &&
           !(strlen(table[index].name) == name && strncmp(table[index].name, text, name) == 0))
        ++index;
    if (index == CONDITIONS) return unknown(text, name, error);
    char number[32] = "", *end = number;
    if (equals && length - name - 1 < sizeof number) memcpy(number, equals + 1, length - name - 1);
    const double value = strtod(number, &end);
    const bool is_number =
        end != number && *end == 0 && value >= table[index].low && value <= table[index].high;
    if (!is_number || (table[index].is_whole && value != (double)(long)value))
        return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                         "--given %s=%.30s: must be a %snumber from %.10g to %.10g",
                         table[index].name, number, table[index].is_whole ? "whole " : "",
                         table[index].low, table[index].high);
    if (get(conditions, index) >= 0)
        return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                         "--given %s is given twice, the second time as %s: give it once",
                         table[index].name, number);
    set(conditions, index, value);
    return ACCP_STATUS_OK;
}

enum accp_status accp_policy_conditions_read(const char *text,
                                             struct accp_policy_conditions *conditions,
                                             struct accp_error *error)
{
    for (;;) {
        const size_t length = strcspn(text, ",");
        ACCP_TRY(read_one(text, length, conditions, error));
        if (text[length] == 0) return ACCP_STATUS_OK;
        text += length + 1;
    }
}

enum accp_status
accp_policy_conditions_check_memory(const struct accp_policy_conditions *conditions,
                                    struct accp_error *error)
{
    if ((conditions->bytes > 0) == (conditions->bandwidth > 0)) return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_INPUT, "policy", -1,
                     conditions->bytes > 0
                         ? "bytes is given without bandwidth: say how fast that memory is"
                         : "bandwidth is given without bytes: say how much is read of that memory, "
                           "or leave it out");
}

void accp_policy_conditions_text(const struct accp_policy_conditions *conditions, char *text,
                                 size_t text_bytes)
{
    struct accp_policy_conditions none;
    accp_policy_conditions_init(&none);
    size_t used = 0;
    snprintf(text, text_bytes, "nothing");
    for (size_t i = 0; i < CONDITIONS; ++i) {
        if (get(conditions, i) == get(&none, i) || used >= text_bytes) continue;
        used += (size_t)snprintf(text + used, text_bytes - used, "%s%s=%.10g", used ? "," : "",
                                 table[i].name, get(conditions, i));
    }
    if (conditions->bandwidth_from[0] && used < text_bytes)
        snprintf(text + used, text_bytes - used, " (bandwidth: %s)", conditions->bandwidth_from);
}
