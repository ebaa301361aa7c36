/*
 * The module: what cffi makes of the headers, and the calls that a program makes for each copy and each launch. These
 * calls accept the usual objects of Python. They return None, and have changed nothing, for all other objects, for
 * findings and for errors: the caller then reads the objects one by one, and raises what is to be raised.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

#include "native.h"
#include "tmap/runtime.h"

/* The content of the capsule __array_struct__ (NumPy, The array interface protocol, version 3). */
typedef struct array_struct {
    int two, rank;
    char kind;
    int itemsize, flags;
    const Py_intptr_t *shape, *strides;
    uint8_t *data;
    PyObject *descr;
} array_struct;
enum { CONTIGUOUS = 0x1, NATIVE_ORDER = 0x200, WRITEABLE = 0x400 };

static PyObject *array_struct_name, *cuda_interface_name;

static PyObject *none(void) {
    PyErr_Clear();
    Py_RETURN_NONE;
}

/* The struct in a bytes object, which has exactly this struct. */
static const void *held(PyObject *bytes, size_t size) {
    return PyBytes_Check(bytes) && (size_t)PyBytes_Size(bytes) == size ? PyBytes_AsString(bytes) : NULL;
}

/* Reads an array of NumPy. Returns the capsule, which owns *array; NULL: the object has none. */
static PyObject *read_array(PyObject *object, const array_struct **array) {
    PyObject *capsule = PyObject_GetAttr(object, array_struct_name);
    if (!capsule) return NULL;
    *array = PyCapsule_GetPointer(capsule, NULL);
    if (*array && (*array)->two == 2) return capsule;
    Py_DecRef(capsule);
    return NULL;
}

static bool read_unsigned(PyObject *object, uint64_t *number) {
    if (!PyLong_CheckExact(object)) return false;
    *number = PyLong_AsUnsignedLongLong(object);
    return !PyErr_Occurred();
}

static bool read_at(PyObject *object, bool reversed, tmap_copy_params *params) {
    bool is_tuple = PyTuple_CheckExact(object);
    if (!is_tuple && !PyList_CheckExact(object)) return false;
    Py_ssize_t n = is_tuple ? PyTuple_Size(object) : PyList_Size(object);
    if (n > TMAP_RANK_MAX) return false;
    params->at_n = (int)n;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *item = is_tuple ? PyTuple_GetItem(object, i) : PyList_GetItem(object, i);
        if (!PyLong_CheckExact(item)) return false;
        params->at[reversed ? n - 1 - i : i] = PyLong_AsLongLong(item);
    }
    return !PyErr_Occurred();
}

/* Whether an array has the dims, the strides and the type of the map: its memory is then that of the tensor. */
static bool fits(const tmap_native_map *held_map, const array_struct *array) {
    const tmap_map_params *map = &held_map->map->params;
    int rank = map->rank;
    if (array->rank != rank || !(array->flags & NATIVE_ORDER) || !strchr(held_map->kinds, array->kind)) return false;
    if ((uint64_t)array->itemsize * 8 != held_map->map->type->bits) return false;
    for (int i = 0; i < rank; i++) {
        uint64_t n = (uint64_t)array->shape[rank - 1 - i];
        uint64_t stride = i ? map->strides_B[i - 1] : (uint64_t)array->itemsize;
        if (n != map->dims_el[i] || (n > 1 && (uint64_t)array->strides[rank - 1 - i] != stride)) return false;
    }
    return true;
}

/* Whether an array is the image of a box: contiguous plain numbers of `size` bytes, for loads writable bytes. */
static bool is_image(const array_struct *array, uint64_t size, bool is_load) {
    uint64_t bytes = (uint64_t)array->itemsize;
    for (int i = 0; i < array->rank; i++) bytes *= (uint64_t)array->shape[i];
    if (!(array->flags & CONTIGUOUS) || bytes != size || !memchr("biuf", array->kind, 4)) return false;
    return !is_load || (array->rank == 1 && array->kind == 'u' && array->itemsize == 1 && array->flags & WRITEABLE);
}

static bool run(const tmap_native_map *map, const tmap_copy_params *params, const array_struct *tensor,
                const array_struct *image, tmap_native_run *done) {
    tmap_diags diags = {.fixed = true}; /* without room: it counts what it drops */
    tmap_copy *copy = &done->copy;
    if (!fits(map, tensor)) return false;
    if (tmap_copy_init(copy, map->map, params, map->judge, &diags) != TMAP_OK || diags.dropped) return false;
    bool is_load = params->op == TMAP_OP_LOAD;
    tmap_memory memory = {.size_B = map->map->derived.span_B, .bytes = tensor->data};
    if (!is_image(image, copy->footprint_B, is_load) || !(is_load || tensor->flags & WRITEABLE)) return false;
    uintptr_t a = (uintptr_t)image->data, b = (uintptr_t)memory.bytes;
    if (a < b + memory.size_B && b < a + copy->footprint_B) return false;
    return tmap_emulate(copy, image->data, copy->footprint_B, &memory, &done->result) == TMAP_OK;
}

/* copy(map, op, tensor, at, shared, image): runs one copy. Returns the bytes of a tmap_native_run. */
static PyObject *run_copy(PyObject *module, PyObject *const *args, Py_ssize_t n) {
    (void)module;
    const tmap_native_map *map = n == 6 ? held(args[0], sizeof *map) : NULL;
    tmap_copy_params params = {0};
    uint64_t op;
    if (!map || Py_TYPE(args[2]) != Py_TYPE(args[5]) || !read_unsigned(args[1], &op)) return none();
    if (!read_at(args[3], map->outer_first, &params) || !read_unsigned(args[4], &params.shared)) return none();
    if (params.at_n != map->map->params.rank) return none();
    params.op = (tmap_op)op;
    const array_struct *tensor, *image;
    PyObject *tensor_owner = read_array(args[2], &tensor), *image_owner = read_array(args[5], &image);
    PyObject *done = PyBytes_FromStringAndSize(NULL, sizeof(tmap_native_run));
    bool is_done = tensor_owner && image_owner && done &&
                   run(map, &params, tensor, image, (tmap_native_run *)(void *)PyBytes_AsString(done));
    Py_DecRef(tensor_owner);
    Py_DecRef(image_owner);
    if (is_done) return done;
    Py_DecRef(done);
    return none();
}

/* The type of elements in DLPack's numbers. Returns false for all but plain numbers of this machine. */
static bool read_type(const array_struct *array, tmap_dl_tensor *tensor) {
    static const char kinds[] = "iuf???b"; /* at the number of DLPack's code */
    const char *kind = memchr(kinds, array->kind, sizeof kinds - 1);
    if (!kind || !(array->flags & NATIVE_ORDER) || array->itemsize > 8) return false;
    tensor->dtype.code = (uint8_t)(kind - kinds);
    tensor->dtype.bits = (uint8_t)(8 * array->itemsize);
    tensor->dtype.lanes = 1;
    return true;
}

/* params(array): the bytes of the tmap_map_params of an array in host memory. */
static PyObject *params_of(PyObject *module, PyObject *object) {
    (void)module;
    enum { HOST_MEMORY_OF_CUDA = 3 }; /* which a GPU can access */
    const array_struct *array;
    tmap_map_params params;
    PyObject *owner = PyObject_HasAttr(object, cuda_interface_name) ? NULL : read_array(object, &array);
    int64_t shape[TMAP_RANK_MAX], strides[TMAP_RANK_MAX];
    tmap_dl_tensor tensor = {.device.device_type = HOST_MEMORY_OF_CUDA, .shape = shape, .strides = strides};
    bool is_plain = owner && array->rank <= TMAP_RANK_MAX && read_type(array, &tensor);
    for (int i = 0; is_plain && i < array->rank; i++) {
        shape[i] = array->shape[i];
        strides[i] = array->strides[i] / array->itemsize;
        is_plain = array->strides[i] >= 0 && array->strides[i] % array->itemsize == 0;
    }
    if (is_plain) {
        tensor.ndim = array->rank;
        tensor.data = array->data;
        is_plain = tmap_params_from_dlpack(&tensor, NULL, &params, NULL) == TMAP_OK;
    }
    Py_DecRef(owner);
    return is_plain ? PyBytes_FromStringAndSize((const char *)&params, sizeof params) : none();
}

static PyObject *bytes_of(const tmap_descriptor *descriptor) {
    return PyBytes_FromStringAndSize((const char *)descriptor, sizeof *descriptor);
}

/* descriptor(map, address, encoder): the descriptor of the map at an address, judged as a new map. */
static PyObject *descriptor_at(PyObject *module, PyObject *const *args, Py_ssize_t n) {
    (void)module;
    const tmap_native_map *held_map = n == 3 ? held(args[0], sizeof *held_map) : NULL;
    uint64_t address, encoder;
    if (!held_map || !read_unsigned(args[1], &address) || !read_unsigned(args[2], &encoder)) return none();
    tmap_map_params params = held_map->map->params;
    params.has_address = true;
    params.address = address;
    tmap_map map;
    tmap_descriptor descriptor;
    tmap_diags diags = {.fixed = true};
    if (tmap_map_init(&map, &params, held_map->judge, &diags) != TMAP_OK || diags.dropped) return none();
    return tmap_descriptor_encode_as(&map, (tmap_encoder)encoder, &descriptor) ? bytes_of(&descriptor) : none();
}

/* prepared_at(prepared, address): the descriptor of a tmap_prepared, which is held in bytes. */
static PyObject *prepared_at(PyObject *module, PyObject *const *args, Py_ssize_t n) {
    (void)module;
    tmap_prepared prepared;
    tmap_descriptor descriptor;
    const void *from = n == 2 ? held(args[0], sizeof prepared) : NULL;
    uint64_t address;
    if (!from || !read_unsigned(args[1], &address) || address == 0) return none(); /* NULL has a finding */
    memcpy(&prepared, from, sizeof prepared);
    return tmap_prepared_at(&prepared, address, &descriptor, NULL) == TMAP_OK ? bytes_of(&descriptor) : none();
}

PyMODINIT_FUNC tmap_cffi_module(void);

PyMODINIT_FUNC PyInit__native(void) {
#define CALL(name, function)                                                                                           \
    { name, (PyCFunction)(void (*)(void))(function), METH_FASTCALL, NULL }
    static PyMethodDef calls[] = {CALL("copy", run_copy),
                                  CALL("descriptor", descriptor_at),
                                  CALL("prepared_at", prepared_at),
                                  {"params", params_of, METH_O, NULL},
                                  {0}};
    PyObject *module = tmap_cffi_module();
    cuda_interface_name = PyUnicode_InternFromString("__cuda_array_interface__");
    array_struct_name = PyUnicode_InternFromString("__array_struct__");
    if (module && PyModule_AddFunctions(module, calls) < 0) {
        Py_DecRef(module);
        return NULL;
    }
    return module;
}
