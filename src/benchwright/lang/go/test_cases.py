"""Tests and examples that `go test` runs from a file, and one test left alone in its file.

Names follow the rules of cmd/go (load/test.go). A declaration is removed with the other tests if something
removed names it and nothing that stays does, in code or in a string; so are benchmarks and examples, which no
test runs. A variable stays if its value may run code.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from benchwright.lang.go.tree import (
    functions,
    import_path,
    import_specs,
    name_of,
    package_names,
    parse,
    spec_names,
)
from benchwright.lang.protocol import Case
from benchwright.lang.source_errors import CuttingError, SyntaxFault
from benchwright.lang.trees import Node, Tree, first_line, stands_alone, walk_outside, without_nodes
from benchwright.records import Record


def collect(tree: Tree) -> dict[str, Node]:
    """Return test functions by name, in the file's order: `TestX(t *testing.T)`, no methods."""
    return {
        name_of(tree, node): node
        for node in functions(tree)
        if _is_test_name(name_of(tree, node)) and _takes(tree, node, "T")
    }


def go_cases(tree: Tree) -> list[Case]:
    """Return the tests as cases. A test with subtests (`t.Run`) is parametrised: its name covers them all."""
    return [
        Case(
            name=name,
            first_line=first_line(node),
            last_line=node.last_line,
            parametrised=_has_subtests(tree, node),
        )
        for name, node in collect(tree).items()
    ]


def _is_test_name(name: str) -> bool:
    """Return whether a name is `Test` with a rest that does not start in lower case."""
    return name.startswith("Test") and not name[4:5].islower()


def _takes(tree: Tree, function: Node, kind: str) -> bool:
    """Return whether a function has one parameter of type *T or *x.T, no result and no type parameters."""
    if function.get("type_parameters") or function.get("result"):
        return False
    parameters = function.get("parameters")
    declared = parameters.all("parameter_declaration") if parameters else []
    if len(declared) != 1 or len(declared[0].all("identifier")) > 1:
        return False
    parameter_type = declared[0].get("type")
    if parameter_type is None or parameter_type.kind != "pointer_type":
        return False
    return tree.name(parameter_type).removeprefix("*").rpartition(".")[2] == kind


def _has_subtests(tree: Tree, function: Node) -> bool:
    return any(
        node.kind == "selector_expression" and tree.text(node.get("field")) == "Run"
        for node in function.walk()
    )


_OUTPUT = re.compile(r"\s*(?:(unordered) )?output:", re.IGNORECASE)


class ExampleCase(Record, frozen=True, kw_only=True):
    """An example that is run, and its expected output."""

    name: str
    output: str
    unordered: bool = False


def is_example(name: str) -> bool:
    """Return whether a name is `Example` with a rest that does not start in lower case."""
    return re.fullmatch(r"Example(?![a-z])\w*", name) is not None


def examples(tree: Tree) -> list[ExampleCase]:
    """Return the examples that are run, in the file's order. Needs the whole tree: comments in bodies
    count."""
    nodes = [node for node in functions(tree) if is_example(name_of(tree, node))]
    found = [_example(tree, node) for node in nodes]
    return [each for each in found if each is not None]


def _example(tree: Tree, function: Node) -> ExampleCase | None:
    body = function.get("body")
    if body is None or not any(node.kind == "comment" for node in body.walk()):
        return None
    text = "\n".join(_last_comment(tree.text(body)))
    match = _OUTPUT.match(text)
    if match is None:
        return None
    lines = text[match.end() :].strip().splitlines()
    output = "\n".join(line.strip() for line in lines) + "\n"
    return ExampleCase(name=name_of(tree, function), output=output, unordered=match[1] is not None)


def _last_comment(body: str) -> list[str]:
    """Return the lines of the last comment of a body, without slashes."""
    lines = body.rstrip().removesuffix("}").rstrip().splitlines()
    tail: list[str] = []
    while lines and lines[-1].strip().startswith("//"):
        tail.append(lines.pop().strip()[2:])
    return tail[::-1]


def cut_go(code: str, name: str) -> str:
    """Return the file with one test case. Raises CuttingError if the rest needs another case."""
    tree = parse(code)
    assert not isinstance(tree, SyntaxFault)
    tests = collect(tree)
    cut = {node for node in tests.values() if node is not tests[name]}
    names = {name_of(tree, node) for node in cut}
    used = names & {tree.text(node) for node in walk_outside(tree.root, cut) if node.kind == "identifier"}
    if used:
        raise CuttingError(f"the rest uses {min(used)}, another test", reason="entangled")
    cut |= unused_declarations(tree, cut, tests[name])
    return without_nodes(tree, [*cut, *_unused_imports(tree, cut)])


def _unused_imports(tree: Tree, cut: set[Node]) -> list[Node]:
    """Return imports that only removed code used, which would not compile; a block without other imports
    whole.

    A package whose path does not show its name stays, since its uses are unknown.
    """
    before, after = set(_packages_used(tree, set())), set(_packages_used(tree, cut))
    unused = {spec for spec in import_specs(tree) if _lost(_names(tree, spec), before, after)}
    whole = []
    for declared in tree.root.all("import_declaration"):
        specs = [spec for spec in import_specs(tree) if declared in spec.ancestors()]
        if specs and unused.issuperset(specs):
            whole.append(declared)
            unused.difference_update(specs)
    return [*whole, *unused]


def _lost(names: list[str], before: set[str], after: set[str]) -> bool:
    return not before.isdisjoint(names) and after.isdisjoint(names)


def _names(tree: Tree, spec: Node) -> list[str]:
    name = name_of(tree, spec)
    return package_names(import_path(tree, spec)) if not name else [name]


def _packages_used(tree: Tree, removed: set[Node]) -> Iterator[str]:
    """Yield names before a dot. A converted, indexed or negated name has no dot after it, so it is not a
    package."""
    for node in walk_outside(tree.root, removed):
        if node.kind == "identifier" and node.field == "operand":
            if node.parent is not None and node.parent.kind == "selector_expression":
                yield tree.text(node)
        elif node.kind == "qualified_type":
            yield tree.text(node.get("package"))


_DECLARATIONS = (
    "function_declaration",
    "method_declaration",
    "type_declaration",
    "var_declaration",
    "const_declaration",
)
_SPECS = ("type_spec", "type_alias", "var_spec", "const_spec")
_WORDS = ("identifier", "type_identifier", "field_identifier", "package_identifier")
_NEVER_RUN = re.compile(r"(?:Benchmark|Example|Fuzz)(?![a-z])\w*")
_KEPT_NAMES = frozenset(("init", "main", "TestMain", "_", ""))
_MAKERS = frozenset(("regexp.MustCompile", "errors.New", "big.NewInt", "time.Duration", "make", "new"))
_WORD = re.compile(r"[^\W\d]\w*")


def unused_declarations(tree: Tree, cut: set[Node], kept_test: Node) -> set[Node]:
    """Return the declarations to remove with the cut ones, without the test `kept_test`."""
    groups = [node for node in tree.root.all(*_DECLARATIONS) if node not in cut]
    unused = {node for node in groups if _is_never_run(tree, node) and stands_alone(tree, node)}
    words = {node: _words(tree, node) for node in groups}
    names = _all_names(tree, groups)
    before = set[str]().union(*(_words(tree, node) for node in cut), *(words[node] for node in unused))
    staying = Counter(word for node in groups if node not in unused for word in words[node])
    while True:
        own = Counter(name for node in groups if node not in unused for name in names[node] & words[node])
        lost = [
            node
            for node in groups
            if node not in unused
            and node is not kept_test
            and names[node]
            and not before.isdisjoint(names[node])
            and all(staying[name] <= own[name] for name in names[node])
            and _may_go(tree, node)
        ]
        if not lost:
            return unused
        for node in lost:
            staying.subtract(words[node])
            before |= words[node]
        unused.update(lost)


def _is_never_run(tree: Tree, node: Node) -> bool:
    return node.kind == "function_declaration" and _NEVER_RUN.fullmatch(name_of(tree, node)) is not None


def _may_go(tree: Tree, node: Node) -> bool:
    return _is_data(tree, node) and stands_alone(tree, node)


def _all_names(tree: Tree, groups: list[Node]) -> dict[Node, set[str]]:
    """Map each declaration to its names; none for hooks and for methods of types in other files."""
    found = {node: _declared_names(tree, node) for node in groups}
    declared = {name for node in groups if node.kind != "method_declaration" for name in found[node]}
    return {
        node: names if names <= declared and _KEPT_NAMES.isdisjoint(names) else set()
        for node, names in found.items()
    }


def _declared_names(tree: Tree, node: Node) -> set[str]:
    """Return the names of a declaration; a method has that of its type, with which it is removed."""
    if node.kind == "function_declaration":
        return {name_of(tree, node)}
    if node.kind == "method_declaration":
        receiver = node.get("receiver")
        types = [each for each in receiver.walk() if each.kind == "type_identifier"] if receiver else []
        return {tree.text(each) for each in types[:1]}
    return {name for each in node.walk() if each.kind in _SPECS for name in spec_names(tree, each)}


def _is_data(tree: Tree, node: Node) -> bool:
    if node.kind != "var_declaration":
        return True
    calls = [each for each in node.walk() if each.kind == "call_expression"]
    inside = any(each.kind == "func_literal" for each in node.walk())
    return inside or all(tree.name(each.get("function")) in _MAKERS for each in calls if each.get("function"))


def _words(tree: Tree, node: Node) -> set[str]:
    """Return the names in a declaration, and the words of its strings."""
    found: set[str] = set()
    for each in node.walk():
        if each.kind in _WORDS:
            found.add(tree.text(each))
        elif each.kind.endswith("string_literal_content") or each.kind == "raw_string_literal":
            found.update(_WORD.findall(tree.text(each)[:2000]))
    return found
