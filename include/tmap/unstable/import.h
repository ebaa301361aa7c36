/*
 * import: the parameters that frameworks print when the driver refuses a tensor map, wherever they stand in a log, as
 * parameters. Read are the blocks that begin with "TMA Desc Addr:": of CUTLASS (copy_traits_sm90_tma.hpp), whose arrays
 * are tuples of five, and of tilelang (runtime.cc), whose arrays are lists of the rank's length, old and new form.
 * Unstable: what is declared here may change or go in any release (base.h).
 */
#ifndef TMAP_IMPORT_H
#define TMAP_IMPORT_H

#include "tmap/rule.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A dump as it was read. */
typedef struct tmap_imported {
    tmap_map_params params; /* enums are the driver's numbers, possibly ones that it does not have */
    int line;               /* on which the dump begins, from 1 */
    const char *origin;     /* "CUTLASS" or "tilelang": whose form it has */
    bool has_result;
    int result; /* CUresult that stands behind it */
    bool whole; /* all parameters are there and readable; else a finding says what is wrong */
} tmap_imported;

/* A cursor over a text, which it borrows. Set `text`, `size` and `path` (for findings) in a zeroed one. */
typedef struct tmap_import {
    const char *text;
    size_t size, at;
    int line;
    const char *path;
} tmap_import;

/*
 * The next dump, whole or not; false behind the last. What is missing, cut or garbled is a finding of rule
 * import-format with its line.
 */
TMAP_API bool tmap_import_next(tmap_import *import, tmap_diags *diags, tmap_imported *out);

#ifdef __cplusplus
}
#endif

#endif
