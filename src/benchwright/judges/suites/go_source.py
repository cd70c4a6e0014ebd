"""What one Go file declares, from a parse that runs nothing: it decides how a suite may be built and run.

A file may share a program with other suites only if loading it runs none of its code: no `init`, and
package variables made of nothing that can call, wait or panic. The rule errs on the safe side, for a
program of its own costs time and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from benchwright.errors import PrerequisiteError
from benchwright.records import Record

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_BYTES = 1 << 20
MAX_NODES = 400_000
# Packages whose import alone means that a suite gets a program of its own: they reach past their own package.
_OWN_PROGRAM = (
    "C",
    "unsafe",
    "embed",
    "os/exec",
    "os/signal",
    "syscall",
    "plugin",
    "flag",
    "runtime",
    "log/slog",
)
_DIRECTIVE = re.compile(r"^//(?:go:(?!generate)\w+|export |line |\s*\+build|go:build)", re.MULTILINE)
_LINKNAME = re.compile(r"^//go:linkname[ \t]+\S+[ \t]+(?:testing|os|syscall|bwharness)\b", re.MULTILINE)
# What a program of many shows of itself through this package: comparing shows no path, all else may.
_REFLECTS = re.compile(r"\breflect\b(?!\.DeepEqual\b)")
_TRUTHS = ("true", "false", "nil")
_TEST = re.compile(r"(Test|Fuzz|Example)(?![a-z])\w*\Z")
_OUTPUT = re.compile(r"\s*(?:(unordered) )?output:", re.IGNORECASE)

_HARMLESS = {
    *("int_literal", "float_literal", "imaginary_literal", "rune_literal", "raw_string_literal"),
    *("interpreted_string_literal", "true", "false", "nil", "iota", "identifier", "func_literal"),
    *(
        "pointer_type",
        "slice_type",
        "map_type",
        "struct_type",
        "interface_type",
        "function_type",
        "channel_type",
    ),
    *("type_identifier", "qualified_type", "comment"),
}
_HARMLESS_WITH_PARTS = {
    *("composite_literal", "literal_value", "literal_element", "keyed_element", "parenthesized_expression"),
    *("expression_list", "array_type", "implicit_length_array_type", "generic_type"),
}
_SAFE_OPERATORS = {
    *("+", "-", "*", "&", "|", "^", "&^", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "!"),
}
_BUILT_IN_TYPES = {
    *("bool", "string", "byte", "rune", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16"),
    *("uint32", "uint64", "uintptr", "float32", "float64"),
}


class Import(Record, frozen=True, kw_only=True):
    """One import: the path, and the name it is given ("." and "_" included, empty when it is given none)."""

    path: str
    alias: str = ""


class ExampleCase(Record, frozen=True, kw_only=True):
    """An example that is run: one whose body ends in a comment with its output."""

    name: str
    output: str
    unordered: bool = False


class Source(Record, frozen=True, kw_only=True):
    """One file's facts. `fault`: it does not parse, so nothing else is known. `alone`: why it may not share a
    program, empty when it may. `sign`: why nothing that it reports can be believed. `reflects`: it may use
    more of `reflect` than DeepEqual."""

    package: str = ""
    imports: list[Import] = []
    functions: frozenset[str] = frozenset()
    examples: list[ExampleCase] = []
    fault: str = ""
    alone: str = ""
    sign: str = ""
    reflects: bool = False

    @property
    def fuzzes(self) -> list[str]:
        """Fuzz targets, which `go test` runs on their seeds."""
        return sorted(name for name in self.functions if name.startswith("Fuzz") and _TEST.match(name))


def read_source(text: str) -> Source:
    """The facts of one file. Raises PrerequisiteError where the parser is not installed."""
    data = text.encode("utf-8", "surrogatepass")
    if len(data) > MAX_BYTES:
        return Source(fault=f"the file is larger than {MAX_BYTES} bytes", alone="too large")
    root = _parser().parse(data).root_node
    if root.has_error or root.descendant_count > MAX_NODES:
        return Source(
            package=_package(root), imports=_imports(root), alone="it does not parse", sign=_sign(root, text)
        )
    functions = frozenset(_name(node) for node in root.children if node.type == "function_declaration")
    return Source(
        package=_package(root),
        imports=_imports(root),
        functions=functions,
        examples=list(_examples(root)),
        alone=_alone(root, text, functions),
        sign=_sign(root, text),
        reflects=_reflects(root, text),
    )


@cache
def _parser() -> Any:
    try:
        import tree_sitter  # noqa: PLC0415 (an extra: only who executes Go suites needs it)
        import tree_sitter_go  # noqa: PLC0415
    except ImportError:
        raise PrerequisiteError(
            "Go suites need the packages tree-sitter and tree-sitter-go",
            hint="pip install 'benchwright[build]'",
        ) from None
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_go.language()))


def _text(node: Node | None) -> str:
    return "" if node is None or node.text is None else node.text.decode("utf-8", "replace")


def _name(node: Node) -> str:
    return _text(node.child_by_field_name("name"))


def _package(root: Node) -> str:
    clause = next((node for node in root.children if node.type == "package_clause"), None)
    return _text(clause.named_children[0]) if clause is not None and clause.named_children else ""


def _imports(root: Node) -> list[Import]:
    found = []
    for declaration in (node for node in root.children if node.type == "import_declaration"):
        for spec in _below(declaration):
            if spec.type == "import_spec":
                path = _text(spec.child_by_field_name("path")).strip('"`')
                found.append(Import(path=path, alias=_text(spec.child_by_field_name("name"))))
    return found


def _below(node: Node) -> Iterator[Node]:
    """A node and all below it, without recursion: source may be nested a million deep."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        yield each
        waiting.extend(reversed(each.children))


def _reflects(root: Node, text: str) -> bool:
    """The name is looked for in the text: one in a comment, or written in parts, errs on the safe side."""
    imported = [each for each in _imports(root) if each.path == "reflect"]
    return bool(imported) and (imported != [Import(path="reflect")] or len(_REFLECTS.findall(text)) != 1)


def _sign(root: Node, text: str) -> str:
    if _LINKNAME.search(text):
        return "reaches into the test runner with //go:linkname"
    for name in _declared(root):
        if name in _TRUTHS:
            return f"declares a {name!r} of its own for the whole package"
    return ""


def _declared(root: Node) -> Iterator[str]:
    """Names that the file declares for its package."""
    kinds = {"var_declaration", "const_declaration", "type_declaration", "function_declaration"}
    for node in root.children:
        if node.type == "function_declaration":
            yield _name(node)
        elif node.type in kinds:
            for spec in node.named_children if node.type != "var_declaration" else _specs(node):
                yield from (_text(name) for name in spec.children_by_field_name("name"))


def _specs(declaration: Node) -> list[Node]:
    specs: list[Node] = []
    for node in declaration.named_children:
        specs += node.named_children if node.type == "var_spec_list" else [node]
    return [node for node in specs if node.type == "var_spec"]


def _alone(root: Node, text: str, functions: frozenset[str]) -> str:
    for name in ("init", "TestMain"):
        if name in functions:
            return f"it has a function {name}"
    if _DIRECTIVE.search(text):
        return "it has a directive for the compiler"
    imports = _imports(root)
    for path in _OWN_PROGRAM:
        if any(each.path == path or each.path.startswith(f"{path}/") for each in imports):
            return f"it imports {path}"
    for name in _declared(root):
        if name in _BUILT_IN_TYPES:
            return f"it declares a {name} of its own"
    return _initialised(root, errors=Import(path="errors") in imports)


def _initialised(root: Node, *, errors: bool) -> str:
    """What package variables run. `errors`: that name can only be the package, for it is imported."""
    for spec in (spec for node in root.children if node.type == "var_declaration" for spec in _specs(node)):
        value = spec.child_by_field_name("value")
        if value is not None and (fault := _runs(value, errors=errors)):
            return f"line {spec.start_point[0] + 1}: {fault} in a package variable"
    return ""


def _runs(value: Node, *, errors: bool) -> str:
    """What of an initialiser could run code or wait; empty when nothing could.

    What may still panic, such as a field of a nil pointer, ends the program before it says that it has begun:
    then each suite of that program gets one of its own.
    """
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if not node.is_named or node.type in _HARMLESS:
            continue
        if node.type not in _HARMLESS_WITH_PARTS and not _is_safe(node, errors=errors):
            return f"a {node.type.replace('_', ' ')}"
        waiting.extend(_parts(node))
    return ""


def _parts(node: Node) -> list[Node]:
    """What is evaluated of a node that is safe in itself."""
    if node.type == "call_expression":
        arguments = node.child_by_field_name("arguments")
        return [] if arguments is None else list(arguments.named_children)
    if node.type == "selector_expression":
        return []
    return list(node.named_children)


def _is_safe(node: Node, *, errors: bool) -> bool:
    operator = _text(node.child_by_field_name("operator"))
    if node.type == "unary_expression":
        return operator in _SAFE_OPERATORS and operator != "*"  # a pointer may be nil
    if node.type == "binary_expression":
        return operator in _SAFE_OPERATORS
    if node.type == "selector_expression":  # time.Second, say
        operand = node.child_by_field_name("operand")
        return operand is not None and operand.type == "identifier"
    if node.type == "type_conversion_expression":
        return True
    return node.type == "call_expression" and _is_safe_call(node, errors=errors)


def _is_safe_call(node: Node, *, errors: bool) -> bool:
    """Conversions to built-in types, and errors.New of a literal, which nearly every Go package has."""
    function = _text(node.child_by_field_name("function"))
    arguments = node.child_by_field_name("arguments")
    kinds = [] if arguments is None else [each.type for each in arguments.named_children]
    if function == "errors.New":
        return errors and kinds in (["interpreted_string_literal"], ["raw_string_literal"])
    return function in _BUILT_IN_TYPES


def _examples(root: Node) -> Iterator[ExampleCase]:
    for node in root.children:
        if (
            node.type == "function_declaration"
            and _name(node).startswith("Example")
            and _TEST.match(_name(node))
        ):
            wanted = _output(node)
            if wanted is not None:
                unordered, output = wanted
                yield ExampleCase(name=_name(node), output=output, unordered=unordered)


def _output(function: Node) -> tuple[bool, str] | None:
    """The output that an example's last comment names: whether in any order, and the text."""
    body = function.child_by_field_name("body")
    nodes = [] if body is None else [node for node in _below(body) if node.type == "comment"]
    if body is None or not nodes:
        return None
    lines = _text(body).rstrip().removesuffix("}").rstrip().splitlines()
    tail: list[str] = []
    while lines and lines[-1].strip().startswith("//"):
        tail.insert(0, lines.pop().strip()[2:])
    text = "\n".join(tail)
    match = _OUTPUT.match(text)
    if match is None:
        return None
    return match[1] is not None, "\n".join(
        line.strip() for line in text[match.end() :].strip().splitlines()
    ) + "\n"
