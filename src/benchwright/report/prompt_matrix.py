"""The section of the report with prompts by models: the runs whose prompts are files of the user's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from benchwright.contracts import Measure
from benchwright.display.escape import escaped_code, visible_name
from benchwright.records import Metric
from benchwright.report.runs import Run
from benchwright.report.section import ChartSet, ReportSection, TrackRuns
from benchwright.running.prompt_files import PromptFile, prompt_of


class PromptRow(NamedTuple):
    """A prompt, its text, and the figures of each model with it; a cell has several if the runs differ."""

    name: str
    text: str
    cells: list[list[Metric]]


class PromptMatrix(NamedTuple):
    """Prompts by models. `measure` is the headline of the track."""

    measure: Measure
    models: list[str]
    rows: list[PromptRow]


def prompt_matrix(runs: Sequence[Run]) -> PromptMatrix | None:
    """The matrix of the runs with prompt files; None for fewer than two prompts."""
    prompted_runs = [(prompt, run) for run in runs if (prompt := _prompt(run)) is not None]
    prompts = list(dict.fromkeys((prompt.name, prompt.text) for prompt, _ in prompted_runs))
    if len(prompts) < 2:
        return None
    models = list(dict.fromkeys(run.contestant.model for _, run in prompted_runs))
    measure = runs[0].measures.headline
    found: dict[tuple[str, str, str], list[Metric]] = {}
    for prompt, run in prompted_runs:
        if (metric := run.score.metrics.get(measure.name)) is not None:
            found.setdefault((prompt.name, prompt.text, run.contestant.model), []).append(metric)
    rows = [_row(name, text, models, found) for name, text in sorted(prompts)]
    return PromptMatrix(measure, list(map(visible_name, models)), rows)


def _prompt(run: Run) -> PromptFile | None:
    return None if run.logged else prompt_of(run.folder.manifest["identity"])


def _row(
    name: str, text: str, models: Sequence[str], found: Mapping[tuple[str, str, str], list[Metric]]
) -> PromptRow:
    cells = [found.get((name, text, model), []) for model in models]
    return PromptRow(visible_name(name), escaped_code(text), cells)


def _section(group: TrackRuns, _: ChartSet) -> PromptMatrix | None:
    return prompt_matrix(group.runs)


PROMPT_MATRIX = ReportSection("prompt-matrix", "prompt_matrix.html", _section, lambda _: "Prompts by models")
