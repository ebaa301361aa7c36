/* The fixes of `tmap plan` as options. */
#pragma once

#include "commands/plan_request.h"

/* Replaces the fix of a refused plan, which has the names, order and units of maps, by one with options of the command.
 * The stages are along `stage_dim`. */
void plan_fix(const plan_options *o, const tmap_plan_request *request, int stages_n, int stage_dim, tmap_diag *refusal);
/* For a convolution: replaces only the names of parameters that have the same value as an option, and aligns the shared
 * address for every swizzle. */
void plan_fix_names(const plan_options *o, tmap_diag *refusal);
