"""Options of an AICoderEval build: sources, name, and every limit that decides tiers."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from benchwright.building.aicodereval.model_drafting import ModelDrafting
from benchwright.errors import UsageError
from benchwright.records import Record
from benchwright.sources.licences import PERMISSIVE

NAME = re.compile(r"([a-z0-9][a-z0-9._-]{0,63})@(\d+\.\d+\.\d+)", re.ASCII)


class EntryBounds(Record, frozen=True, kw_only=True):
    """Limits that decide which drafts become entries, and which of those are certified."""

    licences: tuple[str, ...] = PERMISSIVE
    description_chars: int = 400  # for one sentence
    cases: int = 60
    likeness: float = 0.85  # similarity from which two entries are duplicates
    executions: int = 5  # executions of the canonical solution, each varied
    mutation_score: float = 0.8
    min_success_rate: float = 0.0  # minimum share of passed levels for publication


class BenchmarkOptions(Record, frozen=True, kw_only=True):
    """All options of a build. `identity` is the part that decides the entries."""

    sources: tuple[str, ...] = ()
    drafts: tuple[str, ...] = ()
    name: str = "aicodereval@0.1.0"
    bounds: EntryBounds = EntryBounds()
    corpus: tuple[str, ...] = ()  # files and folders that must not contain tests
    reviewed: tuple[str, ...] = ()  # signed review sheets; only accepted entries are certified
    gates: tuple[str, ...] = ()  # additional gates, by their names in the registry
    drafting: ModelDrafting | None = None  # None: entries are drafted from templates

    def identity(self) -> dict[str, Any]:
        """The identity.

        Every limit is explicit, as defaults may change; the name belongs to the release only.
        """
        bounds = msgspec.structs.asdict(self.bounds)
        document: dict[str, Any] = msgspec.json.decode(msgspec.json.encode({"bounds": bounds}))
        return document


def check_options(options: BenchmarkOptions) -> None:
    """Raise UsageError for invalid options."""
    if not options.sources and not options.drafts:
        raise UsageError("no source given", hint="--drafts FILE for stored drafts, or --from SOURCE")
    if options.drafting is not None and not options.sources:
        raise UsageError("--model needs a source of records to draft from", hint="--from SOURCE")
    if not NAME.fullmatch(options.name):
        raise UsageError(
            f"--name {options.name!r}: expected NAME@X.Y.Z in lower case",
            hint="--name mine@1.0.0",
        )
    if not 0 <= options.bounds.min_success_rate <= 1:
        given = options.bounds.min_success_rate
        raise UsageError(
            f"--min-success-rate {given}: expected a number from 0 to 1", hint="--min-success-rate 0.5"
        )
