"""Facts about a file of stored answers for a score: its format, and tasks that it does not cover."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec

from benchwright.contracts import Holder, Holding
from benchwright.display.wording import counted, first_names
from benchwright.records import TaskId
from benchwright.running.plan import Plan

DETAIL = "stored_answers"  # of a score's details
PLAIN = "JSON Lines, one answer a row, tasks by `task_id`"
_NAMED = 10  # names in a sentence; all of them are in scores.json


def shape_in_words(plan: Plan) -> str:
    """Describe the file in a sentence; empty for a model without a file."""
    held = holding_of(plan)
    if held is None:
        return ""
    return (
        f"stored answers: {held.shape}; {counted(held.answers, 'answer')} to "
        f"{counted(held.tasks + len(held.foreign), 'task')}"
    )


def holding_of(plan: Plan) -> Holding | None:
    """Return the facts about stored answers, for a model that has them."""
    return plan.model.holding() if isinstance(plan.model, Holder) else None


def coverage_details(plan: Plan) -> dict[str, Any]:
    """Return the same as data. Empty for a plain file with equally many answers to each task."""
    held = holding_of(plan)
    if held is None:
        return {}
    amounts = Counter(plan.counts[task_id] for task_id in plan.tasks)
    found = {
        "foreign": held.foreign,
        "unanswered": plan.unanswered,
        "answers_a_task": {str(n): amounts[n] for n in sorted(amounts)} if len(amounts) > 1 else {},
        "left_out": held.answers - sum(held.foreign.values()) - plan.total if plan.options.n else 0,
        "notes": held.notes,
    }
    kept = {name: value for name, value in found.items() if value}
    if not kept and held.shape == PLAIN:
        return {}
    facts = {"shape": held.shape, "answers": held.answers, "tasks": held.tasks}
    return {DETAIL: {**facts, **kept}}


def coverage_notes(plan: Plan) -> list[str]:
    """Return the sentences under the score."""
    told = coverage_details(plan).get(DETAIL)
    if told is None:
        return []
    notes = [] if told["shape"] == PLAIN else [shape_in_words(plan)]
    if foreign := told.get("foreign"):
        notes.append(
            f"{counted(sum(foreign.values()), 'answer')} not judged, to {counted(len(foreign), 'task')} that "
            f"the data set lacks: {first_names(list(foreign), _NAMED)}"
        )
    if unanswered := plan.unanswered:
        of = counted(len(plan.tasks) + len(unanswered), "task")
        named = first_names(unanswered, _NAMED)
        notes.append(f"the score is of {len(plan.tasks):,} of {of}: no stored answer to {named}")
    if amounts := told.get("answers_a_task"):
        least, *_, most = amounts
        notes.append(f"tasks have {least} to {most} answers; all are judged, and each task counts once")
    if left := told.get("left_out"):
        notes.append(f"{counted(left, 'stored answer')} left out: --n {plan.n}, or tasks not chosen")
    return [*notes, *held_notes(plan)]


def held_notes(plan: Plan) -> list[str]:
    """Return the decisions about columns."""
    held = holding_of(plan)
    return held.notes if held else []


def unanswered_in(details: dict[str, Any]) -> list[TaskId]:
    """Return the chosen tasks of a stored score without an answer in its file."""
    found: list[TaskId] = details.get(DETAIL, {}).get("unanswered", [])
    return found


def stored_holding(details: dict[str, Any]) -> Holding | None:
    """Return the facts about the file in a stored score; None without them."""
    told = details.get(DETAIL)
    if not told:
        return None
    kept = {name: value for name, value in told.items() if name in Holding.__struct_fields__}
    return msgspec.convert(kept, Holding)
