"""Finished runs as every export reads them: checked, named, with counts of outcomes for each figure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.display.escape import escaped_path
from benchwright.display.wording import short_spec
from benchwright.errors import RunError, UsageError
from benchwright.records import Answer, Metric, Score, Verdict
from benchwright.running.run_data import identity_field, open_run, profiles_of, read_score
from benchwright.running.run_folders import named_runs, short_key
from benchwright.store.runfolder import RunFolder


class CountedFigure(NamedTuple):
    """A metric of a run by one profile, and the outcomes of the answers behind it."""

    profile: str
    name: str
    metric: Metric
    outcomes: Mapping[str, int]


class FinishedRun:
    """A finished run. `name` is the name of its folder."""

    def __init__(self, path: Path) -> None:
        self.folder: RunFolder = open_run(path)
        self.score: Score = read_score(self.folder)
        if "finished" not in self.folder.manifest:
            message = f"{escaped_path(path)} is not finished: its run.json has no end"
            raise RunError(message, hint="run its command again to resume it")
        self.name = path.resolve().name
        self.track = identity_field(self.folder, "track")
        self.model = short_spec(self.score.model)  # without the folders of this machine
        self.profile = self.score.profile
        self._counts: dict[str, Counter[str]] = {}
        self._check_counts()

    def _check_counts(self) -> None:
        """Raise RunError for verdicts that are not those of the score."""
        counted = self._outcomes(self.profile)
        if counted != Counter({name: count for name, count in self.score.outcomes.items() if count}):
            message = f"{escaped_path(self.folder.path)}: scores.json and verdicts.jsonl disagree"
            raise RunError(message, hint="run its command again, which scores the verdicts")

    @property
    def identity(self) -> dict[str, Any]:
        """The settings that decide answers and verdicts."""
        found: dict[str, Any] = self.folder.manifest["identity"]
        return found

    @property
    def key(self) -> str:
        """An id that stays the same if the run is exported again: its name and the key of its identity."""
        return f"{self.name}-{short_key(self.identity)}"

    @property
    def withholds_tasks(self) -> bool:
        """Return whether the tasks are private: the run was made with --without-tasks."""
        return "tasks" in self.folder.manifest and self.folder.manifest["tasks"] is None

    @property
    def finished(self) -> str:
        """Time of the end: ISO 8601, UTC."""
        return str(self.folder.manifest["finished"])

    @property
    def profiles(self) -> dict[str, dict[str, Metric]]:
        """Metrics by scoring profile, the run's own first."""
        return {self.profile: self.score.metrics, **self.score.other_profiles}

    def figures(self) -> Iterator[CountedFigure]:
        """Yield all figures, those of the run's own profile first."""
        for profile, metrics in self.profiles.items():
            outcomes = self._outcomes(profile)
            for name, metric in metrics.items():
                yield CountedFigure(profile, name, metric, outcomes)

    def answers(self) -> Iterator[Answer]:
        """Yield the answers in order."""
        return self.folder.answers()

    def verdicts(self) -> Iterator[Verdict]:
        """Yield the verdicts of all profiles, those of the run's own first."""
        for profile in profiles_of(self.folder):
            yield from self.folder.verdicts(profile)

    def _outcomes(self, profile: str) -> Counter[str]:
        if profile not in self._counts:
            verdicts = self.folder.verdicts(profile)
            self._counts[profile] = Counter(verdict.outcome.value for verdict in verdicts)
        return self._counts[profile]


def finished_runs(paths: Sequence[str | Path]) -> list[FinishedRun]:
    """Open finished runs; a folder of run folders stands for those in it that have a score.

    Raises UsageError without a run and for two runs of one name, RunError for an unfinished or damaged run.
    """
    if not paths:
        raise UsageError("missing RUN", hint="name a run folder, such as runs/mine")
    found = [FinishedRun(Path(each)) for each in named_runs([str(path) for path in paths]).runs]
    names: dict[str, FinishedRun] = {}
    for run in found:
        other = names.setdefault(run.name, run)
        if other is not run:
            places = f"{escaped_path(other.folder.path)} and {escaped_path(run.folder.path)}"
            raise UsageError(f"two runs have the same name: {places}", hint="rename one of the folders")
    return found
