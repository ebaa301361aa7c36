/*
 * Methods of maps that read plain arguments without a frame of Python. A method is made of a function of Python. If the
 * arguments are not plain, or there are findings, the method calls this function, which converts and judges everything.
 */
#include "objects.h"

#include <stddef.h>
#include <string.h>

/* The arguments, by their names. */
// clang-format off
#define ARGUMENTS(A) \
    A(source) A(target) A(at) A(column) A(rows) A(image) A(out) A(shared) A(op) A(address) A(encoder) A(type) \
    A(dims) A(box) A(array) A(strides) A(element_strides) A(order) A(arch) A(swizzle) A(interleave) \
    A(l2_promotion) A(oob_fill) A(base) A(shape) A(block_shape) A(padding) A(fp4_padded)
// clang-format on
#define NUMBER(name) A_##name,
#define NAME(name)   #name,
typedef enum argument { A_NONE, ARGUMENTS(NUMBER) A_COUNT } argument;
static const char *const names[A_COUNT] = {"", ARGUMENTS(NAME)};
static PyObject *interned[A_COUNT];

typedef enum member { M_map, M_order, M_axes, M_arch, M_type, M_COUNT } member;
static const char *const member_names[M_COUNT] = {"_map", "_order", "_axes", "_arch", "tmap_map *"};
static PyObject *members[M_COUNT];

typedef PyObject *call(PyObject *self, PyObject *const *values);

/* What a method reads. Only the first positional_n arguments are read by position, and only required_n are required. */
typedef struct form {
    const char *name;
    call *run;
    int positional_n, required_n;
    argument arguments[16]; /* to A_NONE */
} form;

typedef struct method_object {
    PyObject ob_base;
    PyObject *function;
    const form *form;
} method_object;

static bool is_word(PyObject *object, const char *word) {
    return PyUnicode_Check(object) && PyUnicode_CompareWithASCIIString(object, word) == 0;
}

/* What was made; an exception of the reading, or of an attribute that is missing, is dropped. */
static PyObject *made_or_none(PyObject *made) {
    if (!made && PyErr_ExceptionMatches(PyExc_Exception)) PyErr_Clear();
    return made;
}

/* ---- Copies ----------------------------------------------------------------------------------------------------- */

static PyObject *copied(PyObject *self, const char *op, PyObject *tensor, PyObject *at, PyObject *image,
                        PyObject *const *values) {
    tmap_native_request request = {.map = self, .tensor = tensor, .at = at, .image = image};
    request.params.op = (tmap_op)tmap_op_find(op);
    if (values[A_shared] && !tmap_native_unsigned(values[A_shared], &request.params.shared)) return made_or_none(NULL);
    return tmap_native_run(&request);
}

static PyObject *run_load(PyObject *self, PyObject *const *values) {
    return copied(self, "load", values[A_source], values[A_at], values[A_out] ? values[A_out] : Py_None, values);
}

static PyObject *run_store(PyObject *self, PyObject *const *values) {
    return copied(self, "store", values[A_target], values[A_at], values[A_image], values);
}

static PyObject *run_reduce(PyObject *self, PyObject *const *values) {
    const char *op = PyUnicode_Check(values[A_op]) ? PyUnicode_AsUTF8AndSize(values[A_op], NULL) : NULL;
    char name[24];
    int length = op ? PyOS_snprintf(name, sizeof name, "reduce_%s", op) : -1;
    if (length < 0 || (size_t)length >= sizeof name || tmap_op_find(name) < 0) return made_or_none(NULL);
    return copied(self, name, values[A_target], values[A_at], values[A_image], values);
}

static PyObject *four_rows(PyObject *self, const char *op, PyObject *tensor, PyObject *image, PyObject *const *values) {
    PyObject *at = Py_BuildValue("(OO)", values[A_column], values[A_rows]);
    PyObject *made = at ? copied(self, op, tensor, at, image, values) : NULL;
    Py_DecRef(at);
    return made;
}

static PyObject *run_gather4(PyObject *self, PyObject *const *values) {
    return four_rows(self, "gather4", values[A_source], Py_None, values);
}

static PyObject *run_scatter4(PyObject *self, PyObject *const *values) {
    return four_rows(self, "scatter4", values[A_target], values[A_image], values);
}

/* ---- Makers ----------------------------------------------------------------------------------------------------- */

/* The number of a name; None is the first. */
static bool read_choice(PyObject *value, PyObject *numbers, int *number) {
    if (!value || value == Py_None) return true;
    PyObject *found = PyUnicode_CheckExact(value) ? PyDict_GetItemWithError(numbers, value) : NULL;
    if (found) *number = (int)PyLong_AsLong(found);
    return found != NULL;
}

/* As read_choice, also of a number of bytes, from 16 on. */
static bool read_size(PyObject *value, PyObject *numbers, int *number) {
    if (!value || !PyLong_CheckExact(value)) return read_choice(value, numbers, number);
    long size_B = PyLong_AsLong(value);
    PyObject *word = size_B >= 16 ? PyUnicode_FromFormat("%ldB", size_B) : NULL;
    bool read = size_B == 0 || (word && read_choice(word, numbers, number));
    Py_DecRef(word);
    return read;
}

static bool read_choices(PyObject *const *values, tmap_map_params *params) {
    int swizzle = 0, interleave = 0, promotion = 0, fill = 0;
    bool read = read_size(values[A_swizzle], tmap_names.swizzles, &swizzle) &&
                read_size(values[A_interleave], tmap_names.interleaves, &interleave) &&
                read_size(values[A_l2_promotion], tmap_names.promotions, &promotion) &&
                read_choice(values[A_oob_fill], tmap_names.fills, &fill);
    params->swizzle = (tmap_swizzle)swizzle, params->interleave = (tmap_interleave)interleave;
    params->l2_promotion = (tmap_l2_promotion)promotion, params->oob_fill = (tmap_oob_fill)fill;
    return read;
}

/* Reads `rank` numbers, none of them negative. */
static bool read_sizes(PyObject *sequence, int rank, bool reversed, uint64_t *to) {
    int64_t numbers[TMAP_RANK_MAX];
    if (!tmap_native_numbers(sequence, (size_t)rank, reversed, numbers)) return false;
    for (int i = 0; i < rank; i++) to[i] = (uint64_t)numbers[i];
    for (int i = 0; i < rank; i++)
        if (numbers[i] < 0) return false;
    return true;
}

static bool read_box(PyObject *const *values, bool reversed, tmap_map_params *params) {
    int rank = (int)params->rank;
    PyObject *steps = values[A_element_strides];
    if (!read_sizes(values[A_box], rank, reversed, params->box_el)) return false;
    return !steps || steps == Py_None || read_sizes(steps, rank, reversed, params->element_strides);
}

static bool read_tensor(PyObject *const *values, bool reversed, tmap_map_params *params) {
    int type = -1, rank = (int)tmap_native_length(values[A_dims]);
    PyObject *strides = values[A_strides];
    if (rank < 1 || rank > TMAP_RANK_MAX || !read_choice(values[A_type], tmap_names.types, &type)) return false;
    *params = tmap_map_params_tiled((tmap_type)type, rank);
    if (!read_sizes(values[A_dims], rank, reversed, params->dims_el)) return false;
    if (!strides || strides == Py_None) return tmap_map_params_dense(params);
    return tmap_native_length(strides) == rank - 1 && read_sizes(strides, rank - 1, reversed, params->strides_B);
}

/* Sets a member by its interned name, and releases the value. */
static bool set(PyObject *object, member number, PyObject *value) {
    bool done = value && PyObject_SetAttr(object, members[number], value) == 0;
    Py_DecRef(value);
    return done;
}

static bool read_address(PyObject *value, tmap_map_params *params) {
    if (!value || value == Py_None) return true;
    params->has_address = true;
    return tmap_native_unsigned(value, &params->address);
}

/* One architecture, or none. */
static bool read_arch(PyObject *value, tmap_archs *archs) {
    if (!value || value == Py_None) return true;
    const char *name = PyUnicode_CheckExact(value) ? PyUnicode_AsUTF8AndSize(value, NULL) : NULL;
    int number = name ? tmap_arch_find(name) : -1;
    if (number >= 0) *archs = (tmap_archs)1 << number;
    return number >= 0;
}

/* The map of class TensorMap, if there are no findings. */
static PyObject *map_of(const tmap_map_params *params, PyObject *order, PyObject *arch) {
    tmap_diags diags = {.fixed = true};
    tmap_judge judge = {0};
    tmap_map map;
    if (!read_arch(arch, &judge.archs)) return NULL;
    if (tmap_map_init(&map, params, &judge, &diags) != TMAP_OK || diags.dropped) return NULL;
    PyObject *self = PyType_GenericAlloc((PyTypeObject *)(void *)tmap_names.tensor_map, 0);
    PyObject *content = PyBytes_FromStringAndSize((const char *)&map, sizeof map);
    bool made =
        self && content &&
        set(self, M_map, PyObject_CallFunctionObjArgs(tmap_names.from_buffer, members[M_type], content, NULL)) &&
        set(self, M_order, Py_NewRef(order)) && set(self, M_axes, PyTuple_New(0)) &&
        set(self, M_arch, arch && arch != Py_None ? PyTuple_Pack(1, arch) : Py_NewRef(Py_None));
    Py_DecRef(content);
    if (made) return self;
    Py_DecRef(self);
    return NULL;
}

/* Whether the order is "outer" or "inner"; *order: the argument, or the default. */
static bool read_order(PyObject **order, bool *outer) {
    if (!*order) *order = tmap_names.outer;
    *outer = is_word(*order, "outer");
    return *outer || is_word(*order, "inner");
}

static PyObject *run_tiled(PyObject *self, PyObject *const *values) {
    tmap_map_params params;
    PyObject *order = values[A_order], *array = values[A_array];
    bool outer, read = self == tmap_names.tensor_map && read_order(&order, &outer) &&
                       (array ? tmap_native_params(array, &params) : read_tensor(values, outer, &params)) &&
                       read_box(values, outer, &params) && read_choices(values, &params) &&
                       read_address(values[A_address], &params);
    return made_or_none(read ? map_of(&params, order, values[A_arch]) : NULL);
}

/* ---- Triton ----------------------------------------------------------------------------------------------------- */

/* The widest swizzle that the rows of a block fill; Triton's default (NVMMASharedLayout.get_default_for). A gather or
 * scatter has at least 8 rows (DescriptorGatherOp). The numbers are reduced first, which changes no comparison and no
 * remainder, so that no product overflows. */
static tmap_swizzle swizzle_of(const uint64_t *block, int rank, uint32_t bits, bool gathers) {
    uint64_t rows = gathers ? 8 : 1, columns = block[0] < 1024 ? block[0] : 1024 + block[0] % 1024;
    uint64_t row_B = columns * bits / 8;
    for (int i = 1; i < rank; i++) rows *= block[i] < 8 ? block[i] : 8;
    int swizzle = rank > 1 && rows >= 8 ? TMAP_SWIZZLE_128B : TMAP_SWIZZLE_NONE;
    while (swizzle && (row_B < tmap_swizzle_get(swizzle)->span_B || row_B % tmap_swizzle_get(swizzle)->span_B))
        swizzle--;
    return (tmap_swizzle)swizzle;
}

/* span(block, bits, gathers): the bytes of this swizzle; 0 for none. */
PyObject *tmap_native_span(PyObject *module, PyObject *args) {
    PyObject *block;
    int bits, gathers;
    uint64_t sizes[TMAP_RANK_MAX];
    (void)module;
    if (!PyArg_ParseTuple(args, "Oip", &block, &bits, &gathers)) return NULL;
    int rank = (int)tmap_native_length(block);
    bool read = rank > 0 && rank <= TMAP_RANK_MAX && read_sizes(block, rank, true, sizes);
    PyErr_Clear();
    return PyLong_FromUnsignedLong(
        read ? tmap_swizzle_get((int)swizzle_of(sizes, rank, (uint32_t)bits, gathers))->span_B : 0);
}

/* The swizzle, unless the call has one, and the box: at most 256 elements in each dimension, and a row at most as wide
 * as the swizzle (getTMABlockShape). Returns false for a block of one row, whose swizzle depends on its use. */
static bool read_block(PyObject *const *values, uint32_t bits, tmap_map_params *params) {
    int rank = (int)params->rank;
    uint64_t *box = params->box_el;
    if (!read_sizes(values[A_block_shape], rank, true, box)) return false;
    if (!values[A_swizzle] || values[A_swizzle] == Py_None) {
        params->swizzle = swizzle_of(box, rank, bits, false);
        if (rank == 2 && box[1] == 1 && params->swizzle != swizzle_of(box, rank, bits, true)) return false;
    }
    for (int i = 0; i < rank; i++) box[i] = box[i] < 256 ? box[i] : 256;
    uint64_t span_B = params->swizzle <= TMAP_SWIZZLE_128B ? tmap_swizzle_get((int)params->swizzle)->span_B : 0;
    if (span_B && box[0] * bits > 8 * span_B) box[0] = 8 * span_B / bits;
    return true;
}

/* Reads the strides, which count elements. No map has those from 2^40 on. */
static bool read_steps(PyObject *strides, uint32_t bits, tmap_map_params *params) {
    uint64_t steps[TMAP_RANK_MAX];
    int rank = (int)params->rank;
    if (!strides || strides == Py_None) return tmap_map_params_dense(params);
    if (!read_sizes(strides, rank, true, steps) || steps[0] != 1) return false;
    for (int i = 1; i < rank; i++) params->strides_B[i - 1] = steps[i] >> 40 ? UINT64_MAX : steps[i] * bits / 8;
    return true;
}

/* Whether an array has the sizes and the strides of the call. Only tensors of PyTorch have their address. */
static bool read_base(PyObject *const *values, const tmap_map_params *own, tmap_map_params *params) {
    if (own->rank != params->rank || memcmp(own->dims_el, params->dims_el, sizeof own->dims_el) != 0 ||
        memcmp(own->strides_B, params->strides_B, sizeof own->strides_B) != 0)
        return false;
    if (!values[A_address]) params->has_address = own->has_address, params->address = own->address;
    return !params->has_address || PyObject_HasAttrString(values[A_base], "data_ptr");
}

/* The map of a type, or of an array. */
static PyObject *triton_map(PyObject *const *values) {
    tmap_map_params own, params;
    PyObject *base = values[A_base], *padding = values[A_padding];
    int type = -1, rank = (int)tmap_native_length(values[A_shape]);
    bool is_name = PyUnicode_CheckExact(base), nan = padding && is_word(padding, "nan");
    if (rank < 1 || rank > TMAP_RANK_MAX || (padding && !nan && !is_word(padding, "zero"))) return NULL;
    if (base == Py_None || !(is_name ? read_choice(base, tmap_names.types, &type) : tmap_native_params(base, &own)))
        return NULL;
    params = tmap_map_params_tiled(is_name ? (tmap_type)type : own.type, (uint64_t)rank);
    uint32_t bits = (uint32_t)tmap_type_get((int)params.type)->bits;
    bool read = bits >= 8 && read_sizes(values[A_shape], rank, true, params.dims_el) && read_choices(values, &params) &&
                read_steps(values[A_strides], bits, &params) && read_block(values, bits, &params) &&
                read_address(values[A_address], &params) && (is_name || read_base(values, &own, &params));
    if (!values[A_l2_promotion]) params.l2_promotion = TMAP_L2_PROMOTION_128B;
    if (!values[A_oob_fill]) params.oob_fill = nan ? TMAP_OOB_FILL_NAN : TMAP_OOB_FILL_ZERO;
    return read ? map_of(&params, tmap_names.outer, values[A_arch]) : NULL;
}

/* The map of a TensorDescriptor of Triton. Those of Gluon have a layout. */
static PyObject *described_map(PyObject *const *values) {
    static const argument described[] = {A_base, A_shape, A_strides, A_block_shape, A_padding};
    enum { N = sizeof described / sizeof *described };
    PyObject *given[A_COUNT], *from = values[A_base], *rounds = PyObject_GetAttrString(from, "round_f32_to_tf32");
    bool read = rounds == Py_False && !PyObject_HasAttrString(from, "layout") &&
                !PyObject_HasAttrString(from, "pixel_box_lower_corner");
    memcpy(given, values, sizeof given);
    for (int i = 0; i < N; i++) {
        given[described[i]] = read ? PyObject_GetAttr(from, interned[described[i]]) : NULL;
        read = given[described[i]] != NULL;
    }
    PyObject *made = read ? triton_map(given) : NULL;
    for (int i = 0; i < N; i++) Py_DecRef(given[described[i]]);
    Py_DecRef(rounds);
    return made;
}

static PyObject *run_of_triton(PyObject *self, PyObject *const *values) {
    bool plain = self == tmap_names.tensor_map && (!values[A_fp4_padded] || values[A_fp4_padded] == Py_False);
    if (plain && values[A_shape] && values[A_block_shape]) return made_or_none(triton_map(values));
    plain = plain && !values[A_shape] && !values[A_strides] && !values[A_block_shape] && !values[A_padding];
    return made_or_none(plain ? described_map(values) : NULL);
}

/* ---- Descriptors ------------------------------------------------------------------------------------------------ */

static PyObject *run_descriptor(PyObject *self, PyObject *const *values) {
    PyObject *owner, *word = values[A_encoder];
    const tmap_native_map *held = tmap_native_held_map(self, &owner);
    bool driver = word && is_word(word, "driver");
    tmap_map map;
    tmap_descriptor descriptor;
    tmap_diags diags = {.fixed = true};
    bool made = held && (driver || !word || is_word(word, "dsl"));
    if (made) {
        tmap_map_params params = held->map->params;
        params.has_address = true;
        made = tmap_native_unsigned(values[A_address], &params.address) &&
               tmap_map_init(&map, &params, held->judge, &diags) == TMAP_OK && diags.dropped == 0 &&
               tmap_descriptor_encode_as(&map, driver ? TMAP_ENCODER_DRIVER : TMAP_ENCODER_DSL, &descriptor);
    }
    Py_DecRef(owner);
    return made_or_none(made ? PyBytes_FromStringAndSize((const char *)&descriptor, sizeof descriptor) : NULL);
}

#define OF_MAPS A_element_strides, A_order, A_arch, A_swizzle, A_interleave, A_l2_promotion, A_oob_fill
static const form forms[] = {
    {"tiled", run_tiled, 4, 3, {A_type, A_dims, A_box, A_strides, A_address, OF_MAPS}},
    {"of", run_tiled, 2, 2, {A_array, A_box, OF_MAPS}},
    {"of_triton",
     run_of_triton,
     4,
     1,
     {A_base, A_shape, A_strides, A_block_shape, A_padding, A_fp4_padded, A_address, A_arch, A_swizzle, A_interleave,
      A_l2_promotion, A_oob_fill}},
    {"load", run_load, 2, 2, {A_source, A_at, A_shared, A_out}},
    {"store", run_store, 3, 3, {A_target, A_image, A_at, A_shared}},
    {"reduce", run_reduce, 4, 4, {A_target, A_image, A_op, A_at, A_shared}},
    {"gather4", run_gather4, 3, 3, {A_source, A_column, A_rows, A_shared}},
    {"scatter4", run_scatter4, 4, 4, {A_target, A_image, A_column, A_rows, A_shared}},
    {"descriptor", run_descriptor, 1, 1, {A_address, A_encoder}},
};

/* ---- Methods ---------------------------------------------------------------------------------------------------- */

static bool read_keyword(const form *form, PyObject *name, PyObject *value, PyObject **values) {
    int i = 0;
    while (form->arguments[i] && interned[form->arguments[i]] != name) i++;
    argument number = form->arguments[i];
    if (!number || values[number]) return false;
    values[number] = value;
    return true;
}

static bool read_arguments(const form *form, PyObject *args, PyObject *options, PyObject **values) {
    Py_ssize_t n = PyTuple_Size(args) - 1, next = 0;
    if (n < 0 || n > form->positional_n) return false;
    for (Py_ssize_t i = 0; i < n; i++) values[form->arguments[i]] = PyTuple_GetItem(args, i + 1);
    PyObject *name, *value;
    while (options && PyDict_Next(options, &next, &name, &value))
        if (!read_keyword(form, name, value, values)) return false;
    for (int i = 0; i < form->required_n; i++)
        if (!values[form->arguments[i]]) return false;
    return true;
}

/* Returns NULL without an exception if the function in Python must be called. */
static PyObject *run_form(const form *form, PyObject *args, PyObject *options) {
    PyObject *values[A_COUNT] = {NULL};
    return read_arguments(form, args, options, values) ? form->run(PyTuple_GetItem(args, 0), values) : NULL;
}

static PyObject *call_method(PyObject *self, PyObject *args, PyObject *options) {
    const method_object *method = (const method_object *)(void *)self;
    PyObject *made = run_form(method->form, args, options);
    return made || PyErr_Occurred() ? made : PyObject_Call(method->function, args, options);
}

static PyObject *bind(PyObject *self, PyObject *object, PyObject *type) {
    (void)type;
    return object ? PyObject_CallFunctionObjArgs(tmap_names.method_type, self, object, NULL) : Py_NewRef(self);
}

static PyObject *get_of_function(PyObject *self, void *name) {
    PyObject *function = ((method_object *)(void *)self)->function;
    return name ? PyObject_GetAttrString(function, name) : Py_NewRef(function);
}

static PyObject *get_attribute(PyObject *self, PyObject *name) {
    PyObject *found = PyObject_GenericGetAttr(self, name);
    if (found || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
    PyErr_Clear();
    return PyObject_GetAttr(((method_object *)(void *)self)->function, name);
}

static void free_method(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    Py_DecRef(((method_object *)(void *)self)->function);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DecRef((PyObject *)type);
}

static PyObject *method_type(void) {
    static PyGetSetDef attributes[] = {{"__wrapped__", get_of_function, NULL, NULL, NULL},
                                       {"__doc__", get_of_function, NULL, NULL, "__doc__"},
                                       {"__module__", get_of_function, NULL, NULL, "__module__"},
                                       {0}};
    static PyType_Slot slots[] = {{Py_tp_dealloc, free_method},    {Py_tp_call, call_method},  {Py_tp_descr_get, bind},
                                  {Py_tp_getattro, get_attribute}, {Py_tp_getset, attributes}, {0, NULL}};
    static PyType_Spec spec = {"libtmap._native.Method", sizeof(method_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_METHOD_DESCRIPTOR, slots};
    return PyType_FromSpec(&spec);
}

PyObject *tmap_native_method(PyObject *module, PyObject *function) {
    static PyObject *type;
    (void)module;
    for (int i = 0; !type && i < A_COUNT; i++) interned[i] = PyUnicode_InternFromString(names[i]);
    for (int i = 0; !type && i < M_COUNT; i++) members[i] = PyUnicode_InternFromString(member_names[i]);
    if (!type && !(type = method_type())) return NULL;
    PyObject *name = PyObject_GetAttrString(function, "__name__");
    const form *found = NULL;
    for (size_t i = 0; name && i < sizeof forms / sizeof *forms; i++)
        if (PyUnicode_CompareWithASCIIString(name, forms[i].name) == 0) found = &forms[i];
    Py_DecRef(name);
    PyObject *self = found ? PyType_GenericAlloc((PyTypeObject *)(void *)type, 0) : NULL;
    if (!self)
        return PyErr_Occurred() ? NULL
                                : PyErr_Format(PyExc_ValueError, "%R is not a method that is read here", function);
    ((method_object *)(void *)self)->function = Py_NewRef(function);
    ((method_object *)(void *)self)->form = found;
    return self;
}
