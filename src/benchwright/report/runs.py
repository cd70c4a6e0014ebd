"""The runs of a report: names, page addresses, and logs of other tools as runs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import quote

from benchwright.contracts import LoggedSample, MeasureSet, Sections, ToolLog
from benchwright.display.escape import escaped_code, escaped_path, visible_name
from benchwright.display.palette import GRADED
from benchwright.errors import RunError
from benchwright.rank.comparability import check_comparable
from benchwright.rank.contestant import Contestant, load
from benchwright.rank.tool_runs import find_log, outcome_of
from benchwright.records import Answer, Isolation, Outcome, Score, TaskId, Verdict
from benchwright.report.answer_packing import CUT
from benchwright.report.verdict_tally import VerdictTally
from benchwright.running.human_labels import people_of
from benchwright.running.run_data import DataByHash, executes
from benchwright.store.runfolder import RunFolder
from benchwright.store.strict_json import replace_lone


class Run(NamedTuple):
    """A run as the report sees it."""

    name: str  # safe to show and unique on the page
    contestant: Contestant
    folder: RunFolder
    tally: VerdictTally
    prefix: str = ""  # of the names of its tasks, if the report has several tracks
    key: str = ""  # in the page's addresses, unique
    task_keys: Mapping[TaskId, str] = MappingProxyType({})  # of every task of its track

    @property
    def measures(self) -> MeasureSet:
        """The measures of its track."""
        return self.contestant.measures

    @property
    def executes(self) -> bool:
        """Whether its answers are executed programs: else it has neither programs nor times."""
        return not self.logged and executes(self.contestant.track)

    @property
    def logged(self) -> bool:
        """Whether it is a log of another tool."""
        return bool(self.contestant.tool)

    @property
    def graded(self) -> bool:
        """Whether its answers are graded, not just passed or failed."""
        return bool(self.measures.grade) or any(name in self.tally.outcomes for name in GRADED)

    @property
    def calibrated(self) -> bool:
        """Whether people have labelled enough answers to calibrate its judges."""
        people = people_of(self.score)
        return people is not None and people.is_enough

    @property
    def date(self) -> str:
        """The day on which it ended, or began if no end is recorded: "2026-11-27"; empty if unknown."""
        stamp = self.folder.manifest.get("finished") or self.folder.manifest.get("started")
        return escaped_code(stamp[:10]) if isinstance(stamp, str) else ""

    @property
    def sections(self) -> Sections:
        """The details of its score, without the metrics."""
        return self.measures.sections(self.score.details)

    def address(self, task_id: TaskId, sample: int | None = None) -> str:
        """The address of this run's answers to a task, or of one answer."""
        return page_address(self.task_keys[task_id], self.key, sample)

    def task_address(self, task_id: TaskId) -> str:
        """The address of all runs' answers to a task."""
        return page_address(self.task_keys[task_id])

    def task_name(self, task_id: TaskId) -> str:
        """The name of a task on the page, safe to show. Two tracks may both have a task 7."""
        return self.prefix + visible_name(task_id)

    @property
    def full_name(self) -> str:
        """The name among the runs of all tracks."""
        return f"{self.prefix}{self.name}"

    @property
    def score(self) -> Score:
        """The score of the run."""
        return self.contestant.score


def load_runs(
    paths: Sequence[str | Path],
    *,
    scratch: Path | None = None,
    allow: Collection[str] = (),
    given: DataByHash | None = None,
) -> list[Run]:
    """Load the runs in the given order. Raises RunError for an unfinished run, and for incomparable runs.

    Runs of several tracks are grouped by track, see `by_track`. Within a track, rows from different data
    sets or rules of judging would invite a meaningless comparison, so incomparable runs cannot be in one
    report. `scratch` is a folder for the answers of other tools' logs; it must exist while the page is
    written.
    """
    contestants = load([Path(path) for path in paths], given=given)
    tracks = list(dict.fromkeys(contestant.track for contestant in contestants))
    for track in tracks:
        of_track = [contestant for contestant in contestants if contestant.track == track]
        if len(of_track) > 1:
            check_comparable(of_track, allow=allow)
    runs = [
        Run(
            visible_name(contestant.name),
            contestant,
            folder,
            VerdictTally(folder, contestant.measures.grade),
            prefix=f"{escaped_code(contestant.track)} " if len(tracks) > 1 else "",
        )
        for contestant in contestants
        for folder in [_folder(contestant, scratch)]
    ]
    return _keyed(runs)


def _folder(contestant: Contestant, scratch: Path | None) -> RunFolder:
    if not contestant.tool:
        return RunFolder.read(Path(contestant.path))
    if scratch is None:
        raise ValueError("a log of another tool needs a scratch folder")
    return write_log_rows(contestant, scratch)


def _keyed(runs: Sequence[Run]) -> list[Run]:
    """The runs with unique keys, and keys of their track's tasks."""
    keys = distinct_keys(run.full_name for run in runs)
    tasks = [(group, task_id) for group in by_track(runs) for task_id in all_tasks(group)]
    of_tasks: dict[str, dict[TaskId, str]] = {}
    names = (group[0].task_name(task_id) for group, task_id in tasks)
    for (group, task_id), key in zip(tasks, distinct_keys(names), strict=True):
        of_tasks.setdefault(group[0].contestant.track, {})[task_id] = key
    return [
        run._replace(key=key, task_keys=of_tasks.get(run.contestant.track, {}))
        for run, key in zip(runs, keys, strict=True)
    ]


def by_track(runs: Sequence[Run]) -> list[list[Run]]:
    """The runs of each track, tracks in the order of their first run."""
    tracks = dict.fromkeys(run.contestant.track for run in runs)
    return [[run for run in runs if run.contestant.track == track] for track in tracks]


def all_tasks(runs: Sequence[Run]) -> list[TaskId]:
    """Every task of any run, in the order of the first run that has it."""
    return list(dict.fromkeys(task_id for run in runs for task_id in run.tally.cells))


MOST = 80  # characters of a name in a key


def distinct_keys(names: Iterable[str]) -> Iterator[str]:
    """A distinct key for each name, quoted for an address."""
    used_keys: set[str] = set()
    counts: dict[str, int] = {}
    for name in names:
        key = short = name[:MOST]
        while key in used_keys:
            counts[short] = counts.get(short, 1) + 1
            key = f"{short}~{counts[short]}"
        used_keys.add(key)
        yield quote(key, safe="")


def page_address(task: str, run: str | None = None, sample: int | None = None) -> str:
    """The part of the page's address that opens a task, a run's answers to it, or one answer, by keys."""
    parts = [f"#task={task}"]
    if run is not None:
        parts.append(f"model={run}")
    if sample is not None:
        parts.append(f"sample={sample}")
    return "&".join(parts)


def write_log_rows(contestant: Contestant, scratch: Path) -> RunFolder:
    """Write the answers of a log, with outcomes by its first metric, to a folder below `scratch`.

    The verdicts are the tool's: nothing was executed here, so isolation and times are not shown.
    """
    log = find_log(contestant.path, texts=True)
    if log is None:
        raise RunError(
            f"{escaped_path(contestant.path)} was removed while it was read", hint="run the command again"
        )
    place = scratch / f"{len(list(scratch.iterdir())):05d}"
    place.mkdir()
    identity = {"track": contestant.track, "profile": contestant.tool, "model": contestant.model}
    folder = RunFolder(place, {"identity": identity, "started": log.started})
    folder.keep((row for row, _ in _rows(log, contestant)), (row for _, row in _rows(log, contestant)))
    return folder


def _rows(log: ToolLog, contestant: Contestant) -> Iterator[tuple[Answer, Verdict]]:
    tasks: dict[str, list[LoggedSample]] = {}
    for sample in log.samples:
        tasks.setdefault(str(sample.task_id), []).append(sample)
    for samples in tasks.values():
        for sample in sorted(samples, key=lambda each: each.epoch):
            yield _row(sample, contestant)


def _row(sample: LoggedSample, contestant: Contestant) -> tuple[Answer, Verdict]:
    first = next(iter(contestant.estimates))
    outcome = outcome_of(sample, first, binary=not contestant.grade)
    answer = Answer(
        key="",
        task_id=sample.task_id,
        sample=sample.epoch - 1,
        model=contestant.model,
        text=replace_lone(sample.text[:CUT]),
        error=sample.failure or None,
    )
    verdict = Verdict(
        key="",
        task_id=sample.task_id,
        sample=sample.epoch - 1,
        outcome=outcome,
        isolation=Isolation.none,
        profile=contestant.tool,
        detail=_detail(sample, outcome),
        scores={name: value for name, value in sample.scores.items() if name in contestant.estimates},
    )
    return answer, verdict


def _detail(sample: LoggedSample, outcome: Outcome) -> str:
    """All scores of the sample under the tool's names; the reason if there are none."""
    if outcome.is_missing:
        return visible_name(sample.failure)
    scores = ", ".join(f"{visible_name(name)} {value:g}" for name, value in sample.scores.items())
    return scores or "no scorer returned a number"
