"""Sheets for offline judging: one blind file per judge, each in its own order.

A sheet has a row per item with the judged texts, an empty cell for each field, and one for a comment. The
columns `sheet`, `round`, `judge` and `item` identify the row on return. CSV is written for spreadsheets: with
a byte-order mark, without formulas, and with texts truncated to the limit of a cell.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import msgspec

from benchwright.display.escape import escaped_code, spreadsheet_cell
from benchwright.errors import UsageError
from benchwright.judges.people.records import JudgedItem, Round
from benchwright.judges.people.votes import MAX_NAME, allowed
from benchwright.store.keys import content_key
from benchwright.store.strict_json import replace_lone
from benchwright.store.writing import make_parents, replacing, write_json

SheetFormat = Literal["csv", "jsonl"]
KEYS = ("sheet", "round", "judge", "item")
TEXTS = ("question", "code", "references", "answer", "answer_a", "answer_b", "votes")
COMMENT = "comment"
LETTER = "sheets.json"  # who was sent which sheets; it stays with whoever sent them
MAX_CELL = 30_000  # characters: the spreadsheets in use hold 32,767
TOKEN = 16
_FOLDER = "texts"
_PLAIN = frozenset("._-")


class SentOut(NamedTuple):
    """Written sheets, and the number of texts that were too long for a cell."""

    sheets: list[Path]
    items: int
    cut: int


def token_of(seed: str) -> str:
    """Return a token for the seed, which does not reveal it."""
    return content_key("sheet", seed)[:TOKEN]


def shown_order(token: str, judge: str, item: str) -> str:
    """Return the order of a pair's sides in a judge's sheet: "ab" or "ba"."""
    return "ab" if int(content_key("side", token, judge, item)[:8], 16) % 2 else "ba"


def in_sheet_order(items: Iterable[JudgedItem], token: str, judge: str) -> list[JudgedItem]:
    """Return items in the order of a judge's sheet."""
    return sorted(items, key=lambda item: content_key("order", token, judge, item.item))


def check_judges(judges: Sequence[str]) -> None:
    """Raise UsageError for invalid or duplicate names of judges."""
    for judge in judges:
        if not judge or len(judge) > MAX_NAME or not all(c.isalnum() or c in _PLAIN for c in judge):
            message = f"--judges {judge!r}: names of judges may contain letters, digits, `.`, `_` and `-`"
            raise UsageError(message, hint="--judges anna,boris")
    if len({judge.casefold() for judge in judges}) < len(judges):
        raise UsageError("--judges: duplicate name", hint="--judges anna,boris")


class SheetPlan(NamedTuple):
    """Judges and contents of sheets. The guide and its digest are texts of the project."""

    judges: Sequence[str]
    seed: str
    form: SheetFormat = "csv"
    round: Round = "first"
    guide: str = ""
    rubric: str = ""


def write_sheets(
    items: Sequence[JudgedItem], out: Path, plan: SheetPlan, *, said: Mapping[str, str] = MappingProxyType({})
) -> SentOut:
    """Write a sheet for each judge, the guide, and the file for reading filled sheets.

    `said` contains the votes on an item for adjudicators; other sheets do not have it.
    """
    check_judges(plan.judges)
    token, long = token_of(plan.seed), dict[str, str]()
    columns, sheets = _columns(items, said), []
    make_parents(out / LETTER)
    for judge in plan.judges:
        path = out / f"{judge}.{plan.form}"
        rows = [
            _row(item, token, judge, plan, said.get(item.item, ""), long)
            for item in in_sheet_order(items, token, judge)
        ]
        _write(path, rows, columns, plan.form)
        sheets.append(path)
    for name, text in long.items():
        make_parents(out / name)
        _write_text(out / name, text)
    if plan.guide:
        _write_text(out / "READ-ME.txt", plan.guide)
    letter = {"judges": list(plan.judges), "sheet": token, "items": len(items), "rubric": plan.rubric}
    write_json(out / LETTER, letter)
    return SentOut(sheets, len(items), len(long))


def shown_texts(item: JudgedItem, order: str) -> dict[str, str]:
    """Return the texts of an item, including empty ones, with the sides of a pair in this order."""
    references = "\n\n".join(f"[{at}] {text}" for at, text in enumerate(item.references, 1))
    texts = {"question": item.question, "code": item.code, "references": references}
    answers = [each.text for each in item.answers]
    if len(answers) == 2:
        first, second = answers if order == "ab" else reversed(answers)
        texts |= {"answer_a": first, "answer_b": second}
    else:
        texts["answer"] = answers[0] if answers else ""
    return {name: replace_lone(text) for name, text in texts.items()}


def _columns(items: Sequence[JudgedItem], said: Mapping[str, str]) -> list[str]:
    """Those that some item has something in; what is to be filled in stands last."""
    fields = list(dict.fromkeys(field for item in items for field in item.fields))
    has = {
        "question": True,
        "code": any(item.code for item in items),
        "references": any(item.references for item in items),
        "answer": any(len(item.answers) == 1 for item in items),
        "answer_a": any(len(item.answers) == 2 for item in items),
    }
    has["answer_b"], has["votes"] = has["answer_a"], bool(said)
    return [*KEYS, *(name for name in TEXTS if has[name]), *fields, COMMENT]


def _row(
    item: JudgedItem, token: str, judge: str, plan: SheetPlan, said: str, long: dict[str, str]
) -> dict[str, str]:
    """Make a row; `long` collects texts that are too long for a cell, by file name."""
    keys = {"sheet": token, "round": plan.round, "judge": judge, "item": item.item}
    texts = {**shown_texts(item, shown_order(token, judge, item.item)), "votes": said}
    cell = (lambda text: _cell(text, long)) if plan.form == "csv" else str
    return {**keys, **{name: cell(text) for name, text in texts.items()}}


def _cell(text: str, long: dict[str, str]) -> str:
    """Return a text that is not a formula, or its start and the name of the file with the whole text."""
    safe = spreadsheet_cell(text)
    if len(safe) <= MAX_CELL:
        return safe
    place = f"{_FOLDER}/{content_key('text', text)[:TOKEN]}.txt"
    long[place] = escaped_code(text)
    return f"{safe[:MAX_CELL]}\n[cut: all of it is in {place}]"


def _write(path: Path, rows: Sequence[Mapping[str, Any]], columns: Sequence[str], form: SheetFormat) -> None:
    with replacing(path) as file:
        if form == "jsonl":
            for row in rows:
                file.write(msgspec.json.encode({name: row.get(name) for name in columns}) + b"\n")
            return
        text = io.StringIO(newline="")
        writer = csv.writer(text)
        writer.writerow(columns)
        writer.writerows([row.get(name, "") for name in columns] for row in rows)
        file.write(text.getvalue().encode("utf-8-sig"))


def _write_text(path: Path, text: str) -> None:
    with replacing(path) as file:
        file.write(text.encode("utf-8", "replace"))


def values_in_words(fields: Iterable[str]) -> list[str]:
    """Return a line for each field with its permitted values."""
    return [f"{field}: {', '.join(map(str, allowed(field)))}" for field in fields]
