"""Predeclared Go names that a package redeclares, and code that package variables run at load time.

A package's own function `len` is what `len(cases)` calls in all of its files, tests included, so that a loop
over the cases of a test may not run. Only names of the package block reach other files: imports belong to
their file, methods and fields follow a dot, and exported names start with a capital letter.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator
from itertools import islice
from operator import itemgetter

from benchwright.lang.go.tree import functions, name_of, spec_names, specs
from benchwright.lang.trees import Node, Tree

# The Go specification, "Predeclared identifiers"; min, max, clear since Go 1.21, any, comparable since 1.18.
_TYPES = """
bool string byte rune int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr float32 float64
"""
_FUNCTIONS = """
append cap clear close complex copy delete imag len make max min new panic print println real recover
"""
_OTHERS = "any comparable complex64 complex128 error false iota nil true"
BUILT_IN_TYPES = frozenset(_TYPES.split())  # of plain values, that a conversion may name
FUNCTIONS = frozenset(_FUNCTIONS.split())
PREDECLARED = BUILT_IN_TYPES | FUNCTIONS | frozenset(_OTHERS.split())
UNIVERSE = PREDECLARED | {"_"}

_MANY = 1 << 30
# minimum and maximum number of arguments of Go's own function
_ARITIES = {
    "append": (1, _MANY), "cap": (1, 1), "clear": (1, 1), "close": (1, 1), "complex": (2, 2), "copy": (2, 2),
    "delete": (2, 2), "imag": (1, 1), "len": (1, 1), "make": (1, 3), "max": (1, _MANY), "min": (1, _MANY),
    "new": (1, 1), "panic": (1, 1), "print": (0, _MANY), "println": (0, _MANY), "real": (1, 1),
    "recover": (0, 0),
}  # fmt: skip
_WORDS = {"true", "false", "nil", "iota"}  # constants that have their own node kinds
_DECLARED_NAMES = re.compile(rb"\b(?:func|type|var|const)\s+((?:\w+\s*,\s*)*\w+)")
_SCOPES = {
    "block", "function_declaration", "method_declaration", "func_literal", "if_statement", "for_statement",
    "expression_switch_statement", "type_switch_statement", "communication_case", "expression_case",
    "default_case", "type_case", "type_declaration",
}  # fmt: skip
_BINDING = {
    "var_spec", "const_spec", "type_spec", "type_alias", "parameter_declaration",
    "variadic_parameter_declaration", "type_parameter_declaration",
}  # fmt: skip
_ASSIGNING = {"short_var_declaration", "range_clause", "receive_statement", "type_switch_statement"}
_SHORT = 1000  # bytes of a body that may be an equivalent replacement
_EXTREME = re.compile(
    r"\{ if (?P<first>\w+) (?P<sign>[<>])=? (?P<second>\w+) \{ return (\w+) \} "
    r"(?:else \{ return (\w+) \}|return (\w+)) \}"
)
_NEAR = 100  # maximum number of levels from a local name to its scope
Span = tuple[int, int]


def redeclared(tree: Tree) -> set[str]:
    """Return predeclared names that a file redeclares for its package, without replacements that do the same.

    A file with a syntax error may hide a declaration from the grammar and not from the compiler, so there
    everything that looks like one counts. Needs the whole tree: the bodies show which replacements are
    equivalent.
    """
    names = {name_of(tree, node) for node in functions(tree) if not _is_extreme(tree, node)}
    for spec in specs(tree, "type_declaration", "var_declaration", "const_declaration"):
        if not _is_empty_interface(tree, spec):
            names.update(spec_names(tree, spec))
    if tree.fault:
        names.update(_seeming(tree))
    return names & PREDECLARED


def may_redeclare(tree: Tree) -> bool:
    """Return whether a file may redeclare a name. An outline is enough."""
    if tree.fault:
        return True
    names = {name_of(tree, node) for node in functions(tree)}
    for spec in specs(tree, "type_declaration", "var_declaration", "const_declaration"):
        names.update(spec_names(tree, spec))
    return not PREDECLARED.isdisjoint(names)


def predeclared_uses(tree: Tree, names: Collection[str]) -> set[str]:
    """Return which of these names a file uses as Go predeclares them: not its own local names, and not uses
    that Go does not allow, such as `new()` or a function that is not called."""
    own = _local_ranges(tree, names)
    found = set()
    for node in tree.root.walk():
        name = _use(tree, node)
        if name in names and not _holds(own.get(name, []), node.start):
            called = name not in FUNCTIONS or _is_call(node, name)
            found.update([name] if called else [])
    return found


def _use(tree: Tree, node: Node) -> str:
    """Return the name that a node uses, or None. A key of a literal is a field, so it is not such a use."""
    if node.kind in _WORDS and node.named:
        return node.kind
    above = node.parent
    if node.kind not in ("identifier", "type_identifier") or above is None or node.field in ("name", "label"):
        return ""
    is_key = above.kind == "literal_element" and above.field == "key"
    return "" if is_key or above.kind == "qualified_type" else tree.text(node)


def _is_call(node: Node, name: str) -> bool:
    """Return whether Go's own function could take this call."""
    while node.parent is not None and node.parent.kind == "parenthesized_expression":
        node = node.parent
    call = node.parent
    if call is None or call.kind != "call_expression" or node.field != "function":
        return False
    arguments = call.get("arguments")
    given = [] if arguments is None else [each for each in arguments.children if each.named]
    given = [each for each in given if each.kind != "comment"]
    least, most = _ARITIES[name]
    if call.get("type_arguments"):
        return False
    handed_on = len(given) == 1 and given[0].kind == "call_expression"  # f(g()): as many as g returns
    return handed_on or (least <= len(given) <= most)


def _local_ranges(tree: Tree, names: Collection[str]) -> dict[str, list[Span]]:
    """Return the ranges in which each of these names is a local name of the file, in order and disjoint."""
    found: dict[str, list[Span]] = {}
    for node in tree.root.walk():
        if node.kind in ("identifier", "type_identifier") and tree.text(node) in names:
            declared = _declaration(node)
            above = islice(declared.ancestors(), _NEAR) if declared else iter(())
            scope = next((each for each in above if each.kind in _SCOPES), None)
            if declared is not None and scope is not None:
                found.setdefault(tree.text(node), []).append((declared.end, scope.end))
    return {name: list(_joined(spans)) for name, spans in found.items()}


def _joined(spans: list[Span]) -> Iterator[Span]:
    last = 0
    for start, end in sorted(spans):
        if end > last:
            yield max(start, last), end
            last = end


def _holds(spans: list[Span], place: int) -> bool:
    at = bisect_right(spans, place, key=itemgetter(0)) - 1
    return at >= 0 and place < spans[at][1]


def _declaration(node: Node) -> Node | None:
    """Return the node that declares this name in a function, if the node is a declared name."""
    above = node.parent
    if above is None:
        return None
    if above.kind in _BINDING and node.field == "name":
        return above
    if above.kind == "expression_list" and above.field in ("left", "alias"):
        above, node = above.parent or above, above
    if above.kind in _ASSIGNING and node.field in ("left", "alias"):
        return node if above.kind == "type_switch_statement" else above
    return None


def _is_extreme(tree: Tree, function: Node) -> bool:
    """Return whether a function is `if a > b { return a }; return b` under the name max, or similar for min:
    the common form before Go 1.21."""
    name, parameters, body = name_of(tree, function), function.get("parameters"), function.get("body")
    if name not in ("min", "max") or parameters is None or body is None or body.end - body.start > _SHORT:
        return False
    leaves = [node for node in body.walk() if not node.children and node.kind != "comment"]
    match = _EXTREME.fullmatch(" ".join(tree.text(leaf) for leaf in leaves).replace(" ;", ""))
    if match is None:
        return False
    groups = parameters.all("parameter_declaration")
    declared = sorted(tree.text(each) for group in groups for each in group.all("identifier"))
    first, sign, second, result = match.group("first", "sign", "second", 4)
    otherwise = match[5] or match[6]
    if not declared == sorted([first, second]) == sorted([result, otherwise]):
        return False
    return (name == "max") == ((sign == ">") == (result == first))


def _is_empty_interface(tree: Tree, spec: Node) -> bool:
    """Return whether a type is `type any = interface{}`, as before Go 1.18."""
    return spec_names(tree, spec) == ["any"] and tree.name(spec.get("type")) == "interface{}"


def _seeming(tree: Tree) -> set[str]:
    """Return what a text that does not parse may declare."""
    found = {tree.text(node) for node in tree.root.walk() if node.field == "name" and node.named}
    for match in _DECLARED_NAMES.finditer(tree.data):
        found.update(each.strip().decode("utf-8", "replace") for each in match[1].split(b","))
    return found


_HARMLESS = {
    *("int_literal", "float_literal", "imaginary_literal", "rune_literal", "raw_string_literal"),
    *("interpreted_string_literal", "true", "false", "nil", "iota", "identifier", "func_literal"),
    *("pointer_type", "slice_type", "map_type", "struct_type", "interface_type", "function_type"),
    *("channel_type", "type_identifier", "qualified_type", "comment"),
}
_HARMLESS_WITH_PARTS = {
    *("composite_literal", "literal_value", "literal_element", "keyed_element", "parenthesized_expression"),
    *("expression_list", "array_type", "implicit_length_array_type", "generic_type"),
}
_SAFE_OPERATORS = {
    *("+", "-", "*", "&", "|", "^", "&^", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "!"),
}


def what_loading_runs(tree: Tree, *, errors: bool) -> str:
    """Return code that a package variable may run or wait for, with its line; empty if there is none.

    `errors`: whether that name can only be the package, because it is imported. Possible panics, such as a
    field of a nil pointer, are not reported. An outline is enough.
    """
    for spec in specs(tree, "var_declaration"):
        value = spec.get("value")
        if value is not None and (found := _runs(tree, value, errors=errors)):
            return f"line {spec.first_line}: {found} in a package variable"
    return ""


def _runs(tree: Tree, value: Node, *, errors: bool) -> str:
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if not node.named or node.kind in _HARMLESS:
            continue
        if node.kind not in _HARMLESS_WITH_PARTS and not _is_safe(tree, node, errors=errors):
            return f"a {node.kind.replace('_', ' ')}"
        waiting.extend(_parts(node))
    return ""


def _parts(node: Node) -> list[Node]:
    """Yield the evaluated parts of a node that is safe itself."""
    if node.kind == "selector_expression":
        return []
    if node.kind == "call_expression":
        return _arguments(node)
    return [child for child in node.children if child.named]


def _arguments(call: Node) -> list[Node]:
    arguments = call.get("arguments")
    return [] if arguments is None else [child for child in arguments.children if child.named]


def _is_safe(tree: Tree, node: Node, *, errors: bool) -> bool:
    operator = tree.text(node.get("operator"))
    if node.kind == "unary_expression":
        return operator in _SAFE_OPERATORS and operator != "*"  # a pointer may be nil
    if node.kind == "binary_expression":
        return operator in _SAFE_OPERATORS
    if node.kind == "selector_expression":  # such as time.Second
        operand = node.get("operand")
        return operand is not None and operand.kind == "identifier"
    if node.kind == "type_conversion_expression":
        return True
    return node.kind == "call_expression" and _is_safe_call(tree, node, errors=errors)


def _is_safe_call(tree: Tree, call: Node, *, errors: bool) -> bool:
    """Return whether a call is a conversion to a built-in type, or errors.New of a literal."""
    function = tree.text(call.get("function"))
    kinds = [each.kind for each in _arguments(call)]
    if function == "errors.New":
        return errors and kinds in (["interpreted_string_literal"], ["raw_string_literal"])
    return function in BUILT_IN_TYPES
