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
enum { FLAGS_OF_VERSIONED = 24, TENSOR_OF_VERSIONED = 32 }; /* offsets in a DLManagedTensorVersioned */
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
    tmap_names.memmap = PyObject_GetAttrString(module, "memmap");
    tmap_names.ndarray = PyObject_GetAttrString(module, "ndarray");
    Py_DecRef(module);
    return tmap_names.ndarray != NULL;
}

bool tmap_native_is_numpy(PyObject *object) {
    PyObject *type = (PyObject *)Py_TYPE(object);
    return find_numpy() && (type == tmap_names.ndarray || type == tmap_names.memmap);
}

static bool read_numpy(PyObject *object, tmap_native_array *array) {
    static const char kinds[] = "iuf???b"; /* at the number of DLPack's code */
    PyObject *capsule = PyObject_GetAttr(object, tmap_names.array_struct);
    const array_struct *from = capsule ? PyCapsule_GetPointer(capsule, NULL) : NULL;
    const char *kind = from && from->two == 2 ? memchr(kinds, from->kind, sizeof kinds - 1) : NULL;
    array->owner = capsule;
    if (!kind || !(from->flags & NATIVE_ORDER) || from->rank > TMAP_NATIVE_RANK_MAX || from->itemsize > 8) return false;
    if (from->kind == 'f' && from->itemsize == 1) return false; /* ml_dtypes' float8_e5m2 */
    array->tensor = (tmap_dl_tensor){.data = from->data, .device.device_type = TMAP_NATIVE_HOST, .ndim = from->rank};
    array->tensor.dtype.code = (uint8_t)(kind - kinds);
    array->tensor.dtype.bits = (uint8_t)(8 * from->itemsize);
    array->tensor.dtype.lanes = 1;
    array->shape = from->shape, array->strides = from->strides, array->stride_B = 1;
    array->contiguous = (from->flags & CONTIGUOUS) != 0, array->writable = (from->flags & WRITEABLE) != 0;
    array->readonly = !array->writable;
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

/* Fills in the rest of an array whose tensor is filled in. */
static bool read_tensor(tmap_native_array *array) {
    tmap_dl_tensor *tensor = &array->tensor;
    int rank = tensor->ndim;
    if (rank < 0 || rank > TMAP_NATIVE_RANK_MAX || (rank > 0 && !tensor->shape)) return false;
    array->shape = tensor->shape, array->strides = tensor->strides;
    array->stride_B = (int64_t)tensor->dtype.bits * tensor->dtype.lanes / 8;
    tensor->data = (void *)((uintptr_t)tensor->data + tensor->byte_offset);
    tensor->byte_offset = 0;
    if (tensor->strides) return true;
    uint64_t step = 1;
    array->strides = array->compact, array->contiguous = true;
    for (int i = rank - 1; i >= 0; i--) {
        array->compact[i] = (int64_t)step;
        step *= array->shape[i] > 1 ? (uint64_t)array->shape[i] : 1;
    }
    return true;
}

static bool read_exchanged(PyObject *object, tmap_native_array *array) {
    const exchange_api *table = table_of(Py_TYPE(object));
    array->writable = true;
    return table && table->read && table->read(object, &array->tensor) == 0 && read_tensor(array);
}

/* A capsule of DLPack. JAX has no flag that forbids writing, so no copy writes here to an array that has only a
 * capsule.
 */
static bool read_capsule(PyObject *object, tmap_native_array *array) {
    const char *name = PyCapsule_GetName(object);
    bool versioned = name && strcmp(name, "dltensor_versioned") == 0;
    if (!versioned && (!name || strcmp(name, "dltensor") != 0)) return false;
    const uint8_t *managed = PyCapsule_GetPointer(object, name);
    uint32_t major = 1;
    if (versioned) memcpy(&major, managed, sizeof major);
    if (major != 1) return false;
    array->readonly = versioned && managed[FLAGS_OF_VERSIONED] & 1;
    memcpy(&array->tensor, managed + (versioned ? TENSOR_OF_VERSIONED : 0), sizeof array->tensor);
    return read_tensor(array);
}

/* An array that NumPy's interfaces do not describe. */
static bool read_dlpack(PyObject *object, tmap_native_array *array) {
    static PyObject *none, *version;
    if (!version) none = PyTuple_New(0), version = Py_BuildValue("{s(ii)}", "max_version", 1, 1);
    if (PyObject_HasAttr(object, tmap_names.array_struct)) return false;
    PyObject *method = PyObject_GetAttr(object, tmap_names.dlpack);
    array->owner = method ? PyObject_Call(method, none, version) : NULL;
    Py_DecRef(method);
    return array->owner && PyCapsule_CheckExact(array->owner) && read_capsule(array->owner, array);
}

bool tmap_native_strides(const tmap_native_array *array, int64_t strides[TMAP_NATIVE_RANK_MAX]) {
    int64_t size_B = array->tensor.dtype.bits * array->tensor.dtype.lanes / 8, unit_B = array->stride_B;
    for (int i = 0; i < array->tensor.ndim; i++) {
        bool whole = unit_B == size_B || (size_B > 0 && array->strides[i] % size_B == 0);
        if (!whole) return false;
        strides[i] = unit_B == size_B ? array->strides[i] : array->strides[i] / size_B;
    }
    return true;
}

bool tmap_native_read(PyObject *object, tmap_native_array *array) {
    *array = (tmap_native_array){.owner = NULL};
    if (tmap_native_is_numpy(object)) return read_numpy(object, array);
    return table_of(Py_TYPE(object)) ? read_exchanged(object, array) : read_dlpack(object, array);
}

static PyObject *numbers_of(const int64_t *numbers, int n) {
    PyObject *made = PyTuple_New(n);
    for (int i = 0; made && i < n; i++) PyTuple_SetItem(made, i, PyLong_FromLongLong(numbers[i]));
    return made;
}

/* describe(array): (address, shape, strides, (code, bits, lanes), device, readonly); None for an object that is not
 * read here. Strides count elements; None: compact. */
PyObject *tmap_native_describe(PyObject *module, PyObject *object) {
    tmap_native_array array = {.owner = NULL};
    int64_t strides[TMAP_NATIVE_RANK_MAX];
    (void)module;
    bool read = PyCapsule_CheckExact(object) ? read_capsule(object, &array) : tmap_native_read(object, &array);
    if (!read || !tmap_native_strides(&array, strides)) {
        Py_DecRef(array.owner);
        if (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_Exception)) return PyErr_Clear(), Py_NewRef(Py_None);
        return NULL;
    }
    const tmap_dl_tensor *tensor = &array.tensor;
    PyObject *made = Py_BuildValue(
        "(KNN(iii)iO)", (unsigned long long)(uintptr_t)tensor->data, numbers_of(array.shape, tensor->ndim),
        array.contiguous ? Py_NewRef(Py_None) : numbers_of(strides, tensor->ndim), tensor->dtype.code,
        tensor->dtype.bits, tensor->dtype.lanes, tensor->device.device_type, array.readonly ? Py_True : Py_False);
    Py_DecRef(array.owner);
    return made;
}
