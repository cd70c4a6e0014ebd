"""Inspect the classes and sources of a Java suite before any runs: forbidden and shadowed names.

The test file is trusted; all other files are code under test. Names are read from class files, so unused
imports and comments do not count, and escapes in a source hide nothing. A type of the same package wins over
java.lang and over a wildcard import, an inherited member wins over every import, and a static wildcard import
hides a type: a test that says `Math` or `assertEquals` can mean the focal file's. Sections 6.4 and 15.12 of
the Java Language Specification.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from benchwright.contracts import Suite
from benchwright.judges.suites.java_bytecode import ABSTRACT, PRIVATE, ClassFile, read_class
from benchwright.lang.java.tree import LANG, JavaNames, names

_TOOLS = re.compile(
    rb"(?:^|[^\w$./]|\bL)"
    rb"(org[./](?:junit|opentest4j|hamcrest|assertj)|junit[./](?:framework|extensions|runner|textui)|benchwright[./]inside)\b"
)
_UNSAFE = re.compile(rb"\bsun[./]misc[./]Unsafe\b")
TESTS_ALONE = "which only the tests may"
# Methods that create a class from a text or from bytes.
_LOADERS = frozenset({b"forName", b"loadClass", b"findClass", b"defineClass", b"defineHiddenClass"})


def forbidden(others: Sequence[ClassFile], own: Sequence[ClassFile]) -> str:
    """Return what the code under test names and must not, as a sentence, or "".

    A string with such a name counts only if some class loads classes by name: programs that write test files
    contain such strings too.
    """
    reflects = any(_LOADERS & each.named for each in others)
    for each in (*others, *own):
        texts = each.named | each.strings
        if any(_UNSAFE.search(text) for text in texts):
            return f"{_dotted(each)} names sun.misc.Unsafe, which can forge any report"
    for each in others:
        texts = each.named | each.strings if reflects else each.named
        found = next((match for text in sorted(texts) if (match := _TOOLS.search(text))), None)
        if found:
            tool = found[1].decode().replace("/", ".")
            return f"{_dotted(each)} names {tool}, {TESTS_ALONE}"
    return ""


def _dotted(each: ClassFile) -> str:
    return each.name.replace("/", ".")


_EQUALS = ("equals", "(Ljava/lang/Object;)Z")
_READS_ARGUMENT = (b"\x2b", b"\x19\x01")  # aload_1, aload 1
# Types whose `equals` in the platform, or an assert on them, calls the other side: `Set.of(3).equals(x)`
# counts and looks up the items that x claims to contain.
_ASKED = re.compile(
    r"java/(?:util/(?:concurrent/)?(?:\w*(?:Collection|List|Set|Map|Queue|Deque|Vector))"
    r"|util/(?:Iterator|Map\$Entry)|lang/Iterable)"
)


def remark(classes: Iterable[ClassFile]) -> str:
    """Return a remark for readers of a success on classes with their own `equals`, outside the tests, or "".

    Such classes can pass many asserts undeserved, but most of them are honest: no verdict depends on it.
    """
    known = list(classes)
    for each in known:
        if _is_careless(each):
            return f"equals of {_dotted(each)} never looks at its argument"
    for each in known:
        for parent in each.parents:
            if _ASKED.fullmatch(parent):
                shown = parent.replace("/", ".")
                return f"{_dotted(each)} is a {shown}: what it equals is its own word"
    return ""


def _is_careless(each: ClassFile) -> bool:
    return any(
        method.code and not any(read in method.code for read in _READS_ARGUMENT)
        for method in each.methods
        if (method.name, method.kind) == _EQUALS and not method.flags & ABSTRACT
    )


_TEST_WORD = re.compile(r"Tests?(?=[A-Z])|(?:Tests?|TestCase|IT)$")


class SuiteClasses(NamedTuple):
    """The class files of a suite: those of its test file, and all others."""

    own: list[ClassFile]
    others: list[ClassFile]

    @property
    def test_types(self) -> list[str]:
        """Return the full names of the test file's top-level classes."""
        return [each.name.replace("/", ".") for each in self.own if "$" not in each.name]

    @property
    def loadable(self) -> list[str]:
        """Return the full names of all classes that a JVM can load."""
        every = (each.name for each in (*self.own, *self.others))
        return [name.replace("/", ".") for name in every if not name.endswith("-info")]


def read_classes(suite: Suite, files: Mapping[str, bytes]) -> SuiteClasses:
    """Parse class files. Raises ValueError for files that javac does not write."""
    package = package_of(suite.files.get(suite.test, "")).replace(".", "/")
    name = PurePosixPath(suite.test).name
    classes = SuiteClasses([], [])
    for path, data in files.items():
        each = read_class(data)
        if path != f"{each.name}.class" or not path.isprintable() or " " in path:
            raise ValueError(f"{path} holds a class of another name")
        home = each.name.rpartition("/")[0]
        (classes.own if (each.source, home) == (name, package) else classes.others).append(each)
    return classes


def objection(suite: Suite, classes: SuiteClasses, types: KnownTypes) -> str:
    """Return why reports on this suite could not be trusted, as a sentence, or ""."""
    if reserved_name := reserved(f"{each.name}.class" for each in (*classes.own, *classes.others)):
        return f"defines a class of the test runner: {reserved_name}"
    return (
        _disguised(suite, classes)
        or _names_tests(suite, classes)
        or forbidden(classes.others, classes.own)
        or _shadowed(suite, classes, types)
    )


def _disguised(suite: Suite, classes: SuiteClasses) -> str:
    """Report a class or file that imitates one of the test file."""
    heads = tuple(f"{each.name}$" for each in classes.own if "$" not in each.name)
    for each in classes.others:
        if each.name.startswith(heads) and heads:
            return f"{each.name} has a name of the test file's"
    name, package = PurePosixPath(suite.test).name, package_of(suite.files.get(suite.test, ""))
    for path, text in java_files(suite).items():
        if path != suite.test and PurePosixPath(path).name == name and package_of(text) == package:
            return f"{path} has the name of the test file"
    return ""


def _names_tests(suite: Suite, classes: SuiteClasses) -> str:
    """Report a class of the focal file that refers to a class of the test file, which knows the expected
    values."""
    known = "|".join(re.escape(each.name) for each in classes.own)
    if not known:
        return ""
    tests = re.compile(rf"(?<![\w$/.])L?(?:{known})(?![\w$])".encode())
    for each in classes.others:
        if each.source != PurePosixPath(suite.focal).name:
            continue
        mentions = each.named | each.strings if _LOADERS & each.named else each.named
        texts = (text.replace(b".", b"/") for text in mentions)
        if any(tests.search(text) for text in texts):
            return f"{_dotted(each)} names a class of the test file"
    return ""


def _shadowed(suite: Suite, classes: SuiteClasses, types: KnownTypes) -> str:
    code = unescaped(suite.files.get(suite.test, ""))
    if not may_shadow(classes.own, classes.others, types, code):
        return ""
    found = names(code)
    if found is None:
        return "the test file cannot be read, and another file may take its names"
    focal = PurePosixPath(suite.focal).stem
    tested = _TEST_WORD.sub("", PurePosixPath(suite.test).stem)
    return shadowed(found, classes.own, classes.others, types, focal=focal, tested=tested)


# a type or variable of such a name hides the package, if a test writes a full name
_ROOTS = frozenset({"java", "javax", "jdk", "org", "junit"})
_TEST_LIBRARIES = ("org.junit", "junit.", "org.hamcrest", "org.opentest4j")
_NAMES = """
    assertAll assertArrayEquals assertDoesNotThrow assertEquals assertFalse assertInstanceOf
    assertIterableEquals assertLinesMatch assertNotEquals assertNotNull assertNotSame assertNull assertSame
    assertThat assertThrows assertThrowsExactly assertTimeout assertTimeoutPreemptively assertTrue fail
    assumeFalse assumeNoException assumeNotNull assumeThat assumeTrue assumingThat
"""
_ASSERTS = frozenset(_NAMES.split())


class KnownTypes(NamedTuple):
    """The public types of the platform and of JUnit."""

    modules: Mapping[str, frozenset[str]]  # simple names by the package or the type around them
    every: frozenset[str]  # all simple names


def known_types(names: Iterable[str]) -> KnownTypes:
    """Build the known types from full names."""
    modules: dict[str, set[str]] = {}
    for each in names:
        module, _, name = each.rpartition(".")
        modules.setdefault(module, set()).add(name)
    modules.setdefault("java.lang", set()).update(LANG)
    frozen = {module: frozenset(inside) for module, inside in modules.items()}
    return KnownTypes(frozen, frozenset().union(*frozen.values()))


def may_shadow(
    own: Sequence[ClassFile], others: Sequence[ClassFile], types: KnownTypes, test_code: str
) -> bool:
    """Return whether the test file has to be read: a known name is declared, or members may be inherited."""
    other_names = {each.name.rpartition("/")[2] for each in others}
    starred = re.search(r"import\s+static\s[^;]*\*|import\s[^;]*[A-Z]\w*\s*\.\s*\*", test_code)
    return bool(other_names & types.every or other_names & _ROOTS or starred or _ancestors(own, others))


def shadowed(
    names: JavaNames,
    own: Sequence[ClassFile],
    others: Sequence[ClassFile],
    types: KnownTypes,
    *,
    focal: str,
    tested: str,
) -> str:
    """Return the first name that the test file uses and another file redefines, as a sentence, or "".

    `focal` is the name of the focal file's own type, `tested` the name that the test class is derived from:
    if both are the same, as in RecordTest, the test means that type; but a name of JUnit's is always JUnit's.
    """
    inherited = _ancestors(own, others)
    for word, declaring_class in _declared_names(names, own, others):
        module = _module_of(word, names, types.modules, inherited=declaring_class in inherited)
        honest = word == focal == tested and not module.startswith(_TEST_LIBRARIES)
        if word in names.used and module and not honest:
            return f"{word}, which the test takes from {module}, is {declaring_class.replace('/', '.')}'s"
    return _shadowed_assert(names, own, others)


def _declared_names(
    names: JavaNames, own: Sequence[ClassFile], others: Sequence[ClassFile]
) -> Iterator[tuple[str, str]]:
    """Return names of types and fields that the test file could mean, each with the class that declares
    it."""
    member_classes = _member_classes(names, own, others)
    for each in others:
        home, _, name = each.name.rpartition("/")
        if "$" not in name and home.replace("/", ".") == names.package:
            yield name, each.name
        outer, _, inner = name.rpartition("$")
        if outer and (f"{home}/{outer}".lstrip("/") in member_classes):
            yield inner, f"{home}/{outer}".lstrip("/")
    for name in sorted(member_classes):
        yield from ((field.name, name) for field in member_classes[name].fields if not field.flags & PRIVATE)


def _module_of(word: str, names: JavaNames, types: Mapping[str, frozenset[str]], *, inherited: bool) -> str:
    """Return the module from which the test takes a name, if it does not qualify it; "" for none."""
    single = names.singles.get(word, "")
    if single:
        return single if inherited and word in types.get(single, ()) else ""
    if word in _ROOTS:
        return "a full name"
    if word in types["java.lang"]:
        return "java.lang"
    return next(
        (star for star in sorted(names.stars | names.static_stars) if word in types.get(star, ())), ""
    )


def _shadowed_assert(names: JavaNames, own: Sequence[ClassFile], others: Sequence[ClassFile]) -> str:
    starred = any(star.startswith(_TEST_LIBRARIES) for star in names.static_stars)
    single = {name for name, module in names.static_singles.items() if module.startswith(_TEST_LIBRARIES)}
    used_asserts = names.used & (_ASSERTS if starred else _ASSERTS & single)
    for name, declaring_class in sorted(_member_classes(names, own, others).items()):
        redefined = [
            each.name
            for each in declaring_class.methods
            if each.name in used_asserts and not each.flags & PRIVATE
        ]
        if redefined:
            return f"{redefined[0]}, which the test takes from JUnit, is {name.replace('/', '.')}'s"
    return ""


def _member_classes(
    names: JavaNames, own: Sequence[ClassFile], others: Sequence[ClassFile]
) -> dict[str, ClassFile]:
    """Return other classes whose members the test file can use unqualified: inherited or statically imported
    ones."""
    starred = {each.replace(".", "/") for each in names.static_stars | names.stars}
    direct = {each.name: each for each in others if each.name.replace("$", "/") in starred}
    return {**_ancestors(list(direct.values()), others), **direct, **_ancestors(own, others)}


def _ancestors(of: Sequence[ClassFile], others: Sequence[ClassFile]) -> dict[str, ClassFile]:
    """Return those of `others` that some classes extend or implement, at any distance."""
    known = {each.name: each for each in others}
    found: dict[str, ClassFile] = {}
    stack = [name for each in of for name in each.parents]
    while stack:
        name = stack.pop()
        if name in known and name not in found:
            found[name] = known[name]
            stack += known[name].parents
    return found


_GAP = re.compile(r"\s+|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_PACKAGE = re.compile(r"package\s+([\w$]+(?:\s*\.\s*[\w$]+)*)\s*;")
_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\u+([0-9a-fA-F]{4})")

# Packages of the runner. The order of the class path prevents their classes from being replaced; a new class
# in one of them could still use package-private members.
RESERVED = (
    *("org/junit/", "junit/framework/", "junit/runner/", "junit/textui/", "junit/extensions/"),
    *("org/hamcrest/", "org/opentest4j/", "org/apiguardian/", "benchwright/inside/"),
)


def package_of(source: str) -> str:
    """Return the package that a file declares, "" for none. Comments before it and unicode escapes are read
    as javac reads them; a comment within the declaration is not supported."""
    text, at = unescaped(source[:100_000]), 0
    while gap := _GAP.match(text, at):
        at = gap.end()
    found = _PACKAGE.match(text, at)
    return re.sub(r"\s", "", found.group(1)) if found else ""


def unescaped(source: str) -> str:
    """Return the text after javac's replacement of unicode escapes."""
    return _ESCAPE.sub(lambda match: match.group(1) + chr(int(match.group(2), 16)), source)


def java_files(suite: Suite) -> dict[str, str]:
    """Return the sources of a suite, in an order independent of the layout."""
    return {path: text for path, text in sorted(suite.files.items()) if path.endswith(".java")}


def classes_of(suite: Suite) -> list[str]:
    """Return the top-level classes with the cases, with their package, in the order of the cases."""
    package = package_of(suite.files.get(suite.test, ""))
    outer = dict.fromkeys(re.split(r"[#$]", case)[0] for case in suite.cases)
    return [f"{package}.{name}" if package else name for name in outer]


def reserved(paths: Iterable[str]) -> str:
    """Return the first of these class files that is in a package of the runner, or ""."""
    return next((path for path in paths if path.startswith(RESERVED)), "")
