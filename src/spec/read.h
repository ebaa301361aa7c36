/* spec: reading nodes into parameters. */
#ifndef TMAP_SPEC_READ_H
#define TMAP_SPEC_READ_H

#include "base/private_api.h"
#include "spec/spec.h"
#include "util/number.h"

/* One mapping that is being read: a tensor, a copy, its expectations, or the file itself. */
typedef struct tmap_spec_reading {
    tmap_spec *spec;
    tmap_report *report;
    tmap_given *given;
    const tmap_node *self; /* the mapping */
    tmap_mark mark;        /* where what is missing is reported */
    bool outer_first;
    const char *const *axes; /* innermost first, `rank` of them; NULL when not known */
    int rank;                /* -1 when not known */
    tmap_slots *slots;       /* for numbers that are expressions; NULL where none is taken */
} tmap_spec_reading;

/* Sorts a mapping's pairs into r->given; what is no key of the section, or given twice, is reported. */
void tmap_read_keys(tmap_spec_reading *r, tmap_section section, const tmap_node *map);
/* The value of a key, aliases followed; NULL when it is left out or was reported already. */
const tmap_node *tmap_reading_value(const tmap_spec_reading *r, tmap_key key);
/* The same of a key that must be there. */
const tmap_node *tmap_require(tmap_spec_reading *r, tmap_key key);
/* Reports a key that does not go with the rest; `why` says with what. */
void tmap_refuse_key(tmap_spec_reading *r, tmap_key key, const char *why);
/* Reports a value of the wrong kind; `allowed` says which is right. */
tmap_diag *tmap_refuse_kind(tmap_spec_reading *r, tmap_key key, const tmap_node *value, const char *allowed);

/* Numbers: false, and *out untouched, when left out or bad. */
bool tmap_read_unsigned(tmap_spec_reading *r, tmap_key key, uint64_t *out);
bool tmap_read_positive(tmap_spec_reading *r, tmap_key key, uint64_t *out);
bool tmap_read_signed(tmap_spec_reading *r, tmap_key key, int64_t *out);
/* The number in a node that is not under a key of its own: `label` names it in messages. */
bool tmap_read_number(tmap_spec_reading *r, const tmap_node *node, const char *label, bool negatives,
                      tmap_integer *out);

/* A list of numbers, or a mapping from axes to them, whose first is of dimension `first_dim`. */
typedef struct tmap_numbers_wanted {
    int count; /* how many there must be; -1 for any number from 1 to `most` */
    int most;
    int first_dim;
    bool negatives;
    bool axes; /* a mapping from axes is taken too */
} tmap_numbers_wanted;

/* Reads innermost first into out[0..most). Answers how many there are, -1 when left out or bad. */
int tmap_read_numbers(tmap_spec_reading *r, tmap_key key, const tmap_numbers_wanted *want, tmap_integer *out);
int64_t tmap_integer_signed(tmap_integer number);

/* A table of names, as the finders of hw.h take them. */
typedef struct tmap_choice {
    int (*find)(const char *name);
    const char *(*name)(int i); /* NULL past the last */
    const char *(*meant)(
        const char *word); /* by a word that is none of the names; NULL, or a function: NULL for none */
} tmap_choice;

extern const tmap_choice tmap_choice_arch, tmap_choice_toolkit, tmap_choice_mode, tmap_choice_type,
    tmap_choice_interleave, tmap_choice_swizzle, tmap_choice_l2_promotion, tmap_choice_oob_fill,
    tmap_choice_allocation_class, tmap_choice_op, tmap_choice_order, tmap_choice_dst, tmap_choice_rule,
    tmap_choice_replaceable, tmap_choice_space;

/* What the values of a replaced field are named after; NULL for numbers. */
const tmap_choice *tmap_choice_of_replaceable(tmap_replaceable field);

/* The enumerator that a key names; `otherwise` when it is left out or bad. */
int tmap_read_choice(tmap_spec_reading *r, tmap_key key, const tmap_choice *choice, int otherwise);
/* Bits of the enumerators that a key names, one or a list; 0 when left out. */
uint32_t tmap_read_choices(tmap_spec_reading *r, tmap_key key, const tmap_choice *choice);

/* A spec that is a node of another file, whose nodes must outlive it; NULL when there is no memory. */
TMAP_PRIVATE_API tmap_spec *tmap_spec_of_node(const tmap_node *root, const tmap_allocator *allocator,
                                              tmap_report *report);

/* Enters a name among those of the file, and refuses the second of two. False when there is no memory. */
bool tmap_register_name(tmap_spec_reading *file, const char *what, const tmap_node *key, size_t index);

/* The mapping `map` of a tensor. */
void tmap_read_map_home(tmap_spec_reading *r, const tmap_node *map, tmap_tensor_entry *entry);
/* The state space in which copies of the tensor have its map; DEFAULT where the file leaves the space, or all of `map`
 * (home is NULL), out. */
tmap_space tmap_space_of_copies(const tmap_map_home *home);
/* The section `shared`. */
void tmap_read_shared(tmap_spec_reading *file, const tmap_node *section);
/* The section `sizes`. */
void tmap_read_sizes(tmap_spec_reading *file, const tmap_node *section);
/* The number of a size in the spec; -1: none has the name. */
int tmap_find_size(const tmap_spec *spec, const char *name);
/* Values that the caller has for sizes of the file. */
void tmap_take_size_values(tmap_spec_reading *file, const tmap_size_value *values, size_t n);
/* Whether a number of a key, or its entry `dim`, is an expression; and reading one: false where it is none. */
bool tmap_reads_expression(const tmap_spec_reading *r, tmap_key key, int dim, const tmap_node *node);
bool tmap_read_expression(tmap_spec_reading *r, tmap_key key, int dim, const tmap_node *node, const char *label,
                          bool negatives, tmap_integer *out);
/* The section `layouts`: names first, for an expression may use any of them, then every value. */
void tmap_read_layouts(tmap_spec_reading *file, const tmap_node *section);
void tmap_read_tensor(tmap_spec_reading *r, const tmap_node *map, tmap_tensor_entry *entry);
void tmap_read_copy(tmap_spec_reading *r, const tmap_node *map, tmap_copy_entry *entry);
/* What goes with every operation, and, but where it works `on_map` itself, qualifiers and a cache hint. */
void tmap_read_qualifiers(tmap_spec_reading *r, tmap_copy_params *params, bool on_map);
void tmap_read_expect(tmap_spec_reading *r, const tmap_node *map, tmap_copy_entry *entry);

#endif
