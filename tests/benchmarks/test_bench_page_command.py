"""docs/benchmarks.md: measured by section, stored, resumed, and written whole from what is stored."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from test_bench_page import around, made_report

from benchmarks import environment, page_command, stored, suites_report
from benchmarks.environment import Machine
from benchmarks.page_command import DOCS, RESULTS, SECTIONS, text
from benchmarks.sections import Section
from benchmarks.stored import StoredResult
from benchmarks.whole_commands import Figure, Figures
from benchwright.errors import BenchwrightError, DataError, PrerequisiteError

MACHINE = Machine(cpu="A CPU", cores=2, kernel="6.1", python="3.11.7", memory_gib=8.0, load=0.1)
GOLDEN = Path(__file__).with_name("page_golden.md")


def kept(result: msgspec.Struct | None, **given: object) -> StoredResult:
    """A stored result of five rounds on a quiet machine."""
    fields = {"version": "0.2.0", "revision": "abc", "date": "2026-11-28", "machine": MACHINE, "rounds": 5}
    fields |= {
        "seconds": 60.0,
        "other_cores": 0.01,
        "result": msgspec.Raw(msgspec.json.encode(result)),
        **given,
    }
    return StoredResult(**fields)  # type: ignore[arg-type]


def figures() -> Figures:
    """One figure, and one that is missing."""
    one = Figure(name="start", unit="CPU-ms", value=around(20.0), goal="at most 30")
    return Figures(figures=[one], absent={"PostgreSQL": "no PostgreSQL here"})


def executed() -> suites_report.Report:
    """One language."""
    line = suites_report.Line(
        language="go", size=20, peer="`go test`", peer_pairs=5, peer_ms=around(400.0), ours_ms=around(50.0),
        ratio=around(8.0), goal="at least 9 times",
    )  # fmt: skip
    return suites_report.Report(
        machine=MACHINE, versions={"go": "1.22"}, rounds=3, cpus=2, absent={}, lines=[line], growth=[], steady=[],
        runs=[],
    )  # fmt: skip


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of results, a page beside it, and release 0.2.0."""
    for module in (stored, page_command):
        monkeypatch.setattr(module, "VERSION", "0.2.0")
    monkeypatch.setattr(page_command, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(page_command, "DOCS", tmp_path / "benchmarks.md")
    monkeypatch.setattr(stored, "revision", lambda: "abc")
    return tmp_path / "results"


def test_the_page_has_each_section_in_its_state(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Measured, quick, busy with and without ratios, old, absent here, never measured."""
    states = {
        "cost": kept(made_report()),
        "cost-optimized": kept(made_report(), version="0.1.9"),
        "verdicts": kept(None, absent="the peers cannot be installed"),
        "suites": kept(executed(), rounds=1, other_cores=0.5),
        "station": kept(figures(), other_cores=0.5),
        "serve": kept(figures()),
    }
    for name, each in states.items():
        stored.write(results / f"{name}.json", each)
    monkeypatch.setattr(page_command, "SECTIONS", [each._replace(method="How.\n") for each in SECTIONS])
    accepted = page_command.section_text(SECTIONS[3], kept(executed(), other_cores=0.5, accepted=True))

    assert text(results) == GOLDEN.read_text("utf-8")
    assert "| 8.0 (7.2–8.8) |" in accepted and "**Busy machine: figures are rough.**" in accepted
    assert [line.partition("\n")[0] for line in page_command.lacking()][:2] == [
        "cost-optimized: not measured: the stored result is of 0.1.9, not of 0.2.0",
        "verdicts: not measured: the peers cannot be installed",
    ]


def test_the_published_page_is_that_of_the_stored_results() -> None:
    """`./run bench page --write` renews it. No figure is older than the release."""
    found = {each.name: stored.read(RESULTS / f"{each.name}.json") for each in SECTIONS}

    assert DOCS.read_text("utf-8") == text(RESULTS)
    assert [name for name, each in found.items() if each is not None and each.old] == [], (
        "measure for the release: ./run bench page --release VERSION"
    )
    assert {path.stem for path in RESULTS.iterdir()} <= set(found)


@pytest.fixture
def measured(results: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Three sections that count their measurements, in this process; the second has no prerequisite, the third
    fails."""
    counted: list[str] = []

    def measuring(name: str, error: Exception | None) -> Section:
        def measure(effort: object) -> Figures:
            counted.append(name)
            if error is not None:
                raise error
            return figures()

        return SECTIONS[-1]._replace(name=name, title=name, measure=measure, rounds=3)

    made = [
        measuring("first", None),
        measuring("second", PrerequisiteError("no peer")),
        measuring("third", BenchwrightError("lost votes")),
    ]
    monkeypatch.setattr(page_command, "SECTIONS", made)
    monkeypatch.setattr(
        page_command,
        "_other_process",
        lambda python, section, chosen: page_command._measured(section, chosen),
    )
    monkeypatch.setattr(stored, "_others_cpu_s", lambda: 0.0)
    return counted


def test_an_interrupted_command_resumes(
    measured: list[str], results: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was measured at this revision, in as many rounds, is not measured again; what failed is."""
    codes = [page_command.command(words) for words in ([], [], ["--only", "first"], ["--again"], ["--write"])]
    first = stored.read(results / "first.json")
    said = capsys.readouterr().err

    assert (codes, measured.count("first")) == ([1, 1, 0, 1, 0], 3)
    assert first is not None and (first.version, first.rounds, first.busy) == ("0.2.0", 3, False)
    assert "error: third: lost votes" in said and "second: not measured: no peer" in said
    assert "not measured: no peer" in page_command.DOCS.read_text() and not (results / "third.json").exists()

    monkeypatch.setattr(stored, "revision", lambda: "def")
    page_command.command(["--quick", "--release", "0.3.0"])
    renewed = stored.read(results / "first.json")
    assert renewed is not None and (renewed.version, renewed.rounds) == ("0.3.0", 1)
    assert not stored.not_measured("", version="0.3.0").old  # figures for the next release are not old
    page_command.command([])
    assert measured.count("first") == 5  # a quick look is not enough


def test_figures_are_not_lost_to_a_machine_that_cannot_measure(measured: list[str], results: Path) -> None:
    """A stored result of this release is kept."""
    stored.write(results / "second.json", kept(figures()))
    page_command.command(["--only", "second"])

    found = stored.read(results / "second.json")
    assert found is not None and stored.document(found) == stored.document(kept(figures()))


@pytest.mark.parametrize("content", [b"", b"{}", b'{"version": 1}', b"[" * 10_000])
def test_a_broken_result_is_an_error_with_its_path(content: bytes, tmp_path: Path) -> None:
    """And with the command that measures it again."""
    path = tmp_path / "cost.json"
    path.write_bytes(content)
    with pytest.raises(DataError, match="not a stored result") as caught:
        stored.read(path)

    assert (caught.value.path, caught.value.hint) == (str(path), "./run bench page --only cost")


def test_other_work_is_what_was_not_measured_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processor seconds of the others by wall seconds; more than a tenth of the cores is busy."""
    seconds = iter([10.0, 16.0])
    monkeypatch.setattr(stored, "_others_cpu_s", lambda: next(seconds))
    clock = iter([100.0, 120.0])
    monkeypatch.setattr(stored.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(environment, "describe", lambda: MACHINE)
    found = stored.measured(figures, rounds=1, version="0.2.0")

    assert (found.other_cores, found.busy, found.seconds) == (0.3, True, 20.0)
    assert not kept(figures(), other_cores=0.2).busy


def test_a_build_of_the_interpreter_that_is_absent_is_a_prerequisite(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both builds are measured where both exist."""
    own = bool(environment.optimized_build())
    monkeypatch.setattr(environment, "other_interpreters", lambda own: iter(()))

    assert environment.ensure_build(optimized=own) == Path(page_command.sys.executable)
    with pytest.raises(PrerequisiteError, match="profile-guided optimization on PATH"):
        environment.ensure_build(optimized=not own)
    assert environment.is_optimized(environment.interpreter()) == own
