"""What the package variables of a Go file run when its package is loaded."""

from __future__ import annotations

from benchwright.lang.go.predeclared import BUILT_IN_TYPES
from benchwright.lang.go.tree import specs
from benchwright.lang.trees import Node, Tree

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
