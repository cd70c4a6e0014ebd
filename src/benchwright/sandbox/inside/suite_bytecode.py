"""Loads pytest from bytecode that was compiled outside the jail.

The jail is read-only, so every interpreter would compile an installation that has no bytecode, as uv installs
it. The name of a bytecode file is derived from the path of its source.
"""

from __future__ import annotations

import marshal
import os
import sys
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, FileFinder, SourceFileLoader
from types import CodeType

from .suite_places import PLACE, SITE, name_of


class Loader(SourceFileLoader):
    """A source loader that reads bytecode from the jail's folder."""

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the code from the bytecode if it matches the source, else from the source."""
        try:
            with open(f"{PLACE}/{name_of(self.path)}", "rb") as file:
                stamp, code = marshal.load(file)
        except FileNotFoundError:
            return super().get_code(fullname)
        state = os.stat(self.path)
        return code if stamp == (state.st_mtime_ns, state.st_size) else super().get_code(fullname)


_finder = FileFinder.path_hook((ExtensionFileLoader, EXTENSION_SUFFIXES), (Loader, [".py"]))


def _hook(path: str) -> FileFinder:
    if not f"{path}/".startswith(f"{SITE}/"):
        raise ImportError(f"nothing of {path} was compiled")
    return _finder(path)  # type: ignore[return-value]  # declared as PathEntryFinderProtocol


sys.path_hooks.insert(0, _hook)
for _path in [path for path in sys.path_importer_cache if path.startswith(SITE)]:
    del sys.path_importer_cache[_path]
