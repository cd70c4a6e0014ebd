"""Complete a Go file from other files of its package, and find the file that a test is about.

Declarations are taken whole, with the comments above them, and only those that are reached by name. Of a
type's methods those are taken whose names are used anywhere, and those that implement interfaces of the
standard library.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from benchwright.lang.go.layout import local_names, selectors
from benchwright.lang.go.tree import (
    import_path,
    import_specs,
    name_of,
    package,
    package_names,
    parse,
    spec_names,
)
from benchwright.lang.lines import split_lf
from benchwright.lang.protocol import CompletedPair, MergedFile, ProjectTexts
from benchwright.lang.source_errors import SyntaxFault
from benchwright.lang.trees import Node, Tree, first_line

_DECLARATIONS = ("function_declaration", "type_declaration", "var_declaration", "const_declaration")
_SPECS = ("type_spec", "type_alias", "var_spec", "const_spec", "var_spec_list")
# methods that libraries look for
_IMPLICIT_TEXT = """
String GoString Error Unwrap Is As Format Len Less Swap Push Pop Read Write Close ReadByte WriteByte Scan
Value MarshalJSON UnmarshalJSON MarshalText UnmarshalText MarshalBinary UnmarshalBinary MarshalXML
UnmarshalXML GobEncode GobDecode Seek ReadFrom WriteTo Lock Unlock
"""
_IMPLICIT = frozenset(_IMPLICIT_TEXT.split())
_UNFIT = ("//go:build", "// +build", "//go:embed", "//go:linkname", 'import "C"')
_SYSTEMS_TEXT = """
aix android darwin dragonfly freebsd illumos ios js linux netbsd openbsd plan9 solaris wasip1 windows 386
amd64 arm arm64 loong64 mips mips64 mips64le mipsle ppc64 ppc64le riscv64 s390x wasm
"""
_SYSTEMS = frozenset(_SYSTEMS_TEXT.split())


class _GoDeclaration(NamedTuple):
    """A declaration of a file: its names, the names it uses, and its text with the comments above."""

    line: int
    names: frozenset[str]
    receiver: str  # receiver type of a method; empty for other declarations
    used: frozenset[str]
    members: frozenset[str]  # names after a dot
    text: str


class _Source(NamedTuple):
    package: str
    declared: tuple[_GoDeclaration, ...]
    imports: dict[str, str]  # local name: import as written


def merge_go(
    code: str, others: Mapping[str, str], *, wanted: frozenset[str], members: frozenset[str]
) -> MergedFile:
    """Return the file with the declarations that it lacks, taken from `others`, files of its folder by path.

    `wanted` are further names that it needs, `members` the names after dots in code that uses it. The text is
    empty if the file cannot be completed: two files declare a name, or two imports share one.
    """
    own = _read(code)
    if own is None:
        return MergedFile()
    read = {path: _read(text) for path, text in sorted(others.items()) if _is_fit(path, text)}
    sources = {path: each for path, each in read.items() if each and each.package == own.package}
    reached = _reached_declarations(own, sources, wanted, members)
    if not reached:
        return MergedFile(code)
    brought = [name for _, each in reached if not each.receiver for name in each.names]
    if len(set(brought)) < len(brought) or "." in own.imports:
        return MergedFile()
    added = _imports(own, sources, reached)
    if added is None:
        return MergedFile()
    texts = [each.text.strip("\n") for _, each in reached]
    body = _with_imports(code, added)
    return MergedFile("\n\n".join([body.rstrip("\n"), *texts]) + "\n", sorted({path for path, _ in reached}))


def lacking(code: str) -> frozenset[str]:
    """Return the names that a file uses and does not declare, including predeclared ones."""
    source = _read(code)
    if source is None:
        return frozenset()
    used = {name for each in source.declared for name in each.used}
    return frozenset(used - {name for each in source.declared for name in each.names} - source.imports.keys())


def members_used(code: str) -> frozenset[str]:
    """Return the names after dots in a file: methods, fields, and names of packages."""
    source = _read(code)
    return (
        frozenset()
        if source is None
        else frozenset(name for each in source.declared for name in each.members)
    )


def declares(code: str) -> frozenset[str]:
    """Return the names that a file declares for its package; none if it does not parse."""
    source = _read(code)
    found = source.declared if source else ()
    return frozenset(name for each in found if not each.receiver for name in each.names)


def methods_of(code: str) -> frozenset[tuple[str, str]]:
    """Return the methods that a file declares, each with its receiver type."""
    source = _read(code)
    found = source.declared if source else ()
    return frozenset((each.receiver, name) for each in found if each.receiver for name in each.names)


def package_of(code: str) -> str:
    """Return the name in the package clause; empty if the file does not parse."""
    source = _read(code)
    return source.package if source else ""


def _is_fit(path: str, code: str) -> bool:
    parts = path.rpartition("/")[2].removesuffix(".go").removesuffix("_test").split("_")[1:]
    return _SYSTEMS.isdisjoint(parts) and not any(mark in code for mark in _UNFIT)


@lru_cache(maxsize=1024)  # the files of a package are read for each of its tests
def _read(code: str) -> _Source | None:
    tree = parse(code)
    if isinstance(tree, SyntaxFault) or tree.fault is not None:
        return None
    lines = split_lf(code)
    found = tuple(
        _declaration(tree, node, lines) for node in tree.root.all(*_DECLARATIONS, "method_declaration")
    )
    return _Source(package(tree), found, dict(_import_lines(tree)))


def _import_lines(tree: Tree) -> Iterator[tuple[str, str]]:
    for spec in import_specs(tree):
        path, name = import_path(tree, spec), name_of(tree, spec)
        for local in [name] if name else package_names(path):
            yield local, f'{name} "{path}"' if name else f'"{path}"'


def _declaration(tree: Tree, node: Node, lines: list[str]) -> _GoDeclaration:
    names = {name_of(tree, node)} if node.kind == "function_declaration" else set(_names(tree, node))
    receiver = _receiver(tree, node) if node.kind == "method_declaration" else ""
    used, members = set[str](), set[str]()
    for each in node.walk():
        if each.kind in ("identifier", "type_identifier", "package_identifier"):
            used.update({tree.text(each)} - {"_"})
        elif each.kind == "field_identifier":
            members.add(tree.text(each))
    source_text = "".join(lines[first_line(node) - 1 : node.last_line])
    names = {name_of(tree, node)} if receiver else names - {"", "_", "init", "main"}
    return _GoDeclaration(
        node.first_line, frozenset(names), receiver, frozenset(used), frozenset(members), source_text
    )


def _names(tree: Tree, group: Node) -> Iterator[str]:
    for node in group.walk():
        if node.kind in _SPECS and not any(each.kind == "block" for each in node.ancestors()):
            yield from spec_names(tree, node)


def _receiver(tree: Tree, method: Node) -> str:
    receiver_node = method.get("receiver")
    found = [node for node in receiver_node.walk() if node.kind == "type_identifier"] if receiver_node else []
    return tree.text(found[0]) if found else ""


def _reached_declarations(
    own: _Source, sources: Mapping[str, _Source], wanted: frozenset[str], members: frozenset[str]
) -> list[tuple[str, _GoDeclaration]]:
    """Return the reached declarations of other files, in the order of the files, each with its file."""
    by_name, methods = _index(sources)
    has = {name for each in own.declared if not each.receiver for name in each.names}
    dotted = {*_IMPLICIT, *members, *(name for each in own.declared for name in each.members)}
    waiting = {*wanted, *(name for each in own.declared for name in each.used)} - has
    reached: dict[tuple[str, int], _GoDeclaration] = {}
    while True:
        new = {place for name in waiting for place in by_name.get(name, ())}
        new |= {place for owner in has for place in methods.get(owner, ()) if place[1].names & dotted}
        fresh = [(path, each) for path, each in new if (path, each.line) not in reached]
        if not fresh:
            return [(path, reached[path, line]) for path, line in sorted(reached)]
        for path, each in fresh:
            reached[path, each.line] = each
            dotted |= each.members
            has |= each.names if not each.receiver else frozenset()
        waiting = {name for _, each in fresh for name in each.used} - has


_Index = dict[str, list[tuple[str, _GoDeclaration]]]


def _index(sources: Mapping[str, _Source]) -> tuple[_Index, _Index]:
    """Index declarations by name and methods by type, each with its file."""
    by_name: _Index = {}
    methods: _Index = {}
    for path, source in sources.items():
        for each in source.declared:
            for name in [each.receiver] if each.receiver else each.names:
                (methods if each.receiver else by_name).setdefault(name, []).append((path, each))
    return by_name, methods


def _imports(
    own: _Source, sources: Mapping[str, _Source], reached: list[tuple[str, _GoDeclaration]]
) -> list[str] | None:
    """Return the further imports that the file needs; None if one name would mean two packages."""
    names = dict(own.imports)
    added: dict[str, None] = {}
    for path, each in reached:
        for name in sorted(each.used & sources[path].imports.keys()):
            line = sources[path].imports[name]
            if names.setdefault(name, line) != line:
                return None
            if line not in own.imports.values():
                added[line] = None
    return list(added)


def _with_imports(code: str, added: list[str]) -> str:
    """Add imports to the text, in its import block if it has one."""
    tree = parse(code)
    if not added or isinstance(tree, SyntaxFault):
        return code
    lines = split_lf(code)
    groups = tree.root.all("import_declaration")
    if (
        groups
        and (block := groups[-1].first("import_spec_list")) is not None
        and block.last_line > block.first_line
    ):
        lines.insert(block.last_line - 1, "".join(f"\t{line}\n" for line in added))
        return "".join(lines)
    clause = tree.root.first("package_clause")
    at = groups[-1].last_line if groups else clause.last_line if clause else 0
    text = "".join(f"import {line}\n" for line in added)
    lines.insert(at, text if groups else f"\n{text}")
    return "".join(lines)


def complete_go(focal_path: str, test_path: str, test_code: str, near: ProjectTexts) -> CompletedPair | None:
    """Return the focal file of this test and both files completed; None if that is not possible."""
    others = near.beside(test_path, ".go")
    sources = {path: text for path, text in others.items() if not path.endswith("_test.go")}
    helpers = {path: text for path, text in others.items() if path.endswith("_test.go")}
    declared = frozenset(name for text in sources.values() for name in declares(text))
    test = merge_go(test_code, helpers, wanted=frozenset(), members=frozenset())
    if not test.code:
        return None
    wanted = _names_from_package(test.code, sources) & declared
    focal_path = _about(focal_path, _names_from_package(test_code, sources), sources)
    if focal_path not in sources:
        return None
    rest = {path: text for path, text in sources.items() if path != focal_path}
    focal = merge_go(sources[focal_path], rest, wanted=wanted, members=members_used(test.code))
    if not focal.code:
        return None
    return CompletedPair(focal_path, focal.code, test.code, [*focal.paths, *test.paths])


def _names_from_package(test_code: str, sources: dict[str, str]) -> frozenset[str]:
    """Return the names that a test takes from the package: unqualified in the same package, else
    qualified."""
    tree = parse(test_code)
    if isinstance(tree, SyntaxFault):
        return frozenset()
    clause = package(tree)
    if not clause.endswith("_test") or any(package_of(text) == clause for text in sources.values()):
        return lacking(test_code)
    own = clause.removesuffix("_test")
    locals_ = {name for names in local_names(tree).values() if own in names for name in names} | {own}
    return frozenset(name for holder, name in selectors(tree) if holder in locals_)


def _about(focal_path: str, wanted: frozenset[str], sources: dict[str, str]) -> str:
    """Return the given file, unless the test uses nothing of it; then the file that it uses most."""
    used = {path: len(wanted & declares(text)) for path, text in sources.items()}
    if used.get(focal_path, 0) or not used:
        return focal_path
    best = max(sorted(used), key=lambda path: used[path])
    return best if used[best] else focal_path
