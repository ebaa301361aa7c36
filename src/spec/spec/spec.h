/* spec: a file that was read: its tensors and copies, and the nodes of their values. */
#pragma once

#include "hash/name_table.h"
#include "hw/archs.h"
#include "size/sized.h"
#include "spec/keys.h"
#include "spec/node.h"

/* The most keys that a section has. */
#define TMAP_SECTION_KEYS_MAX 48

/* The keys of a mapping. A key's value is the next node after the key. */
typedef struct tmap_given {
    tmap_section section;
    tmap_key first;                    /* of the section */
    uint8_t at[TMAP_SECTION_KEYS_MAX]; /* by key: its index in `keys` plus 1; 0: the key is omitted */
    const tmap_node **keys;            /* NULL before tmap_read_keys */
    uint8_t keys_n;
    uint64_t by_alias; /* bit i: key i has the driver's name */
    uint64_t by_word;  /* bit i: key i has a name of another library */
    uint64_t misspelt; /* bit i: an unknown key is probably key i, which is then not reported as missing */
} tmap_given;

/* A buffer, or a barrier, of the section `shared`: shared_window.h. */
struct tmap_shared_buffer;

/* The place of a tensor's map in memory: the key `map`. The object is a struct, an array or an allocation. */
typedef struct tmap_map_home {
    bool has_address;
    tmap_space space;  /* DEFAULT: omitted */
    uint64_t address;  /* of the object */
    uint64_t align_B;  /* of the object; 0: that of the type CUtensorMap */
    uint64_t offset_B; /* from the object to the first map */
    uint64_t maps_n, pitch_B;
    tmap_mark mark;
} tmap_map_home;

typedef struct tmap_tensor_entry {
    tmap_spec_tensor info;
    tmap_map_params params;
    int rank;             /* of dims; -1 when not known */
    const tmap_node *map; /* NULL if the value is not a mapping */
    tmap_slots *slots;    /* NULL if the file has no sizes; the same for a copy */
    tmap_map_home *home;  /* NULL if the file has no mapping `map` */
} tmap_tensor_entry;

typedef struct tmap_copy_entry {
    tmap_spec_copy info;
    tmap_copy_params params;
    tmap_expect expect;
    const tmap_node *expect_rule; /* or NULL */
    tmap_given given;
    tmap_slots *slots;
    const struct tmap_shared_buffer *buffer, *barrier; /* of the section `shared`; NULL: none */
    uint64_t stage;                                    /* of both */
    uint64_t issuers_n;                                /* thread blocks whose copies complete at the same barrier */
    struct tmap_copy_entry *next_at_barrier;           /* the next copy that completes at the barrier */
} tmap_copy_entry;

typedef struct tmap_layout_entry {
    const char *name;
    const tmap_node *node; /* of the expression; NULL if the value is not an expression */
} tmap_layout_entry;

typedef enum tmap_named_kind {
    TMAP_NAMED_BUFFER,
    TMAP_NAMED_BARRIER,
    TMAP_NAMED_TENSOR,
    TMAP_NAMED_COPY,
    TMAP_NAMED_LAYOUT,
    TMAP_NAMED_KINDS
} tmap_named_kind;

/* The owners of a name. Two owners are an error, but each is still found by its kind. */
typedef struct tmap_named {
    tmap_named_kind first;
    uint32_t number[TMAP_NAMED_KINDS]; /* by kind: index of the owner plus 1; 0: none */
    tmap_mark mark;                    /* of the first owner */
} tmap_named;

struct tmap_spec {
    tmap_allocator own_allocator;
    const tmap_allocator *allocator; /* NULL, or own_allocator */
    tmap_arena arena;
    const char *path;
    tmap_size sizes[TMAP_SIZES_MAX]; /* a size with a fixed value has a range of one value */
    tmap_mark size_marks[TMAP_SIZES_MAX];
    int sizes_n;
    uint32_t broken_sizes;                     /* bit i: size i has an error, which is reported; it has the value 1 */
    const char *size_texts[2][TMAP_SIZES_MAX]; /* smallest and largest values, as expressions of layouts use them */
    tmap_archs archs;
    int toolkit;                            /* CUDA release; 0: not given */
    uint32_t accepted[TMAP_FACTS_MAX / 32]; /* bit i % 32 of [i / 32]: `accept` names fact i */
    uint64_t cluster_n;                     /* thread blocks of the cluster; 0: not given */
    tmap_tensor_entry *tensors;
    tmap_copy_entry *copies;
    tmap_layout_entry *layouts;
    struct tmap_shared_buffer *buffers;
    size_t buffers_n;
    bool broken_shared;        /* the section has an error, which is reported; a number with an error has a default */
    const tmap_node *sequence; /* the section, or NULL */
    /* Judges the sequence. TMAP_OK if a size has several values. */
    tmap_status (*check_sequence)(const tmap_spec *spec, const tmap_judge *judge, tmap_diags *diags);
    size_t tensors_n, copies_n, layouts_n;
    tmap_table names; /* to tmap_named */
};

/* The judge of a file: its architectures, release and path; `judge` may be NULL. */
tmap_judge tmap_spec_judge_of(const tmap_spec *spec, const tmap_judge *judge);
/* A tensor, or a readable copy, with its numbers that are expressions. */
tmap_sized tmap_sized_tensor(const tmap_spec *spec, size_t tensor);
tmap_sized tmap_sized_copy(const tmap_spec *spec, size_t copy);

const tmap_node *tmap_given_value(const tmap_given *given, tmap_key key);
const tmap_node *tmap_given_key(const tmap_given *given, tmap_key key);
/* Whether a list under this key starts with the outermost dimension. */
bool tmap_given_reversed(const tmap_given *given, tmap_key key, bool outer_first);

/* Sets the names of a fix's edits to the driver's names where the tensor's keys are the driver's names. */
void tmap_name_as_in_file(const tmap_tensor_entry *tensor, tmap_fix *fix);
