"""Questions about a Java tree: package, types, members, modifiers, imports, and used names with origins."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from benchwright.lang import trees
from benchwright.lang.parser import Grammar
from benchwright.lang.protocol import Import
from benchwright.lang.source_errors import SyntaxFault
from benchwright.lang.trees import Node, Tree, walk_outside

GRAMMAR = Grammar("Java", "tree_sitter_java")
TYPES = (
    "class_declaration",
    "interface_declaration",
    "enum_declaration",
    "record_declaration",
    "annotation_type_declaration",
)
_BODIES = ("class_body", "interface_body", "enum_body", "enum_body_declarations", "annotation_type_body")


def parse(code: str) -> Tree | SyntaxFault:
    """Return the tree of a text, or a SyntaxFault if there is none."""
    return trees.parse(code, GRAMMAR)


def package(tree: Tree) -> str:
    """Return the dotted name of the file's package; empty for the unnamed one."""
    declared = tree.root.first("package_declaration")
    return tree.name(declared.first("scoped_identifier", "identifier")) if declared else ""


def top_types(tree: Tree) -> list[Node]:
    """Return the top-level types of the file."""
    return tree.root.all(*TYPES)


def members(declared: Node) -> Iterator[Node]:
    """Return the members of a type's body: methods, fields, types and their comments."""
    body = declared.get("body")
    stack = [] if body is None else [body]
    while stack:
        node = stack.pop()
        if node.kind in _BODIES:
            stack.extend(reversed(node.children))
        else:
            yield node


def methods(declared: Node) -> list[Node]:
    """Return the methods of a type."""
    return [node for node in members(declared) if node.kind == "method_declaration"]


def inner_types(declared: Node) -> list[Node]:
    """Return the types that a type declares."""
    return [node for node in members(declared) if node.kind in TYPES]


def name_of(tree: Tree, declared: Node) -> str:
    """Return the name of a type or method."""
    return tree.text(declared.get("name"))


def modifiers(tree: Tree, declared: Node) -> set[str]:
    """Return modifiers such as `public` and `static`."""
    modifier_list = declared.first("modifiers")
    return {tree.text(node) for node in modifier_list.children if not node.named} if modifier_list else set()


def marks(tree: Tree, declared: Node) -> dict[str, Node]:
    """Return the simple names of a declaration's annotations."""
    modifier_list = declared.first("modifiers")
    found = modifier_list.all("marker_annotation", "annotation") if modifier_list else []
    return {tree.name(node.get("name")).rpartition(".")[2]: node for node in found}


def supertypes(tree: Tree, declared: Node) -> list[str]:
    """Return the simple names of the types that a type extends or implements, without their arguments."""
    clauses = declared.all("superclass", "super_interfaces", "extends_interfaces")
    stack = [child for clause in reversed(clauses) for child in reversed(clause.children)]
    names = []
    while stack:
        node = stack.pop()
        if node.kind == "type_list":
            stack.extend(reversed(node.children))
        elif node.kind == "generic_type":
            stack.append(node.children[0])
        elif node.kind in ("type_identifier", "scoped_type_identifier"):
            names.append(tree.name(node).rpartition(".")[2])
    return names


def arguments_text(tree: Tree, annotation: Node | None) -> str:
    """Return the text in an annotation's brackets."""
    return tree.text(annotation.get("arguments")) if annotation else ""


def java_imports(tree: Tree, roots: Collection[str] = ()) -> list[Import]:
    """Return all imports in the file's order. The module of a static import is its class."""
    own = roots or root_of(package(tree))
    return [_record(tree, node, own) for node in tree.root.all("import_declaration")]


def root_of(name: str) -> list[str]:
    """Return the package prefix that a project's files share, derived from one package: two names or more."""
    parts = name.split(".") if name else []
    length = 2
    while length < len(parts) and ".".join(parts[:length]) in UMBRELLAS:
        length += 1
    return [".".join(parts[:length])] if parts else []


def kind_of(name: str, roots: Collection[str]) -> str:
    """Return the kind of an imported class or package by its dotted name."""
    if any(name == root or name.startswith(f"{root}.") for root in roots):
        return "project"
    return "standard" if name.startswith(STANDARD) else "third_party"


def _record(tree: Tree, node: Node, roots: Collection[str]) -> Import:
    name = tree.name(node.first("scoped_identifier", "identifier"))
    names = ["*"] if node.first("asterisk") else []
    if node.first("static") and not names:
        name, _, member = name.rpartition(".")
        names = [member]
    return Import(module=name, kind=kind_of(name, roots), line=node.first_line, names=names)


_STANDARD = """
java. jdk. sun. com.sun. netscape.javascript. org.ietf.jgss. org.w3c.dom. org.xml.sax. javax.accessibility.
javax.annotation.processing. javax.crypto. javax.imageio. javax.lang.model. javax.management. javax.naming.
javax.net. javax.print. javax.rmi. javax.script. javax.security. javax.smartcardio. javax.sound. javax.sql.
javax.swing. javax.tools. javax.transaction.xa. javax.xml.catalog. javax.xml.crypto. javax.xml.datatype.
javax.xml.namespace. javax.xml.parsers. javax.xml.stream. javax.xml.transform. javax.xml.validation.
javax.xml.xpath.
"""
STANDARD = tuple(_STANDARD.split())

# package roots that many separate projects share: two names are not enough there
_UMBRELLAS = """
com.github com.google com.netflix io.github org.apache org.apache.commons org.codehaus org.eclipse org.jboss
org.springframework org.sonatype com.alibaba com.fasterxml org.ow2 net.sf net.sourceforge org.wso2
com.microsoft com.amazonaws com.ibm com.sap com.facebook com.linkedin com.twitter com.yahoo com.vmware
org.sourceforge com.googlecode
"""
UMBRELLAS = frozenset(_UMBRELLAS.split())

# java.lang, which every file imports
_LANG = """
AbstractMethodError Appendable ArithmeticException ArrayIndexOutOfBoundsException ArrayStoreException
AssertionError AutoCloseable Boolean BootstrapMethodError Byte CharSequence Character Class
ClassCastException ClassCircularityError ClassFormatError ClassLoader ClassNotFoundException ClassValue
CloneNotSupportedException Cloneable Comparable Compiler Deprecated Double Enum
EnumConstantNotPresentException Error Exception ExceptionInInitializerError Float FunctionalInterface IO
IllegalAccessError IllegalAccessException IllegalArgumentException IllegalCallerException
IllegalMonitorStateException IllegalStateException IllegalThreadStateException IncompatibleClassChangeError
IndexOutOfBoundsException InheritableThreadLocal InstantiationError InstantiationException Integer
InternalError InterruptedException Iterable LayerInstantiationException LinkageError Long MatchException
Math Module ModuleLayer NegativeArraySizeException NoClassDefFoundError NoSuchFieldError
NoSuchFieldException NoSuchMethodError NoSuchMethodException NullPointerException Number
NumberFormatException Object OutOfMemoryError Override Package Process ProcessBuilder ProcessHandle Readable
Record ReflectiveOperationException Runnable Runtime RuntimeException RuntimePermission SafeVarargs
ScopedValue SecurityException SecurityManager Short StackOverflowError StackTraceElement StackWalker
StableValue StrictMath String StringBuffer StringBuilder StringIndexOutOfBoundsException StringTemplate
SuppressWarnings System Thread ThreadDeath ThreadGroup ThreadLocal Throwable TypeNotPresentException
UnknownError UnsatisfiedLinkError UnsupportedClassVersionError UnsupportedOperationException VerifyError
VirtualMachineError Void WrongThreadException
"""
LANG = frozenset(_LANG.split())


_NOT_CODE = ("import_declaration", "package_declaration")
_WORDS = ("identifier", "type_identifier")


class JavaNames(NamedTuple):
    """Simple names in use, and the imports. A module is the full name of a package or type."""

    package: str
    used: frozenset[str]
    singles: dict[str, str]  # a single-type import, with its module
    stars: frozenset[str]  # modules imported with a wildcard
    static_singles: dict[str, str]
    static_stars: frozenset[str]


def names(code: str) -> JavaNames | None:
    """Return the names of a Java text; None if it has no tree. Names in comments and literals do not
    count."""
    tree = parse(code)
    if isinstance(tree, SyntaxFault):
        return None
    imports = tree.root.all("import_declaration")
    singles: dict[bool, dict[str, str]] = {False: {}, True: {}}
    stars: dict[bool, set[str]] = {False: set(), True: set()}
    for node in imports:
        full, static = tree.name(node.first("scoped_identifier", "identifier")), bool(node.first("static"))
        module, _, name = full.rpartition(".")
        if node.first("asterisk"):
            stars[static].add(full)
        else:
            singles[static][name] = module
    code_nodes = walk_outside(tree.root, set(tree.root.all(*_NOT_CODE)))
    return JavaNames(
        package=package(tree),
        used=frozenset(tree.text(node) for node in code_nodes if node.kind in _WORDS),
        singles=singles[False],
        stars=frozenset(stars[False]),
        static_singles=singles[True],
        static_stars=frozenset(stars[True]),
    )
