"""From a suite to packages, or to why there are none."""

from __future__ import annotations

import msgspec
import pytest

from benchwright.judges.suites.go_project import GoSuite, plan_pair
from benchwright.judges.suites.go_toolchain import GoToolchain
from kit.go_samples import EXAMPLE, EXTERNAL, FOCAL, INTERNAL, MAIN, MODULE, body, suite

GO = GoToolchain(root="/go", tools="/go/pkg/tool/linux_amd64", version="1.22.1")
PUBLIC = frozenset({"testing", "errors", "fmt", "os", "os/exec", "reflect"})


def plan(test: str, *cases: str, focal: str = FOCAL, module: str = MODULE) -> GoSuite:
    """The plan of a suite."""
    return plan_pair(suite(test, *cases, focal=focal, module=module), GO, public=PUBLIC)


def problem(test: str, *, focal: str = FOCAL, module: str = MODULE) -> tuple[str, str]:
    """Kind and sentence of a suite's problem."""
    found = plan(test, focal=focal, module=module).problem
    return ("", "") if found is None else (found.kind, found.detail)


def test_internal() -> None:
    """Focal file, tests and our file make one package, which may share a program."""
    pair = plan(body(""))
    (package,) = pair.packages

    assert (package.path, len(package.files), pair.alone, pair.language) == (
        "example.com/shop",
        3,
        "",
        "go1.19",
    )


def test_external() -> None:
    """The package comes before its external tests, and both import the harness."""
    pair = plan(EXTERNAL % "2.5", "TestTotal", "TestLargest")
    paths = [package.path for package in pair.packages]
    ours = [text for path, text in pair.texts.items() if "harness_suite" in path]

    assert (paths, len(ours)) == (["example.com/shop", "example.com/shop_test"], 2)
    assert all('"bwharness"' in text for text in ours)


def test_names_are_new_each_time() -> None:
    """Canaries and the entry are drawn for each plan."""
    first, second = plan(body("")), plan(body(""))

    assert not {first.entry, first.canaries.passing} & {
        second.entry,
        second.canaries.passing,
    }


@pytest.mark.parametrize(
    ("test", "whole"), [(body(""), False), (MAIN % "false", True), (EXAMPLE % "3", True)]
)
def test_whole(test: str, whole: bool) -> None:
    """Suites whose exit status counts are marked."""
    assert plan(test).whole is whole


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("github.com/a/b", "environment"),
        ("C", "environment"),
        ("example.com/shop/other", "import"),
        ("nowhere", "import"),
        ("internal/abi", "import"),
        ("bwharness", "import"),
    ],
)
def test_imports_that_lead_nowhere(path: str, kind: str) -> None:
    """What is not there is named, and whose fault it is."""
    found, detail = problem(body("").replace('"testing"', f'"testing"\nimport "{path}"'))

    assert (found, path in detail) == (kind, True)


def test_newer_language() -> None:
    """A module for a later Go is the environment's fault."""
    assert problem(body(""), module="module x\n\ngo 1.40\n")[0] == "environment"


def test_two_packages_in_a_folder() -> None:
    """Files of one folder must agree on their package."""
    assert problem(body("").replace("package shop", "package store")) == (
        "compile",
        "found packages shop and store in one folder",
    )


def test_own_truth_is_tampering() -> None:
    """A focal file with a `true` of its own is not run."""
    assert problem(body(""), focal=FOCAL + "const true = false\n")[0] == "tampered"


def test_excluded_test_file() -> None:
    """A test file for another system is not there to be run."""
    assert problem("//go:build windows\n\n" + body(""))[0] == "compile"


def test_folders() -> None:
    """A test in another folder compiles after the package that it imports, and runs in its own folder."""
    files = {
        "go.mod": MODULE,
        "cart/cart.go": "package cart\n",
        "check/check_test.go": INTERNAL.replace("package shop", "package check").replace(
            'import "testing"', 'import (\n\t"testing"\n\n\t_ "example.com/shop/cart"\n)'
        )
        + "func TestTotal(t *testing.T) {}\n",
    }
    tested = msgspec.structs.replace(
        suite(body("")), files=files, focal="cart/cart.go", test="check/check_test.go"
    )
    pair = plan_pair(tested, GO, public=PUBLIC)

    assert [package.path for package in pair.packages] == ["example.com/shop/cart", "example.com/shop/check"]
    assert pair.folder == "check"


def test_cycle() -> None:
    """A package that imports itself through its own test is a cycle."""
    test = body("").replace('import "testing"', 'import (\n\t"testing"\n\n\t_ "example.com/shop"\n)')

    assert "import cycle" in problem(test)[1]


def test_example_output_is_quoted() -> None:
    """An example's output reaches Go as one string, whatever it holds."""
    pair = plan(EXAMPLE % 'a "quoted" \\ €')
    (ours,) = [text for path, text in pair.texts.items() if "harness_suite" in path]

    assert '"a \\"quoted\\" \\\\ €\\n"' in ours


@pytest.mark.parametrize(
    ("use", "alone"), [("reflect.DeepEqual(1, 2)", ""), ("reflect.TypeOf(t).PkgPath()", "shop_test.go")]
)
def test_reflection(use: str, alone: str) -> None:
    """Comparing shares a program; asking for a package's path, which differs there, does not."""
    test = body(f"_ = {use}").replace('import "testing"', 'import "testing"\nimport "reflect"')

    assert plan(test).alone.partition(":")[0] == alone


INNER = body("for i := 0; i < len([]int{1}); i++ { t.Log(i) }")
OUTER = EXTERNAL.replace("t.Fatal(err)", "t.Fatal(len(err.Error()))") % "2.5"
USES_MAX = body("if max(1, 2) != 2 { t.Error() }")
NEW, OLD = MODULE.replace("1.19", "1.22"), MODULE
STAND_IN = "func max(a, b int) int { if a > b { return a }; return b }\n"


@pytest.mark.parametrize(
    ("declared", "test", "module", "tampered"),
    [
        ("func len(v any) int { return 0 }\n", INNER, NEW, True),
        ("func len(v any) int { return 0 }\n", INNER, OLD, True),
        ("func len(v any) int { return 0 }\n", OUTER, NEW, False),
        ("func len(v any) int { return 0 }\n", body("Total(nil)"), NEW, False),
        ("func max(a, b int) int { return 2 }\n", USES_MAX, NEW, True),
        ("func max(a, b int) int { return 2 }\n", USES_MAX, OLD, False),
        (STAND_IN, USES_MAX, NEW, False),
        ("type list struct{}\nfunc (list) len() int { return 0 }\n", INNER, NEW, False),
    ],
)
def test_redeclared_names(declared: str, test: str, module: str, tampered: bool) -> None:
    """A name of Go's that the focal package declares is tampering where a test of that package uses it, in a
    language version that has it, and where what it does is not plainly the same."""
    found = problem(test, focal=FOCAL + declared, module=module)

    assert (found[0] == "tampered") is tampered, found


def test_redeclared_in_another_file() -> None:
    """Any file of the package counts; what a test file declares for itself is its own choice."""
    given = suite(INNER)
    other = {"more.go": "package shop\n\nfunc len(v any) int { return 0 }\n"}
    helper = {"more_test.go": other["more.go"]}
    found = [
        plan_pair(msgspec.structs.replace(given, files={**given.files, **each}), GO, public=PUBLIC).problem
        for each in (other, helper)
    ]

    assert [each and each.kind for each in found] == ["tampered", None]


@pytest.mark.parametrize(
    ("text", "kind"),
    [("// " + "x" * (1 << 20), "environment"), ('var x = "\ud800"', "compile")],
)
def test_files_that_cannot_be_read(text: str, kind: str) -> None:
    """A focal file that takes our parser too much is nobody's failure; one that is no text does not compile."""
    assert problem(body(""), focal=f"package shop\n\n{text}\n")[0] == kind
