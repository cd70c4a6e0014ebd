"""HumanEval+ and MBPP+: from rows to two scores, with expected values that are computed in the sandbox."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from benchwright.contracts import PlusSpec
from benchwright.errors import DataError, UsageError
from benchwright.records import Task
from benchwright.sandbox.codec import decode
from benchwright.tracks.evalplus.rows import (
    TOO_LARGE,
    ExpectedValues,
    calls_of,
    oracle_of,
    read_task,
    split_prompt,
    typed,
)
from benchwright.tracks.evalplus.track import TRACK
from benchwright.tracks.rows import Fields
from kit.command_line import called
from kit.needs import need_sandbox
from kit.plus_rows import human_row, mbpp_plus_row, write_plus


@pytest.fixture(autouse=True)
def _own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCHWRIGHT_CACHE", str(tmp_path / "cache"))


def task_of(row: dict[str, Any]) -> Task:
    """Return the task of a row."""
    return read_task(Fields(row, "rows.jsonl", 1))


@pytest.mark.parametrize("row", [human_row(), mbpp_plus_row()])
def test_a_row_comes_back(row: dict[str, Any]) -> None:
    """No field is lost."""
    assert TRACK.to_row(task_of(row)) == row


@pytest.mark.parametrize(
    ("number", "args", "made"),
    [
        (2, [[1], [2]], ((1,), (2,))),
        (63, [[[1, 2]]], ([(1, 2)],)),
        (75, [[[1]], 6], ([(1,)], 6)),
        (106, [[1], [2]], ([1], (2,))),
        (115, [[[1, 2], [], 3]], ([{1, 2}, {}, {}],)),
        (124, ["1.5", "2j"], (1.5, 2j)),
        (250, [[1], 2], ((1,), 2)),
        (252, ["1+2j"], (1 + 2j,)),
        (259, [[[1]], [[2]]], (((1,),), ((2,),))),
        (278, [[1, [2]]], ((1, (2,)),)),
        (307, [[1], 2, 3], ((1,), 2, 3)),
        (580, [[1, [2, [3]]]], ((1, (2, (3,))),)),
        (722, [{"a": [1]}, 2, 3], ({"a": (1,)}, 2, 3)),
        (999, [[1]], ([1],)),
    ],
)
def test_inputs_have_the_types_of_their_task(number: int, args: list[Any], made: tuple[Any, ...]) -> None:
    """The task's own asserts show the types."""
    found = typed(f"Mbpp/{number}", args)

    assert found == made
    assert repr(found) == repr(made)


def test_infinities_are_inputs(tmp_path: Path) -> None:
    """Python writes them into JSON, and MBPP+ has them."""
    data = write_plus(tmp_path / "rows.jsonl", human_row(plus_input=[[[math.inf, -math.inf]]]))
    task = next(TRACK.load(data))

    assert decode(calls_of(task)["plus"]) == [(([math.inf, -math.inf],), {})]


def test_a_task_without_plus_inputs(tmp_path: Path) -> None:
    """MBPP+ writes an empty object for them."""
    assert decode(calls_of(task_of(human_row(plus_input={})))["plus"]) == []


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"plus_input": [1]}, "field `plus_input`: must be a list"),
        ({"base_input": None}, "field `base_input`: must be a list"),
        ({"atol": -1}, "field `atol`: must be a number of at least 0"),
        ({"atol": True}, "field `atol`: must be a number"),
        ({"entry_point": "not a name"}, "field `entry_point`"),
        (
            {"task_id": "Mbpp/124", "base_input": [["x", "y"]]},
            "field `base_input`: an input does not fit this task",
        ),
        ({"task_id": "Mbpp/106", "base_input": [[1]]}, "field `base_input`: an input does not fit this task"),
    ],
)
def test_rows_that_are_refused(changed: dict[str, Any], told: str) -> None:
    """The error has file, line, task and field."""
    with pytest.raises(DataError) as caught:
        task_of(human_row(**changed))

    assert "rows.jsonl:1" in caught.value.message
    assert told in caught.value.message


def test_a_row_of_humaneval_is_sent_to_its_own_track() -> None:
    """It has no inputs as data."""
    row = human_row()
    del row["base_input"]
    with pytest.raises(DataError, match="field `base_input`: the field is missing") as caught:
        task_of(row)

    assert "`humaneval`" in str(caught.value.hint)


def test_the_prompt_of_mbpp_plus_has_two_parts() -> None:
    """A sentence, which may have several lines, and its assert."""
    assert split_prompt('"""\nA.\nB.\nassert f(1) == 2\n"""\n') == ("A.\nB.", "assert f(1) == 2")
    assert split_prompt('"""\nA.\n"""') == ("A.", "")


@pytest.mark.parametrize("row", [human_row(), mbpp_plus_row()])
def test_ten_questions(row: dict[str, Any]) -> None:
    """Some ask for the rest of a function, others for a whole one."""
    asked = TRACK.questions(task_of(row), language="en", form="chat")
    shown = row["prompt"].strip() if "test" in row else "assert set(similar_elements((1, 2),(2, 3))) == {2}"

    assert len({each.text for each in asked}) == 10
    assert all(shown in each.text for each in asked)


def test_expected_values_come_out_of_the_sandbox() -> None:
    """Values of both sets are encoded and stored, so that no later run executes the solution."""
    need_sandbox()
    task = task_of(human_row())
    notes: list[str] = []
    ExpectedValues().prepare([task], note=notes.append)
    ExpectedValues().prepare([task], note=notes.append)
    sets = ExpectedValues().of(task)

    assert notes == ["executing the canonical solutions of 1 task for expected values"]
    assert [decode(each) for each in sets["base"].expected] == [1.5, 4.0]
    assert [decode(each) for each in sets["plus"].expected] == [0.0, 4 / 3]
    assert sets["plus"].cpu_limit_s == 5.0


def test_a_damaged_file_of_values_is_made_anew(tmp_path: Path) -> None:
    """Its content is never used."""
    need_sandbox()
    task = task_of(human_row())
    first = ExpectedValues().of(task)
    kept = next((tmp_path / "cache" / "expected").iterdir())
    kept.write_bytes(kept.read_bytes()[:-3])

    assert ExpectedValues().of(task) == first


@pytest.mark.parametrize(
    ("solution", "why"),
    [
        ("    return 1 / 0\n", "exception: ZeroDivisionError"),
        ("    return object()\n", "exception: Unsendable: object"),
    ],
)
def test_a_solution_without_values(solution: str, why: str) -> None:
    """The error has task and field, and the option that leaves it out."""
    need_sandbox()
    with pytest.raises(DataError, match="returns no values") as caught:
        ExpectedValues().of(task_of(human_row(canonical_solution=solution)))

    assert why in caught.value.message
    assert caught.value.hint == "exclude the task with --exclude HumanEval/900"


def test_a_large_value_is_kept_as_a_digest() -> None:
    """Some tasks have hundreds of megabytes of values."""
    need_sandbox()
    sets = ExpectedValues().of(task_of(human_row(canonical_solution="    return 'x' * 100_000\n")))

    assert sets["base"].expected == [b"", b""]
    assert list(sets["base"].digests) == [0, 1]


def test_oracles_are_of_their_own_data_set() -> None:
    """A function of the same name in another data set has none."""
    assert oracle_of(task_of(mbpp_plus_row())) == "same_set"
    assert oracle_of(task_of(human_row(entry_point="find_zero"))) == "root"
    assert oracle_of(task_of(human_row(entry_point="similar_elements"))) == ""


def test_what_no_answer_can_send_is_left_out() -> None:
    """It is listed with the reason."""
    assert TRACK.refusal(task_of(human_row())) == ""
    assert "54 MB" in TRACK.refusal(task_of(mbpp_plus_row(task_id=next(iter(TOO_LARGE)))))


def test_one_form_and_known_profiles() -> None:
    """Other names are usage errors."""
    assert TRACK.in_form("batch") is TRACK
    with pytest.raises(UsageError, match="evalplus has no form 'calls'"):
        TRACK.in_form("calls")
    with pytest.raises(UsageError, match="unknown scoring profile"):
        TRACK.spec(task_of(human_row()), profile="strct")


def test_from_rows_to_two_scores(tmp_path: Path) -> None:
    """An answer that only a plus input detects counts for the base score only, and the score reports this."""
    need_sandbox()
    data = write_plus(tmp_path / "rows.jsonl", human_row(), mbpp_plus_row())
    answers = tmp_path / "answers.jsonl"
    rows = [
        {"task_id": "HumanEval/900", "completion": "    return sum(xs) / len(xs)\n"},
        {
            "task_id": "Mbpp/2",
            "completion": "def similar_elements(a, b):\n    return [x for x in a if x in b]\n",
        },
    ]
    answers.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = tmp_path / "run"
    said = called("run", "evalplus", "--data", data, "--model", f"replay:{answers}", "--json", "--out", run)
    verdicts = [json.loads(line) for line in (run / "verdicts.jsonl").read_text().splitlines()]
    metrics = said.document["metrics"]

    assert said.code == 0
    assert (metrics["pass@1"]["value"], metrics["base_pass@1"]["value"]) == (0.5, 1.0)
    assert {row["task_id"]: row["parts"]["plus"] for row in verdicts} == {
        "HumanEval/900": "exception",
        "Mbpp/2": "passed",
    }
    assert "answers that pass the base tests and fail on a plus input: 1" in said.document["notes"]
    assert isinstance(TRACK.spec(task_of(human_row()), profile="strict"), PlusSpec)
