"""Sheets for human judges as CSV: writing them, and reading filled ones."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import msgspec

from benchwright.display.escape import escaped_code, escaped_name, escaped_path, quoted, spreadsheet_cell
from benchwright.errors import DataError, UsageError
from benchwright.interop.vote_import import FilledRow, VoteImporter
from benchwright.judges.people.records import MAX_NAME, JudgedItem, Round, allowed
from benchwright.store.files import READ_ERRORS, broken_off, locate, open_binary
from benchwright.store.keys import content_key
from benchwright.store.lines import BOM, UTF16
from benchwright.store.strict_json import JsonOrigin, parse_object, replace_lone
from benchwright.store.writing import make_parents, replacing, write_json

SheetFormat = Literal["csv", "jsonl"]
KEYS = ("sheet", "round", "judge", "item")
TEXTS = ("question", "code", "references", "answer", "answer_a", "answer_b", "votes")
COMMENT = "comment"
LETTER = "sheets.json"  # the recipients of the sheets; kept by the sender
MAX_CELL = 30_000  # characters: the spreadsheets in use hold 32,767
TOKEN = 16
_FOLDER = "texts"
_PLAIN = frozenset("._-")


class WrittenSheets(NamedTuple):
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


def sheet_order(items: Iterable[JudgedItem], token: str, judge: str) -> list[JudgedItem]:
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
) -> WrittenSheets:
    """Write a sheet for each judge, the guide, and the file for reading filled sheets.

    `said` contains the votes on an item for adjudicators; other sheets do not have it.
    """
    check_judges(plan.judges)
    token, long = token_of(plan.seed), dict[str, str]()
    columns, sheets = _columns(items, said), []
    make_parents(out / LETTER)
    for judge in plan.judges:
        path = out / f"{judge}.{plan.form}"
        rows = (
            _row(item, token, judge, plan, said.get(item.item, ""), long)
            for item in sheet_order(items, token, judge)
        )
        _write(path, rows, columns, plan.form)
        sheets.append(path)
    for name, text in long.items():
        make_parents(out / name)
        _write_text(out / name, text)
    if plan.guide:
        _write_text(out / "READ-ME.txt", plan.guide)
    letter = {"judges": list(plan.judges), "sheet": token, "items": len(items), "rubric": plan.rubric}
    write_json(out / LETTER, letter)
    return WrittenSheets(sheets, len(items), len(long))


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


def _columns(items: Sequence[JudgedItem], votes: Mapping[str, str]) -> list[str]:
    """Columns that some item uses, then those that the judge fills in."""
    fields = list(dict.fromkeys(field for item in items for field in item.fields))
    has = {
        "question": True,
        "code": any(item.code for item in items),
        "references": any(item.references for item in items),
        "answer": any(len(item.answers) == 1 for item in items),
        "answer_a": any(len(item.answers) == 2 for item in items),
    }
    has["answer_b"], has["votes"] = has["answer_a"], bool(votes)
    return [*KEYS, *(name for name in TEXTS if has[name]), *fields, COMMENT]


def _row(
    item: JudgedItem, token: str, judge: str, plan: SheetPlan, votes: str, long: dict[str, str]
) -> dict[str, str]:
    """Make a row; `long` collects texts that are too long for a cell, by file name."""
    keys = {"sheet": token, "round": plan.round, "judge": judge, "item": item.item}
    texts = {**shown_texts(item, shown_order(token, judge, item.item)), "votes": votes}
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


def _write(path: Path, rows: Iterable[Mapping[str, Any]], columns: Sequence[str], form: SheetFormat) -> None:
    with replacing(path) as file:
        if form == "jsonl":
            for row in rows:
                file.write(msgspec.json.encode({name: row.get(name) for name in columns}) + b"\n")
            return
        text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
        writer = csv.writer(text)
        writer.writerow(columns)
        writer.writerows([row.get(name, "") for name in columns] for row in rows)
        text.detach()


def _write_text(path: Path, text: str) -> None:
    with replacing(path) as file:
        file.write(text.encode("utf-8", "replace"))


def values_in_words(fields: Iterable[str]) -> list[str]:
    """Return a line for each field with its permitted values."""
    return [f"{field}: {', '.join(map(str, allowed(field)))}" for field in fields]


MAX_FILE = 256 << 20  # bytes of one sheet
MAX_READ_CELL = 1 << 20  # characters
MAX_ROWS = 200_000
MAX_COLUMNS = 200
_REQUIRED = ("judge", "item")  # needed to identify a row
_DELIMITERS = ",;\t"


class SheetRecipients(NamedTuple):
    """Facts about sent sheets: judges and token."""

    judges: frozenset[str]
    token: str
    rubric: str = ""
    users: Mapping[str, str] = MappingProxyType({})  # by the name of a user in another tool, the judge


def read_letter(sheet: Path) -> SheetRecipients | None:
    """Read the file next to a sheet; None without one. Raises DataError for an invalid file."""
    path = sheet.parent / LETTER
    if not path.is_file():
        return None
    with open_binary(path) as stream:
        data = stream.read(1 << 20)
    origin = JsonOrigin(escaped_path(path), 1)
    found = parse_object(data, origin)
    judges, token = found.get("judges"), found.get("sheet")
    if not isinstance(judges, list) or not isinstance(token, str):
        raise origin.error("does not list the judges", hint=f"remove {LETTER} and add --judges")
    return SheetRecipients(
        frozenset(map(str, judges)), token, str(found.get("rubric", "")), _users(found.get("users"))
    )


def _users(found: Any) -> dict[str, str]:
    return {str(user): str(judge) for user, judge in found.items()} if isinstance(found, dict) else {}


def read_sheet(path: Path, box: VoteImporter, *, encoding: str = "utf-8") -> int:
    """Add the rows of a filled sheet to the box, and return their number. Raises DataError for a bad file."""
    path = locate(path)
    data = _bytes(path)
    count = 0
    for filled in _jsonl(path, data) if _is_jsonl(path, data) else _csv(path, data, encoding):
        box.take(path, filled)
        count += 1
    return count


def _bytes(path: Path) -> bytes:
    place = escaped_path(path)
    with open_binary(path) as stream:
        try:
            data = stream.read(MAX_FILE + 1)
        except READ_ERRORS as error:
            raise broken_off(error, place, 1) from None
    if len(data) > MAX_FILE:
        raise DataError(f"exceeds {MAX_FILE:,} bytes", path=place, hint="split the sheet")
    if data.startswith(UTF16):
        hint = f"iconv -f UTF-16 -t UTF-8 {quoted(path)} > NEW.csv"
        raise DataError("the file is UTF-16, not UTF-8", path=place, line=1, hint=hint)
    return data.removeprefix(BOM)


def _is_jsonl(path: Path, data: bytes) -> bool:
    return path.suffix.lower() in (".jsonl", ".json") or data[:1000].lstrip()[:1] == b"{"


def _jsonl(path: Path, data: bytes) -> Iterator[FilledRow]:
    place = escaped_path(path)
    for number, line in enumerate(data.split(b"\n"), 1):
        if number > MAX_ROWS:
            raise DataError(f"exceeds {MAX_ROWS:,} rows", path=place, hint="split the sheet")
        if line.strip():
            row = parse_object(line, JsonOrigin(place, number), max_depth=4, surrogates="replace")
            yield _filled_row(number, {str(name): value for name, value in row.items()})


def _csv(path: Path, data: bytes, encoding: str) -> Iterator[FilledRow]:
    place = escaped_path(path)
    _check_encoding(path, data, encoding)
    with io.TextIOWrapper(io.BytesIO(data), encoding=encoding, newline="") as text:
        yield from _filled_rows(_cells(text, place, _delimiter(data, encoding)), place)


def _filled_rows(rows: Iterator[tuple[int, list[str]]], place: str) -> Iterator[FilledRow]:
    first = next(rows, None)
    if first is None:
        raise DataError("the sheet is empty", path=place, line=1, hint="export it again")
    header = _header(first, place)
    for number, cells in rows:
        if not any(cell.strip() for cell in cells):
            continue
        if [cell.strip().lower() for cell in cells] == header:
            yield FilledRow(number, "repeated header", "", {})
            continue
        if len(cells) > len(header) and any(cell.strip() for cell in cells[len(header) :]):
            hint = "quote cells with delimiters or line ends: save the sheet as CSV again"
            message = f"the row has {len(cells)} cells, the header {len(header)}"
            raise DataError(message, path=place, line=number, hint=hint)
        yield _filled_row(number, dict(zip(header, cells, strict=False)))


def _check_encoding(path: Path, data: bytes, encoding: str) -> None:
    """Raise an error for text that is not in this encoding, before any row is read."""
    try:
        data.decode(encoding)
    except LookupError:
        raise UsageError(f"unknown encoding: {encoding}", hint="--encoding cp1251") from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        hint = "save the sheet as “CSV UTF-8”, or specify its encoding: --encoding cp1251"
        raise DataError(f"not valid {encoding}", path=escaped_path(path), line=line, hint=hint) from None


def _delimiter(data: bytes, encoding: str) -> str:
    """Return the most frequent delimiter in the header."""
    line = data[:20_000].decode(encoding, "ignore").replace("\r", "\n").lstrip("\n").partition("\n")[0]
    return max(_DELIMITERS, key=line.count)


def _cells(text: Iterable[str], place: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows with their last lines. Rejects NUL characters and cells above the limit."""
    limit = csv.field_size_limit(MAX_READ_CELL)
    lines = (line.replace("\0", "\ufffd") for line in text)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        for number, cells in enumerate(reader):
            if number > MAX_ROWS or len(cells) > MAX_COLUMNS:
                message = f"exceeds {MAX_ROWS:,} rows or {MAX_COLUMNS} columns"
                raise DataError(message, path=place, line=reader.line_num, hint="split the sheet")
            yield reader.line_num, cells
    except csv.Error as error:
        fault = f"a cell has more than {MAX_READ_CELL:,} characters" if "limit" in str(error) else str(error)
        hint = "save the sheet as CSV again"
        raise DataError(fault, path=place, line=reader.line_num, hint=hint) from None
    finally:
        csv.field_size_limit(limit)


def _header(first: tuple[int, list[str]], place: str) -> list[str]:
    number, cells = first
    header = [cell.strip().lower() for cell in cells]
    while header and not header[-1]:
        header.pop()
    for name in _REQUIRED:
        if name not in header:
            hint = "the first row must have the column names of the original sheet"
            raise DataError("missing column", path=place, line=number, field=name, hint=hint)
    repeated_name = next((name for at, name in enumerate(header) if name in header[:at]), None)
    if repeated_name is not None:
        name = escaped_name(repeated_name)
        raise DataError("duplicate column", path=place, line=number, field=name, hint="keep one column")
    return header


def _filled_row(number: int, row: Mapping[str, Any]) -> FilledRow:
    token, judge, item = (_cell_text(row.get(name)) for name in ("sheet", "judge", "item"))
    values = {name: value for name, value in row.items() if name and name not in (*KEYS, *TEXTS, COMMENT)}
    return FilledRow(
        row=number,
        item=item,
        judge=judge,
        values=values,
        round=_cell_text(row.get("round")) or "first",
        comment=_cell_text(row.get(COMMENT)),
        shown=shown_order(token, judge, item) if len(token) == TOKEN and _is_pair(row) else "",
    )


def _cell_text(value: Any) -> str:
    return "" if value is None else str(value).strip().removeprefix("'")


def _is_pair(row: Mapping[str, Any]) -> bool:
    return row.get("preference") is not None
