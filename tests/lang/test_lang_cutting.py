"""One test case of a file by itself."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from benchwright.lang.protocol import Case
from benchwright.lang.source import cases, only_case, syntax_fault
from benchwright.lang.source_errors import CuttingError
from kit.examples import examples
from kit.lang_samples import CACHE_TEST_GO, CACHE_TEST_JAVA, CACHE_TEST_PY

SAMPLES = {"Python": CACHE_TEST_PY, "Java": CACHE_TEST_JAVA, "Go": CACHE_TEST_GO}
ALL = [(lang, case) for lang, code in SAMPLES.items() for case in cases(code, lang)]


def cut(code: str, name: str, lang: str) -> str:
    return only_case(code, Case(name=name, first_line=1, last_line=1), lang)


def longest_gap(code: str) -> int:
    return max((len(gap) - 1 for gap in re.findall(r"\n(?:[ \t]*\n)*", code)), default=0)


@pytest.mark.parametrize(("lang", "case"), ALL, ids=[case.name for _, case in ALL])
def test_samples(lang: str, case: Case) -> None:
    """Exactly the case is left, the file parses, its own lines are untouched, and no gap is wider than before."""
    code = SAMPLES[lang]
    left = only_case(code, case, lang)
    own = "".join(code.splitlines(keepends=True)[case.first_line - 1 : case.last_line])

    assert [each.name for each in cases(left, lang)] == [case.name]
    assert syntax_fault(left, lang) is None
    assert own in left
    assert longest_gap(left) <= longest_gap(code)


def test_python_function() -> None:
    """Fixtures, helpers and their imports stay; other tests go, with their comments and imports of their own."""
    expected = """\
import pytest

from essentials.caching import Cache


@pytest.fixture
def cache():
    return Cache(2)


def fill(cache):
    cache.put("a", 1)
    cache.put("b", 2)


@pytest.mark.parametrize("key", ["a", "b"])
def test_filled(cache, key):
    fill(cache)

    assert cache.get(key)
"""

    assert cut(CACHE_TEST_PY, "test_filled", "Python") == expected


def test_python_method() -> None:
    """Of its own class, set-up, attributes and helpers stay."""
    left = cut(CACHE_TEST_PY, "TestLazy::test_twice", "Python")
    expected = '''\
class TestLazy:
    """Laziness."""

    word = "x"

    def setup_method(self):
        self.calls = 0

    def call(self):
        self.calls += 1

    def test_twice(self):
        lazy(self.call)()
        lazy(self.call)()
        assert self.calls == 2
'''

    assert left[left.index("class TestLazy") :] == expected


PYTHON = {
    "first of a class": (
        "class TestA:\n    def test_a(self): 1\n\n    def test_b(self): 1\n",
        "TestA::test_b",
        "class TestA:\n    def test_b(self): 1\n",
    ),
    "last of a class before another": (
        "class TestA:\n    def test_a(self): 1\n\n    def test_b(self): 1\n\n\ndef helper(): 1\n",
        "TestA::test_a",
        "class TestA:\n    def test_a(self): 1\n\n\ndef helper(): 1\n",
    ),
    "a class that is named elsewhere stays": (
        "class TestA:\n    x = 1\n\n    def test_a(self): 1\n\n\ndef test_b(): TestA.x\n",
        "test_b",
        "class TestA:\n    x = 1\n\n\ndef test_b(): TestA.x\n",
    ),
    "and keeps a body": (
        "class TestA:\n\tdef test_a(self):\n\t\tpass\n\n\ndef test_b(): TestA()\n",
        "test_b",
        "class TestA:\n\tpass\n\n\ndef test_b(): TestA()\n",
    ),
    "a mixin of nobody goes": (
        "class Mixin:\n    def test_a(self): 1\n\n\nclass TestA(Mixin): pass\n\n\ndef test_b(): 1\n",
        "test_b",
        "def test_b(): 1\n",
    ),
    "a mixin of the case stays": (
        "class M:\n    def test_a(self): 1\n\n    def up(self): 1\n\n\nclass TestA(M):\n    def test_b(self): 1\n",
        "TestA::test_b",
        "class M:\n    def up(self): 1\n\n\nclass TestA(M):\n    def test_b(self): 1\n",
    ),
    "an inherited case": (
        "class M:\n    def test_a(self): 1\n\n\nclass TestA(M): pass\nclass TestB(M): pass\n",
        "TestB::test_a",
        "class M:\n    def test_a(self): 1\n\n\nclass TestB(M): pass\n",
    ),
    "under if": ("if X:\n    def test_a(): 1\n\n\ndef test_b(): 1\n", "test_b", "def test_b(): 1\n"),
    "under if, beside more": (
        "if X:\n    y = 1\n    def test_a(): 1\n\n\ndef test_b(): 1\n",
        "test_b",
        "if X:\n    y = 1\n\n\ndef test_b(): 1\n",
    ),
    "under try": (
        "try:\n    def test_a(): 1\nexcept E:\n    def test_b(): 1\n",
        "test_b",
        "try:\n    pass\nexcept E:\n    def test_b(): 1\n",
    ),
    "what was hidden": ("def test_a(): 1\ndef test_b(): 1\ndef test_a(): 2\n", "test_a", "def test_a(): 2\n"),
    "what is hidden": ("def test_a(): 1\ndef test_b(): 1\ndef test_a(): 2\n", "test_b", "def test_b(): 1\n"),
    "either definition": (
        "if X:\n    def test_a(): 1\nelse:\n    def test_a(): 2\ndef test_b(): 1\n",
        "test_a",
        "if X:\n    def test_a(): 1\nelse:\n    def test_a(): 2\n",
    ),
    "the main guard that calls": (
        "def test_a(): 1\ndef test_b(): 1\n\n\nif __name__ == '__main__':\n    test_a()\n",
        "test_b",
        "def test_b(): 1\n",
    ),
    "the main guard that does not": (
        "def test_a(): 1\ndef test_b(): 1\n\n\nif __name__ == '__main__':\n    unittest.main()\n",
        "test_b",
        "def test_b(): 1\n\n\nif __name__ == '__main__':\n    unittest.main()\n",
    ),
    "line ends of Windows": (
        "import a\r\n\r\n\r\ndef test_a():\r\n    1\r\n\r\n\r\ndef test_b():\r\n    1\r\n",
        "test_b",
        "import a\r\n\r\n\r\ndef test_b():\r\n    1\r\n",
    ),
    "a trailing comment": ("def test_a(): 1  # so\ndef test_b(): 1\n", "test_b", "def test_b(): 1\n"),
    "a text of many lines": (
        'def test_a():\n    """\n\n\nx\n"""\n\n\ndef test_b(): """\n\n\n\n"""\n',
        "test_b",
        'def test_b(): """\n\n\n\n"""\n',
    ),
    "nested classes": (
        "class TestA:\n    def test_a(self): 1\n\n    class TestB:\n        def test_b(self): 1\n",
        "TestA::TestB::test_b",
        "class TestA:\n    class TestB:\n        def test_b(self): 1\n",
    ),
    "the only one": ("def test_a(): 1\n\n\n\n\nx = 1\n", "test_a", "def test_a(): 1\n\n\n\n\nx = 1\n"),
}


@pytest.mark.parametrize(("code", "name", "expected"), PYTHON.values(), ids=PYTHON)
def test_python(code: str, name: str, expected: str) -> None:
    """What is left, letter for letter."""
    assert cut(code, name, "Python") == expected


ENTANGLED = {
    "calls another": ("def test_a(): 1\ndef test_b(): test_a()\n", "test_b", "test_a"),
    "calls another method": (
        "class TestA:\n def test_a(self): 1\n def test_b(self): self.test_a()\n",
        "TestA::test_b",
        "test_a",
    ),
    "marks another": ("def test_a(): 1\ndef test_b(): 1\ntest_a.slow = True\n", "test_b", "test_a"),
}  # fmt: skip


@pytest.mark.parametrize(("code", "name", "word"), ENTANGLED.values(), ids=ENTANGLED)
def test_python_entangled(code: str, name: str, word: str) -> None:
    """A case that needs another, or whose sibling is named by what stays, is refused."""
    with pytest.raises(CuttingError) as caught:
        cut(code, name, "Python")

    assert caught.value.reason == "entangled"
    assert word in caught.value.message


def test_python_shared_line() -> None:
    """Statements on the lines of a sibling would be lost, so the cut is refused."""
    with pytest.raises(CuttingError) as caught:
        cut(
            "class TestA:\n  def test_b(self): 1\nx = 1; TestA()\ndef test_a(): 1\ntest_a; y = 1\n",
            "TestA::test_b",
            "Python",
        )

    assert caught.value.reason == "entangled"


def test_java_method() -> None:
    """Set-up and fields stay; siblings go with annotations, Javadoc, helpers and imports, nested classes whole."""
    left = cut(CACHE_TEST_JAVA, "CacheTest#empty", "Java")
    expected = """\
class CacheTest {
    private Cache<String> cache;

    @BeforeEach
    void setUp() {
        cache = new Cache<>();
    }

    /** Nothing is there at first. */
    @Test
    void empty() {
        assertEquals(0, cache.size());
    }
}
"""

    assert left[left.index("class CacheTest") :] == expected
    gone = ("Nested", "ParameterizedTest", "ValueSource")
    imports = [line for line in CACHE_TEST_JAVA.splitlines() if line.startswith("import")]
    assert [line for line in left.splitlines() if line.startswith("import")] == [
        line for line in imports if not line.endswith(tuple(f"{name};" for name in gone))
    ]


def test_java_nested() -> None:
    """A case of a nested class keeps the classes around it, with their set-up."""
    left = cut(CACHE_TEST_JAVA, "CacheTest$AfterOne#hasOne", "Java")

    assert left.count("@BeforeEach\n") == 2
    assert "void fill(int count)" in left
    assert "void empty()" not in left


JAVA = {
    "a class of its own goes": (
        "class A {\n    @Test void a() {}\n}\n\nclass B {\n    @Test void b() {}\n}\n",
        "B#b",
        "class B {\n    @Test void b() {}\n}\n",
    ),
    "a class that is named stays": (
        "class A {\n    @Test void a() {}\n}\n\nclass B {\n    A x;\n    @Test void b() {}\n}\n",
        "B#b",
        "class A {\n}\n\nclass B {\n    A x;\n    @Test void b() {}\n}\n",
    ),
    "a base stays": (
        "class A {\n    @Test void a() {}\n    int x;\n}\n\nclass B extends A {\n    @Test void b() {}\n}\n",
        "B#b",
        "class A {\n    int x;\n}\n\nclass B extends A {\n    @Test void b() {}\n}\n",
    ),
    "a helper of the same name": (
        "class A {\n    @Test void a() {}\n    @Test void b() { a(1); }\n    void a(int x) {}\n}\n",
        "A#b",
        "class A {\n    @Test void b() { a(1); }\n    void a(int x) {}\n}\n",
    ),
    "a method of something else": (
        "class A {\n    @Test void a() {}\n    @Test void b() { x.a(); }\n}\n",
        "A#b",
        "class A {\n    @Test void b() { x.a(); }\n}\n",
    ),
    "comment after the end": (
        "class A {\n    @Test void a() {} // end of a\n    @Test void b() {}\n}\n",
        "A#b",
        "class A {\n    @Test void b() {}\n}\n",
    ),
    "line ends of Windows": (
        "class A {\r\n    @Test void a() {}\r\n\r\n    @Test void b() {}\r\n}\r\n",
        "A#b",
        "class A {\r\n    @Test void b() {}\r\n}\r\n",
    ),
}


@pytest.mark.parametrize(("code", "name", "expected"), JAVA.values(), ids=JAVA)
def test_java(code: str, name: str, expected: str) -> None:
    """What is left, letter for letter."""
    assert cut(code, name, "Java") == expected


JAVA_ENTANGLED = {
    "calls another": "class A {\n @Test void a() {}\n @Test void b() { a(); }\n}\n",
    "calls another on this": "class A {\n @Test void a() {}\n @Test void b() { this.a(); }\n}\n",
    "shares a line": "class A {\n @Test void a() {} @Test void b() {}\n}\n",
    "the base runs too": "class X {\n @Test void b() {}\n}\nclass A extends X {\n}\n",
}


@pytest.mark.parametrize("code", JAVA_ENTANGLED.values(), ids=JAVA_ENTANGLED)
def test_java_entangled(code: str) -> None:
    """A case that cannot be alone is refused."""
    with pytest.raises(CuttingError) as caught:
        cut(code, "A#b", "Java")

    assert caught.value.reason == "entangled"


def test_go_function() -> None:
    """Siblings go with their comments, and so do the imports and helpers that only they used, and benchmarks."""
    expected = CACHE_TEST_GO.replace('\t"strings"\n', "").replace('\t"fmt"\n', "")
    helper, test, end = map(expected.index, ("func fill", "// Nothing is there", "func TestFilled"))

    assert cut(CACHE_TEST_GO, "TestEmpty", "Go") == expected[:helper] + expected[test:end].rstrip() + "\n"


def test_go_imports_still_used() -> None:
    """An import that what stays uses is kept."""
    left = cut(CACHE_TEST_GO, "TestFilled", "Go")

    assert '"strings"' in left
    assert "TestEmpty" not in left


HEAD = 'package a\n\nimport "testing"\n'
GO = {
    "a single import": (
        f'{HEAD}import "fmt"\n\nfunc TestA(t *testing.T) {{ fmt.Println() }}\n\nfunc TestB(t *testing.T) {{}}\n',
        f"{HEAD}\nfunc TestB(t *testing.T) {{}}\n",
    ),
    "a block of them": (
        f'{HEAD}\nimport (\n\t"fmt"\n\tx "os"\n)\n\nfunc TestA(t *testing.T) {{ fmt.Println(x.Args) }}\n\nfunc TestB(t *testing.T) {{}}\n',
        f"{HEAD}\nfunc TestB(t *testing.T) {{}}\n",
    ),
    "for effects and dots": (
        f'{HEAD}\nimport (\n\t_ "embed"\n\t. "fmt"\n)\n\nfunc TestA(t *testing.T) {{ Println() }}\n\nfunc TestB(t *testing.T) {{}}\n',
        f'{HEAD}\nimport (\n\t_ "embed"\n\t. "fmt"\n)\n\nfunc TestB(t *testing.T) {{}}\n',
    ),
    "of types": (
        f'{HEAD}import "io"\n\nfunc TestA(t *testing.T) {{ var r io.Reader; _ = r }}\n\nfunc TestB(t *testing.T) {{}}\n',
        f"{HEAD}\nfunc TestB(t *testing.T) {{}}\n",
    ),
    "with a version": (
        f'{HEAD}import "gopkg.in/yaml.v3"\nimport "example.com/lib/v2"\n\nfunc TestA(t *testing.T) {{ yaml.X(lib.Y) }}\n\nfunc TestB(t *testing.T) {{}}\n',
        f"{HEAD}\nfunc TestB(t *testing.T) {{}}\n",
    ),
    "of unknown names": (
        f'{HEAD}import "example.com/x"\n\nfunc TestA(t *testing.T) {{ other.X() }}\n\nfunc TestB(t *testing.T) {{}}\n',
        f'{HEAD}import "example.com/x"\n\nfunc TestB(t *testing.T) {{}}\n',
    ),
    "unused before": (
        f'{HEAD}import "os"\n\nfunc TestA(t *testing.T) {{}}\n\nfunc TestB(t *testing.T) {{}}\n',
        f'{HEAD}import "os"\n\nfunc TestB(t *testing.T) {{}}\n',
    ),
}


@pytest.mark.parametrize(("code", "expected"), GO.values(), ids=GO)
def test_go_imports(code: str, expected: str) -> None:
    """Imports that became unused go; a name that the path does not tell stays."""
    assert cut(code, "TestB", "Go") == expected


def test_go_entangled() -> None:
    """A test that calls another cannot be alone."""
    with pytest.raises(CuttingError, match="TestA, another test"):
        cut(f"{HEAD}func TestA(t *testing.T) {{}}\nfunc TestB(t *testing.T) {{ TestA(t) }}\n", "TestB", "Go")


@pytest.mark.parametrize(
    ("code", "lang", "reason"),
    [("def test_a(:", "Python", "syntax"), ("class A {", "Java", "syntax"), ("x = 1", "Python", "no_cases"), ("\n" * (1 << 20) + "x", "Go", "too_large")],
)  # fmt: skip
def test_no_such_case(code: str, lang: str, reason: str) -> None:
    """A file that does not parse, or has no such case, is refused with its reason."""
    with pytest.raises(CuttingError) as caught:
        cut(code, "test_a", lang)

    assert caught.value.reason == reason


BLOCKS = {
    "Python": [
        "import os\n", "def test_a():\n    pass\n", "@mark\ndef test_b():\n    x = '''\n\n'''\n", "# c\ndef test_c(): pass\n",
        "def helper():\n    return 1\n", "class TestX:\n    def test_a(self):\n        pass\n\n    def up(self): pass\n",
        "class B(TestX):\n    y = 1\n", "if X:\n    def test_d(): pass\n", "x = 1\n",
        "def test_e(): os.x, a\n", "from m import (a,\n    b)\n", "if X:\n    import os\n", "try:\n    import os\nexcept E:\n    os = 1\n",
    ],
    "Java": ["import a.B;\n", "    @Test void b() { B x; }\n", "class A {\n", "    @Test void a() {}\n", "    // c\n    @Test\n    void b() {}\n", "    int x;\n", "    void h() {}\n", "    @Nested class C {\n", "    }\n", "}\n"],
    "Go": ["package a\n", 'import "fmt"\n', "func TestA(t *testing.T) {\n\tfmt.Println()\n}\n", "// c\nfunc TestB(t *testing.T) {}\n", "func help() {}\n", "var x = 1\n"],
}  # fmt: skip
TEXTS = st.sampled_from(sorted(BLOCKS)).flatmap(
    lambda lang: st.tuples(
        st.just(lang),
        st.lists(
            st.tuples(st.sampled_from(BLOCKS[lang]), st.sampled_from(["", "\n", "\n\n", "\n" * 6])),
            max_size=9,
        ),
    )
)


@given(TEXTS)
@settings(max_examples=examples(40), deadline=None)
def test_exactly_one_or_refused(drawn: tuple[str, list[tuple[str, str]]]) -> None:
    """The result has exactly the requested case, parses, and has no additional blank lines."""
    lang, pieces = drawn
    code = "".join(block + gap for block, gap in pieces)
    found = cases(code, lang)
    assume(found)
    for case in found:
        try:
            left = only_case(code, case, lang)
        except CuttingError as error:
            assert error.reason in ("syntax", "entangled")
        else:
            assert [each.name for each in cases(left, lang)] == [case.name]
            assert syntax_fault(left, lang) is None
            assert longest_gap(left) <= max(longest_gap(code), 2)
