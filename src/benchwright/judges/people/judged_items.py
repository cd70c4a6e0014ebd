"""Make an item for people from a judge's inputs: the same texts, and the fields to fill in."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from benchwright.contracts import JudgeInput
from benchwright.judges.people.records import DECISION, PREFERENCE, ItemAnswer, ItemKind, JudgedItem
from benchwright.judges.rubric.rubrics import find_rubric
from benchwright.records import TaskId
from benchwright.store.keys import content_key

RATED = ("logic", "accuracy", "format")  # of comments; includes the format, which rules grade


def kind_of(exhibit: JudgeInput) -> ItemKind:
    """Return the kind of an item: rate if its rubric rates, else decide."""
    return "rate" if find_rubric(exhibit.rubric, exhibit.language).kind == "rates" else "decide"


def fields_of(exhibit: JudgeInput, kind: ItemKind) -> list[str]:
    """Return the fields of an item of this kind, in the order of a form."""
    if kind == "pair":
        return [PREFERENCE]
    if kind == "decide":
        return [DECISION]
    criteria = find_rubric(exhibit.rubric, exhibit.language).criteria
    return list(RATED) if set(criteria) < set(RATED) else list(criteria)


def item_of(
    exhibit: JudgeInput, answers: Sequence[ItemAnswer], *, kind: ItemKind, task_id: TaskId, track: str
) -> JudgedItem:
    """Return the item about one answer, or two. The strength and origin of a reference are omitted."""
    plain = {
        title: text
        for title, text in exhibit.sections.items()
        if title not in exhibit.known and title != exhibit.code
    }
    question = "\n\n".join(
        text if number == 0 else f"{title}: {text}" for number, (title, text) in enumerate(plain.items())
    )
    return keyed(
        JudgedItem(
            item="",
            kind=kind,
            task_id=task_id,
            track=track,
            question=question,
            code=exhibit.sections[exhibit.code] if exhibit.code else "",
            lang=exhibit.lang,
            references=[exhibit.sections[title] for title in exhibit.known],
            answers=list(answers),
            fields=fields_of(exhibit, kind),
        )
    )


def keyed(item: JudgedItem) -> JudgedItem:
    """Return the item under the content key of its displayed parts: being a gold item does not change it."""
    shown = msgspec.to_builtins(msgspec.structs.replace(item, item="", expected={}))
    return msgspec.structs.replace(item, item=content_key("item", shown))
