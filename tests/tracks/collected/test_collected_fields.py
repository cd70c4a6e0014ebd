"""Mapping of a project's own field names, and pseudonyms for people in its records."""

from __future__ import annotations

from typing import Any

import pytest

from benchwright.errors import DataError, UsageError
from benchwright.tracks.collected.records import (
    NAMES,
    FieldRenaming,
    Pseudonyms,
    RecordReader,
    data_hash_of,
    restored,
)
from benchwright.tracks.rows import Fields
from kit.smartcoding_rows import issue_record, write_records

PSEUDONYMS = Pseudonyms(lambda: "key")


def fields(**data: Any) -> Fields:
    """Return the fields of a record."""
    return Fields(data, "f.json", 3)


def test_names_are_mapped_at_every_depth_and_back() -> None:
    """Lists of objects are included; other names stay."""
    renaming = FieldRenaming([" title = question", "solutions=answers", "text=body"])
    record = {"title": "Why?", "solutions": [{"text": "So."}], "n": 1}
    mapped = renaming.applied(fields(**record)).data

    assert mapped == {"question": "Why?", "answers": [{"body": "So."}], "n": 1}
    assert renaming.undone(mapped) == record


@pytest.mark.parametrize(
    ("pairs", "message", "hint"),
    [
        (["title"], "expected MINE=OURS", "--fields source=code_snippet"),
        (["=body"], "expected MINE=OURS", "--fields source=code_snippet"),
        (["title=questions"], "unknown field 'questions'", "did you mean `question`?"),
        (["title=zzz"], "unknown field 'zzz'", "one of: "),
        (["a=body", "b=body"], "duplicate name", "use each name once"),
        (["a=body", "a=question"], "duplicate name", "use each name once"),
    ],
)
def test_pairs_that_are_none(pairs: list[str], message: str, hint: str) -> None:
    """The error has a correction."""
    with pytest.raises(UsageError, match=message) as caught:
        FieldRenaming(pairs)

    assert (caught.value.hint or "").startswith(hint)


def test_two_fields_that_would_be_one() -> None:
    """The record is refused, so neither value is lost."""
    with pytest.raises(DataError, match="has `title` and `question`"):
        FieldRenaming(["title=question"]).applied(fields(title="a", question="b"))


def test_what_a_row_keeps_of_a_record() -> None:
    """Unknown fields are kept as they are; fields whose names are taken or that were read in another form are
    kept separately."""
    taken = RecordReader(fields(body="x", lang="py", url="u", given=1, id=None))
    taken.text("body")
    taken.read("lang")
    taken.derive("unit")
    meta = taken.meta()

    assert meta == {"url": "u", "given": {"lang": "py", "given": 1, "id": None}, "derived": ["unit"]}
    assert restored({"body": "x", "lang": "Python", "unit": "file"}, meta) == taken.fields.data
    assert restored({"body": "x"}, meta, own=False) == {"body": "x", "url": "u"}


def test_people_get_pseudonyms_in_fields_and_mentions() -> None:
    """Each person has one, in any case; other names are unchanged."""
    record = PSEUDONYMS.record(
        issue_record(
            assignees=[{"login": "Grace", "id": 7, "html_url": "https://example.org/grace"}],
            body="ada-l wrote @Ada-L and @property; mail ada-l@example.org",
        )
    )
    ada, grace = PSEUDONYMS.of("ada-l"), PSEUDONYMS.of("grace")

    assert (record["user_login"], record["answer_1"]["user_login"]) == (ada, grace)
    assert record["assignees"] == [{"login": grace}]
    assert record["body"] == f"ada-l wrote @{ada} and @property; mail ada-l@example.org"
    assert record["answer_1"]["body"] == f"@{ada} use `window=3`."
    assert ada.startswith("user-") and len({ada, grace}) == 2


def test_pseudonyms_are_those_of_a_data_set() -> None:
    """Another key gives other names; an empty name stays empty."""
    assert PSEUDONYMS.of("ada") == Pseudonyms(lambda: "key").of(" Ada")
    assert PSEUDONYMS.of("ada") != Pseudonyms(lambda: "other").of("ada")
    assert (PSEUDONYMS.of(""), PSEUDONYMS.record({"author": 3, "code_snippet": "@x", "user": None})) == (
        "",
        {"author": 3, "code_snippet": "@x", "user": None},
    )


def test_code_is_no_place_for_mentions() -> None:
    """A decorator with somebody's name is unchanged."""
    record = PSEUDONYMS.record(
        {"author": "click", "code_snippet": "@click\ndef f(): ...", "comment": "by @click"}
    )

    assert record["code_snippet"].startswith("@click")
    assert record["comment"] == f"by @{PSEUDONYMS.of('click')}"


def test_the_key_is_the_data_set_s_hash(tmp_path) -> None:  # type: ignore[no-untyped-def]
    """The key is the hash that runs use."""
    path = write_records(tmp_path, {"a": 1})

    assert len(data_hash_of(path)) == 64
    assert "question" in NAMES
