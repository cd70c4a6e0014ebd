"""A search query, checked before any request, and its form in GitHub's query language."""

from __future__ import annotations

import re
from datetime import date
from urllib.parse import urlencode, urlsplit

from benchwright.display.escape import escaped_name
from benchwright.errors import UsageError
from benchwright.http_client import is_local
from benchwright.lang.languages import LANGUAGES
from benchwright.records import Record
from benchwright.sources.github.entries import PER_PAGE

GITHUB = "https://api.github.com"
_STARS = re.compile(r"([0-9]{1,9})\.\.([0-9]{1,9})?|\.\.([0-9]{1,9})|(>=?)([0-9]{1,9})")


class Search(Record, frozen=True, kw_only=True):
    """A search. It takes the `most` repositories with most stars of each language."""

    languages: tuple[str, ...]
    stars: str = "10.."
    pushed_since: str = ""  # a date
    most: int = 100
    api: str = GITHUB


def check_search(search: Search) -> None:
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
    search: Search, language: str, *, low: int, high: int | None, licence: str | None, number: int
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
    asked = {"q": " ".join(words), "sort": "stars", "order": "desc", "per_page": PER_PAGE, "page": number}
    return f"{search.api}/search/repositories?{urlencode(asked)}"


def _check_date(text: str) -> None:
    try:
        if date.fromisoformat(text).isoformat() != text:
            raise ValueError("another form")
    except ValueError:
        hint = "use YYYY-MM-DD: --pushed-since 2025-01-31"
        raise UsageError(f"--pushed-since {escaped_name(text)}: invalid date", hint=hint) from None
