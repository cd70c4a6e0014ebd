"""Runs of parts of a data set become the run folder that one run over all of it makes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchwright.running import merging
from benchwright.running.plan import JUDGING
from kit.command_line import Said, benchwright, called
from kit.small_data import answers, humaneval

TASKS = 5
OUTCOMES = ("passed", "wrong", "exception")


def rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a file without what two executions never share."""
    read = [json.loads(line) for line in path.read_bytes().splitlines()]
    return [{name: value for name, value in row.items() if name not in ("cpu_s", "wall_s")} for row in read]


def run(folder: Path, out: str, *more: str) -> Said:
    """A run of stored answers."""
    data, stored = folder / "tasks.jsonl", folder / "answers.jsonl"
    words = ("--data", data, "--model", f"replay:{stored}", "--out", folder / out, "--json")
    return called("run", "humaneval", *words, *more)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, jail: object) -> Path:
    """The whole run, and runs of parts; each test has a copy."""
    folder = tmp_path_factory.mktemp("runs")
    humaneval(folder, TASKS)
    answers(folder, TASKS, outcomes=OUTCOMES)
    for out, more in {
        "whole": (),
        "odd": ("--tasks", "1/2"),
        "even": ("--tasks", "2/2"),
        "first": ("--tasks", "Small/0"),
        "other-limit": ("--tasks", "2/2", "--cpu-limit", "2"),
        "limited": ("--tasks", "2/2", "--limit", "1"),
        "without": ("--tasks", "2/2", "--without-tasks"),
    }.items():
        said = run(folder, out, *more)
        assert said.code == 0, said.err
    return folder


@pytest.fixture
def place(made: Path, tmp_path: Path) -> Iterator[Path]:
    """A copy of the runs in the same place, since a score names its folder."""
    kept = tmp_path / "kept"
    shutil.copytree(made, kept)
    yield made
    shutil.rmtree(made)
    shutil.copytree(kept, made)


def merge(place: Path, out: str, *runs: str, **more: str) -> Said:
    """The command on these runs."""
    words = [word for name, value in more.items() for word in (f"--{name}", value)]
    return called("merge", place / out, *(place / name for name in runs), "--json", *words)


def proved(folder: Path) -> list[str]:
    """The rows of a self-check, but for when each was made."""
    return sorted(str({**row, "at": ""}) for row in rows(folder / "self_check.jsonl"))


def test_parts_make_up_the_whole(place: Path) -> None:
    """Answers byte for byte, verdicts but for their times, the score but for its folder, in any order of runs."""
    said = benchwright("merge", place / "out", place / "even", place / "odd", "--json")

    assert (said.code, said.err) == (0, "")
    out, whole = place / "out", place / "whole"
    assert (out / "answers.jsonl").read_bytes() == (whole / "answers.jsonl").read_bytes()
    assert rows(out / "verdicts.jsonl") == rows(whole / "verdicts.jsonl")
    score = json.loads((whole / "scores.json").read_text())
    assert json.loads((out / "scores.json").read_text()) == {**score, "run": str(out)}
    assert said.document["metrics"] == score["metrics"]
    assert proved(out) == proved(whole)


def test_the_score_is_printed_unless_quiet(place: Path) -> None:
    """For people, as after a run."""
    words = ("merge", place / "out", place / "even", place / "odd")

    assert "pass@1" in called(*words).err
    assert called(*words, "--quiet").err == ""


def test_what_is_merged_is_the_run_itself(place: Path) -> None:
    """The command of the whole run finds nothing left to do there, and changes no verdict."""
    assert merge(place, "out", "odd", "even").code == 0
    before = {path.name: path.read_bytes() for path in (place / "out").iterdir()}
    said = run(place, "out")

    assert said.code == 0
    assert {path.name: path.read_bytes() for path in (place / "out").iterdir()} == before


def test_a_merge_that_was_cut_short_is_ended_by_the_same_command(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever it was cut; and once more changes nothing."""

    def cut(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(merging, "_concatenate", cut)
        assert merge(place, "out", "odd", "even").code == 130
    (place / "out" / "verdicts.jsonl").unlink()
    ended = merge(place, "out", "odd", "even")
    before = {path.name: path.read_bytes() for path in (place / "out").iterdir()}
    again = merge(place, "out", "odd", "even")

    assert (ended.code, again.code) == (0, 0)
    assert {path.name: path.read_bytes() for path in (place / "out").iterdir()} == before
    assert rows(place / "out" / "verdicts.jsonl") == rows(place / "whole" / "verdicts.jsonl")


def test_parts_of_a_part_are_a_part(place: Path) -> None:
    """What is merged can be merged again, and the rest added later."""
    assert run(place, "middle", "--tasks", "Small/2", "--tasks", "Small/4").code == 0
    assert merge(place, "some", "first", "middle").code == 0
    told = json.loads((place / "some" / "run.json").read_text())["identity"]["tasks"]
    assert merge(place, "out", "some", "even").code == 0

    assert told["count"] == 3
    assert rows(place / "out" / "verdicts.jsonl") == rows(place / "whole" / "verdicts.jsonl")


def test_withheld_tasks_stay_withheld(place: Path) -> None:
    """One run that keeps nothing of them is enough; their order is still known from another, or by --data."""
    said = merge(place, "out", "odd", "without")

    assert said.code == 0
    assert not (place / "out" / "tasks.gz").exists()
    assert json.loads((place / "out" / "run.json").read_text())["tasks"] is None


def edit(path: Path, old: str, new: str) -> None:
    """Change the first place where a file says something."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


@pytest.mark.parametrize(
    ("runs", "said", "hint"),
    [
        (("odd",), "only one run is given to merge", "merge NEW RUN RUN"),
        (("odd", "odd"), "odd is given twice", "name each run once"),
        (("odd", "other-limit"), "`limits.cpu_s` was 3.0, now 2.0", "with the settings of"),
        (("odd", "limited"), "it was run with --limit", "leave it out"),
        (("odd", "first"), "both have task Small/0 with the same verdicts", "use one of the two"),
        (("odd", "whole"), "both have 3 tasks, task Small/0 among them, with the same", "use one of the two"),
        (("odd", "nothing"), "path not found:", "benchwright run"),
    ],
)
def test_what_is_not_a_part_is_refused(place: Path, runs: tuple[str, ...], said: str, hint: str) -> None:
    """With both runs named, and nothing is left behind."""
    refused = merge(place, "out", *runs)

    assert refused.code in (1, 2)
    assert said in refused.err
    assert hint in refused.err
    assert not (place / "out").exists()


def test_verdicts_that_do_not_agree_are_named(place: Path) -> None:
    """The same task with another outcome: one of the machines is wrong."""
    edit(place / "first" / "verdicts.jsonl", '"outcome":"wrong"', '"outcome":"passed"')
    refused = merge(place, "out", "odd", "first")

    assert refused.code == 1
    assert "disagree: answer 1 to task Small/0 is wrong in the first and passed in the second" in refused.err


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("run.json", f'"judging": {JUDGING}', '"judging": 1', "`judging` was"),
        ("run.json", '"finished"', '"begun"', "is not finished"),
        ("run.json", '"n": 3', '"n": 2', "`n` was 3, now 2"),
        ("run.json", '"profile": "strict"', '"judges": {"j": 1}, "profile": "strict"', "model judges have"),
        ("scores.json", '"answers": 6,', '"answers": 6, "missing": 1,', "lacks 1 answers or verdicts"),
        ("scores.json", '"stub_passed": 0', '"stub_passed": 1', "self-check failed"),
        ("answers.jsonl", "Small/1", "Small/2", "has answers to tasks that it was not run for"),
        ("verdicts.jsonl", '"sample":0', '"sample":2', "the row is out of order"),
    ],
)
def test_a_run_that_is_not_whole_is_refused(place: Path, file: str, old: str, new: str, said: str) -> None:
    """By what its files say, and before a score is made of them."""
    edit(place / "even" / file, old, new)
    if file == "answers.jsonl":
        text = (place / "even" / file).read_text()
        (place / "even" / file).write_text(text.replace(old, new))
    refused = merge(place, "out", "odd", "even")

    assert refused.code == 1
    assert said in refused.err
    assert "hint:" in refused.err
    assert not (place / "out" / "scores.json").exists()


def test_a_run_is_not_written_over(place: Path) -> None:
    """Neither one of those to merge, nor any other."""
    own, other = merge(place, "odd", "odd", "even"), merge(place, "whole", "odd", "even")

    assert (own.code, "is one of the runs to merge" in own.err) == (2, True)
    assert (other.code, "holds another run, not a merged one" in other.err) == (1, True)
