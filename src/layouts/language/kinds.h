/* language: the functions that language_kinds.def names. */
#pragma once

#include "language/eval.h"

void tmap_swizzle_value_print(tmap_sink *sink, const tmap_value *value);
bool tmap_swizzle_value_data(tmap_eval *eval, const tmap_value *value, tmap_value *result);
bool tmap_swizzle_value_same(const tmap_call *call, const tmap_value *a, const tmap_value *b, bool *same);

void tmap_layout_value_print(tmap_sink *sink, const tmap_value *value);
bool tmap_layout_value_data(tmap_eval *eval, const tmap_value *value, tmap_value *result);
bool tmap_layout_value_same(const tmap_call *call, const tmap_value *a, const tmap_value *b, bool *same);

void tmap_register_value_print(tmap_sink *sink, const tmap_value *value);
bool tmap_register_value_data(tmap_eval *eval, const tmap_value *value, tmap_value *result);
bool tmap_register_value_same(const tmap_call *call, const tmap_value *a, const tmap_value *b, bool *same);

void tmap_shared_value_print(tmap_sink *sink, const tmap_value *value);
bool tmap_shared_value_data(tmap_eval *eval, const tmap_value *value, tmap_value *result);
bool tmap_shared_value_same(const tmap_call *call, const tmap_value *a, const tmap_value *b, bool *same);

void tmap_multi_value_print(tmap_sink *sink, const tmap_value *value);
bool tmap_multi_value_data(tmap_eval *eval, const tmap_value *value, tmap_value *result);
bool tmap_multi_value_same(const tmap_call *call, const tmap_value *a, const tmap_value *b, bool *same);

void tmap_cute_value_print(tmap_sink *sink, const tmap_value *value);
bool tmap_cute_value_data(tmap_eval *eval, const tmap_value *value, tmap_value *result);
bool tmap_cute_value_same(const tmap_call *call, const tmap_value *a, const tmap_value *b, bool *same);

void tmap_encoding_value_print(tmap_sink *sink, const tmap_value *value);
bool tmap_encoding_value_data(tmap_eval *eval, const tmap_value *value, tmap_value *result);
bool tmap_encoding_value_same(const tmap_call *call, const tmap_value *a, const tmap_value *b, bool *same);

void tmap_linear_value_print(tmap_sink *sink, const tmap_value *value);
bool tmap_linear_value_data(tmap_eval *eval, const tmap_value *value, tmap_value *result);
bool tmap_linear_value_same(const tmap_call *call, const tmap_value *a, const tmap_value *b, bool *same);
