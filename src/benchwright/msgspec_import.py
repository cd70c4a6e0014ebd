"""A cheaper import of msgspec, for processes that start often."""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_IMPORTER = "msgspec._utils"  # tries typing_extensions first, and takes the same names from typing otherwise


def avoid_typing_extensions() -> None:
    """Make later imports of msgspec use typing; typing_extensions would take 25 ms, five times as long.

    Other importers of typing_extensions get it.
    """
    if "typing_extensions" not in sys.modules and _IMPORTER not in sys.modules:
        sys.meta_path.insert(0, _Finder)


class _Finder:
    """Finds the module of msgspec that imports typing_extensions."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != _IMPORTER or "typing_extensions" in sys.modules:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


class _Loader(SourceFileLoader):
    def exec_module(self, module: ModuleType) -> None:
        sys.modules["typing_extensions"] = None  # type: ignore[assignment]  # its import fails
        try:
            super().exec_module(module)
        finally:
            del sys.modules["typing_extensions"]
