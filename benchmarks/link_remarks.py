"""Real review remarks as events, from public copies of what reviewers wrote, and commits of a clone.

Three forms are read, all kept in git: a backup of GitHub's replies (`pulls/N.json` with `pull`, `events`
and `comments`, as github-metadata-backup writes them), the notes of git-appraise
(`refs/notes/devtools/reviews` and `discuss`), and a list of GitHub's review comments in the history of the
repository itself. Nothing of them is stored.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from benchwright.sources.events import RemarkPlace, RepoEvent
from benchwright.sources.github.reply_pages import Drafting
from benchwright.sources.github.reply_reading import convert_page
from benchwright.sources.github.thread_events import joined

NOTES = "refs/notes/devtools"
_FIELDS = "%H%x00%P%x00%cI%x00%ae%x00%B%x01"
_PULLS = ("refs/pull/", "/head")


class PlainCleaner:
    """A cleaner for events that are not stored: it changes nothing."""

    def text(self, text: str) -> str:
        """Return the text."""
        return text

    def person(self, identity: str) -> str:
        """Return the name."""
        return identity


def git(folder: Path, *arguments: str, given: bytes | None = None) -> bytes:
    """The output of git in a clone."""
    call = ["git", "-C", str(folder), *arguments]
    return subprocess.run(call, input=given, capture_output=True, check=True).stdout


def commits(repo: str, clone: Path) -> Iterator[RepoEvent]:
    """All commits of a clone, with its pull heads."""
    for record in git(clone, "log", "--all", f"--format={_FIELDS}").decode("utf-8", "replace").split("\x01"):
        parts = record.lstrip("\n").split("\0")
        if len(parts) != 5:
            continue
        sha, parents, at, mail, message = parts
        yield RepoEvent(
            id=f"git:{repo}:commit:{sha}",
            repo=repo,
            kind="commit",
            at=at,
            subject=f"commit:{sha}",
            actor=mail,
            text=message,
            heads=parents.split(),
            source="git",
            source_id=sha,
        )


def references(clone: Path) -> dict[str, str]:
    """Object ids by the names of references."""
    lines = git(clone, "for-each-ref", "--format=%(refname) %(objectname)").decode().splitlines()
    return dict(line.rsplit(" ", 1) for line in lines)  # type: ignore[misc]


def blobs(folder: Path, names: Iterable[str]) -> Iterator[bytes]:
    """The contents of blobs, in one call of git."""
    data, at = git(folder, "cat-file", "--batch", given="\n".join(names).encode()), 0
    while at < len(data):
        end = data.index(b"\n", at)
        head = data[at:end].split()
        at = end + 1
        if head[1] != b"missing":  # a snapshot may lack its largest files
            size = int(head[2])
            yield data[at : at + size]
            at += size + 1


def backup_events(repo: str, backup: Path) -> Iterator[RepoEvent]:
    """The events of each pull request in a backup of GitHub's replies."""
    listed = git(backup, "ls-tree", "-r", "HEAD", "pulls/").decode().splitlines()
    for content in blobs(backup, [line.split()[2] for line in listed if line.endswith(".json")]):
        document = json.loads(content)
        pull = document["pull"]
        of = Drafting(repo, PlainCleaner(), number=pull["number"])
        pages = [convert_page("pull", pull, of, unit="pull")]
        pages.append(convert_page("remarks", document.get("comments") or [], of, unit="remarks"))
        pages.append(convert_page("timeline", document.get("events") or [], of, unit="timeline"))
        yield from joined(pages, of).events.values()


def appraise_events(repo: str, clone: Path) -> Iterator[RepoEvent]:
    """The reviews of pull requests in the notes of git-appraise."""
    heads = references(clone)
    requests = {commit: rows[-1] for commit, rows in _notes(clone, "reviews").items() if rows}
    for commit, rows in _notes(clone, "discuss").items():
        request = requests.get(commit, {})
        name = str(request.get("reviewRef", ""))
        number = name.removeprefix(_PULLS[0]).removesuffix(_PULLS[1])
        if not number.isdigit() or name not in heads:
            continue
        author = _person(request.get("requester"))
        yield _opened(repo, number, author, [str(request.get("baseCommit", "")), heads[name]])
        yield from _remarks(repo, number, author, rows)


def _notes(clone: Path, kind: str) -> dict[str, list[dict[str, Any]]]:
    """The JSON rows of a kind of notes, by the commit they are about."""
    found: dict[str, list[dict[str, Any]]] = {}
    for line in git(clone, "notes", f"--ref={NOTES}/{kind}", "list").decode().splitlines():
        blob, commit = line.split()
        for row in git(clone, "cat-file", "-p", blob).decode("utf-8", "replace").splitlines():
            if row.startswith("{"):
                found.setdefault(commit, []).append(json.loads(row))
    return found


def _opened(repo: str, number: str, author: str, heads: list[str]) -> RepoEvent:
    return RepoEvent(
        id=f"appraise:{repo}:pull_opened:{number}",
        repo=repo,
        kind="pull_opened",
        at="",
        subject=f"pull:{number}",
        pull=f"pull:{number}",
        actor=author,
        heads=heads,
        source="appraise",
        source_id=number,
    )


def _remarks(repo: str, number: str, author: str, rows: list[dict[str, Any]]) -> Iterator[RepoEvent]:
    """Remarks with a place. A later one at the same place is a reply: the mirror keeps no parents."""
    first: dict[tuple[str, str, int], str] = {}
    for row in rows:
        location = row.get("location") or {}
        lines = location.get("range") or {}
        if not (location.get("path") and lines.get("startLine")):
            continue
        start = int(lines["startLine"])
        key = (location["commit"], location["path"], start)
        name = f"{number}-{row['timestamp']}-{start}"
        root = first.setdefault(key, name)
        actor = _person(row.get("author"))
        yield RepoEvent(
            id=f"appraise:{repo}:remark:{name}",
            repo=repo,
            kind="remark",
            at=f"{int(row['timestamp']):020}",
            subject=f"remark:{name}",
            actor=actor,
            role="author" if actor == author else "",
            pull=f"pull:{number}",
            parents=[] if root == name else [f"remark:{root}"],
            text=row.get("description", ""),
            place=RemarkPlace(
                path=location["path"],
                commit=location["commit"],
                first=start,
                last=int(lines.get("endLine") or start),
            ),
            source="appraise",
            source_id=name,
        )


def _person(name: Any) -> str:
    return str(name or "").partition("@")[0]


def recorded_events(repo: str, clone: Path, name: str) -> Iterator[RepoEvent]:
    """The review remarks in a file that the repository itself recorded in any of its commits.

    The file is a list of GitHub's review comments. Pull requests whose head the clone lacks are left out.
    """
    heads, remarks = references(clone), _recorded(clone, name)
    for number in sorted({_number(each) for each in remarks}):
        head = heads.get(f"{_PULLS[0]}{number}{_PULLS[1]}")
        if head is None:
            continue
        base = _merge_base(clone, head)
        author = git(clone, "log", "-1", "--format=%an", head).decode().strip()
        yield _opened(repo, str(number), author, [base, head])
        of = Drafting(repo, PlainCleaner(), number=number)
        own = [each for each in remarks if _number(each) == number]
        yield from joined([convert_page("remarks", own, of, unit="remarks")], of).events.values()


def _merge_base(clone: Path, head: str) -> str:
    """The commit that a head branched from; "" if it shares none with the default branch."""
    call = ["git", "-C", str(clone), "merge-base", "HEAD", head]
    return subprocess.run(call, capture_output=True, check=False).stdout.decode().strip()


def _recorded(clone: Path, name: str) -> list[dict[str, Any]]:
    """The remarks of all versions of a file, each once."""
    found: dict[int, dict[str, Any]] = {}
    changed = git(clone, "log", "--all", "--format=%H", "--diff-filter=AM", "--", name).decode().split()
    for commit in changed:
        rows = json.loads(git(clone, "show", f"{commit}:{name}"))
        rows = rows if isinstance(rows, list) else []  # another file of the same name
        found |= {row["id"]: row for row in rows if row.get("original_commit_id")}
    return [found[each] for each in sorted(found)]


def _number(remark: dict[str, Any]) -> int:
    return int(remark["pull_request_url"].rpartition("/")[2])
