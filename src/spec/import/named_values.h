/* import: the arguments of a call in the form NAME=VALUE or NAME: VALUE, as programs print them for debugging. */
#pragma once

#include "import/dump_formats.h"
#include "import/lines.h"

/* A parameter in a line. */
typedef struct named_value {
    const char *name, *end; /* the start of the name and the end of the value */
    int name_size, size;    /* size: from the name to the value */
    tmap_field field;
    /* A word of other libraries, a key of specs, the driver's name in another spelling, the driver's name. */
    enum { NAME_WORD, NAME_OF_SPEC, NAME_LIKE_DRIVER, NAME_OF_DRIVER } certainty;
    int index;     /* of NAME[0]=VALUE and NAME0=VALUE; -1: none */
    bool readable; /* else `numbers` is empty */
    number_list numbers;
} named_value;

/*
 * Finds the next parameter from `from` on. The name is the driver's, a key of specs, or a word of other libraries for
 * the key; its case, '_' and '-' do not count. A value of a type, swizzle, interleave, promotion or fill may be a name
 * of the spec format or of cuda.h. Returns false if the line has no further parameter.
 */
bool named_value_next(const log_line *line, const char *from, named_value *value);

/* The header before parameters, after which they may have any names. */
typedef enum named_header { HEADER_NONE, HEADER_OF_MAP, HEADER_OF_CALL } named_header;

/* The words for a tensor map, in any case. */
enum { NAMED_HEADER_WORDS_N = 6 };
extern const char *const named_header_words[NAMED_HEADER_WORDS_N];

/* The header in a line: words for a tensor map, or the name of an encoding function. */
named_header named_header_of(const log_line *line);

/* The name of the encoding function before at least 3 readable parameters, or before one if the parenthesis after the
 * name is not closed in this line. NULL: the line has no such call. */
const char *named_find_call(const log_line *line);

/* The first readable parameter of a line. NULL: none; telling: none of the line has the driver's name. */
const char *named_find_value(const log_line *line, bool telling);
