"""MERA's task sets: exact names, shapes, the tracks that produce them, and checks of submissions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import DataError, UsageError
from benchwright.interop.mera.task_sets import (
    KINDS,
    OutputsShape,
    TaskSetGold,
    find_kind,
    kind_of,
    load_gold,
    nearest_kind,
)
from kit.small_data import mera_row, write


def test_the_names_are_meras() -> None:
    """A submission's files have these base names, letter for letter."""
    names = (
        "ruHumanEval ruCodeEval CodeLinterEval ruCodeReviewer JavaTestGen RealCode "
        "RealCodeJava YABLoCo stRuCom UnitTests CodeCorrectness"
    )

    assert list(KINDS) == names.split()


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("ruHumanEval", OutputsShape.generations),
        ("ruCodeEval", OutputsShape.generations),
        ("CodeLinterEval", OutputsShape.responses),
        ("CodeCorrectness", OutputsShape.text),
        ("stRuCom", OutputsShape.text),
    ],
)
def test_shapes(name: str, shape: OutputsShape) -> None:
    """What one row's outputs are differs by task set."""
    assert KINDS[name].shape is shape


def test_the_name_in_logs_is_in_small_letters() -> None:
    """MERA's packer looks for the log of ruCodeEval as samples_rucodeeval_…"""
    assert KINDS["ruCodeEval"].log_name == "rucodeeval"


def test_an_exact_name_is_found() -> None:
    """The name as MERA writes it needs no guess."""
    assert find_kind("ruHumanEval") is KINDS["ruHumanEval"]


@pytest.mark.parametrize(
    ("given", "hint"),
    [("ruhumaneval", "`ruHumanEval`"), ("ruCodeEvl", "`ruCodeEval`"), ("MMLU", "one of: ruHumanEval, ")],
)
def test_another_name_is_refused_with_the_nearest(given: str, hint: str) -> None:
    """Case counts: a name in small letters is an error with the right one as its hint."""
    with pytest.raises(UsageError) as caught:
        find_kind(given)

    assert (given in caught.value.message, hint in (caught.value.hint or "")) == (True, True)


@pytest.mark.parametrize(("given", "found"), [("RUHUMANEVAL", "ruHumanEval"), ("README", None)])
def test_like(given: str, found: str | None) -> None:
    """A name in another case is recognised, and one that is nothing like any is not."""
    near = nearest_kind(given)

    assert (near.name if near else None) == found


@pytest.mark.parametrize(("private", "name"), [(False, "ruHumanEval"), (True, "ruCodeEval")])
def test_hidden_outputs_say_which_of_the_two_it_is(private: bool, name: str) -> None:
    """Both task sets have the rows of one track; only the ranked one hides its outputs."""
    assert kind_of("ruhumaneval", private=private).name == name


def test_a_track_that_fills_no_task_set() -> None:
    """HumanEval is not a task set of MERA: the hint names a track that is, and the command."""
    with pytest.raises(UsageError, match="'humaneval'") as caught:
        kind_of("humaneval", private=False)

    assert caught.value.hint is not None
    assert ("ruhumaneval" in caught.value.hint, "convert" in caught.value.hint) == (True, True)


OPEN = TaskSetGold({0: 2, 1: 2}, {0: ["1", "2"], 1: ["1", "2"]})


def _private(number: int, outputs: Any) -> dict[str, Any]:
    row = mera_row(number, outputs=outputs)
    return {**row, "meta": {**row["meta"], "canonical_solution": ""}}


def test_flat_and_two_dimensional_outputs(tmp_path: Path) -> None:
    """Both spellings of `outputs` are the same expectation."""
    rows = [mera_row(0), mera_row(1, outputs=[["1", "2"]] * 10)]

    assert load_gold(write(tmp_path / "gold.jsonl", rows)) == OPEN


def test_meras_own_document(tmp_path: Path) -> None:
    """A folder with test.json, as MERA publishes it, is read unchanged."""
    document = {"access": "public", "data": [mera_row(0), mera_row(1)]}
    (tmp_path / "test.json").write_text(json.dumps(document))

    assert load_gold(tmp_path) == OPEN


@pytest.mark.parametrize("outputs", ["", ["", ""]])
def test_hidden_outputs(outputs: Any, tmp_path: Path) -> None:
    """A private row still says how many tests there are, and nothing of what they expect."""
    gold = load_gold(write(tmp_path / "gold.jsonl", [_private(0, outputs)]))

    assert gold == TaskSetGold({0: 2}, None)


def test_one_hidden_row_hides_all(tmp_path: Path) -> None:
    """A score over the other tasks would be a score of another task set."""
    gold = load_gold(write(tmp_path / "gold.jsonl", [mera_row(0), _private(1, "")]))

    assert gold == TaskSetGold({0: 2, 1: 2}, None)


def test_a_bad_row_is_a_data_error(tmp_path: Path) -> None:
    """The data set is checked as for a run: file, line and field."""
    with pytest.raises(DataError, match=r"gold.jsonl:1.*outputs"):
        load_gold(write(tmp_path / "gold.jsonl", [mera_row(0, outputs=["1"])]))
