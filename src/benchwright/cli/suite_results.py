"""Results of several runs: the live board, tables, the Markdown summary, and runs of several models.

A board shows a line for each run while it works. The summary is what `--summary` writes for a CI job.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from html import escape
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import click
from msgspec.structs import replace
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from benchwright.cli.arguments import print_json, score_document
from benchwright.cli.scores import print_table
from benchwright.cli.terminal import FINE, TerminalWatcher, console, fits_width, is_silent
from benchwright.display.escape import escaped_name, escaped_path, markdown_cell, markup
from benchwright.display.text_table import text_table
from benchwright.display.wording import counted, self_check_text
from benchwright.errors import RunError, command_name
from benchwright.progress import Silent, Watcher
from benchwright.records import Metric, Outcome, Score
from benchwright.running.options import RunOptions
from benchwright.running.prompt_files import PromptFile, run_name
from benchwright.running.run_data import measures_of
from benchwright.running.suite import (
    CellResult,
    PlannedRun,
    SuiteCell,
    ThresholdResult,
    check_models_ready,
    exit_code,
    plan_cells,
    run_cells,
)
from benchwright.store.runfolder import Mode

PER_SECOND = 4  # redraws of the table


def headline(score: Score) -> tuple[str, str]:
    """Format the first figure of a score, "pass@1 71.2 %", and its interval, "60.1–80.9"."""
    measures = measures_of(score.track)
    name = next((each for each in measures.in_order(score.metrics) if each == measures.headline.name), None)
    if name is None:
        return "no figure", ""
    metric: Metric = score.metrics[name]
    value, interval = measures.find(name).figures(metric)
    return f"{measures.find(name).title} {value}", interval


class Board:
    """A table with a line for each run: stage, progress, and at the end the figure."""

    def __init__(self, target: Console, planned: Sequence[PlannedRun]) -> None:
        self._console, self._draws = target, target.is_terminal
        self._lines = {each.cell.name: _BoardRow(self, each) for each in planned}
        self._live = Live(
            get_renderable=self._table, console=target, refresh_per_second=PER_SECOND, transient=True
        )

    def __enter__(self) -> Board:
        if self._draws:
            self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._draws:
            self._live.stop()

    def watcher(self, planned: PlannedRun) -> Watcher:
        """Return the watcher of a run."""
        line = self._lines[planned.cell.name]
        if self._draws:
            return line
        self._console.print(f"[bold]{markup(line.place)}[/] {markup(planned.cell.name)}")
        return TerminalWatcher(self._console)

    def ended(self, result: CellResult) -> None:
        """Show the result of a finished run."""
        self._lines[result.name].close(result)
        if result.error is not None:
            name = f"[{_colour(result)}]{markup(result.name)} {result.word}:[/]"
            self.print_above(f"{name} {markup(result.error.message)}")

    def print_above(self, text: str) -> None:
        """Print markup above the table."""
        self._console.print(text, soft_wrap=True)

    def place_of(self, name: str) -> str:
        """Return the number of a run, such as "3/12"."""
        return f"{list(self._lines).index(name) + 1}/{len(self._lines)}"

    def _table(self) -> Table:
        table = text_table()
        for title in ("track", "model", "state"):
            table.add_column(title, overflow="fold")
        table.add_column("", no_wrap=True)
        for line in self._lines.values():
            table.add_row(line.track, line.model, *line.cells())
        return table


def run_watched(
    planned: Sequence[PlannedRun],
    target: Console,
    *,
    silent: bool,
    mode: Mode = "either",
    unscored: Callable[[PlannedRun], str] = lambda _: "",
) -> list[CellResult]:
    """Run all cells, with a board unless `silent`. `unscored` as in `run_cells`."""
    if silent:
        return run_cells(planned, lambda _: Silent(), ended=lambda _: None, mode=mode, unscored=unscored)
    with Board(target, planned) as board:
        return run_cells(planned, board.watcher, ended=board.ended, mode=mode, unscored=unscored)


class _BoardRow(Silent):
    """A line of the board, which watches its run."""

    def __init__(self, board: Board, planned: PlannedRun) -> None:
        self._board, self._name = board, planned.cell.name
        self.track, self.model = markup(planned.cell.track), markup(planned.cell.model)
        self._stage, self._done, self._total, self._status = "waiting", 0, 0, ""
        self._began, self._at = 0.0, 0
        self._failed = 0  # a number: this thread counts while another draws
        self._result: CellResult | None = None

    @property
    def place(self) -> str:
        """Number of the run among all."""
        return self._board.place_of(self._name)

    def begin(self, stage: str, total: int, done: int) -> None:
        """Start a stage."""
        self._stage, self._total, self._done, self._status = stage, total, done, ""
        self._began, self._at = monotonic(), done
        self._failed = 0

    def tick(self, outcome: Outcome | None) -> None:
        """Count one more."""
        self._done += 1
        self._failed += outcome is not None and outcome not in FINE

    def status(self, text: str) -> None:
        """Set the text after the count."""
        self._status = text

    def note(self, text: str) -> None:
        """Print a note above the table, with the name of the run."""
        self._board.print_above(f"[dim]{markup(self._name)}:[/] {markup(text)}")

    def close(self, result: CellResult) -> None:
        """Show the result from now on."""
        self._result = result

    def cells(self) -> tuple[Text | str, Text | str]:
        """Return the cells for state and details."""
        if self._result is not None:
            return _result_cells(self._result)
        if not self._total:
            return Text(self._stage, style="dim"), ""
        parts = [self._rate(), f"{self._failed} failed" if self._failed else "", self._status]
        return f"{self._stage} {self._done} of {self._total}", Text(" · ".join(filter(None, parts)))

    def _rate(self) -> str:
        took = monotonic() - self._began
        speed = (self._done - self._at) / took if took > 1 else 0.0
        if not speed:
            return ""
        remaining_s = (self._total - self._done) / speed
        return f"{60 * speed:.0f}/min, {remaining_s:.0f} s left"


def _result_cells(result: CellResult) -> tuple[Text | str, Text | str]:
    if result.score is None:
        return Text(result.word, style=_colour(result)), ""
    figure, interval = headline(result.score)
    return Text(figure, style="bold"), Text(interval, style="dim")


def _colour(result: CellResult) -> str:
    return "yellow" if result.is_pending or result.unscored_reason else "red"


def print_results(target: Console, results: Sequence[CellResult], checked: Sequence[ThresholdResult]) -> None:
    """Print the first figure of each run, failures, and thresholds."""
    if any(each.score is not None for each in results):
        _print_matrix(target, results)
    print_failures(target, results)
    for check in checked:
        word = "[green]holds[/]" if check.holds else "[red bold]fails[/]"
        target.print(f"{word}: {markup(failure_sentence(check))}", soft_wrap=True)


def print_failures(target: Console, results: Sequence[CellResult]) -> None:
    """Print the errors of failed runs with hints."""
    for result in results:
        if result.error is not None:
            name = f"[{_colour(result)}]{markup(result.name)}[/]"
            target.print(f"{name}: {markup(result.error.message)}", soft_wrap=True)
            if result.error.hint:
                target.print(f"  hint: {markup(result.error.hint)}", soft_wrap=True)
        elif result.unscored_reason:
            target.print(
                f"[yellow]{markup(result.name)}[/] not scored: {markup(result.unscored_reason)}",
                soft_wrap=True,
            )


def result_document(result: CellResult) -> dict[str, Any]:
    """Return the JSON document of a run: model, folder, and score or error."""
    return {
        "model": result.planned.cell.model,
        "run": str(result.planned.folder),
        "score": score_document(result.score) if result.score else None,
        "error": result.error.message if result.error else None,
        **({"not_scored": result.unscored_reason} if result.unscored_reason else {}),
    }


def print_prompt_matrix(target: Console, results: Sequence[CellResult]) -> None:
    """Print prompts by models: the first figure, its interval and its number of tasks."""
    cells = {_prompt_and_model(each): _in_two_lines(each, with_n=True) for each in results}
    prompts, models = (list(dict.fromkeys(key[at] for key in cells)) for at in (0, 1))
    target.print("[italic]first figure of each prompt · 95 % intervals over tasks[/]")
    table = Table()
    table.add_column("prompt", overflow="fold")
    for model in models:
        table.add_column(markup(model), justify="right", overflow="fold")
    for prompt in prompts:
        table.add_row(markup(prompt), *(cells.get((prompt, model), "–") for model in models))
    if fits_width(target, table):
        target.print(table)
        return
    for (prompt, model), cell in cells.items():
        target.print(f"{markup(prompt)}, {markup(model)}: {cell.replace(chr(10), ' ')}", soft_wrap=True)


def _prompt_and_model(result: CellResult) -> tuple[str, str]:
    options = result.planned.plan.options
    return options.prompt.name if options.prompt else "the row's own", options.model


def _print_matrix(target: Console, results: Sequence[CellResult]) -> None:
    """Print models by tracks, each figure above its 95 % interval; in a narrow terminal, a line per run."""
    target.print("[italic]first figure of each track · 95 % intervals over tasks[/]")
    tracks, models = _names(results)
    table = text_table()
    table.add_column("model", overflow="fold")
    for track in tracks:
        table.add_column(markup(track), justify="right", no_wrap=True)
    cells = {(each.planned.cell.model, each.planned.cell.track): _in_two_lines(each) for each in results}
    for model in models:
        table.add_row(markup(model), *(cells.get((model, track), "–") for track in tracks))
    if fits_width(target, table):
        target.print(table)
        return
    for each in results:
        target.print(f"{markup(each.name)}: {_in_two_lines(each).replace(chr(10), ' ')}", soft_wrap=True)


def _in_two_lines(result: CellResult, *, with_n: bool = False) -> str:
    if result.score is None:
        return f"[{_colour(result)}]{result.word}[/]"
    figure, interval = headline(result.score)
    number = next((metric.n for metric in result.score.metrics.values()), 0) if with_n else 0
    task_count = f" of {counted(number, 'task')}" if number else ""
    return f"{markup(figure)}\n[dim]{markup(interval)}{task_count}[/]"


def _names(results: Sequence[CellResult]) -> tuple[list[str], list[str]]:
    """Return tracks and models in the order of the suite."""
    cells = [each.planned.cell for each in results]
    return list(dict.fromkeys(each.track for each in cells)), list(
        dict.fromkeys(each.model for each in cells)
    )


def failure_sentence(check: ThresholdResult) -> str:
    """Format a threshold and its figure: "ru/strong: pass@1 71.2 %, at least 60.0 % required"."""
    threshold, track = check.threshold, check.cell.options.track
    measure = measures_of(track).find(threshold.measure)
    end = {"value": "", "low": "lower limit of ", "high": "upper limit of "}[threshold.by]
    figure = "has no score" if check.figure is None else measure.number(check.figure)
    side = "at least" if threshold.side == "fail-under" else "at most"
    return (
        f"{check.cell.name}: {end}{measure.title} {figure}, {side} {measure.number(threshold.bound)} required"
    )


def as_markdown(title: str, results: Sequence[CellResult], checked: Sequence[ThresholdResult] = ()) -> str:
    """Format results as Markdown: first figures, thresholds, then all figures of each run.

    Names are escaped. The details of several runs are collapsed.
    """
    runs = [line for each in results for line in _run_part(each, folded=len(results) > 1)]
    parts = (*_matrix(results), *_failures(results), *_bounds(checked), *runs)
    return "\n".join((f"## {markdown_cell(title)}", "", *parts, ""))


def append_summary(path: Path, text: str) -> None:
    """Append Markdown to a file. Raises RunError if it cannot be written."""
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        message = f"cannot write --summary {escaped_path(path)}: {error.strerror}"
        raise RunError(message, hint="the runs are saved; use another file") from None


def _matrix(results: Sequence[CellResult]) -> Iterator[str]:
    """Yield a table of models by tracks, each figure with its 95 % interval."""
    tracks, models = _names(results)
    cells = {(each.planned.cell.model, each.planned.cell.track): _cell(each) for each in results}
    yield f"| model | {' | '.join(map(markdown_cell, tracks))} |"
    yield f"|---|{'---:|' * len(tracks)}"
    for model in models:
        yield f"| {markdown_cell(model)} | {' | '.join(cells.get((model, track), '–') for track in tracks)} |"
    yield ""
    yield "Each figure with its 95 % interval over tasks."
    yield ""


def _cell(result: CellResult) -> str:
    if result.score is None:
        return result.word
    figure, interval = headline(result.score)
    return f"{markdown_cell(figure)} ({markdown_cell(interval)})" if interval else markdown_cell(figure)


def _run_part(result: CellResult, *, folded: bool) -> Iterator[str]:
    """Yield all figures of a run with intervals, outcomes and the self-check."""
    score = result.score
    if score is None:
        return
    measures = measures_of(score.track)
    name = escape(escaped_name(result.name, 200))  # no Markdown acts within tags
    yield f"<details{'' if folded else ' open'}><summary>{name}</summary>"
    yield ""
    yield "| figure | value | 95 % interval | tasks |"
    yield "|---|---:|---:|---:|"
    for figure in measures.in_order(score.metrics):
        measure, metric = measures.find(figure), score.metrics[figure]
        cells = (measure.title, *measure.figures(metric), f"{metric.n:,}")
        yield f"| {' | '.join(map(markdown_cell, cells))} |"
    yield ""
    yield markdown_cell(f"{_outcome_text(score)}. {self_check_text(score.self_check)}")
    yield ""
    yield "</details>"
    yield ""


def _outcome_text(score: Score) -> str:
    """Format counts of outcomes: "5 passed, 5 wrong"."""
    counts = [f"{number:,} {name.replace('_', ' ')}" for name, number in score.outcomes.items() if number]
    missing = [f"{score.missing:,} missing"] if score.missing else []
    return ", ".join([*counts, *missing]) or "no answers"


def _failures(results: Sequence[CellResult]) -> Iterator[str]:
    unscored = [(each, each.error.message) for each in results if each.error is not None]
    for each, message in unscored:
        yield f"- **{markdown_cell(each.name)} {each.word}:** {markdown_cell(message)}"
    for each in results:
        if each.unscored_reason:
            yield f"- **{markdown_cell(each.name)} not scored:** {markdown_cell(each.unscored_reason)}"
    if unscored or any(each.unscored_reason for each in results):
        yield ""


def _bounds(checked: Sequence[ThresholdResult]) -> Iterator[str]:
    for check in checked:
        yield f"- {'✓' if check.holds else '✗ **fails**'} {markdown_cell(failure_sentence(check))}"
    if checked:
        yield ""


class SeveralRuns(NamedTuple):
    """Models of a command `run`, with the settings of all runs."""

    models: Sequence[str]
    out: Path | None
    workers: int | None
    mode: Mode
    summary: Path | None = None
    prompts: Sequence[PromptFile] = ()


def run_several(options: RunOptions, several: SeveralRuns, *, as_json: bool, quiet: bool) -> None:
    """Run each model with the same options. Exits with the code of `exit_code` after all runs."""
    cells = list(_cells_of(options, several))
    planned = plan_cells(cells, several.out)
    check_models_ready(planned)
    target = console()
    silent = is_silent(target, quiet=quiet, as_json=as_json)
    results = run_watched(planned, target, silent=silent, mode=several.mode)
    if several.summary:
        append_summary(several.summary, as_markdown(options.track, results))
    if as_json:
        print_json({"runs": [result_document(each) for each in results]})
    elif not quiet:
        _print(target, results)
    if code := exit_code(results):
        click.get_current_context().exit(code)


def _cells_of(options: RunOptions, several: SeveralRuns) -> Iterator[SuiteCell]:
    """Yield a cell for each model, or for each model with each prompt."""
    models = list(dict.fromkeys(several.models))
    for model in models:
        model_options = replace(options, model=model)
        if len(several.prompts) < 2:
            yield SuiteCell(model=model, track=options.track, options=model_options, workers=several.workers)
            continue
        for prompt in several.prompts:
            name = run_name(model, prompt.name) if len(models) > 1 else prompt.name
            own = replace(model_options, prompt=prompt, name=name)
            yield SuiteCell(model=name, track=options.track, options=own, workers=several.workers)


def _print(target: Console, results: Sequence[CellResult]) -> None:
    """Print a table of all scores, and the command that compares them."""
    scores = [each.score for each in results if each.score is not None]
    if scores:
        if any(each.planned.plan.options.prompt for each in results):
            print_prompt_matrix(target, results)
        else:
            print_table(target, scores, kind="summary")
        runs = shlex.join(escaped_path(each.planned.folder) for each in results if each.score is not None)
        target.print(f"compare them with: {command_name()} report {markup(runs)}", soft_wrap=True)
    print_failures(target, results)
