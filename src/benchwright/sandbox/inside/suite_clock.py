"""Another time of day for one suite.

No namespace moves the time of day (CLONE_NEWTIME moves only the clocks that count from the start of the
machine), and setting it needs rights over the whole machine. So the functions that read it are replaced,
before anything of the suite is loaded: those of `time`, and the class methods of `datetime` and `date` in
place, so that the classes stay the ones that C code makes. monotonic, perf_counter and file times stay.
"""

from __future__ import annotations

import ctypes
import datetime
import gc
import time
from collections.abc import Callable
from typing import Any


def shift(seconds: int) -> None:
    """Move what `time` and `datetime` read by some seconds."""
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
    """Set a class method of a class that is written in C, whose namespace can only be read from outside."""
    (namespace,) = gc.get_referents(kind.__dict__)
    namespace[name] = classmethod(method)
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))
