"""Hour files of GH Archive: shapes of several years, truncated and damaged lines, and missing texts."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import UsageError
from benchwright.records import Drop
from benchwright.sources.events import RepoEvent
from benchwright.sources.github import archive_hours
from benchwright.sources.github.archive_hours import open_archive_hours
from kit.history_fetching import StarCleaner, T
from kit.made_history import MadeHistory, sha


def line(type_: str, payload: dict[str, Any], *, repo: str = "acme/sums", number: int = 1) -> dict[str, Any]:
    """Return an event in the shape since 2015."""
    return {
        "id": str(number),
        "type": type_,
        "actor": {"id": 1, "login": "ada"},
        "repo": {"id": 77, "name": repo, "url": f"https://api.github.com/repos/{repo}"},
        "payload": payload,
        "public": True,
        "created_at": T(5),
    }


def events_of_2024() -> list[dict[str, Any]]:
    """Return one event of each kind, and one of another repository."""
    made = MadeHistory()
    pull = made.pull(2, at=T(3))
    remark = made.remark(2, 21, "Rename it, @grace.", at=T(4))
    comment = made.comment(2, 24, "Thanks, password hunter2", at=T(6))
    issue = {key: value for key, value in made.issue(1, at=T(1)).items() if key != "pull_request"}
    review = {"id": 31, "state": "approved", "body": None, "user": {"login": "grace"}, "submitted_at": T(4)}
    push = {"push_id": 5, "ref": "refs/heads/main", "before": sha("a"), "head": sha("b")}
    return [
        line("PullRequestEvent", {"action": "opened", "number": 2, "pull_request": pull}, number=1),
        line("PullRequestReviewCommentEvent", {"action": "created", "comment": remark, "pull_request": pull}, number=2),
        line("IssueCommentEvent", {"action": "created", "issue": made.items[2], "comment": comment}, number=3),
        line("PullRequestReviewEvent", {"action": "created", "review": review, "pull_request": pull}, number=4),
        line("IssuesEvent", {"action": "opened", "issue": issue}, number=5),
        line("PushEvent", push, number=6),
        line("PullRequestEvent", {"action": "closed", "number": 2, "pull_request": {**pull, "merged_at": T(9)}}, number=7),
        line("ReleaseEvent", {"action": "published", "release": {"id": 51, "tag_name": "v1", "published_at": T(9)}}, number=8),
        line("WatchEvent", {"action": "started"}, number=9),
        line("PushEvent", push, repo="acme/other", number=10),
    ]  # fmt: skip


def write(path: Path, lines: list[Any], *, cut: int = 0) -> None:
    """Write an hour file; `cut` removes bytes from its end."""
    texts = [each if isinstance(each, bytes) else json.dumps(each).encode() for each in lines]
    data = gzip.compress(b"\n".join(texts) + b"\n", mtime=0)
    path.write_bytes(data[: len(data) - cut])


def read(path: Path) -> list[RepoEvent | Drop]:
    """Return all items of the source."""
    source = open_archive_hours(f"acme/sums={path}", licences=())
    return list(source.events(path, StarCleaner(), lambda text: None))


def names(found: list[RepoEvent | Drop]) -> Counter[str]:
    """Return events by kind and drops by reason."""
    return Counter(each.kind if isinstance(each, RepoEvent) else each.reason for each in found)


def test_an_hour_of_2024(tmp_path: Path) -> None:
    """The events of the requested repository, with clean texts."""
    write(tmp_path / "2024-05-05-10.json.gz", events_of_2024())
    found = read(tmp_path)

    assert names(found) == {
        "pull_opened": 1, "remark": 1, "comment": 1, "review": 1, "issue_opened": 1, "push": 1, "merge": 1,
        "release": 1,
    }  # fmt: skip
    assert {each.source for each in found if isinstance(each, RepoEvent)} == {"gharchive"}
    assert not [each for each in found if "hunter2" in each.text or "@grace" in each.text]
    push = next(each for each in found if isinstance(each, RepoEvent) and each.kind == "push")
    assert (push.heads, push.subject) == ([sha("a"), sha("b")], "branch:main")


def test_an_event_in_two_files(tmp_path: Path) -> None:
    """It is yielded once."""
    for hour in (10, 11):
        write(tmp_path / f"2024-05-05-{hour}.json.gz", events_of_2024())

    assert set(names(read(tmp_path)).values()) == {1}


def test_an_hour_of_2012(tmp_path: Path) -> None:
    """Repository, actor and payload had other shapes; comments had ids only."""
    old = {
        "type": "PullRequestEvent",
        "created_at": "2012/03/11 07:00:00 -0700",
        "actor": "ada",
        "repository": {"name": "sums", "owner": "acme", "url": "https://github.com/acme/sums"},
        "url": "https://github.com/acme/sums/pull/2",
        "payload": {
            "action": "opened",
            "number": 2,
            "pull_request": {
                "title": "Add sums",
                "body": "",
                "base": {"sha": sha("a")},
                "head": {"sha": sha("b")},
            },
        },
    }
    comment = {**old, "type": "IssueCommentEvent", "payload": {"comment_id": 99, "issue_id": 4}}
    write(tmp_path / "2012-03-11-7.json.gz", [old, comment])
    opened, missing = read(tmp_path)

    assert isinstance(opened, RepoEvent) and isinstance(missing, Drop)
    assert opened.at == "2012-03-11T14:00:00Z"
    assert (opened.kind, opened.text, opened.heads) == ("pull_opened", "Add sums", [sha("a"), sha("b")])
    assert (missing.reason, missing.detail) == ("body_missing", "comments:99")


def test_an_hour_without_texts(tmp_path: Path) -> None:
    """Since 2025 payloads have ids: they are counted, so that they can be fetched."""
    slim = {"id": 21, "node_id": "x", "url": "https://api.github.com/repos/acme/sums/pulls/comments/21"}
    pull = {"number": 2, "id": 5}
    lines = [
        line("PullRequestReviewCommentEvent", {"action": "created", "comment": slim, "pull_request": pull}),
        line("PullRequestEvent", {"action": "opened", "number": 2, "pull_request": pull}, number=2),
        line("PullRequestEvent", {"action": "closed", "number": 2, "pull_request": pull}, number=3),
    ]
    write(tmp_path / "2025-11-05-10.json.gz", lines)
    found = read(tmp_path)

    assert names(found) == {"body_missing": 2, "pull_closed": 1}
    assert {each.detail for each in found if isinstance(each, Drop)} == {"remarks:21", "pull:2"}


def test_bad_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A truncated line, one that is too long, one too deep, one of wrong types: each has its reason, and the
    rest is read."""
    monkeypatch.setattr(archive_hours, "MAX_LINE", 100_000)
    good = events_of_2024()[5]
    deep = b'{"repo": "acme/sums", "x": ' + b"[" * 500 + b"]" * 500 + b"}"
    cut = json.dumps(good).encode()[:80]
    long = b'{"x": "' + b"acme/sums" * 50_000 + b'"}'
    wrong: list[Any] = [{**good, "payload": 7}, b'{"acme/sums" 1}', {**good, "payload": {"ref": "x"}}]
    write(tmp_path / "2024-05-05-10.json.gz", [cut, long, deep, *wrong, good])

    assert names(read(tmp_path)) == {
        "line_cut": 1, "line_too_long": 1, "line_too_deep": 1, "entry_wrong_type": 1, "line_not_json": 1,
        "body_missing": 1, "push": 1,
    }  # fmt: skip


@pytest.mark.parametrize("cut", [8, 60])
def test_a_cut_file(tmp_path: Path, cut: int) -> None:
    """Events before the cut count, and the next file is read."""
    write(tmp_path / "2024-05-05-10.json.gz", [events_of_2024()[5]] * 200, cut=cut)
    write(tmp_path / "2024-05-05-11.json.gz", [events_of_2024()[4]])
    found = names(read(tmp_path))

    assert found["file_cut"] == 1
    assert found["issue_opened"] == 1


def test_a_file_that_grows_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unpacking stops at a limit."""
    monkeypatch.setattr(archive_hours, "MAX_LINE", 1000)
    monkeypatch.setattr(archive_hours, "MAX_UNPACKED", 100_000)
    (tmp_path / "2024-05-05-10.json.gz").write_bytes(gzip.compress(b"x" * 10_000_000))

    assert names(read(tmp_path)) == {"line_too_long": 1, "file_cut": 1}


@pytest.mark.parametrize("rest", ["", "folder", "acme=folder", "acme/sums=/no/such/folder"])
def test_bad_names(rest: str) -> None:
    """A clear error."""
    with pytest.raises(UsageError):
        open_archive_hours(rest, licences=())
