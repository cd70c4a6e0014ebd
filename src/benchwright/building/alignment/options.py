"""Options of a build of the alignment data set."""

from __future__ import annotations

from typing import Any

import msgspec

from benchwright.errors import UsageError
from benchwright.records import Record
from benchwright.registry import names
from benchwright.sources.github.search_pages import GITHUB
from benchwright.sources.licences import PERMISSIVE

_RIGHTS = ("allow_private", "offline", "filters", "against", "seed")


class AlignmentOptions(Record, frozen=True, kw_only=True):
    """All options of a build; they identify it."""

    sources: tuple[str, ...]
    name: str = ""  # of the only clone: "owner/name"
    pulls: bool = True  # whether heads of pull requests and Gerrit changes are read
    comments: bool = True  # whether changed comments and docstrings are found
    refactorings: bool = False  # whether renamed, moved and extracted functions are found
    licences: tuple[str, ...] = PERMISSIVE
    licence_unknown: str = "drop"  # or "keep": repositories without a known licence, such as your own
    consent: str = ""  # statement of consent for session logs without one
    gates: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()  # "NAME" switches a filter on, "no-NAME" off
    against: tuple[str, ...] = ()  # files of benchmarks that no row may share a run of tokens with
    seed: int = 0  # of the filters that keep a share
    github_api: str = GITHUB
    since: str = ""  # of GitHub, only what has changed since this date
    allow_private: bool = False
    offline: bool = False

    def allows(self, licence: str) -> bool:
        """Whether repositories with this licence are published; an empty one is unknown."""
        return licence in self.licences if licence else self.licence_unknown == "keep"

    def identity(self) -> dict[str, Any]:
        """The options that decide the content, as JSON data: others may change between two calls."""
        found: dict[str, Any] = msgspec.to_builtins(self)
        return {name: value for name, value in found.items() if name not in _RIGHTS}


def check_options(options: AlignmentOptions) -> None:
    """Raise UsageError for options that cannot be used together."""
    if not options.sources:
        raise UsageError("no source", hint="--from CLONE, or --github OWNER/NAME")
    clones = [each for each in options.sources if each.partition(":")[0] not in names("source")]
    if options.name and len(clones) > 1:
        raise UsageError("--name names one clone", hint="use one --from, or leave out --name")
