/* spec: reads nodes into parameters. */
#pragma once

#include "base/private_api.h"
#include "rule/field_words.h"
#include "spec/spec.h"
#include "text/number.h"

/* The mapping that is being read: a tensor, a copy, its expectations, or the file itself. */
typedef struct tmap_spec_reading {
    tmap_spec *spec;
    tmap_report *report;
    tmap_given *given;
    const tmap_node *self; /* the mapping */
    tmap_mark mark;        /* the place for reports of missing keys */
    bool outer_first;
    const char *const *axes; /* innermost first, `rank` of them; NULL when not known */
    int rank;                /* -1 when not known */
    tmap_arena *nodes;       /* for arrays of nodes; NULL: the arena of the spec */
    tmap_slots *slots;       /* for numbers that are expressions; NULL if expressions are not allowed */
} tmap_spec_reading;

/* As tmap_report_add, with the key and its field. */
tmap_diag *tmap_report_of_key(tmap_spec_reading *r, tmap_key key, const char *slug, tmap_mark mark, const char *format,
                              ...) TMAP_PRINTF(5, 6);
/* Sorts a mapping's pairs into r->given. Reports keys that the section does not have, and keys that occur twice. */
void tmap_read_keys(tmap_spec_reading *r, tmap_section section, const tmap_node *map);
/* The value of a key, with aliases resolved. NULL if it is omitted or already reported. */
const tmap_node *tmap_reading_value(const tmap_spec_reading *r, tmap_key key);
/* As tmap_reading_value, for a required key: reports a missing key. */
const tmap_node *tmap_require(tmap_spec_reading *r, tmap_key key);
/* Reports a key that conflicts with the rest of the mapping; `why` names the conflict. */
void tmap_refuse_key(tmap_spec_reading *r, tmap_key key, const char *why);
/* Reports a value of the wrong kind; `allowed` names the right kind. */
tmap_diag *tmap_refuse_kind(tmap_spec_reading *r, tmap_key key, const tmap_node *value, const char *allowed);

/* Reports a number that the key does not allow: "KEY WRONG". The fix is the key's example. */
tmap_diag *tmap_refuse_value(tmap_spec_reading *r, tmap_key key, uint64_t value, const char *wrong);

/* The limit that a number breaks, for a message: "0 or more". Rules state smaller limits. */
const char *tmap_limit_of(bool below, bool negatives);

/* Read numbers. Return false and keep *out if the key is omitted or its value is invalid. */
bool tmap_read_unsigned(tmap_spec_reading *r, tmap_key key, uint64_t *out);
bool tmap_read_positive(tmap_spec_reading *r, tmap_key key, uint64_t *out);
/* Reads the number of a node without a key of its own; `label` names it in messages. */
bool tmap_read_number(tmap_spec_reading *r, const tmap_node *node, const char *label, bool negatives,
                      tmap_integer *out);

/* The wanted form of a list of numbers, or of a mapping from axes to numbers. The first number is of `first_dim`. */
typedef struct tmap_numbers_wanted {
    int count; /* the required number of entries; -1 for any number from 1 to `most` */
    int most;
    int first_dim;
    bool negatives;
    bool axes;        /* a mapping from axes is also accepted */
    const char *mode; /* the mode that requires this count; NULL: the count depends on the dimensions */
} tmap_numbers_wanted;

/* Reads numbers, innermost first, into out[0..most). Returns their number; -1 if the key is omitted or invalid. */
int tmap_read_numbers(tmap_spec_reading *r, tmap_key key, const tmap_numbers_wanted *want, tmap_integer *out);
#define TMAP_LIST_TEXT_MAX 128
/* The fix is the strides in bytes, without the innermost dimension, that a list for all dimensions means: PyTorch's in
 * elements or NumPy's in bytes. Returns false if the list has neither form. */
bool tmap_fix_strides(const tmap_spec_reading *r, const tmap_node *list, bool outer_first, tmap_diag *diag);
/* The 64 bits of a cache hint that is one word, which names a priority. */
uint64_t tmap_cache_policy_of(const char *word);

/* Reads a key into its field of the map or of the copy; the other may be NULL. Returns false, and changes nothing, if
 * the key is omitted or its value is invalid. */
bool tmap_read_field(tmap_spec_reading *r, tmap_key key, tmap_map_params *map, tmap_copy_params *copy);
/* Reads a list into its field, as tmap_read_numbers; the field determines `most` and `negatives`. */
int tmap_read_list(tmap_spec_reading *r, tmap_key key, tmap_numbers_wanted want, tmap_map_params *map,
                   tmap_copy_params *copy);

/* Words of keys without a field. */
extern const tmap_words tmap_words_arch, tmap_words_toolkit, tmap_words_order, tmap_words_rule, tmap_words_fact;

/* The names for values of a replaced field; NULL if the values are numbers. */
const tmap_words *tmap_words_of_replaceable(tmap_replaceable field);

/* The enumerator that a key names; `otherwise` if the key is omitted or invalid. */
int tmap_read_choice(tmap_spec_reading *r, tmap_key key, const tmap_words *words, int otherwise);
/* The bits of the enumerators that a key names, one or a list; 0 if the key is omitted. */
uint32_t tmap_read_choices(tmap_spec_reading *r, tmap_key key, const tmap_words *words);
/* As tmap_read_choices, of a table with more than 32 names: sets bit i % 32 of set[i / 32]. */
void tmap_read_choice_set(tmap_spec_reading *r, tmap_key key, const tmap_words *words, uint32_t *set);

/* Makes a spec from a node of another file, whose nodes must live longer than the spec. NULL: no memory. */
TMAP_PRIVATE_API tmap_spec *tmap_spec_of_node(const tmap_node *root, const tmap_allocator *allocator,
                                              tmap_report *report);

/* Adds a name to the names of the file; reports the second of two equal names. Returns false when an allocation
 * fails. */
bool tmap_register_name(tmap_spec_reading *file, tmap_named_kind kind, const tmap_node *key, size_t index);
/* "buffer", "copy" and so on: what a name of the file names; NULL for another name. */
const char *tmap_kind_of_name(const tmap_spec *spec, const tmap_node *node);

/* Reads the mapping `map` of a tensor. */
void tmap_read_map_home(tmap_spec_reading *r, const tmap_node *map, tmap_tensor_entry *entry);
/* The state space in which copies of the tensor have its map; DEFAULT if the file omits the space, or the whole `map`
 * (home is NULL). */
tmap_space tmap_space_of_copies(const tmap_map_home *home);
/* Reads the section `shared`. */
void tmap_read_shared(tmap_spec_reading *file, const tmap_node *section);
/* Reads the section `sizes`. */
void tmap_read_sizes(tmap_spec_reading *file, const tmap_node *section);
#define TMAP_SIZE_NAME_MOST_B 31
bool tmap_is_size_name(const char *name, size_t size);
/* The number of a size in the spec; -1: no size has the name. */
int tmap_find_size(const tmap_spec *spec, const char *name);
/* Sets the caller's values for sizes of the file. */
void tmap_take_size_values(tmap_spec_reading *file, const tmap_size_value *values, size_t n);
/* Whether a number of a key, or its entry `dim`, is an expression. The next function reads it and returns false on
 * error. */
bool tmap_reads_expression(const tmap_spec_reading *r, tmap_key key, int dim, const tmap_node *node);
bool tmap_read_expression(tmap_spec_reading *r, tmap_key key, int dim, const tmap_node *node, const char *label,
                          bool negatives, tmap_integer *out);
/* Reads the section `layouts`: first the names, because an expression may use any of them, then the values. */
void tmap_read_layouts(tmap_spec_reading *file, const tmap_node *section);
/* Keeps the section `sequence`, and its judge. */
void tmap_read_sequence(tmap_spec_reading *file, const tmap_node *section);
void tmap_read_tensor(tmap_spec_reading *r, const tmap_node *map, tmap_tensor_entry *entry);
void tmap_read_copy(tmap_spec_reading *r, const tmap_node *map, tmap_copy_entry *entry);
bool tmap_completes_at_barrier(const tmap_copy_params *params);
/* Refuses the key that names a barrier if the copy completes at no barrier. Returns whether the copy completes at
 * none. */
bool tmap_refuse_barrier(tmap_spec_reading *r, tmap_key key, const tmap_copy_params *params);
/* Reads the keys that every operation accepts, and qualifiers and a cache hint unless the operation works `on_map`. */
void tmap_read_qualifiers(tmap_spec_reading *r, tmap_copy_params *params, bool on_map);
void tmap_read_expect(tmap_spec_reading *r, const tmap_node *map, tmap_copy_entry *entry);
