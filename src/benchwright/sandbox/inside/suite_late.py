"""Postpones two imports of pytest that hardly any suite needs: an eighth of an interpreter's start.

pytest colours texts on a terminal with pygments, and finds installed plugins with `importlib.metadata`, which
pygments imports too. `LazyLoader` loads a module already at its second import, and at `from … import`.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

_METADATA = "importlib.metadata"
_LATE = (
    _METADATA,
    *("pygments", "pygments.lexer", "pygments.lexers", "pygments.lexers.diff", "pygments.lexers.python"),
    "pygments.formatters.terminal",
)


class _LateModule(ModuleType):
    """A module whose names are functions: they import the real module and call what has this name there."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)

        def late(*arguments: Any, **options: Any) -> Any:
            return getattr(importlib.import_module(self.__name__), name)(*arguments, **options)

        return late


def begin() -> None:
    """Let pytest import late modules, if it is not imported yet."""
    if "pytest" not in sys.modules:
        sys.modules.update({name: _LateModule(name) for name in _LATE if name not in sys.modules})


def end() -> None:
    """Let all further imports find the real modules.

    The attribute `importlib.metadata` loads its module when it is read, as if pytest had imported it.
    """
    late = [name for name in _LATE if type(sys.modules.get(name)) is _LateModule]
    for name in late:
        del sys.modules[name]
    if _METADATA in late:
        vars(importlib).pop("metadata", None)
        vars(importlib)["__getattr__"] = _of_importlib


def _of_importlib(name: str) -> ModuleType:
    if name == "metadata":
        return importlib.import_module(_METADATA)
    raise AttributeError(f"module 'importlib' has no attribute {name!r}")


begin()
