"""Results of runs as tables for the terminal and as Markdown for CI summaries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchwright.cli.arguments import score_document
from benchwright.cli.suite_board import headline
from benchwright.cli.terminal import fits
from benchwright.display.escape import escaped_name, escaped_path, markdown_cell, markup
from benchwright.display.wording import self_check_text
from benchwright.errors import RunError
from benchwright.records import Score
from benchwright.running.reading import measures_of
from benchwright.running.suite import CellResult, HeldThreshold


def print_results(target: Console, results: Sequence[CellResult], checked: Sequence[HeldThreshold]) -> None:
    """Print the first figure of each run, failures, and thresholds."""
    if any(each.score is not None for each in results):
        _print_matrix(target, results)
    print_failures(target, results)
    for check in checked:
        word = "[green]holds[/]" if check.holds else "[red bold]fails[/]"
        target.print(f"{word}: {markup(sentence(check))}", soft_wrap=True)


def print_failures(target: Console, results: Sequence[CellResult]) -> None:
    """Print the errors of failed runs with hints."""
    for result in results:
        if result.error is not None:
            target.print(f"[red]{markup(result.name)}[/]: {markup(result.error.message)}", soft_wrap=True)
            if result.error.hint:
                target.print(f"  hint: {markup(result.error.hint)}", soft_wrap=True)


def result_document(result: CellResult) -> dict[str, Any]:
    """Return the JSON document of a run: model, folder, and score or error."""
    return {
        "model": result.planned.cell.model,
        "run": str(result.planned.folder),
        "score": score_document(result.score) if result.score else None,
        "error": result.error.message if result.error else None,
    }


def _print_matrix(target: Console, results: Sequence[CellResult]) -> None:
    """Print models by tracks, each figure above its 95 % interval; in a narrow terminal, a line per run."""
    target.print("[italic]first figure of each track · 95 % intervals over tasks[/]")
    tracks, models = _names(results)
    table = Table()
    table.add_column("model", overflow="fold")
    for track in tracks:
        table.add_column(markup(track), justify="right", no_wrap=True)
    cells = {(each.planned.cell.model, each.planned.cell.track): _in_two_lines(each) for each in results}
    for model in models:
        table.add_row(markup(model), *(cells.get((model, track), "–") for track in tracks))
    if fits(target, table):
        target.print(table)
        return
    for each in results:
        target.print(f"{markup(each.name)}: {_in_two_lines(each).replace(chr(10), ' ')}", soft_wrap=True)


def _in_two_lines(result: CellResult) -> str:
    if result.score is None:
        return "[red]failed[/]"
    figure, interval = headline(result.score)
    return f"{markup(figure)}\n[dim]{markup(interval)}[/]"


def _names(results: Sequence[CellResult]) -> tuple[list[str], list[str]]:
    """Return tracks and models in the order of the suite."""
    cells = [each.planned.cell for each in results]
    return list(dict.fromkeys(each.track for each in cells)), list(
        dict.fromkeys(each.model for each in cells)
    )


def sentence(check: HeldThreshold) -> str:
    """Format a threshold and its figure: "ru/strong: pass@1 71.2 %, at least 60.0 % required"."""
    threshold, track = check.threshold, check.cell.options.track
    measure = measures_of(track).find(threshold.measure)
    end = {"value": "", "low": "lower limit of ", "high": "upper limit of "}[threshold.by]
    figure = "has no score" if check.figure is None else measure.number(check.figure)
    side = "at least" if threshold.side == "fail-under" else "at most"
    return (
        f"{check.cell.name}: {end}{measure.title} {figure}, {side} {measure.number(threshold.bound)} required"
    )


def as_markdown(title: str, results: Sequence[CellResult], checked: Sequence[HeldThreshold] = ()) -> str:
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
        return "failed"
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
    yield markdown_cell(f"{_ends(score)}. {self_check_text(score.self_check)}")
    yield ""
    yield "</details>"
    yield ""


def _ends(score: Score) -> str:
    """Format counts of outcomes: "5 passed, 5 wrong"."""
    counts = [f"{number:,} {name.replace('_', ' ')}" for name, number in score.outcomes.items() if number]
    missing = [f"{score.missing:,} missing"] if score.missing else []
    return ", ".join([*counts, *missing]) or "no answers"


def _failures(results: Sequence[CellResult]) -> Iterator[str]:
    failed = [(each.name, each.error.message) for each in results if each.error is not None]
    for name, message in failed:
        yield f"- **{markdown_cell(name)} failed:** {markdown_cell(message)}"
    if failed:
        yield ""


def _bounds(checked: Sequence[HeldThreshold]) -> Iterator[str]:
    for check in checked:
        yield f"- {'✓' if check.holds else '✗ **fails**'} {markdown_cell(sentence(check))}"
    if checked:
        yield ""
