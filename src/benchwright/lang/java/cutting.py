"""One Java test case left in its file, with the imports that it still uses.

Which imports only the tests cut out used is told by simple name, as the words of the text: a word that stays
keeps its import whatever it means there, and so does a name in a Javadoc link, which tools count as a use.
Wildcards stay, as does what nothing used before.

Also which cases may be skipped by the file's own words: an assumption, a condition, a switch. A case's reach
is all of the file but the other cases and the classes that hold only those: its method, the classes around it
with what they inherit, set-up, fields, and helpers, called or not.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache

from benchwright.lang.faults import CuttingError, SyntaxFault
from benchwright.lang.java.collecting import JavaCase, collect
from benchwright.lang.java.tree import TYPES, name_of, parse, supertypes
from benchwright.lang.lines import heading, split_lf
from benchwright.lang.trees import COMMENTS, Node, Tree, inside, walk_outside, without_nodes


def cut_java(code: str, name: str) -> str:
    """The file with one test case. Raises CuttingError when another case is needed by what stays."""
    tree = parse(code)
    assert not isinstance(tree, SyntaxFault)
    found = collect(tree)
    kept = next(each for each in found if each.name == name)
    methods = {each.method for each in found if each.method is not kept.method}
    cut = methods | _classes(tree, found, kept, methods)
    _check_uses(tree, cut)
    outer = [node for node in cut if node.parent is None or not inside(node.parent, cut)]
    return without_nodes(tree, outer, extra=lost_imports(tree, set(outer)))


def _classes(tree: Tree, found: list[JavaCase], kept: JavaCase, methods: set[Node]) -> set[Node]:
    """Other classes that hold tests, where nothing that stays names them."""
    needed = needed_classes(tree, kept)
    holding = {
        node for each in found for node in (each.owner, *each.method.ancestors()) if node.kind in TYPES
    }
    gone = holding - needed
    while True:
        used = _types_named(tree, methods | gone)
        staying = {node for node in gone if name_of(tree, node) in used}
        if not staying:
            return gone
        gone -= staying


def needed_classes(tree: Tree, kept: JavaCase) -> set[Node]:
    """Classes around the kept case, and what they inherit from in this file."""
    named = {name_of(tree, node): node for node in tree.root.walk() if node.kind in TYPES}
    around = (kept.owner, *kept.owner.ancestors(), *kept.method.ancestors())
    stack = [node for node in around if node.kind in TYPES]
    needed: set[Node] = set()
    while stack:
        node = stack.pop()
        if node not in needed:
            needed.add(node)
            stack += [named[each] for each in supertypes(tree, node) if each in named]
    return needed


def _types_named(tree: Tree, gone: set[Node]) -> set[str]:
    """Words that may be types, in what stays; a class's own name at its declaration is none."""
    return {
        tree.text(node)
        for node in walk_outside(tree.root, gone)
        if node.kind in ("type_identifier", "identifier")
        and not (node.field == "name" and node.parent is not None and node.parent.kind in TYPES)
    }


def _check_uses(tree: Tree, cut: set[Node]) -> None:
    """A call by a bare name or on `this` of a method that is gone, where none of that name stays."""
    gone = {name_of(tree, node) for node in cut if node.kind == "method_declaration"}
    for node in walk_outside(tree.root, cut):
        if node.kind == "method_declaration":
            gone.discard(name_of(tree, node))
    for node in walk_outside(tree.root, cut):
        if node.kind == "method_invocation" and _is_own_call(node) and name_of(tree, node) in gone:
            raise CuttingError(f"what stays calls {name_of(tree, node)}, another test", reason="entangled")


def _is_own_call(node: Node) -> bool:
    held = node.get("object")
    return held is None or held.kind == "this"


_WORDS = ("identifier", "type_identifier")
_NOT_CODE = ("import_declaration", "package_declaration")
_LINK = re.compile(r"(?:\{@(?:link|linkplain|value)|@(?:see|throws|exception))\s+(\w+)")


def lost_imports(tree: Tree, cut: set[Node]) -> list[tuple[int, int]]:
    """Ranges of lines with imports that only what is `cut` used, and with comments that head nothing else."""
    spans = sorted((node.start, node.end) for node in cut)
    lost = [node for node, places in _uses(tree) if _is_lost(places, spans)]
    lines = split_lf(tree.data.decode("utf-8"))
    whole = [node for node in lost if _is_alone(tree, node, lines)]
    gone = {node.first_line for node in whole}
    return [(heading(lines, node.first_line, gone, marker="//"), node.last_line) for node in whole]


def _is_lost(places: list[int], spans: list[tuple[int, int]]) -> bool:
    """True when there are places, and all are inside of what is cut."""
    return bool(places) and all(_is_inside(place, spans) for place in places)


def _is_inside(place: int, spans: list[tuple[int, int]]) -> bool:
    at = bisect_right(spans, place, key=lambda span: span[0])
    return at > 0 and place < spans[at - 1][1]


@lru_cache(maxsize=4)  # as trees are: the same file is asked about for each of its cases
def _uses(tree: Tree) -> list[tuple[Node, list[int]]]:
    """Each import but for wildcards, with the places of its name."""
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
    """True for an import that has its line to itself, but for a remark."""
    line = lines[node.first_line - 1]
    rest = line.partition(";")[2].strip()
    return node.first_line == node.last_line and line.startswith("import") and rest[:2] in ("", "//")


_EXACT = frozenset({"Disabled", "Ignore", "ExecutionCondition", "Theory", "TestAbortedException"})
# EnabledIf, DisabledOnOs and their kin; Assume, assumeTrue, assumingThat, AssumptionViolatedException
_BEGINNINGS = ("EnabledI", "EnabledO", "EnabledF", "DisabledI", "DisabledO", "DisabledF", "Assum", "assum")


def may_skip(code: str, name: str) -> bool:
    """Whether the text has a word for skipping in reach of a case, or of a class that is named without "#".

    False for a name that the text does not hold, and where there is no tree.
    """
    tree = parse(code)
    if isinstance(tree, SyntaxFault):
        return False
    found = collect(tree)
    kept = [each for each in found if each.name == name or _is_within(each, name)]
    return bool(kept) and _says_so(tree, _out_of_reach(tree, found, kept, case="#" in name))


def _is_within(each: JavaCase, name: str) -> bool:
    """Whether a case is one of the class of that name, or of one inside of it."""
    return "#" not in name and each.name.startswith((f"{name}#", f"{name}$"))


def _out_of_reach(tree: Tree, found: list[JavaCase], kept: list[JavaCase], *, case: bool) -> set[Node]:
    methods = {each.method for each in found} - ({each.method for each in kept} if case else set())
    needed = set().union(*(needed_classes(tree, each) for each in kept))
    holding = {
        node for each in found for node in (each.owner, *each.method.ancestors()) if node.kind in TYPES
    }
    return methods | (holding - needed) | set(tree.root.all("import_declaration", "package_declaration"))


def _says_so(tree: Tree, out: set[Node]) -> bool:
    imports = " ".join(tree.name(node) for node in tree.root.all("import_declaration"))
    exact = _EXACT | {"abort"} if "Assumptions" in imports else _EXACT
    for node in walk_outside(tree.root, out):
        if node.kind in ("identifier", "type_identifier"):
            word = tree.text(node)
            if word in exact or word.startswith(_BEGINNINGS):
                return True
    return False
