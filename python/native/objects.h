/*
 * The calls that a program makes for each map, each copy and each launch. They read the usual objects of Python, and
 * return None, without having changed anything, for all other objects, for findings and for errors: the caller then
 * converts the objects one by one, which raises what is to be raised, and calls again with the converted objects.
 */
#ifndef TMAP_PYTHON_OBJECTS_H
#define TMAP_PYTHON_OBJECTS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "native.h"
#include "tmap/runtime.h"

enum { TMAP_NATIVE_RANK_MAX = 64 }; /* of NumPy and PyTorch; a larger rank is not a rank */
enum { TMAP_NATIVE_HOST = 1, TMAP_NATIVE_CUDA, TMAP_NATIVE_GPU_HOST, TMAP_NATIVE_MANAGED = 13 }; /* DLPack's numbers */
enum { TMAP_NATIVE_INT, TMAP_NATIVE_UINT, TMAP_NATIVE_FLOAT };

/* Objects that are looked up once; the last five are NumPy's. */
typedef struct tmap_native_names {
    PyObject *array_struct, *exchange_api, *dlpack, *native, *outer, *method_type, *from_buffer;
    PyObject *image, *result, *stopped, *reported, *tensor_map, *types, *swizzles, *interleaves, *promotions,
        *fills; /* uses() */
    PyObject *ndarray, *memmap, *empty, *zeros, *uint8;
} tmap_native_names;
extern tmap_native_names tmap_names;

typedef struct tmap_native_array {
    PyObject *owner;       /* of the rest, for Py_DecRef; may be NULL */
    tmap_dl_tensor tensor; /* without shape and strides */
    const int64_t *shape, *strides;
    int64_t compact[TMAP_NATIVE_RANK_MAX]; /* the strides of a tensor without strides */
    int64_t stride_B;                      /* bytes of a stride of 1 */
    bool contiguous, writable, readonly;   /* writable: copies here may write; readonly: the package forbids writing */
} tmap_native_array;

bool tmap_native_is_numpy(PyObject *object);
/* Reads an array. Returns false for all other objects; may then leave an exception. */
bool tmap_native_read(PyObject *object, tmap_native_array *array);

/* The strides in elements. Returns false for strides that are not whole elements. */
bool tmap_native_strides(const tmap_native_array *array, int64_t strides[TMAP_NATIVE_RANK_MAX]);
PyObject *tmap_native_describe(PyObject *module, PyObject *object);

/* The struct in a bytes object, which has exactly this struct; NULL: another object. */
const void *tmap_native_held(PyObject *bytes, size_t size);
bool tmap_native_unsigned(PyObject *object, uint64_t *number);

/* The struct of a map; *owner is to be released. NULL: not made yet, or the object is not a map. */
const tmap_native_map *tmap_native_held_map(PyObject *map, PyObject **owner);
/* Writes the parameters of an array. Returns false for an array without a map, and for objects that it does not read.
 */
bool tmap_native_params(PyObject *object, tmap_map_params *params);

/* The number of items of a tuple or list; -1 for other objects. */
Py_ssize_t tmap_native_length(PyObject *sequence);
/* Reads exactly n integers of a tuple or list. */
bool tmap_native_numbers(PyObject *sequence, size_t n, bool reversed, int64_t *to);

/* Copies to run: one, or one for each start. image: Py_None for a load into a new array. */
typedef struct tmap_native_request {
    PyObject *map, *tensor, *at, *image;
    tmap_copy_params params; /* with the start of the first copy after the call */
    bool judged;             /* the findings about the first copy are reported */
} tmap_native_request;
/* Returns an Image or a Result. NULL without an exception: nothing has happened. NULL with an exception: a copy failed
 * after the copies before it. */
PyObject *tmap_native_run(tmap_native_request *request);

PyObject *tmap_native_run_judged(PyObject *module, PyObject *const *args, Py_ssize_t n);
PyObject *tmap_native_span(PyObject *module, PyObject *args);
PyObject *tmap_native_method(PyObject *module, PyObject *function);
/* The base class of images. NULL: an exception is set. */
PyObject *tmap_native_image_type(void);

#endif
