"""Test cases of `node:test` in a JavaScript file, and one of them left in its file.

A case is a call of `test` or `it` at the top level or in `describe`, under a name that is a literal. Its name
has those of the suites around it: "cart > adds". Subtests (`t.test`) belong to the case that makes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from benchwright.lang.answers import Case
from benchwright.lang.faults import SyntaxFault
from benchwright.lang.javascript.modules import arguments, parse, text_of
from benchwright.lang.javascript.unused import unused_nodes
from benchwright.lang.trees import Node, Tree, first_line, without_nodes

SEPARATOR = " > "
FRAMEWORK = "node:test"
_SOURCES = ("node:test", "test")
_CASES, _SUITES = frozenset(("test", "it")), frozenset(("describe", "suite"))
_HOOKS = frozenset(("before", "after", "beforeEach", "afterEach", "mock"))
_MARKS = frozenset(("skip", "only", "todo"))
_FUNCTIONS = ("arrow_function", "function_expression", "generator_function")


class TestDeclarations(NamedTuple):
    """The statements of a file that declare tests. `dynamic`: tests may exist that no parse can see."""

    cases: dict[str, Node]
    suites: list[Node]
    dynamic: bool


def collect(tree: Tree) -> TestDeclarations:
    """Return the cases by name in the file's order, each name once."""
    roles = _roles(tree)
    cases: dict[str, Node] = {}
    suites: list[Node] = []
    seen: set[Node] = set()
    dynamic = False
    waiting = [(tree.root, "")]  # lists of statements, with the names of the suites around each
    while waiting:
        block, prefix = waiting.pop()
        for statement in block.children:
            call = _call(statement)
            role = _role(tree, call, roles)
            if call is None or role not in ("case", "suite"):
                continue
            seen.add(call)
            given = arguments(call)
            name = text_of(tree, given[0]) if given else None
            path = f"{prefix}{name}"
            if role == "suite" and name:
                suites.append(statement)
                body = _body(given)
                waiting += [(body, f"{path}{SEPARATOR}")] if body is not None else []
            elif name and path not in cases:
                cases[path] = statement
            else:
                dynamic = True
    calls = (node for node in tree.root.walk() if node.kind == "call_expression" and node not in seen)
    elsewhere = any(_role(tree, node, roles) in ("case", "suite") for node in calls)
    ordered = sorted(cases.items(), key=lambda each: each[1].start)
    return TestDeclarations(dict(ordered), suites, dynamic or elsewhere)


def javascript_cases(tree: Tree) -> list[Case]:
    """Return the cases as records; one with subtests is parametrised."""
    return [
        Case(
            name=name,
            first_line=first_line(node),
            last_line=node.last_line,
            parametrised=_has_subtests(tree, node),
        )
        for name, node in collect(tree).cases.items()
    ]


def cut_javascript(code: str, name: str) -> str:
    """Return the file with one case. Raises CuttingError if two cases share a line."""
    tree = parse(code)
    assert not isinstance(tree, SyntaxFault)
    declared = collect(tree)
    kept = declared.cases[name]
    around = {kept, *kept.ancestors()}
    gone = {node for node in declared.cases.values() if node is not kept}
    gone |= {suite for suite in declared.suites if suite not in around}
    outermost = {node for node in gone if gone.isdisjoint(node.ancestors())}
    return without_nodes(tree, outermost | unused_nodes(tree, outermost))


def _role_of(name: str) -> str:
    """Return the role of a function of `node:test`: "case", "suite", "hook", or "" for none."""
    if name in _CASES or name == "default":
        return "case"
    return "suite" if name in _SUITES else "hook" if name in _HOOKS else ""


def _roles(tree: Tree) -> dict[str, str]:
    """Return the names that stand for functions of `node:test`, each with its role."""
    return {local: role for local, imported in _imported(tree) if (role := _role_of(imported))}


def _imported(tree: Tree) -> Iterator[tuple[str, str]]:
    """Yield local names with the name in `node:test` that each stands for; "default" for the whole."""
    for node in tree.root.walk():
        if node.kind == "import_statement" and text_of(tree, node.get("source")) in _SOURCES:
            clause = node.first("import_clause")
            for child in clause.children if clause is not None else []:
                if child.kind == "identifier":
                    yield tree.text(child), "default"
                elif child.kind == "namespace_import":
                    yield tree.text(child.first("identifier")), "default"
                for each in child.all("import_specifier"):
                    yield tree.text(each.get("alias") or each.get("name")), tree.text(each.get("name"))
        elif node.kind == "variable_declarator":
            yield from _required(tree, node)


def _required(tree: Tree, node: Node) -> Iterator[tuple[str, str]]:
    value, target, member = node.get("value"), node.get("name"), "default"
    if value is not None and value.kind == "member_expression":
        member = tree.text(value.get("property"))
        value = value.get("object")
    if value is None or target is None or value.kind != "call_expression":
        return
    given = arguments(value)
    if tree.text(value.get("function")) != "require" or not given:
        return
    if text_of(tree, given[0]) not in _SOURCES:
        return
    if target.kind == "identifier":
        yield tree.text(target), member
    for each in target.children if target.kind == "object_pattern" else []:
        if each.named:
            yield tree.text(each.get("value") or each), tree.text(each.get("key") or each)


def _call(statement: Node) -> Node | None:
    """Return the call that a statement is, awaited or not."""
    if statement.kind != "expression_statement":
        return None
    inner = statement.children[0]
    if inner.kind == "await_expression":
        inner = inner.children[-1]
    return inner if inner.kind == "call_expression" else None


def _role(tree: Tree, call: Node | None, roles: dict[str, str]) -> str:
    called = call.get("function") if call is not None else None
    if called is None:
        return ""
    if called.kind == "identifier":
        return roles.get(tree.text(called), "")
    holder, member = called.get("object"), tree.text(called.get("property"))
    if called.kind != "member_expression" or holder is None:
        return ""
    if holder.kind == "member_expression":  # test.describe.skip(...)
        return "" if member not in _MARKS else _member_role(tree, holder, roles)
    if member in _MARKS and holder.kind == "identifier":
        return roles.get(tree.text(holder), "")
    return _member_role(tree, called, roles)


def _member_role(tree: Tree, called: Node, roles: dict[str, str]) -> str:
    holder, member = called.get("object"), tree.text(called.get("property"))
    if holder is None or holder.kind != "identifier" or tree.text(holder) not in roles:
        return ""
    return _role_of(member)


def _body(given: list[Node]) -> Node | None:
    function = next((each for each in reversed(given) if each.kind in _FUNCTIONS), None)
    body = function.get("body") if function is not None else None
    return body if body is not None and body.kind == "statement_block" else None


def _has_subtests(tree: Tree, statement: Node) -> bool:
    """Return whether a case calls `test` of its own context."""
    members = (node for node in statement.walk() if node.kind == "member_expression")
    return any(tree.text(each.get("property")) == "test" for each in members)
