"""Options of a build: sources, and every limit that decides which rows there are."""

from __future__ import annotations

from typing import Any

import msgspec

from benchwright.building.codecorrectness.quotas import Quotas
from benchwright.contracts import RequestOptions
from benchwright.errors import UsageError
from benchwright.records import Record
from benchwright.sources.github.search_pages import RepositorySearch
from benchwright.sources.licences import PERMISSIVE

KEEP_UNKNOWN = "--licence-unknown keep"
UNKNOWN_LICENCE = f"unknown (kept by {KEEP_UNKNOWN})"  # text for an unknown licence in a data set


class RowBounds(Record, frozen=True, kw_only=True):
    """Limits on candidates.

    MERA publishes no thresholds for CodeCorrectness. Those of its sibling UnitTests are: tests under 5,000
    characters, inputs under 70,000, at most 20 asserts, at most 200 pairs of a repository. The limit for one
    focal file is ours: without it a file with a hundred tests would give a hundred dependent rows.
    """

    licences: tuple[str, ...] = PERMISSIVE
    licence_unknown: str = "drop"  # or "keep": repositories without a known licence, such as your own
    focal_chars: int = 65_000
    test_chars: int = 5_000
    asserts: int = 20
    test_lines: int = 2  # at least
    a_focal_file: int = 30  # labelled rows of one focal file, at most; in history, for each label
    a_repository: int = 200
    likeness: float = 0.85  # similarity from which two tests of similar focal files are duplicates
    uses: tuple[str, ...] = ("assets", "callers", "network", "random")  # tags that no row may have

    def allows(self, licence: str) -> bool:
        """Whether this licence allows rows; an empty one is unknown."""
        return licence in self.licences if licence else self.licence_unknown == "keep"


def licence_text(licence: str) -> str:
    """The licence of a repository as a data set states it."""
    return licence or UNKNOWN_LICENCE


class GeneratedTestOptions(Record, frozen=True, kw_only=True):
    """The model that writes additional tests, and its parameters."""

    model: str  # a spec such as "openai:NAME" or "replay:FOLDER"
    tests: int = 2  # test files to request for each focal file
    files: int = 40  # focal files of a repository to request tests for
    asking: RequestOptions = RequestOptions()


class BuildOptions(Record, frozen=True, kw_only=True):
    """All options of a build. `identity` is the part that decides the rows."""

    sources: tuple[str, ...]
    search: RepositorySearch | None = None
    repeat: int = 5
    mutants_tried: int = 12  # mutants to try for a passing row until both labels are found
    mutants_kept: int = 1  # mutants to keep for each label of a passing row, at most
    max_rows: int | None = None
    shots: int = 10
    name: str = "CodeCorrectness"
    bounds: RowBounds = RowBounds()
    mix: Quotas = Quotas()
    generate: GeneratedTestOptions | None = None
    history: int = 200  # commits of a repository to search; 0: none
    broken: float = 0.1  # share of the passing rows that give a broken row
    steady_repeat: int = 20  # executions of rows that depend on time, threads or identity
    project_builds: bool = True  # whether to build the project of each row
    unproven: str = "keep"  # or "drop": rows whose stability executions cannot prove
    libraries: str = ""  # a folder of packages and jars that suites may import
    gates: tuple[str, ...] = ()  # additional gates, by their names in the registry
    maintainers: tuple[str, ...] = ()  # names for MERA's documents; not part of the identity

    def identity(self) -> dict[str, Any]:
        """The identity: builds with equal identities are the same.

        Every limit is explicit, as defaults may change.

        The model that writes tests, additional gates and libraries are not part of it: their identities are
        added once they are opened. Maintainers are not part of it either.
        """
        records = {"bounds": self.bounds, "mix": self.mix}
        whole = msgspec.structs.asdict(self)
        whole |= {name: msgspec.structs.asdict(each) for name, each in records.items()}
        if self.search is None:
            del whole["search"]  # identities without a search equal those of earlier versions
        else:
            whole["search"] = msgspec.structs.asdict(self.search)
        if self.bounds.licence_unknown == "drop":
            del whole["bounds"]["licence_unknown"]  # as in earlier versions
        del whole["generate"], whole["gates"], whole["libraries"], whole["maintainers"]
        document: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(whole))
        return document


def check_options(options: BuildOptions) -> None:
    """Raise UsageError for invalid options."""
    if not options.sources and options.search is None:
        hint = "--from FOLDER with clones, or --github Python to search"
        raise UsageError("no source given", hint=hint)
    if options.repeat < 2:
        message = f"--repeat {options.repeat}: a label needs at least 2 executions"
        raise UsageError(message, hint="--repeat 5")
    for option, value in (
        ("--mutants-tried", options.mutants_tried),
        ("--mutants-kept", options.mutants_kept),
    ):
        if value < 1:
            raise UsageError(f"{option} {value}: must be at least 1", hint=f"{option} 1")
    _check_natural(options)
    if options.max_rows is not None and options.max_rows < 2:
        raise UsageError(
            f"--max-rows {options.max_rows}: must be at least 2, one row for each label",
            hint="--max-rows 100",
        )
    if options.generate is not None:
        _check_generating(options.generate)


def _check_natural(options: BuildOptions) -> None:
    if options.history < 0:
        raise UsageError(f"--history {options.history}: must be at least 0", hint="--history 200")
    if not 0 <= options.broken <= 1:
        raise UsageError(f"--broken {options.broken}: expected a number from 0 to 1", hint="--broken 0.1")
    if options.steady_repeat < 1:
        raise UsageError(
            f"--steady-repeat {options.steady_repeat}: must be at least 1", hint="--steady-repeat 20"
        )


def _check_generating(generating: GeneratedTestOptions) -> None:
    for option, value in (("--tests-per-file", generating.tests), ("--files-asked", generating.files)):
        if value < 1:
            raise UsageError(f"{option} {value}: must be at least 1", hint=f"{option} 2")
