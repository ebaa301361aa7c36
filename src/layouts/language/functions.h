/* language: the C functions of functions.def that are not operations of other rooms. */
#pragma once

#include "language/signature.h"
#include "register/multi.h"
#include "tmap/unstable/layout_algebra.h"
#include "tmap/unstable/layout_swizzle.h"

/* The results of signatures: the C function writes *made, or returns a number, or writes a text. Those of VALUE and
 * CALL give the value itself; they return false after noting a refusal. */
#define DECLARE_MADE(type, function, ...) tmap_status function(__VA_ARGS__, type *made, tmap_diag *error);
#define DECLARE_LAYOUT(function, ...)     DECLARE_MADE(tmap_layout, function, __VA_ARGS__)
#define DECLARE_SHAPED(function, ...)     DECLARE_MADE(tmap_layout, function, __VA_ARGS__)
#define DECLARE_REGISTER(function, ...)   DECLARE_MADE(tmap_register_layout, function, __VA_ARGS__)
#define DECLARE_SHARED(function, ...)     DECLARE_MADE(tmap_shared_layout, function, __VA_ARGS__)
#define DECLARE_MULTI(function, ...)      DECLARE_MADE(tmap_multi_function, function, __VA_ARGS__)
#define DECLARE_CUTE(function, ...)       DECLARE_MADE(tmap_cute, function, __VA_ARGS__)
#define DECLARE_SWIZZLE(function, ...)    DECLARE_MADE(tmap_xor, function, __VA_ARGS__)
#define DECLARE_LAYOUT_OR_NONE(function, ...)                                                                          \
    tmap_status function(__VA_ARGS__, tmap_layout *made, bool *found, tmap_diag *error);
#define DECLARE_FORM(function, ...)  void function(__VA_ARGS__, tmap_layout *made);
#define DECLARE_INT(function, ...)   int64_t function(__VA_ARGS__);
#define DECLARE_SMALL(function, ...) int function(__VA_ARGS__);
#define DECLARE_COUNT(function, ...) uint64_t function(__VA_ARGS__);
#define DECLARE_BOOL(function, ...)  bool function(__VA_ARGS__);
#define DECLARE_TEXT(function, ...)  void function(tmap_sink *sink, __VA_ARGS__);
#define DECLARE_VALUE(function, ...) bool function(tmap_call *call, __VA_ARGS__, tmap_value *result);
#define DECLARE_CALL(function, ...)  bool function(tmap_call *call, tmap_value *result);

#define FUNCTION(name, result, function, about, ...) DECLARE_##result(function, EACH(TYPE_OF, __VA_ARGS__))
#include "language/functions.def"
#undef FUNCTION
