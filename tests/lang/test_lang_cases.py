"""The test cases of test files."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.errors import DataError
from benchwright.lang.languages import LANGUAGES
from benchwright.lang.protocol import Case
from benchwright.lang.source import cases
from kit.examples import examples
from kit.lang_samples import CACHE_TEST_GO, CACHE_TEST_JAVA, CACHE_TEST_PY


def names(code: str, lang: str) -> list[str]:
    return [case.name for case in cases(code, lang)]


def many(code: str, lang: str) -> list[str]:
    return [case.name for case in cases(code, lang) if case.parametrised]


def text_of(code: str, case: Case) -> str:
    return "".join(code.splitlines(keepends=True)[case.first_line - 1 : case.last_line])


def test_python_sample() -> None:
    """Functions and methods by the names that pytest reports, with comments and decorators in their lines."""
    found = cases(CACHE_TEST_PY, "Python")
    texts = [text_of(CACHE_TEST_PY, case).splitlines() for case in found]

    assert [case.name for case in found] == [
        "test_empty",
        "test_filled",
        "TestLazy::test_calls",
        "TestLazy::test_twice",
        "test_last",
    ]
    assert texts[0][0] == "# nothing is there at first"
    assert texts[1][0] == '@pytest.mark.parametrize("key", ["a", "b"])'
    assert texts[2][-1] == "        assert self.calls == 1"
    assert many(CACHE_TEST_PY, "Python") == ["test_filled"]


PYTHON = {
    "functions only": (
        "def test_a(): pass\ndef helper(): pass\nasync def test_b(): pass\n",
        ["test_a", "test_b"],
    ),
    "any name that begins so": ("def testing(): pass\ndef Test(): pass\n", ["testing"]),
    "no fixture": ("@pytest.fixture\ndef test_data(): pass\n@fixture(scope='x')\ndef test_b(): pass\n", []),
    "classes by name": (
        "class TestA:\n def test_x(self): 1\nclass A:\n def test_x(self): 1\n",
        ["TestA::test_x"],
    ),
    "not with a constructor": ("class TestA:\n def __init__(self): 1\n def test_x(self): 1\n", []),
    "not a data class": ("@dataclass(frozen=True)\nclass TestA:\n x: int\n def test_x(self): 1\n", []),
    "not when told": ("class TestA:\n __test__ = False\n def test_x(self): 1\n", []),
    "unittest by base": (
        "class A(unittest.TestCase):\n def test_x(self): 1\n def x(self): 1\n",
        ["A::test_x"],
    ),
    "unittest by a local base": (
        "class Base(TestCase):\n def up(self): 1\nclass A(Base):\n def test_x(self): 1\n",
        ["A::test_x"],
    ),
    "async unittest": ("class A(IsolatedAsyncioTestCase):\n async def test_x(self): 1\n", ["A::test_x"]),
    "nested": ("class TestA:\n class TestB:\n  def test_x(self): 1\n", ["TestA::TestB::test_x"]),
    "inherited": (
        "class Mixin:\n def test_x(self): 1\nclass TestA(Mixin): pass\nclass TestB(Mixin): pass\n",
        ["TestA::test_x", "TestB::test_x"],
    ),
    "inherited and hidden": ("class M:\n def test_x(self): 1\nclass TestA(M):\n test_x = None\n", []),
    "the later definition": ("def test_a(): 1\ndef test_a(): 2\n", ["test_a"]),
    "rebound": ("def test_a(): 1\ntest_a = None\n", []),
    "wrapped": ("def test_a(): 1\ntest_a = skip(test_a)\n", ["test_a"]),
    "deleted": ("def test_a(): 1\ndel test_a\n", []),
    "under if and try": (
        "if X:\n def test_a(): 1\nelse:\n def test_b(): 1\ntry:\n def test_c(): 1\nexcept E:\n def test_d(): 1\n",
        ["test_a", "test_b", "test_c", "test_d"],
    ),
    "not inside functions": ("def make():\n def test_a(): 1\n", []),
    "does not parse": ("def test_a(:\n", []),
    "nothing": ("", []),
}


@pytest.mark.parametrize(("code", "expected"), PYTHON.values(), ids=PYTHON)
def test_python(code: str, expected: list[str]) -> None:
    """What pytest would collect, by name."""
    assert names(code, "Python") == expected


PARAMETRISED = {
    "mark": "@pytest.mark.parametrize('a', [1])\ndef test_a(a): 1\n",
    "mark of the class": "@mark.parametrize('a', [1])\nclass TestA:\n def test_a(self, a): 1\n",
    "mark of the module": "pytestmark = pytest.mark.parametrize('a', [1])\ndef test_a(a): 1\n",
    "marks of the module": "pytestmark = [pytest.mark.slow, pytest.mark.parametrize('a', [1])]\ndef test_a(a): 1\n",
    "fixture": "@pytest.fixture(params=[1])\ndef f(request): 1\ndef test_a(f): 1\n",
    "fixture of a fixture": "@fixture(params=[1])\ndef f(): 1\n@fixture\ndef g(f): 1\ndef test_a(*, g): 1\n",
    "expand": "class A(TestCase):\n @parameterized.expand([1])\n def test_a(self, x): 1\n",
}


@pytest.mark.parametrize("code", PARAMETRISED.values(), ids=PARAMETRISED)
def test_python_parametrised(code: str) -> None:
    """Marks and fixtures with parameters make one name stand for several runs."""
    assert [case.parametrised for case in cases(code, "Python")] == [True]


def test_python_not_parametrised() -> None:
    """Other marks and fixtures do not."""
    code = "pytestmark = pytest.mark.slow\n@pytest.fixture\ndef f(): 1\n@pytest.mark.skip\ndef test_a(f): 1\n"

    assert [case.parametrised for case in cases(code, "Python")] == [False]


def test_python_comments() -> None:
    """The comment right above belongs to a test; one of another indentation or further up, or a shebang, not."""
    code = "#!/usr/bin/python\ndef test_a(): 1\n\n# far\n\n# near\n# nearer\ndef test_b():\n    pass\n    # inside\ndef test_c(): 1\n"

    assert [(case.first_line, case.last_line) for case in cases(code, "Python")] == [(2, 2), (6, 9), (11, 11)]


def test_python_line_ends() -> None:
    """Lines count as Python's parser counts them: a form feed ends none, a carriage return does."""
    code = "x = 1\f\ry = 2\r\ndef test_a(): 1\r\n"

    assert [(case.first_line, case.last_line) for case in cases(code, "Python")] == [(3, 3)]


def test_python_long_chain() -> None:
    """Thousands of classes that inherit from each other do not multiply: inheritance has its room."""
    lines = ["class T0(TestCase):\n def test_0(self): 1\n"]
    lines += [f"class T{i}(T{i - 1}):\n def test_{i}(self): 1\n" for i in range(1, 3000)]

    assert 3000 <= len(cases("".join(lines), "Python")) <= 200_000


def test_java_sample() -> None:
    """Annotated methods, those of nested classes too, with Javadoc and annotations in their lines."""
    found = cases(CACHE_TEST_JAVA, "Java")
    texts = [text_of(CACHE_TEST_JAVA, case).splitlines() for case in found]

    assert [case.name for case in found] == [
        "CacheTest#empty",
        "CacheTest#filled",
        "CacheTest$AfterOne#hasOne",
    ]
    assert texts[0][0] == "    /** Nothing is there at first. */"
    assert texts[1][0] == "    @ParameterizedTest"
    assert many(CACHE_TEST_JAVA, "Java") == ["CacheTest#filled"]


JAVA = {
    "annotations in full": ("class A { @org.junit.Test public void a() {} }", ["A#a"]),
    "with arguments": ("class A { @Test(expected = E.class) public void a() {} }", ["A#a"]),
    "not other annotations": ("class A { @Before void a() {} @TestOnly void b() {} void test() {} }", []),
    "many kinds": (
        "class A { @RepeatedTest(3) void a() {} @TestFactory List b() {} @TestTemplate void c() {} @Theory void d() {} }",
        ["A#a", "A#b", "A#c", "A#d"],
    ),
    "several classes": ("class A { @Test void a() {} }\nclass B { @Test void a() {} }", ["A#a", "B#a"]),
    "not abstract": ("abstract class A { @Test void a() {} }", []),
    "inherited": ("abstract class A { @Test void a() {} }\nclass B extends A<X> { }", ["B#a"]),
    "inherited from below": ("class B extends A { }\nabstract class A { @Test void a() {} }", ["B#a"]),
    "default methods": ("interface I { @Test default void a() {} }\nclass B implements X, I { }", ["B#a"]),
    "overridden": ("abstract class A { @Test void a() {} }\nclass B extends A { void a() {} }", []),
    "only @Nested": (
        "class A { class B { @Test void b() {} } @Nested class C { @Test void c() {} } }",
        ["A$C#c"],
    ),
    "enclosed": (
        "@RunWith(Enclosed.class)\npublic class A { public static class B { @Test public void b() {} } }",
        ["A$B#b"],
    ),
    "by name in JUnit 3": (
        "class A extends TestCase { public void testA() {} void testB() {} public void testC(int x) {} }",
        ["A#testA"],
    ),
    "overloads are one": ("class A { @Test void a() {} @Test void a(TestInfo i) {} }", ["A#a"]),
    "endless inheritance": ("class A extends B { @Test void a() {} }\nclass B extends A { }", ["A#a", "B#a"]),
    "broken elsewhere": ("class A { @Test void a() {} int = ; }", ["A#a"]),
    "nothing": ("", []),
}


@pytest.mark.parametrize(("code", "expected"), JAVA.values(), ids=JAVA)
def test_java(code: str, expected: list[str]) -> None:
    """What JUnit would run, by class and method."""
    assert sorted(names(code, "Java")) == expected


@pytest.mark.parametrize(
    "code",
    [
        "@RunWith(Parameterized.class) class A { @Test void a() {} }",
        "@RunWith(JUnitParamsRunner.class) class A { @Test @Parameters({}) void a() {} }",
        "@ParameterizedClass class A { @Test void a() {} }",
        "class A { @ParameterizedTest void a() {} }",
    ],
)
def test_java_parametrised(code: str) -> None:
    """Annotations of the method and of its class make one name stand for several runs."""
    assert [case.parametrised for case in cases(code, "Java")] == [True]


def test_java_comments() -> None:
    """A comment that trails the line before belongs to that line."""
    code = (
        "class A {\n  int x; // mine\n  @Test void a() {}\n  /* yours */\n  // too\n  @Test void b() {}\n}\n"
    )

    assert [(case.first_line, case.last_line) for case in cases(code, "Java")] == [(3, 3), (4, 6)]


def test_java_deep_nesting() -> None:
    """Class names longer than a file name can be are no class."""
    code = "@Nested class Abcdefgh { @Test void a() {} " * 200 + "}" * 200

    assert 0 < len(cases(code, "Java")) < 40


def test_go_sample() -> None:
    """Test functions, with the comment above; subtests make one name stand for several runs."""
    found = cases(CACHE_TEST_GO, "Go")

    assert [case.name for case in found] == ["TestEmpty", "TestFilled"]
    assert text_of(CACHE_TEST_GO, found[0]).startswith("// Nothing is there at first.\nfunc TestEmpty")
    assert many(CACHE_TEST_GO, "Go") == ["TestFilled"]


GO = {
    "capital or none": (
        "func Test(t *testing.T) {}\nfunc TestA(t *testing.T) {}\nfunc Test_a(t *testing.T) {}\nfunc Testa(t *testing.T) {}",
        ["Test", "TestA", "Test_a"],
    ),
    "digits": ("func Test1(t *testing.T) {}", ["Test1"]),
    "not main, benchmarks, examples": (
        "func TestMain(m *testing.M) {}\nfunc BenchmarkA(b *testing.B) {}\nfunc ExampleA() {}\nfunc FuzzA(f *testing.F) {}",
        [],
    ),
    "dot import": ("func TestA(t *T) {}", ["TestA"]),
    "renamed import": ("func TestA(t *tst.T) {}", ["TestA"]),
    "no parameter name": ("func TestA(*testing.T) {}", ["TestA"]),
    "not a method": ("func (s *S) TestA(t *testing.T) {}", []),
    "not two": ("func TestA(t, u *testing.T) {}\nfunc TestB(t *testing.T, x int) {}", []),
    "no result": ("func TestA(t *testing.T) error { return nil }", []),
    "not generic": ("func TestA[X any](t *testing.T) {}", []),
    "not a value": ("func TestA(t testing.T) {}", []),
}


@pytest.mark.parametrize(("code", "expected"), GO.values(), ids=GO)
def test_go(code: str, expected: list[str]) -> None:
    """What `go test` would run, by the go command's rules."""
    assert names(f"package a\n\n{code}\n", "Go") == expected


@pytest.mark.parametrize("lang", LANGUAGES)
def test_too_large(lang: str) -> None:
    """A text over the limit has no cases."""
    assert cases("\n" * (1 << 20) + "x", lang) == []


def test_unknown_language() -> None:
    """Another language is the caller's error."""
    with pytest.raises(DataError, match="is not supported for test suites"):
        cases("", "Scala")


PIECES = {
    "Python": ["def test_a(): 1\n", "class TestA(B):\n", " def test_b(self): 1\n", "@x\n", "if a:\n", "test_a = 1\n", "é", "(", '"""', "\t"],
    "Java": ["class A {", "}", "@Test ", "void a() {}", "@Nested ", "extends B ", "/* */", "//x\n", '"', "<", "é"],
    "Go": ["package a\n", "func TestA(t *testing.T) {", "}\n", "t.Run(", "\n", "`", "//x\n", "é", "import ("],
    "JavaScript": ["import test from 'node:test';\n", "test('a', () => {", "});\n", "test.describe('b', () => {", "`", "${", "//x\n", "é", "t.test("],
}  # fmt: skip


@given(
    st.sampled_from(LANGUAGES).flatmap(
        lambda lang: st.tuples(st.just(lang), st.lists(st.sampled_from(PIECES[lang])))
    )
)
@settings(max_examples=examples(40), deadline=None)
def test_arbitrary(drawn: tuple[str, list[str]]) -> None:
    """Any text has cases with names of their own and lines of the text; nothing is raised."""
    lang, pieces = drawn
    code = "".join(pieces)
    found = cases(code, lang)

    assert len({case.name for case in found}) == len(found)
    assert all(1 <= case.first_line <= case.last_line <= code.count("\n") + 1 for case in found)
