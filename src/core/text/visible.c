/* text: the characters that control a terminal, and the columns of all others. */
#include "text/visible.h"

#include "text/utf8.h"

#include <string.h>

typedef struct range {
    uint32_t first, last;
} range;

/* C0 and C1 controls, separators of lines, and the characters with Unicode's property Bidi_Control. */
static const range controls[] = {{0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},
                                 {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}};

/* Combining marks and format characters in common use. */
static const range no_columns[] = {{0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},    {0x610, 0x61a},
                                   {0x64b, 0x65f},   {0x200b, 0x200f}, {0x20d0, 0x20f0},  {0xfe00, 0xfe0f},
                                   {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xe0100, 0xe01ef}};

/* East Asian Width W and F (Unicode Standard Annex 11), and emoji. */
static const range two_columns[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},  {0x3041, 0x4dbf},   {0x4e00, 0xa4cf},
                                    {0xa960, 0xa97c},   {0xac00, 0xd7a3},  {0xf900, 0xfaff},   {0xfe30, 0xfe6f},
                                    {0xff01, 0xff60},   {0xffe0, 0xffe6},  {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff},
                                    {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};

#define IN(ranges, code) is_in(ranges, sizeof(ranges) / sizeof(ranges)[0], code)

static bool is_in(const range *ranges, size_t n, uint32_t code) {
    for (size_t i = 0; i < n; i++)
        if (code >= ranges[i].first && code <= ranges[i].last) return true;
    return false;
}

bool tmap_is_control(uint32_t code) {
    return IN(controls, code);
}

int tmap_display_width(uint32_t code) {
    if (code < 0x300) return 1;
    return IN(no_columns, code) ? 0 : IN(two_columns, code) ? 2 : 1;
}

int tmap_text_width(const char *text) {
    int width = 0;
    uint32_t code;
    for (size_t left = strlen(text), taken; left > 0; text += taken, left -= taken) {
        taken = tmap_utf8_next(text, left, &code);
        width += tmap_display_width(code);
    }
    return width;
}

int tmap_code_points(const char *text, size_t size) {
    int n = 0;
    for (size_t i = 0; i < size; i++) n += ((unsigned char)text[i] & 0xc0) != 0x80;
    return n;
}
