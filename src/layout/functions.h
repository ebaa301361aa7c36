/* layout: the functions that functions.def names; the room's files define them. */
#ifndef TMAP_LAYOUT_FUNCTIONS_H
#define TMAP_LAYOUT_FUNCTIONS_H

#include "layout/eval.h"
#include "layout/fn_swizzle.h"

#define FUNCTION(name, call_, ...) bool call_(tmap_call *call, tmap_value *result);
#include "layout/functions.def"

#include "layout/register_functions.def"

#include "layout/cute_functions.def"

#include "layout/named_functions.def"
#undef FUNCTION

#endif
