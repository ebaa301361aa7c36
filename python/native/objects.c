/* The module: what cffi makes of the headers, and the calls that a program makes for each map, copy and launch. */
#include "objects.h"

#include <string.h>

const void *tmap_native_held(PyObject *bytes, size_t size) {
    return PyBytes_Check(bytes) && (size_t)PyBytes_Size(bytes) == size ? PyBytes_AsString(bytes) : NULL;
}

bool tmap_native_unsigned(PyObject *object, uint64_t *number) {
    if (!PyLong_CheckExact(object)) return false;
    *number = PyLong_AsUnsignedLongLong(object);
    return !PyErr_Occurred();
}

/* Host memory has no address for a map, except an address that no map can have, which the rules then reject. */
static void drop_host_address(const tmap_native_array *array, tmap_map_params *params) {
    if (array->tensor.device.device_type == TMAP_NATIVE_CUDA || params->address % 16) return;
    params->has_address = false, params->address = 0;
}

bool tmap_native_params(PyObject *object, tmap_map_params *params) {
    tmap_native_array array;
    int64_t shape[TMAP_NATIVE_RANK_MAX], strides[TMAP_NATIVE_RANK_MAX];
    bool read = tmap_native_read(object, &array) && tmap_native_strides(&array, strides);
    if (read) {
        tmap_dl_tensor tensor = array.tensor;
        for (int i = 0; i < tensor.ndim; i++) {
            if (strides[i] < 0) read = false;
            shape[i] = array.shape[i];
        }
        tensor.shape = shape, tensor.strides = strides;
        if (tensor.device.device_type == TMAP_NATIVE_HOST) tensor.device.device_type = TMAP_NATIVE_GPU_HOST;
        read = read && tmap_params_from_dlpack(&tensor, NULL, params, NULL) == TMAP_OK;
        if (read) drop_host_address(&array, params);
    }
    Py_DecRef(array.owner);
    return read;
}

/* prepared_at(prepared, address): the descriptor of a tmap_prepared, which is held in bytes. */
static PyObject *prepared_at(PyObject *module, PyObject *const *args, Py_ssize_t n) {
    (void)module;
    tmap_prepared prepared;
    tmap_descriptor descriptor;
    const void *from = n == 2 ? tmap_native_held(args[0], sizeof prepared) : NULL;
    uint64_t address;
    bool made = from && tmap_native_unsigned(args[1], &address) && address != 0; /* NULL has a finding */
    if (made) memcpy(&prepared, from, sizeof prepared);
    made = made && tmap_prepared_at(&prepared, address, &descriptor, NULL) == TMAP_OK;
    PyErr_Clear();
    return made ? PyBytes_FromStringAndSize((const char *)&descriptor, sizeof descriptor) : Py_NewRef(Py_None);
}

/* uses(name, object): an object of the modules in Python that the calls here need. */
static PyObject *use(PyObject *module, PyObject *const *args, Py_ssize_t n) {
    static const struct {
        const char *name;
        PyObject **place;
    } places[] = {{"Image", &tmap_names.image},
                  {"Result", &tmap_names.result},
                  {"stopped", &tmap_names.stopped},
                  {"reported", &tmap_names.reported},
                  {"TensorMap", &tmap_names.tensor_map},
                  {"type", &tmap_names.types},
                  {"swizzle", &tmap_names.swizzles},
                  {"interleave", &tmap_names.interleaves},
                  {"l2_promotion", &tmap_names.promotions},
                  {"oob_fill", &tmap_names.fills}};
    (void)module;
    for (size_t i = 0; n == 2 && i < sizeof places / sizeof *places; i++)
        if (PyUnicode_CompareWithASCIIString(args[0], places[i].name) == 0) *places[i].place = Py_NewRef(args[1]);
    return Py_NewRef(Py_None);
}

PyMODINIT_FUNC tmap_cffi_module(void);

PyMODINIT_FUNC PyInit__native(void) {
#define CALL(name, function)                                                                                           \
    { name, (PyCFunction)(void (*)(void))(function), METH_FASTCALL, NULL }
    static PyMethodDef calls[] = {CALL("run", tmap_native_run_judged),
                                  CALL("prepared_at", prepared_at),
                                  CALL("use", use),
                                  {"span", tmap_native_span, METH_VARARGS, NULL},
                                  {"describe", tmap_native_describe, METH_O, NULL},
                                  {"method", tmap_native_method, METH_O, NULL},
                                  {0}};
    PyObject *module = tmap_cffi_module(), *types = PyImport_ImportModule("types");
    PyObject *image = tmap_native_image_type(), *ffi = module ? PyObject_GetAttrString(module, "ffi") : NULL;
    tmap_names.native = PyUnicode_InternFromString("_native");
    tmap_names.outer = PyUnicode_InternFromString("outer");
    tmap_names.array_struct = PyUnicode_InternFromString("__array_struct__");
    tmap_names.dlpack = PyUnicode_InternFromString("__dlpack__");
    tmap_names.exchange_api = PyUnicode_InternFromString("__dlpack_c_exchange_api__");
    tmap_names.method_type = types ? PyObject_GetAttrString(types, "MethodType") : NULL;
    tmap_names.from_buffer = ffi ? PyObject_GetAttrString(ffi, "from_buffer") : NULL;
    bool made = image && tmap_names.method_type && tmap_names.from_buffer && PyModule_AddFunctions(module, calls) == 0;
    if (made && PyModule_AddObjectRef(module, "Image", image) == 0) return module;
    Py_DecRef(module);
    return NULL;
}
