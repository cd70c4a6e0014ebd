"""Joins the pages of one issue or pull request to its events: states of threads, roles, doubles, closings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from benchwright.sources.events import RepoEvent
from benchwright.sources.github.reply_conversion import draft
from benchwright.sources.github.reply_pages import (
    Drafting,
    RepliesPage,
    ReviewThreadState,
    all_drops,
    slot_of,
)
from benchwright.store.keys import content_key

Change = msgspec.structs.replace
DELETABLE = ("remark", "review", "comment", "thread_resolved")  # of slots: what people can delete or undo


class JoinedThread(NamedTuple):
    """The events of an issue or pull request as the platform has it now, by slot."""

    events: dict[str, RepoEvent]
    edited: dict[str, str]  # by subject: the time of the last change
    complete: bool  # nothing was dropped: a missing remark is a deleted one


def joined(pages: Sequence[RepliesPage], of: Drafting) -> JoinedThread:
    """The events of one issue or pull request from all its pages."""
    events: dict[str, RepoEvent] = {}
    for event in (each for page in pages for each in page.events):
        slot = slot_of(event)
        events[slot] = _filled(events[slot], event) if slot in events else event
    states = {each.root: each for page in pages for each in page.threads}
    _resolve(events, states, of)
    _close(events, [each for page in pages for each in page.closes])
    edited = {subject: at for page in pages for subject, at in page.edited.items()}
    return JoinedThread(_with_author(events), edited, not all_drops(pages))


def _filled(first: RepoEvent, second: RepoEvent) -> RepoEvent:
    """One event of two replies: the first one's fields, and where they are empty the second one's."""
    both = zip(first.heads, second.heads, strict=False)
    heads = [one or other for one, other in both] if first.heads and second.heads else []
    return Change(
        first,
        actor=first.actor or second.actor,
        bot=first.bot or second.bot,
        at=first.at or second.at,
        heads=heads or first.heads or second.heads,
        cites=first.cites or second.cites,
        url=first.url or second.url,
    )


def _resolve(events: dict[str, RepoEvent], states: dict[str, ReviewThreadState], of: Drafting) -> None:
    for slot, event in list(events.items()):
        if slot.startswith("remark:") and event.place is not None:
            root = event.parents[0].removeprefix("remark:") if event.parents else event.source_id
            if (state := states.get(root)) is not None:
                place = Change(event.place, outdated=state.outdated, resolved=state.resolved)
                events[slot] = Change(event, place=place)
    for root, state in states.items():
        if state.resolved:
            event = _resolution(root, state, of)
            events[slot_of(event)] = event


def _resolution(root: str, state: ReviewThreadState, of: Drafting) -> RepoEvent:
    """The platform has no time for it."""
    pull = f"pull:{of.number}"
    event = draft(
        of, "thread_resolved", root, at="", subject=f"thread:{root}", pull=pull, parents=[f"remark:{root}"]
    )
    return Change(event, actor=state.by, bot=state.by_bot)


def _close(events: dict[str, RepoEvent], closes: list[str]) -> None:
    """Add closing references, and drop the closing that a merge causes."""
    merged = next((each.at for slot, each in events.items() if slot.startswith("merge:")), "")
    for slot, event in list(events.items()):
        if slot.startswith("pull_opened:") and closes:
            events[slot] = Change(event, cites=sorted(set(closes)))
        if slot.startswith("pull_closed:") and merged and event.at >= merged:
            del events[slot]


def _with_author(events: dict[str, RepoEvent]) -> dict[str, RepoEvent]:
    """Mark what the author of the issue or pull request did."""
    opened = (each.actor for each in events.values() if each.kind in ("pull_opened", "issue_opened"))
    author = next((each for each in opened if each), "")
    return {
        slot: Change(each, role="author") if author and each.actor == author else each
        for slot, each in events.items()
    }


def heads_of(pages: Iterable[RepliesPage]) -> list[str]:
    """The commits that reviewers and force pushes name as heads of a pull request, sorted."""
    heads = {
        head
        for page in pages
        for event in page.events
        for head in [*_heads(event), event.place.commit if event.place is not None else ""]
    }
    return sorted(head for head in heads if len(head) == 40)


def _heads(event: RepoEvent) -> list[str]:
    if event.kind == "pull_opened":
        return event.heads[1:]  # without the base
    return event.heads if event.kind in ("review", "force_push") else []


def final_id(event: RepoEvent) -> str:
    """The id with a digest of the content, so that events with equal ids are equal whenever they are fetched.

    Addresses do not count, since they change with the name of a repository.
    """
    plain = Change(event, id="", fetched_at="", subject_rank=0, url="", licence="", at="")
    return f"{event.id}:{content_key(msgspec.to_builtins(plain))[:12]}"
