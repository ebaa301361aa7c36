/* language: structures of bank conflicts. */
#pragma once

#include "language/eval.h"
#include "tmap/unstable/banks.h"

/* Adds six fields: instructions, phases, passes, conflicts, worst, and the histogram of phases by their passes. */
bool tmap_structure_add_conflicts(tmap_eval *eval, tmap_structure *s, const tmap_conflicts *conflicts);
