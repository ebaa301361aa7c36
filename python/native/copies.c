/* Runs one copy or many in one call of Python. */
#include "objects.h"

#include <stddef.h>
#include <string.h>

#include <structmember.h>

#include "tmap/unstable/emu_batch.h"

/* An image: libtmap.copies.Image is derived from it. */
typedef struct image_object {
    PyObject ob_base;
    PyObject *bytes, *map;
    tmap_copy_result result;
    tmap_copy_params params; /* of the first copy */
} image_object;

enum { REPORTED_MAX = 4 }; /* no copy has as many warnings */
enum { UNLOCKED_MIN = 8 }; /* copies that run without Python's global lock: fewer take less time than to release it */

/* The starts of copies: numbers_n numbers for each. */
typedef struct starts {
    int64_t few[80], *all; /* all: `few`, or allocated */
    size_t n, numbers_n;
    bool many, reversed;
} starts;

typedef struct prepared {
    const tmap_native_map *map;
    tmap_native_request *of;
    bool is_load, four_rows, stopped;
    tmap_memory memory;
    bool writable;
    starts starts;
} prepared;

/* ---- Starts ----------------------------------------------------------------------------------------------------- */

Py_ssize_t tmap_native_length(PyObject *sequence) {
    if (PyTuple_Check(sequence)) return PyTuple_Size(sequence);
    return PyList_CheckExact(sequence) ? PyList_Size(sequence) : -1;
}

static PyObject *item(PyObject *sequence, Py_ssize_t i) {
    return PyTuple_Check(sequence) ? PyTuple_GetItem(sequence, i) : PyList_GetItem(sequence, i);
}

bool tmap_native_numbers(PyObject *sequence, size_t n, bool reversed, int64_t *to) {
    if (tmap_native_length(sequence) != (Py_ssize_t)n) return false;
    for (size_t i = 0; i < n; i++) {
        PyObject *number = item(sequence, (Py_ssize_t)i);
        if (!PyLong_CheckExact(number)) return false;
        to[reversed ? n - 1 - i : i] = PyLong_AsLongLong(number);
    }
    return !PyErr_Occurred();
}

static bool reserve(starts *to, size_t n) {
    to->n = n;
    to->all = to->few;
    if (n > sizeof to->few / sizeof *to->few / to->numbers_n)
        to->all = PyMem_Malloc(n * to->numbers_n * sizeof *to->all);
    return to->all != NULL;
}

static int64_t integer_at(const uint8_t *place, const tmap_native_array *array) {
    int32_t narrow;
    int64_t wide;
    memcpy(&wide, place, array->tensor.dtype.bits == 64 ? 8 : 0);
    if (array->tensor.dtype.bits == 64) return wide;
    memcpy(&narrow, place, sizeof narrow);
    return array->tensor.dtype.code == TMAP_NATIVE_UINT ? (int64_t)(uint32_t)narrow : narrow;
}

static bool read_array(const tmap_native_array *from, size_t skip, starts *to) {
    int rank = from->tensor.ndim, bits = from->tensor.dtype.bits;
    size_t n = to->numbers_n - skip;
    if (from->tensor.dtype.code > TMAP_NATIVE_UINT || (bits != 32 && bits != 64)) return false;
    if (rank < 1 || rank > 2 || (size_t)from->shape[rank - 1] != n) return false;
    to->many = rank == 2;
    if (!reserve(to, to->many ? (size_t)from->shape[0] : 1)) return false;
    for (size_t i = 0; i < to->n; i++) {
        const uint8_t *row = (const uint8_t *)from->tensor.data + (to->many ? (int64_t)i * from->strides[0] : 0);
        int64_t *start = to->all + i * to->numbers_n + skip;
        for (size_t k = 0; k < n; k++)
            start[to->reversed ? n - 1 - k : k] = integer_at(row + (int64_t)k * from->strides[rank - 1], from);
    }
    return true;
}

/* Reads integers of 32 or 64 bits, of shape (n,) or (…, n): all numbers of a start, or all but the first `skip`. */
static bool read_start_array(PyObject *object, size_t skip, starts *to) {
    tmap_native_array from;
    bool read = tmap_native_read(object, &from) && read_array(&from, skip, to);
    Py_DecRef(from.owner);
    return read;
}

/* Reads four rows, or a list of four rows. */
static bool read_rows(PyObject *rows, starts *to) {
    if (tmap_native_is_numpy(rows)) return read_start_array(rows, 1, to);
    if (tmap_native_length(rows) < 1) return false;
    to->many = tmap_native_length(item(rows, 0)) >= 0;
    if (!reserve(to, to->many ? (size_t)tmap_native_length(rows) : 1)) return false;
    for (size_t i = 0; i < to->n; i++)
        if (!tmap_native_numbers(to->many ? item(rows, (Py_ssize_t)i) : rows, 4, false, to->all + 5 * i + 1))
            return false;
    return true;
}

/* A column and four rows, or n of both; the columns may be one number. */
static bool read_four_rows(PyObject *object, starts *to) {
    if (!PyTuple_CheckExact(object) || PyTuple_Size(object) != 2 || !read_rows(item(object, 1), to)) return false;
    PyObject *columns = item(object, 0);
    bool one_column = PyLong_CheckExact(columns);
    if (!one_column && (!to->many || tmap_native_length(columns) != (Py_ssize_t)to->n)) return false;
    for (size_t i = 0; i < to->n; i++) {
        PyObject *column = one_column ? columns : item(columns, (Py_ssize_t)i);
        if (!PyLong_CheckExact(column)) return false;
        to->all[5 * i] = PyLong_AsLongLong(column);
    }
    return !PyErr_Occurred();
}

static bool read_starts(PyObject *object, bool four_rows, starts *to) {
    if (tmap_native_is_numpy(object)) return read_start_array(object, 0, to);
    if (four_rows) return read_four_rows(object, to);
    if (tmap_native_length(object) < 1) return false;
    to->many = tmap_native_length(item(object, 0)) >= 0;
    if (!reserve(to, to->many ? (size_t)tmap_native_length(object) : 1)) return false;
    if (!to->many) return tmap_native_numbers(object, to->numbers_n, to->reversed, to->all);
    for (size_t i = 0; i < to->n; i++)
        if (!tmap_native_numbers(item(object, (Py_ssize_t)i), to->numbers_n, to->reversed, to->all + i * to->numbers_n))
            return false;
    return true;
}

/* ---- Memory ----------------------------------------------------------------------------------------------------- */

static bool on_host(const tmap_native_array *array) {
    int device = array->tensor.device.device_type;
    return device == TMAP_NATIVE_HOST || device == TMAP_NATIVE_GPU_HOST || device == TMAP_NATIVE_MANAGED;
}

/* Whether an array has the dims, the strides and the type of the map: its memory is then that of the tensor. */
static bool fits(const tmap_native_map *held, const tmap_native_array *array) {
    const tmap_map_params *map = &held->map->params;
    int rank = (int)map->rank, code = array->tensor.dtype.code;
    uint32_t bits = array->tensor.dtype.bits;
    if (!on_host(array) || array->tensor.ndim != rank || bits != held->map->type->bits ||
        array->tensor.dtype.lanes != 1)
        return false;
    /* Integers are the bits of elements; a map of integers accepts all types. */
    if (code > TMAP_NATIVE_UINT && held->float_code >= 0 && code != held->float_code) return false;
    for (int i = 0; i < rank; i++) {
        uint64_t n = (uint64_t)array->shape[rank - 1 - i], stride = i ? map->strides_B[i - 1] : bits / 8;
        if (n != map->dims_el[i] || (n > 1 && (uint64_t)(array->strides[rank - 1 - i] * array->stride_B) != stride))
            return false;
    }
    return true;
}

/* The memory of the tensor: of an array that fits, or of the given address and size. */
static bool read_memory(PyObject *object, prepared *to) {
    if (PyTuple_CheckExact(object)) {
        uint64_t address = 0;
        to->writable = true;
        bool read = PyTuple_Size(object) == 2 && tmap_native_unsigned(PyTuple_GetItem(object, 0), &address) &&
                    tmap_native_unsigned(PyTuple_GetItem(object, 1), &to->memory.size_B);
        to->memory.bytes = (uint8_t *)(uintptr_t)address;
        return read;
    }
    tmap_native_array array;
    bool read = tmap_native_read(object, &array) && fits(to->map, &array);
    to->memory = (tmap_memory){.size_B = to->map->map->derived.span_B, .bytes = array.tensor.data};
    to->writable = array.writable;
    Py_DecRef(array.owner);
    return read;
}

/* The bytes of an object that is exactly the images of n boxes; NULL for other objects and memory of the tensor. */
static uint8_t *bytes_of_image(const prepared *of, PyObject *object, size_t size_B) {
    tmap_native_array array;
    if (!of->is_load && PyBytes_Check(object)) return (uint8_t *)(uintptr_t)tmap_native_held(object, size_B);
    if (!of->is_load && (PyObject *)Py_TYPE(object) == tmap_names.image)
        object = ((image_object *)(void *)object)->bytes;
    if (!tmap_native_is_numpy(object) || !tmap_native_read(object, &array)) return NULL;
    uint64_t bytes = array.tensor.dtype.bits / 8, rank = of->starts.many ? 2 : 1;
    for (int i = 0; i < array.tensor.ndim; i++) bytes *= (uint64_t)array.shape[i];
    bool plain = array.contiguous && bytes == size_B;
    if (of->is_load)
        plain = plain && array.writable && (uint64_t)array.tensor.ndim == rank &&
                array.tensor.dtype.code == TMAP_NATIVE_UINT && array.tensor.dtype.bits == 8 &&
                (rank == 1 || (uint64_t)array.shape[0] == of->starts.n);
    uintptr_t a = (uintptr_t)array.tensor.data, b = (uintptr_t)of->memory.bytes;
    Py_DecRef(array.owner);
    return plain && (a >= b + of->memory.size_B || b >= a + size_B) ? array.tensor.data : NULL;
}

/* A new array for images. If a load writes every byte, the array need not be zero. */
static PyObject *new_image(const prepared *of, const tmap_copy *copy) {
    PyObject *make = copy->payload_B == copy->footprint_B ? tmap_names.empty : tmap_names.zeros;
    PyObject *size = of->starts.many ? Py_BuildValue("(nn)", (Py_ssize_t)of->starts.n, (Py_ssize_t)copy->footprint_B)
                                     : PyLong_FromLong((long)copy->footprint_B);
    PyObject *image = size ? PyObject_CallFunctionObjArgs(make, size, tmap_names.uint8, NULL) : NULL;
    Py_DecRef(size);
    return image;
}

/* ---- Running ---------------------------------------------------------------------------------------------------- */

static void put_start(const prepared *of, bool four_rows, tmap_copy_params *params) {
    const int64_t *numbers = of->starts.all;
    if (of->starts.n == 0) return;
    if (!four_rows) {
        params->at_n = (int)of->starts.numbers_n;
        memcpy(params->at, numbers, of->starts.numbers_n * sizeof *numbers);
        return;
    }
    params->column = numbers[0];
    memcpy(params->rows, numbers + 1, sizeof params->rows);
}

static tmap_status run_many(const prepared *of, const tmap_copy *copy, uint8_t *bytes, tmap_copies_result *done) {
    tmap_images images = {bytes, copy->footprint_B, of->starts.n * copy->footprint_B};
    tmap_memory memory = of->memory;
    PyThreadState *state = of->starts.n >= UNLOCKED_MIN ? PyEval_SaveThread() : NULL;
    tmap_status status =
        tmap_copies_run_judged(copy, of->starts.all, of->starts.n, &images, &memory, of->map->judge, done, NULL);
    if (state) PyEval_RestoreThread(state);
    return status;
}

static tmap_status run_all(const prepared *of, const tmap_copy *copy, uint8_t *bytes, tmap_copies_result *done) {
    *done = (tmap_copies_result){0};
    if (of->starts.n == 0) return TMAP_OK;
    if (of->starts.n > 1) return run_many(of, copy, bytes, done);
    tmap_memory memory = of->memory;
    return tmap_emulate(copy, bytes, copy->footprint_B, &memory, &done->total);
}

static PyObject *image_of(PyObject *bytes, const prepared *of, const tmap_copy_result *result) {
    image_object *self = (image_object *)(void *)PyType_GenericAlloc((PyTypeObject *)(void *)tmap_names.image, 0);
    if (!self) return NULL;
    self->bytes = Py_NewRef(bytes), self->map = Py_NewRef(of->of->map);
    self->result = *result, self->params = of->of->params;
    return (PyObject *)self;
}

static PyObject *counts_of(const tmap_copy_result *result) {
    return Py_BuildValue("(KKK)", result->tx_B, result->written_B, result->filled_B);
}

static PyObject *result_of(const tmap_copy_result *result) {
    newfunc make = (newfunc)PyType_GetSlot(&PyTuple_Type, Py_tp_new);
    PyObject *arguments = Py_BuildValue("(N)", counts_of(result));
    PyObject *made = arguments ? make((PyTypeObject *)(void *)tmap_names.result, arguments, NULL) : NULL;
    Py_DecRef(arguments);
    return made;
}

static PyObject *bytes_of_params(const tmap_copy_params *params) {
    return PyBytes_FromStringAndSize((const char *)params, sizeof *params);
}

/* Raises the exception for copy `number`, which failed after those before it were done. */
static PyObject *stop(prepared *of, tmap_status status, uint64_t number) {
    of->stopped = true;
    return PyObject_CallFunction(tmap_names.stopped, "ONOOiK", of->of->map, bytes_of_params(&of->of->params),
                                 of->of->tensor, of->of->at, (int)status, (unsigned long long)number);
}

/* Reports the findings about the first copy, none of which is an error. Returns false if a warning is an exception. */
static bool report(prepared *of) {
    tmap_diag items[REPORTED_MAX];
    tmap_diags diags = {.items = items, .capacity = REPORTED_MAX, .fixed = true};
    tmap_native_request *given = of->of;
    if (tmap_check_copy(&of->map->map->params, &given->params, of->map->judge, &diags) != TMAP_OK) return false;
    PyObject *done = PyObject_CallFunction(tmap_names.reported, "ONy#", given->map, bytes_of_params(&given->params),
                                           items, (Py_ssize_t)(diags.count * sizeof *items));
    Py_DecRef(done);
    of->stopped = !done;
    return done != NULL;
}

static PyObject *run_checked(prepared *of, const tmap_copy *copy, bool has_findings) {
    bool is_new = of->of->image == Py_None;
    PyObject *image = is_new ? new_image(of, copy) : of->of->image;
    size_t size_B = of->starts.n * copy->footprint_B;
    uint8_t *bytes = image ? bytes_of_image(of, image, size_B) : NULL;
    tmap_copies_result done;
    PyObject *made = NULL;
    if (bytes && (!has_findings || report(of))) {
        tmap_status status = run_all(of, copy, bytes, &done);
        if (status == TMAP_OK && is_new && done.total.untouched_B && copy->payload_B == copy->footprint_B) {
            memset(bytes, 0, size_B);
            status = run_all(of, copy, bytes, &done);
        }
        if (status != TMAP_OK)
            made = stop(of, status, done.done_n);
        else
            made = of->is_load ? image_of(image, of, &done.total) : result_of(&done.total);
    }
    if (is_new) Py_DecRef(image);
    return made;
}

/* Reads the starts and the memory, judges the first copy, and runs all. */
static PyObject *run(prepared *of) {
    tmap_native_request *given = of->of;
    if (!read_starts(given->at, of->four_rows, &of->starts) || !read_memory(given->tensor, of)) return NULL;
    if (!of->is_load && !of->writable) return NULL;
    put_start(of, of->four_rows, &given->params);
    tmap_diags diags = {.fixed = true}; /* without room: it counts what it drops */
    tmap_copy copy;
    if (tmap_copy_init(&copy, of->map->map, &given->params, of->map->judge, &diags) != TMAP_OK) return NULL;
    return run_checked(of, &copy, diags.dropped && !given->judged);
}

const tmap_native_map *tmap_native_held_map(PyObject *map, PyObject **owner) {
    *owner = PyObject_GetAttr(map, tmap_names.native);
    return *owner ? tmap_native_held(*owner, sizeof(tmap_native_map)) : NULL;
}

PyObject *tmap_native_run(tmap_native_request *request) {
    PyObject *owner, *made = NULL;
    const tmap_op_info *op = tmap_op_get((int)request->params.op);
    prepared of = {.map = tmap_native_held_map(request->map, &owner), .of = request};
    if (of.map && op && tmap_op_moves(op)) {
        of.is_load = op->to_shared, of.four_rows = op->four_rows;
        of.starts.numbers_n = of.four_rows ? 5 : (size_t)of.map->map->params.rank;
        of.starts.reversed = of.map->outer_first && !request->judged && !of.four_rows;
        made = run(&of);
        if (!made && !of.stopped && PyErr_ExceptionMatches(PyExc_Exception)) PyErr_Clear();
        if (of.starts.all != of.starts.few) PyMem_Free(of.starts.all);
    }
    Py_DecRef(owner);
    if (!of.map) PyErr_Clear();
    return made;
}

/* run(map, params, memory, starts, image): runs copies whose operands Python has converted, and whose findings Python
 * has reported. memory: (address, bytes); starts: an array in the order of the library. */
PyObject *tmap_native_run_judged(PyObject *module, PyObject *const *args, Py_ssize_t n) {
    (void)module;
    const tmap_copy_params *params = n == 5 ? tmap_native_held(args[1], sizeof *params) : NULL;
    if (!params) return PyErr_Format(PyExc_TypeError, "run(map, params, memory, starts, image)");
    tmap_native_request request = {args[0], args[2], args[3], args[4], *params, true};
    PyObject *made = tmap_native_run(&request);
    if (!made && !PyErr_Occurred()) PyErr_SetString(PyExc_RuntimeError, "a copy with converted operands did not run");
    return made;
}

/* ---- The base class of images ----------------------------------------------------------------------------------- */

static void free_image(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    Py_DecRef(((image_object *)(void *)self)->bytes);
    Py_DecRef(((image_object *)(void *)self)->map);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DecRef((PyObject *)type);
}

static PyObject *get_counts(PyObject *self, void *context) {
    (void)context;
    return counts_of(&((image_object *)(void *)self)->result);
}

static PyObject *get_params(PyObject *self, void *context) {
    (void)context;
    return bytes_of_params(&((image_object *)(void *)self)->params);
}

PyObject *tmap_native_image_type(void) {
    static PyMemberDef members[] = {{"bytes", T_OBJECT, offsetof(image_object, bytes), READONLY, NULL},
                                    {"_map", T_OBJECT, offsetof(image_object, map), READONLY, NULL},
                                    {0}};
    static PyGetSetDef computed[] = {
        {"_counts", get_counts, NULL, NULL, NULL}, {"_params", get_params, NULL, NULL, NULL}, {0}};
    static PyType_Slot slots[] = {
        {Py_tp_dealloc, free_image}, {Py_tp_members, members}, {Py_tp_getset, computed}, {0, NULL}};
    static PyType_Spec spec = {"libtmap._native.Image", sizeof(image_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    return PyType_FromSpec(&spec);
}
