"""The track of JavaTestGen: rows, prompts, extraction and a whole run."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from benchwright.contracts import JudgedAnswer
from benchwright.errors import DataError
from benchwright.executing.suite_runners import runner_for
from benchwright.records import Answer, Outcome, Task
from benchwright.tracks.javatestgen.track import TRACK
from benchwright.tracks.row_detection import track_of_row
from benchwright.tracks.rows import Fields
from kit.command_line import called
from kit.mera_replies import rows
from kit.needs import need_ready, need_sandbox
from kit.small_data import write

# A class with few mutants, and a test that notices it: each execution starts a Java process.
_NEXT = "package com.example.part1;\n\npublic class Clamp {\n    public int next(int value) {\n        return value + 1;\n    }\n}\n"
_NEXT_TEST = """package com.example.part1;

import static org.junit.jupiter.api.Assertions.*;

import org.junit.jupiter.api.Test;

class ClampTest {
    @Test
    void one() {
        assertEquals(2, new Clamp().next(1));
    }
}
"""


def _row(**changes: Any) -> dict[str, Any]:
    row = deepcopy(rows("javatestgen")[0])
    for name, value in changes.items():
        first, _, rest = name.partition("__")
        target, key = (row[first], rest) if rest else (row, first)
        target.pop(key) if value is ... else target.update({key: value})
    return row


def _task(**changes: Any) -> Task:
    return TRACK.read_row(Fields(_row(**changes), "rows.jsonl", 1))


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"inputs__code": ...}, "inputs.code"),
        ({"inputs__code": " \n"}, "inputs.code"),
        ({"inputs__code": 7}, "inputs.code"),
        ({"inputs__code": "x" * 300_000}, "inputs.code"),
        ({"inputs__class_name": "a b"}, "inputs.class_name"),
        ({"inputs__test_class_name": ""}, "inputs.test_class_name"),
        ({"outputs": 1}, "outputs"),
        ({"outputs": [1]}, "outputs"),
        ({"meta__fn_test": "/etc/NameTest.java"}, "meta.fn_test"),
        ({"meta__fn_test": "../NameTest.java"}, "meta.fn_test"),
        ({"meta__fn_test": "NameTest.py"}, "meta.fn_test"),
        ({"meta__source_code": 1}, "meta.source_code"),
        ({"meta__canonical_test": []}, "meta.canonical_test"),
        ({"meta__repo": 1}, "meta.repo"),
        ({"meta__id": ...}, "meta.id"),
        ({"meta___row": {}}, "meta._row"),
        ({"instruction": "Test it."}, "instruction"),
        ({"instruction": "{code} {other}"}, "instruction"),
        ({"instruction": 3}, "instruction"),
    ],
)
def test_a_bad_row_is_refused_with_its_field(changes: dict[str, Any], field: str) -> None:
    """Each error has the line."""
    with pytest.raises(DataError) as caught:
        _task(**changes)

    assert (caught.value.field, caught.value.line) == (field, 1)


def test_a_row_survives_and_is_recognised() -> None:
    """Unknown fields are kept; MERA's rows have no canonical test."""
    row = _row(extra={"a": 1}, outputs="")

    assert TRACK.to_row(TRACK.read_row(Fields(row, "", 1))) == row
    assert track_of_row(row) == "javatestgen"
    assert TRACK.gold(_task(meta__canonical_test=...)) is None


def test_prompts_show_the_class() -> None:
    """The row's own prompt, and three in each language."""
    task = _task()
    asked = [each for name in ("ru", "en") for each in TRACK.questions(task, language=name, form="chat")]

    assert TRACK.prompt(task) == task.instruction.format(**task.inputs)
    assert len(asked) == 6
    assert all("ClampTest" in each.text and "public int clamp" in each.text for each in asked)


def test_mutants_are_always_the_same_and_in_several_lines() -> None:
    """The spec of a task is deterministic."""
    spec, again = (TRACK.spec(_task(), profile="strict") for _ in range(2))

    assert spec.mutants == again.mutants
    assert len(set(spec.mutants)) == len(spec.mutants) >= 5
    assert not TRACK.spec(_task(), profile="mera-exact").mutants


def test_undecided_answers_are_in_no_figure() -> None:
    """They are not zeros either; a note has their number."""
    answers = {
        1: [JudgedAnswer(Outcome.passed, scores={"compiled": 1.0, "noticed": 0.5, "baseline_vacuous": 0.0})],
        2: [JudgedAnswer(Outcome.undecided)],
        3: [JudgedAnswer(Outcome.wrong, scores={"compiled": 1.0, "noticed": 0.0, "baseline_vacuous": 1.0})],
    }
    tasks: dict[Any, Task] = {number: _task() for number in answers}
    found = TRACK.measures.metrics(tasks, answers, (1,))
    baselines = TRACK.measures.details(tasks, answers)["baselines"]

    assert {name: (found[name].value, found[name].n) for name in ("pass@1", "compiled", "noticed")} == {
        "pass@1": (0.5, 2),
        "compiled": (1.0, 2),
        "noticed": (0.25, 2),
    }
    assert baselines["a test that asserts a constant"]["pass@1"]["value"] == 0.5
    assert any("1 of 3 answers not scored" in note for note in TRACK.measures.notes(tasks, answers, (1,)))


def test_a_constant_passes_by_mera_and_fails_strictly(tmp_path: Path) -> None:
    """100 % and 0 %, from the command line to the score; a class that needs its repository is not scored."""
    need_sandbox()
    need_ready(runner_for("Java").versions, "no Java suite can be run")
    far = _row(
        meta__id=2,
        meta__canonical_test=...,
        meta__source_code="package a;\n\npublic class Clamp extends Far {\n    int f(int a) {\n        return a + 1;\n    }\n}\n",
    )
    near = _row(inputs__code=_NEXT, meta__source_code=_NEXT, meta__canonical_test=_NEXT_TEST)
    data = write(tmp_path / "rows.jsonl", [near, far])
    task = _task()
    answers = write(
        tmp_path / "a.jsonl", [{"task_id": number, "answer": TRACK.stub(task)} for number in (1, 2)]
    )
    said = called(
        *("run", "javatestgen", "--data", data, "--model", f"replay:{answers}", "--n", 1, "--json"),
        *("--profile", "strict", "--profile", "mera-exact", "--out", tmp_path / "run"),
    )
    score = json.loads(said.out)
    exact = score["other_profiles"]["mera-exact"]

    assert (score["metrics"]["pass@1"]["value"], score["metrics"]["pass@1"]["n"]) == (0.0, 1)
    assert (exact["pass@1"]["value"], exact["compiled"]["value"]) == (1.0, 1.0)
    assert score["outcomes"]["undecided"] == 1


def test_extraction_by_profile() -> None:
    """MERA's profile takes the first block, the strict one the last; both add the package."""
    text = "```java\nclass A {}\n```\n```java\nclass B {}\n```"
    answer = Answer(key="", task_id=1, sample=0, model="m", text=text)
    taken = [TRACK.extract(_task(), answer, profile=name).program for name in ("mera-exact", "strict")]

    assert taken == ["package com.example.part1;\nclass A {}", "package com.example.part1;\nclass B {}"]
