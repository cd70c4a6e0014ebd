"""Test cases of `node:test` in a JavaScript file, and one of them left alone in its file.

A case is a call of `test` or `it` at the top level or in `describe`, under a name that is a literal. Its
name has those of the suites around it: "cart > adds". Subtests (`t.test`) belong to their case. What only
the removed cases used goes with them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from benchwright.lang.javascript.modules import arguments, parse, text_of
from benchwright.lang.protocol import Case
from benchwright.lang.source_errors import SyntaxFault
from benchwright.lang.trees import Node, Tree, first_line, stands_alone, walk_outside, without_nodes

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
    kept_case = declared.cases[name]
    around = {kept_case, *kept_case.ancestors()}
    removed = {node for node in declared.cases.values() if node is not kept_case}
    removed |= {suite for suite in declared.suites if suite not in around}
    outermost = {node for node in removed if removed.isdisjoint(node.ancestors())}
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


_DECLARATIONS = ("function_declaration", "generator_function_declaration", "class_declaration")
_LISTS = ("lexical_declaration", "variable_declaration")
_USES = ("identifier", "shorthand_property_identifier")
_BINDING_KINDS = ("identifier", "shorthand_property_identifier_pattern")
_FUNCTION_NODES = ("arrow_function", "function_expression", "generator_function")
_RUNS = ("call_expression", "new_expression", "await_expression", "yield_expression")


def unused_nodes(tree: Tree, cut: set[Node]) -> set[Node]:
    """Return the top-level statements whose names something cut uses and nothing that stays does.

    A variable stays if its value runs code, since that may do more than make a value; `require` may go.
    """
    names = {node: set(_names(tree, node)) for node in tree.root.children if node not in cut}
    removable = {
        node for node, own in names.items() if own and stands_alone(tree, node) and _is_data(tree, node)
    }
    unused: set[Node] = set()
    while True:
        skipped = cut | unused
        staying = Counter(_used_names(tree, walk_outside(tree.root, skipped)))
        before = set(_used_names(tree, (each for node in skipped for each in node.walk())))
        lost = {
            node
            for node in removable - unused
            if names[node] & before and _only_here(tree, node, names[node], staying)
        }
        if not lost:
            return unused
        unused |= lost


def _only_here(tree: Tree, node: Node, names: set[str], staying: Counter[str]) -> bool:
    here = Counter(_used_names(tree, node.walk()))
    return all(staying[name] <= here[name] for name in names)


def _used_names(tree: Tree, nodes: Iterator[Node]) -> Iterator[str]:
    return (tree.text(node) for node in nodes if node.kind in _USES)


def _names(tree: Tree, node: Node) -> list[str]:
    """Return the names that a top-level statement binds."""
    if node.kind in _DECLARATIONS:
        return [tree.text(node.get("name"))]
    if node.kind == "import_statement":
        clause = node.first("import_clause")
        bound = clause.walk() if clause is not None else ()
        return [tree.text(each) for each in bound if each.kind == "identifier" and _is_local(each)]
    if node.kind not in _LISTS:
        return []
    targets = (declared.get("name") for declared in node.all("variable_declarator"))
    found = (each for target in targets if target is not None for each in target.walk())
    return [tree.text(each) for each in found if each.kind in _BINDING_KINDS]


def _is_local(name: Node) -> bool:
    """Return whether an imported name is the one that the file uses."""
    specifier = name.parent
    renamed = specifier is not None and specifier.kind == "import_specifier" and specifier.get("alias")
    return not renamed or name.field == "alias"


def _is_data(tree: Tree, node: Node) -> bool:
    """Return whether nothing runs where a statement stands but `require`."""
    if node.kind not in _LISTS:
        return True
    functions = {each for each in node.walk() if each.kind in _FUNCTION_NODES}
    runs = (each for each in walk_outside(node, functions) if each.kind in _RUNS)
    return all(tree.text(each.get("function")) == "require" for each in runs)
