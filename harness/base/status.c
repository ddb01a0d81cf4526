#include "base/status.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const status_text[] = {
#define STATUS(id, text) [ACCP_STATUS_##id] = text,
    ACCP_STATUS_TABLE(STATUS)
#undef STATUS
};

enum accp_status accp_fail(struct accp_error *error, enum accp_status code, const char *where,
                           int64_t offset, const char *format, ...)
{
    if (!error) return code;
    memset(error, 0, sizeof *error);
    error->code = code;
    error->offset = offset;
    snprintf(error->where, sizeof error->where, "%s", where ? where : "");
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    accp_text_show(error->where);
    accp_text_show(error->text);
    return code;
}

const char *accp_status_text(enum accp_status code)
{
    return (unsigned)code < ACCP_STATUS_COUNT ? status_text[code] : "unknown";
}

void accp_error_line(const struct accp_error *error, char *line, unsigned long line_bytes)
{
    if (error->where[0])
        snprintf(line, line_bytes, "%s: %s", error->where, error->text);
    else
        snprintf(line, line_bytes, "%s", error->text);
}
