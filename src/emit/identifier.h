/* emit: names as identifiers of C and C++. */
#ifndef EMIT_IDENTIFIER_H
#define EMIT_IDENTIFIER_H

#include "tmap/base.h"

/* Writes `name` with '_' for whatever an identifier of C or C++ cannot have. */
void tmap_emit_identifier(tmap_sink *sink, const char *name);

#endif
