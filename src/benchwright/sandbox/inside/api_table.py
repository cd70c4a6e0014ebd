"""Addresses of the interpreter's functions and objects for compiled/answer.h, which serves answers."""

from __future__ import annotations

import builtins
import ctypes
import sys
from types import ModuleType
from typing import Any

from . import child, wire

_CALLED = (child.serve_parsed, child.answer, wire.encode, child.claim, child.load_claim)
_TEXTS = ("call", "value", "flush")
_TYPES = (int, str, float, bool, type(None), bytes, complex, list, tuple, dict)
# In the order of `struct interpreter`.
_FUNCTIONS = (
    *("PyBytes_FromStringAndSize", "PyBytes_AsStringAndSize"),
    *("PyMarshal_ReadObjectFromString", "PyMarshal_WriteObjectToString", "PyUnicode_CompareWithASCIIString"),
    *("PyTuple_GetItem", "PyTuple_Size", "PyList_GetItem", "PyList_Size"),
    "PyList_AsTuple",
    *("PyDict_Next", "PyObject_GetItem", "PySys_GetObject"),
    *("PyEval_EvalCode", "PyObject_Call", "PyObject_CallFunctionObjArgs", "PyObject_CallMethodObjArgs"),
    *("PyErr_Fetch", "PyErr_NormalizeException", "PyException_SetTraceback", "PyErr_Clear"),
    *("PyGC_Enable", "Py_DecRef"),
)
_names: list[Any] = []  # of the module: the table holds no reference, and a program can remove its module
_TYPE_AT = ctypes.sizeof(ctypes.c_void_p)  # of an object, below its reference count


def make_module(table: Any) -> None:
    """Make the module of the next program, and enter its names.

    Made before the fork, since its parts lie in a dozen pages. `child.serve_parsed` removes it.
    """
    module = sys.modules["solution"] = ModuleType("solution")
    module.__dict__["__builtins__"] = builtins.__dict__  # as `exec` does
    table[0] = id(module.__dict__)
    _names[:] = [module.__dict__]


def api_table() -> Any:
    """Return the table, without names; None if objects of this interpreter keep their type elsewhere."""
    samples: tuple[object, ...] = (1, "", [], {}, ())
    for each in samples:
        if ctypes.c_void_p.from_address(id(each) + _TYPE_AT).value != id(type(each)):
            return None
    objects = [0, *(id(each) for group in (_CALLED, _TEXTS, _TYPES) for each in group)]
    functions = [ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value for name in _FUNCTIONS]
    return (ctypes.c_void_p * (len(objects) + len(functions)))(*objects, *functions)
