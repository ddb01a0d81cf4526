#include "base/text.h"

#include <string.h>

uint32_t accp_text_character(const char *text, int *bytes)
{
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    const unsigned char *at = (const unsigned char *)text;
    const int following = *at < 0x80       ? 0
                          : *at >> 5 == 6  ? 1
                          : *at >> 4 == 14 ? 2
                          : *at >> 3 == 30 ? 3
                                           : -1;
    *bytes = 1;
    if (following < 0) return UINT32_MAX;
    uint32_t character = following == 0 ? *at : *at & (0x3fu >> following);
    for (int i = 1; i <= following; ++i) {
        if (at[i] >> 6 != 2) return UINT32_MAX;
        character = character << 6 | (at[i] & 0x3fu);
    }
    if (character < least[following] || character > 0x10ffff) return UINT32_MAX;
    *bytes = following + 1;
    return character;
}

bool accp_text_hides(uint32_t character)
{
    return character < 0x20 || (character >= 0x7f && character < 0xa0) ||
           (character >= 0x202a && character <= 0x202e) || /* embeddings and overrides */
           (character >= 0x2066 && character <= 0x2069) || /* isolates */
           character == UINT32_MAX;
}

int accp_text_hidden_at(const char *text)
{
    int bytes;
    for (int at = 0; text[at]; at += bytes)
        if (accp_text_hides(accp_text_character(text + at, &bytes))) return at;
    return -1;
}

void accp_text_show(char *text)
{
    for (int at; (at = accp_text_hidden_at(text)) >= 0; text += at)
        text[at] = '?';
}

void accp_text_word(const char *text, char *word, size_t bytes)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:+,@%=-";
    const size_t length = strlen(text);
    size_t used = 0;
    if (length > 0 && length < bytes && strspn(text, plain) == length) {
        memcpy(word, text, length + 1);
        return;
    }
    word[used++] = '\'';
    for (; *text && used + 6 < bytes; ++text) {
        if (*text == '\'') {
            memcpy(word + used, "'\\''", 4);
            used += 4;
        } else {
            word[used++] = *text;
        }
    }
    word[used++] = '\'';
    word[used] = 0;
}
