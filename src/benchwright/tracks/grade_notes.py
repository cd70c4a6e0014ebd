"""Notes on graded figures: shares of rules and judges, undecided answers, and calibration by people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from benchwright.contracts import JudgedAnswer, JudgedAnswers
from benchwright.display.wording import counted
from benchwright.records import Outcome, TaskId
from benchwright.tracks.judged_parts import PEOPLE, by_judge

UNCALIBRATED, WHY = "uncalibrated", "no labels by people say how often it is right"


def shares(judge: float) -> dict[str, float]:
    """Shares of rules and judges in a number; their sum is 1."""
    return {"rule": round(1 - judge, 12), "judge": judge}


def by_key(answers: JudgedAnswers, key: Callable[[TaskId], str]) -> dict[str, JudgedAnswers]:
    """Group the answers of tasks by key, sorted by key."""
    groups: dict[str, dict[TaskId, Sequence[JudgedAnswer]]] = {}
    for task, given in answers.items():
        groups.setdefault(key(task), {})[task] = given
    return {name: groups[name] for name in sorted(groups)}


def notes_on_judges(answers: JudgedAnswers) -> list[str]:
    """Notes on undecided answers with the reason, and on the number of answers that each judge judged."""
    given = [each for of_task in answers.values() for each in of_task]
    judges: dict[str, Counter[Outcome]] = {}
    for each in given:
        for judge, end in by_judge(each.parts).items():
            judges.setdefault(judge, Counter())[end] += 1
    undecided = sum(each.outcome is Outcome.undecided for each in given)
    notes = []
    if undecided:
        why = (
            "no judge who was asked could tell"
            if judges
            else "rules alone cannot tell, and no judge was asked (--judge)"
        )
        of = f"{undecided:,} of {counted(len(given), 'answer')}"
        notes.append(f"{of} {'is' if undecided == 1 else 'are'} undecided, in no figure and no zero: {why}")
    return notes + [_of_judge(judge, said) for judge, said in sorted(judges.items())]


def _of_judge(judge: str, ends: Counter[Outcome]) -> str:
    if judge == PEOPLE:
        judged = ends.total() - ends[Outcome.undecided]
        of = counted(ends.total(), "answer")
        return f"people: {judged:,} of {of} judged, {ends[Outcome.undecided]:,} undecided"
    return f"judge {judge}: {_said(ends)}"


def held_against(notes: Sequence[str], labels: int, *, enough: int, unreliable: str = "") -> list[str]:
    """Update the notes of a run after people have labelled `labels` answers: judges are calibrated.

    `unreliable` is the reason why people's labels cannot calibrate a judge, whatever their number.
    """
    said = f"{UNCALIBRATED}, since {WHY}"
    many = f"held against {counted(labels, 'label')} by people"
    short = "" if labels >= enough else f"fewer than {enough}"
    why = ", ".join(filter(None, (short, unreliable)))
    now = f"{UNCALIBRATED}: {many}, {why}" if why else many
    return [note.replace(said, now) for note in notes]


def _said(ends: Counter[Outcome]) -> str:
    silent = {
        "undecided": Outcome.undecided,
        "unparsable": Outcome.unparsable,
        "missing": Outcome.model_error,
    }
    judged = ends.total() - sum(ends[end] for end in silent.values())
    rest = ", ".join(f"{ends[end]:,} {name}" for name, end in silent.items())
    return f"{judged:,} of {counted(ends.total(), 'answer')} judged, {rest}; {UNCALIBRATED}, since {WHY}"
