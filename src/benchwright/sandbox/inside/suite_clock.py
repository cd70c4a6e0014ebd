"""Shifts the time of day for one suite.

No namespace shifts the time of day (CLONE_NEWTIME shifts only the clocks that count from boot), and setting
it affects the whole machine. So the functions that read it are replaced before the suite is loaded: those of
`time`, and the class methods of `datetime` and `date` in place, since C code creates instances of these
classes. monotonic, perf_counter and file times are unchanged.
"""

from __future__ import annotations

import ctypes
import datetime
import gc
import time
from collections.abc import Callable
from typing import Any


def shift(seconds: int) -> None:
    """Shift the results of `time` and `datetime` by some seconds."""
    now, now_ns = time.time, time.time_ns
    time.time = lambda: now() + seconds
    time.time_ns = lambda: now_ns() + seconds * 10**9
    for name in ("localtime", "gmtime", "ctime"):
        setattr(time, name, _at_now(getattr(time, name)))
    time.strftime = _formatting(time.strftime, time.localtime)
    time.asctime = _of_now(time.asctime, time.localtime)
    _replace(datetime.datetime, "now", lambda cls, tz=None: cls.fromtimestamp(time.time(), tz))
    _replace(datetime.datetime, "utcnow", _utcnow)
    _replace(datetime.date, "today", lambda cls: cls.fromtimestamp(time.time()))


def _utcnow(cls: Any) -> Any:
    return cls.fromtimestamp(time.time(), datetime.UTC).replace(tzinfo=None)


def _at_now(function: Callable[..., Any]) -> Callable[..., Any]:
    def at(seconds: float | None = None) -> Any:
        return function(time.time() if seconds is None else seconds)

    return at


def _of_now(function: Callable[..., str], local: Callable[..., Any]) -> Callable[..., str]:
    return lambda *moment: function(*(moment or (local(),)))


def _formatting(function: Callable[..., str], local: Callable[..., Any]) -> Callable[..., str]:
    return lambda form, *moment: function(form, *(moment or (local(),)))


def _replace(kind: type, name: str, method: Callable[..., Any]) -> None:
    """Set a class method of a class written in C, whose namespace is read-only."""
    (namespace,) = gc.get_referents(kind.__dict__)
    namespace[name] = classmethod(method)
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))
