"""Import of votes from files of people or other tools: rows are accepted, or rejected with a reason.

The formats (`sheets`, `argilla`, `label_studio`) locate the fields. This module checks values, items, judges,
and duplicate votes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.display.escape import escaped, escaped_name, escaped_path
from benchwright.judges.people.records import (
    MAX_COMMENT,
    MAX_NAME,
    PREFERENCE,
    ROUNDS,
    SHEET,
    JudgedItem,
    Round,
    Vote,
    allowed,
    fault_of,
    place_of,
    turned,
)
from benchwright.records import Record
from benchwright.store.keys import content_key
from benchwright.store.strict_json import replace_lone

_MAX_VALUE = 40  # characters of what stands for a value


class RefusedCell(Record, frozen=True, kw_only=True):
    """An invalid vote in a file: its place, and the reason."""

    file: str
    row: int  # the line of a sheet; of a JSON document the record, counted from 1
    field: str
    why: str
    item: str = ""
    judge: str = ""


class Suggestion(Record, frozen=True, kw_only=True):
    """A model's value for a field of an item. Showing it to people ends blind judging."""

    item: str
    field: str
    value: int | str
    agent: str


class FilledRow(NamedTuple):
    """Values of a judge for an item, as in a file."""

    row: int
    item: str
    judge: str
    values: Mapping[str, Any]  # by field, text or number; None or blank for one that was left out
    round: str = "first"
    comment: str = ""
    shown: str = ""  # of a pair: "ab", or "ba" where the sides stood the other way round
    started_at: str = ""
    submitted_at: str = ""


class VoteImporter:
    """Collects votes on known items by known judges; `judges` None accepts any name."""

    def __init__(
        self,
        items: Iterable[JudgedItem],
        *,
        judges: Collection[str] | None = None,
        known: Iterable[Vote] = (),
        interface: str = SHEET,
        rubric: str = "",
    ) -> None:
        self.items = {item.item: item for item in items}
        self.votes: list[Vote] = []
        self.refused: list[RefusedCell] = []
        self.repeated = 0  # votes that exist already with the same value
        self._judges = judges
        self._seen = {place_of(vote): vote for vote in known}
        self._interface, self._rubric = interface, rubric

    def take(self, path: Path, filled: FilledRow) -> None:
        """Add the votes of a row; invalid fields are rejected individually."""
        row = _Row(self, path, filled)
        item = self.items.get(filled.item)
        if item is None:
            row.refuse("item", f"{escaped_name(filled.item) or 'nothing'} is not an item of these runs")
        elif fault := self._fault_of_judge(filled.judge):
            row.refuse("judge", fault)
        elif filled.round not in ROUNDS:
            row.refuse("round", f"{escaped_name(filled.round)} is none of {', '.join(ROUNDS)}")
        elif len(filled.comment) > MAX_COMMENT:
            row.refuse("comment", f"has {len(filled.comment):,} characters, more than {MAX_COMMENT:,}")
        elif item.kind == "pair" and filled.shown not in ("ab", "ba"):
            row.refuse("sheet", "which side stood first is not known: the column was changed")
        else:
            self._take(row, item)

    def _fault_of_judge(self, judge: str) -> str:
        if not judge.strip() or len(judge) > MAX_NAME or not judge.isprintable():
            return f"must be a name of 1 to {MAX_NAME} printable characters"
        if self._judges is not None and judge not in self._judges:
            return f"{judge} is none of the judges: {', '.join(sorted(self._judges)) or 'none is named'}"
        return ""

    def _take(self, row: _Row, item: JudgedItem) -> None:
        filled = row.filled
        foreign = [
            name for name, value in filled.values.items() if name not in item.fields and _has_value(value)
        ]
        for name in foreign:
            row.refuse(name, f"this item asks for {', '.join(item.fields)}")
        values = {name: filled.values.get(name) for name in item.fields}
        if not any(map(_has_value, values.values())):
            row.refuse(", ".join(item.fields), "is empty: this item has no value")
            return
        comment = escaped(replace_lone(filled.comment)).strip()
        for name, raw in values.items():
            value = read_value(name, raw)
            if value is None:
                row.refuse(name, _fault_of_value(name, raw))
                continue
            self._add(row, self._vote(item, name, value, filled, comment))
            comment = ""  # once, with the first field

    def _vote(self, item: JudgedItem, field: str, value: int | str, filled: FilledRow, comment: str) -> Vote:
        if field == PREFERENCE:
            value = turned(value, filled.shown)
        fixed: Round = filled.round  # type: ignore[assignment]  # just checked
        return Vote(
            vote=content_key("vote", filled.judge, item.item, field, filled.round),
            item=item.item,
            task_id=item.task_id,
            kind=item.kind,
            field=field,
            value=value,
            judge=filled.judge,
            round=fixed,
            answers=[each.key for each in item.answers],
            comment=comment,
            shown=filled.shown if item.kind == "pair" else "",
            started_at=filled.started_at,
            submitted_at=filled.submitted_at,
            rubric=self._rubric,
            interface=self._interface,
        )

    def _add(self, row: _Row, vote: Vote) -> None:
        before = self._seen.get(place_of(vote))
        field, fault = fault_of(vote)
        if fault:
            row.refuse(field, fault)
        elif before is None:
            self._seen[place_of(vote)] = vote
            self.votes.append(vote)
        elif before.value == vote.value and before not in self.votes:
            self.repeated += 1
        else:
            row.refuse(vote.field, f"is doubled: {vote.judge} has said {before.value} of this item before")


class _Row(NamedTuple):
    box: VoteImporter
    path: Path
    filled: FilledRow

    def refuse(self, field: str, why: str) -> None:
        self.box.refused.append(
            RefusedCell(
                file=escaped_path(self.path),
                row=self.filled.row,
                field=escaped_name(field),
                why=why,
                item=escaped_name(self.filled.item),
                judge=escaped_name(self.filled.judge),
            )
        )


def read_value(field: str, raw: Any) -> int | str | None:
    """Return the value of a cell; None for an invalid one.

    A spreadsheet may write 4 as "4.0" or with a decimal comma, and a label in capitals or with a space.
    """
    if isinstance(raw, bool) or not isinstance(raw, int | float | str):
        return None
    text = str(raw).strip().removeprefix("'").strip()
    if not text or len(text) > _MAX_VALUE:
        return None
    values = allowed(field)
    if values and isinstance(values[0], int):
        return _grade(text.replace(",", "."), values)
    label = "_".join(text.lower().replace("-", " ").replace("_", " ").split())
    return label if label in values else None


def _grade(text: str, values: Collection[int | str]) -> int | None:
    whole, _, rest = text.partition(".")
    if not (whole.isascii() and whole.isdecimal()) or rest.strip("0"):
        return None
    return int(whole) if int(whole) in values else None


def _has_value(value: Any) -> bool:
    return value is not None and bool(str(value).strip())


def _fault_of_value(field: str, raw: Any) -> str:
    if not _has_value(raw):
        return "is empty"
    return f"{escaped_name(str(raw), 40)} is none of {', '.join(map(str, allowed(field)))}"
