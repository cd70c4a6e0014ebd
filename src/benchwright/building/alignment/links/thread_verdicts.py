"""Rejection of links by line tracking because of later remarks in a thread.

Lines often change after a remark for another reason. If the reviewer took the remark back, or the author
declined it, a later change of the lines does not answer it. If a reply cites a commit, that commit is the
answer and not the first one that touched the lines. Two more cases are withheld unless rung 1 or 2 names the
same commit: a first remark by the author of the change (an explanation, or a reply whose parent is lost), and
a question that somebody else answered in words, without the claim of a change.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from benchwright.building.alignment.feedback import CLAIMS, DECLINED
from benchwright.building.alignment.links.link_records import unknown
from benchwright.building.alignment.records import EvidenceLink, Feedback

# Said by the person who wrote the remark. From the author of the change the same words accept it.
WITHDRAWN = re.compile(
    r"\b(never ?mind|nvm|disregard|(oh|ah+|ok(ay)?)[,.!]? (i|now i) (see|understand)"
    r"|i (was|am) (wrong|mistaken)|i mis(read|understood)|my (bad|mistake)|fair enough"
    r"|(my|this|that) (feedback|remark|comment|suggestion)[^.\n]{0,40}\b(not|isn.t|wrong|moot))\b",
    re.IGNORECASE,
)
ANSWERS = ("yes", "yep", "right", "sure")  # to a question; no claim of a change
_NACK = re.compile(r"^\W*NACK\b")


def with_thread_verdicts(found: Iterable[EvidenceLink], items: Sequence[Feedback]) -> list[EvidenceLink]:
    """Return the links; those of rung 3 against which the thread speaks become "unknown" or are left out."""
    known = list(found)
    rejected, doubtful = _rejected(items), _doubtful(items)
    sure = {(link.source, link.target) for link in known if link.rung in (1, 2)}
    cited: dict[str, set[str]] = {}
    for link in known:
        if link.rung == 4:
            cited.setdefault(link.source, set()).add(link.target)
    results: list[EvidenceLink] = []
    for link in known:
        if link.rung != 3:
            results.append(link)
        elif link.source in rejected:
            results.append(_withheld(link, "declined"))
        elif link.source in doubtful and (link.source, link.target) not in sure:
            results.append(_withheld(link, doubtful[link.source]))
        elif link.target in cited.get(link.source, {link.target}):
            results.append(link)
    return results


def _withheld(link: EvidenceLink, gap: str) -> EvidenceLink:
    return unknown(link.repo, link.source, gap, before=link.before, trajectory=link.trajectory)


def _doubtful(items: Sequence[Feedback]) -> dict[str, str]:
    """The first remarks of threads that need more than a change of their lines, with the gap."""
    replies: dict[str, list[Feedback]] = {}
    for item in items:
        if item.thread and item.thread != item.id:
            replies.setdefault(item.thread, []).append(item)
    found = {item.id: "answered_in_words" for item in items if _only_words(item, replies.get(item.id, []))}
    return found | {item.id: "remark_of_author" for item in items if item.self_made}


def _only_words(item: Feedback, replies: Sequence[Feedback]) -> bool:
    """Whether somebody else answered a question, and no reply claims a change."""
    if item.category != "question" or any(_claims_change(each.text) for each in replies):
        return False
    return any(each.actor != item.actor for each in replies)


def _claims_change(text: str) -> bool:
    """Whether a reply to a question claims a change: "Yes" alone answers it."""
    found = CLAIMS.search(text)
    return found is not None and found[1].lower() not in ANSWERS


def _rejected(items: Sequence[Feedback]) -> set[str]:
    """The first remarks of threads that a later remark takes back or declines."""
    writers = {item.id: item.actor for item in items}
    return {
        item.thread
        for item in items
        if item.thread and item.thread != item.id and _rejects(item, writers.get(item.thread, ""))
    }


def _rejects(reply: Feedback, writer: str) -> bool:
    if reply.actor and reply.actor == writer:
        return WITHDRAWN.search(reply.text) is not None
    return DECLINED.search(reply.text) is not None or _NACK.match(reply.text) is not None
