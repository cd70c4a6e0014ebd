"""`--summary` of suites and runs: one form of Markdown, in which no name acts."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from benchwright.cli.suite_results import append_summary, as_markdown
from benchwright.errors import BenchwrightError, RunError
from benchwright.records import Score
from benchwright.running.run_data import open_run, read_score
from benchwright.running.suite import CellResult, PlannedRun, SuiteCell, Threshold, ThresholdResult
from kit.command_line import benchwright, called
from kit.small_data import answers, humaneval
from kit.small_runs import rights, run_folder

HOSTILE = "a|b <i>\n`x`"


def result(folder: Path, name: str, *, score: bool = True, **fields: object) -> CellResult:
    """How a run ended; the plan plays no part in what is written."""
    path = run_folder(folder / str(len(list(folder.iterdir()))), rights([1, 0, 1, 1], 1))
    made: Score = replace(read_score(open_run(path)), **fields)
    cell = SuiteCell(model=name, track="en", options=SimpleNamespace(track="humaneval"))
    planned = PlannedRun(cell, None, path)
    return CellResult(planned, made if score else None, None if score else BenchwrightError("no <b>room</b>"))


def test_one_run_shows_all_its_figures(tmp_path: Path) -> None:
    """Its first figure in the table of models, then all of them, how answers ended and the self-check."""
    text = as_markdown("en: small", [result(tmp_path, "small", outcomes={"passed": 3, "model_error": 1})])

    assert text.splitlines() == [
        "## en: small",
        "",
        "| model | en |",
        "|---|---:|",
        "| small | pass@1 75.0 % (20.3–99.0) |",
        "",
        "Each figure with its 95 % interval over tasks.",
        "",
        "<details open><summary>en/small</summary>",
        "",
        "| figure | value | 95 % interval | tasks |",
        "|---|---:|---:|---:|",
        "| pass@1 | 75.0 % | 20.3–99.0 | 4 |",
        "",
        "3 passed, 1 model error. gold passed 1 of 1, stub passed 0 of 1",
        "",
        "</details>",
        "",
    ]


def test_several_runs_are_folded_and_failures_named(tmp_path: Path) -> None:
    """A run without a score has no part of its own; thresholds stand above the parts."""
    runs = [
        result(tmp_path, "one"),
        result(tmp_path, "two", missing=2),
        result(tmp_path, "three", score=False),
    ]
    held = ThresholdResult(runs[0].planned.cell, Threshold(measure="pass@1", bound=0.9), 0.75)
    text = as_markdown("nightly", runs, [held])

    assert text.count("<details><summary>") == text.count("</details>") == 2
    assert "- **en/three failed:** no \\<b\\>room\\</b\\>" in text
    assert "✗ **fails** en/one: pass@1 75.0 %, at least 90.0 % required" in text
    assert "2 missing" in text
    assert text.index("fails") < text.index("<details>")


def test_names_do_nothing_in_a_summary(tmp_path: Path) -> None:
    """Neither as Markdown nor as HTML."""
    text = as_markdown(HOSTILE, [result(tmp_path, HOSTILE)])

    assert "<i>" not in text.replace("\\<i\\>", "")
    assert "<summary>en/a|b &lt;i&gt;" in text
    assert [line for line in text.splitlines() if line.startswith("`x`")] == []


def test_a_summary_is_added_to_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "sum.md"
    append_summary(path, "one\n")
    append_summary(path, "two\n")

    assert path.read_text() == "one\ntwo\n"
    with pytest.raises(RunError, match=r"cannot write --summary .*: Is a directory"):
        append_summary(tmp_path, "three\n")


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Rows with stored answers, all right."""
    humaneval(tmp_path).rename(tmp_path / "rows.jsonl")
    answers(tmp_path).rename(tmp_path / "mine.jsonl")
    return tmp_path


RUN = ("run", "humaneval", "--data", "rows.jsonl")


@pytest.mark.usefixtures("jail")
def test_one_run_and_several_append_the_same_form(rows: Path) -> None:
    """Each run of the command adds its own heading; --json and --quiet change nothing of it."""
    one = benchwright(*RUN, "--model", "replay:mine.jsonl", "--summary", "sum.md", "--json", cwd=rows)
    first = (rows / "sum.md").read_text()
    both = called(
        *RUN, "--model", "replay:mine.jsonl", "--model", "stub:", "--summary", "sum.md", "-q", cwd=rows
    )
    more = (rows / "sum.md").read_text().removeprefix(first)

    assert (one.code, both.code) == (0, 0), one.err + both.err
    assert one.document["metrics"]["pass@1"]["value"] == 1
    assert first.startswith("## humaneval: replay:mine.jsonl\n") and "| pass@1 | 100.0 % |" in first
    assert more.startswith("## humaneval\n") and "| stub: | pass@1 0.0 %" in more


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--summary", "nowhere/sum.md"], "--summary nowhere/sum.md has no parent folder"),
        (["--summary", "."], "--summary . is a folder"),
        (["--summary", ""], "--summary is empty"),
        (["--summary", "s.md", "--ask-only"], "--summary and --ask-only are mutually exclusive"),
    ],
)
def test_a_summary_that_cannot_be_is_refused_first(rows: Path, given: list[str], message: str) -> None:
    """Before anything is run: not after hours."""
    said = called(*RUN, "--model", "gold:", "--out", "run", *given, cwd=rows)

    assert (said.code, message in said.err, "hint: " in said.err) == (2, True, True), said.err
    assert not (rows / "run").exists()
