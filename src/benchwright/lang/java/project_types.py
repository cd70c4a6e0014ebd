"""Which other files of its project a Java pair names types of: by import, in its package, or in full."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from benchwright.lang.companions import Companions, Needs, PairTexts
from benchwright.lang.faults import SyntaxFault
from benchwright.lang.java.importing import java_imports
from benchwright.lang.java.layout import declared_types, type_parameters, types_used
from benchwright.lang.java.tree import name_of, package, parse, top_types
from benchwright.lang.trees import Tree

_NOT_CODE = ("import_declaration", "package_declaration")
_COMMENTS = ("line_comment", "block_comment")
_FULL = re.compile(r"\b(?:[a-z_]\w*\.)+[A-Z]\w*")  # in code, and in a string that `Class.forName` takes


def java_needs(pair: PairTexts, near: Companions) -> Needs:
    """Return the files that a pair takes types from; Java tests need no plug-ins."""
    read = [_said(pair.focal_code), _said(pair.test_code)]
    own = {(each.package, name) for each in read for name in each.declared}
    found = {path for each in read for path in _reached(each, own, near)}
    return Needs(frozenset(found - {pair.focal_path, pair.test_path}))


class _FileTypes(NamedTuple):
    """Types of a file: its own ones at any depth and at the top level, and those that it uses."""

    package: str = ""
    declared: frozenset[str] = frozenset()
    top: tuple[str, ...] = ()
    used: frozenset[str] = frozenset()
    single: frozenset[str] = frozenset()  # simple names that imports provide
    wild: tuple[str, ...] = ()  # packages and classes imported with wildcards
    full: frozenset[str] = frozenset()  # full names: in imports, code and strings


@lru_cache(maxsize=1024)  # the files of a package are read for each case of its tests
def _said(code: str) -> _FileTypes:
    tree = parse(code)
    if isinstance(tree, SyntaxFault):
        return _FileTypes()
    imports = java_imports(tree)
    return _FileTypes(
        package(tree),
        frozenset(declared_types(tree)),
        tuple(name_of(tree, each) for each in top_types(tree)),
        frozenset(types_used(tree) - type_parameters(tree)),
        frozenset(each.module.rpartition(".")[2] for each in imports if not each.names),
        tuple(each.module for each in imports if each.names == ["*"]),
        frozenset([*(each.module for each in imports), *_FULL.findall(_code(tree))]),
    )


def _reached(types: _FileTypes, own: set[tuple[str, str]], near: Companions) -> Iterator[str]:
    for home in (types.package, *types.wild):
        taken = {name for name in types.used if (home, name) not in own}
        taken -= types.single if home == types.package else frozenset()
        yield from (path for name, path in _types_of(home, near).items() if name in taken)
    for full in types.full:
        yield from _file_of(full, own, near)


def _code(tree: Tree) -> str:
    """Return the text without comments, imports and its package clause."""
    data = bytearray(tree.data)
    for node in tree.root.walk():
        if node.kind in (*_COMMENTS, *_NOT_CODE):
            data[node.start : node.end] = b" " * (node.end - node.start)
    return data.decode("utf-8", "replace")


def _file_of(full: str, own: set[tuple[str, str]], near: Companions) -> Iterator[str]:
    """Return the file of a class, or of the class around it, by its full name."""
    parts = full.split(".")
    for end in range(len(parts), 1, -1):
        home, name = ".".join(parts[: end - 1]), parts[end - 1]
        if (home, name) in own:
            return
        tail = f"/{'/'.join(parts[:end])}.java"
        if found := [path for path in near.paths if f"/{path}".endswith(tail)]:
            yield min(found, key=lambda path: (path.count("/"), path))
            return


def _types_of(home: str, near: Companions) -> dict[str, str]:
    """Map the top-level types of a package's files to their paths."""
    folder, found = f"/{home.replace('.', '/')}/" if home else "/", dict[str, str]()
    for path in near.paths:
        if f"/{path.rpartition('/')[0]}/".endswith(folder) and path.endswith(".java"):
            types = _said(near.read(path))
            for name in types.top if types.package == home else ():
                found.setdefault(name, path)
    return found
