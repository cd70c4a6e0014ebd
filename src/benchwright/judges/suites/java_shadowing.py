"""Names of the platform and of JUnit that other files of a project give to the tests as their own.

A type of the same package wins over java.lang and over an import with a star, what a class inherits wins over
every import, and what is imported with a star by `import static` hides a type: a test that says `Math` or
`assertEquals` can mean the focal file's. Sections 6.4 and 15.12 of the Java Language Specification.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from benchwright.judges.suites.java_classfile import PRIVATE, ClassFile
from benchwright.lang.java.importing import LANG, Names

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
    given = {each.name.rpartition("/")[2] for each in others}
    starred = re.search(r"import\s+static\s[^;]*\*|import\s[^;]*[A-Z]\w*\s*\.\s*\*", test_code)
    return bool(given & types.every or given & _ROOTS or starred or _ancestors(own, others))


def shadowed(
    names: Names,
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
    for word, giver in _given(names, own, others):
        meant = _meant(word, names, types.modules, inherited=giver in inherited)
        honest = word == focal == tested and not meant.startswith(_TEST_LIBRARIES)
        if word in names.used and meant and not honest:
            return f"{word}, which the test takes from {meant}, is {giver.replace('/', '.')}'s"
    return _shadowed_assert(names, own, others)


def _given(names: Names, own: Sequence[ClassFile], others: Sequence[ClassFile]) -> Iterator[tuple[str, str]]:
    """Return names of types and fields that the test file could mean, each with the class that declares
    it."""
    givers = _member_givers(names, own, others)
    for each in others:
        home, _, name = each.name.rpartition("/")
        if "$" not in name and home.replace("/", ".") == names.package:
            yield name, each.name
        outer, _, inner = name.rpartition("$")
        if outer and (f"{home}/{outer}".lstrip("/") in givers):
            yield inner, f"{home}/{outer}".lstrip("/")
    for name in sorted(givers):
        yield from ((field.name, name) for field in givers[name].fields if not field.flags & PRIVATE)


def _meant(word: str, names: Names, types: Mapping[str, frozenset[str]], *, inherited: bool) -> str:
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


def _shadowed_assert(names: Names, own: Sequence[ClassFile], others: Sequence[ClassFile]) -> str:
    starred = any(star.startswith(_TEST_LIBRARIES) for star in names.static_stars)
    single = {name for name, module in names.static_singles.items() if module.startswith(_TEST_LIBRARIES)}
    wanted = names.used & (_ASSERTS if starred else _ASSERTS & single)
    for name, giver in sorted(_member_givers(names, own, others).items()):
        taken = [each.name for each in giver.methods if each.name in wanted and not each.flags & PRIVATE]
        if taken:
            return f"{taken[0]}, which the test takes from JUnit, is {name.replace('/', '.')}'s"
    return ""


def _member_givers(
    names: Names, own: Sequence[ClassFile], others: Sequence[ClassFile]
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
