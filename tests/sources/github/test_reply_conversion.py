"""Conversion of replies: shapes of all years, positions of remarks, and malformed replies."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.sources.events import EVENT_KINDS, RepoEvent
from benchwright.sources.github.reply_pages import Drafting, RepliesPage, role_of, utc
from benchwright.sources.github.reply_reading import read_page
from kit.history_fetching import StarCleaner
from kit.made_history import MadeHistory, sha

OF = Drafting(repo="acme/sums", clean=StarCleaner(), number=2)
KINDS = (
    "pull", "commits", "reviews", "remarks", "comments", "timeline", "issues", "checks", "releases", "statuses",
)  # fmt: skip


def page(kind: str, document: object, of: Drafting = OF) -> RepliesPage:
    """Return the page of a document."""
    return read_page(kind, json.dumps(document).encode(), of, unit="unit")


def remark(**changes: Any) -> RepoEvent:
    """Return the event of a remark with some fields changed or, with None for `...`, removed."""
    made = MadeHistory()
    made.pull(2, at="2024-05-01T00:00:00Z")
    entry = {**made.remark(2, 21, "Rename it.", at="2024-05-01T00:00:00Z"), **changes}
    found = page("remarks", [{key: value for key, value in entry.items() if value is not ...}])
    assert found.drops == []
    return found.events[0]


def test_an_old_remark() -> None:
    """Without `line`, `original_line` and `side` the line is the last of the hunk."""
    old = {"line": ..., "original_line": ..., "side": ..., "subject_type": ..., "position": None}
    place = remark(**old, original_position=3).place

    assert place is not None
    assert (place.first, place.last, place.side, place.outdated) == (3, 3, "new", True)
    assert place.commit == sha("first 2")


def test_an_old_remark_on_a_removed_line() -> None:
    """It counts in the old version."""
    hunk = "@@ -10,3 +10,2 @@\n a\n-b\n-c"
    place = remark(line=..., original_line=..., side=..., diff_hunk=hunk).place

    assert place is not None
    assert (place.first, place.last, place.side) == (12, 12, "old")


def test_several_lines() -> None:
    """From the start line to the line, in the first head."""
    place = remark(original_start_line=1, start_line=7, line=9, side="RIGHT").place

    assert place is not None
    assert (place.first, place.last, place.commit) == (1, 3, sha("first 2"))


def test_the_current_line_alone() -> None:
    """It counts in the current head."""
    place = remark(original_line=None, original_commit_id=None, line=9).place

    assert place is not None
    assert (place.first, place.last, place.commit) == (9, 9, sha("head 2"))


def test_a_remark_about_a_file() -> None:
    """It has no lines."""
    place = remark(subject_type="file", line=None, original_line=None).place

    assert place is not None
    assert (place.first, place.last) == (0, 0)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"diff_hunk": "...", "original_line": None, "line": None}, "remark_without_line"),
        ({"original_line": 3, "original_start_line": 9}, "remark_lines_invalid"),
        ({"original_line": -3}, "remark_lines_invalid"),
        ({"path": 7}, "entry_wrong_type"),
        ({"side": "MIDDLE"}, "entry_wrong_type"),
        ({"id": "21"}, "entry_wrong_type"),
        ({"user": "grace"}, "entry_wrong_type"),
    ],
)
def test_remarks_that_become_drops(changes: dict[str, Any], reason: str) -> None:
    """Each has its own reason; the others of the page are read."""
    made = MadeHistory()
    made.pull(2, at="2024-05-01T00:00:00Z")
    entries = [made.remark(2, native, "Why?", at="2024-05-01T00:00:00Z") for native in (21, 22)]
    found = page("remarks", [{**entries[0], **changes}, entries[1]])

    assert [each.reason for each in found.drops] == [reason]
    assert [each.source_id for each in found.events] == ["22"]


def test_a_deleted_account() -> None:
    """Null, or an object without a login, as in an old recording."""
    assert remark(user=None).actor == remark(user={}).actor == ""


@pytest.mark.parametrize(
    ("login", "type_", "expected"),
    [
        ("dependabot[bot]", "Bot", True),
        ("ci", "Bot", True),
        ("abbott", "User", False),
        ("talbot", "User", False),
        ("cabot", "User", False),
    ],
)
def test_programs(login: str, type_: str, expected: bool) -> None:
    """The platform's type or the exact suffix decides; people's names may end in "bot"."""
    assert remark(user={"login": login, "type": type_}).bot is expected


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "reply_not_json"),
        (b'{"message": "Not Found"}', "reply_wrong_type"),
        (b"<html>", "reply_not_json"),
        (b"[" * 100_000, "reply_too_deep"),
        (b'[{"a":' * 100 + b"1" + b"}]" * 100, "reply_too_deep"),
        (b'[{"id": 1, "id": 2}]', "reply_key_twice"),
        (b"[" + b"{}," * 20_000 + b"{}]", "reply_too_long"),
        (b"[NaN]", "reply_not_json"),
        (b'["\xff"]', "reply_not_json"),
    ],
)
def test_replies_that_become_drops(body: bytes, reason: str) -> None:
    """Each fault has a reason, and none raises an exception."""
    found = read_page("remarks", body, OF, unit="unit")

    assert [each.reason for each in found.drops] == [reason]


FIELDS = (
    "id", "number", "title", "body", "user", "login", "state", "sha", "commit", "author", "message", "path",
    "diff_hunk", "created_at", "updated_at", "check_runs", "statuses", "base", "head", "event", "tag_name",
)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=6),
    max_leaves=20,
)


@given(st.sampled_from(KINDS), JSON)
def test_any_document(kind: str, document: object) -> None:
    """Every entry becomes events or drops."""
    found = page(kind, document)

    assert {each.kind for each in found.events} <= set(EVENT_KINDS)
    assert all(each.reason for each in found.drops)
    msgspec.json.encode(found)


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        ("2024-05-01T12:00:00+02:00", "2024-05-01T10:00:00Z"),
        ("2024-05-01T12:00:00Z", "2024-05-01T12:00:00Z"),
        ("2012/03/11 07:00:00", "2012-03-11T07:00:00Z"),
        ("0001-01-01T00:00:00+14:00", ""),
        ("yesterday", ""),
        (None, ""),
    ],
)
def test_times(given_: str | None, expected: str) -> None:
    """In UTC; empty if there is none."""
    assert utc(given_) == expected


def test_roles() -> None:
    """Only members of the project, by GitHub's field, have a role."""
    assert [role_of(each) for each in ("OWNER", "FIRST_TIME_CONTRIBUTOR", "NONE", "", None)] == [
        "owner", "none", "none", "", "",
    ]  # fmt: skip


def test_code_keeps_its_signs() -> None:
    """A decorator, a scoped package and an e-mail address stay: only mentions and secrets are replaced."""

    class Mentions(StarCleaner):
        def text(self, text: str) -> str:
            return super().text(text.replace("@", "<at>"))

    of = OF._replace(clean=Mentions())
    code = "@@ -1 +1,2 @@\n+@cached\n+    @wraps(f)\n+import x from '@scope/x'\n"

    assert of.code(code).count("<at>") == code.count("@@") * 2
    assert of.code("# ada@example.org hunter2") == "# ada<at>example.org ***"
    assert of.code("node_modules/@types/node") == "node_modules/@types/node"
