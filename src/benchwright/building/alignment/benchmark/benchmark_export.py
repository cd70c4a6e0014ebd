"""Export rows of benchmarks from the test split of a release."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec

from benchwright.building.alignment.benchmark import comment_rows, issue_rows, refine_rows
from benchwright.building.alignment.benchmark.benchmark_folder import (
    BenchmarkExport,
    BenchmarkFacts,
    ExcludedRepositories,
    write_benchmark,
)
from benchwright.building.alignment.benchmark.material import MinedRow, UnpublishableFileError
from benchwright.building.alignment.benchmark.refine_tests import RefineTestFinder
from benchwright.building.alignment.benchmark.split_release import SplitRelease
from benchwright.building.alignment.records import RUNGS, MinedRepository
from benchwright.building.engine.recipe import MANIFEST
from benchwright.building.engine.stages import StageFiles
from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import UsageError
from benchwright.executing.suite_runners import Runners
from benchwright.records import Drop
from benchwright.sources.cleaning.mentions import without_people
from benchwright.sources.cleaning.pseudonyms import KEY_FILE
from benchwright.sources.cleaning.secret_search import without_secrets
from benchwright.sources.cleaning.text_cleaner import open_cleaner
from benchwright.sources.clone_objects import MissingObjectError
from benchwright.sources.object_reader import ObjectReader
from benchwright.store.writing import read_records

TRACKS = (refine_rows.TRACK, comment_rows.TRACK, issue_rows.TRACK)


def export_benchmark(
    release: Path,
    track: str,
    out: Path,
    *,
    rungs: Collection[int] = refine_rows.STRONG,
    clones: Mapping[str, Path] | None = None,
    against: Sequence[Path] = (),
    execute: bool = False,
) -> BenchmarkExport:
    """Write the rows of a track, made from a release or the release in a build folder, to a new folder.

    `clones` are the clones of repositories by name; those of the build around the release are found there.
    `against` are training exports, which may have no repository of the rows. `execute` adds tests to rows of
    review remarks. Raises UsageError and DataError.
    """
    _check_rungs(rungs)
    if execute and track != refine_rows.TRACK:
        hint = f"use --track {refine_rows.TRACK}, or leave out --execute"
        raise UsageError(f"--execute: rows of {track} have no tests", hint=hint)
    excluded = [_exclusion(each) for each in against]
    records = SplitRelease(release)
    with ExitStack() as stack:
        lines = CloneLines({**_built_clones(records.build), **(clones or {})}, stack, _cleaner(records.build))
        rows = _rows(track, records, lines, rungs)
        used = sorted(rungs) if track == refine_rows.TRACK else []
        facts = BenchmarkFacts(track, records.published(), used)
        finder = RefineTestFinder(records, lines, stack.enter_context(Runners())) if execute else None
        return write_benchmark(rows, out, facts, excluded=excluded, finder=finder)


def _rows(
    track: str, records: SplitRelease, lines: CloneLines, rungs: Collection[int]
) -> Iterator[MinedRow | Drop]:
    if track == issue_rows.TRACK:
        return issue_rows.issue_rows(records, repos=records.repos)
    lines.require(records.repos)
    if track == comment_rows.TRACK:
        return comment_rows.comment_rows(records, lines, repos=records.repos)
    return refine_rows.refine_rows(records, lines, repos=records.repos, rungs=rungs)


def _check_rungs(rungs: Collection[int]) -> None:
    if wrong := sorted(set(rungs) - (set(RUNGS) - {0})):
        known = ", ".join(f"{rung} {name}" for rung, name in RUNGS.items() if rung)
        raise UsageError(f"--rung {wrong[0]}: not a rung of answered remarks", hint=f"one of: {known}")


class CloneLines:
    """Files of clones by repository, commit and path, without secrets and people.

    Each clone is read in a child process.
    """

    def __init__(self, places: Mapping[str, Path], stack: ExitStack, clean: Callable[[str], str]) -> None:
        self._places, self._stack, self._clean = places, stack, clean
        self._readers: dict[str, ObjectReader] = {}

    def require(self, repos: Collection[str]) -> None:
        """Raise UsageError for repositories without a clone."""
        missing = sorted(set(repos) - set(self._places))
        if missing:
            message = f"no clone of {', '.join(missing[:5])}"
            raise UsageError(message, hint=f"--clone {missing[0]}=PATH, for each of {len(missing):,}")

    def __call__(self, repo: str, commit: str, path: str) -> list[str] | None:
        """The lines of a file; None if the clone does not have it, or it is too large or no text.

        Raises UnpublishableFileError for a file with a secret of several lines.
        """
        if repo not in self._readers:
            self._readers[repo] = self._stack.enter_context(ObjectReader(self._places[repo]))
        try:
            lines = self._readers[repo].lines(commit, path)
        except MissingObjectError:
            return None
        if lines is None:
            return None
        cleaned = self._clean("\n".join(lines)).split("\n") if lines else []
        if len(cleaned) != len(lines):
            raise UnpublishableFileError(path)
        return cleaned


def _cleaner(build: Path) -> Callable[[str], str]:
    """The cleaner of a build; without its key, all people have one pseudonym."""
    if (build / KEY_FILE).is_file():
        return open_cleaner(build).text
    return lambda text: without_people(without_secrets(text), lambda _: "person")


def _built_clones(build: Path) -> dict[str, Path]:
    """The clones of a build, by repository."""
    file = StageFiles.of(build / "stages", 1, "repositories").kept
    if not file.is_file():
        return {}
    found = {each.name: Path(each.place) for each in read_records(file, MinedRepository) if each.place}
    return {name: place for name, place in found.items() if place.is_dir()}


def _exclusion(folder: Path) -> ExcludedRepositories:
    """The repositories of a training export, by its manifest. Raises UsageError for another folder."""
    try:
        manifest: Any = msgspec.json.decode((folder / MANIFEST).read_bytes())
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        manifest = None
    repos = manifest.get("repositories") if isinstance(manifest, dict) else None
    if not isinstance(repos, dict):
        message = f"{escaped_path(folder)} is not a training export"
        raise UsageError(f"--against: {message}", hint="name a folder of `export training`")
    return ExcludedRepositories(escaped_path(folder), frozenset(escaped_name(str(each)) for each in repos))
