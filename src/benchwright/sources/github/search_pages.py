"""Search queries and pages of results: queries are checked before any request, results are untrusted text."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import date
from urllib.parse import urlencode, urlsplit

import msgspec

from benchwright.display.escape import escaped_name
from benchwright.errors import RunError, UsageError
from benchwright.http_client import is_local
from benchwright.lang.languages import LANGUAGES
from benchwright.records import Record
from benchwright.store.strict_json import NOT_JSON

# A string, complete or truncated; a bracket; a comma. Possessive, so that matching takes linear time.
_MARK = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*"?|[\[\]{},]', re.DOTALL)
_COLON = re.compile(rb"\s*:\s*\[")
MAX_BYTES = 2 << 20  # twice the largest pages of GitHub
_OPENS, _CLOSES = b"[{", b"]}"


def split_entries(body: bytes) -> tuple[bytes, list[bytes]] | None:
    """The document with an empty `items`, and the text of each entry.

    None if there is no such list, or more entries than a page can have.
    """
    start = _start(body) if len(body) <= MAX_BYTES else None
    if start is None:
        return None
    entries: list[bytes] = []
    depth, begun = 0, start
    for mark in _MARK.finditer(body, start):
        sign = mark[0]
        if depth == 0 and sign in (b",", b"]"):
            if entry := body[begun : mark.start()].strip():
                entries.append(entry)
            begun = mark.end()
            if sign == b"]":
                return body[:start] + body[mark.start() :], entries
        elif sign in _OPENS:
            depth += 1
        elif sign in _CLOSES:
            depth -= 1
    return None


def _start(body: bytes) -> int | None:
    """The position after the bracket of the document's own `items`."""
    depth = 0
    for mark in _MARK.finditer(body):
        sign = mark[0]
        if sign == b'"items"' and depth == 1 and (opened := _COLON.match(body, mark.end())):
            return opened.end()
        depth += (sign in _OPENS) - (sign in _CLOSES)
    return None


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}/[A-Za-z0-9._-]{1,100}")
_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9 .+#_()-]{0,60}")
_BRANCH = re.compile(r"[^\s\x00-\x1f\x7f:?*\[\\^~]{1,250}")
PER_PAGE = 100
UNREAD = ("entry_unreadable", "name_refused", "address_refused")  # reasons of entries without further facts


class RepositoryFacts(Record, frozen=True, kw_only=True):
    """A repository as GitHub describes it. `refused` is the reason why it is not used, or empty."""

    name: str  # "owner/name"
    address: str  # to clone from
    stars: int = 0
    pushed_at: str = ""
    created_at: str = ""
    licence: str = ""  # SPDX from GitHub; "NOASSERTION" for an unknown text
    language: str = ""
    default_branch: str = ""
    refused: str = ""
    detail: str = ""


class SearchPage(Record, frozen=True, kw_only=True):
    """One page of results."""

    total: int  # number of matches; a search lists at most 1,000
    incomplete: bool  # GitHub stopped the search early
    entries: list[RepositoryFacts]


class _Licence(msgspec.Struct):
    spdx_id: str | None = None


class _Entry(msgspec.Struct):
    full_name: str
    clone_url: str
    stargazers_count: int
    private: bool = False
    fork: bool = False
    archived: bool = False
    disabled: bool = False
    pushed_at: str | None = None
    created_at: str | None = None
    language: str | None = None
    default_branch: str | None = None
    license: _Licence | None = None


class _Reply(msgspec.Struct):
    total_count: int
    incomplete_results: bool
    items: list[msgspec.Raw]


def read_listing(body: bytes, *, api: str) -> SearchPage:
    """The page in a body. Raises RunError for an invalid page; an invalid entry is only refused."""
    try:
        reply = _decoded(body)
    except NOT_JSON as error:
        hint = "check the address of the GitHub API: --github-api https://HOST/api/v3"
        raise RunError(f"{api}: not a reply of GitHub's search: {error}", hint=hint) from None
    if len(reply.items) > PER_PAGE or reply.total_count < 0:
        message = f"{api}: not a reply of GitHub's search: {len(reply.items)} results on one page"
        raise RunError(message, hint="report this to the administrator of the server")
    entries = [_facts(bytes(raw), api=api) for raw in reply.items]
    return SearchPage(total=reply.total_count, incomplete=reply.incomplete_results, entries=entries)


def _decoded(body: bytes) -> _Reply:
    """A decoded page; an entry that makes it undecodable is kept for `_facts` to refuse."""
    try:
        return msgspec.json.decode(body, type=_Reply)
    except NOT_JSON:
        if (parts := split_entries(body)) is None:
            raise
        frame, entries = parts
        reply = msgspec.json.decode(frame, type=_Reply)
        return msgspec.structs.replace(reply, items=[msgspec.Raw(entry) for entry in entries])


def refusal(facts: RepositoryFacts, licences: Collection[str]) -> RepositoryFacts:
    """The repository, refused if its licence is not one of the allowed ones.

    GitHub recognises licence texts better than we do, so a licence unknown to GitHub is not cloned.
    """
    if facts.refused or facts.licence in licences:
        return facts
    if facts.licence in ("", "NOASSERTION"):
        return msgspec.structs.replace(facts, refused="licence_unknown", detail="to GitHub")
    return msgspec.structs.replace(facts, refused="licence", detail=facts.licence)


def clone_host(api: str) -> str:
    """The host with port from which the repositories of an API are cloned.

    api.github.com belongs to github.com, api.NAME.ghe.com to NAME.ghe.com; an Enterprise Server has one host
    for both.
    """
    return urlsplit(api).netloc.removeprefix("api.")


def is_repository_name(name: str) -> bool:
    """Return whether a text is OWNER/NAME as GitHub allows it, and safe in an address."""
    return _NAME.fullmatch(name) is not None and not name.endswith(("/.", "/.."))


def check_repository_name(name: str) -> str:
    """The name, OWNER/NAME. Raises UsageError for any other text."""
    if not is_repository_name(name):
        message = f"{escaped_name(name, 120)}: not the name of a repository"
        raise UsageError(message, hint="use OWNER/NAME, such as pallets/click")
    return name


def _facts(raw: bytes, *, api: str) -> RepositoryFacts:
    try:
        entry = msgspec.json.decode(raw, type=_Entry)
    except NOT_JSON as error:
        return RepositoryFacts(
            name="?", address="?", refused="entry_unreadable", detail=escaped_name(str(error), 200)
        )
    address = f"https://{clone_host(api)}/{entry.full_name}.git"
    if not is_repository_name(entry.full_name):
        unit = escaped_name(entry.full_name, 120)
        return RepositoryFacts(name=unit, address=unit, refused="name_refused", detail="not OWNER/NAME")
    if entry.clone_url != address:
        detail = f"to be cloned from {escaped_name(entry.clone_url, 200)}"
        return RepositoryFacts(
            name=entry.full_name, address=address, refused="address_refused", detail=detail
        )
    return RepositoryFacts(
        name=entry.full_name,
        address=address,
        stars=max(entry.stargazers_count, 0),
        pushed_at=_like(_DATE, entry.pushed_at),
        created_at=_like(_DATE, entry.created_at),
        licence=_like(_WORD, entry.license.spdx_id if entry.license else ""),
        language=_like(_WORD, entry.language),
        default_branch=_like(_BRANCH, entry.default_branch),
        refused=_state(entry),
    )


def _state(entry: _Entry) -> str:
    """The reason to refuse a repository by its state.

    A token may list private ones, which must not be used.
    """
    names = ("private", "disabled", "archived", "fork")
    return next((name for name in names if getattr(entry, name)), "")


def _like(shape: re.Pattern[str], text: str | None) -> str:
    return text if text is not None and shape.fullmatch(text) else ""


GITHUB = "https://api.github.com"
_STARS = re.compile(r"([0-9]{1,9})\.\.([0-9]{1,9})?|\.\.([0-9]{1,9})|(>=?)([0-9]{1,9})")


class RepositorySearch(Record, frozen=True, kw_only=True):
    """A search. It takes the `most` repositories with most stars of each language."""

    languages: tuple[str, ...]
    stars: str = "10.."
    pushed_since: str = ""  # a date
    most: int = 100
    api: str = GITHUB


def check_search(search: RepositorySearch) -> None:
    """Raise UsageError for an invalid search."""
    for language in search.languages:
        if language not in LANGUAGES:
            hint = f"one of: {', '.join(LANGUAGES)}"
            raise UsageError(f"--github {escaped_name(language)}: unsupported language", hint=hint)
    if search.most < 1:
        raise UsageError(f"--max-repositories {search.most}: must be at least 1")
    low, high = star_bounds(search.stars)
    if high is not None and high < low:
        raise UsageError(f"--stars {search.stars}: the range is empty", hint=f"--stars {high}..{low}")
    if search.pushed_since:
        _check_date(search.pushed_since)
    check_api(search.api)


def star_bounds(text: str) -> tuple[int, int | None]:
    """The least and the most stars of a range: `100..`, `10..500`, `..500`, or GitHub's `>100`, `>=100`."""
    found = _STARS.fullmatch(text.strip())
    if found is None:
        number = text.strip() if text.strip().isdecimal() else "100"
        hint = f"--stars {number}.. (at least), --stars ..{number} (at most), --stars 10..500"
        raise UsageError(f"--stars {escaped_name(text)}: invalid range of stars", hint=hint)
    low, high, most, sign, least = found.groups()
    if sign:
        return int(least) + (sign == ">"), None
    return int(low or 0), int(high or most) if high or most else None


def check_api(api: str) -> None:
    """Raise UsageError for an invalid API address, or one that would send the token unencrypted."""
    hint = f"--github-api {GITHUB}, or https://HOST/api/v3 of a GitHub Enterprise Server"
    try:
        parts = urlsplit(api)
        sound = bool(parts.hostname) and parts.port != 0 and "@" not in parts.netloc
    except ValueError:
        sound = False
    if not (sound and api.isascii() and api.isprintable() and not set(api) & set(" ?#\\")):
        raise UsageError(f"--github-api {escaped_name(api, 200)}: invalid address of an API", hint=hint)
    if parts.scheme != "https" and not (parts.scheme == "http" and is_local(api)):
        raise UsageError(
            f"--github-api {api}: not encrypted; the token would be sent in clear text", hint=hint
        )


def page_url(
    search: RepositorySearch, language: str, *, low: int, high: int | None, licence: str | None, number: int
) -> str:
    """The address of one page of results, most stars first.

    `is:public` because a token may see private ones. `licence` only for a single one: the meaning of several
    is not documented.
    """
    words = [f"language:{language}", f"stars:{low}..{'*' if high is None else high}", "is:public"]
    if search.pushed_since:
        words.append(f"pushed:>={search.pushed_since}")
    if licence is not None:
        words.append(f"license:{licence.lower()}")
    query = {"q": " ".join(words), "sort": "stars", "order": "desc", "per_page": PER_PAGE, "page": number}
    return f"{search.api}/search/repositories?{urlencode(query)}"


def _check_date(text: str) -> None:
    try:
        if date.fromisoformat(text).isoformat() != text:
            raise ValueError("another form")
    except ValueError:
        hint = "use YYYY-MM-DD: --pushed-since 2025-01-31"
        raise UsageError(f"--pushed-since {escaped_name(text)}: invalid date", hint=hint) from None
