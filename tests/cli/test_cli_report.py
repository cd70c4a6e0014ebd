"""`benchwright report` as its users meet it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import click
import pytest

from benchwright import registry
from kit import small_data
from kit.command_line import CONTROL, benchwright, called, contents, inside, measured
from kit.made_builds import finished_build
from kit.made_runs import finished_run


def run_in(folder: Path, name: str = "mine", *, passed: int = 2, tasks: int = 3) -> Path:
    """A finished run of three answers to each task."""
    data = folder / "tasks.jsonl"
    if not data.exists():
        small_data.humaneval(folder, tasks=tasks)
    rows = {
        f"Small/{number}": [("a", "passed")] * passed + [("b", "wrong")] * (3 - passed)
        for number in range(tasks)
    }
    return finished_run(folder / name, data, rows, model=f"openai:{name}")


def test_one_run_gets_its_report_beside_it(tmp_path: Path) -> None:
    """The path is the last line and the only one on stdout."""
    run = run_in(tmp_path)
    said = benchwright("report", run)

    assert (said.code, said.out) == (0, f"{run / 'report.html'}\n")
    assert "1 run, 3 tasks, 9 answers" in said.err
    assert (run / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_several_runs_get_one_page_here(tmp_path: Path) -> None:
    """In the current folder, unless --out says otherwise."""
    runs = [run_in(tmp_path, "one"), run_in(tmp_path, "two", passed=1)]
    here = called("report", *runs, cwd=tmp_path)
    named = called("report", *runs, "--out", tmp_path / "both.html")

    assert ([here.code, named.code], here.out, named.out) == (
        [0, 0],
        "report.html\n",
        f"{tmp_path / 'both.html'}\n",
    )
    assert (tmp_path / "report.html").read_bytes() == (tmp_path / "both.html").read_bytes()


def test_charts_are_written_when_asked_for(tmp_path: Path) -> None:
    """Each as SVG and as PNG; the folder is made."""
    result = inside("report", run_in(tmp_path), "--charts", tmp_path / "figures")
    names = {path.name for path in (tmp_path / "figures").iterdir()}

    assert (result.exit_code, "8 charts in" in result.stderr) == (0, True)
    assert names == {
        f"{name}.{end}" for name in ("standing", "outcomes", "pass-at-k", "tasks") for end in ("svg", "png")
    }


def test_the_overview_is_written_as_csv(tmp_path: Path) -> None:
    """To the named file, which is said; a build has no such table, and a folder in its place is refused."""
    runs = [run_in(tmp_path, "mine"), run_in(tmp_path, "theirs", passed=1)]
    said = called("report", *runs, "--csv", "scores.csv", cwd=tmp_path)
    document = called("report", *runs, "--csv", "scores.csv", "--json", cwd=tmp_path).document
    build = called("report", finished_build(tmp_path / "build"), "--csv", "scores.csv", cwd=tmp_path)
    folder = called("report", *runs, "--csv", tmp_path, cwd=tmp_path)
    rows = (tmp_path / "scores.csv").read_text(encoding="utf-8").splitlines()

    assert (said.code, said.out, "overview in scores.csv" in said.err) == (0, "report.html\n", True)
    assert [row.split(",")[:3] for row in rows[1:]] == [
        ["humaneval", "mine", "pass@1"],
        ["humaneval", "theirs", "pass@1"],
    ]
    assert document["csv"] == "scores.csv"
    assert (build.code, folder.code, "hint:" in build.err, "hint:" in folder.err) == (2, 2, True, True)


def test_json_is_one_document(tmp_path: Path) -> None:
    """Every key is always there, and nothing else is on stdout."""
    run = run_in(tmp_path)
    document = called("report", run, "--json").document

    assert document == {
        "report": str(run / "report.html"),
        "answers_folder": None,
        "charts": [],
        "csv": None,
        "runs": [{"name": "mine", "run": str(run)}],
        "tasks": 3,
        "answers": 9,
        "left_out": [],
        "notes": [],
    }


def test_a_second_report_replaces_the_first(tmp_path: Path) -> None:
    """The run's own files stay as they are."""
    run = run_in(tmp_path)
    before = contents(run)
    inside("report", run)
    first = (run / "report.html").read_bytes()
    inside("report", run)
    after = contents(run)

    assert after.pop("report.html") == first
    assert after == before


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ([], 2, "Missing argument"),
        (["nowhere"], 1, "nowhere"),
        ([""], 2, "is empty"),
        (["{run}", "{run}"], 2, "is the same run as"),
        (["{run}", "--out", ""], 2, "--out is empty"),
        (["{run}", "--out", "{run}"], 2, "not a regular file"),
        (["{run}", "--out", "/dev/full"], 2, "not a regular file"),
        (["{run}", "--out", "{run}/no/folder.html"], 1, "is not a folder"),
        (["{run}", "--metric", "pass@7"], 2, "has no metric pass@7"),
        (["{run}", "--charts", "{run}/run.json"], 2, "is a file"),
    ],
)
def test_mistakes_are_explained(tmp_path: Path, arguments: list[str], code: int, words: str) -> None:
    """What is wrong and where, in words, with the exit code of its kind and no traceback."""
    run = run_in(tmp_path)
    said = called("report", *[argument.replace("{run}", str(run)) for argument in arguments])

    assert (said.code, words in said.err, said.out) == (code, True, "")
    assert ("Traceback" in said.err, (run / "report.html").exists()) == (False, False)


def test_runs_of_different_data_are_refused(tmp_path: Path) -> None:
    """With what differs and something to do."""
    for name, tasks in (("a", 2), ("b", 3)):
        (tmp_path / name).mkdir()
        run_in(tmp_path / name, tasks=tasks)
    said = called("report", tmp_path / "a" / "mine", tmp_path / "b" / "mine", cwd=tmp_path)

    assert (said.code, "cannot be compared" in said.err, "hint:" in said.err) == (1, True, True)
    assert not (tmp_path / "report.html").exists()


def test_hostile_names_do_not_reach_the_terminal(tmp_path: Path) -> None:
    """A folder named with control characters is shown by its escapes."""
    folder = tmp_path / "a\x1b[2Jb"
    folder.mkdir()
    said = called("report", run_in(folder))

    assert (said.code, CONTROL.search(said.out + said.err)) == (0, None)


def test_help_can_be_pasted() -> None:
    """The examples name this command."""
    said = inside("report", "--help")

    assert said.output.count("benchwright report ") >= 3


def test_memory_stays_small(tmp_path: Path) -> None:
    """Some forty megabytes of answers are packed task by task; most of what is used is the drawing of charts."""
    data = small_data.humaneval(tmp_path, tasks=8)
    text = "".join(f"line {number} of a long answer\n" for number in range(3000))
    rows = {
        f"Small/{task}": [(f"{task}-{sample}\n{text}", "wrong") for sample in range(60)] for task in range(8)
    }
    run = finished_run(tmp_path / "run", data, rows)
    said, mib = measured("report", run, "--out", tmp_path / "r.html")

    assert (run / "answers.jsonl").stat().st_size > 39_000_000
    assert (said.code, mib < 400) == (0, True), mib


def test_a_build_gets_its_figures(tmp_path: Path) -> None:
    """Tables for people, the page's path alone on stdout, charts where they are asked for."""
    folder = finished_build(tmp_path / "build")
    said = called("report", folder, "--charts", tmp_path / "charts")
    as_json = called("report", folder, "--json").document

    assert (said.code, said.out) == (0, f"{folder / 'report.html'}\n")
    for text in ("Entries by domain", "weak tests", "2 entries released: 1 certified, 1 partial"):
        assert text in said.err
    assert (
        len(list((tmp_path / "charts").glob("*.svg"))) == len(list((tmp_path / "charts").glob("*.png"))) > 4
    )
    assert (as_json["left_out"], len(as_json["statistics"]["drafts"])) == ([], 3)


def test_a_build_that_is_not_finished(tmp_path: Path) -> None:
    """It is no run either; what to do is said."""
    (tmp_path / "build.json").write_text("{}")
    said = called("report", tmp_path)

    assert (said.code, "contains no finished build" in said.err, "hint: " in said.err) == (2, True, True)


def test_a_package_reports_on_its_own_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """By a file that marks them; a run with such a file in its folder stays a run."""
    monkeypatch.setitem(
        cast(dict[str, Any], registry.GROUPS), "report", {"corpus.json": f"{__name__}:print_corpus"}
    )
    (tmp_path / "corpus.json").write_text("{}")

    assert called("report", tmp_path).out == f"corpus in {tmp_path}\n"


def print_corpus(folder: Path, _out: Path | None, _charts: Path | None, *, as_json: bool) -> None:
    """What another package registers."""
    click.echo("{}" if as_json else f"corpus in {folder}")
