"""The comparison with EvalPlus: which programs, how words are paired, and what counts as a difference."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import plus_verdicts
from benchmarks.plus_verdicts import CANONICAL, Program, crossed, paired, programs_of
from benchwright.contracts import Judgement
from benchwright.errors import PrerequisiteError
from benchwright.records import Outcome
from benchwright.tracks.evalplus.track import TRACK
from kit.plus_rows import human_row, mbpp_plus_row, write_plus


def test_programs_are_gold_and_mutants(tmp_path: Path) -> None:
    """Whole programs, task by task, the same each time, none equal to the gold."""
    tasks = list(TRACK.load(write_plus(tmp_path / "rows.jsonl", human_row(), mbpp_plus_row())))
    programs = programs_of(tasks, per_task=2)

    assert [each.name for each in programs].count(CANONICAL) == 2
    assert [each.task_id for each in programs] == ["HumanEval/900"] * 3 + ["Mbpp/2"] * 3
    assert len({each.program for each in programs}) == 6
    assert programs == programs_of(tasks, per_task=2)


def test_words_are_paired_by_set() -> None:
    """A program that did not load has one outcome, which stands for both sets; EvalPlus says "fail"."""
    programs = [Program(task_id="t", name=name, program="") for name in ("a", "b", "c")]
    own = [
        Judgement(outcome=Outcome.wrong, parts={"base": Outcome.passed, "plus": Outcome.wrong}),
        Judgement(outcome=Outcome.syntax_error),
        Judgement(outcome=Outcome.timed_out, parts={"base": Outcome.passed, "plus": Outcome.timed_out}),
    ]
    theirs = [
        {"base": "pass", "plus": "fail"},
        {"base": "fail", "plus": "fail"},
        {"base": "pass", "plus": "pass"},
    ]
    pairs = paired(programs, own, theirs)

    assert [each.agree for each in pairs] == [True, True, True, True, True, False]
    assert crossed(pairs) == {
        "base fail": {"syntax_error": 1},
        "base pass": {"passed": 2},
        "plus fail": {"syntax_error": 1, "wrong": 1},
        "plus pass": {"timed_out": 1},
    }


def test_without_bubblewrap_nothing_is_executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """EvalPlus runs programs where it runs itself, so it runs in a jail or not at all."""
    data = write_plus(tmp_path / "rows.jsonl", human_row())
    monkeypatch.setenv("PATH", "")
    with pytest.raises(PrerequisiteError, match="only inside bubblewrap"):
        plus_verdicts._theirs(data, [], folder=tmp_path)
