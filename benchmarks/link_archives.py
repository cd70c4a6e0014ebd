"""Real review remarks from the archives of drafts: `archive.json`, which i-d-template keeps on `gh-pages`.

An archive has the text of each remark, the commit that was reviewed and the position in the difference of
its file, but no path. The place is therefore known only where one file of the pull request has a difference
as long as that; other remarks are left out and counted. A later remark at the same position is read as a
reply, since the archive keeps no parents and a reply names a later commit. Nothing of them is stored.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.link_remarks import PlainCleaner, git
from benchwright.sources.events import RepoEvent
from benchwright.sources.github.reply_pages import Drafting
from benchwright.sources.github.reply_reading import convert_page
from benchwright.sources.github.thread_events import joined

FILE = "gh-pages:archive.json"


class ArchivedPlace(NamedTuple):
    """The file of a remark, and the part of its hunk up to the remark."""

    path: str
    hunk: str


def archive_events(repo: str, clone: Path) -> Iterator[RepoEvent]:
    """The events of each pull request in the archive of a clone."""
    dropped: Counter[str] = Counter()
    for pull in json.loads(git(clone, "show", FILE))["pulls"]:
        reader = _PullReader(clone, pull, dropped)
        remarks = list(reader.remarks())
        if not remarks:
            continue
        of = Drafting(repo, PlainCleaner(), number=pull["number"])
        pages = [convert_page("pull", _pull(pull), of, unit="pull")]
        pages.append(convert_page("remarks", remarks, of, unit="remarks"))
        yield from joined(pages, of).events.values()
    print(f"{repo}: remarks left out {dict(sorted(dropped.items()))}", file=sys.stderr)


def _pull(pull: dict[str, Any]) -> dict[str, Any]:
    """The pull request in the shape of GitHub's REST reply."""
    merge = pull["mergeCommit"]
    return {
        "number": pull["number"],
        "title": pull["title"],
        "created_at": pull["createdAt"],
        "closed_at": pull["closedAt"],
        "merged_at": pull["mergedAt"],
        "merge_commit_sha": merge["oid"] if isinstance(merge, dict) else merge,
        "user": {"login": pull["author"]},
        "base": {"sha": pull["baseRefOid"]},
        "head": {"sha": pull["headRefOid"]},
    }


class _PullReader:
    """The remarks of one pull request in the shape of GitHub's REST replies."""

    def __init__(self, clone: Path, pull: dict[str, Any], dropped: Counter[str]) -> None:
        self._clone, self._pull, self._dropped = clone, pull, dropped
        self._places: dict[str, list[tuple[str, list[str]]]] = {}

    def remarks(self) -> Iterator[dict[str, Any]]:
        """The remarks with a known place, the oldest first."""
        roots: dict[int | None, dict[str, Any] | None] = {}  # by position; None: its place is not known
        rows = [(row, review) for review in self._pull["reviews"] for row in review["comments"]]
        rows.sort(key=lambda each: (each[0]["createdAt"], each[0]["originalPosition"] or 0))
        for number, (row, review) in enumerate(rows):
            position = row["originalPosition"]
            name = self._pull["number"] * 10_000 + number
            if position not in roots:
                root = self._root(position, review)
                roots[position] = None if root is None else root | {"id": name}
            root = roots[position]
            if root is None:
                continue
            yield {
                **root,
                "id": name,
                "created_at": row["createdAt"],
                "body": row["body"],
                "user": {"login": review["author"]},
                "author_association": review["authorAssociation"],
                "in_reply_to_id": root["id"] if root["id"] != name else None,
            }

    def _root(self, position: int | None, review: dict[str, Any]) -> dict[str, Any] | None:
        if not position:
            self._dropped["no_position"] += 1
            return None
        commit = self._commit((review["commit"] or {}).get("abbreviatedOid", ""))
        found = [
            ArchivedPlace(path, _cut(lines, position))
            for path, lines in self._differences(commit)
            if len(lines) > position
        ]
        if len(found) != 1:
            self._dropped["several_files" if found else "no_difference" if commit else "no_commit"] += 1
            return None
        return {"path": found[0].path, "diff_hunk": found[0].hunk, "original_commit_id": commit}

    def _commit(self, name: str) -> str:
        return self._said("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}").strip() if name else ""

    def _differences(self, commit: str) -> list[tuple[str, list[str]]]:
        """The lines of each file's difference from the base; line 0 is the header of the first hunk."""
        if commit not in self._places:
            base = self._said("merge-base", self._pull["baseRefOid"], commit).strip() if commit else ""
            plain = ("diff", "--no-color", "--no-ext-diff", "--no-textconv", "-M", "--src-prefix=a/")
            text = self._said(*plain, "--dst-prefix=b/", base, commit) if base else ""
            self._places[commit] = _files(text)
        return self._places[commit]

    def _said(self, *arguments: str) -> str:
        """The output of git; "" if it fails, as for a commit that the clone lacks."""
        call = ["git", "-C", str(self._clone), *arguments]
        done = subprocess.run(call, capture_output=True, check=False)
        return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""


def _files(text: str) -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []
    for part in ("\n" + text).split("\ndiff --git ")[1:]:
        head, mark, body = part.partition("\n@@ ")
        path = head.rpartition("\n+++ b/")[2].strip() if "\n+++ b/" in head else ""
        if mark and path:
            found.append((path, f"@@ {body}".rstrip("\n").split("\n")))
    return found


def _cut(lines: list[str], position: int) -> str:
    """The hunk of a line of a difference, up to this line."""
    first = max(at for at, line in enumerate(lines[: position + 1]) if line.startswith("@@ "))
    return "\n".join(lines[first : position + 1])
