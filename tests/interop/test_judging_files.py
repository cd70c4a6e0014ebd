"""Sheets, Argilla and Label Studio files: what goes out comes back, and what is no vote is refused by name."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchwright.errors import BenchwrightError, DataError
from benchwright.interop import argilla, label_studio
from benchwright.interop.sheets import (
    MAX_CELL,
    SheetPlan,
    read_letter,
    read_sheet,
    shown_order,
    token_of,
    write_sheets,
)
from benchwright.interop.vote_import import Suggestion, VoteImporter, read_value
from benchwright.judges.people.judged_items import keyed
from benchwright.judges.people.records import (
    ItemAnswer,
    JudgedItem,
    Vote,
    allowed,
    in_order,
    turned,
    vote_key,
)

FIELDS = {"rate": ["logic", "accuracy", "format"], "decide": ["decision"], "pair": ["preference"]}
JUDGES = ("anna", "boris")
HOSTILE = '=cmd|" /C calc"!A0\x00\u202e\x1b[2J<script>alert(1)</script>"; x,\ty\r\nz'
TEXTS = st.text(st.characters(codec="utf-8"), max_size=40) | st.just(HOSTILE)


def item(kind: str, number: int, texts: tuple[str, str] = ("one", "two")) -> JudgedItem:
    """An item of a kind, with these answers."""
    answers = [
        ItemAnswer(run="r", key=f"{kind}{number}{at}", sample=0, text=text) for at, text in enumerate(texts)
    ]
    return keyed(
        JudgedItem(
            item="",
            kind=kind,  # type: ignore[arg-type]
            task_id=number,
            track="t",
            question=f"question {number}?",
            references=["because"],
            answers=answers if kind == "pair" else answers[:1],
            fields=FIELDS[kind],
        )
    )


def said_of(items: list[JudgedItem], judges: tuple[str, ...], draw: Callable[[str], Any]) -> list[Vote]:
    """A vote of each judge on each field."""
    made = []
    for each in items:
        for judge in judges:
            for field in each.fields:
                vote = Vote(
                    vote="",
                    item=each.item,
                    task_id=each.task_id,
                    kind=each.kind,
                    field=field,
                    value=draw(field),
                    judge=judge,
                    answers=[answer.key for answer in each.answers],
                )
                made.append(msgspec.structs.replace(vote, vote=vote_key(vote)))
    return made


def plain(votes: list[Vote]) -> list[tuple[Any, ...]]:
    """What votes say, in canonical order."""
    return [(v.item, v.judge, v.field, v.value, v.comment, v.round) for v in in_order(votes, {})]


@st.composite
def judged(draw: st.DrawFn) -> tuple[list[JudgedItem], list[Vote]]:
    """Items of one kind, with votes of two judges."""
    kind = draw(st.sampled_from(sorted(FIELDS)))
    texts = draw(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4))
    items = [item(kind, number, pair) for number, pair in enumerate(texts)]
    return items, said_of(items, JUDGES, lambda field: draw(st.sampled_from(allowed(field))))


def fill_sheets(folder: Path, items: list[JudgedItem], votes: list[Vote], form: str) -> None:
    """Write into each judge's sheet what the votes say, as the judge saw it."""
    token = token_of("s")
    for judge in JUDGES:
        path = folder / f"{judge}.{form}"
        own = {(vote.item, vote.field): vote for vote in votes if vote.judge == judge}

        def filled(row: dict[str, Any], judge: str = judge, own: Any = own) -> dict[str, Any]:
            values = {}
            for each in (each for each in items if each.item == row["item"]):
                for field in each.fields:
                    value = own[each.item, field].value
                    order = shown_order(token, judge, each.item) if each.kind == "pair" else "ab"
                    values[field] = argilla.turned(value, order)
            return {**row, **values}

        if form == "jsonl":
            rows = [filled(json.loads(line)) for line in path.read_bytes().splitlines()]
            path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
            continue
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [filled(row) for row in csv.DictReader(file)]
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)


FILES = settings(deadline=None, max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])


@FILES
@given(judged(), st.sampled_from(["csv", "jsonl"]))
def test_filled_sheets_come_back_as_votes(
    tmp_path_factory: pytest.TempPathFactory, made: tuple[list[JudgedItem], list[Vote]], form: Any
) -> None:
    """Every vote, with sides of pairs where they stood in the item; nothing is refused."""
    (items, votes), folder = made, tmp_path_factory.mktemp("sheets")
    write_sheets(items, folder, SheetPlan(JUDGES, "s", form))
    fill_sheets(folder, items, votes, form)

    box = VoteImporter(items, judges=JUDGES)
    for judge in JUDGES:
        read_sheet(folder / f"{judge}.{form}", box)

    assert (box.refused, plain(box.votes)) == ([], plain(votes))


@FILES
@given(judged(), st.booleans())
def test_argilla_round_trip(
    tmp_path_factory: pytest.TempPathFactory, made: tuple[list[JudgedItem], list[Vote]], flat: bool
) -> None:
    """Votes and suggestions, from nested records and from flat ones."""
    (items, votes), folder = made, tmp_path_factory.mktemp("argilla")
    suggested = [
        Suggestion(item=items[0].item, field=name, value=allowed(name)[0], agent="m")
        for name in items[0].fields
    ]
    argilla.write_dataset(items, folder, seed="s", votes=votes, suggestions=suggested)
    suggestions = suggestions_in(folder / argilla.RECORDS, items[0].item)
    if flat:
        flatten(folder / argilla.RECORDS)
    letter, box = read_letter(folder / "file"), VoteImporter(items)
    assert letter is not None
    argilla.read_dataset(folder, box, users=letter.users)

    assert (box.refused, plain(box.votes)) == ([], plain(votes))
    assert suggestions == {each.field: (each.value, "m") for each in suggested}


def suggestions_in(path: Path, item: str) -> dict[str, tuple[object, str]]:
    """The suggestions of an item, with the answers of a pair in their own order."""
    (record,) = [each for each in json.loads(path.read_text()) if each["id"] == item]
    order = record["metadata"].get("shown", "ab")
    return {
        field: (turned(each["value"], order), each["agent"]) for field, each in record["suggestions"].items()
    }


def flatten(path: Path) -> None:
    """Records as `to_datasets` has them."""
    rows = []
    for record in json.loads(path.read_text()):
        row = {"id": record["id"], **record["fields"], **record["metadata"]}
        for field, given_ in record["responses"].items():
            row[f"{field}.responses"] = [each["value"] for each in given_]
            row[f"{field}.responses.users"] = [each["user_id"] for each in given_]
            row[f"{field}.responses.status"] = [each["status"] for each in given_]
        for field, each in record["suggestions"].items():
            row |= {f"{field}.suggestion": each["value"], f"{field}.suggestion.agent": each["agent"]}
        rows.append(row)
    path.write_text(json.dumps(rows))


def predictions_in(path: Path, item: str) -> list[Suggestion]:
    """The predictions of an item, with the answers of a pair in their own order."""
    (task,) = [each for each in json.loads(path.read_text()) if each["data"]["item"] == item]
    order = task["data"].get("shown", "ab")
    return [
        Suggestion(
            item=item,
            field=part["from_name"],
            value=turned(label_studio._value(part), order),
            agent=each["model_version"],
        )
        for each in task["predictions"]
        for part in each["result"]
    ]


@FILES
@given(judged())
def test_label_studio_round_trip(
    tmp_path_factory: pytest.TempPathFactory, made: tuple[list[JudgedItem], list[Vote]]
) -> None:
    """Votes and predictions; the config is XML and has a control for each field."""
    (items, votes), folder = made, tmp_path_factory.mktemp("tasks")
    suggested = [
        Suggestion(item=items[0].item, field=name, value=allowed(name)[-1], agent="m")
        for name in items[0].fields
    ]
    label_studio.write_tasks(
        items, folder, seed="s", guide=HOSTILE[:5] + '"<&', votes=votes, suggestions=suggested
    )
    letter, box = read_letter(folder / "file"), VoteImporter(items)
    assert letter is not None
    label_studio.read_tasks(folder, box, users=letter.users)

    assert (box.refused, plain(box.votes)) == ([], plain(votes))
    assert predictions_in(folder / label_studio.TASKS, items[0].item) == suggested
    tree = ElementTree.parse(folder / label_studio.CONFIG)
    controls = {each.get("name") for each in tree.iter() if each.tag in ("Choices", "Rating")}
    assert controls == set(items[0].fields)


def test_json_min_is_refused_with_the_true_reason(tmp_path: Path) -> None:
    """It has a row for each annotation, with the data's fields beside it."""
    row = {"item": "x", "id": 1, "decision": "wrong", "annotator": 1, "annotation_id": 2, "lead_time": 3.0}
    path = tmp_path / "min.json"
    path.write_text(json.dumps([row]))
    with pytest.raises(DataError, match="JSON_MIN") as told:
        label_studio.read_tasks(path, VoteImporter([]), users={})

    assert "in the format JSON" in str(told.value.hint)


def test_label_studio_says_who_skipped_and_who_decided(tmp_path: Path) -> None:
    """A cancelled annotation is refused as empty, a ground truth is an adjudicator's, times are kept."""
    one = item("decide", 1)
    result = [
        {"from_name": "decision", "to_name": "question", "type": "choices", "value": {"choices": ["wrong"]}}
    ]
    annotations = [
        {"completed_by": 7, "result": [], "was_cancelled": True},
        {"completed_by": {"id": 8, "email": "v@x"}, "result": result, "ground_truth": True,
         "created_at": "2026-01-02T03:04:05Z", "lead_time": 5},
    ]  # fmt: skip
    path = tmp_path / "export.json"
    path.write_text(json.dumps([{"id": 3, "data": {"item": one.item}, "annotations": annotations}]))
    box = VoteImporter([one])
    label_studio.read_tasks(path, box, users={"8": "vera"})

    (vote,), (refused,) = box.votes, box.refused
    assert (vote.judge, vote.round, vote.value) == ("vera", "adjudication", "wrong")
    assert (vote.started_at[11:19], vote.submitted_at[11:19]) == ("03:04:00", "03:04:05")
    assert (refused.judge, refused.why) == ("user-7", "is empty: this item has no value")


def test_argilla_drafts_are_no_votes(tmp_path: Path) -> None:
    """A response that was not submitted is refused as empty, and an unknown user is called by the id."""
    one = item("rate", 1)
    responses = {name: [{"value": 4, "user_id": "u", "status": "draft"}, {"value": 2, "user_id": "w"}]
                 for name in one.fields}  # fmt: skip
    path = tmp_path / "records.json"
    path.write_text(json.dumps([{"id": one.item, "fields": {}, "responses": responses}]))
    box = VoteImporter([one])
    argilla.read_dataset(path, box, users={})

    assert {(vote.judge, vote.value) for vote in box.votes} == {("w", 2)}
    assert [(each.judge, each.row) for each in box.refused] == [("u", 1)]


def test_a_sheet_holds_no_formula_and_no_control_character(tmp_path: Path) -> None:
    """What a model wrote is text in every cell; a long one is cut and lies beside the sheet."""
    items = [item("decide", 1, (HOSTILE, "")), item("decide", 2, ("y" * (MAX_CELL + 9), ""))]
    sent = write_sheets(items, tmp_path, SheetPlan(("anna",), "s"))
    data = (tmp_path / "anna.csv").read_bytes()

    assert data.startswith(b"\xef\xbb\xbf") and b"\0" not in data and sent.cut == 1
    cells = [cell for row in csv.reader(io.StringIO(data.decode("utf-8-sig"))) for cell in row]
    assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in cells)
    assert not any(char in cell for cell in cells for char in "\x1b\u202e\r")
    assert max(map(len, cells)) < 32_767
    (whole,) = (tmp_path / "texts").iterdir()
    assert whole.read_text() == "y" * (MAX_CELL + 9)


def sheet(tmp_path: Path, content: bytes) -> tuple[VoteImporter, Path]:
    """A box for two items, and a sheet of this content."""
    path = tmp_path / "sheet.csv"
    path.write_bytes(content)
    return VoteImporter([item("decide", 1), item("decide", 2)], judges=("anna",)), path


ONE, TWO = item("decide", 1).item, item("decide", 2).item


@pytest.mark.parametrize(
    ("content", "votes"),
    [
        (f"judge,item,decision\nanna,{ONE},correct\n".encode(), 1),
        (f"\ufeffjudge;item;decision\r\nanna;{ONE};Correct\r\nanna;{TWO};cannot tell\r\n".encode(), 2),
        (f"judge,item,decision\ranna,{ONE},wrong\ranna,{TWO},partly\r".encode(), 2),
        (f"item\tdecision\tjudge\n{ONE}\t'partly\tanna\n\n".encode(), 1),
        (f"judge,item,decision,,\nanna,{ONE},wrong,,\n".encode(), 1),
    ],
    ids=["plain", "bom and semicolons", "carriage returns alone", "tabs", "empty columns"],
)
def test_sheets_of_many_programs_are_read(tmp_path: Path, content: bytes, votes: int) -> None:
    """Delimiters, line ends, the mark, labels as people write them."""
    box, path = sheet(tmp_path, content)
    read_sheet(path, box)

    assert (len(box.votes), box.refused) == (votes, [])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"judge,decision\nanna,wrong\n", "field `item`"),
        (b"judge,item,item\n", "duplicate"),
        (b"\xff\xfej\x00u\x00", "UTF-16"),
        ("judge,item,decision\nанна,x,верно\n".encode("cp1251"), "not valid utf-8"),
        (b'judge,item,decision\nanna,"x', "unexpected end"),
        (b"judge,item,decision\nanna,x,wrong,left over\n", "4 cells"),
        (b"judge,item,decision\nanna," + b"x" * (50 << 20) + b",wrong\n", "a cell has more than"),
    ],
    ids=["empty", "no column", "column twice", "utf-16", "cp1251", "open quote", "too many cells", "50 MB"],
)
def test_what_is_no_sheet_is_refused_whole(tmp_path: Path, content: bytes, said: str) -> None:
    """With file and line, and a hint."""
    box, path = sheet(tmp_path, content)

    with pytest.raises(DataError, match=said) as caught:
        read_sheet(path, box)
    assert caught.value.path and caught.value.line and caught.value.hint
    assert box.votes == []


def test_rows_that_are_no_votes_are_named(tmp_path: Path) -> None:
    """A header in the middle, a NUL, a value that is none, a judge twice: each by line, and the rest counts."""
    rows = [
        "judge,item,decision,comment,logic",
        f"anna,{ONE},wrong,fine,",
        "judge,item,decision,comment,logic",
        f"anna,{ONE},correct,,",
        f"anna\0,{TWO},correct,,",
        f"anna,{TWO},,,",
        f"anna,{TWO},perhaps,,4",
    ]
    box, path = sheet(tmp_path, "\n".join(rows).encode())
    read_sheet(path, box)

    assert [(vote.value, vote.comment) for vote in box.votes] == [("wrong", "fine")]
    assert [(each.row, each.field) for each in box.refused] == [
        (3, "item"),
        (4, "decision"),
        (5, "judge"),
        (6, "decision"),
        (7, "logic"),
        (7, "decision"),
    ]


@given(st.binary(max_size=300))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_are_votes_or_a_clear_error(tmp_path: Path, content: bytes) -> None:
    """Never another exception."""
    box, path = sheet(tmp_path, b"judge,item,decision\n" + content)
    try:
        read_sheet(path, box)
    except BenchwrightError as error:
        assert error.hint
    assert box.votes == []


@pytest.mark.parametrize("read", [argilla.read_dataset, label_studio.read_tasks])
@given(value=st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5),
                          lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
                              st.sampled_from(["data", "annotations", "result", "responses", "value", "decision",
                                               "decision.responses", "decision.responses.users", "user_id"]),
                              inner, max_size=3), max_leaves=8))  # fmt: skip
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_json_is_votes_or_a_clear_error(tmp_path: Path, read: Any, value: Any) -> None:
    """Files of other tools may hold anything."""
    path = tmp_path / "other.json"
    path.write_text(
        json.dumps([{"id": ONE, "data": {"item": ONE}, "annotations": value, "responses": value}])
    )
    box = VoteImporter([item("decide", 1)])
    try:
        read(path, box, users={})
    except BenchwrightError as error:
        assert error.hint
    assert all(vote.item == ONE for vote in box.votes)


@pytest.mark.parametrize(
    ("field", "raw", "value"),
    [
        ("logic", "4", 4),
        ("logic", "4.0", 4),
        ("logic", "4,0", 4),
        ("logic", 4.0, 4),
        ("logic", "4.5", None),
        ("logic", "0", None),
        ("logic", "٤", None),
        ("logic", True, None),
        ("logic", "nan", None),
        ("decision", " Cannot-Tell ", "cannot_tell"),
        ("decision", "correct!", None),
        ("preference", "TIE", "tie"),
        ("preference", "Both bad", "both_bad"),
        ("decision", "x" * 1000, None),
    ],
)
def test_what_a_cell_stands_for(field: str, raw: Any, value: Any) -> None:
    """Numbers and labels as spreadsheets and people write them."""
    assert read_value(field, raw) == value


GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("name", ["anna.csv", "records.json", "settings.json", "tasks.json", "config.xml"])
def test_files_are_byte_for_byte_what_they_were(tmp_path: Path, name: str) -> None:
    """A change of these is a change for whoever has sheets or projects out: it must be meant."""
    items = [item("decide", number, ('say "x"; =y', "")) for number in (1, 2)]
    votes = said_of(items, JUDGES, lambda field: "partly")
    write_sheets(items, tmp_path / "sheets", SheetPlan(("anna",), "golden"))
    argilla.write_dataset(items, tmp_path / "argilla", seed="golden", votes=votes, guide="Decide.")
    label_studio.write_tasks(items, tmp_path / "tasks", seed="golden", votes=votes, guide="Decide.")
    (made,) = tmp_path.rglob(name)

    assert made.read_bytes() == (GOLDEN / name).read_bytes()
