"""Tests that notice when the code that they test runs them: what is written into them, and what is reported."""

from __future__ import annotations

import pytest

from benchwright.contracts import Suite, SuiteReport, SuiteRunner, Variation
from benchwright.judges.suites.go_library import read_source
from benchwright.judges.suites.java import JavaSuites
from benchwright.judges.suites.reentry_guards import guarded_go, guarded_java
from kit.go_needs import go_runner
from kit.go_samples import INTERNAL, body
from kit.go_samples import suite as go_suite
from kit.java_pairs import jupiter
from kit.needs import need_ready

GO_TEST = body('if got, _ := Total([]int{1, 2}); got != 3 { t.Errorf("got %d", got) }')
TOTAL = "package shop\n\n{imports}\nvar depth int\n\nfunc Total(prices []int) (int, error) {{\n{body}\n}}\n"


def test_a_guard_stays_on_the_lines_that_are_there() -> None:
    """Empty bodies, bodies on one line, and functions that are no case."""
    text = (
        INTERNAL
        + "func TestA(t *testing.T) {}\n\nfunc TestB(t *testing.T) { t.Log(1) }\n\nfunc helper() {}\n"
    )
    found = guarded_go(go_suite(text, "TestA", "TestB"), "guardx")

    assert found.count("\n") == text.count("\n")
    assert 'func TestA(t *testing.T) { defer guardx("TestA")();}' in found
    assert 'func TestB(t *testing.T) { defer guardx("TestB")(); t.Log(1) }' in found
    assert found.count("guardx") == 2


def test_a_guard_in_java_has_an_end() -> None:
    """Whatever the test raises or returns."""
    found = guarded_java(jupiter("@Test void a() { return; }\n@Test void b() {}\nvoid c() {}", "a", "b"))

    assert (
        'enter("CartTest#a"); try { return; } finally { benchwright.inside.Guard.leave("CartTest#a"); } }'
        in found
    )
    assert found.count("Guard.enter") == found.count("Guard.leave") == 2


@pytest.mark.parametrize("text", ["", "func TestTotal(", "package shop\n\nfunc TestTotal(t *testing.T)\n"])
def test_what_does_not_parse_or_has_no_body_is_left(text: str) -> None:
    """It will not compile either."""
    assert guarded_go(go_suite(text), "guardx") == text


def test_what_a_file_takes_of_package_testing() -> None:
    """Under any name, and not in comments and texts."""
    text = 'package p\n\nimport tt "testing"\n\n// tt.Main\nvar a, b = "tt.RunTests", tt.TB(nil)\n\nvar _ tt . T\n'
    alone = 'package p\n\nimport . "testing"\n\nvar _ TB\n'

    assert read_source(text).selected == {"TB", "T"}
    assert read_source(alone).selected == {"."}
    assert (
        read_source("package p\n\nvar testing struct{ M int }\n\nvar x = testing.M\n").selected == frozenset()
    )


def reports_of(runner: SuiteRunner, suites: dict[str, Suite]) -> dict[str, SuiteReport]:
    """Return the reports on named suites, which are compiled together."""
    found = dict(runner.run(enumerate(suites.values()), variation=Variation()))
    return {name: found[number] for number, name in enumerate(suites)}


GO_ORACLES = {
    "calls it": TOTAL.format(
        imports='import "testing"\n',
        body="depth++\nif depth == 1 {\n\tTestTotal(&testing.T{})\n}\nreturn 3, nil",
    ),
    "in a goroutine": TOTAL.format(
        imports='import "testing"\n',
        body="depth++\nif depth == 1 {\n\tdone := make(chan int)\n"
        "\tgo func() { defer close(done); TestTotal(&testing.T{}) }()\n\t<-done\n}\nreturn 3, nil",
    ),
    "without a word on the package": TOTAL.format(
        imports="", body="depth++\nif depth == 1 {\n\tTestTotal(nil)\n}\nreturn 3, nil"
    ),
    "runs it": TOTAL.format(
        imports='import "testing"\n',
        body="testing.RunTests(nil, []testing.InternalTest{})\nreturn 3, nil",
    ),
    "runs it by another name": TOTAL.format(
        imports='import . "testing"\n', body="RunTests(nil, []InternalTest{})\nreturn 3, nil"
    ),
}
GO_HONEST = {
    "a helper of tests in a file of its own": (
        TOTAL.format(
            imports='import "testing"\n\nfunc Same(t testing.TB, a, b int) { t.Helper() }\n',
            body="return 3, nil",
        ),
        GO_TEST,
    ),
    "a test that calls itself": (
        TOTAL.format(imports="", body="return 3, nil"),
        INTERNAL
        + "var again int\n\nfunc TestTotal(t *testing.T) {\n\tif again++; again < 3 {\n\t\tTestTotal(t)\n\t}\n}\n",
    ),
}


@pytest.fixture(scope="module")
def go(jail: None) -> dict[str, SuiteReport]:
    """The reports on all Go suites."""
    suites = {name: go_suite(GO_TEST, focal=focal) for name, focal in GO_ORACLES.items()}
    suites |= {name: go_suite(test, focal=focal) for name, (focal, test) in GO_HONEST.items()}
    with go_runner() as runner:
        return reports_of(runner, suites)


@pytest.mark.slow
@pytest.mark.parametrize("name", GO_ORACLES)
def test_go_code_that_runs_its_test_is_tampering(go: dict[str, SuiteReport], name: str) -> None:
    """Though it gives the right value."""
    assert go[name].state == "tampered", go[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", GO_HONEST)
def test_honest_go_suites_are_let_be(go: dict[str, SuiteReport], name: str) -> None:
    """What looks alike and is not."""
    assert go[name].state == "success", go[name]


JAVA_TEST = "static int depth = 0;\n@Test void one() { assertEquals(3, new Cart().total()); }"
CART = "package shop.cart;\npublic class Cart {{ static int depth = 0; public int total() {{ {body} return 3; }} }}"
JAVA_ORACLES = {
    "names its class": CART.format(body="if (depth++ == 0) new CartTest().one();"),
    "by its name as a text": CART.format(
        body='try { Class.forName("shop.cart.CartTest"); } catch (ClassNotFoundException e) { depth++; }'
    ),
    "by the frames of its callers": CART.format(
        body="if (depth++ == 0) for (StackTraceElement f : new Throwable().getStackTrace()) try {"
        " if (!f.getClassName().startsWith(Cart.class.getPackageName()) || f.getClassName().endsWith(String.valueOf("
        "Cart.class.getSimpleName()))) continue;"
        " var t = Class.forName(f.getClassName()).getDeclaredConstructor(); t.setAccessible(true);"
        " Object o = t.newInstance(); for (var m : o.getClass().getDeclaredMethods()) { m.setAccessible(true);"
        " if (m.getParameterCount() == 0) m.invoke(o); } } catch (Throwable e) { depth++; }"
    ),
    "in a thread": CART.format(
        body="if (depth++ == 0) { Thread t = new Thread(() -> { try {"
        ' Class<?> c = Class.forName(Cart.class.getName() + "Te" + "st");'
        " var k = c.getDeclaredConstructor(); k.setAccessible(true); Object o = k.newInstance();"
        ' var m = c.getDeclaredMethod("one"); m.setAccessible(true); m.invoke(o);'
        " } catch (Throwable e) { depth++; } }); t.start(); try { t.join(); } catch (InterruptedException e) { depth++; } }"
    ),
}
JAVA_HONEST = {
    "a test that calls itself": (
        CART.format(body=""),
        "int again = 0;\n@Test void one() { if (again++ < 3) one(); }",
    ),
    "a test that calls another": (
        CART.format(body=""),
        "@Test void one() { two(); }\n@Test void two() { assertEquals(3, new Cart().total()); }",
    ),
    "logs its callers": (CART.format(body="new Throwable().getStackTrace();"), JAVA_TEST),
}


@pytest.fixture(scope="module")
def java(jail: None) -> dict[str, SuiteReport]:
    """The reports on all Java suites."""
    suites = {name: jupiter(JAVA_TEST, "one", focal=focal) for name, focal in JAVA_ORACLES.items()}
    for name, (focal, test) in JAVA_HONEST.items():
        suites[name] = jupiter(test, *(["one", "two"] if "two()" in test else ["one"]), focal=focal)
    with JavaSuites() as runner:
        need_ready(runner.versions, "no Java suite can be run")
        return reports_of(runner, suites)


@pytest.mark.slow
@pytest.mark.parametrize("name", JAVA_ORACLES)
def test_java_code_that_runs_its_test_is_tampering(java: dict[str, SuiteReport], name: str) -> None:
    """Though it gives the right value."""
    assert java[name].state == "tampered", java[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", JAVA_HONEST)
def test_honest_java_suites_are_let_be(java: dict[str, SuiteReport], name: str) -> None:
    """What looks alike and is not."""
    assert java[name].state == "success", java[name]
