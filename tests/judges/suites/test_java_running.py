"""Which test classes are run without JUnit's engine, and that both ways to run them end them alike."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest

from benchwright.contracts import Suite, SuiteReport, Variation
from benchwright.judges.suites import java_running
from benchwright.judges.suites.java import LIMITS, JavaSuites
from benchwright.judges.suites.java_bytecode import ClassFile, ClassMember
from benchwright.judges.suites.java_classes import SuiteClasses
from benchwright.judges.suites.java_running import plain_lines
from benchwright.judges.suites.java_toolchain import find_toolchain
from kit.java_pairs import ADDS, four, jupiter
from kit.needs import need_ready

TEST, BEFORE, AFTER = (f"Lorg/junit/jupiter/api/{name};" for name in ("Test", "BeforeEach", "AfterEach"))
MAKER = ClassMember(0, "<init>", "()V", b"")
OLDER = ("Lorg/junit/Test;", "Lorg/junit/Before;")


def method(name: str, *marks: str, flags: int = 0, kind: str = "()V") -> ClassMember:
    return ClassMember(flags, name, kind, b"", marks)


ONE = method("one", TEST)


def class_of_tests(*methods: ClassMember, name: str = "shop/cart/CartTest", **more: object) -> ClassFile:
    """A class that names what its methods' marks name."""
    marks = {mark.encode() for each in methods for mark in each.marks or ()}
    made = ClassFile(
        name, ("java/lang/Object",), "CartTest.java", frozenset(marks), frozenset(), (), (MAKER, *methods)
    )
    return made._replace(**more)  # type: ignore[arg-type]


def lines(*own: ClassFile, suite: Suite | None = None) -> list[str] | None:
    return plain_lines(suite or jupiter(ADDS, "one"), SuiteClasses(list(own), []))


def test_a_plain_class_is_a_line() -> None:
    """Its name, what is before and after each test, its tests; helpers and marks for people change nothing."""
    shown = method("two", TEST, "Lorg/junit/jupiter/api/DisplayName;", "Ljava/lang/Deprecated;")
    more = class_of_tests(
        method("made", BEFORE), shown, method("help", kind="(I)I"), method("gone", AFTER), ONE
    )
    public = [method("one", OLDER[0], flags=1), method("made", OLDER[1], flags=1)]
    older = class_of_tests(*public, flags=1)._replace(methods=(MAKER._replace(flags=1), *public))

    assert lines(class_of_tests(ONE)) == ["plain5 shop.cart.CartTest - - one"]
    assert lines(more) == ["plain5 shop.cart.CartTest made gone two one"]
    assert lines(older, suite=four("", "one")) == ["plain4 shop.cart.CartTest made - one"]


def test_a_helper_of_the_test_file_is_let_be() -> None:
    """A class beside that has no mark of JUnit's; the suite's cases name the one with tests."""
    helper = class_of_tests(name="shop/cart/CartTest$Stub", marks=("Ljava/lang/FunctionalInterface;",))

    assert lines(class_of_tests(ONE), helper) == lines(class_of_tests(ONE))


NESTED = "shop/cart/CartTest$Inner"
FOR_JUNIT = {
    "no test": [class_of_tests(method("made", BEFORE))],
    "two methods before": [class_of_tests(ONE, method("a", BEFORE), method("b", BEFORE))],
    "a name twice": [class_of_tests(ONE, method("one", BEFORE))],
    "both marks": [class_of_tests(method("one", TEST, BEFORE))],
    "private": [class_of_tests(method("one", TEST, flags=2))],
    "static": [class_of_tests(method("one", TEST, flags=8))],
    "abstract": [class_of_tests(ONE, flags=0x400)],
    "an interface": [class_of_tests(ONE, flags=0x600)],
    "a bridge": [class_of_tests(method("one", TEST, flags=0x40))],
    "a parameter": [class_of_tests(method("one", TEST, kind="(Lorg/junit/jupiter/api/TestInfo;)V"))],
    "a value": [class_of_tests(method("one", TEST, kind="()I"))],
    "a parent": [class_of_tests(ONE, parents=("shop/cart/Base",))],
    "an interface of its own": [class_of_tests(ONE, parents=("java/lang/Object", "shop/cart/Checks"))],
    "a mark of its own": [class_of_tests(method("one", TEST, "Lshop/cart/Slow;"))],
    "a mark on the class": [class_of_tests(ONE, marks=("Lshop/cart/Slow;",))],
    "a mark on a field": [class_of_tests(ONE, fields=(ClassMember(0, "rule", "I", b"", ("Lshop/cart/Slow;",)),))],
    "a setting that is not read": [class_of_tests(ONE, method("two")._replace(marks=None))],
    "a name of JUnit's": [class_of_tests(ONE, named=frozenset({b"org/junit/jupiter/api/Assumptions"}))],
    "a name in a descriptor": [class_of_tests(ONE, named=frozenset({b"()Lorg/junit/jupiter/api/TestInfo;"}))],
    "the older JUnit": [class_of_tests(ONE, named=frozenset({b"junit/framework/TestCase"}))],
    "tests in another class": [class_of_tests(ONE), class_of_tests(ONE, name=NESTED)],
    "a nested class": [class_of_tests(ONE), class_of_tests(name=NESTED, marks=("Lorg/junit/jupiter/api/Nested;",))],
    "two constructors": [class_of_tests(ONE, MAKER._replace(kind="(I)V"))],
    "a class that is not there": [class_of_tests(ONE, name="shop/cart/OtherTest")],
}  # fmt: skip


@pytest.mark.parametrize("own", FOR_JUNIT.values(), ids=FOR_JUNIT.keys())
def test_all_else_is_for_junit(own: list[ClassFile]) -> None:
    """Each differs from a plain class by one thing."""
    assert lines(*own) is None


def test_the_older_junit_wants_all_public() -> None:
    """What it would refuse is for it to refuse."""
    public = method("one", OLDER[0], flags=1)
    made = class_of_tests(public, flags=1)._replace(methods=(MAKER._replace(flags=1), public))
    closed = [
        made._replace(flags=0),
        made._replace(methods=(MAKER, public)),
        made._replace(methods=(made.methods[0], public._replace(flags=0))),
    ]

    assert lines(made, suite=four("", "one")) == ["plain4 shop.cart.CartTest - - one"]
    assert [lines(each, suite=four("", "one")) for each in closed] == [None] * 3


_BODY = """
static int made = 0;
java.util.List<String> seen = new java.util.ArrayList<>();
@{before} {public}void before() {{ seen.add("before"); }}
@{after} {public}void after() {{ if (seen.size() > 2) throw new IllegalStateException("after " + seen); }}
@Test {public}void passes() {{ assertEquals(0, new Cart().size()); assertEquals(1, seen.size()); }}
@Test {public}void fails() {{ assertEquals("a", "b" + made++); }}
@Test {public}void failsTwice() {{ seen.add("x"); seen.add("y"); assertTrue(made++ > 99, "{{}}"); }}
@Test {public}void onlyAfter() {{ seen.add("x"); seen.add("y" + made++); }}
@Test {public}void raises() throws Exception {{ throw new java.io.IOException("no " + made++); }}
@Test {public}void deep() {{ deep(); }}
@Test {public}void loads() throws Exception {{ Class.forName("com.Gone"); }}
@Test {public}void lazy() {{ Cart c = new Cart(); c.add(-1); }}
"""
_CASES = ("passes", "fails", "failsTwice", "onlyAfter", "raises", "deep", "loads", "lazy")
_BROKEN = 'CartTest() { throw new IllegalStateException("made"); }\n@Test void one() {}\n@Test void two() {}'
_STATIC = 'static int n = 1 / Integer.parseInt("0");\n@Test void one() {}\n@Test void two() {}'
_BEFORE = '@BeforeEach void b() { fail("b"); }\n@AfterEach void a() { fail("a"); }\n@Test void one() {}'


def _older(text: str) -> str:
    return text.replace('assertTrue(made++ > 99, "{}")', 'assertTrue("{}", made++ > 99)')


BOTH = {
    "five": jupiter(_BODY.format(before="BeforeEach", after="AfterEach", public=""), *_CASES),
    "four": four(_older(_BODY.format(before="Before", after="After", public="public ")), *_CASES),
    "constructor": jupiter(_BROKEN, "one", "two"),
    "static": jupiter(_STATIC, "one", "two"),
    "before and after": jupiter(_BEFORE, "one"),
}


@pytest.fixture(scope="module")
def runner(jail: None) -> Iterator[JavaSuites]:
    need_ready(find_toolchain, "no Java suite can be run")
    with JavaSuites(limits=msgspec.structs.replace(LIMITS, cpu_s=5.0)) as suites:
        yield suites


def _told(runner: JavaSuites, suites: dict[str, Suite], variation: Variation) -> dict[str, SuiteReport]:
    """The reports without what differs from run to run."""
    reports = runner.run(enumerate(suites.values()), variation=variation)
    plain = (msgspec.structs.replace(report, cpu_s=0.0, wall_s=0.0) for _, report in reports)
    return dict(zip(suites, plain, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "names"), [(None, ("five", "four")), (5, tuple(BOTH))], ids=["own", "drawn"]
)
def test_both_ways_say_the_same(
    runner: JavaSuites, monkeypatch: pytest.MonkeyPatch, seed: int | None, names: tuple[str, ...]
) -> None:
    """State, kind, detail and each case, in JUnit's own order and in a drawn one: texts count the tests
    before them, so another order would be another text."""
    asked = list[str]()

    def noted(suite: Suite, classes: SuiteClasses) -> list[str] | None:
        asked.extend(plain_lines(suite, classes) or ["for JUnit"])
        return plain_lines(suite, classes)

    monkeypatch.setattr(java_running, "plain_lines", noted)
    suites, variation = {name: BOTH[name] for name in names}, Variation(order_seed=seed)
    ours = _told(runner, suites, variation)
    monkeypatch.setattr(java_running, "plain_lines", lambda suite, classes: None)

    assert ours == _told(runner, suites, variation)
    assert (len(asked), "for JUnit" in asked, {each.state for each in ours.values()}) == (
        len(names),
        False,
        {"failed"},
    )
