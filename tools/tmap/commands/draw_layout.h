/* Pictures of layouts: the value of an expression, or a layout of a spec. */
#pragma once

#include "tmap/unstable/language.h"
#include "tmap/unstable/picture.h"

typedef enum picture_format { PICTURE_NONE, PICTURE_SVG, PICTURE_PNG, PICTURE_PDF, PICTURE_LATEX } picture_format;

/* A picture as a file. */
typedef struct picture_file {
    picture_format format; /* PICTURE_NONE: none */
    const char *path;
} picture_file;

typedef struct layout_drawing {
    tmap_picture picture;  /* shape, colours and bits of an element */
    const char *html_path; /* NULL, and no file: text to the standard output */
    picture_file file;
    const char *expression; /* for the page, if it uses no names; NULL: the value as an expression */
    const char
        *access; /* for conflicts: a pattern, a list or a layout, with ":N" for instruction N, from 0; NULL: none */
    const char *element; /* index in the shape, outermost first, of the element whose path is printed; NULL: none */
} layout_drawing;

/* Option values: "8,64"; "thread", "lane", "bank", "line". */
bool take_picture_shape(void *picture, const char *value);
bool take_picture_color(void *picture, const char *value);
bool take_picture_type(void *picture, const char *value);

/* Writes an SVG in the file's format, and frees it. Returns an exit code. */
int picture_write(const picture_file *file, tmap_text *svg, const tmap_sink *sink);

/* Draws the value, which must be a layout of any kind. Returns an exit code. */
int layout_draw(const char *title, const tmap_value *value, layout_drawing *drawing);
