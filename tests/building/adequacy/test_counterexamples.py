"""When a reply is another value than the canonical solution's, and which call shows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchwright.building.adequacy.counterexamples import (
    GeneratedInputs,
    InputLimits,
    find_counterexample,
    is_different,
    reference_inputs,
)
from benchwright.building.adequacy.generated_inputs import Arguments
from benchwright.building.adequacy.stubs import stubs
from benchwright.contracts import BatchSpec, Job, Judgement, MeraSpec, RepliesSpec
from benchwright.executing.trials import Trials
from benchwright.records import Outcome
from benchwright.sandbox.codec import decode, encode
from benchwright.sandbox.zygote import cpu_time_exceeded
from kit.solved_tasks import ABSOLUTE, pairs_spec, solved

TASK = solved("t", ABSOLUTE, [((1,), 1), ((2,), 2)])


@pytest.mark.parametrize(
    ("gold", "reply", "different"),
    [
        (1, ("value", encode(2)), True),
        (1, ("value", encode(1.0)), False),
        (0.1 + 0.2, ("value", encode(0.3)), False),
        (float("nan"), ("value", encode(float("nan"))), False),
        ([1, 2], ("value", encode((1, 2))), True),
        ({1, 2}, ("value", encode({2, 1})), False),
        (1, ("exception", b"ValueError: no"), True),
        (1, ("unsendable", b"object"), True),
        (1, ("large", b"digest"), False),
        (1, ("memory", b"MemoryError"), False),
        (1, ("value", b"?broken"), False),
    ],
)
def test_what_is_another_value(gold: Any, reply: tuple[str, bytes], different: bool) -> None:
    """As an assert would tell it, rounding apart; what cannot be told is none."""
    assert is_different(encode(gold), reply) is different


def test_the_first_call_that_differs_is_the_witness() -> None:
    """With the values of both."""
    calls = [Arguments((1,), {}), Arguments((-2,), {}), Arguments((-90,), {}, beyond=True)]
    grown = GeneratedInputs(TASK, calls, [encode(1), encode(2), encode(90)])
    witness = find_counterexample(
        grown, [("value", encode(1)), ("value", encode(-2)), ("value", encode(-90))]
    )

    assert witness is not None
    assert (witness.call, witness.gold, witness.other, witness.beyond) == ("f(-2)", "2", "-2", False)
    assert find_counterexample(grown, [("value", encode(1))]) is None


class Gold:
    """An executor on which the canonical solution hangs at one number and raises at another."""

    size = 1

    def judge(self, jobs: Iterable[Job]) -> Iterator[tuple[int, Judgement]]:
        """The replies to each job's calls."""
        for job in jobs:
            spec = job.criterion.spec
            assert isinstance(spec, RepliesSpec)
            replies = list(self._replies(spec))
            yield job.number, Judgement(outcome=Outcome.passed, payload=msgspec.msgpack.encode(replies))

    def _replies(self, spec: RepliesSpec) -> Iterator[tuple[str, bytes]]:
        for (number,), _ in decode(spec.calls):
            if number == 0:
                yield "ended", b"timed_out: used more than 1 s"
                return
            yield ("exception", b"ValueError") if number < 0 else ("value", encode(number))


def test_inputs_are_those_on_which_the_gold_gives_a_value(tmp_path: Path) -> None:
    """One on which it hangs is taken out and the others are tried again; one on which it raises is none."""
    with Trials(tmp_path / "trials.jsonl", Gold()) as trials:
        (grown,) = reference_inputs([TASK], trials, inputs=8, limits=[InputLimits(1.0)])
        (none,) = reference_inputs(
            [solved("n", ABSOLUTE, pairs_spec([]))], trials, inputs=8, limits=[InputLimits(1.0)]
        )

    assert grown.calls
    assert all(each.args[0] > 0 for each in grown.calls)
    assert [encode(each.args[0]) for each in grown.calls] == grown.gold
    assert none.calls == []


class SlowGold(Gold):
    """An executor whose program replies to some calls before its time for all calls is used."""

    def __init__(self, replied: int) -> None:
        self.replied, self.asked = replied, list[int]()
        self.calls = list[list[Any]]()

    def _replies(self, spec: RepliesSpec) -> Iterator[tuple[str, bytes]]:
        self.asked.append(spec.count)
        self.calls.append(decode(spec.calls))
        for number, ((value,), _) in enumerate(decode(spec.calls)):
            if number == self.replied:
                yield "ended", f"timed_out: {cpu_time_exceeded(spec.cpu_limit_s or 0.0)}".encode()
                return
            yield "value", encode(value)


@pytest.mark.parametrize(("replied", "asked"), [(12, [12]), (11, [12, 6]), (4, [12, 3]), (0, [12, 1])])
def test_a_solution_of_many_slow_calls_is_asked_a_part_of_them(
    tmp_path: Path, replied: int, asked: list[int]
) -> None:
    """The largest half, quarter, eighth that was replied in time, in one more execution."""
    gold = SlowGold(replied)
    with Trials(tmp_path / "trials.jsonl", gold) as trials:
        (grown,) = reference_inputs([TASK], trials, inputs=8, limits=[InputLimits(0.125, 0.0625)])

    assert gold.asked[:2] == asked
    assert len(grown.calls) == (min(asked[-1], 8) if replied else 0)


def test_a_part_of_the_calls_has_those_beyond_the_tests(tmp_path: Path) -> None:
    """The smallest of both kinds, in equal shares: all calls beyond the tests' range come last."""
    wide, gold = solved("wide", ABSOLUTE, [((-50,), 50), ((50,), 50)]), SlowGold(20)
    with Trials(tmp_path / "trials.jsonl", gold) as trials:
        reference_inputs([wide], trials, inputs=24, limits=[InputLimits(0.125, 0.0625)])

    whole, part = ([value for (value,), _ in calls] for calls in gold.calls[:2])
    for kind in (_within_fifty, lambda value: not _within_fifty(value)):
        of_whole = [value for value in whole if kind(value)]
        assert len(of_whole) >= 4
        assert [value for value in part if kind(value)] == of_whole[: len(of_whole) // 2]


def _within_fifty(value: float) -> bool:
    return type(value) is int and abs(value) <= 50


def test_stubs_are_many_and_one_knows_what_is_expected_most() -> None:
    """At least twelve, each a program that defines the function."""
    spec = pairs_spec([((1,), "yes"), ((2,), "no"), ((3,), "yes")])
    texts = MeraSpec(entry_point="f", expected_text=["[1]", "[2]", "[2]"])
    found = stubs("f", spec)

    assert len(found) >= 12
    for program in found.values():
        compile(program, "stub", "exec")
    assert found["returns the most frequent expected value"].endswith("return 'yes'\n")
    assert "returns the most frequent expected value" not in stubs("f", pairs_spec([((1,), "yes")]))
    assert "'[2]'" in stubs("f", texts)["returns the most frequent expected value"]
    assert len(stubs("f", BatchSpec(entry_point="f"))) >= 12
