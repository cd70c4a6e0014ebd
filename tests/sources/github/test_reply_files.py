"""Recorded replies as a source: any layout, one event for each entry, a drop for each other file."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from benchwright.errors import UsageError
from benchwright.records import Drop
from benchwright.sources.events import RepoEvent
from benchwright.sources.github.reply_files import open_github_replies
from kit.history_fetching import StarCleaner, T, fill
from kit.made_history import MadeHistory, sha
from kit.needs import need_that

VARIABLE = "BENCHWRIGHT_PERCEVAL_CLONE"
REPO = "chaoss/grimoirelab-perceval"


def read(rest: str) -> list[RepoEvent | Drop]:
    """Return all items of the source."""
    return list(
        open_github_replies(rest, licences=()).events(Path("unused"), StarCleaner(), lambda text: None)
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write replies of the invented repository, in folders like addresses."""
    made = MadeHistory()
    made.api = "https://api.github.com"
    fill(made)
    made.parts["issues"] = [made.items[1]]
    made.parts["pulls/2/commits"] = [
        {
            "sha": sha("first 2"),
            "commit": {"message": "Add sums", "author": {"email": "ada@x.org", "date": T(3)}},
        }
    ]
    for path, entries in made.parts.items():
        document: object = entries[0] if path == "pulls/2" else entries
        if path.endswith("check-runs"):
            document = {"total_count": 1, "check_runs": entries}
        file = tmp_path / f"{path}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(document))
    return tmp_path


def test_all_kinds(folder: Path) -> None:
    """The shape of a reply decides its kind; its repository follows from its addresses."""
    found = read(str(folder))

    assert Counter(getattr(each, "kind", "drop") for each in found) == {
        "issue_opened": 1, "comment": 2, "pull_opened": 1, "merge": 1, "remark": 2, "suggestion": 1,
        "force_push": 1, "review": 1, "check": 1, "release": 1, "commit": 1,
    }  # fmt: skip
    assert {each.repo for each in found if isinstance(each, RepoEvent)} == {"acme/sums"}
    assert found == read(f"acme/sums={folder}")
    (commit,) = (each for each in found if isinstance(each, RepoEvent) and each.kind == "commit")
    assert commit.pull == "pull:2"


def test_a_description_of_another_pull_request(folder: Path) -> None:
    """One that is newer than its reviews is a drop: its heads, merge and author do not count."""
    file = folder / "pulls" / "2.json"
    right = {each.kind: each for each in read(str(folder)) if isinstance(each, RepoEvent)}
    file.write_text(json.dumps({**json.loads(file.read_text()), "created_at": "2030-01-01T00:00:00Z"}))
    found = read(str(folder))
    reviews = [each for each in found if getattr(each, "kind", "") in ("remark", "suggestion", "review")]
    last = max((each.at, each.id, each.heads) for each in reviews if isinstance(each, RepoEvent))[2]
    by_kind = {each.kind: each for each in found if isinstance(each, RepoEvent)}
    opened, merge = by_kind["pull_opened"], by_kind["merge"]

    assert all(right["pull_opened"].heads) and right["pull_opened"].actor and right["merge"].heads
    assert (opened.heads, opened.actor, opened.role, merge.heads) == (["", *last], "", "", [])
    assert [(each.reason, each.unit) for each in found if isinstance(each, Drop)] == [
        ("recordings_contradict", "github:acme/sums:pull:2")
    ]


def test_files_that_are_not_replies(folder: Path) -> None:
    """Each is a drop with its name."""
    (folder / "key.pem").write_text("-----BEGIN")
    (folder / "limits.json").write_text('{"resources": {}}')
    (folder / "deep.json").write_text("[" * 300)
    (folder / "timeline.json").write_text('[{"event": "closed", "created_at": "2024-05-01T00:00:00Z"}]')
    drops = [each for each in read(str(folder)) if isinstance(each, Drop)]

    assert Counter(each.reason for each in drops) == {
        "reply_not_json": 1, "reply_kind_unknown": 1, "reply_too_deep": 1, "number_unknown": 1,
    }  # fmt: skip
    assert any("key.pem" in each.unit for each in drops)


def test_without_a_repository(tmp_path: Path) -> None:
    """Replies without addresses need the option."""
    (tmp_path / "releases.json").write_text(
        '[{"id": 1, "tag_name": "v1", "published_at": "2024-05-01T00:00:00Z"}]'
    )
    with pytest.raises(UsageError, match="do not name their repository"):
        read(str(tmp_path))

    assert len(read(f"acme/sums={tmp_path}")) == 1


def test_no_folder(tmp_path: Path) -> None:
    """A clear error."""
    with pytest.raises(UsageError, match="no folder"):
        read(str(tmp_path / "missing"))


def test_a_recorded_review_of_2015(tmp_path: Path) -> None:
    """Two real remarks without line fields: the lines are those of the real file at the real commit."""
    clone = os.environ.get(VARIABLE, "")
    need_that(clone, f"set {VARIABLE} to a clone of https://github.com/{REPO}")
    name = "github_request_pull_request_1_comments"

    def show(what: str) -> str:
        command = ["git", "-C", clone, "show", what]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    (tmp_path / name).write_text(show(f"HEAD:tests/data/github/{name}"))
    remarks = [each for each in read(f"{REPO}={tmp_path}") if isinstance(each, RepoEvent)]
    places = [each.place for each in remarks if each.place is not None]

    assert [(each.kind, each.pull) for each in remarks] == [("remark", "pull:1")] * 2
    assert {each.path for each in places} == {"perceval/backends/gerrit.py"}
    assert {each.commit for each in places} == {"b030dbf53d3ecaae2f080018073c9bdafb6b4166"}
    assert [(each.first, each.last, each.side) for each in places] == [(27, 27, "new"), (46, 46, "new")]
    text = show(f"{places[0].commit}:{places[0].path}").splitlines()
    assert [text[each.last - 1] for each in places] == [
        "from dateutil import parser",
        "    def __init__(self, user = None, url = None, nreviews = None,",
    ]
