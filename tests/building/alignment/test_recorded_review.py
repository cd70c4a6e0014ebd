"""Recorded replies of a real review link to the commits that answered it."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from pathlib import Path

import pygit2

from benchwright.building.alignment.event_index import RepositoryEvents
from benchwright.building.alignment.feedback import feedback
from benchwright.building.alignment.links.ladder import links
from benchwright.building.alignment.trajectories import trajectories
from benchwright.records import Drop
from benchwright.sources.events import RepoEvent
from benchwright.sources.github.reply_files import open_github_replies
from benchwright.sources.github.reply_pages import Drafting
from benchwright.sources.github.reply_reading import convert_page
from benchwright.sources.object_reader import ObjectReader
from kit.needs import need_that

VARIABLE = "BENCHWRIGHT_PERCEVAL_CLONE"
REPO = "chaoss/grimoirelab-perceval"
FOLDER = "tests/data/github"
ANSWERS = {
    ("1", 3): "commit:87da1ef30018a0b72cf3d264ebfffd350494e397",
    ("2", 3): "commit:bf3777bfc423a94a538d73d6325f87ba2c1c41a1",
}
REPLIES = f"{FOLDER}/github_request_pull_request_1_comments"


def clone() -> Path:
    """The folder of a clone of the repository with its pull heads, or a skip."""
    folder = os.environ.get(VARIABLE, "")
    need_that(folder, f"set {VARIABLE} to a clone of https://github.com/{REPO} with refs/pull/1/head")
    return Path(folder)


def commit_events(git: pygit2.Repository, *tips: str) -> list[RepoEvent]:
    found: dict[str, RepoEvent] = {}
    waiting = list(tips)
    while waiting:
        sha = waiting.pop()
        if sha in found:
            continue
        commit = git[sha]
        parents = [str(each) for each in commit.parent_ids]
        found[sha] = RepoEvent(
            id=f"git:{REPO}:commit:{sha}",
            repo=REPO,
            kind="commit",
            at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(commit.commit_time)),
            subject=f"commit:{sha}",
            actor=commit.author.email,
            text=commit.message,
            heads=parents,
            source="git",
            source_id=sha,
        )
        waiting.extend(parents)
    return list(found.values())


class PlainCleaner:
    """A cleaner that changes nothing: nothing is stored."""

    def text(self, text: str) -> str:
        return text

    def person(self, identity: str) -> str:
        return identity


def review_events(git: pygit2.Repository, head: str) -> list[RepoEvent]:
    """The recorded remarks, converted as the GitHub source does, and the head of the pull request."""
    replies = json.loads(git[git.head.target].tree[REPLIES].data)
    page = convert_page("remarks", replies, Drafting(REPO, PlainCleaner(), number=1), unit="remarks")
    assert len(page.events) == 2 and not page.drops
    push = {"id": "push", "kind": "push", "at": "", "subject": "pull:1", "heads": [head]}
    return [RepoEvent(**push, repo=REPO, pull="pull:1", source="git", source_id=head), *page.events]


def test_two_remarks_of_2015_link_to_the_commits_that_answered_them() -> None:
    git = pygit2.Repository(str(clone()))
    head = str(git.references["refs/pull/1/head"].target)

    assert linked(git, review_events(git, head)) == ANSWERS


def test_the_whole_folder_of_contradicting_recordings_gives_the_same_links(tmp_path: Path) -> None:
    """There the description of pull request 1 is a month younger than its remarks, with another head."""
    git = pygit2.Repository(str(clone()))
    for name in git[git.head.target].tree[FOLDER]:
        (tmp_path / str(name.name)).write_bytes(git[name.id].data)
    found = list(
        open_github_replies(f"{REPO}={tmp_path}", licences=()).events(Path(), PlainCleaner(), lambda _: None)
    )
    drops = Counter(each.reason for each in found if isinstance(each, Drop))

    assert drops["recordings_contradict"] == 2  # pull requests 1 and 2, of which 2 is a changed copy
    answers = linked(git, [each for each in found if isinstance(each, RepoEvent)])
    assert {key: answers[key] for key in ANSWERS} == ANSWERS


def linked(git: pygit2.Repository, reviewed: list[RepoEvent]) -> dict[tuple[str, int | None], str]:
    """The links of remarks, by the number of the remark and the rung."""
    tip, head = str(git.head.target), str(git.references["refs/pull/1/head"].target)
    known = RepositoryEvents([*commit_events(git, tip, head), *reviewed], repo=REPO, head=tip)
    units = list(trajectories(known))
    with ObjectReader(clone()) as objects:
        found = list(links(known, units, list(feedback(known, units)), objects))
    remarks = [(each.source.split(":remark:"), each) for each in found if ":remark:" in each.source]
    return {(parts[1].partition(":")[0], each.rung): each.target for parts, each in remarks}
