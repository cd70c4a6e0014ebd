"""Pages of replies after cleaning: what the store has and what becomes events."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from benchwright.records import Drop, Record
from benchwright.sources.cleaning import bots
from benchwright.sources.event_maker import utc_time
from benchwright.sources.events import Cleaner, RepoEvent
from benchwright.sources.github.reply_shapes import GitHubUser

# Signs before which "@" is part of code, such as a decorator or a scoped package, and names nobody.
_CODE_AT = re.compile(r"(^[+\- ]?[ \t]*|[/\"'(])@(?=\w)", re.MULTILINE)
_PLACEHOLDER = "\ue000"  # of the private use area, in place of such a sign while mentions are replaced


class ReviewThreadState(Record, frozen=True, kw_only=True):
    """State of a thread of remarks, which only GraphQL has."""

    root: str  # id of the first remark
    resolved: bool
    outdated: bool
    by: str = ""  # pseudonym of the person who resolved it
    by_bot: bool = False


class RepliesPage(Record, frozen=True, kw_only=True):
    """One page of replies. Its texts and names are clean; events are drafts without their final ids."""

    entries: int = 0  # in the reply, including unused ones
    more: bool = False  # another page follows
    cursor: str = ""  # of GraphQL, after this page
    events: list[RepoEvent] = []
    edited: dict[str, str] = {}  # by subject: the time of the last change
    threads: list[ReviewThreadState] = []
    closes: list[str] = []  # subjects that the pull request closes, according to the platform
    drops: list[Drop] = []


class Drafting(NamedTuple):
    """Common parts of all drafts of one page."""

    repo: str
    clean: Cleaner
    now: str = ""  # the name of the repository, if it has another one now
    source: str = "github"
    fetched_at: str = ""
    licence: str = ""
    number: int = 0  # of the issue or pull request, if its replies do not have it
    is_pull: bool = True

    def actor(self, user: GitHubUser | None) -> str:
        """The pseudonym of an account; empty for a deleted one."""
        return self.clean.person(user.login) if user is not None and user.login else ""

    def text(self, given: str | None) -> str:
        """A text without secrets, mentions and carriage returns."""
        return self.clean.text((given or "").replace("\r\n", "\n")) if given else ""

    def code(self, given: str) -> str:
        """Lines of code, a hunk or a path without secrets: an "@" of a decorator or a package stays."""
        masked = _CODE_AT.sub(rf"\1{_PLACEHOLDER}", given.replace("\r\n", "\n"))
        return self.clean.text(masked).replace(_PLACEHOLDER, "@") if given else ""

    def drop(self, unit: str, reason: str, detail: str = "") -> Drop:
        """A drop of this repository; the detail has no text of a reply."""
        return Drop(unit=f"{self.source}:{self.repo}:{unit}", reason=reason, detail=detail)


def is_bot(user: GitHubUser | None) -> bool:
    """Return whether the account is a program: by its type, its suffix, or the exact lists of `bots.toml`."""
    return user is not None and bots.is_bot(login=user.login, kind=user.type)


def slot_of(event: RepoEvent) -> str:
    """The key of an event among those of a repository, the same for all its revisions."""
    kind = "remark" if event.kind == "suggestion" else event.kind
    return f"{kind}:{event.source_id}"


ROLES = {"owner": "owner", "member": "member", "collaborator": "collaborator", "contributor": "contributor"}


def role_of(association: str | None) -> str:
    """The role of a person in the repository; "none" for all whom GitHub does not name as one of ROLES."""
    return ROLES.get((association or "").lower(), "none") if association else ""


def utc(given: str | None) -> str:
    """A time as `2026-01-31T12:00:00Z`; empty if it is missing or invalid.

    GH Archive wrote `2012/03/11 07:00:00 -0700` until 2014.
    """
    return utc_time((given or "").replace("/", "-").replace(" -", "-").replace(" +", "+"))


def number_in(address: str) -> int:
    """The number at the end of the address of an issue or pull request; 0 without one.

    >>> number_in("https://api.github.com/repos/o/n/pulls/12")
    12
    """
    last = address.rstrip("/").rpartition("/")[2]
    return int(last) if last.isascii() and last.isdigit() and len(last) < 10 else 0


def all_drops(pages: Sequence[RepliesPage]) -> list[Drop]:
    """The drops of some pages."""
    return [each for page in pages for each in page.drops]
