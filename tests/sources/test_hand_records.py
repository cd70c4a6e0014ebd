"""Hand-collected records: each row becomes events or one drop with its own reason."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.errors import UsageError
from benchwright.records import Drop
from benchwright.sources.events import RepoEvent
from benchwright.sources.hand_records import MAX_FIELD, column_kinds, open_records
from benchwright.store.scanning import MAX_LINE
from benchwright.store.tables import MAX_CELL
from kit.marking_cleaner import MarkingCleaner, drop_reasons, events_of, kinds, only_events

ISSUE = {"type": "issue", "id": 1, "number": 3, "title": "Crash", "created_at": "2024-01-01T00:00:00Z"}
PULL = {
    "type": "pull",
    "id": 2,
    "number": 12,
    "title": "Fix",
    "base": "a" * 40,
    "heads": ["b" * 40, "c" * 40],
    "closes": ["#3", "other/name#4"],
    "merged_at": "2024-01-04T00:00:00+02:00",
    "merge_commit": "d" * 40,
    "labels": ["bug"],
}
REMARK = {
    "type": "remark",
    "id": 7,
    "pull": 12,
    "path": "a.py",
    "line": 9,
    "first_line": 8,
    "commit": "b" * 40,
    "text": "rename",
    "author": "ann",
}
COMMENT = {"type": "comment", "id": 5, "on": "pull:12", "text": "thanks"}


def _found(folder: Path, *rows: Any, name: str = "rows.jsonl", options: str = "") -> list[RepoEvent | Drop]:
    text = "".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows)
    (folder / name).write_text(text)
    return events_of(open_records(f"{folder / name}{options}"), folder)


def _table(folder: Path, columns: str, *lines: str, options: str = "") -> list[RepoEvent | Drop]:
    (folder / "rows.csv").write_bytes("\n".join([columns, *lines]).encode("utf-8", "surrogateescape"))
    return events_of(open_records(f"{folder / 'rows.csv'}{options}"), folder)


def test_the_four_types(tmp_path: Path) -> None:
    found = only_events(
        _found(tmp_path, ISSUE, PULL, REMARK, COMMENT, options=",repo=ours/scales,licence=mit")
    )
    assert kinds(found) == {
        "issue_opened": 1,
        "pull_opened": 1,
        "push": 1,
        "label": 1,
        "merge": 1,
        "remark": 1,
        "comment": 1,
    }
    by_kind = {each.kind: each for each in found}
    assert by_kind["pull_opened"].heads == ["a" * 40, "b" * 40]
    assert by_kind["pull_opened"].cites == ["issue:3", "other/name#4"]
    assert by_kind["push"].heads == ["b" * 40, "c" * 40]
    assert by_kind["merge"].at == "2024-01-03T22:00:00Z"
    place = by_kind["remark"].place
    assert place and (place.first, place.last, place.path) == (8, 9, "a.py")
    assert {each.pull for each in found} == {"", "pull:12"}
    assert {each.repo for each in found} == {"ours/scales"} and {each.licence for each in found} == {"MIT"}


def test_a_repository_that_cannot_name_a_folder(tmp_path: Path) -> None:
    found = _found(tmp_path, {**PULL, "repo": "a" * 300}, {**ISSUE, "repo": "a\nb"}, COMMENT)
    assert drop_reasons(found) == {"repo_invalid": 2} and kinds(found) == {"comment": 1}


def test_a_suggestion_and_a_closed_issue(tmp_path: Path) -> None:
    closed = {**ISSUE, "closed_at": "2024-02-01", "closed_by": "e" * 40}
    found = only_events(_found(tmp_path, {**REMARK, "suggestion": "x = 1"}, closed))
    by_kind = {each.kind: each for each in found}
    assert by_kind["suggestion"].replacement == "x = 1"
    assert by_kind["issue_closed"].cites == [f"commit:{'e' * 40}"]


def test_a_table_with_every_fault(tmp_path: Path) -> None:
    columns = "type,id,number,title,text,created_at,on,pull,path,line"
    found = _table(
        tmp_path,
        columns,
        "issue,1,3,Crash,body,2024-01-01,,,,",
        "issue,1,4,Again,body,2024-01-01,,,,",  # duplicate_id
        "comment,2,,,hello,tomorrow,issue:3,,,",  # date_invalid
        "remark,3,,,why,2024-01-01,,12,a.py,seven",  # field_invalid
        "remark,4,,,why",  # cell_count
        "comment,5,,,,2024-01-01,issue:3,,,",  # field_missing
        "talk,6,,,x,2024-01-01,issue:3,,,",  # field_invalid
        "comment,7,,,a\0b,2024-01-01,issue:3,,,",  # nul_byte
        f"comment,8,,,{'x' * (MAX_FIELD + 1)},2024-01-01,issue:3,,,",  # field_too_large
        f"comment,9,,,{'x' * (MAX_CELL + 1)},2024-01-01,issue:3,,,",  # cell_too_large
        "comment,10,,,caf\udce9,2024-01-01,issue:3,,,",  # not_utf8
        "comment,11,,,good,2024-01-01,issue:3,,,",
        'comment,12,,,"cut',  # record_cut
    )
    assert drop_reasons(found) == {
        "duplicate_id": 1,
        "date_invalid": 1,
        "field_invalid": 2,
        "cell_count": 1,
        "field_missing": 1,
        "nul_byte": 1,
        "field_too_large": 1,
        "cell_too_large": 1,
        "not_utf8": 1,
        "record_cut": 1,
    }
    assert kinds(found) == {"issue_opened": 1, "comment": 1}
    places = {each.reason: each.unit for each in found if isinstance(each, Drop)}
    assert places["duplicate_id"] == "rows.csv:3" and places["date_invalid"] == "rows.csv:4"


def test_json_lines_with_every_fault(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_bytes(
        b"".join(
            [
                json.dumps(COMMENT).encode() + b"\n",
                b"words\n",
                json.dumps({**COMMENT, "id": 6, "text": "a\0b"}).encode() + b"\n",
                b'{"type":"comment","id":7,"on":"issue:3","text":"caf\xe9"}\n',
                b'{"type":"comment","id":8,"text":"' + b"x" * MAX_LINE + b'"}\n',
                b'{"type":"comment","id":9,"on":3,"text":"x"}\n',
                b'{"type":"comment","id":9,"id":10}\n',
                json.dumps({**COMMENT, "id": 11}).encode() + b"\n",
                b'{"type":"comment","id":12,\n',
            ]
        )
    )
    found = events_of(open_records(str(tmp_path / "rows.jsonl")), tmp_path)
    assert drop_reasons(found) == {
        "not_a_record": 1,
        "nul_byte": 1,
        "not_utf8": 1,
        "line_too_long": 1,
        "field_invalid": 2,
        "record_cut": 1,
    }
    assert [each.source_id for each in only_events(found)] == ["5", "11"]


def test_other_columns_by_a_map(tmp_path: Path) -> None:
    found = _table(
        tmp_path,
        "id,body,user,where",
        "1,hello,ann,issue:3",
        options=",map=body:text,map=user:author,map=where:on,set=type:comment",
    )
    (event,) = only_events(found)
    assert (event.kind, event.text, event.actor, event.parents) == (
        "comment",
        "hello",
        "person-0",
        ["issue:3"],
    )


@pytest.mark.parametrize(
    "options", [",map=body:nothing", ",repo=a b", ",licence=mine", ",other=1", ",map=body"]
)
def test_options_that_are_none(tmp_path: Path, options: str) -> None:
    with pytest.raises(UsageError):
        _found(tmp_path, ISSUE, options=options)


def test_questions_with_answers_and_commas_to_repair(tmp_path: Path) -> None:
    text = """{
    "question": "How do I weigh?", "user_login": "ann", "created_at": "2024-01-01T00:00:00Z""updated_at": "2024-01-02",
    "body": "It fails.",
    "answer_1": {"user_login": "ben", "body": "Use weigh()", "created_at": "2024-01-02T00:00:00Z", "linked_fix": "#9"},
    "answer_2": {"user_login": "cy", "body": "No", "created_at": "2024-01-03T00:00:00Z",},
    }
    {"question": "And?", "answer_1": 3}
    """
    (tmp_path / "asked.jsonl").write_text(text)
    repairs: list[str] = []
    source = open_records(str(tmp_path / "asked.jsonl"))
    found = list(source.events(tmp_path, MarkingCleaner(), repairs.append))
    assert len(repairs) == 3 and all("comma" in each for each in repairs)
    assert drop_reasons(found) == {"field_invalid": 1}
    asked, first, second = only_events(found)
    assert asked.text == "How do I weigh?\n\nIt fails." and asked.kind == "issue_opened"
    assert first.parents == [asked.subject] and first.cites == ["issue:9"] and first.state == "linked_fix"
    assert first.actor != second.actor != asked.actor


_CELLS = st.text(alphabet=st.characters(blacklist_categories=["Cs"]), max_size=12)


@settings(max_examples=60)
@given(st.lists(st.dictionaries(st.sampled_from(sorted(column_kinds())), _CELLS, max_size=8), max_size=6))
def test_any_table_is_read_to_its_end(tmp_path_factory: Any, rows: list[dict[str, str]]) -> None:
    folder = tmp_path_factory.mktemp("table")
    columns = ["id", *(name for name in column_kinds() if name != "id")]
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writeheader()
    good = {"type": "comment", "on": "issue:1", "text": "end"}
    for number, row in enumerate([*rows, good]):
        writer.writerow({**row, "id": f"row-{number}"})
    (folder / "rows.csv").write_text(text.getvalue(), newline="")
    found = events_of(open_records(str(folder / "rows.csv")), folder)
    assert isinstance(found[-1], RepoEvent) and found[-1].source_id == f"row-{len(rows)}"
    ended = {each.unit for each in found if isinstance(each, Drop)}
    made = {each.source_id for each in only_events(found) if each.kind in ("comment", "remark", "suggestion")}
    made |= {each.subject for each in only_events(found) if each.kind in ("issue_opened", "pull_opened")}
    assert len(ended) + len(made) == len(rows) + 1


@settings(max_examples=80)
@given(st.binary(max_size=200))
def test_any_bytes_are_read_to_their_end(tmp_path_factory: Any, data: bytes) -> None:
    folder = tmp_path_factory.mktemp("bytes")
    (folder / "rows.jsonl").write_bytes(b"x" + data + b"\n" + json.dumps(COMMENT).encode() + b"\n")
    found = events_of(open_records(str(folder / "rows.jsonl")), folder)
    assert drop_reasons(found)
