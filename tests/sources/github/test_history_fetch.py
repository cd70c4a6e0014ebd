"""Fetching the history of a repository: events, revisions, deletions, without fetching anything twice."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from benchwright.errors import RunError
from benchwright.records import Drop
from benchwright.sources.events import RepoEvent
from benchwright.sources.github.event_source import GitHubEvents
from kit.history_fetching import TOKEN, QuickClock, StarCleaner, T, fetch, fill
from kit.made_github import SECONDARY, Scripted, limited
from kit.made_history import MadeHistory, serving_history, sha


@pytest.fixture
def history(monkeypatch: pytest.MonkeyPatch) -> Iterator[MadeHistory]:
    """Return a repository with an issue, a pull request of one thread, and a force push."""
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    made = MadeHistory()
    with serving_history(made):
        fill(made)
        yield made


def kinds(found: list[RepoEvent | Drop]) -> Counter[str]:
    """Return events by kind, and drops by reason."""
    return Counter(each.kind if isinstance(each, RepoEvent) else f"drop {each.reason}" for each in found)


def only(found: list[RepoEvent | Drop], kind: str) -> RepoEvent:
    """Return the only event of a kind."""
    (event,) = (each for each in found if isinstance(each, RepoEvent) and each.kind == kind)
    return event


def fetched_twice(history: MadeHistory) -> list[str]:
    """Return resources with more than one complete reply."""
    counts = Counter(each.resource for each in history.log if each.status == 200)
    return [resource for resource, count in counts.items() if count > 1]


def test_events(history: MadeHistory, tmp_path: Path) -> None:
    """All kinds, with places, states of threads, heads before a force push and closing references."""
    found = fetch(history, tmp_path)

    assert kinds(found) == {
        "issue_opened": 1, "comment": 2, "pull_opened": 1, "merge": 1, "remark": 2, "suggestion": 1,
        "thread_resolved": 1, "force_push": 1, "review": 1, "check": 1, "release": 1,
    }  # fmt: skip
    assert only(found, "force_push").heads == [sha("first 2"), sha("head 2")]
    assert only(found, "pull_opened").cites == ["issue:1"]
    assert only(found, "suggestion").replacement == "@cached\nreturn a + b\n"
    remark = next(each for each in found if isinstance(each, RepoEvent) and each.subject == "remark:21")
    assert remark.place is not None
    assert (remark.place.first, remark.place.side, remark.place.commit) == (3, "new", sha("first 2"))
    assert (remark.place.resolved, remark.place.outdated) == (True, True)
    assert "+@cached" in remark.place.hunk
    assert {each.licence for each in found if isinstance(each, RepoEvent)} == {"MIT"}


def test_nothing_of_a_secret_or_a_login_is_stored(history: MadeHistory, tmp_path: Path) -> None:
    """Search the bytes of all files of the store for texts, mentions, authors, branches and the token."""
    fetch(history, tmp_path)
    stored = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())

    planted = [b"hunter2", TOKEN.encode(), b"@ada", b"@grace", *LOGINS]
    assert b"Rename it." in stored
    assert [each for each in planted if each in stored] == []


LOGINS = [b'"ada"', b"grace", b"linus", b"ines", b"mona", b"ada:topic"]


def test_again(history: MadeHistory, tmp_path: Path) -> None:
    """The second run asks for changes, and yields the same events."""
    first = fetch(history, tmp_path)
    asked = len(history.log)
    second = fetch(history, tmp_path)
    third = fetch(history, tmp_path)

    assert first == second == third
    assert fetched_twice(history) == []
    assert {each.status for each in history.log[asked + 4 :]} == {304}
    assert len(history.log) - asked <= 8


def test_offline(history: MadeHistory, tmp_path: Path) -> None:
    """The store alone gives the same events, without a request; without a store it is an error."""
    first = fetch(history, tmp_path)
    asked = len(history.log)

    assert fetch(history, tmp_path, offline=True) == first
    assert len(history.log) == asked
    with pytest.raises(RunError, match="no stored replies"):
        fetch(history, tmp_path / "empty", offline=True)


def test_an_edited_remark(history: MadeHistory, tmp_path: Path) -> None:
    """It adds a revision with the time of the edit; undoing the edit adds a third one."""
    before = fetch(history, tmp_path)
    remark = history.parts["pulls/2/comments"][0]
    for day, body in ((11, "Rename it, please."), (12, "Rename it.")):
        remark |= {"body": body, "updated_at": T(day)}
        history.touch(2, T(day))
        found = fetch(history, tmp_path)
    revisions = [each for each in found if isinstance(each, RepoEvent) and each.subject == "remark:21"]

    assert [(each.subject_rank, each.text) for each in revisions] == [
        (0, "Rename it."), (1, "Rename it, please."), (2, "Rename it."),
    ]  # fmt: skip
    assert [each.at for each in revisions] == [T(4), T(11), T(12)]
    assert len({each.id for each in revisions}) == 3
    assert [each for each in found if each not in before] == revisions[1:]


def test_a_deleted_remark(history: MadeHistory, tmp_path: Path) -> None:
    """It adds one `deleted` event of its subject; a reopened thread loses its resolution."""
    fetch(history, tmp_path)
    del history.parts["pulls/2/comments"][1]
    history.threads[2][0] |= {"isResolved": False, "resolvedBy": None}
    history.touch(2, T(11))
    found = fetch(history, tmp_path)

    gone = [each for each in found if isinstance(each, RepoEvent) and each.kind == "deleted"]
    assert {each.subject for each in gone} == {"remark:22", "thread:21"}
    history.touch(2, T(12))
    assert kinds(fetch(history, tmp_path)) == kinds(found)


def test_a_remark_that_cannot_be_read_is_not_deleted(history: MadeHistory, tmp_path: Path) -> None:
    """A drop, and the unchanged event."""
    fetch(history, tmp_path)
    history.parts["pulls/2/comments"][0] |= {"path": ["not a text"]}
    history.touch(2, T(11))
    found = fetch(history, tmp_path)

    assert kinds(found)["drop entry_wrong_type"] == 1
    assert kinds(found)["deleted"] == 0


def test_a_renamed_repository(history: MadeHistory, tmp_path: Path) -> None:
    """The redirect is followed once, and later requests use the new name; ids keep the first one."""
    first = fetch(history, tmp_path)
    history.old_names.add(history.name)
    history.name = "acme/totals"
    history.touch(2, T(11))
    asked = len(history.log)
    second = fetch(history, tmp_path)

    assert [each.id for each in second if isinstance(each, RepoEvent)] == [
        each.id for each in first if isinstance(each, RepoEvent)
    ]
    assert [each.status for each in history.log[asked:]].count(301) == 1


def test_an_old_name(history: MadeHistory, tmp_path: Path) -> None:
    """Events have the current name."""
    history.old_names.add("acme/old")
    found = fetch(history, tmp_path, name="acme/old")

    assert {each.repo for each in found if isinstance(each, RepoEvent)} == {"acme/sums"}


@pytest.mark.parametrize("location", ["https://evil.example/repositories/77", "//evil.example/", ""])
def test_a_redirect_elsewhere(history: MadeHistory, tmp_path: Path, location: str) -> None:
    """It is not followed: the token is for one host."""
    history.script[0] = Scripted(301, {"location": location})
    with pytest.raises(RunError):
        fetch(history, tmp_path)

    assert len(history.log) <= 6


def test_a_private_repository(history: MadeHistory, tmp_path: Path) -> None:
    """It is refused before anything else is requested, also offline; --allow-private allows it."""
    history.private = True
    with pytest.raises(RunError, match="acme/sums is private"):
        fetch(history, tmp_path)
    assert len(history.log) == 1

    allowed = fetch(history, tmp_path, allow_private=True)
    assert kinds(allowed)["remark"] == 2
    with pytest.raises(RunError, match="is private"):
        fetch(history, tmp_path, offline=True)


def test_limits_and_faults(history: MadeHistory, tmp_path: Path) -> None:
    """Both limits, 5xx, a page truncated in transit and one truncated by the server: all are requested again."""
    history.count = -100  # the script counts from here
    words = json.dumps({"message": SECONDARY}).encode()
    faults = [
        limited(reset_s=100)._replace(headers={**limited(reset_s=100).headers, "date": ""}),
        Scripted(403, {"retry-after": "7"}, words),
        Scripted(429, {"retry-after": "3"}),
        Scripted(502, {}, b"Bad gateway"),
        Scripted(200, {"content-length": "500"}, b'[{"id": 1'),
        Scripted(200, {}, b'[{"id": 1, "bo'),
    ]
    history.script = {-99 + 3 * index: fault for index, fault in enumerate(faults)}
    clock = QuickClock()
    found = fetch(history, tmp_path / "faults", clock=clock)
    history.script.clear()

    assert {7.0, 3.0} <= set(clock.slept)
    assert _plain(found) == _plain(fetch(history, tmp_path / "sound"))


def _plain(found: list[RepoEvent | Drop]) -> list[object]:
    """Return the events without the times of fetching."""
    return [
        each if isinstance(each, Drop) else msgspec.structs.replace(each, fetched_at="") for each in found
    ]


def test_limits_of_graphql(history: MadeHistory, tmp_path: Path) -> None:
    """A limit in a reply with status 200 is waited for, and a failed query is repeated."""
    limit = {"data": None, "errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}]}
    failed = {"data": None, "errors": [{"message": "Something went wrong"}]}
    first = fetch(history, tmp_path / "first")
    number = next(index for index, each in enumerate(history.log) if each.method == "POST")
    history.count = 0
    history.script = {
        number: Scripted(200, {"x-ratelimit-remaining": "0"}, json.dumps(limit).encode()),
        number + 1: Scripted(200, {}, json.dumps(failed).encode()),
    }
    clock = QuickClock()

    assert _plain(fetch(history, tmp_path / "second", clock=clock)) == _plain(first)
    assert clock.slept == [60.0, 2.0]


def test_a_long_thread(history: MadeHistory, tmp_path: Path) -> None:
    """1,000 remarks in one thread, and 250 threads: all pages, each once."""
    history.pull(3, at=T(11), login="ada")
    history.remark(3, 5000, "First.", at=T(11))
    for native in range(5001, 6000):
        history.remark(3, native, f"Remark {native}", at=T(12), reply_to=5000)
    for root in range(250):
        history.thread(3, 5000 + root, resolved=root == 249)
    found = fetch(history, tmp_path)
    remarks = [each for each in found if isinstance(each, RepoEvent) and each.pull == "pull:3" and each.place]

    assert len(remarks) == 1000
    assert fetched_twice(history) == []
    queries = [each for each in history.log if each.method == "POST" and '"number": 3' in each.resource]
    assert len(queries) == 3


def test_without_a_token(history: MadeHistory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only REST is used: no query, no states of threads, and a force push without the earlier head."""
    monkeypatch.delenv("GITHUB_TOKEN")
    found = fetch(history, tmp_path)

    assert {each.method for each in history.log} == {"GET"}
    assert only(found, "force_push").heads == ["", sha("head 2")]
    assert kinds(found)["thread_resolved"] == 0


def test_a_key_of_other_pseudonyms(history: MadeHistory, tmp_path: Path) -> None:
    """Two pseudonyms for one person are refused."""
    fetch(history, tmp_path)

    class Other(StarCleaner):
        def person(self, identity: str) -> str:
            return f"q{len(identity)}"

    source = GitHubEvents("acme/sums", api=history.api)
    with pytest.raises(RunError, match="pseudonyms of another key"):
        list(source.events(tmp_path, Other(), print))


def test_many_issues_of_one_time(history: MadeHistory, tmp_path: Path) -> None:
    """The list continues by time, and by page if more than a page has one time."""
    for number in range(100, 240):
        history.issue(number, at=T(15))
    found = fetch(history, tmp_path)

    assert kinds(found)["issue_opened"] == 141
    assert fetched_twice(history) == []


def test_issues_that_are_switched_off(history: MadeHistory, tmp_path: Path) -> None:
    """A missing list is a drop, and the rest is read."""
    history.script[1] = Scripted(410, {}, b'{"message": "Issues are disabled for this repo"}')

    assert kinds(fetch(history, tmp_path)) == {"drop not_found": 1, "release": 1}


def test_a_head_that_is_gone(history: MadeHistory, tmp_path: Path) -> None:
    """Its checks are drops; deletions are still found."""
    fetch(history, tmp_path)
    del history.parts["pulls/2/comments"][1]
    history.touch(2, T(11))
    history.lost.add(sha("first 2"))
    found = fetch(history, tmp_path)

    assert kinds(found)["drop not_found"] == 2
    assert kinds(found)["deleted"] == 1


def test_a_damaged_store(history: MadeHistory, tmp_path: Path) -> None:
    """The error has the command that removes it."""
    fetch(history, tmp_path)
    (path,) = tmp_path.glob("*.sqlite3")
    path.write_bytes(b"not a database" * 100)
    with pytest.raises(RunError, match="cannot be used") as caught:
        fetch(history, tmp_path)

    assert caught.value.hint is not None and "rm " in caught.value.hint
