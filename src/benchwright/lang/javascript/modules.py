"""Imports and exports of a JavaScript file, and the files that relative imports name."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from posixpath import join, normpath

from benchwright.lang import trees
from benchwright.lang.parser import Grammar
from benchwright.lang.protocol import Import
from benchwright.lang.source_errors import SyntaxFault
from benchwright.lang.trees import Node, Tree

GRAMMAR = Grammar("JavaScript", "tree_sitter_javascript")
SUFFIXES = (".js", ".mjs", ".cjs", ".jsx")
# Node.js documentation, "Modules: built-in modules".
_STANDARD = """
assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain
events fs http http2 https inspector module net os path perf_hooks process punycode querystring readline repl
sqlite stream string_decoder sys test timers tls trace_events tty url util v8 vm wasi worker_threads zlib
"""
STANDARD = frozenset(_STANDARD.split())


def parse(code: str) -> Tree | SyntaxFault:
    """Return the tree of a text, or why there is none."""
    return trees.parse(code, GRAMMAR)


def is_module(tree: Tree) -> bool:
    """Return whether a file is an ECMAScript module: it has an import or export statement."""
    return tree.root.first("import_statement", "export_statement") is not None


def text_of(tree: Tree, node: Node | None) -> str | None:
    """Return the value of a string literal without escapes or substitutions, else None."""
    if node is None or node.kind not in ("string", "template_string"):
        return None
    if any(child.kind not in ("string_fragment", "'", '"', "`") for child in node.children):
        return None
    return tree.text(node)[1:-1]


def arguments(call: Node) -> list[Node]:
    """Return the arguments of a call."""
    listed = call.get("arguments")
    return [child for child in listed.children if child.named] if listed is not None else []


def javascript_imports(tree: Tree, roots: Collection[str] = ()) -> list[Import]:
    """Return all imports in the file's order: statements, `require` and `import` calls, and re-exports."""
    found = []
    for node in tree.root.walk():
        source = _source(tree, node)
        if source is not None:
            names, alias = _bound_names(tree, node)
            kind = kind_of(source, roots)
            found.append(Import(module=source, kind=kind, line=node.first_line, names=names, alias=alias))
    return found


def kind_of(source: str, roots: Collection[str] = ()) -> str:
    """Return the kind of a module specifier. `roots` are the project's own package names."""
    if source.startswith("."):
        return "relative"
    package = package_of(source)
    if package in roots or source.startswith(("/", "#", "file:")):
        return "project"
    return "standard" if source.startswith("node:") or package in STANDARD else "third_party"


def package_of(source: str) -> str:
    """Return the package of a specifier: `@scope/name` or the part before the first slash."""
    parts = source.split("/")
    return "/".join(parts[: 2 if source.startswith("@") else 1])


def resolved(source: str, importer: str, files: Collection[str]) -> str:
    """Return the file that a relative specifier names for an importing file, or "" if none of `files` does.

    As Node.js does, `require` also tries suffixes and a folder's `index.js`; `import` names the whole file.
    """
    path = normpath(join(importer.rpartition("/")[0], source))
    inside = "index.js" if path == "." else f"{path}/index.js"
    candidates = (path, *(f"{path}{each}" for each in (*SUFFIXES, ".json")), inside)
    return next((each for each in candidates if each in files), "")


def names_from(tree: Tree, source: str) -> set[str]:
    """Return the names that a file takes from one module; "default" for all that a plain binding holds."""
    found: set[str] = set()
    for node in tree.root.walk():
        if _source(tree, node) == source:
            names, alias = _bound_names(tree, node)
            found.update(names or (["default"] if alias else []))
    return found


def exports(tree: Tree) -> set[str]:
    """Return the names that a file exports, in either module system; "default" for a default export."""
    found: set[str] = set()
    for node in tree.root.walk():
        if node.kind == "export_statement":
            found.update(_exported(tree, node))
        elif node.kind == "assignment_expression":
            found.update(_assigned(tree, node))
    return found - {""}


def _source(tree: Tree, node: Node) -> str | None:
    if node.kind in ("import_statement", "export_statement"):
        return text_of(tree, node.get("source"))
    if node.kind != "call_expression":
        return None
    called = node.get("function")
    if called is None or tree.text(called) not in ("require", "import"):
        return None
    given = arguments(node)
    return text_of(tree, given[0]) if given else None


def _bound_names(tree: Tree, node: Node) -> tuple[list[str], str]:
    """Return the names taken from a module, and the name of the binding that holds all of it."""
    if node.kind == "call_expression":
        return _required(tree, node)
    names, alias = [], ""
    clause = node.first("import_clause", "export_clause")
    for child in clause.children if clause is not None else []:
        if child.kind == "identifier":
            alias = tree.text(child)
        elif child.kind == "namespace_import":
            alias = tree.text(child.first("identifier"))
        elif child.kind == "named_imports":
            names = [tree.text(each.get("name")) for each in child.all("import_specifier")]
    return names, alias


def _required(tree: Tree, call: Node) -> tuple[list[str], str]:
    holder, member = call, ""
    if holder.parent is not None and holder.parent.kind == "await_expression":
        holder = holder.parent
    if holder.parent is not None and holder.parent.kind == "member_expression":
        holder = holder.parent
        member = tree.text(holder.get("property"))
    above = holder.parent
    target = above.get("name") if above is not None and above.kind == "variable_declarator" else None
    if member:
        return [member], ""
    if target is None or target.kind == "identifier":
        return [], tree.text(target)
    keys = [each.get("key") or each for each in target.children if each.named]
    return [tree.text(each) for each in keys], ""


def _exported(tree: Tree, node: Node) -> Iterator[str]:
    if node.first("default") is not None:
        yield "default"
        return
    clause = node.first("export_clause")
    for each in clause.all("export_specifier") if clause is not None else []:
        yield tree.text(each.get("alias") or each.get("name"))
    declared = node.get("declaration")
    if declared is not None:
        yield tree.text(declared.get("name"))
        for each in declared.all("variable_declarator"):
            yield tree.text(each.get("name"))


def _assigned(tree: Tree, node: Node) -> Iterator[str]:
    target, value = tree.name(node.get("left")), node.get("right")
    if target == "module.exports":
        yield "default"
        for each in value.children if value is not None and value.kind == "object" else []:
            if each.named:
                yield tree.text(each.get("key") or each.get("name") or each)
    elif target.startswith(("exports.", "module.exports.")):
        yield target.rpartition(".")[2]
