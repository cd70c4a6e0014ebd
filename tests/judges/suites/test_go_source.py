"""Facts of Go files: what may share a program with others, and what nobody may believe."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.judges.suites import go_library
from benchwright.judges.suites.go_library import read_source
from benchwright.lang.go.test_cases import ExampleCase
from benchwright.lang.source_errors import MAX_BYTES
from kit.examples import examples
from kit.growth import seconds, slowness

HEAD = 'package a\n\nimport "errors"\n\n'

SHARED = [
    'var ErrX = errors.New("x")',
    "var a, b = 1, 2 + 3",
    'var names = map[string][]int{"a": {1, 2}}',
    "type T struct{ n int }\n\nvar all = []T{{n: 1}, {n: -2}}",
    "var pointer = &struct{ n int }{n: 1}",
    "var later = func() int { return boom() }",
    "var seconds = float64(3)",
    "var (\n\tone int\n\ttwo = 2\n)",
    "const big = 1 << 20",
    "func Init() {}",
]
ALONE = [
    "func init() {}",
    "func TestMain(m *testing.M) {}",
    "var x = boom()",
    "var x = func() int { return 1 }()",
    "var x = <-channel",
    "var x = *pointer",
    "var x = list[4]",
    "var x = one / two",
    "var x = one << two",
    "var x = make([]int, 1<<40)",
    'var x = regexp.MustCompile("(")',
    "var x = value.(int)",
    "var x = []int{1, boom()}",
    "var x = T{n: func() int { return 1 }()}",
    "var _ = errors.New(boom())",
    "func int64(n int) int { return n }\n\nvar x = int64(2)",
    "//go:noinline\nfunc f() {}",
    "//go:embed x.txt\nvar x string",
    "func broken( {",
]


@pytest.mark.parametrize("code", SHARED)
def test_may_share(code: str) -> None:
    """Loading these runs nothing, so they may share a program."""
    assert read_source(f"{HEAD}{code}\n").alone == ""


@pytest.mark.parametrize("code", ALONE)
def test_must_be_alone(code: str) -> None:
    """Loading these may run code, wait or fail, or the compiler is told something."""
    assert read_source(f"{HEAD}{code}\n").alone


@pytest.mark.parametrize(
    "path", ["C", "unsafe", "embed", "os/exec", "syscall", "plugin", "flag", "runtime/debug"]
)
def test_imports_that_need_a_program(path: str) -> None:
    """Packages that reach past their own code mean a program of its own."""
    assert (
        read_source(f'package a\n\nimport _ "{path}"\n').alone
        == f"it imports {path.split('/debug', maxsplit=1)[0]}"
    )


def test_errors_must_be_the_package() -> None:
    """`errors.New` counts as harmless only where `errors` can be nothing but the package."""
    code = 'package a\n\ntype e struct{}\n\nvar errors e\n\nvar x = errors.New("a")\n'

    assert "call expression" in read_source(code).alone


@pytest.mark.parametrize(
    "code",
    [
        "//go:linkname fail testing.(*common).Fail\nfunc fail()",
        "//go:linkname exit os.runtime_beforeExit\nfunc exit()",
        "const true = false",
        "var nil = 1",
        "const (\n\ta = 1\n\tfalse = true\n)",
        "func true() {}",
    ],
)
def test_signs(code: str) -> None:
    """What reaches into the runner, or redefines truth, is named."""
    assert read_source(HEAD + code).sign


def test_no_sign_for_ordinary_names() -> None:
    """A local `ok := true`, a `max` or a linkname to the runtime is no sign."""
    code = "func max(a, b int) int { return a }\n\n//go:linkname now runtime.nanotime\nfunc now() int64\n"

    assert read_source(HEAD + code).sign == ""


def test_imports_and_package() -> None:
    """Imports come with the names they are given."""
    source = read_source('package shop_test\n\nimport (\n\t. "fmt"\n\tx "os"\n\t_ "embed"\n\t"a/b"\n)\n')
    paths = [(each.alias, each.names, each.module) for each in source.imports]
    wanted = [("", ["*"], "fmt"), ("x", [], "os"), ("_", [], "embed"), ("", [], "a/b")]

    assert (source.package, paths) == ("shop_test", wanted)


def test_broken_file_keeps_its_imports() -> None:
    """What stands before a syntax error is still known."""
    assert [each.module for each in read_source(HEAD + "func f() { if {").imports] == ["errors"]


def test_examples() -> None:
    """An example is run when its last comment names an output."""
    code = """
func ExampleA() {
	// not output
	println(1)
	// Output: one
	//   two
}

func ExampleB() {
	// Unordered output:
	// x
}

func ExampleC() { println(1) }

func Exampled() {
	// Output: 1
}
"""
    wanted = [
        ExampleCase(name="ExampleA", output="one\ntwo\n"),
        ExampleCase(name="ExampleB", output="x\n", unordered=True),
    ]

    assert read_source(HEAD + code).examples == wanted


def test_fuzz_targets() -> None:
    """Fuzz targets are found by name."""
    source = read_source(HEAD + "func FuzzB(f *testing.F) {}\nfunc Fuzzy() {}\nfunc FuzzA(f *testing.F) {}\n")

    assert source.fuzzes == ["FuzzA", "FuzzB"]


@pytest.mark.parametrize(
    ("text", "unbounded"),
    [
        ("package a\n" + " " * MAX_BYTES, True),
        ("package a\nvar x = " + "a[" * 250_000, True),
        ('package a\nvar x = "\ud800"', False),
    ],
)
def test_what_cannot_be_read(text: str, unbounded: bool) -> None:
    """A text that would take too much is read by nobody, and says so; one that is no text is another matter.
    It costs this process next to nothing, for another one tries, within limits."""
    sources = []
    spent = seconds(lambda each: sources.append(read_source(each)), text)
    (source,) = sources

    assert (bool(source.fault), source.unbounded, source.package) == (True, unbounded, "")
    assert spent < 1.0 * slowness()


def test_a_text_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A suite that runs five times has its files parsed once."""
    text = HEAD + "func readOnce() {}\n"
    first = read_source(text)
    monkeypatch.setattr(go_library, "parse_outline", None)

    assert read_source(text) is first


def test_deep_nesting() -> None:
    """Ten thousand brackets are an answer, no crash."""
    code = HEAD + "var x = " + "(" * 10_000 + "1" + ")" * 10_000 + "\n"

    assert read_source(code).package in ("a", "")


@settings(max_examples=examples(40), deadline=None)
@given(st.text(max_size=200))
def test_any_text(text: str) -> None:
    """No text makes the reader raise."""
    source = read_source("package a\n" + text)

    assert isinstance(source.alone, str)


REFLECTING = {
    'import "reflect"\n\nfunc f(a, b any) bool { return reflect.DeepEqual(a, b) || !reflect.DeepEqual(b, a) }': False,
    'import "errors"\n\nvar reflect = struct{ TypeOf int }{}\n\nfunc f() int { return reflect.TypeOf }': False,
    'import "reflect"\n\nfunc f(a any) string { return reflect.TypeOf(a).PkgPath() }': True,
    'import "reflect"\n\nfunc f(a any) string { return reflect . TypeOf(a).PkgPath() }': True,
    'import "reflect"\n\nfunc f(a any) string { return reflect./* DeepEqual */TypeOf(a).PkgPath() }': True,
    'import "reflect"\n\nfunc f(a any) any { return reflect.DeepEqualTo(a) }': True,
    'import "reflect"\n\nvar v reflect.Value': True,
    'import r "reflect"\n\nfunc f(a, b any) bool { return r.DeepEqual(a, b) }': True,
    'import . "reflect"\n\nfunc f(a any) string { return TypeOf(a).PkgPath() }': True,
    'import "reflect"\nimport r "reflect"\n\nvar t = r.TypeOf(1)': True,
    "import `reflect`\n\nfunc f(a any) string { return reflect.TypeOf(a).PkgPath() }": True,
    'import "re\\x66lect"\n\nfunc f(a any) string { return reflect.TypeOf(a).PkgPath() }': True,
}


@pytest.mark.parametrize("code", REFLECTING)
def test_only_deep_equal_shows_no_path(code: str) -> None:
    """A file that compares through reflect may share; one that may ask for a type's package may not, however it
    is written. An escape in an import's path is no path that is known."""
    source = read_source(f"package a\n\n{code}\n")
    known = all(each.module in ("reflect", "errors") for each in source.imports)

    assert (source.reflects or not known) is REFLECTING[code]
