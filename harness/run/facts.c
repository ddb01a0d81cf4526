#include "run/facts.h"

#include <ctype.h>
#include <string.h>

bool accp_fact_is_date(const char *text)
{
    static const char like[] = "0000-00-00T00:00:00Z"; /* 0: a digit */
    for (size_t i = 0; i < sizeof like - 1; ++i)
        if (like[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != like[i]) return false;
    return strlen(text) == sizeof like - 1;
}

bool accp_fact_is_version(const char *text)
{
    static const char taken[] =
        "0123456789.+-~_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return text[0] && text[strspn(text, taken)] == 0;
}

bool accp_fact_is_arch(const char *text)
{
    const size_t digits = strncmp(text, "sm_", 3) == 0 ? strspn(text + 3, "0123456789") : 0;
    const char *suffix = text + 3 + digits; /* of code for one arch alone: sm_90a */
    return digits > 0 && (suffix[0] == 0 || (suffix[0] >= 'a' && suffix[0] <= 'z' && !suffix[1]));
}

/* Whether `text` is `like` with a hexadecimal digit for each 0. */
static bool is_hexadecimal(const char *text, const char *like)
{
    for (; *like; ++text, ++like)
        if (*like == '0' ? !isxdigit((unsigned char)*text) : *text != *like) return false;
    return !*text;
}

bool accp_fact_is_bus_address(const char *text)
{
    return is_hexadecimal(text, "0000:00:00.0") || is_hexadecimal(text, "00000000:00:00.0");
}

bool accp_fact_is_pci_device(const char *text)
{
    return is_hexadecimal(text, "0000:0000") && !strpbrk(text, "ABCDEF");
}

bool accp_fact_is_mode(const char *text)
{
    return strcmp(text, "on") == 0 || strcmp(text, "off") == 0;
}
