"""Answers packed for the page: complete, without duplicate texts, and safe inside HTML."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.report import answer_packing
from benchwright.report.answer_packing import document, pack, pack_all
from benchwright.report.programs import open_programs
from benchwright.report.verdict_tally import VerdictTally
from benchwright.store.runfolder import RunFolder
from kit import small_data
from kit.made_runs import Given, finished_run


def unpacked(text: str) -> Any:
    """Return the page's reading of a packed text."""
    return json.loads(zlib.decompress(base64.b64decode(text, validate=True)))


def of_run(
    folder: Path, rows: dict[int | str, list[Given]], name: str = "run"
) -> tuple[VerdictTally, RunFolder]:
    """Return a run and its tally."""
    run = RunFolder.read(finished_run(folder / name, small_data.humaneval(folder), rows))
    return VerdictTally(run), run


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.lists(st.text())))
def test_packing_loses_nothing(value: dict[str, Any]) -> None:
    """Unpacking returns the text, and no packed character can end HTML."""
    text = pack(value)

    assert unpacked(text) == value
    assert not set(text) & set("<>&\"'")


def test_half_a_surrogate_pair_is_replaced() -> None:
    """UTF-8 cannot encode one, and a report must not fail because of it."""
    assert unpacked(pack({"text": "a\ud800b"})) == {"text": "a?b"}


def test_equal_answers_are_packed_equally(tmp_path: Path) -> None:
    """Packing has no time, no address and no order of a set: two packings have equal bytes."""
    tally, _ = of_run(tmp_path, {"Small/0": [("a", "passed"), ("b", "wrong")]})
    first, second = (list(pack_all(["Small/0"], [tally], None)) for _ in range(2))

    assert first == second


def test_every_field_that_says_something_is_there(tmp_path: Path) -> None:
    """Outcome, reason, rule, signs of a cheat, times, truncation, output; empty fields are left out."""
    more = {
        "detail": "call 1: gave 2",
        "suspicious": "ends the process",
        "truncated": True,
        "cpu_s": 0.123456,
        "wall_s": 0.5,
        "stdout": "12 passed",
    }
    tally, _ = of_run(tmp_path, {"Small/0": [("a", "wrong", more), ("", "no_code", {"rule": ""})]})
    full, bare = document("Small/0", [tally], None)["answers"][0]

    assert full == {
        "sample": 0,
        "outcome": "wrong",
        "text": 0,
        "why": "call 1: gave 2",
        "rule": "fence+function",
        "suspicious": "ends the process",
        "truncated": "yes",
        "isolation": "separated",
        "cpu": 0.1235,
        "wall": 0.5,
        "stdout": "12 passed",
    }
    assert bare == {
        "sample": 1,
        "outcome": "no_code",
        "text": 1,
        "isolation": "separated",
        "cpu": 0.002,
        "wall": 0,
    }


def test_equal_texts_are_kept_once(tmp_path: Path) -> None:
    """Texts of one or several models, and their programs."""
    code = "```python\ndef plus_0(x):\n    return x\n```"
    first, run = of_run(tmp_path, {"Small/0": [(code, "passed"), ("other", "no_code"), (code, "passed")]})
    second, _ = of_run(tmp_path, {"Small/0": [(code, "wrong")]}, "run2")
    made = document("Small/0", [first, second], open_programs([run])[0])

    assert [[row["text"] for row in rows] for rows in made["answers"]] == [[0, 1, 0], [0]]
    assert [each["text"] for each in made["texts"]] == [code, "other"]
    assert [each["text"] for each in made["programs"]] == ["def plus_0(x):\n    return x\n", ""]
    assert made["answers"][1][0]["program"] == 0


def test_long_texts_are_cut_and_say_so(tmp_path: Path) -> None:
    """A megabyte on one line becomes its beginning, with the length of the whole."""
    tally, _ = of_run(
        tmp_path, {"Small/0": [("x" * 1_000_000, "wrong"), ("y" * answer_packing.CUT, "wrong")]}
    )
    cut, whole = document("Small/0", [tally], None)["texts"]

    assert (len(cut["text"]), cut["whole"]) == (answer_packing.CUT, 1_000_000)
    assert whole == {"text": "y" * answer_packing.CUT}


def test_a_task_has_a_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two hundred answers of a hundred thousand characters must not give twenty megabytes per task."""
    monkeypatch.setattr(answer_packing, "BUDGET", 5000)
    rows = [(f"{number}" * 4000, "wrong") for number in range(4)]
    tally, _ = of_run(tmp_path, {"Small/0": rows})
    texts = document("Small/0", [tally], None)["texts"]

    assert [len(each["text"]) for each in texts] == [4000, 4000, answer_packing.SHORT, answer_packing.SHORT]
    assert [each.get("whole") for each in texts] == [None, None, 4000, 4000]


def test_runs_may_have_different_tasks(tmp_path: Path) -> None:
    """A run without a task has no answers to it, and the others keep theirs."""
    first, _ = of_run(tmp_path, {"Small/0": [("a", "passed")]})
    second, _ = of_run(tmp_path, {"Small/1": [("b", "passed")]}, "run2")
    packed = {
        each.number: unpacked(each.text) for each in pack_all(["Small/0", "Small/1"], [first, second], None)
    }

    assert [[len(rows) for rows in packed[number]["answers"]] for number in (0, 1)] == [[1, 0], [0, 1]]


def test_without_the_data_there_are_texts_alone(tmp_path: Path) -> None:
    """There is no program, canonical solution or question; the answer is complete."""
    tally, _ = of_run(tmp_path, {"Small/0": [("a", "passed")]})
    made = document("Small/0", [tally], None)

    assert (made["canonical"], made["questions"], made["programs"]) == ([], [{}], [])
    assert made["texts"] == [{"text": "a"}]
