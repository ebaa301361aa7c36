/* Reads arrays without frames of Python: arrays of NumPy, and tensors whose type has DLPack's table of C functions. */
#include "objects.h"

#include <string.h>

/* The content of the capsule __array_struct__ (NumPy, The array interface protocol, version 3). */
typedef struct array_struct {
    int two, rank;
    char kind;
    int itemsize, flags;
    const int64_t *shape, *strides;
    uint8_t *data;
    PyObject *descr;
} array_struct;
enum { CONTIGUOUS = 0x1, NATIVE_ORDER = 0x200, WRITEABLE = 0x400 };
_Static_assert(sizeof(Py_intptr_t) == sizeof(int64_t), "the sizes of NumPy's arrays have 64 bits");

/* DLPackExchangeAPI (dlpack.h 1.3): of the functions, the reader needs the one that fills in a DLTensor. */
typedef struct exchange_api {
    struct {
        uint32_t major, minor;
    } version;
    const void *previous;
    void (*unused[3])(void);
    int (*read)(void *object, tmap_dl_tensor *tensor);
} exchange_api;

tmap_native_names tmap_names;

/* The module of NumPy if the program has imported it; NumPy is not imported for arrays of other packages. */
static bool find_numpy(void) {
    if (tmap_names.ndarray) return true;
    PyObject *name = PyUnicode_FromString("numpy"), *module = name ? PyImport_GetModule(name) : NULL;
    Py_DecRef(name);
    if (!module) return false;
    tmap_names.empty = PyObject_GetAttrString(module, "empty");
    tmap_names.zeros = PyObject_GetAttrString(module, "zeros");
    tmap_names.uint8 = PyObject_CallMethod(module, "dtype", "s", "u1");
    tmap_names.ndarray = PyObject_GetAttrString(module, "ndarray");
    Py_DecRef(module);
    return tmap_names.ndarray != NULL;
}

bool tmap_native_is_numpy(PyObject *object) {
    return find_numpy() && (PyObject *)Py_TYPE(object) == tmap_names.ndarray;
}

static bool read_numpy(PyObject *object, tmap_native_array *array) {
    static const char kinds[] = "iuf???b"; /* at the number of DLPack's code */
    PyObject *capsule = PyObject_GetAttr(object, tmap_names.array_struct);
    const array_struct *from = capsule ? PyCapsule_GetPointer(capsule, NULL) : NULL;
    const char *kind = from && from->two == 2 ? memchr(kinds, from->kind, sizeof kinds - 1) : NULL;
    *array = (tmap_native_array){.owner = capsule};
    if (!kind || !(from->flags & NATIVE_ORDER) || from->rank > TMAP_NATIVE_RANK_MAX || from->itemsize > 8) return false;
    array->tensor = (tmap_dl_tensor){.data = from->data, .device.device_type = TMAP_NATIVE_HOST, .ndim = from->rank};
    array->tensor.dtype.code = (uint8_t)(kind - kinds);
    array->tensor.dtype.bits = (uint8_t)(8 * from->itemsize);
    array->tensor.dtype.lanes = 1;
    array->shape = from->shape, array->strides = from->strides, array->stride_B = 1;
    array->contiguous = (from->flags & CONTIGUOUS) != 0, array->writable = (from->flags & WRITEABLE) != 0;
    return true;
}

/* The table of a type that has it itself: a class derived from PyTorch's tensor may have no memory. The last type is
 * remembered. */
static const exchange_api *table_of(PyTypeObject *type) {
    static PyTypeObject *last;
    static const exchange_api *of_last;
    if (type == last) return of_last;
    PyObject *members = PyObject_GetAttrString((PyObject *)type, "__dict__");
    PyObject *capsule = members ? PyObject_GetItem(members, tmap_names.exchange_api) : NULL;
    const exchange_api *table = capsule ? PyCapsule_GetPointer(capsule, "dlpack_exchange_api") : NULL;
    Py_DecRef(members);
    Py_DecRef(capsule);
    PyErr_Clear();
    Py_IncRef((PyObject *)type);
    Py_DecRef((PyObject *)last);
    last = type;
    return of_last = table && table->version.major == 1 ? table : NULL;
}

static bool read_exchanged(PyObject *object, tmap_native_array *array) {
    const exchange_api *table = table_of(Py_TYPE(object));
    *array = (tmap_native_array){.writable = true};
    if (!table || !table->read || table->read(object, &array->tensor) != 0) return false;
    if (array->tensor.ndim > TMAP_NATIVE_RANK_MAX || (array->tensor.ndim > 0 && !array->tensor.strides)) return false;
    array->shape = array->tensor.shape, array->strides = array->tensor.strides;
    array->stride_B = array->tensor.dtype.bits * array->tensor.dtype.lanes / 8;
    array->tensor.data = (uint8_t *)array->tensor.data + array->tensor.byte_offset;
    array->tensor.byte_offset = 0;
    return true;
}

bool tmap_native_read(PyObject *object, tmap_native_array *array) {
    return tmap_native_is_numpy(object) ? read_numpy(object, array) : read_exchanged(object, array);
}
