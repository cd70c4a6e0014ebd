"""Records of comment test sets become rows, and rows become the same records again."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.errors import DataError, UsageError
from benchwright.lang.lines import split_lf
from benchwright.tracks.collected.records import FieldRenaming, ImportOptions
from benchwright.tracks.comments.rows import build, known_lang, record_of_row, to_row
from benchwright.tracks.rows import Fields
from kit.examples import USUAL, examples
from kit.smartcoding_rows import CODE, comment_record, comment_row

JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2), st.dictionaries(st.text(max_size=4), inner, max_size=2)
    ),
    max_leaves=4,
)
NAMES = st.sampled_from(
    ["difficulty", "repo", "license", "meta", "shape", "given", "derived", "dataset", "_row", "line", "text"]
)
REST = st.dictionaries(NAMES, JSON, max_size=3)


@st.composite
def records(draw: st.DrawFn) -> dict[str, Any]:
    """Return records of both kinds, with unknown fields."""
    code = draw(st.sampled_from([CODE, "x = 1", "x = [\n1,\n]\n"]))
    lines = draw(st.lists(st.integers(1, len(split_lf(code))), unique=True, max_size=3))
    annotations = [{"line_number": line, "annotation": "Says so.", **draw(REST)} for line in lines]
    known = {
        "description": st.text(max_size=5),
        "annotations": st.just(annotations),
        "comment": st.sampled_from(["Adds.", f"# one\n{code}", None, ""]),
        "lang": st.sampled_from(["Python", "python", "py"]),
        "language": st.sampled_from(["en", "ru"]),
        "style": st.just("google"),
        "unit": st.sampled_from(["line", "file"]),
        "key_lines": st.just([1]),
        "id": st.one_of(st.integers(0, 9), st.sampled_from(["a", "b"])),
    }
    chosen = draw(st.fixed_dictionaries({}, optional=known))
    return {**draw(REST), "code_snippet": code, **chosen}


def row_of(record: dict[str, Any], **choices: Any) -> dict[str, Any]:
    """Return the row of a record, which the track accepts."""
    row = to_row(Fields(record, "f.json", 3), ImportOptions(**choices))
    build(Fields(row, "f.json", 3))
    return row


@settings(max_examples=examples(USUAL))
@given(records())
def test_a_record_comes_back(record: dict[str, Any]) -> None:
    """All of its fields come back, and no others."""
    assert record_of_row(row_of(record)) == record


def test_the_row_of_a_record() -> None:
    """Description and code are the prompt; unknown fields are in meta."""
    row = row_of(comment_record(repo="own/work", license="MIT"))

    assert (row["instruction"], row["inputs"]["lang"]) == ("{description}\n\n{code}", "Python")
    assert row["outputs"]["annotations"][0] == {
        "line": 3,
        "text": "An empty range is an error of the caller.",
    }
    assert (row["meta"]["repo"], row["meta"]["license"], row["meta"]["derived"]) == (
        "own/work",
        "MIT",
        ["lang", "id"],
    )


def test_an_id_is_that_of_the_content() -> None:
    """Other names of fields do not change it; another record has another id."""
    ids = [
        row_of(record)["meta"]["id"] for record in (comment_record(), comment_record(), comment_record(x=1))
    ]

    assert (ids[0] == ids[1], ids[0] == ids[2], len(ids[0])) == (True, False, 12)


def test_a_row_stays_as_it_is() -> None:
    """It is not read as a record."""
    assert row_of(comment_row()) == comment_row()


@pytest.mark.parametrize(
    ("changes", "choices", "lang"),
    [
        ({"lang": "golang"}, {}, "Go"),
        ({"language": "JavaScript"}, {}, "JavaScript"),
        ({"description": "Comment this Java method."}, {}, "Java"),
        ({"description": "Comment it.", "code_snippet": "int x = 1;"}, {"lang": "Java"}, "Java"),
        ({"description": "Добавьте комментарии к коду на Java.", "code_snippet": "int x = 1;"}, {}, "Java"),
        ({"description": "Go through it and comment as you go."}, {}, "Python"),
    ],
)
def test_where_the_language_is_from(changes: dict[str, Any], choices: dict[str, Any], lang: str) -> None:
    """The record's field, its description, the option, or Python by default."""
    record = comment_record(annotations=[], comment="Says.", **changes)
    assert to_row(Fields(record, "f", 1), ImportOptions(**choices))["inputs"]["lang"] == lang


def test_annotations_are_taken_from_commented_code() -> None:
    """A reference comment that is the commented code gives the lines of its comments."""
    done = CODE.replace("    return", "    # Both ends.\n    return")
    row = row_of({"code_snippet": CODE, "comment": done})

    assert row["outputs"] == {"annotations": [{"line": 5, "text": "Both ends."}], "comment": done}


@pytest.mark.parametrize(
    ("record", "field", "message"),
    [
        (comment_record(code_snippet=""), "code_snippet", "is empty"),
        (comment_record(code_snippet=None), "code_snippet", "must be a string, not null"),
        (comment_record(code_snippet="x" * 5_000_000), "code_snippet", "5,000,000 characters"),
        (comment_record(code_snippet="int x = 1;", description=""), "code_snippet", "has no language"),
        (comment_record(lang="Cobol"), "lang", "'Cobol' is not a known language"),
        (comment_record(language="Cobol"), "language", "'Cobol' is not a known language"),
        (comment_record(annotations=[{"line_number": 0, "annotation": "x"}]), "annotations[0].line_number", "no line 0"),
        (comment_record(annotations=[{"line_number": -3, "annotation": "x"}]), "annotations[0].line_number", "no line -3"),
        (comment_record(annotations=[{"line_number": 6, "annotation": "x"}]), "annotations[0].line_number", "no line 6"),
        (comment_record(annotations=[{"line_number": 2, "annotation": "x"}] * 2), "annotations", "two annotations"),
        (comment_record(annotations="none"), "annotations", "must be a list"),
        (comment_record(annotations=[{"line_number": 2}]), "annotations[0].annotation", "is missing"),
        (comment_record(comment=3), "comment", "must be a string"),
        (comment_record(id=""), "id", "the id is empty"),
        ({"code": CODE}, "code_snippet", "the record has no `code_snippet`; it has `code`"),
        ({"query": "What is it?", "response": "It."}, "query", "contains no code"),
    ],
)  # fmt: skip
def test_bad_records_are_named(record: dict[str, Any], field: str, message: str) -> None:
    """The error has file, line and the record's own field."""
    with pytest.raises(DataError) as caught:
        row_of(record)

    assert (caught.value.line, caught.value.field, message in caught.value.message) == (3, field, True)


def test_a_project_s_own_names() -> None:
    """They are mapped to ours and back, in annotations too."""
    renaming = FieldRenaming(
        ["source=code_snippet", "notes=annotations", "row=line_number", "says=annotation"]
    )
    record = {"source": CODE, "notes": [{"row": 5, "says": "Both ends."}], "level": 2}
    row = row_of(record, renaming=renaming)

    assert row["outputs"] == {"annotations": [{"line": 5, "text": "Both ends."}]}
    assert renaming.undone(record_of_row(row)) == record


@pytest.mark.parametrize(
    ("query", "code", "lang"),
    [
        ("Add comments.\n\n```python\nx = 1\n```\n", "x = 1", "Python"),
        ("Add comments:\n```go\nx := 1\n```", "x := 1", "Go"),
        ("Add comments to this.\ndef f():\n    return 1\n", "def f():\n    return 1\n", "Python"),
        ("x = 1", "x = 1", "Python"),
    ],
)
def test_code_in_a_query_of_ianvs(query: str, code: str, lang: str) -> None:
    """The code is in a fence, or below the instructions; the query stays the prompt."""
    row = to_row(Fields({"query": query, "response": "Says.", "level_3_dim": "a"}, "f", 1), ImportOptions())

    assert (row["inputs"]["code"], row["inputs"]["lang"], row["inputs"]["query"]) == (code, lang, query)
    assert (row["instruction"], row["outputs"]["comment"]) == ("{query}", "Says.")


def test_a_language_of_an_option() -> None:
    """Any spelling of a language works; others are refused."""
    assert (known_lang("js"), known_lang("PYTHON"), known_lang("")) == ("JavaScript", "Python", "")
    with pytest.raises(UsageError, match="--lang Cobol"):
        known_lang("Cobol")
