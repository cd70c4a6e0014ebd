"""The comparison with MultiPL-E: which completions, how words are paired, and what counts as a difference."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path

import pytest

from benchmarks import multipl_verdicts
from benchmarks.multipl_verdicts import SOLUTIONS, SOLVED, STUB, Words, completions_of, crossed
from benchwright.errors import PrerequisiteError
from benchwright.tracks.multipl.track import TRACK
from kit.multipl_rows import GO_BODY, JAVA_BODY, go_row, java_row, write_multipl
from kit.needs import need_module

need_module("tree_sitter_java", reason="mutants are made by the extra `build`")


def test_completions_are_stubs_solutions_and_mutants(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each goes on from its prompt; the program is the one file that MultiPL-E makes."""
    own = tmp_path / "solutions.toml"
    own.write_text(
        f"[go]\nMade_1_total_of = '''\n{GO_BODY}'''\n[java]\nMade_2_odd_ones = '''\n{JAVA_BODY}'''\n"
    )
    monkeypatch.setattr(multipl_verdicts, "SOLUTIONS", own)
    tasks = list(TRACK.load(write_multipl(tmp_path / "rows.jsonl", go_row(), java_row())))
    found = completions_of(tasks, per_task=3, stubs=1)

    assert [each.name for each in found].count(STUB) == 1
    assert [each.completion for each in found if each.name == SOLVED] == [GO_BODY, JAVA_BODY]
    assert len({each.completion for each in found}) == len(found) == 9
    assert found == completions_of(tasks, per_task=3, stubs=1)
    assert all(
        each.program == task.inputs["function"] + each.completion + "\n" + task.inputs["tests"]
        for each in found
        for task in tasks
        if task.task_id == each.task_id
    )


def test_multipl_words_are_crossed() -> None:
    """Only a pass of one side alone is a difference."""
    words = [("passed", "OK"), ("wrong", "Exception"), ("timed_out", "Exception"), ("passed", "SyntaxError")]
    pairs = [Words(task_id="t", name=SOLVED, ours=ours, theirs=theirs) for ours, theirs in words]

    assert [each.agree for each in pairs] == [True, True, True, False]
    assert crossed(pairs) == {
        "program Exception": {"timed_out": 1, "wrong": 1},
        "program OK": {"passed": 1},
        "program SyntaxError": {"passed": 1},
    }


def test_solutions_are_named_as_rows_are() -> None:
    """As many in each language, of the same tasks."""
    solutions = tomllib.loads(SOLUTIONS.read_text(encoding="utf-8"))

    assert set(solutions) == {"go", "java"}
    assert set(solutions["go"]) == set(solutions["java"])
    of = Counter(name.split("_")[0] for name in solutions["go"])
    assert of["HumanEval"] >= 10 and of["mbpp"] >= 20


def test_without_bubblewrap_no_command_of_multipl_e_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They have no sandbox of their own."""
    monkeypatch.setenv("PATH", "")
    with pytest.raises(PrerequisiteError, match="only inside bubblewrap"):
        multipl_verdicts._theirs([], folder=tmp_path)
