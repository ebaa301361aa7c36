/* text: characters that look like ASCII. */
#include "text/typed.h"

#include <stdbool.h>
#include <string.h>

#include "text/utf8.h"

#define WIDE_FIRST 0xff01u /* full-width forms of U+0021 to U+007E */
#define WIDE_LAST  0xff5eu

uint32_t tmap_typed_ascii(uint32_t code) {
    if (code >= WIDE_FIRST && code <= WIDE_LAST) return code - WIDE_FIRST + '!';
    if ((code >= 0x2000 && code <= 0x200a) || code == 0xa0 || code == 0x202f || code == 0x205f || code == 0x3000)
        return ' ';
    if ((code >= 0x200b && code <= 0x200d) || code == 0x2060 || code == 0xfeff) return 0;
    if (code >= 0x2018 && code <= 0x201b) return '\'';
    if (code >= 0x201c && code <= 0x201f) return '"';
    if ((code >= 0x2010 && code <= 0x2015) || code == 0x2212) return '-';
    return code == 0xd7 ? '*' : code;
}

size_t tmap_typed_plain(const char *text, size_t size, char *plain, size_t room) {
    size_t n = 0;
    for (size_t at = 0, taken; at < size; at += taken) {
        uint32_t code;
        taken = tmap_utf8_next(text + at, size - at, &code);
        uint32_t ascii = tmap_typed_ascii(code);
        bool kept = ascii == code;
        if (ascii == 0 || (n == 0 && strchr(" \"'", (int)ascii) && !kept)) continue;
        if (n + taken >= room) break;
        memcpy(plain + n, text + at, taken);
        if (!kept) plain[n] = (char)ascii;
        n += kept ? taken : 1;
    }
    plain[n] = '\0';
    for (char *at = plain; (at = strchr(at, '/')) != NULL; at++)
        if (at > plain && at[-1] == ' ' && (at[1] == '/' || at[1] == '*')) n = (size_t)(at - plain), *at = '\0';
    while (n > 0 && strchr(" \"'", plain[n - 1])) n--;
    plain[n] = '\0';
    return n;
}
