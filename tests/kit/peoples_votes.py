"""Votes of people for tests: plain ones, and scripted ones on the items of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec

from benchwright.judges.people.records import JudgedItem, Vote, vote_key
from benchwright.running.judged_items import items_of_run
from benchwright.running.run_data import data_of, open_run


def vote(value: int | str = "correct", judge: str = "anna", **more: Any) -> Vote:
    """Return a vote on an answer to an issue, or on another field."""
    plain: dict[str, Any] = {
        "vote": "",
        "item": "i1",
        "task_id": 1,
        "kind": "decide",
        "field": "decision",
        "answers": ["1-0"],
    }
    made = Vote(value=value, judge=judge, **{**plain, **more})
    return made if made.vote else msgspec.structs.replace(made, vote=vote_key(made))


def items(run: Path) -> list[JudgedItem]:
    """Return the items of a run folder."""
    folder = open_run(run)
    return list(items_of_run(folder, data_of(folder)))


def votes_on(
    made: Iterable[JudgedItem], says: Callable[[JudgedItem, str, str], int | str | None], *judges: str
) -> list[Vote]:
    """Return each judge's vote on each field of each item; None for no vote."""
    return [
        vote(
            value,
            judge,
            item=item.item,
            task_id=item.task_id,
            kind=item.kind,
            field=field,
            answers=[each.key for each in item.answers],
        )
        for item in made
        for field in item.fields
        for judge in judges
        if (value := says(item, field, judge)) is not None
    ]
