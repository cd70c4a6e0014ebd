"""Load a program the way MERA's harnesses do, quirks included, on every supported Python.

They run exec(program) inside a function and take the entry point from that function's locals(). So the
program's top-level names land in a dict that its functions cannot see: recursion, a second helper and a
top-level import all fail when called, while the harness module's own globals are visible without an
import. Since Python 3.13 (PEP 667) exec no longer writes into locals() and every score there is zero;
passing both dicts explicitly gives what Python 3.12 and older do, on all versions.

Two things are not reproduced: the harness's own functions are not among the visible names, and the
four seconds that a program has are processor time, so that the result does not depend on the machine's load.
"""

from __future__ import annotations

import builtins
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from importlib import import_module
from types import FrameType
from typing import Any

# Globals of the harness module that a program sees: name, module, attribute.
GLOBALS = (
    *((name, name, "") for name in ("ast", "contextlib", "faulthandler", "io", "os", "platform")),
    *((name, name, "") for name in ("signal", "tempfile")),
    ("np", "numpy", ""),
    ("mp", "multiprocessing", ""),
    ("ThreadPoolExecutor", "concurrent.futures", "ThreadPoolExecutor"),
    ("Dict", "typing", "Dict"),
    ("List", "typing", "List"),
)
LOAD_S = 3.0


class LoadTimeout(Exception):
    """Loading took longer than three seconds of wall time, which MERA counts as failed results."""


def load(source: str, entry_point: str, *, variant: str) -> Callable[..., Any]:
    """Return the entry point as MERA ("mera-code") or its older text harness ("mera-text") finds it.

    Raises the exception of the program, or KeyError.
    """
    visible = _harness_globals(variant)
    bound = _function_locals(entry_point)
    local = dict(bound)
    before = signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, LOAD_S)
    try:
        exec(source, visible, local)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    local.update(bound)  # locals() is refreshed from the function's own variables, which therefore win
    function: Callable[..., Any] = local[entry_point]
    return function


def results(
    function: Callable[..., Any], calls: list[tuple[tuple[Any, ...], dict[str, Any]]]
) -> Iterator[Any]:
    """Yield MERA's result of each call: None for None and for an Exception, else the text of the value."""
    for args, kwargs in calls:
        try:
            value = function(*args, **kwargs)
            text = None if value is None else str(value)
        except Exception:  # noqa: BLE001 (an exception is a result here)
            text = None
        yield text if text is None else str.__str__(text)


def _stop(number: int, frame: FrameType | None) -> None:
    raise LoadTimeout("Timed out!")


def _harness_globals(variant: str) -> dict[str, Any]:
    visible: dict[str, Any] = {"__builtins__": builtins, "__name__": "utils"}
    names = GLOBALS if variant == "mera-text" else (*GLOBALS, ("re", "re", ""))
    for name, module, attribute in names:
        try:
            found = import_module(module)
        except ImportError:
            continue  # absent in this dependency profile: the program gets a NameError
        visible[name] = getattr(found, attribute) if attribute else found
    return visible


def _function_locals(entry_point: str) -> dict[str, Any]:
    """Return the variables of the function that runs exec, visible to top-level code; none is a gold."""
    return {
        "entry_point": entry_point,
        "result": [],
        "timeout": LOAD_S,
        "os": os,
        "shutil": shutil,
        "rmtree": shutil.rmtree,
        "rmdir": os.rmdir,
        "chdir": os.chdir,
    }
