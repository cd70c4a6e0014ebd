"""Gerrit as a source: recorded pages, and a server that is asked once for each thing, even after kills."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import RunError, UsageError
from benchwright.http_client import WaitingClock
from benchwright.records import Drop
from benchwright.sources.events import RepoEvent
from benchwright.sources.gerrit import GerritServer, open_gerrit
from kit.made_gerrit import COMMENTS, GerritStub, change
from kit.marking_cleaner import MarkingCleaner, drop_reasons, events_of, kinds, only_events

ADDRESS = "https://review.example/r"


def _server(stub: GerritStub, *, offline: bool = False, slept: list[float] | None = None) -> GerritServer:
    sleep = (slept if slept is not None else []).append
    clock = WaitingClock(now=lambda: 1_700_000_000.0, sleep=sleep)
    server = GerritServer(ADDRESS, "tools/scale", clock=clock, connect=lambda address: stub)
    if offline:
        server.go_offline()
    return server


def _fetched(stub: GerritStub, folder: Path, **options: Any) -> list[RepoEvent | Drop]:
    return events_of(_server(stub, **options), folder)


def test_recorded_pages_of_both_kinds(tmp_path: Path) -> None:
    newer = change(1, updated="2025-01-01 00:00:00.0", subject="Newer")
    (tmp_path / "page-1").write_bytes(b")]}'\n" + json.dumps([change(1), change(2)]).encode())
    (tmp_path / "page-2.json").write_text(f"{json.dumps(newer)}\n" + '{"type":"stats"}\nnothing\n')
    found = events_of(open_gerrit(str(tmp_path)), tmp_path)
    assert drop_reasons(found) == {"duplicate_change": 1, "page_unreadable": 1}
    texts = [each.text for each in only_events(found) if each.kind == "pull_opened"]
    assert texts == ["Add scale", "Newer"]


def test_a_change_that_cannot_be_read_does_not_stop_the_rest(tmp_path: Path) -> None:
    rows = [change(1, owner="ann"), change(2)]
    (tmp_path / "page").write_text(json.dumps(rows))
    found = events_of(open_gerrit(str(tmp_path / "page")), tmp_path)
    assert drop_reasons(found) == {"change_unreadable": 1}
    assert kinds(found)["pull_opened"] == 1


@pytest.mark.parametrize(
    "given", ["missing", "https://review.example", "https://review.example/a?x=1", "https://h/a b"]
)
def test_a_place_that_is_none(given: str) -> None:
    with pytest.raises(UsageError):
        open_gerrit(given)


def test_addresses() -> None:
    plain = open_gerrit("https://review.example/tools/scale")
    below = open_gerrit("https://review.example/r/q/project:tools/scale")
    assert isinstance(plain, GerritServer) and isinstance(below, GerritServer)
    assert (plain.address, plain.project) == ("https://review.example", "tools/scale")
    assert (below.address, below.project) == ("https://review.example/r", "tools/scale")


def test_everything_is_fetched_once(tmp_path: Path) -> None:
    stub = GerritStub(*(change(number) for number in range(1, 6)))
    found = _fetched(stub, tmp_path)
    assert kinds(found)["pull_opened"] == 5 and kinds(found)["remark"] == 15
    assert sum("/comments" in url for url in stub.urls) == 5
    before = len(stub.urls)
    assert _fetched(stub, tmp_path) == found
    assert not any("/comments" in url for url in stub.urls[before:])
    assert _fetched(GerritStub(), tmp_path, offline=True) == found


@pytest.mark.parametrize("replies", range(9))
def test_killed_after_any_reply_and_called_again(tmp_path: Path, replies: int) -> None:
    changes = [change(number) for number in range(1, 5)]
    whole = _fetched(GerritStub(*changes), tmp_path / "whole")
    stub = GerritStub(*changes)
    stub.stops_after = replies
    with suppress(KeyboardInterrupt):
        _fetched(stub, tmp_path / "killed")
    stub.stops_after = 10**9
    assert _fetched(stub, tmp_path / "killed") == whole
    assert sum("/comments" in url for url in stub.urls) == 4


def test_changes_with_one_time_of_update_are_all_fetched(tmp_path: Path) -> None:
    changes = [change(number, updated="2024-01-05 00:00:00.000000000") for number in range(1, 8)]
    assert kinds(_fetched(GerritStub(*changes), tmp_path))["pull_opened"] == 7


def test_a_later_update_replaces_the_change_and_marks_deleted_remarks(tmp_path: Path) -> None:
    stub = GerritStub(change(1), change(2))
    _fetched(stub, tmp_path)
    stub.changes[0] = change(1, updated="2024-02-01 00:00:00.000000000")
    stub.comments[1] = {"a.py": COMMENTS["a.py"][:1]}
    found = _fetched(stub, tmp_path)
    gone = [each.subject for each in only_events(found) if each.kind == "deleted"]
    assert gone == ["remark:rr", "remark:rrr", "remark:rrrr"]
    stub.changes[0] = change(1, updated="2024-03-01 00:00:00.000000000")
    assert [each.subject for each in only_events(_fetched(stub, tmp_path)) if each.kind == "deleted"] == gone


def test_stored_changes_contain_no_secret_and_no_person(tmp_path: Path) -> None:
    stub = GerritStub(change(1, subject="SECRET", messages=[]))
    _fetched(stub, tmp_path)
    stored = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"pull_opened" in stored
    assert b"SECRET" not in stored and b"example.com" not in stored


def test_errors_of_the_server_are_waited_for(tmp_path: Path) -> None:
    stub, slept = GerritStub(change(1)), []
    stub.faults = [503, 429]
    assert kinds(_fetched(stub, tmp_path, slept=slept))["pull_opened"] == 1
    assert len(slept) == 2
    stub = GerritStub(change(1))
    stub.faults = [404]
    with pytest.raises(RunError, match="HTTP 404"):
        _fetched(stub, tmp_path / "other")


def test_offline_without_stored_changes(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="not stored"):
        _fetched(GerritStub(), tmp_path, offline=True)


def test_a_reply_that_is_not_of_gerrit(tmp_path: Path) -> None:
    class Wrong(GerritStub):
        def get(self, url: str) -> Any:
            return super().get(url)._replace(body=b"<html>")

    with pytest.raises(Exception, match="Gerrit"):
        events_of(_server(Wrong(change(1))), tmp_path)


def test_people_are_the_same_in_all_places(tmp_path: Path) -> None:
    (tmp_path / "page").write_text(json.dumps([change(1), change(2)]))
    cleaner = MarkingCleaner()
    list(open_gerrit(str(tmp_path / "page")).events(tmp_path, cleaner, lambda message: None))
    assert sorted(cleaner.people) == ["ann@example.com", "ben@example.com", "zuul"]
