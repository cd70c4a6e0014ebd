"""Test cases of a Java file, and one of them left alone in its file.

Tests of JUnit 3 are found by name, those of 4 and 5 by annotation. Methods of supertypes in the same file are
inherited, `@Nested` classes and those of an `Enclosed` runner are included, abstract classes run nothing
themselves. A member is removed with the other cases if something removed names it and nothing that stays
does, in code or in a string. A member with an annotation stays, since a runner may look for it, and so does a
field whose value comes from a call.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from benchwright.lang.java.tree import (
    TYPES,
    arguments_text,
    inner_types,
    marks,
    members,
    methods,
    modifiers,
    name_of,
    parse,
    supertypes,
    top_types,
)
from benchwright.lang.lines import heading, split_lf
from benchwright.lang.protocol import Case
from benchwright.lang.source_errors import CuttingError, SyntaxFault
from benchwright.lang.trees import (
    COMMENTS,
    Node,
    Tree,
    first_line,
    is_inside,
    stands_alone,
    walk_outside,
    without_nodes,
)

ONCE = {"Test"}
MANY = {"ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate", "Theory"}
_MANY_RUNNERS = ("Parameterized", "JUnitParamsRunner", "Theories")
MOST_NAME = 255  # a class file has that name, so no compiler accepts a longer one
MOST_INHERITED = 100_000  # methods that all classes of a file inherit together


class JavaCase(NamedTuple):
    """A test case: its name, its method, and the class that it runs in."""

    name: str
    method: Node
    owner: Node
    parametrised: bool


def collect(tree: Tree) -> list[JavaCase]:
    """Return all test cases in the file's order, each name once."""
    found: dict[str, JavaCase] = {}
    for each in _Collector(tree).run():
        found.setdefault(each.name, each)
    return sorted(found.values(), key=lambda each: (each.method.start, each.name))


def java_cases(tree: Tree) -> list[Case]:
    """Return the tests as cases."""
    return [
        Case(
            name=each.name,
            first_line=first_line(each.method),
            last_line=each.method.last_line,
            parametrised=each.parametrised,
        )
        for each in collect(tree)
    ]


class _Collector:
    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.types = {name_of(tree, node): node for top in top_types(tree) for node in _with_inner(top)}
        self._room = MOST_INHERITED

    def run(self) -> Iterator[JavaCase]:
        stack = [(node, name_of(self.tree, node)) for node in reversed(top_types(self.tree))]
        while stack:
            declared, name = stack.pop()
            if len(name) > MOST_NAME:
                continue
            yield from self._of_type(declared, name)
            stack.extend(
                (inner, f"{name}${name_of(self.tree, inner)}")
                for inner in reversed(self._looked_into(declared))
            )

    def _looked_into(self, declared: Node) -> list[Node]:
        runner = arguments_text(self.tree, marks(self.tree, declared).get("RunWith"))
        if "Enclosed" in runner:
            return inner_types(declared)
        return [node for node in inner_types(declared) if "Nested" in marks(self.tree, node)]

    def _of_type(self, declared: Node, name: str) -> Iterator[JavaCase]:
        if declared.kind not in ("class_declaration", "record_declaration"):
            return
        if "abstract" in modifiers(self.tree, declared):
            return
        own = marks(self.tree, declared)
        runner = arguments_text(self.tree, own.get("RunWith"))
        many = "ParameterizedClass" in own or any(each in runner for each in _MANY_RUNNERS)
        seen: set[str] = set()
        old_style = self._is_junit3(declared)
        for line in self._ancestry(declared):
            for method in methods(line):
                called = name_of(self.tree, method)
                tested = self._is_test(method, called, old_style)
                if called not in seen and tested is not None:
                    yield JavaCase(f"{name}#{called}", method, declared, many or tested)
            seen.update(name_of(self.tree, method) for method in methods(line))

    def _is_test(self, method: Node, name: str, old_style: bool) -> bool | None:
        """Return whether a test runs several times; None if the method is not a test."""
        own = marks(self.tree, method)
        if MANY & own.keys() or ("Test" in own and "Parameters" in own):
            return True
        if ONCE & own.keys():
            return False
        by_name = old_style and name.startswith("test") and "public" in modifiers(self.tree, method)
        parameters = method.get("parameters")
        return (
            False if by_name and parameters is not None and not parameters.all("formal_parameter") else None
        )

    def _is_junit3(self, declared: Node) -> bool:
        return any("TestCase" in supertypes(self.tree, each) for each in self._ancestry(declared))

    def _ancestry(self, declared: Node) -> list[Node]:
        """Return the type and its supertypes in this file, nearest first, within the limit."""
        line, queue = [declared], supertypes(self.tree, declared)
        while queue and self._room > 0:
            parent = self.types.get(queue.pop(0))
            if parent is None or parent in line or len(line) >= 50:
                continue
            self._room -= 1 + len(methods(parent))
            line.append(parent)
            queue += supertypes(self.tree, parent)
        return line


def _with_inner(top: Node) -> Iterator[Node]:
    stack = [top]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(inner_types(node)))


def cut_java(code: str, name: str) -> str:
    """Return the file with one test case. Raises CuttingError if the rest needs another case.

    Uses of an import are found by its simple name: a remaining word keeps its import in any meaning, and so
    does a name in a Javadoc link. Wildcards stay, and so does what nothing used before.
    """
    tree = parse(code)
    assert not isinstance(tree, SyntaxFault)
    found = collect(tree)
    kept_case = next(each for each in found if each.name == name)
    methods = {each.method for each in found if each.method is not kept_case.method}
    cut = methods | _classes(tree, found, kept_case, methods)
    _check_uses(tree, cut)
    cut |= unused_members(tree, cut, needed_classes(tree, kept_case), kept_case.method)
    outer = [node for node in cut if node.parent is None or not is_inside(node.parent, cut)]
    return without_nodes(tree, outer, extra=lost_imports(tree, set(outer)))


def _classes(tree: Tree, found: list[JavaCase], kept_case: JavaCase, methods: set[Node]) -> set[Node]:
    """Return other classes with tests that nothing in the rest names."""
    needed = needed_classes(tree, kept_case)
    holding = {
        node for each in found for node in (each.owner, *each.method.ancestors()) if node.kind in TYPES
    }
    unused = holding - needed
    while True:
        used = _types_named(tree, methods | unused)
        staying = {node for node in unused if name_of(tree, node) in used}
        if not staying:
            return unused
        unused -= staying


def needed_classes(tree: Tree, kept_case: JavaCase) -> set[Node]:
    """Return the classes around the kept case, and what they inherit from in this file."""
    types_by_name = {name_of(tree, node): node for node in tree.root.walk() if node.kind in TYPES}
    around = (kept_case.owner, *kept_case.owner.ancestors(), *kept_case.method.ancestors())
    stack = [node for node in around if node.kind in TYPES]
    needed: set[Node] = set()
    while stack:
        node = stack.pop()
        if node not in needed:
            needed.add(node)
            stack += [types_by_name[each] for each in supertypes(tree, node) if each in types_by_name]
    return needed


def _types_named(tree: Tree, removed: set[Node]) -> set[str]:
    """Return words of the rest that may be types, without a class's own name at its declaration."""
    return {
        tree.text(node)
        for node in walk_outside(tree.root, removed)
        if node.kind in ("type_identifier", "identifier")
        and not (node.field == "name" and node.parent is not None and node.parent.kind in TYPES)
    }


def _check_uses(tree: Tree, cut: set[Node]) -> None:
    """Raise CuttingError for a remaining call of a removed method, by a bare name or on `this`."""
    removed_names = {name_of(tree, node) for node in cut if node.kind == "method_declaration"}
    for node in walk_outside(tree.root, cut):
        if node.kind == "method_declaration":
            removed_names.discard(name_of(tree, node))
    for node in walk_outside(tree.root, cut):
        if node.kind == "method_invocation" and _is_own_call(node) and name_of(tree, node) in removed_names:
            raise CuttingError(f"the rest calls {name_of(tree, node)}, another test", reason="entangled")


def _is_own_call(node: Node) -> bool:
    receiver = node.get("object")
    return receiver is None or receiver.kind == "this"


_WORDS = ("identifier", "type_identifier")
_NOT_CODE = ("import_declaration", "package_declaration")
_LINK = re.compile(r"(?:\{@(?:link|linkplain|value)|@(?:see|throws|exception))\s+(\w+)")


def lost_imports(tree: Tree, cut: set[Node]) -> list[tuple[int, int]]:
    """Return line ranges of imports that only `cut` code used, with comments that head nothing else."""
    spans = sorted((node.start, node.end) for node in cut)
    lost = [node for node, places in _uses(tree) if _is_lost(places, spans)]
    lines = split_lf(tree.data.decode("utf-8"))
    whole = [node for node in lost if _is_alone(tree, node, lines)]
    removed_lines = {node.first_line for node in whole}
    return [(heading(lines, node.first_line, removed_lines, marker="//"), node.last_line) for node in whole]


def _is_lost(places: list[int], spans: list[tuple[int, int]]) -> bool:
    """Return whether there are uses, and all of them are cut."""
    return bool(places) and all(_is_inside(place, spans) for place in places)


def _is_inside(place: int, spans: list[tuple[int, int]]) -> bool:
    at = bisect_right(spans, place, key=lambda span: span[0])
    return at > 0 and place < spans[at - 1][1]


@lru_cache(maxsize=4)  # cached like trees: the same file is read for each of its cases
def _uses(tree: Tree) -> list[tuple[Node, list[int]]]:
    """Map each import except wildcards to the places of its name."""
    places: dict[str, list[int]] = {}
    for word, place in _words(tree):
        places.setdefault(word, []).append(place)
    imports = [node for node in tree.root.all("import_declaration") if not node.first("asterisk")]
    return [(node, places.get(_simple_name(tree, node), [])) for node in imports]


def _simple_name(tree: Tree, node: Node) -> str:
    return tree.name(node.first("scoped_identifier", "identifier")).rpartition(".")[2]


def _words(tree: Tree) -> Iterator[tuple[str, int]]:
    for node in walk_outside(tree.root, set(tree.root.all(*_NOT_CODE))):
        if node.kind in _WORDS:
            yield tree.text(node), node.start
        elif node.kind in COMMENTS:
            yield from ((word, node.start) for word in _LINK.findall(tree.text(node)))


def _is_alone(tree: Tree, node: Node, lines: list[str]) -> bool:
    """Return whether an import has its line for itself, except for a trailing comment."""
    line = lines[node.first_line - 1]
    rest = line.partition(";")[2].strip()
    return node.first_line == node.last_line and line.startswith("import") and rest[:2] in ("", "//")


_EXACT = frozenset({"Disabled", "Ignore", "ExecutionCondition", "Theory", "TestAbortedException"})
# EnabledIf, DisabledOnOs and similar; Assume, assumeTrue, assumingThat, AssumptionViolatedException
_BEGINNINGS = ("EnabledI", "EnabledO", "EnabledF", "DisabledI", "DisabledO", "DisabledF", "Assum", "assum")


def may_skip(code: str, name: str) -> bool:
    """Return whether the text has a word for skipping in reach of a case, or of a class (a name without "#").

    Words for skipping are an assumption, a condition, a switch. A case reaches all of the file except the
    other cases and the classes that contain only those. False for a name that is not in the text, and for a
    text without a tree.
    """
    tree = parse(code)
    if isinstance(tree, SyntaxFault):
        return False
    found = collect(tree)
    cases = [each for each in found if each.name == name or _is_within(each, name)]
    return bool(cases) and _has_skip_word(tree, _out_of_reach(tree, found, cases, case="#" in name))


def _is_within(each: JavaCase, name: str) -> bool:
    """Return whether a case belongs to the class of that name, or to one inside it."""
    return "#" not in name and each.name.startswith((f"{name}#", f"{name}$"))


def _out_of_reach(tree: Tree, found: list[JavaCase], cases: list[JavaCase], *, case: bool) -> set[Node]:
    methods = {each.method for each in found} - ({each.method for each in cases} if case else set())
    needed = set().union(*(needed_classes(tree, each) for each in cases))
    holding = {
        node for each in found for node in (each.owner, *each.method.ancestors()) if node.kind in TYPES
    }
    return methods | (holding - needed) | set(tree.root.all("import_declaration", "package_declaration"))


def _has_skip_word(tree: Tree, out: set[Node]) -> bool:
    imports = " ".join(tree.name(node) for node in tree.root.all("import_declaration"))
    exact = _EXACT | {"abort"} if "Assumptions" in imports else _EXACT
    for node in walk_outside(tree.root, out):
        if node.kind in ("identifier", "type_identifier"):
            word = tree.text(node)
            if word in exact or word.startswith(_BEGINNINGS):
                return True
    return False


_NAME_NODES = ("identifier", "type_identifier")
_MEMBERS = ("method_declaration", "field_declaration", *TYPES)
_TEXTS = ("string_literal", "string_fragment", "text_block")
_PLAIN_MARKS = frozenset(["SuppressWarnings", "Override", "SafeVarargs", "Nullable", "NonNull"])
_WORD = re.compile(r"[^\W\d]\w*")


def unused_members(tree: Tree, cut: set[Node], needed: set[Node], kept_test: Node) -> set[Node]:
    """Return the members to remove with `cut`. `needed`: the classes around the test `kept_test`."""
    units = [node for node in _units(tree, needed) if node not in cut and node is not kept_test]
    units = [node for node in units if _may_go(tree, node)]
    words = {node: Counter(_words_in(tree, node, cut)) for node in units}
    before = {word for node in cut for word in _words_in(tree, node, set())}
    staying = Counter(_words_in(tree, tree.root, cut))
    unused: set[Node] = set()
    while True:
        lost = [
            node
            for node in units
            if node not in unused
            and (names := _names(tree, node))
            and not before.isdisjoint(names)
            and all(staying[name] <= words[node][name] for name in names)
        ]
        if not lost:
            return unused
        for node in lost:
            staying.subtract(words[node])
            before.update(words[node])
        unused.update(lost)


def _units(tree: Tree, needed: set[Node]) -> Iterator[Node]:
    """Yield whole types that the test is not in, and the members of those that it is in."""
    yield from (node for node in top_types(tree) if node not in needed)
    for declared in needed:
        yield from (node for node in members(declared) if node.kind in _MEMBERS and node not in needed)


def _may_go(tree: Tree, node: Node) -> bool:
    modifier_list = node.first("modifiers")
    marks = modifier_list.all("marker_annotation", "annotation") if modifier_list else []
    plain = all(tree.name(each.get("name")).rpartition(".")[2] in _PLAIN_MARKS for each in marks)
    calls = node.kind == "field_declaration" and any(each.kind == "method_invocation" for each in node.walk())
    return plain and not calls and stands_alone(tree, node)


def _names(tree: Tree, node: Node) -> set[str]:
    """Return the names of a member; a field may have several."""
    if node.kind == "field_declaration":
        return {name_of(tree, each) for each in node.all("variable_declarator")}
    return {name_of(tree, node)} - {"main", ""}


def _words_in(tree: Tree, root: Node, skipped: set[Node]) -> Iterator[str]:
    """Return used names, and the words of strings, without names at their declarations."""
    for node in walk_outside(root, skipped):
        if node.kind in _NAME_NODES:
            above = node.parent.kind if node.parent and node.field == "name" else ""
            if above not in (*_MEMBERS, "variable_declarator"):
                yield tree.text(node)
        elif node.kind in _TEXTS:
            yield from _WORD.findall(tree.text(node)[:2000])
