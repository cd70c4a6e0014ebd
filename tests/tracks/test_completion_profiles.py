"""Profiles: one name for one set of rules that extract a program from an answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.contracts import Extraction
from benchwright.errors import UsageError
from benchwright.records import Answer
from benchwright.tracks.functions.completion import PROFILES, check_profile, take_program

HEAD = 'def f(x):\n    """Doc."""'


def take(text: str, profile: str, finish_reason: str | None = None) -> Extraction:
    """Return the program in an answer."""
    answer = Answer(key="k", task_id=1, sample=0, model="m", text=text, finish_reason=finish_reason)
    return take_program(answer, prompt=HEAD, entry_point="f", profile=profile)


def test_mera_code_glues_what_a_fence_holds() -> None:
    """A tagged block starts on a new line, and the rest of the answer is dropped."""
    actual = take("So:\n```python\n    return x\n```\nDone.", "mera-code")

    assert Extraction(program=HEAD + "\n    return x\n", rule="mera-code") == actual


def test_mera_text_glues_what_is_between_the_marks() -> None:
    """Prose before the fence is kept as code, as in MERA."""
    texts = ["```python\n    return x\n```", "So:\n```python\n    return x\n```"]

    expected = [HEAD + "\n    return x\n", HEAD + texts[1]]
    assert expected == [take(text, "mera-text").program for text in texts]


@pytest.mark.parametrize("profile", ["mera-code", "mera-text"])
def test_mera_reports_no_problem(profile: str) -> None:
    """Invalid programs are executed anyway, so that the verdict is MERA's."""
    actual = take("    return x", profile, "length")

    assert (actual.problem, actual.program, actual.truncated) == (None, HEAD + "    return x", True)


def test_strict_takes_a_body_and_reports_a_problem() -> None:
    """The strict profile reads answers in any form."""
    body, nothing = take("    return x + 1\n", "strict"), take("", "strict", "length")

    assert ("return x + 1" in body.program, None) == (True, body.problem)
    assert (nothing.problem, nothing.truncated) == ("no_code", True)


@pytest.mark.parametrize(
    ("name", "hint"), [("strikt", "`strict`"), ("mera", "mera-"), ("", "one of: strict")]
)
def test_an_unknown_profile_is_answered_with_the_nearest(name: str, hint: str) -> None:
    """A typing error in a profile must not score by another one."""
    with pytest.raises(UsageError) as caught:
        check_profile(name)

    assert hint in (caught.value.hint or "")


@given(st.text(), st.sampled_from(PROFILES))
def test_any_answer_gives_a_program_or_a_problem(text: str, profile: str) -> None:
    """No text of a model raises an exception."""
    actual = take(text, profile)

    assert actual.problem is not None or "def f" in actual.program
