"""Records of issue test sets become rows, and rows the same records again."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.errors import DataError
from benchwright.tracks.collected.records import ImportOptions
from benchwright.tracks.issues.rows import build, record_of_row, to_row
from benchwright.tracks.rows import Fields
from kit.examples import USUAL, examples
from kit.smartcoding_rows import issue_record, issue_row

REST = st.dictionaries(
    st.sampled_from(["url", "strength", "number", "author", "meta", "shape", "given", "derived", "id_of"]),
    st.one_of(st.none(), st.integers(0, 9), st.text(max_size=4), st.lists(st.integers(), max_size=2)),
    max_size=3,
)
TIMES = st.sampled_from(["2024-01-02T03:04:05Z", "time", "", None])
ANSWER = st.fixed_dictionaries(
    {"body": st.sampled_from(["Use it.", "Fixed in #4."])},
    optional={
        "user_login": st.sampled_from(["ada", "", None]),
        "created_at": TIMES,
        "updated_at": TIMES,
        "accepted": st.booleans(),
        "linked_fix": st.sampled_from([True, False, "", "#4", None]),
        "author_association": st.sampled_from(["OWNER", "NONE", None]),
        "role": st.sampled_from(["member", "user"]),
        "reactions": st.sampled_from([0, 3, {"total_count": 2, "+1": 2}, {"+1": 1}, None]),
    },
)
ANSWERS = st.builds(lambda known, rest: {**rest, **known}, ANSWER, REST)


@st.composite
def records(draw: st.DrawFn) -> dict[str, Any]:
    """Records with numbered answers or a list of them, and fields that nobody knows."""
    asked = draw(
        st.fixed_dictionaries(
            {"question": st.just("Why?")},
            optional={
                "body": st.sampled_from(["It {fails}.", "", None]),
                "user_login": st.sampled_from(["ada", None]),
                "created_at": TIMES,
                "updated_at": TIMES,
                "id": st.integers(0, 9),
            },
        )
    )
    numbers = draw(st.lists(st.integers(1, 12), unique=True, min_size=1, max_size=4))
    found = {f"answer_{number}": draw(ANSWERS) for number in numbers}
    if draw(st.booleans()):
        found = {"answers": list(found.values())}
    return {**draw(REST), **asked, **found}


def row_of(record: dict[str, Any], **choices: Any) -> dict[str, Any]:
    """The row of a record, which the track accepts."""
    row = to_row(Fields(record, "f.json", 3), ImportOptions(**choices))
    build(Fields(row, "f.json", 3))
    return row


@settings(max_examples=examples(USUAL))
@given(records())
def test_a_record_comes_back(record: dict[str, Any]) -> None:
    """With all that it had, and nothing that it had not."""
    assert record_of_row(row_of(record)) == record


def test_the_row_of_a_record() -> None:
    """Gaps in the numbers are kept, and the question's date."""
    row = row_of(issue_record(repo="own/work"))
    known = [(each["number"], each["strength"], each["author"]) for each in row["outputs"]["references"]]

    assert row["inputs"]["asked_at"] == "2024-03-05T10:00:00Z"
    assert (known, row["meta"]["repo"]) == ([(1, "any", "grace"), (3, "linked_fix", "ada-l")], "own/work")


@pytest.mark.parametrize(
    ("fields", "strength"),
    [
        ({"linked_fix": "https://example.org/pull/4", "accepted": True}, "linked_fix"),
        ({"accepted": True, "reactions": 9}, "accepted"),
        ({"author_association": "OWNER"}, "accepted"),
        ({"role": "Maintainer"}, "accepted"),
        ({"author_association": "CONTRIBUTOR", "reactions": {"total_count": 1, "url": "x"}}, "reactions"),
        ({"author_association": "NONE", "reactions": {"+1": 0}}, "any"),
        ({}, "any"),
    ],
)
def test_why_an_answer_is_believed(fields: dict[str, Any], strength: str) -> None:
    """A linked fix before an accepted or a maintainer's answer, before reactions, before any."""
    row = row_of(issue_record(answer_1={"body": "So.", **fields}))

    assert row["outputs"]["references"][0]["strength"] == strength


def test_a_row_stays_as_it_is() -> None:
    """It is not read as a record."""
    assert row_of(issue_row()) == issue_row()


def test_a_record_of_ianvs() -> None:
    """Its response is the one reference, and the prompt is put before the query as Ianvs does."""
    record = {"prompt": "Answer: ", "query": "Why?", "response": "So.", "level_4_dim": "x"}
    row = row_of(record)

    assert (row["inputs"]["question"], row["outputs"]["references"][0]["body"]) == ("Answer: Why?", "So.")
    assert row["meta"]["given"] == record


def test_numbers_that_are_taken_or_missing() -> None:
    """A row of our own has answers without a number: they come after the others."""
    given_ = [{"body": "a"}, {"body": "b", "number": 2}, {"body": "c", "number": 2}]

    assert [name for name in record_of_row(issue_row(references=given_)) if "answer" in name] == [
        "answer_3",
        "answer_2",
        "answer_4",
    ]


@pytest.mark.parametrize(
    ("record", "field", "message"),
    [
        (issue_record(question=3), "question", "must be a string"),
        (issue_record(question=" ", body=""), "inputs.question", "is empty, and so is the body"),
        (issue_record(body="x" * 5_000_000), "inputs.body", "5,000,000 characters"),
        ({"question": "Why?", "body": "It fails."}, "answer_1", "the record has no answer"),
        (issue_record(answer_2="Use it."), "answer_2", "an answer must be an object"),
        (issue_record(answer_2={"body": ""}), "answer_2.body", "is empty"),
        (issue_record(answer_2={"text": "x"}), "answer_2.body", "the field is missing"),
        (
            issue_record(answer_2={"body": "x", "accepted": "yes"}),
            "answer_2.accepted",
            "must be true or false",
        ),
        (issue_record(answer_2={"body": "x", "reactions": -1}), "answer_2.reactions", "must be a count"),
        (issue_record(answer_2={"body": "x", "role": 3}), "answer_2.role", "must be a string"),
        (issue_record(answers=[{"body": "x"}]), "answers", "the record has `answer_1` too"),
        ({"question": "Why?", "answers": ["x"]}, "answers[0]", "must be an object"),
        ({"question": "Why?", "answers": "x"}, "answers", "must be a list"),
        ({"title": "Why?"}, "question", "the record has no `question`; it has `title`"),
        ({"query": "Why?", "response": " "}, "response", "is empty"),
    ],
)
def test_bad_records_are_named(record: dict[str, Any], field: str, message: str) -> None:
    """By file, line and the record's own field."""
    with pytest.raises(DataError) as caught:
        row_of(record)

    assert (caught.value.line, caught.value.field, message in caught.value.message) == (3, field, True)
