"""Which other files of its project a Java pair uses, and a file completed with types of its package.

Types that are brought in lose the word `public`, since a file has one public type. Only tests of the same
package can be completed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from benchwright.contracts import Suite
from benchwright.lang.java.layout import declared_types, type_parameters, types_used
from benchwright.lang.java.tree import java_imports, modifiers, name_of, package, parse, top_types
from benchwright.lang.lines import split_lf
from benchwright.lang.protocol import CompletedPair, PairNeeds, PairTexts, ProjectLayout, ProjectTexts
from benchwright.lang.source_errors import SyntaxFault
from benchwright.lang.trees import Node, Tree, walk_outside

_NOT_CODE = ("import_declaration", "package_declaration")
_COMMENTS = ("line_comment", "block_comment")
_FULL = re.compile(r"\b(?:[a-z_]\w*\.)+[A-Z]\w*")  # in code, and in a string that `Class.forName` takes


def java_needs(pair: PairTexts, near: ProjectTexts) -> PairNeeds:
    """Return the files that a pair takes types from; Java tests need no plug-ins."""
    read = [_file_types(pair.focal_code), _file_types(pair.test_code)]
    own = {(each.package, name) for each in read for name in each.declared}
    found = {path for each in read for path in _reached_files(each, own, near)}
    return PairNeeds(frozenset(found - {pair.focal_path, pair.test_path}))


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
def _file_types(code: str) -> _FileTypes:
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


def _reached_files(types: _FileTypes, own: set[tuple[str, str]], near: ProjectTexts) -> Iterator[str]:
    for home in (types.package, *types.wild):
        names = {name for name in types.used if (home, name) not in own}
        names -= types.single if home == types.package else frozenset()
        yield from (path for name, path in _types_of(home, near).items() if name in names)
    for full in types.full:
        yield from _file_of(full, own, near)


def _code(tree: Tree) -> str:
    """Return the text without comments, imports and its package clause."""
    data = bytearray(tree.data)
    for node in tree.root.walk():
        if node.kind in (*_COMMENTS, *_NOT_CODE):
            data[node.start : node.end] = b" " * (node.end - node.start)
    return data.decode("utf-8", "replace")


def _file_of(full: str, own: set[tuple[str, str]], near: ProjectTexts) -> Iterator[str]:
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


def _types_of(home: str, near: ProjectTexts) -> dict[str, str]:
    """Map the top-level types of a package's files to their paths."""
    folder, found = f"/{home.replace('.', '/')}/" if home else "/", dict[str, str]()
    for path in near.paths:
        if f"/{path.rpartition('/')[0]}/".endswith(folder) and path.endswith(".java"):
            types = _file_types(near.read(path))
            for name in types.top if types.package == home else ():
                found.setdefault(name, path)
    return found


MOST_FILES = 400


def java_in_project(pair: PairTexts, near: ProjectTexts, _: Suite) -> ProjectLayout:
    """Return both files and all files that they name, directly or indirectly; no files if there are too
    many."""
    files = {pair.focal_path: pair.focal_code, pair.test_path: pair.test_code}
    waiting = list(java_needs(pair, near).files)
    while waiting and len(files) <= MOST_FILES:
        path = waiting.pop()
        if path not in files:
            files[path] = near.read(path)
            waiting += java_needs(PairTexts(path, files[path], path, files[path]), near).files
    return ProjectLayout({} if waiting else files, pair.focal_path, pair.test_path)


_HEAD_NODES = ("import_declaration", "package_declaration")
_WORDS = ("identifier", "type_identifier")


class _Type(NamedTuple):
    path: str
    name: str
    used: frozenset[str]
    text: str


class _Source(NamedTuple):
    package: str
    types: tuple[_Type, ...]
    imports: tuple[tuple[str, str], ...]  # the simple name, "*" for a wildcard, and the whole statement
    used: frozenset[str]


def complete_java(
    focal_path: str, test_path: str, test_code: str, near: ProjectTexts
) -> CompletedPair | None:
    """Return the focal file with the types of its package that it and the test need; None if that is not
    possible."""
    code = near.read(focal_path)
    focal, test = _read(focal_path, code), _read(test_path, test_code)
    if focal is None or test is None or focal.package != test.package:
        return None
    read = {path: _read(path, text) for path, text in near.beside(focal_path, ".java").items()}
    sources = {
        path: each for path, each in read.items() if each is not None and each.package == focal.package
    }
    reached = _reached_types(focal, test, sources)
    added = _imports(focal, sources, reached)
    if added is None:
        return None
    text = "\n\n".join([_with_imports(code, added).rstrip("\n"), *(each.text for each in reached)]) + "\n"
    return CompletedPair(
        focal_path, text if reached else code, test_code, sorted({each.path for each in reached})
    )


@lru_cache(maxsize=256)
def _read(path: str, code: str) -> _Source | None:
    tree = parse(code)
    if isinstance(tree, SyntaxFault) or tree.fault is not None:
        return None
    types = tuple(_type(tree, node, path) for node in top_types(tree))
    imports = tuple(_import(tree, node) for node in tree.root.all("import_declaration"))
    skipped = set(tree.root.all(*_HEAD_NODES))
    return _Source(package(tree), types, imports, _words(tree, tree.root, skipped))


def _words(tree: Tree, root: Node, skipped: set[Node]) -> frozenset[str]:
    return frozenset(tree.text(node) for node in walk_outside(root, skipped) if node.kind in _WORDS)


def _type(tree: Tree, node: Node, path: str) -> _Type:
    """Return a type with the comment right above; its text without `public`."""
    data, start = tree.data, _with_comment(node)
    modifier_list = node.first("modifiers")
    if modifier_list is not None and "public" in modifiers(tree, node):
        word = next(each for each in modifier_list.children if tree.text(each) == "public")
        text = data[start : word.start] + data[word.end : node.end].lstrip()
    else:
        text = data[start : node.end]
    return _Type(path, name_of(tree, node), _words(tree, node, set()), text.decode())


def _with_comment(node: Node) -> int:
    above = node.parent.children[node.index - 1] if node.parent and node.index else None
    return (
        above.start
        if above and above.kind == "block_comment" and above.last_line == node.first_line - 1
        else node.start
    )


def _import(tree: Tree, node: Node) -> tuple[str, str]:
    full = tree.name(node.first("scoped_identifier", "identifier"))
    static, star = "static " if node.first("static") else "", node.first("asterisk") is not None
    name = "*" if star else full.rpartition(".")[2]
    return name, f"import {static}{full}{'.*' if star else ''};"


def _reached_types(focal: _Source, test: _Source, sources: Mapping[str, _Source]) -> list[_Type]:
    """Return the types reached by name from the focal file or the test, in the order of their files."""
    known = {each.name: each for source in sources.values() for each in source.types}
    has = {each.name for each in (*focal.types, *test.types)}
    imported = {name for source in (focal, test) for name, _ in source.imports}
    waiting = ((focal.used | test.used) & known.keys()) - has - imported
    reached: dict[str, _Type] = {}
    while waiting:
        reached.update((name, known[name]) for name in waiting)
        used = frozenset[str]().union(*(known[name].used for name in waiting))
        waiting = (used & known.keys()) - has - reached.keys()
    return sorted(reached.values(), key=lambda each: (each.path, each.name))


def _imports(focal: _Source, sources: Mapping[str, _Source], reached: list[_Type]) -> list[str] | None:
    """Return the further imports that the file needs; None if one name would mean two things."""
    names = {name: line for name, line in focal.imports if name != "*"}
    own = {line for _, line in focal.imports}
    added: dict[str, None] = {}
    for each in reached:
        for name, line in sources[each.path].imports:
            if name != "*" and name not in each.used:
                continue
            if name != "*" and names.setdefault(name, line) != line:
                return None
            if line not in own:
                added[line] = None
    return sorted(added)


def _with_imports(code: str, added: list[str]) -> str:
    tree = parse(code)
    if not added or isinstance(tree, SyntaxFault):
        return code
    lines = split_lf(code)
    imports = tree.root.all("import_declaration")
    clause = tree.root.first("package_declaration")
    at = imports[-1].last_line if imports else clause.last_line if clause else 0
    text = "".join(f"{line}\n" for line in added)
    lines.insert(at, text if imports else f"\n{text}")
    return "".join(lines)
