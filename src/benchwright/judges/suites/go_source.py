"""What one Go file means for building and running a suite, from a parse that runs nothing.

A file may share a program with other suites only if loading it runs none of its code: no `init`, and
package variables made of nothing that can call, wait or panic. The rule errs on the safe side, for a
program of its own costs time and nothing else.
"""

from __future__ import annotations

import re
from functools import lru_cache

from benchwright.lang.answers import Import
from benchwright.lang.faults import SyntaxFault
from benchwright.lang.go.collecting import ExampleCase, examples, is_example
from benchwright.lang.go.importing import go_imports
from benchwright.lang.go.initialising import what_loading_runs
from benchwright.lang.go.predeclared import BUILT_IN_TYPES, may_redeclare, meant, redeclared
from benchwright.lang.go.tree import declared_names, functions, name_of, package, parse, parse_outline
from benchwright.lang.trees import Tree
from benchwright.records import Record

# packages whose import gives a suite its own program: they reach beyond their own package
_OWN_PROGRAM = (
    *("C", "unsafe", "embed", "os/exec", "os/signal", "syscall", "plugin", "flag", "runtime", "log/slog"),
)
_DIRECTIVE = re.compile(r"^//(?:go:(?!generate)\w+|export |line |\s*\+build|go:build)", re.MULTILINE)
_LINKNAME = re.compile(r"^//go:linkname[ \t]+\S+[ \t]+(?:testing|os|syscall|bwharness)\b", re.MULTILINE)
# reveals that a program is shared, except for comparing, which shows no path
_REFLECTS = re.compile(r"\breflect\b(?!\.DeepEqual\b)")
_QUIET = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`[^`]*`", re.DOTALL)
_TRUTHS = ("true", "false", "nil")
_SMALL = 1 << 16  # characters of a text that is worth caching
_FUZZ = re.compile(r"Fuzz(?![a-z])\w*\Z")


class GoSource(Record, frozen=True, kw_only=True):
    """Facts about one file. `fault`: it cannot be read, so nothing else is known; `unbounded`: because it
    takes too much, not because it is invalid. `alone`: why it may not share a program, empty if it may.
    `sign`: why its reports cannot be trusted. `reflects`: it may use more of `reflect` than DeepEqual.
    `redeclares`: predeclared names that it declares for its package."""

    package: str = ""
    imports: list[Import] = []
    functions: frozenset[str] = frozenset()
    examples: list[ExampleCase] = []
    fault: str = ""
    unbounded: bool = False
    alone: str = ""
    sign: str = ""
    reflects: bool = False
    redeclares: frozenset[str] = frozenset()
    selected: frozenset[str] = frozenset()  # used names of package testing; "." for a dot import

    @property
    def fuzzes(self) -> list[str]:
        """Return whether it has fuzz targets, which `go test` runs on their seeds."""
        return sorted(name for name in self.functions if _FUZZ.match(name))


def read_source(text: str) -> GoSource:
    """Return the facts of one file. Raises PrerequisiteError if the parser is not installed."""
    return _known(text) if len(text) <= _SMALL else _read(text)


@lru_cache(maxsize=1024)  # a suite is run several times with the same files
def _known(text: str) -> GoSource:
    return _read(text)


def _read(text: str) -> GoSource:
    tree = parse_outline(text)
    if isinstance(tree, SyntaxFault):
        return GoSource(fault=str(tree), unbounded=tree.reason == "too_large", alone="it cannot be read")
    imports = go_imports(tree)
    if tree.fault:
        return GoSource(
            package=package(tree),
            imports=imports,
            alone="it does not parse",
            sign=_sign(tree, text),
            redeclares=frozenset(redeclared(tree)),
        )
    named = frozenset(name_of(tree, node) for node in functions(tree))
    whole = parse(text) if may_redeclare(tree) or any(map(is_example, named)) else tree
    whole = tree if isinstance(whole, SyntaxFault) else whole
    return GoSource(
        package=package(tree),
        imports=imports,
        functions=named,
        examples=examples(whole),
        alone=_alone(tree, text, named),
        sign=_sign(tree, text),
        reflects=_reflects(imports, text),
        redeclares=frozenset(redeclared(whole)),
        selected=_selected(imports, text),
    )


def _selected(imports: list[Import], text: str) -> frozenset[str]:
    """Return the names of package testing that a file uses. Names in comments and strings do not count."""
    found: set[str] = set()
    for each in (each for each in imports if each.module == "testing"):
        name = each.alias or "testing"
        selectors = re.findall(rf"\b{name}\s*\.\s*(\w+)", _QUIET.sub(" ", text))
        found |= {"."} if each.names else set(selectors)
    return frozenset(found)


def uses(text: str, names: frozenset[str]) -> set[str]:
    """Return which of these predeclared names a file uses, so that a redeclaration in its package changes
    it."""
    tree = parse(text)
    return set() if isinstance(tree, SyntaxFault) else meant(tree, names)


def _reflects(imports: list[Import], text: str) -> bool:
    """Return whether the text contains the name: a name in a comment errs on the safe side."""
    found = [each for each in imports if each.module == "reflect"]
    return bool(found) and (len(found) > 1 or not _is_plain(found[0]) or len(_REFLECTS.findall(text)) != 1)


def _is_plain(imported: Import) -> bool:
    """Return whether the package is imported under its own name."""
    return not imported.alias and not imported.names


def _sign(tree: Tree, text: str) -> str:
    if _LINKNAME.search(text):
        return "reaches into the test runner with //go:linkname"
    for name in sorted(declared_names(tree)):
        if name in _TRUTHS:
            return f"declares a {name!r} of its own for the whole package"
    return ""


def _alone(tree: Tree, text: str, named: frozenset[str]) -> str:
    for name in ("init", "TestMain"):
        if name in named:
            return f"it has a function {name}"
    if _DIRECTIVE.search(text):
        return "it has a directive for the compiler"
    imports = go_imports(tree)
    for path in _OWN_PROGRAM:
        if any(each.module == path or each.module.startswith(f"{path}/") for each in imports):
            return f"it imports {path}"
    for name in sorted(BUILT_IN_TYPES & declared_names(tree)):
        return f"it declares a {name} of its own"
    errors = any(each.module == "errors" and _is_plain(each) for each in imports)
    return what_loading_runs(tree, errors=errors)
