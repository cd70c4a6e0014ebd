"""What class files of a suite say before it is run: whose they are, forbidden names, names that are taken."""

from __future__ import annotations

import pytest
from test_java_bytecode import class_file

from benchwright.contracts import Suite
from benchwright.judges.suites.java_bytecode import PRIVATE, ClassFile, ClassMember
from benchwright.judges.suites.java_classes import (
    SuiteClasses,
    forbidden,
    known_types,
    objection,
    read_classes,
)

TYPES = known_types(["java.util.List", "java.util.Map.Entry", "org.junit.Assert", "java.util.Objects", "java.lang.Math"])  # fmt: skip


def made(
    name: str,
    *,
    parents: tuple[str, ...] = ("java/lang/Object",),
    named: tuple[bytes, ...] = (),
    strings: tuple[bytes, ...] = (),
    fields: tuple[ClassMember, ...] = (),
    methods: tuple[ClassMember, ...] = (),
) -> ClassFile:
    """A class that was read."""
    return ClassFile(name, parents, "", frozenset(named), frozenset(strings), fields, methods)


def suite(test: str, *, focal: str = "p/Cart.java", path: str = "p/CartTest.java", **more: str) -> Suite:
    """A suite of JUnit 5 in the package p."""
    files = {focal: "package p;", path: f"package p;\n{test}", **more}
    return Suite(lang="Java", framework="junit5", files=files, focal=focal, test=path, cases=["CartTest#a"])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"org/junit/Assert", True),
        (b"(Lorg/junit/runner/Description;)V", True),
        (b"Ljunit/framework/TestCase;", True),
        (b"[Lorg/opentest4j/TestAbortedException;", True),
        (b"benchwright/inside/Report", True),
        (b"org/hamcrest/Matcher", True),
        (b"com/org/junit/Assert", False),
        (b"org/junitish/Assert", False),
        (b"junit/custom/Thing", False),
        (b"myorg/junit", False),
    ],
)
def test_names_that_only_tests_may_hold(text: bytes, told: bool) -> None:
    """Names and descriptors of JUnit's, of matchers, and of our own; not what merely looks so."""
    assert bool(forbidden([made("p/Cart", named=(text,))], [])) == told


def test_names_in_texts() -> None:
    """A text counts where a class of the code under test loads classes by name; the tests' own never do."""
    text = made("p/Cart", strings=(b"org.junit.jupiter.api.Assumptions",))
    loading = made("p/Load", named=(b"forName",))

    assert forbidden([text], []) == ""
    assert "names org.junit" in forbidden([text, loading], [])
    assert forbidden([loading], [text, made("p/T", named=(b"org/junit/Test",))]) == ""


def test_the_memory_of_the_jvm() -> None:
    """Unsafe is nobody's to name, the tests' neither."""
    named = made("p/Cart", named=(b"sun/misc/Unsafe",))

    assert "sun.misc.Unsafe" in forbidden([named], [])
    assert "sun.misc.Unsafe" in forbidden([], [named])


TEST = made("p/CartTest")
HEIR = made("p/CartTest", parents=("p/Cart",))
STATIC = (ClassMember(9, "assertEquals", "(II)V", b""),)
MATH = (ClassMember(9, "Math", "Lp/Abs;", b""),)
SHADOWS = {
    "java.lang": ("Math.abs(1)", TEST, [made("p/Math")], True),
    "not used": ("abs(1)", TEST, [made("p/Math")], False),
    "not the platform's": ("Maths.abs(1)", TEST, [made("p/Maths")], False),
    "another package": ("Math.abs(1)", TEST, [made("q/Math")], False),
    "star": ("List.of()", TEST, [made("p/List")], True, "import java.util.*;"),
    "no star": ("List.of()", TEST, [made("p/List")], False, ""),
    "single": ("List.of()", TEST, [made("p/List")], False, "import java.util.List;"),
    "star of a type": ("Entry.x()", TEST, [made("p/Entry")], True, "import java.util.Map.*;"),
    "JUnit's": ("Assert.x()", TEST, [made("p/Assert")], True, "import org.junit.*;"),
    "package": ("java.util.Objects.x()", TEST, [made("p/java")], True),
    "inherited type": ("Math.abs(1)", HEIR, [made("p/Cart"), made("p/Cart$Math")], True),
    "not inherited": ("Math.abs(1)", TEST, [made("p/Cart"), made("p/Cart$Math")], False),
    "inherited over a single import": ("Objects.x()", HEIR, [made("p/Cart"), made("p/Cart$Objects")], True, "import java.util.Objects;"),
    "inherited field": ("Math.abs(1)", HEIR, [made("p/Cart", fields=MATH)], True),
    "private field": ("Math.abs(1)", HEIR, [made("p/Cart", fields=(MATH[0]._replace(flags=PRIVATE),))], False),
    "field by a star": ("Math.abs(1)", TEST, [made("p/Cart", fields=MATH)], True, "import static p.Cart.*;"),
    "inherited from afar": ("Math.abs(1)", HEIR, [made("p/Cart", parents=("p/Far",)), made("p/Far", fields=MATH)], True),
    "inherited assert": ("assertEquals(1, 2)", HEIR, [made("p/Cart", methods=STATIC)], True, "import static org.junit.Assert.*;"),
    "assert by a star": ("assertEquals(1, 2)", TEST, [made("p/Cart", methods=STATIC)], True, "import static org.junit.Assert.*; import static p.Cart.*;"),
    "assert of a helper": ("assertEquals(1, 2)", HEIR, [made("p/Cart", methods=STATIC)], False, ""),
    "escaped": ("M\\u0061th.abs(1)", TEST, [made("p/Math")], True),
}  # fmt: skip


@pytest.mark.parametrize("name", SHADOWS)
def test_names_that_another_file_gives(name: str) -> None:
    """A name counts where the test uses it, could take it from elsewhere, and gets it from the focal side."""
    code, test, others, told, *imports = SHADOWS[name]
    given = suite(f"{' '.join(imports)}\nclass CartTest {{ Object f = {code}; }}")

    assert ("which the test takes from" in objection(given, SuiteClasses([test], others), TYPES)) == told


def test_a_test_of_a_class_with_such_a_name() -> None:
    """MathTest tests the project's own Math and says so by its name; a name of JUnit's stays JUnit's."""
    own = suite("class MathTest { int n = Math.abs(1); }", focal="p/Math.java", path="p/MathTest.java")
    junit = suite(
        "import org.junit.*;\nclass AssertTest { int n = Assert.x(); }",
        focal="p/Assert.java",
        path="p/AssertTest.java",
    )

    assert objection(own, SuiteClasses([made("p/MathTest")], [made("p/Math")]), TYPES) == ""
    assert "Assert" in objection(junit, SuiteClasses([made("p/AssertTest")], [made("p/Assert")]), TYPES)


def test_a_test_file_that_cannot_be_read() -> None:
    """Where a name is taken and the test file has no tree, no report is believed."""
    given = suite("class CartTest {}" * 200_000)

    assert "cannot be read" in objection(given, SuiteClasses([TEST], [made("p/Math")]), TYPES)


def test_classes_that_pass_for_the_tests() -> None:
    """A name like a nested class of the test's, or a second file of its name."""
    disguised = SuiteClasses([TEST], [made("p/CartTest$Extra")])
    twin = suite("", **{"other/CartTest.java": "package p;"})

    assert "has a name of the test file's" in objection(suite(""), disguised, TYPES)
    assert "has the name of the test file" in objection(twin, SuiteClasses([TEST], []), TYPES)


def test_a_class_in_a_package_of_the_runner() -> None:
    """JUnit's packages and our own are closed."""
    assert "org/junit/X" in objection(suite(""), SuiteClasses([TEST], [made("org/junit/X")]), TYPES)


def test_whose_classes_they_are() -> None:
    """By the source file that javac notes: a.B comes from B.java."""
    own = suite("", path="a/B.java")
    for files, mine in (({"a/B.java": "package a;"}, True), ({"a/C.java": "package a;"}, False)):
        given = Suite(
            lang="Java", framework="junit5", files=files, focal="x.java", test=next(iter(files)), cases=[]
        )
        classes = read_classes(given, {"a/B.class": class_file()})
        assert (bool(classes.own), bool(classes.others)) == (mine, not mine)
        assert (classes.loadable, classes.test_types) == (["a.B"], ["a.B"] if mine else [])
    assert read_classes(own, {}) == SuiteClasses([], [])


@pytest.mark.parametrize("path", ["a/C.class", "a/B .class", "a/B\n.class", "B.class"])
def test_a_class_file_under_another_name(path: str) -> None:
    """A path that is not the class's own is refused: it would become a line of the launcher's job."""
    with pytest.raises(ValueError, match="another name"):
        read_classes(suite(""), {path: class_file()})
