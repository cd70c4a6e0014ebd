"""The source of the package, parsed once in each process for all tests that read it.

The garbage collector is off while files are parsed: scanning the many small objects of the trees again and
again takes four times as long as parsing.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from benchmarks.structure import OURS, Module, read_package


@cache
def package() -> dict[str, Module]:
    """Return all files of the package by their path in it, such as `cli/main.py`, with their parsed trees."""
    paths = [path.relative_to(OURS).as_posix() for path in sorted(OURS.rglob("*.py"))]
    modules = read_package(OURS)
    with no_collections():
        for module in modules:
            _ = module.tree  # parsed here and kept
    return dict(zip(paths, modules, strict=True))


@contextmanager
def no_collections() -> Iterator[None]:
    """Create many objects that stay alive without letting the garbage collector scan them, now or later."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
