/* language: structures of bank conflicts. */
#ifndef TMAP_LANGUAGE_FN_BANKS_H
#define TMAP_LANGUAGE_FN_BANKS_H

#include "language/eval.h"
#include "tmap/unstable/banks.h"

/* instructions, phases, passes, conflicts, worst, and the histogram of phases by their passes: six fields. */
bool tmap_structure_add_conflicts(tmap_structure_maker *maker, const tmap_conflicts *conflicts);

#endif
