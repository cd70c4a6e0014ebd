"""`bw.compare`, `bw.rank` and `bw.report`: finished runs, or logs of other tools, next to each other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from benchwright.api.arguments import each_of, in_python
from benchwright.api.runs import StoredRun
from benchwright.errors import UsageError
from benchwright.rank.comparison import Comparison, match_metric
from benchwright.rank.comparison import compare as compare_contestants
from benchwright.rank.contestant import load
from benchwright.rank.standing import Standing
from benchwright.rank.standing import rank as rank_contestants
from benchwright.report.pipeline import WrittenReport, write_report
from benchwright.running.run_data import data_by_hash
from benchwright.running.run_folders import PAGE, named_runs

RunOrPath: TypeAlias = StoredRun | str | Path
DataSets: TypeAlias = str | Path | Sequence[str | Path]
Allowance = Literal["prompts", "coverage"]


@in_python("benchwright.cli.compare:command")
def compare(
    a: RunOrPath,
    b: RunOrPath,
    *,
    metric: str | None = None,
    allow: Allowance | Sequence[Allowance] = (),
    data: DataSets = (),
    confidence: float = 0.95,
) -> Comparison:
    """Compare two runs task by task. `better` is the name of the better one, or None if not established.

    Raises RunError if the runs cannot be compared, and PrerequisiteError without the extra `compare`.
    """
    runs = load([path_of(a), path_of(b)], given=data_by_hash(each_of(data)))
    ours, theirs = match_metric(runs, metric)
    return compare_contestants(ours, theirs, metric=metric, allow=each_of(allow), confidence=confidence)


@in_python("benchwright.cli.rank:command")
def rank(
    runs: Sequence[RunOrPath],
    *,
    metric: str | None = None,
    places: Literal["each", "all", "bootstrap"] = "each",
    allow: Allowance | Sequence[Allowance] = (),
    data: DataSets = (),
    confidence: float = 0.95,
) -> Standing:
    """Rank runs of one track, with the range of ranks that each could have.

    A folder of run folders stands for all runs in it that have a score.
    """
    references = named_runs([str(path_of(each)) for each in runs])
    loaded = load(references.runs, given=data_by_hash(each_of(data)))
    tracks = sorted({each.track for each in loaded})
    if len(tracks) > 1:
        raise UsageError(
            f"the runs are of several tracks: {', '.join(tracks)}", hint="rank runs of one track"
        )
    contestants = match_metric(loaded, metric)
    return rank_contestants(
        contestants, metric=metric, method=places, allow=each_of(allow), confidence=confidence
    )


@in_python("benchwright.cli.report:command")
def report(
    runs: RunOrPath | Sequence[RunOrPath],
    *,
    out: str | Path = PAGE,
    metric: str | None = None,
    charts: str | Path | None = None,
    allow: Allowance | Sequence[Allowance] = (),
    data: DataSets = (),
) -> WrittenReport:
    """Write the HTML report of runs to `out`. `page` is the written file, `csv` its overview as text."""
    several = [runs] if isinstance(runs, StoredRun | str | Path) else list(runs)
    return write_report(
        named_runs([str(path_of(each)) for each in several]),
        Path(out),
        metric=metric,
        charts=None if charts is None else Path(charts),
        allow=each_of(allow),
        given=data_by_hash(each_of(data)),
    )


def path_of(run: RunOrPath) -> Path:
    """Return the folder of a run, or the path itself."""
    return run.path if isinstance(run, StoredRun) else Path(run)
