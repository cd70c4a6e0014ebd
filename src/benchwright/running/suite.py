"""Several runs by one command: each model on each track, one run after another, and thresholds.

    cells ──Planned──▶ run ──CellResult──▶ thresholds ──ThresholdResult──▶ exit code

All plans are made before anything is asked, so an error in the last cell costs nothing. Only one run is
active at a time, so limits on requests to a server hold for the whole suite.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from benchwright.asking.ask import reads_prompts, waiting
from benchwright.asking.cost import Forecast, cost, forecast
from benchwright.asking.parameters import answer_limit
from benchwright.contracts import ModelWithRequirements
from benchwright.contracts.measures import split_name
from benchwright.errors import BatchesPending, BenchwrightError, PrerequisiteError, RunError, UsageError
from benchwright.progress import Watcher
from benchwright.records import Record, Score
from benchwright.running.answering import RunPrompts
from benchwright.running.options import JudgeOptions, RunOptions
from benchwright.running.pipeline import ask_plan, run_plan
from benchwright.running.plan import Plan, make_plan
from benchwright.running.run_data import measures_of
from benchwright.running.run_folders import UnscoredRun, find_folder, folder_name, note_failure
from benchwright.store.keys import KeySet
from benchwright.store.runfolder import Mode, RunFolder

SuiteThreshold = Literal["fail-under", "fail-over"]
Figure = Literal["value", "low", "high"]


class SuiteCell(Record, frozen=True, kw_only=True):
    """One model on one track, by their names in the suite."""

    model: str
    track: str
    options: RunOptions
    workers: int | None = None
    asks_anyway: bool = False  # without the environment to judge them, answers are stored without a score

    @property
    def name(self) -> str:
        """Its name in messages and patterns: "TRACK/MODEL"."""
        return f"{self.track}/{self.model}"


class PlannedRun(NamedTuple):
    """A cell with its plan and run folder."""

    cell: SuiteCell
    plan: Plan
    folder: Path


class SuiteForecast(NamedTuple):
    """The cost of a cell: all answers, requests still to send, and the maximum price of these."""

    answers: int
    requests: int
    tokens_in: int  # at most: a token for each byte of the prompts
    most: float | None  # in the currency of the prices; None without prices, or where answers have any length


class CellResult(NamedTuple):
    """The result of a cell: a score, or the error that prevented it."""

    planned: PlannedRun
    score: Score | None
    error: BenchwrightError | None
    unscored_reason: str = ""  # why its answers are stored without a score

    @property
    def name(self) -> str:
        """The cell's name."""
        return self.planned.cell.name

    @property
    def is_pending(self) -> bool:
        """Return whether its batches have not ended; the next call collects them."""
        return isinstance(self.error, BatchesPending)

    @property
    def word(self) -> str:
        """Why it has no score, in a word."""
        return "pending" if self.is_pending else "asked" if self.unscored_reason else "failed"


class Threshold(Record, frozen=True, kw_only=True):
    """A figure that cells must reach ("fail-under") or stay below ("fail-over"), as a share from 0 to 1.

    `by` selects the compared number: the figure itself, or an end of its 95 % interval.
    """

    measure: str
    bound: float
    side: SuiteThreshold = "fail-under"
    by: Figure = "value"
    track: str = "*"  # patterns of names
    model: str = "*"

    def meets(self, cell: SuiteCell) -> bool:
        """Whether the threshold applies to a cell."""
        return fnmatchcase(cell.track, self.track) and fnmatchcase(cell.model, self.model)

    def holds(self, figure: float) -> bool:
        """Whether a figure satisfies the threshold."""
        return figure >= self.bound if self.side == "fail-under" else figure <= self.bound


class ThresholdResult(NamedTuple):
    """The comparison of a threshold with one cell. `figure` is None for a cell without a score."""

    cell: SuiteCell
    threshold: Threshold
    figure: float | None

    @property
    def holds(self) -> bool:
        """Whether the cell satisfies the threshold; False without a figure."""
        return self.figure is not None and self.threshold.holds(self.figure)


def plan_cells(cells: Sequence[SuiteCell], out: Path | None) -> list[PlannedRun]:
    """Settle each cell's run, in the order given. Raises what `make_plan` raises, with the cell's name.

    A folder's name has track, model and eight digits of a hash of all that decides the answers: a changed
    suite resumes the runs that did not change. Without `out` it is the folder that `run` would choose.
    """
    planned = [PlannedRun(cell, plan, _folder(cell, plan, out)) for cell in cells for plan in [_plan(cell)]]
    _check_apart(planned)
    return planned


def other_runs(cells: Sequence[SuiteCell], out: Path) -> tuple[list[Path], list[UnscoredRun]]:
    """Return the folders of cells that are not run now and have a score, and why the others have none."""
    scored, unscored = [], []
    for cell in cells:
        try:
            [planned] = plan_cells([cell], out)
        except BenchwrightError as error:
            unscored.append(UnscoredRun(cell.options.track, cell.model, error.message))
            continue
        if (planned.folder / "scores.json").is_file():
            scored.append(planned.folder)
        else:
            unscored.append(UnscoredRun(cell.options.track, cell.model, "not run yet"))
    return scored, unscored


def _plan(cell: SuiteCell) -> Plan:
    try:
        return make_plan(cell.options)
    except BenchwrightError as error:
        error.message = f"{cell.name}: {error.message}"
        raise


def _folder(cell: SuiteCell, plan: Plan, out: Path | None) -> Path:
    return find_folder(plan) if out is None else out / folder_name(cell.track, cell.model, plan.identity)


def _check_apart(planned: Sequence[PlannedRun]) -> None:
    """Raise UsageError for two cells whose names differ only in characters that file names lack."""
    by_folder: dict[Path, str] = {}
    for each in planned:
        other = by_folder.setdefault(each.folder, each.cell.name)
        if other != each.cell.name:
            message = f"{other} and {each.cell.name} would share a folder: {each.folder}"
            raise UsageError(message, hint='give them other names: name = "…"')


def forecast_run(planned: PlannedRun) -> SuiteForecast:
    """Return the requests that a cell still needs, and their maximum price."""
    plan = planned.plan
    if not reads_prompts(plan.model):
        return SuiteForecast(plan.total, 0, 0, None)
    estimate = forecast(waiting(RunPrompts(plan), _done(planned.folder)))
    return SuiteForecast(plan.total, estimate.requests, estimate.tokens_in, _most(plan, estimate))


def _done(folder: Path) -> KeySet:
    """Return the keys of stored answers. An unreadable folder is reported by its run."""
    return RunFolder.read(folder).done_keys() if (folder / "run.json").exists() else KeySet()


def _most(plan: Plan, estimate: Forecast) -> float | None:
    longest = answer_limit(plan.asking)
    if longest is None:
        return None
    return cost(plan.asking, estimate.tokens_in, estimate.requests * longest, batch=plan.asking.batch)


def check_models_ready(planned: Sequence[PlannedRun]) -> None:
    """Raise PrerequisiteError where a model cannot be asked, such as for a missing key."""
    for each in planned:
        model = each.plan.model
        if isinstance(model, ModelWithRequirements) and len(_done(each.folder)) < each.plan.total:
            model.check_ready()


def run_cells(
    planned: Sequence[PlannedRun],
    watcher: Callable[[PlannedRun], Watcher],
    *,
    ended: Callable[[CellResult], None],
    mode: Mode = "either",
    unscored: Callable[[PlannedRun], str] = lambda _: "",
) -> list[CellResult]:
    """Run each cell; a failed cell does not prevent the others. `ended` is called after each.

    `unscored` returns why the answers of a cell are only asked for; empty for cells that are scored.
    """
    results = []
    for each in planned:
        reason = unscored(each)
        results.append(_ask(each, watcher(each), mode, reason) if reason else _run(each, watcher(each), mode))
        ended(results[-1])
    return results


def _run(planned: PlannedRun, watch: Watcher, mode: Mode) -> CellResult:
    plan, folder, workers = planned.plan, planned.folder, planned.cell.workers
    try:
        score = run_plan(plan, out=folder, workers=workers, mode=mode, watcher=watch)
    except PrerequisiteError as error:
        if planned.cell.asks_anyway:
            return _ask(planned, watch, mode, f"env-missing: {error.message}")
        return _failed_result(planned, error)
    except BenchwrightError as error:
        return _failed_result(planned, error)
    return CellResult(planned, score, None)


def _ask(planned: PlannedRun, watch: Watcher, mode: Mode, reason: str) -> CellResult:
    """Store the answers of a cell without judging them."""
    try:
        plan = make_plan(msgspec.structs.replace(planned.plan.options, judges=JudgeOptions()))
        ask_plan(plan, out=planned.folder, mode=mode, watcher=watch)
    except BenchwrightError as error:
        return _failed_result(planned, error)
    return CellResult(planned, None, None, reason)


def _failed_result(planned: PlannedRun, error: BenchwrightError) -> CellResult:
    if not isinstance(error, BatchesPending):
        note_failure(planned.folder, error.message)
    return CellResult(planned, None, error)


def check_thresholds(thresholds: Sequence[Threshold], planned: Sequence[PlannedRun]) -> None:
    """Raise UsageError for a threshold that applies to no cell, or to a figure that a cell will not have."""
    for each in thresholds:
        met = [planned_cell for planned_cell in planned if each.meets(planned_cell.cell)]
        if not met:
            message = f"{each.side}: no cell is track {each.track!r} and model {each.model!r}"
            raise UsageError(message, hint=f"there are: {', '.join(cell.cell.name for cell in planned)}")
        for cell in met:
            _check_side(each, cell)


def _check_side(threshold: Threshold, planned: PlannedRun) -> None:
    measures, name = planned.plan.track.measures, threshold.measure
    if not _may_have_figure(planned.plan, name):
        message = f"{threshold.side}: {planned.cell.name} will have no figure {name!r}"
        raise UsageError(message, hint=f'measure = "{measures.headline.name}"')
    if measures.find(name).higher_is_better != (threshold.side == "fail-under"):
        better, other = ("less", "fail-over") if threshold.side == "fail-under" else ("more", "fail-under")
        raise UsageError(f"{threshold.side}: of {name} {better} is better", hint=f"[[{other}]]")


def _may_have_figure(plan: Plan, name: str) -> bool:
    """Whether a run's score may have a figure of this name; for a family, with its k."""
    measures = plan.track.measures.measures
    counted = any(each.covers(name) and int(split_name(name)[1]) in plan.ks for each in measures)
    return counted or any(each.name == name and not each.is_family for each in measures)


def exit_code(results: Sequence[CellResult], checked: Sequence[ThresholdResult] = ()) -> int:
    """Return 1 if a run failed or missed a threshold, else the code of pending batches, else 0."""
    failed = any(each.error is not None and not each.is_pending for each in results)
    if failed or not all(each.holds for each in checked):
        return BenchwrightError.exit_code
    return BatchesPending.exit_code if any(each.is_pending for each in results) else 0


def checks(thresholds: Sequence[Threshold], results: Sequence[CellResult]) -> Iterator[ThresholdResult]:
    """Compare each threshold with its cells, but for pending ones. Raises RunError for a missing figure."""
    for threshold in thresholds:
        for result in results:
            cell = result.planned.cell
            if threshold.meets(cell) and not (result.is_pending or result.unscored_reason):
                yield ThresholdResult(cell, threshold, _figure(result.score, threshold))


def is_good(results: Sequence[CellResult], checked: Sequence[ThresholdResult]) -> bool:
    """Return whether each cell has a score and each threshold holds."""
    return all(each.error is None for each in results) and all(each.holds for each in checked)


def _figure(score: Score | None, threshold: Threshold) -> float | None:
    if score is None:
        return None
    metric = score.metrics.get(threshold.measure)
    if metric is None:
        metric_names = ", ".join(measures_of(score.track).in_order(score.metrics))
        message = f"{threshold.side}: {score.run} has no figure {threshold.measure!r}; it has {metric_names}"
        raise RunError(message, hint="for another k of pass@k, set k in the suite")
    return float(getattr(metric, threshold.by))
