"""Rung 4: a text names the commit that answers.

A reply in a thread, or a comment on an issue, that names a later commit; and trailers and subjects of
commits: `Fixes: SHA`, "This reverts commit SHA", `fixup!`, `squash!`, `amend!`, "(cherry picked from commit
SHA)".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from benchwright.building.alignment.event_index import GraphCommit, RepositoryEvents
from benchwright.building.alignment.keywords import visible
from benchwright.building.alignment.links.link_records import answered, unknown
from benchwright.building.alignment.records import DevelopmentTrajectory, EvidenceLink, Feedback
from benchwright.sources.events import RepoEvent

SHA = re.compile(r"(?<![\w#])(?=[0-9a-f]*\d)[0-9a-f]{7,40}(?!\w)")
_DONE_IN = re.compile(
    r"\b(?:fixed|done|addressed|resolved|solved|implemented|closed|merged|landed|added|changed|removed)\s+"
    r"(?:in|by|with|via|as of)\s+(?:commit\s+)?(?:https?://\S+/commit/|[\w.-]+/[\w.-]+@|@|`)?([0-9a-f]{7,40})(?!\w)",
    re.IGNORECASE,
)
_AUTOSQUASH = re.compile(r"(fixup|squash|amend)! (.+)")
_TRAILERS = {
    "fixes": re.compile(r"^Fixes:?\s+(?:commit\s+)?([0-9a-f]{7,40})\b(?!/)", re.MULTILINE | re.IGNORECASE),
    "revert": re.compile(r"\bThis reverts commit ([0-9a-f]{7,40})\b"),
    "cherry_pick": re.compile(r"\(cherry picked from commit ([0-9a-f]{7,40})\)"),
}
_FILE_LINK = re.compile(r"https?://\S+/(?:blob|tree|blame|raw)/\S+")  # points to text, not to a change
_QUOTE = re.compile(r"^\s*>.*$", re.MULTILINE)


def replies(
    known: RepositoryEvents, unit: DevelopmentTrajectory, items: Iterable[Feedback]
) -> Iterator[EvidenceLink]:
    """Yield links from a remark to the commits of its pull request that replies in its thread name."""
    own = [sha for each in unit.iterations for sha in each.commits]
    heads = {each.id: each.commit for each in items}
    for each in items:
        if not each.thread or each.thread == each.id or each.thread not in heads:
            continue
        start = own.index(heads[each.thread]) + 1 if heads[each.thread] in own else 0
        later = set(own[start:])
        text = _FILE_LINK.sub("", _QUOTE.sub("", each.text))
        landed = {known.named(found[1]) for found in _DONE_IN.finditer(text)} & known.main.keys()
        for found in SHA.finditer(text):
            sha = known.named(found[0])
            if sha in later or (sha in landed and sha not in own):
                yield answered(
                    known.repo,
                    4,
                    each.thread,
                    f"commit:{sha}",
                    finer="reply",
                    trajectory=unit.id,
                    detail=f"{each.id}: {found[0]}",
                )


def issue_comments(known: RepositoryEvents, events: Iterable[RepoEvent]) -> Iterator[EvidenceLink]:
    """Yield links from an issue to the commits that comments name as its solution ("fixed in 87da1ef3")."""
    for each in events:
        issue = next((parent for parent in each.parents if parent.startswith("issue:")), "")
        if each.kind != "comment" or not issue:
            continue
        for found in _DONE_IN.finditer(visible(_QUOTE.sub("", each.text))):
            if sha := known.named(found[1]):
                yield answered(
                    known.repo, 4, issue, f"commit:{sha}", finer="comment", detail=f"{each.id}: {found[0]}"
                )


def trailers(known: RepositoryEvents, units: Iterable[DevelopmentTrajectory]) -> Iterator[EvidenceLink]:
    """Yield links from commits to the commits whose messages name them."""
    units_of = {sha: unit for unit in units for each in unit.iterations for sha in each.commits}
    for commit in known.commits.values():
        unit = units_of.get(commit.sha)
        yield from _autosquash(known, commit, unit)
        for finer, pattern in _TRAILERS.items():
            for found in pattern.finditer(commit.text):
                yield _trailer(known, commit, finer, found, unit.id if unit else "")


def _trailer(
    known: RepositoryEvents, commit: GraphCommit, finer: str, found: re.Match[str], trajectory: str
) -> EvidenceLink:
    cited, target = known.named(found[1]), f"commit:{commit.sha}"
    if not cited or cited == commit.sha:
        return unknown(known.repo, target, f"missing_object: {found[0]}", trajectory=trajectory)
    return answered(
        known.repo, 4, f"commit:{cited}", target, finer=finer, trajectory=trajectory, detail=found[0]
    )


def _autosquash(
    known: RepositoryEvents, commit: GraphCommit, unit: DevelopmentTrajectory | None
) -> Iterator[EvidenceLink]:
    found = _AUTOSQUASH.match(commit.subject)
    if found is None or unit is None:
        return
    subject = found[2]
    while again := _AUTOSQUASH.match(subject):  # "fixup! fixup! subject"
        subject = again[2]
    own = [sha for each in unit.iterations for sha in each.commits]
    earlier = own[: own.index(commit.sha)]
    target = next((sha for sha in reversed(earlier) if known.commits[sha].subject == subject), "")
    if target:
        yield answered(
            known.repo,
            4,
            f"commit:{target}",
            f"commit:{commit.sha}",
            finer=found[1],
            trajectory=unit.id,
            detail=commit.subject,
        )
