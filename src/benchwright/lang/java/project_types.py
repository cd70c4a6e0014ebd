"""Which other files of its project a Java pair names types of: by import, in its package, or in full."""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchwright.lang.companions import Companions, Needs, PairTexts
from benchwright.lang.faults import SyntaxFault
from benchwright.lang.java.importing import java_imports
from benchwright.lang.java.layout import declared_types, type_parameters, types_used
from benchwright.lang.java.tree import name_of, package, parse, top_types
from benchwright.lang.trees import Tree

_NOT_CODE = ("import_declaration", "package_declaration")
_COMMENTS = ("line_comment", "block_comment")
_FULL = re.compile(r"\b(?:[a-z_]\w*\.)+[A-Z]\w*")  # in code, and in a text that `Class.forName` takes


def java_needs(pair: PairTexts, near: Companions) -> Needs:
    """The files that a pair takes types from; its tests want nothing of their runner."""
    texts = ((pair.focal_path, pair.focal_code), (pair.test_path, pair.test_code))
    trees = [tree for _, code in texts if not isinstance(tree := parse(code), SyntaxFault)]
    own = {(package(tree), name) for tree in trees for name in declared_types(tree)}
    found = {path for tree in trees for path in _reached(tree, own, near)}
    return Needs(frozenset(found - {pair.focal_path, pair.test_path}))


def _reached(tree: Tree, own: set[tuple[str, str]], near: Companions) -> Iterator[str]:
    imports = java_imports(tree)
    single = {each.module.rpartition(".")[2] for each in imports if not each.names}
    used = types_used(tree) - type_parameters(tree)
    homes = [package(tree), *(each.module for each in imports if each.names == ["*"])]
    for home in homes:
        taken = {name for name in used if (home, name) not in own} - (single if home == homes[0] else set())
        yield from (path for name, path in _types_of(home, near).items() if name in taken)
    for full in {*(each.module for each in imports), *_FULL.findall(_code(tree))}:
        yield from _file_of(full, own, near)


def _code(tree: Tree) -> str:
    """The text without comments, imports and its package clause."""
    data = bytearray(tree.data)
    for node in tree.root.walk():
        if node.kind in (*_COMMENTS, *_NOT_CODE):
            data[node.start : node.end] = b" " * (node.end - node.start)
    return data.decode("utf-8", "replace")


def _file_of(full: str, own: set[tuple[str, str]], near: Companions) -> Iterator[str]:
    """The file of a class, or of the class around it, by its full name."""
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
    """The types that the files of a package declare at their top, with their paths."""
    folder, found = f"/{home.replace('.', '/')}/" if home else "/", dict[str, str]()
    for path in near.paths:
        if f"/{path.rpartition('/')[0]}/".endswith(folder) and path.endswith(".java"):
            for name in _top_names(near.read(path), home):
                found.setdefault(name, path)
    return found


def _top_names(code: str, home: str) -> list[str]:
    tree = parse(code)
    if isinstance(tree, SyntaxFault) or package(tree) != home:
        return []
    return [name_of(tree, each) for each in top_types(tree)]
