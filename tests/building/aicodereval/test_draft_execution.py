"""Stage try: levels that passed each time, why executions differ, and what was not there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from benchwright.building.aicodereval.draft_execution import (
    DraftExecution,
    message_mutants,
    solved_task,
    steady_levels,
)
from benchwright.building.aicodereval.draft_records import ExaminedDraft
from benchwright.building.aicodereval.release_options import EntryBounds
from benchwright.contracts import Decision, Job, Judgement, Variation
from benchwright.contracts.specs import LevelsSpec
from benchwright.executing.trials import TrialResult, Trials
from benchwright.records import Drop, Outcome
from kit.made_drafts import draft, sound

PASSED, WRONG = Outcome.passed, Outcome.wrong
Ends = Callable[[str, Variation], Judgement]


class Scripted:
    """An executor whose programs end as the test says, by the program and its variation."""

    size = 1

    def __init__(self, ends: Ends) -> None:
        self._ends = ends

    def judge(self, jobs: Iterable[Job]) -> Iterator[tuple[int, Judgement]]:
        """Nothing is executed."""
        for job in jobs:
            assert isinstance(job.criterion.spec, LevelsSpec)
            assert isinstance(job.given, str)
            yield job.number, self._ends(job.given, job.criterion.spec.variation)


def tried(folder: Path, ends: Ends, one: ExaminedDraft | None = None) -> ExaminedDraft | Drop:
    """What stage try makes of a draft."""
    one = one or ExaminedDraft(draft=sound()[0])
    with Trials(folder / "trials.jsonl", Scripted(ends)) as trials:
        return next(iter(DraftExecution(EntryBounds()).tried([one], trials)))


def ended(outcome: Outcome, detail: str = "", **parts: Outcome) -> Judgement:
    """A judgement."""
    return Judgement(outcome=outcome, detail=detail, parts=parts)


def reason(found: ExaminedDraft | Drop) -> str:
    """Why the canonical solution does not do."""
    assert isinstance(found, ExaminedDraft)
    return found.decisions["gold"].reason


@pytest.mark.parametrize(
    ("varies", "cause"),
    [
        (lambda each: each.number % 2, "flaky_random"),
        (lambda each: each.hash_seed % 2, "flaky_set_order"),
        (lambda each: each.clock_shift_s, "flaky_clock"),
        (lambda each: each.timezone != "UTC", "flaky"),
    ],
)
def test_why_executions_differ(tmp_path: Path, varies: Callable[[Variation], object], cause: str) -> None:
    """One thing is varied at a time, the likeliest last: chance would look like anything else."""
    found = tried(tmp_path, lambda _, variation: ended(WRONG if varies(variation) else PASSED))

    assert reason(found) == cause


@pytest.mark.parametrize(
    ("detail", "expected"),
    [
        ("ModuleNotFoundError: No module named 'torchvision'", "env_missing"),
        ("OSError: We couldn't connect to 'https://huggingface.co' to load the files", "unverified_weights"),
        ("ValueError: no", "gold_fails"),
    ],
)
def test_what_was_not_there_is_no_failure(tmp_path: Path, detail: str, expected: str) -> None:
    """A library or weights that are missing say nothing of the solution."""
    assert reason(tried(tmp_path, lambda *_: ended(Outcome.exception, detail))) == expected


def test_a_sandbox_that_fails_says_nothing(tmp_path: Path) -> None:
    """The draft is a drop that the next call tries again."""
    found = tried(tmp_path, lambda *_: ended(Outcome.sandbox_error, "no room"))

    assert isinstance(found, Drop)
    assert (found.reason, found.detail) == ("sandbox_error", "no room")


def test_what_cannot_be_executed_goes_on_as_it_came(tmp_path: Path) -> None:
    """Nothing of it is executed."""
    one = ExaminedDraft(draft=sound()[0], decisions={"imports": Decision(reason="env_missing")})

    def nothing(program: str, variation: Variation) -> Judgement:
        raise AssertionError(program)

    assert tried(tmp_path, nothing, one) == one


@pytest.mark.parametrize(
    ("ends", "level"),
    [((PASSED, PASSED), PASSED), ((WRONG, WRONG), WRONG), ((PASSED, WRONG), Outcome.flaky)],
)
def test_a_level_passes_if_it_does_each_time(ends: tuple[Outcome, ...], level: Outcome) -> None:
    """One that does not end alike is flaky, whatever the others do."""
    runs = [TrialResult(key=str(at), outcome=each, parts={"normal": each}) for at, each in enumerate(ends)]

    assert steady_levels(["normal"], runs) == {"normal": level}


def test_a_program_that_comes_to_no_level_fails_each() -> None:
    """As the whole did: a syntax error has no parts."""
    run = TrialResult(key="a", outcome=Outcome.timed_out, parts={"normal": PASSED})

    assert steady_levels(["normal", "correctness"], [run]) == {
        "normal": PASSED,
        "correctness": Outcome.timed_out,
    }


def test_words_of_exceptions_are_no_weakness_of_tests() -> None:
    """Cases ask for a type, so mutants of what it is raised with are declared equivalent; others are not."""
    body = "if not x:\n    raise ValueError(f'no {x}', 'at all')\nreturn 'words'"
    task = solved_task(draft("worded", "def f(x):", body, sound()[0].entry.cases))
    names = message_mutants(task.gold)

    assert names
    assert names == task.idle_mutants
    assert {int(name.split("-")[1]) for name in names} == {4}
