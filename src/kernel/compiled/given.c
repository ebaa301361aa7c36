/*
 * compiled: maps in the texts of compilers. Each form has a word that begins it; what follows is a list of keys with
 * numbers, or a type such as 64x32xf16. Numbers that a text does not have stay unknown.
 */
#include <string.h>

#include "base/wide.h"
#include "compiled/made.h"
#include "diag/refuse.h"
#include "text/cursor.h"

#define FIELD TMAP_COMPILED_FIELD

/* A part of a text. */
typedef struct span {
    const char *at, *end;
} span;

typedef struct found_maps {
    span text;                   /* the whole */
    tmap_given_map *maps, spare; /* spare: for maps that have no room */
    size_t n, capacity;
} found_maps;

#define MAPS_MAX 1024 /* that a text is searched for */

/* ---- Parts of a text ---- */

static bool begins(span s, const char *words) {
    size_t size = strlen(words);
    return s.at && (size_t)(s.end - s.at) >= size && memcmp(s.at, words, size) == 0;
}

/* The text after the words; `at` NULL: the words do not occur. */
static span after(span s, const char *words) {
    size_t size = strlen(words);
    for (; s.at && (size_t)(s.end - s.at) >= size; s.at++)
        if (*s.at == words[0] && memcmp(s.at, words, size) == 0) return (span){s.at + size, s.end};
    return (span){NULL, s.end};
}

/* The rest of the line. */
static span line_of(span s) {
    const char *end = memchr(s.at, '\n', (size_t)(s.end - s.at));
    return (span){s.at, end ? end : s.end};
}

static void skip(span *s, const char *characters) {
    while (s->at < s->end && strchr(characters, *s->at) && *s->at != '\0') s->at++;
}

/* The contents of the next brackets, also with brackets in them; moves `s` after them. `at` NULL: none. */
static span inside(span *s, char open, char close) {
    span in = {NULL, NULL};
    int depth = 0;
    for (; s->at && s->at < s->end; s->at++) {
        if (*s->at == open && depth++ == 0) in.at = s->at + 1;
        if (*s->at != close || depth == 0 || --depth > 0) continue;
        in.end = s->at++;
        return in;
    }
    return (span){NULL, s->end};
}

/* A name at the start of a text; `size` 0: none, or it is too long. */
typedef struct name_text {
    char text[48];
    size_t size;
} name_text;

static name_text name_at(span s) {
    name_text found = {.size = 0};
    while (s.at && s.at + found.size < s.end && is_word(s.at[found.size])) found.size++;
    if (found.size >= sizeof found.text) found.size = 0;
    if (found.size > 0) memcpy(found.text, s.at, found.size);
    return found;
}

/* The text after a key, its quotes, and = or a colon. */
static span value_of(span s, const char *key) {
    for (span v = after(s, key); v.at; v = after(v, key)) {
        const char *before = v.at - strlen(key) - 1;
        bool whole = before < s.at || !is_word(*before);
        skip(&v, "'\" ");
        if (!whole || v.at == v.end || (*v.at != '=' && *v.at != ':')) continue;
        v.at++;
        skip(&v, "'\" \n");
        return v;
    }
    return (span){NULL, s.end};
}

/* Does not move `s` if there is no number, or if it does not fit. */
static bool read_number(span *s, uint64_t *number) {
    tmap_cursor c = {.text = s->at, .size = (size_t)(s->end - s->at)};
    if (tmap_cursor_digits_of(&c, 10, number) != TMAP_NUMBER_OK) return false;
    s->at += c.at;
    return true;
}

/* Reads [64, 32], outermost first, into numbers that are innermost first. Returns their count; 0: not a list of these.
 */
static uint64_t read_reversed(span value, uint64_t numbers[TMAP_RANK_MAX]) {
    uint64_t read[TMAP_RANK_MAX], n = 0;
    if (!value.at) return 0;
    if (begins(value, "torch.Size")) value.at += strlen("torch.Size");
    skip(&value, "[(");
    while (n < TMAP_RANK_MAX && read_number(&value, &read[n])) {
        n++;
        skip(&value, ", \n");
    }
    if (value.at == value.end || (*value.at != ']' && *value.at != ')')) return 0;
    for (uint64_t i = 0; i < n; i++) numbers[i] = read[n - 1 - i];
    return n;
}

static bool number_of(span s, const char *key, uint64_t *number) {
    span value = value_of(s, key);
    return value.at && read_number(&value, number);
}

/* ---- Names and numbers of compilers ---- */

static int type_named(const char *name) {
    static const char *const others[][2] = {
        {"i8", "u8"},         {"i16", "u16"},     {"i32", "s32"},     {"i64", "s64"},
        {"ui8", "u8"},        {"float16", "f16"}, {"float32", "f32"}, {"float64", "f64"},
        {"bfloat16", "bf16"}, {"uint8", "u8"},    {"int8", "u8"},     {"int32", "s32"},
        {"int64", "s64"},     {"f8E4M3FN", "u8"}, {"f8E5M2", "u8"},   {"float8_e4m3fn", "u8"},
        {"float8_e5m2", "u8"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i][0], name) == 0) return tmap_type_find(others[i][1]);
    return tmap_type_find(name);
}

static void set_type(tmap_given_map *map, int type) {
    if (type < 0) return;
    map->params.type = (tmap_type)type;
    map->known |= FIELD(TYPE);
}

/* For texts that state only the bytes of an element: every type of this size has the same bytes in a copy. */
static void set_element_B(tmap_given_map *map, uint64_t bytes) {
    set_type(map, tmap_type_find(bytes == 1 ? "u8" : bytes == 2 ? "u16" : bytes == 4 ? "u32" : "u64"));
}

static void set_swizzle(tmap_given_map *map, uint64_t bytes) {
    const char *name = bytes == 0 ? "none" : bytes == 32 ? "32B" : bytes == 64 ? "64B" : bytes == 128 ? "128B" : NULL;
    int swizzle = name ? tmap_swizzle_find(name) : -1;
    if (swizzle < 0) return;
    map->params.swizzle = (tmap_swizzle)swizzle;
    map->known |= FIELD(SWIZZLE);
}

static bool set_swizzle_of_driver(tmap_given_map *map, uint64_t number) {
    const tmap_swizzle_info *swizzle;
    for (int i = 0; (swizzle = tmap_swizzle_get(i)) != NULL; i++) {
        if ((uint64_t)swizzle->cu != number) continue;
        map->params.swizzle = (tmap_swizzle)i;
        map->known |= FIELD(SWIZZLE);
        return true;
    }
    return false;
}

static void set_box(tmap_given_map *map, uint64_t rank) {
    map->params.rank = rank;
    for (uint64_t i = 0; i < rank; i++) map->params.element_strides[i] = 1;
    if (rank > 0) map->known |= FIELD(RANK) | FIELD(BOX) | FIELD(MODE) | FIELD(INTERLEAVE) | FIELD(ELEMENT_STRIDES);
}

/* Triton and MLIR copy a tile in boxes that are not wider than the swizzle, and have at most 256 elements. */
static void cut_box(tmap_given_map *map) {
    const tmap_type_info *type = tmap_type_get((int)map->params.type);
    const tmap_swizzle_info *swizzle = tmap_swizzle_get((int)map->params.swizzle);
    uint64_t widest = swizzle->span_B && type->bits >= 8 ? swizzle->span_B / ((uint64_t)type->bits / 8) : TMAP_BOX_MAX;
    for (uint64_t i = 0; i < map->params.rank; i++) {
        uint64_t most = i == 0 ? widest : TMAP_BOX_MAX;
        if (map->params.box_el[i] > most) map->params.box_el[i] = most;
    }
}

/* Reads 64x32xf16, outermost first. */
static bool read_shape(span s, tmap_given_map *map) {
    uint64_t sizes[TMAP_RANK_MAX], n = 0;
    while (n < TMAP_RANK_MAX && read_number(&s, &sizes[n])) {
        if (s.at == s.end || *s.at != 'x') return false;
        s.at++;
        n++;
    }
    name_text type = name_at(s);
    if (n == 0) return false;
    for (uint64_t i = 0; i < n; i++) map->params.box_el[i] = sizes[n - 1 - i];
    set_box(map, n);
    set_type(map, type_named(type.text));
    return (map->known & FIELD(TYPE)) != 0;
}

static tmap_given_map *add(found_maps *found, const char *origin) {
    tmap_given_map *map = found->n < found->capacity ? &found->maps[found->n] : &found->spare;
    found->n++;
    *map = (tmap_given_map){.origin = origin};
    return map;
}

/* Reads a map at each place after a word. */
static void read_each(found_maps *found, span text, const char *word, void (*read)(found_maps *found, span at)) {
    for (span at = after(text, word); at.at && found->n < MAPS_MAX; at = after(at, word)) read(found, at);
}

/* ---- Triton ---- */

/* Reads an integer. Fails for a number in quotes, and for a decimal number such as 1.5. */
static bool whole_number_of(span s, const char *key, uint64_t *number) {
    span value = value_of(s, key);
    bool quoted = value.at && strchr("'\"", value.at[-1]);
    return value.at && !quoted && read_number(&value, number) && (value.at == value.end || !strchr(".eE", *value.at));
}

/* "swizzle is 7; it must be 0, 1, 2 or 3" */
static void refuse_value(tmap_given_map *map, span item, const char *key, const char *allowed) {
    span value = value_of(item, key);
    if (value.at && strchr("'\"", value.at[-1])) value.at--;
    bool list = value.at && (*value.at == '[' || *value.at == '(');
    int size = 0;
    while (value.at && value.at + size < value.end && size < 30 && !strchr(list ? "])}" : ",}", value.at[size])) size++;
    TMAP_SAY(map->wrong, "%s is %.*s%s; it must be %s", key, size > 0 ? size : 7, size > 0 ? value.at : "missing",
             !list              ? ""
             : *value.at == '[' ? "]"
                                : ")",
             allowed);
}

/* The list "tensordesc_meta" of a kernel's metadata, as JSON or as Python prints it. */
static void read_metadata(found_maps *found) {
    span rest = value_of(found->text, "tensordesc_meta"), list = inside(&rest, '[', ']'), item;
    if (!list.at) return;
    while ((item = inside(&list, '{', '}')).at) {
        uint64_t number, rank;
        tmap_given_map *map = add(found, "metadata of Triton");
        name_text kernel = name_at(value_of(found->text, "name"));
        if (kernel.size > 0) memcpy(map->kernel, kernel.text, kernel.size);
        bool im2col = begins(value_of(item, "is_im2col"), "true") || begins(value_of(item, "is_im2col"), "True");
        set_type(map, whole_number_of(item, "elem_type", &number) ? ptx_type_of_code(number, false) : -1);
        if (!(map->known & FIELD(TYPE))) refuse_value(map, item, "elem_type", "0 to 15, as in tensormap.replace");
        if (!whole_number_of(item, "swizzle", &number) || !set_swizzle_of_driver(map, number))
            refuse_value(map, item, "swizzle", "0 (none), 1 (32B), 2 (64B) or 3 (128B)");
        set_box(map, rank = read_reversed(value_of(item, "block_size"), map->params.box_el));
        if (rank == 0) refuse_value(map, item, "block_size", "a list of 1 to 5 numbers");
        if (!im2col) continue;
        map->params.mode = TMAP_MODE_IM2COL;
        map->params.channels_per_pixel = map->params.box_el[0];
        map->params.pixels_per_column = map->params.box_el[1];
        map->known = (map->known | FIELD(CHANNELS_PER_PIXEL) | FIELD(PIXELS_PER_COLUMN)) &
                     ~(FIELD(RANK) | FIELD(BOX) | FIELD(ELEMENT_STRIDES));
    }
}

/* swizzlingByteWidth of the encoding after the shape: "#shared" of tensordesc<64x32xf16, #shared>. */
static void read_encoding(const found_maps *found, span type, tmap_given_map *map) {
    char alias[56];
    uint64_t bytes;
    name_text encoding = name_at(after(type, "#"));
    if (encoding.size == 0) return;
    TMAP_SAY(alias, "#%s =", encoding.text);
    span definition = after(found->text, alias);
    if (!definition.at) return;
    span line = line_of(definition);
    if (!number_of(line, "swizzlingByteWidth", &bytes)) return;
    set_swizzle(map, bytes);
    cut_box(map);
    /* b4x16_p64 in place of bytes, in a box twice as wide; blocks of a cluster (CTASplitNum, CGALayout) share a tile */
    if (begins(value_of(line, "fp4Padded"), "true")) map->known &= ~(FIELD(TYPE) | FIELD(BOX));
    if (after(line, "CTA").at || after(line, "CGA").at) map->known &= ~FIELD(BOX);
}

static void read_descriptor_type(found_maps *found, span type, bool in_kernel) {
    tmap_given_map *map = add(found, "IR of Triton");
    map->in_kernel = in_kernel;
    if (begins(type, "tensor<")) type.at += strlen("tensor<");
    if (!read_shape(type, map)) {
        found->n--;
        return;
    }
    read_encoding(found, type, map);
    if (!(map->known & FIELD(SWIZZLE))) map->known &= ~FIELD(BOX); /* a swizzle may cut the box */
}

static void read_parameter(found_maps *found, span at) {
    span type = inside(&at, '<', '>');
    if (type.at) read_descriptor_type(found, type, false);
}

/* A map that the kernel makes. */
static void read_made(found_maps *found, span at) {
    span line = line_of(at), type, last = {NULL, NULL};
    while ((type = inside(&line, '<', '>')).at) last = type;
    if (last.at) read_descriptor_type(found, last, true);
}

/* The parameters of tt.func in TTIR and TTGIR. */
static void read_triton_ir(found_maps *found) {
    span rest = after(found->text, "tt.func");
    read_each(found, inside(&rest, '(', ')'), "tt.tensordesc", read_parameter);
}

/* ---- XLA, MLIR and Python ---- */

/* tma_descriptor<global_shape = [32, 256], tile_shape = [16, 32], …>; `layout` lists the dimensions, innermost first.
 */
static void read_xla(found_maps *found, span at) {
    at.at--;
    span in = inside(&at, '<', '>'), tile = value_of(in, "tile_shape");
    uint64_t number, layout[TMAP_RANK_MAX], box[TMAP_RANK_MAX], dims[TMAP_RANK_MAX];
    if (!in.at) return;
    tmap_given_map *map = add(found, "a text of XLA");
    if (!tile.at) tile = value_of(in, "block_shape");
    uint64_t rank = read_reversed(tile, box), dims_n = read_reversed(value_of(in, "global_shape"), dims);
    uint64_t order_n = read_reversed(value_of(in, "layout"), layout);
    for (uint64_t i = 0; i < rank; i++) {
        uint64_t d = order_n == rank && layout[rank - 1 - i] < rank ? rank - 1 - layout[rank - 1 - i] : i;
        map->params.box_el[i] = box[d];
        map->params.dims_el[i] = dims_n == rank ? dims[d] : 0;
    }
    set_box(map, rank);
    if (number_of(in, "element_byte_size", &number)) set_element_B(map, number);
    if (number_of(in, "swizzle_mode", &number)) set_swizzle(map, number);
    if (dims_n == rank && (map->known & FIELD(TYPE)) && tmap_map_params_dense(&map->params))
        map->known |= FIELD(DIMS) | FIELD(STRIDES);
}

/* <tensor = memref<128x64xf16, 3>, swizzle = swizzle_128b, l2promo = none, oob = zero, interleave = none> */
static void read_nvgpu_map(found_maps *found, span at) {
    uint64_t bytes;
    span tensor = after(at, "tensor = memref<");
    if (!tensor.at) return;
    span swizzle = value_of(line_of(tensor), "swizzle"), fill = value_of(line_of(tensor), "oob");
    tmap_given_map *map = add(found, "nvgpu of MLIR");
    if (!read_shape(tensor, map)) {
        found->n--;
        return;
    }
    if (begins(swizzle, "none")) set_swizzle(map, 0);
    if (begins(swizzle, "swizzle_")) swizzle.at += strlen("swizzle_");
    if (swizzle.at && read_number(&swizzle, &bytes)) set_swizzle(map, bytes);
    map->params.oob_fill = begins(fill, "nan") ? (tmap_oob_fill)1 : (tmap_oob_fill)0;
    map->known |= FIELD(OOB_FILL);
}

static void read_nvgpu(found_maps *found) {
    read_each(found, found->text, "tma.create.descriptor", read_nvgpu_map);
    if (found->n == 0) read_each(found, found->text, "tensormap.descriptor<", read_nvgpu_map); /* "!t = !nvgpu.…" */
}

/* TensorDescriptor(base=tensor(…, dtype=torch.float16), shape=[4096, 512], strides=[512, 1], block_shape=[64, 32], …)
 */
static void read_repr(found_maps *found, span at) {
    at.at--;
    span in = inside(&at, '(', ')'), type = after(in, "dtype=torch.");
    uint64_t strides[TMAP_RANK_MAX];
    if (!in.at) return;
    tmap_given_map *map = add(found, "a TensorDescriptor");
    set_type(map, type_named(name_at(type).text));
    uint64_t rank = read_reversed(value_of(in, "block_shape"), map->params.box_el);
    set_box(map, rank);
    map->known &= ~FIELD(BOX); /* a swizzle may cut the box */
    if (rank > 0 && read_reversed(value_of(in, "shape"), map->params.dims_el) == rank) map->known |= FIELD(DIMS);
    if (!(map->known & FIELD(TYPE)) || rank == 0 || read_reversed(value_of(in, "strides"), strides) != rank) return;
    bool fit = true;
    for (uint64_t i = 1; i < rank; i++) {
        map->params.strides_B[i - 1] = tmap_inner_global_B(tmap_type_get((int)map->params.type), strides[i]);
        fit &= map->params.strides_B[i - 1] < UINT64_MAX;
    }
    if (fit) map->known |= FIELD(STRIDES);
}

/* ---- The CuTe DSL ---- */

/* The thread blocks that share the loads of a type of map: num_multicast where the host makes such maps; 0: unknown. */
static uint64_t multicast_of(const found_maps *found, span type) {
    static const char key[] = "num_multicast = ";
    uint64_t number, same = 0;
    for (span at = after(found->text, key); at.at; at = after(at, key)) {
        span line = line_of(at), made = after(line, "atom.non_exec_tiled_tma_"), in = inside(&made, '<', '>');
        bool equal =
            in.at && in.end - in.at == type.end - type.at && memcmp(in.at, type.at, (size_t)(in.end - in.at)) == 0;
        if (!equal || !read_number(&line, &number)) continue;
        if (same != 0 && same != number) return 0;
        same = number;
    }
    return same;
}

/* CUTLASS, make_tma_copy_desc: the blocks of a multicast cut the box, the outermost dimension first. */
static void cut_multicast(tmap_given_map *map, uint64_t blocks) {
    if (blocks == 0) map->known &= ~FIELD(BOX);
    for (uint64_t i = map->params.rank; i-- > 0;) {
        uint64_t size = map->params.box_el[i];
        map->params.box_el[i] = tmap_ceil_div(size, blocks);
        blocks = size > 0 ? tmap_ceil_div(blocks, size) : 1;
    }
}

/* The parameters of cuda.kernel: !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 131072, tma_gbasis =
 * <"(64,128):(1@1,1@0)">, …>. The shape of the basis is the box, innermost first, before a multicast cuts it. */
static void read_cute_map(found_maps *found, span at) {
    span in = inside(&at, '<', '>'), basis = after(in, "tma_gbasis = <\"");
    uint64_t n = 0, blocks = in.at ? multicast_of(found, in) : 0;
    if (!basis.at) return;
    tmap_given_map *map = add(found, "IR of the CuTe DSL");
    for (skip(&basis, "("); n < TMAP_RANK_MAX && read_number(&basis, &map->params.box_el[n]); n++) skip(&basis, ",()");
    if (n > 0 && begins(basis, ":")) set_box(map, n);
    for (skip(&in, " "); in.at < in.end && !begins(in, "copy_bits"); skip(&in, ", ")) {
        char word[24] = "";
        size_t size = 0;
        while (in.at + size < in.end && in.at[size] != ',') size++;
        TMAP_SAY(word, "%.*s", (int)(size < sizeof word ? size : 0), in.at);
        set_type(map, type_named(word));
        if (strstr(word, "multicast")) cut_multicast(map, blocks);
        in.at += size;
    }
}

static void read_cute(found_maps *found) {
    span rest = after(found->text, "cuda.kernel @"), arguments = inside(&rest, '(', ')');
    read_each(found, arguments, "atom.non_exec_tiled_tma_", read_cute_map);
}

/* ---- tilelang ---- */

#define SLOTS_MAX 40

/* Slot i of stack_ffi_any holds argument i of the call that follows. */
typedef struct ffi_slots {
    uint64_t values[SLOTS_MAX];
    bool known[SLOTS_MAX];
} ffi_slots;

static void read_slot(ffi_slots *slots, span line) {
    uint64_t slot, number;
    span at = after(line, "stack_ffi_any)[");
    if (!at.at || !read_number(&at, &slot) || slot >= SLOTS_MAX || !begins(at, "].v_int64) = ((int64_t)")) return;
    at.at += strlen("].v_int64) = ((int64_t)");
    bool minus = begins(at, "-");
    at.at += minus;
    slots->known[slot] = read_number(&at, &number) && begins(at, ")");
    if (slots->known[slot]) slots->values[slot] = minus ? 0 - number : number;
}

/* Takes `n` numbers from slot *at on. Returns whether all are known. */
static bool take_slots(const ffi_slots *slots, uint64_t *at, uint64_t n, uint64_t *numbers) {
    bool known = true;
    for (uint64_t i = 0; i < n; i++, (*at)++) {
        numbers[i] = slots->values[*at];
        known &= slots->known[*at];
    }
    return known;
}

/* Takes the corners, the pixels and the channels of cuTensorMapEncodeIm2col, in tilelang's order. */
static void take_im2col(tmap_given_map *map, const ffi_slots *slots, uint64_t *at) {
    uint64_t rank = map->params.rank, corners_n = rank - 2, sizes[2], lower[TMAP_RANK_MAX], upper[TMAP_RANK_MAX];
    map->params.mode = TMAP_MODE_IM2COL;
    bool corners = take_slots(slots, at, corners_n, lower);
    corners &= take_slots(slots, at, corners_n, upper);
    for (uint64_t i = 0; corners && i < corners_n; i++) {
        map->params.lower_corner[i] = (int64_t)lower[i];
        map->params.upper_corner[i] = (int64_t)upper[i];
    }
    if (corners) map->known |= FIELD(LOWER_CORNER) | FIELD(UPPER_CORNER);
    if (!take_slots(slots, at, 2, sizes)) return;
    map->params.pixels_per_column = sizes[0];
    map->params.channels_per_pixel = sizes[1];
    map->known |= FIELD(CHANNELS_PER_PIXEL) | FIELD(PIXELS_PER_COLUMN);
}

/* The arguments of cuTensorMapEncodeTiled after the map: type, rank, address, sizes, strides with that of the element;
 * of cuTensorMapEncodeIm2col likewise. */
static void add_tilelang(found_maps *found, const ffi_slots *slots, bool im2col) {
    tmap_given_map *map = add(found, "the host code of tilelang");
    uint64_t rank = slots->known[2] ? slots->values[2] : 0, at = 4, strides[TMAP_RANK_MAX], rest[4];
    if (rank == 0 || rank > TMAP_RANK_MAX || (im2col && rank < 3)) return;
    if (slots->known[1]) set_type(map, ptx_type_of_code(slots->values[1], true));
    if (take_slots(slots, &at, rank, map->params.dims_el)) map->known |= FIELD(DIMS);
    if (take_slots(slots, &at, rank, strides)) map->known |= FIELD(STRIDES);
    memcpy(map->params.strides_B, strides + 1, (rank - 1) * sizeof *strides);
    if (im2col || take_slots(slots, &at, rank, map->params.box_el)) set_box(map, rank);
    if (!take_slots(slots, &at, rank, map->params.element_strides)) map->known &= ~FIELD(ELEMENT_STRIDES);
    if (im2col) {
        map->known &= ~FIELD(BOX);
        take_im2col(map, slots, &at);
    }
    if (!take_slots(slots, &at, 4, rest)) return;
    map->params.interleave = (tmap_interleave)(rest[0] < 3 ? rest[0] : 0);
    set_swizzle_of_driver(map, rest[1]);
    map->params.l2_promotion = (tmap_l2_promotion)(rest[2] < 4 ? rest[2] : 0);
    map->params.oob_fill = (tmap_oob_fill)(rest[3] & 1);
    map->known |= FIELD(L2_PROMOTION) | FIELD(OOB_FILL);
}

#define LABELS_MAX 64 /* later maps stay in the order of their creation */

/* The arguments of the kernel follow the creations: moves the map with this label after those that are in their order.
 */
static void place(found_maps *found, span labels[LABELS_MAX], size_t *placed, span label) {
    size_t size = (size_t)(label.end - label.at);
    for (size_t i = *placed; i < found->n && i < found->capacity && i < LABELS_MAX; i++) {
        if ((size_t)(labels[i].end - labels[i].at) != size || memcmp(labels[i].at, label.at, size) != 0) continue;
        tmap_given_map map = found->maps[i];
        found->maps[i] = found->maps[*placed];
        labels[i] = labels[*placed];
        found->maps[*placed] = map;
        labels[(*placed)++] = label;
        return;
    }
}

static void read_tilelang(found_maps *found) {
    ffi_slots slots = {.known = {false}};
    span labels[LABELS_MAX], label = {found->text.at, found->text.at}, pointer;
    size_t placed = 0;
    for (span rest = found->text; rest.at < rest.end;) {
        span line = line_of(rest);
        rest.at = line.end + (line.end < rest.end);
        read_slot(&slots, line);
        if ((pointer = after(line, "].v_ptr) = ")).at) place(found, labels, &placed, pointer);
        if ((pointer = after(line, "[0].v_ptr) = ")).at) label = pointer;
        if (found->n < LABELS_MAX) labels[found->n] = label;
        bool im2col = after(line, "FunctionCall(__tvm_tensormap_create_im2col").at;
        if (im2col || after(line, "FunctionCall(__tvm_tensormap_create_tiled").at) add_tilelang(found, &slots, im2col);
    }
}

/* ---- All forms ---- */

size_t tmap_given_maps_read(const char *text, size_t size, tmap_given_map *maps, size_t capacity) {
    static const struct {
        const char *word;
        void (*read)(found_maps *found);
        void (*read_each)(found_maps *found, span at); /* after each of the words */
    } forms[] = {{"tensordesc_meta", read_metadata},
                 {"__tvm_tensormap_create_", read_tilelang},
                 {"atom.non_exec_tiled_tma_", read_cute},
                 {"tma_descriptor<", .read_each = read_xla},
                 {"tensor = memref<", read_nvgpu},
                 {"tt.func", read_triton_ir},
                 {"tt.make_tensor_descriptor", .read_each = read_made},
                 {"TensorDescriptor(", .read_each = read_repr}};
    found_maps found = {.text = {text, text + size}, .maps = maps, .capacity = capacity};
    bool read = false;
    for (size_t i = 0; i < sizeof forms / sizeof *forms && found.n == 0; i++) {
        if (!after(found.text, forms[i].word).at) continue;
        if (forms[i].read) forms[i].read(&found);
        if (forms[i].read_each) read_each(&found, found.text, forms[i].word, forms[i].read_each);
        read = true;
    }
    return read ? found.n : SIZE_MAX;
}
