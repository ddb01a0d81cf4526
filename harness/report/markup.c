#include "report/markup.h"

#include "base/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

static bool is_forbidden(uint32_t character)
{
    return (accp_text_hides(character) && character != '\t' && character != '\n') ||
           (character >= 0xd800 && character <= 0xdfff) || character == 0xfffe ||
           character == 0xffff;
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
    for (const char *at = text; *at; at += bytes) {
        uint32_t character = accp_text_character(at, &bytes);
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

/* What begins here is, to a forge, somebody to call, an issue to tell, or a page to link, and no backslash stops that. */
static bool is_reference(const char *text, const char *at)
{
    const bool in_word = at > text && isalnum((unsigned char)at[-1]);
    return (*at == '@' && !in_word && isalnum((unsigned char)at[1])) ||
           (*at == '#' && isdigit((unsigned char)at[1])) || strncmp(at, "://", 3) == 0 ||
           (!in_word && strncasecmp(at, "www.", 4) == 0);
}

void accp_markdown_text(FILE *stream, const char *text)
{
    for (const char *at = text; *at; ++at) {
        if (is_markdown(text, at)) fputc('\\', stream);
        fputc((unsigned char)*at < ' ' ? ' ' : *at, stream);
        if (is_reference(text, at)) fputs("&#8203;", stream); /* a space of no width */
    }
}
