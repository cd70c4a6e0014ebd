"""A Java file with the types of its package that it or its test needs, as further types of the same file.

They lose the word `public`, since a file has one public type; whoever is in the package sees them all the
same. Only tests of the same package can therefore be completed.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from benchwright.lang.companions import Companions, Completed
from benchwright.lang.faults import SyntaxFault
from benchwright.lang.java.tree import modifiers, name_of, package, parse, top_types
from benchwright.lang.lines import split_lf
from benchwright.lang.trees import Node, Tree, walk_outside

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


def complete_java(focal_path: str, test_path: str, test_code: str, near: Companions) -> Completed | None:
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
    taken = _reached_types(focal, test, sources)
    added = _imports(focal, sources, taken)
    if added is None:
        return None
    text = "\n\n".join([_with_imports(code, added).rstrip("\n"), *(each.text for each in taken)]) + "\n"
    return Completed(focal_path, text if taken else code, test_code, sorted({each.path for each in taken}))


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
    held = node.first("modifiers")
    if held is not None and "public" in modifiers(tree, node):
        word = next(each for each in held.children if tree.text(each) == "public")
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
    taken: dict[str, _Type] = {}
    while waiting:
        taken.update((name, known[name]) for name in waiting)
        used = frozenset[str]().union(*(known[name].used for name in waiting))
        waiting = (used & known.keys()) - has - taken.keys()
    return sorted(taken.values(), key=lambda each: (each.path, each.name))


def _imports(focal: _Source, sources: Mapping[str, _Source], taken: list[_Type]) -> list[str] | None:
    """Return the further imports that the file needs; None if one name would mean two things."""
    names = {name: line for name, line in focal.imports if name != "*"}
    own = {line for _, line in focal.imports}
    added: dict[str, None] = {}
    for each in taken:
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
