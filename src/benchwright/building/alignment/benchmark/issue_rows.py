"""Rows of `smartcoding-issues`: a question from a tracker, and the answers given there.

Answers are comments of other people, without votes, courtesies and bots. An answer that names the change by
which the issue was fixed has the strength `linked_fix`; roles decide the strength of the others.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from benchwright.building.alignment.benchmark.material import MinedRow, Records, load_row
from benchwright.building.alignment.records import EvidenceLink
from benchwright.records import Drop, Task
from benchwright.sources.events import RepoEvent
from benchwright.store.keys import content_key
from benchwright.text.refusals import is_non_answer
from benchwright.tracks.collected.records import ImportOptions
from benchwright.tracks.issues.rows import build, to_row
from benchwright.tracks.rows import Fields

TRACK = "smartcoding-issues"
MIN_QUESTION, MIN_ANSWER = 20, 20  # characters of title and text, and of an answer
_KINDS = ("issue_opened", "comment", "issue_closed", "deleted")
_SHA = 7  # digits by which a text names a commit


def issue_rows(records: Records, *, repos: Collection[str]) -> Iterator[MinedRow | Drop]:
    """A row for each issue of these repositories with an answer; a drop with a reason for others."""
    threads = _threads(records.events(), repos)
    fixes = _fixes(records.links(), threads)
    for (repo, subject), events in threads.items():
        unit = f"{repo}:{subject}"
        opened = next((each for each in events if each.kind == "issue_opened"), None)
        if opened is None:
            yield Drop(unit=unit, reason="no_question")
            continue
        closing = [cite for each in events if each.kind == "issue_closed" for cite in each.cites]
        references = list(dict.fromkeys([*fixes.get((repo, subject), ()), *closing]))
        record = _record(opened, events, references)
        found = Drop(unit=unit, reason=record) if isinstance(record, str) else _row(unit, record)
        if isinstance(found, dict):
            licence = records.licence(repo)
            found["meta"]["license"] = licence
            yield MinedRow(repo, licence, found)
        else:
            yield found


_Threads = dict[tuple[str, str], list[RepoEvent]]


def _threads(events: Iterable[RepoEvent], repos: Collection[str]) -> _Threads:
    """The newest revision of each event of an issue, by repository and issue; without deleted ones."""
    newest: dict[tuple[str, str, str], RepoEvent] = {}
    deleted: set[tuple[str, str]] = set()
    for each in events:
        if each.repo not in repos or each.kind not in _KINDS:
            continue
        if each.kind == "deleted":
            deleted.add((each.repo, each.subject))
            continue
        native = each.source_id if each.kind == "issue_closed" else ""
        key = each.repo, each.subject, f"{each.kind}{native}"
        if key not in newest or newest[key].subject_rank <= each.subject_rank:
            newest[key] = each
    threads: _Threads = {}
    for each in newest.values():
        about = _issue_of(each)
        if about and not {(each.repo, each.subject), (each.repo, about)} & deleted:
            threads.setdefault((each.repo, about), []).append(each)
    return {key: sorted(threads[key], key=lambda each: (each.at, each.id)) for key in sorted(threads)}


def _issue_of(event: RepoEvent) -> str:
    """The issue that an event belongs to; empty for a comment on a pull request."""
    if event.kind != "comment":
        return event.subject
    return next((each for each in event.parents if each.startswith("issue:")), "")


def _fixes(links: Iterable[EvidenceLink], threads: _Threads) -> dict[tuple[str, str], list[str]]:
    """The changes that links name as the answer to an issue; weak links do not count."""
    opened = {
        each.id: (repo, subject)
        for (repo, subject), events in threads.items()
        for each in events
        if each.kind == "issue_opened"
    }
    found: dict[tuple[str, str], list[str]] = {}
    for link in links:
        key = opened.get(link.source, (link.repo, link.source))
        if key in threads and link.state == "answered" and link.target and not link.weak:
            found.setdefault(key, []).append(link.target)
    return found


def _record(opened: RepoEvent, events: Sequence[RepoEvent], fixes: Sequence[str]) -> dict[str, Any] | str:
    """The issue as a collected record; a reason if it cannot be one."""
    title, _, body = opened.text.partition("\n")
    if opened.bot:
        return "bot"
    if len(opened.text.strip()) < MIN_QUESTION:
        return "short_question"
    comments = [each for each in events if each.kind == "comment"]
    if not comments:
        return "no_comment"
    answers = [_answer(each, fixes) for each in comments if _is_answer(each, opened)]
    if not answers:
        return "no_answer"
    return {
        "id": content_key(TRACK, opened.id)[:12],
        "question": title.strip(),
        "body": body.strip(),
        "created_at": opened.at,
        "user_login": opened.actor,
        "answers": answers,
        "repo": opened.repo,
        "source": opened.id,
        "url": opened.url,
        "fixes": list(fixes),
    }


def _is_answer(comment: RepoEvent, opened: RepoEvent) -> bool:
    own = bool(comment.actor) and comment.actor == opened.actor
    text = comment.text.strip()
    return not (comment.bot or own or len(text) < MIN_ANSWER or is_non_answer(text))


def _answer(comment: RepoEvent, fixes: Sequence[str]) -> Mapping[str, Any]:
    answer: dict[str, Any] = {"body": comment.text.strip(), "created_at": comment.at}
    answer |= {"user_login": comment.actor} if comment.actor else {}
    answer |= {"role": comment.role} if comment.role else {}
    return answer | ({"linked_fix": True} if any(_names(comment.text, fix) for fix in fixes) else {})


def _names(text: str, fix: str) -> bool:
    """Whether a text names a change: "#12", an address that ends in "/pull/12", or the start of its id."""
    kind, _, name = fix.partition(":")
    if kind == "pull":
        return re.search(rf"(?:#|/pull/){re.escape(name)}\b", text) is not None
    return any(name.startswith(word) for word in re.findall(rf"\b[0-9a-f]{{{_SHA},40}}\b", text))


def _row(unit: str, record: dict[str, Any]) -> dict[str, Any] | Drop:
    """The record as a row that the track reads."""
    row: dict[str, Any] = {}

    def read(fields: Fields) -> Task:
        row.update(to_row(fields, ImportOptions()))
        return build(fields._replace(data=row))

    found = load_row(record, read, unit)
    return found if isinstance(found, Drop) else row
