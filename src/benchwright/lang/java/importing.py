"""The imports of a Java file, the names that are Java's own, and those that the file uses with their origins.

The latter tell what another file of the project could give it instead.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from benchwright.lang.answers import Import
from benchwright.lang.faults import SyntaxFault
from benchwright.lang.java.tree import package, parse
from benchwright.lang.trees import Node, Tree, walk_outside


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


class Names(NamedTuple):
    """Simple names in use, and the imports. A module is the full name of a package or type."""

    package: str
    used: frozenset[str]
    singles: dict[str, str]  # a single-type import, with its module
    stars: frozenset[str]  # modules imported with a wildcard
    static_singles: dict[str, str]
    static_stars: frozenset[str]


def names(code: str) -> Names | None:
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
    return Names(
        package=package(tree),
        used=frozenset(tree.text(node) for node in code_nodes if node.kind in _WORDS),
        singles=singles[False],
        stars=frozenset(stars[False]),
        static_singles=singles[True],
        static_stars=frozenset(stars[True]),
    )
