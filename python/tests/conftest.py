"""The oracle: the slow reference of tests/oracle, which shares no code with the library."""
import ctypes
import os

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from libtmap._native import ffi

settings.register_profile("here", deadline=None, derandomize=True, database=None,
                          max_examples=int(os.environ.get("TMAP_EXAMPLES", "60")),
                          suppress_health_check=list(HealthCheck))
settings.load_profile("here")


def _pointer(value):
    return ctypes.c_void_p(int(ffi.cast("uintptr_t", value)))


def _bytes(array):
    return ctypes.c_void_p(array.ctypes.data)


class Oracle:
    def __init__(self, path):
        self._library = ctypes.CDLL(path)

    def encode(self, map):
        out = np.zeros(128, np.uint8)
        self._library.oracle_encode(_pointer(ffi.addressof(map._map, "params")), _bytes(out))
        return out.tobytes()

    def carry_out(self, copy, memory, shared):
        """Executes a copy on `memory` (bytes from the tensor's address on) and `shared` (bytes from the box's shared
        address on)."""
        result = np.zeros(4, np.uint64)
        self._library.oracle_carry_out(
            _pointer(ffi.addressof(copy._copy.map, "params")), _pointer(ffi.addressof(copy._copy, "params")),
            _bytes(memory), ctypes.c_uint64(memory.size), _bytes(shared), ctypes.c_uint64(shared.size), _bytes(result))
        payload, written, filled, stray = (int(n) for n in result)
        assert stray == 0
        return payload, written, filled

    def place(self, copy, index):
        """Returns (shared address, offset in the tensor or -1) of a box element; `index` is innermost first."""
        where, place = np.zeros(5, np.uint64), np.zeros(2, np.int64)
        where[:len(index)] = index
        self._library.oracle_place(_pointer(ffi.addressof(copy._copy.map, "params")),
                                   _pointer(ffi.addressof(copy._copy, "params")), _bytes(where), _bytes(place))
        return int(place[0]), int(place[1])


@pytest.fixture(scope="session")
def oracle():
    return Oracle(os.environ["TMAP_ORACLE"])
