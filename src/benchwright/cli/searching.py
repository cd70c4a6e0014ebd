"""The options of a search for repositories, and what is made of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

import click

from benchwright.cli.arguments import Option, not_empty
from benchwright.errors import UsageError
from benchwright.lang.languages import LANGUAGES
from benchwright.sources.github.query import GITHUB, Search

C = TypeVar("C", bound=Callable[..., Any])
_DEFAULT = Search(languages=())
_search = partial(click.option, cls=Option, section="Repositories found on GitHub")
_OPTIONS = (
    _search(
        "--github",
        "languages",
        multiple=True,
        type=click.Choice(LANGUAGES, case_sensitive=False),
        help="Search for repositories in this language; repeatable. GITHUB_TOKEN or GH_TOKEN is used if set.",
    ),
    _search(
        "--stars",
        callback=not_empty,
        metavar="RANGE",
        help=f"At least and at most so many: 100.., 10..500, ..500.  [default: {_DEFAULT.stars}]",
    ),
    _search(
        "--pushed-since",
        callback=not_empty,
        metavar="DATE",
        help="Last push on this day or later: 2025-01-31.",
    ),
    _search(
        "--max-repositories",
        type=click.IntRange(min=1),
        help=f"Of each language, those with most stars that may be used.  [default: {_DEFAULT.most}]",
    ),
    _search(
        "--github-api",
        callback=not_empty,
        metavar="URL",
        help=f"The interface of an Enterprise Server.  [default: $GITHUB_API_URL or {GITHUB}]",
    ),
)
_NEEDED = {
    "stars": "--stars",
    "pushed_since": "--pushed-since",
    "max_repositories": "--max-repositories",
    "github_api": "--github-api",
}


def search_options(command: C) -> C:
    """The command with the options of a search."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def search_of(given: Mapping[str, Any], environment: Mapping[str, str] | None = None) -> Search | None:
    """The search that was asked for. Raises UsageError for an option of a search where there is none."""
    environment = os.environ if environment is None else environment
    set_ = [name for name in _NEEDED if given[name] is not None]
    if not given["languages"]:
        if set_:
            hint = f"--github {LANGUAGES[0]} {_NEEDED[set_[0]]} {given[set_[0]]}"
            raise UsageError(
                f"{_NEEDED[set_[0]]} says what to search for, and nothing is searched", hint=hint
            )
        return None
    api = given["github_api"] or environment.get("GITHUB_API_URL") or GITHUB
    return Search(
        languages=tuple(dict.fromkeys(given["languages"])),
        stars=given["stars"] or _DEFAULT.stars,
        pushed_since=given["pushed_since"] or "",
        most=given["max_repositories"] or _DEFAULT.most,
        api=api.strip().rstrip("/"),
    )
