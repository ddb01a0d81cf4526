#include "report/markup.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* One character of UTF-8 at `text`, whose NUL ends it; *bytes are its own. UINT32_MAX for a byte that begins none. */
static uint32_t decode(const unsigned char *text, int *bytes)
{
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    int following = *text < 0x80       ? 0
                    : *text >> 5 == 6  ? 1
                    : *text >> 4 == 14 ? 2
                    : *text >> 3 == 30 ? 3
                                       : -1;
    *bytes = 1;
    if (following < 0) return UINT32_MAX;
    uint32_t character = following == 0 ? *text : *text & (0x3fu >> following);
    for (int i = 1; i <= following; ++i) {
        if (text[i] >> 6 != 2) return UINT32_MAX;
        character = character << 6 | (text[i] & 0x3fu);
    }
    if (character < least[following] || character > 0x10ffff) return UINT32_MAX;
    *bytes = following + 1;
    return character;
}

static bool is_forbidden(uint32_t character)
{
    return (character < 0x20 && character != '\t' && character != '\n') ||
           (character >= 0x7f && character < 0xa0) ||
           (character >= 0xd800 && character <= 0xdfff) ||
           (character >= 0x202a && character <= 0x202e) || /* embedding and override */
           (character >= 0x2066 && character <= 0x2069) || /* isolates */
           character == 0xfffe || character == 0xffff || character == UINT32_MAX;
}

static const char *reference(uint32_t character)
{
    switch (character) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void accp_markup_text(FILE *stream, const char *text)
{
    int bytes;
    for (const unsigned char *at = (const unsigned char *)text; *at; at += bytes) {
        uint32_t character = decode(at, &bytes);
        const char *instead = is_forbidden(character) ? "\xef\xbf\xbd" : reference(character);
        if (instead)
            fputs(instead, stream);
        else
            fwrite(at, 1, (size_t)bytes, stream);
    }
}

void accp_markup_format(FILE *stream, const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    accp_markup_text(stream, text);
}

/* Inside a word an underscore is one (CommonMark): names stay legible in the source too. */
static bool is_markdown(const char *text, const char *at)
{
    if (*at == '_')
        return at == text || !isalnum((unsigned char)at[-1]) || !isalnum((unsigned char)at[1]);
    return strchr("|\\`*~<>[]&", *at) != NULL;
}

void accp_markdown_text(FILE *stream, const char *text)
{
    for (const char *at = text; *at; ++at) {
        if (is_markdown(text, at)) fputc('\\', stream);
        fputc((unsigned char)*at < ' ' ? ' ' : *at, stream);
    }
}
