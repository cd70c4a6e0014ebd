"""MERA's task sets: exact names, their shapes, and what a track fills."""

from __future__ import annotations

import pytest

from benchwright.errors import UsageError
from benchwright.interop.mera.kinds import KINDS, Shape, find_kind, kind_of, like


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
        ("ruHumanEval", Shape.generations),
        ("ruCodeEval", Shape.generations),
        ("CodeLinterEval", Shape.responses),
        ("CodeCorrectness", Shape.text),
        ("stRuCom", Shape.text),
    ],
)
def test_shapes(name: str, shape: Shape) -> None:
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
    near = like(given)

    assert (near.name if near else None) == found


@pytest.mark.parametrize(("private", "name"), [(False, "ruHumanEval"), (True, "ruCodeEval")])
def test_hidden_outputs_say_which_of_the_two_it_is(private: bool, name: str) -> None:
    """Both task sets have the rows of one track; only the ranked one hides its outputs."""
    assert kind_of("ruhumaneval", private=private).name == name


def test_a_track_that_fills_no_task_set() -> None:
    """HumanEval is none of MERA's task sets: the hint names the track that is, and the way there."""
    with pytest.raises(UsageError, match="'humaneval'") as caught:
        kind_of("humaneval", private=False)

    assert caught.value.hint is not None
    assert ("ruhumaneval" in caught.value.hint, "convert" in caught.value.hint) == (True, True)
