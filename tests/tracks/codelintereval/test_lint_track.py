"""The track of CodeLinterEval: rows, prompts, extraction and a whole run."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from benchwright.contracts import JudgedAnswer
from benchwright.errors import DataError
from benchwright.records import Answer, Outcome, Task
from benchwright.tracks.codelintereval.track import TRACK
from benchwright.tracks.row_detection import track_of_row
from benchwright.tracks.rows import Fields
from kit.command_line import called
from kit.mera_replies import SAMPLES, rows
from kit.needs import need_sandbox
from kit.profile_needs import need_profile
from kit.small_data import write


def _row(**changes: Any) -> dict[str, Any]:
    row = deepcopy(rows("codelintereval")[0])
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
        ({"inputs__code": "x" * 70_000}, "inputs.code"),
        ({"inputs__feedback": ...}, "inputs.feedback"),
        ({"inputs__feedback": ""}, "inputs.feedback"),
        ({"outputs": ...}, "outputs"),
        ({"outputs": 1}, "outputs"),
        ({"outputs": [1, 0]}, "outputs[1]"),
        ({"outputs": [True]}, "outputs[0]"),
        ({"outputs": [1] * 2000}, "outputs"),
        ({"meta__canonical_code": 1}, "meta.canonical_code"),
        ({"meta__id": ...}, "meta.id"),
        ({"meta___row": {}}, "meta._row"),
        ({"instruction": "Fix it."}, "instruction"),
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
    """Unknown fields are kept; hidden outputs are valid."""
    row = _row(extra={"a": 1}, outputs="")

    assert TRACK.to_row(TRACK.read_row(Fields(row, "", 1))) == row
    assert track_of_row(row) == "codelintereval"
    assert TRACK.gold(_task(meta__canonical_code=...)) is None
    assert TRACK.gold(_task(meta__canonical_code="def other():\n    pass\n")) is None


def test_prompts() -> None:
    """The row's own prompt, and five in each language that show code and findings."""
    task = _task()
    asked = [each for name in ("ru", "en") for each in TRACK.questions(task, language=name, form="chat")]

    assert TRACK.prompt(task) == task.instruction.format(**task.inputs).strip()
    assert len(asked) == 10
    assert all("W292" in each.text and "def running_total" in each.text for each in asked)


@pytest.mark.parametrize(
    ("text", "exact", "strict"),
    [
        ("```python\nx = 1\n```", "\nx = 1\n", "x = 1\n"),
        ("<think>no</think>```py\nx = 1\n```", "<think>no</think>```py\nx = 1\n```", "x = 1\n"),
        ("```py\nx = 1\n```", "\n", "x = 1\n"),
        ("x = 1", "x = 1", "x = 1\n"),
        ("", "", ""),
    ],
)
def test_extraction(text: str, exact: str, strict: str) -> None:
    """MERA's rule is followed byte for byte; ours reads what a model means, and always returns code."""
    answer = Answer(key="", task_id=1, sample=0, model="m", text=text)
    taken = [TRACK.extract(_task(), answer, profile=profile) for profile in ("mera-exact", "strict")]

    assert [each.program for each in taken] == [exact, strict]
    assert [each.problem for each in taken] == [None, None]


def test_baselines_are_beside_the_score() -> None:
    """The baselines are computed by the profile's rules and by MERA's, over judged tasks."""
    scores = {"baseline_empty": 0.0, "baseline_empty_exact": 1.0}
    answers = {1: [JudgedAnswer(Outcome.passed, scores=scores)], 2: [JudgedAnswer(Outcome.timed_out)]}
    tasks = {1: _task(), 2: _task()}
    found = TRACK.measures.details(tasks, answers)["baselines"]["an empty answer"]

    assert {name: (each["value"], each["n"]) for name, each in found.items()} == {
        "pass@1": (0.0, 1),
        "pass@1 mera-exact": (1.0, 1),
    }
    assert TRACK.measures.notes(tasks, answers, (1,))[0] == (
        "pass@1 without skill: an empty answer 0.0 % (mera-exact 100.0 %)"
    )


def test_an_empty_answer_passes_by_mera_and_fails_strictly(tmp_path: Path) -> None:
    """100 % and 0 %, from the command line to the score."""
    need_sandbox()
    need_profile("flake8")
    data = write(tmp_path / "rows.jsonl", rows("codelintereval")[:3])
    answers = write(tmp_path / "empty.jsonl", [{"task_id": number, "answer": ""} for number in (1, 2, 3)])
    said = called(
        *("run", "codelintereval", "--data", data, "--model", f"replay:{answers}", "--n", 1, "--json"),
        *("--profile", "strict", "--profile", "mera-exact", "--out", tmp_path / "run"),
    )
    score = json.loads(said.out)

    assert score["metrics"]["pass@1"]["value"] == 0.0
    assert score["other_profiles"]["mera-exact"]["pass@1"]["value"] == 1.0
    assert score["details"]["baselines"]["an empty answer"]["pass@1 mera-exact"]["value"] == 1.0


def test_samples_say_that_they_are_ours() -> None:
    """Each row has author and licence."""
    for path in SAMPLES.glob("*.jsonl"):
        made = [json.loads(line)["meta"] for line in path.read_text(encoding="utf-8").splitlines()]
        assert {(meta["author"], meta["license"]) for meta in made} == {("Benchwright", "Apache-2.0")}
        assert [meta["id"] for meta in made] == list(range(1, 31))
