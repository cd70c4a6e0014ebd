"""The tests that `go test` runs from a file, by the rules of the go command (cmd/go, load/test.go)."""

from __future__ import annotations

from benchwright.lang.found import Case
from benchwright.lang.go.tree import functions, name_of
from benchwright.lang.nodes import first_line
from benchwright.lang.trees import Node, Tree


def collect(tree: Tree) -> dict[str, Node]:
    """Test functions by name, in the file's order: `TestX(t *testing.T)`, and no method."""
    return {
        name_of(tree, node): node
        for node in functions(tree)
        if _is_test_name(name_of(tree, node)) and _takes(tree, node, "T")
    }


def go_cases(tree: Tree) -> list[Case]:
    """The same as records. A test with subtests (`t.Run`) is parametrised: its name covers them all."""
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
    """`Test` alone or with a rest that does not begin in lower case."""
    return name.startswith("Test") and not name[4:5].islower()


def _takes(tree: Tree, function: Node, kind: str) -> bool:
    """True for one parameter of type *T or *x.T, no result and no type parameters."""
    if function.get("type_parameters") or function.get("result"):
        return False
    parameters = function.get("parameters")
    declared = parameters.all("parameter_declaration") if parameters else []
    if len(declared) != 1 or len(declared[0].all("identifier")) > 1:
        return False
    taken = declared[0].get("type")
    if taken is None or taken.kind != "pointer_type":
        return False
    return tree.name(taken).removeprefix("*").rpartition(".")[2] == kind


def _has_subtests(tree: Tree, function: Node) -> bool:
    return any(
        node.kind == "selector_expression" and tree.text(node.get("field")) == "Run"
        for node in function.walk()
    )
