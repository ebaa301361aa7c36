/* language: the functions that functions.def names. */
#pragma once

#include "language/eval.h"
#include "language/fn_swizzle.h"
#include "language/layout_argument.h"

#define FUNCTION(name, call_, ...) bool call_(tmap_call *call, tmap_value *result);
#include "language/functions.def"

#include "language/register_functions.def"

#include "language/cute_functions.def"

#include "language/triton_functions.def"

#include "language/named_functions.def"

#include "language/original_functions.def"
#undef FUNCTION
