"""Promises: what a prompt says of its inputs and all tests keep, and nothing that only one of the two says."""

from __future__ import annotations

import pytest

from benchwright.auditing.promises import Promises
from benchwright.building.adequacy.inputs import Arguments
from benchwright.building.solved import SolvedTask
from benchwright.contracts import BatchSpec
from benchwright.sandbox.codec import encode


def task(prompt: str, *values: object) -> SolvedTask:
    """A task of one parameter whose tests show these values."""
    calls = encode([((value,), {}) for value in values])
    spec = BatchSpec(entry_point="f", calls=calls, expected=[encode(1)] * len(values))
    return SolvedTask(unit="a", revision="r", prompt=prompt, entry_point="f", gold="", spec=spec)


@pytest.mark.parametrize(
    ("prompt", "values", "other", "kept"),
    [
        ("a sorted list", ([1, 2], [3, 4, 4]), [2, 1], False),
        ("a sorted list", ([1, 2], [3, 4, 4]), [1, 5], True),
        ("a list", ([1, 2], [3, 4, 4]), [2, 1], True),
        ("return it sorted", ([2, 1], [3, 4]), [9, 1], True),
        ("a sorted list", ([1, 2],), [2, 1], True),
        ("distinct numbers", ([1, 3, 2], [3, 4]), [2, 2], False),
        ("nested parentheses", ("(())", "()[]"), "(()", False),
        ("nested parentheses", ("(())", "()[]"), "([])", True),
        ("nested parentheses", ("(())", "())"), ")(", True),
        ("a sorted list", ([1, "a"], [3, 4]), [2, 1], True),
    ],
)
def test_a_promise_needs_the_prompt_and_every_test(
    prompt: str, values: tuple[object, ...], other: object, kept: bool
) -> None:
    """What the prompt never names may be a gap in the tests, and what a test breaks is none."""
    assert Promises(task(prompt, *values)).are_kept(Arguments((other,), {})) is kept
