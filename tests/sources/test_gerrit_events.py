"""Changes of Gerrit as events: patch sets, messages, votes, threads, and the same from `gerrit query`."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.errors import DataError
from benchwright.sources.event_maker import EventMaker
from benchwright.sources.events import EVENT_KINDS, RepoEvent
from benchwright.sources.gerrit import converted
from benchwright.sources.gerrit_events import events_of_change
from benchwright.sources.gerrit_pages import change_of, listed
from benchwright.store.strict_json import JsonOrigin
from kit.made_gerrit import BASE, BEN, COMMENTS, FIRST, SECOND, change, comment, message
from kit.marking_cleaner import MarkingCleaner, drop_reasons, kinds

ORIGIN = JsonOrigin("page", 1)


def _events(comments: Any = COMMENTS, **parts: Any) -> list[RepoEvent]:
    maker = EventMaker("gerrit", "tools/scale", MarkingCleaner())
    found = change_of(change(**parts), ORIGIN, comments=comments, host="https://review.example")
    return list(events_of_change(found, maker))


def _of_kind(kind: str, found: list[RepoEvent]) -> list[RepoEvent]:
    return [each for each in found if each.kind == kind]


def test_all_patch_sets_are_iterations() -> None:
    found = _events()
    (opened,) = _of_kind("pull_opened", found)
    (replaced,) = _of_kind("force_push", found)
    assert opened.heads == [BASE, FIRST] and opened.pull == "change:12"
    assert opened.cites == ["issue:7"]
    assert replaced.heads == [FIRST, SECOND] and replaced.state == "rework"
    assert [each.heads for each in _of_kind("commit", found)] == [[BASE], [BASE]]
    assert [file.path for file in _of_kind("commit", found)[0].files] == ["a.py"]


def test_votes_reviews_and_checks_come_from_messages() -> None:
    found = _events()
    low, high = _of_kind("review", found)
    assert (low.state, low.text, low.heads) == ("changes_requested", "Please rename it.", [FIRST])
    assert (high.state, high.heads) == ("approved", [SECOND])
    (check,) = _of_kind("check", found)
    assert (check.state, check.bot, check.tool) == ("failure", True, "Verified")
    assert "build failed" in [each.text for each in _of_kind("comment", found)]


def test_a_vote_that_no_message_has_comes_from_the_labels() -> None:
    labels = {
        "Code-Review": {"all": [{**BEN, "value": 2, "date": "2024-01-04 00:00:00.0"}, {**BEN, "value": 0}]}
    }
    assert len(_of_kind("review", _events(labels=labels))) == 2  # Ben's vote is in a message
    assert len(_of_kind("review", _events(labels=labels, messages=[]))) == 1


def test_names_in_administrative_messages_are_not_stored() -> None:
    found = _events()
    assert [each.state for each in _of_kind("label", found)] == ["reviewer_removed"]
    assert "Cara" not in json.dumps([each.text for each in found])


def test_the_merged_commit_is_the_one_that_the_server_names() -> None:
    (merge,) = _of_kind("merge", _events())
    assert merge.heads == ["3" * 40]
    (merge,) = _of_kind("merge", _events(messages=[]))
    assert merge.heads == [SECOND] and merge.at == "2024-01-04T00:00:00Z"


def test_abandoning_and_restoring() -> None:
    messages = [message(1, BEN, "Abandoned\n\nToo old"), message(2, BEN, "Restored")]
    found = _events(messages=messages, status="NEW")
    assert [each.text for each in _of_kind("pull_closed", found)] == ["Too old"]
    assert len(_of_kind("reopened", found)) == 1
    assert not _of_kind("merge", found)


def test_a_remark_has_its_lines_and_a_thread_is_resolved_by_its_reply() -> None:
    found = _events()
    first, answer, old = _of_kind("remark", found)
    assert first.place and answer.place and old.place
    assert (first.place.path, first.place.first, first.place.last) == ("a.py", 3, 3)
    assert first.place.commit == FIRST and first.place.resolved is False
    assert answer.parents == [first.subject] and answer.place.resolved is None
    assert (old.place.side, old.place.first, old.place.last) == ("old", 2, 3)
    (resolved,) = _of_kind("thread_resolved", found)
    assert resolved.parents == [first.subject] and resolved.source_id.endswith("/rr")
    assert "patch_set" in [each.state for each in _of_kind("comment", found)]


def test_a_remark_that_never_was_open_resolves_nothing() -> None:
    notes = {"a.py": [comment("r", BEN, "FYI", unresolved=False)]}
    assert not _of_kind("thread_resolved", _events(notes))


@pytest.mark.parametrize(
    ("parts", "replacement", "lines"),
    [
        ({"message": "So:\n```suggestion\nx = 1\n```\n"}, "x = 1", (3, 3)),
        (
            {
                "fix_suggestions": [
                    {
                        "replacements": [
                            {
                                "path": "a.py",
                                "range": {
                                    "start_line": 5,
                                    "start_character": 0,
                                    "end_line": 7,
                                    "end_character": 0,
                                },
                                "replacement": "y\nz\n",
                            }
                        ]
                    }
                ]
            },
            "y\nz",
            (5, 6),
        ),
    ],
)
def test_suggestions(parts: dict[str, Any], replacement: str, lines: tuple[int, int]) -> None:
    (found,) = _of_kind("suggestion", _events({"a.py": [{**comment("r", BEN, ""), **parts}]}))
    assert found.place
    assert found.replacement == replacement
    assert (found.place.first, found.place.last) == lines


def test_a_fix_of_a_part_of_a_line_is_a_remark() -> None:
    edit = {"range": {"start_line": 5, "start_character": 2, "end_line": 5, "end_character": 4}}
    notes = {"a.py": [{**comment("r", BEN, "typo"), "fix_suggestions": [{"replacements": [edit]}]}]}
    assert kinds(_events(notes))["remark"] == 1


def test_texts_are_cleaned() -> None:
    notes = {"a.py": [comment("r", BEN, "the key is SECRET")]}
    (remark,) = _of_kind("remark", _events(notes))
    assert remark.text == "the key is <secret>" and remark.actor.startswith("person-")


def test_gerrit_query_has_the_same_events() -> None:
    person = {"name": "Ben", "email": "ben@example.com", "username": "ben"}
    data = {
        "project": "tools/scale",
        "branch": "main",
        "id": "I1",
        "number": 5,
        "subject": "Add",
        "owner": person,
        "url": "https://review.example/5",
        "commitMessage": "Add\n\nBug: T188\n",
        "createdOn": 1520260711,
        "status": "MERGED",
        "comments": [{"timestamp": 1520260722, "reviewer": person, "message": "Patch Set 1: Code-Review+2"}],
        "patchSets": [
            {
                "number": 1,
                "revision": FIRST,
                "parents": [BASE],
                "createdOn": 1520260711,
                "uploader": person,
                "comments": [{"file": "a.py", "line": 4, "reviewer": person, "message": "why?"}],
                "approvals": [
                    {"type": "Code-Review", "value": "2", "by": person},
                    {"type": "SUBM", "value": "1"},
                ],
            }
        ],
    }
    maker = EventMaker("gerrit", "tools/scale", MarkingCleaner())
    found = list(events_of_change(change_of(data, ORIGIN), maker))
    assert kinds(found) == {"pull_opened": 1, "commit": 1, "review": 1, "merge": 1, "remark": 1}
    (remark,) = _of_kind("remark", found)
    assert remark.place and remark.place.first == 4 and remark.place.commit == FIRST
    assert _of_kind("pull_opened", found)[0].at == "2018-03-05T14:38:31Z"
    assert _of_kind("pull_opened", found)[0].cites == ["issue:T188"]


def test_a_field_of_another_type_names_the_field() -> None:
    with pytest.raises(DataError, match="field `created`"):
        change_of(change(created=3), ORIGIN)


def test_a_page_of_rest_and_a_page_of_a_query() -> None:
    rest = b")]}'\n" + json.dumps([change(1), 7]).encode()
    assert [isinstance(each, dict) for _, each in listed(rest, "p")] == [True, False]
    query = json.dumps(change(1)).encode() + b'\n{"type":"stats"}\n{"cut":'
    assert [isinstance(each, dict) for _, each in listed(query, "p")] == [True, False]


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@given(st.sampled_from(sorted(change())), _VALUES)
def test_any_value_in_any_field_gives_events_or_one_drop(field: str, value: Any) -> None:
    maker = EventMaker("gerrit", "tools/scale", MarkingCleaner())
    found = list(converted(change(**{field: value}), maker, ORIGIN, comments=COMMENTS))
    if drop_reasons(found):
        assert len(found) == 1
    else:
        ids = [each.id for each in found if isinstance(each, RepoEvent)]
        assert len(ids) == len(set(ids))
        assert {each.kind for each in found if isinstance(each, RepoEvent)} <= set(EVENT_KINDS)


@given(st.text(max_size=120))
def test_any_message_gives_events_without_the_header(text: str) -> None:
    found = _events({}, messages=[message(1, BEN, f"Patch Set 1: Code-Review+1\n\n{text}")])
    (review,) = _of_kind("review", found)
    assert review.state == "approved" and not review.text.startswith("Patch Set")
