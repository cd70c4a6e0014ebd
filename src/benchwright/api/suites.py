"""`bw.suite`: models on tracks from a suite file or a mapping of the same form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from benchwright.api.arguments import check_values, each_of, errors_in_python, in_python
from benchwright.api.runs import StoredRun, figure_text, open_run
from benchwright.cli.suite_file import SuiteFile, parse_suite, read_suite, select_runs
from benchwright.cli.suite_report import SuitePages, write_pages
from benchwright.cli.suite_results import failure_sentence
from benchwright.display.notebook import HtmlTable, fragment
from benchwright.display.wording import counted
from benchwright.errors import ArgumentError, BenchwrightError
from benchwright.executing.executors import LOCAL, work_on
from benchwright.progress import Silent
from benchwright.running.run_data import measures_of
from benchwright.running.suite import (
    CellResult,
    ThresholdResult,
    check_models_ready,
    checks,
    is_good,
    run_cells,
)

COMMAND = "benchwright.cli.suite:command"
_RUN = "benchwright.cli.run:command"
_NAME = "suite"  # of a suite that no file names


class SuiteResults:
    """The results of a suite: runs with a score, errors of the others, thresholds, and the report."""

    def __init__(
        self,
        name: str,
        results: Sequence[CellResult],
        checked: Sequence[ThresholdResult],
        pages: SuitePages | None,
    ) -> None:
        self._results, self._pages = results, pages
        self.name = name
        self.checks = list(checked)

    @property
    def passed(self) -> bool:
        """Return whether each run has a score and each threshold holds: exit code 0 of the command."""
        return is_good(self._results, self.checks)

    @cached_property
    def runs(self) -> dict[str, StoredRun]:
        """The runs that have a score, by "TRACK/MODEL"."""
        return {each.name: open_run(each.planned.folder) for each in self._results if each.score is not None}

    @property
    def failures(self) -> dict[str, BenchwrightError]:
        """The errors of runs without a score, by "TRACK/MODEL"."""
        return {each.name: each.error for each in self._results if each.error is not None}

    @property
    def page(self) -> Path | None:
        """The common report; None without one."""
        return None if self._pages is None else self._pages.page

    @property
    def pages(self) -> dict[str, Path]:
        """The reports of single tracks, by track, where no common one is possible."""
        return {} if self._pages is None else dict(self._pages.by_track)

    @property
    def notes(self) -> list[str]:
        """Why a report was not written."""
        refused = [] if self._pages is None else self._pages.refused
        return [f"{what}: {error.message}" for what, error in refused]

    def _lines(self) -> list[str]:
        failed = [f"{name}: failed: {error.message}" for name, error in self.failures.items()]
        marks = [f"{'holds' if each.holds else 'fails'}: {failure_sentence(each)}" for each in self.checks]
        return [*failed, *marks, *self.notes]

    def _title(self) -> str:
        return f"{self.name}: {counted(len(self._results), 'run')}, {'passed' if self.passed else 'failed'}"

    def __repr__(self) -> str:
        return f"SuiteResults({self.name!r}, runs={list(self.runs)!r}, passed={self.passed})"

    def __str__(self) -> str:
        figures = [f"{name}: {figure_text(*_headline(run))}" for name, run in self.runs.items()]
        return "\n".join([self._title(), *figures, *self._lines()])

    def _repr_html_(self) -> str:
        rows = []
        for name, run in self.runs.items():
            title, figure = _headline(run)
            rows.append((name, title, figure.value, figure.low, figure.high, figure.n))
        table = HtmlTable(("run", "metric", "value", "low", "high", "tasks"), rows)
        return fragment(self._title(), tables=[table] if rows else [], lines=self._lines())


def _headline(run: StoredRun) -> tuple[str, Any]:
    name = measures_of(run.track).in_order(run.metrics)[0]
    return name, run.metrics[name]


@in_python(COMMAND)
def suite(
    file: str | Path | Mapping[str, Any],
    *,
    only: str | Sequence[str] | None = None,
    out: str | Path | None = None,
    report: bool = True,
    on: str = LOCAL,
) -> SuiteResults:
    """Run every model of a suite on every track, and write one report. The same call resumes the suite.

    `file` is the path of a TOML file, or a mapping of the same form: {"models": [{"model": "gold:"}],
    "tracks": [{"track": "humaneval", "data": "HumanEval.jsonl.gz"}]}. Its keys may be written as arguments
    (`base_url`). A run that fails prevents no other: see `failures`. `on` names the executor. Raises
    UsageError for an invalid suite.
    """
    check_values(locals(), COMMAND)
    with errors_in_python(_RUN):
        selected = select_runs(
            _suite_of(file), only=tuple(map(str, each_of(only))), out=None if out is None else Path(out)
        )
        check_models_ready(selected.planned)
        with work_on(on):
            results = run_cells(selected.planned, lambda _: Silent(), ended=lambda _: None)
        checked = list(checks(selected.thresholds, results))
        pages = write_pages(results, selected.others, selected.out) if report else None
    return SuiteResults(selected.name, results, checked, pages)


def _suite_of(file: str | Path | Mapping[str, Any]) -> SuiteFile:
    if isinstance(file, str | Path):
        return read_suite(Path(file))
    if not isinstance(file, Mapping):
        message = f"file: must be a path or a mapping, not {type(file).__name__}"
        raise ArgumentError(message, hint='bw.suite("nightly.toml")')
    return parse_suite(Path(_NAME), lambda: {_key(name): _tables(value) for name, value in file.items()})


def _key(name: object) -> str:
    return str(name).replace("_", "-")


def _tables(value: Any) -> Any:
    """Return tables with the keys of a suite file: a key such as `base_url` is `base-url` there."""
    if isinstance(value, Mapping):
        return {_key(name): _plain(each) for name, each in value.items() if each is not None}
    if isinstance(value, list | tuple):
        return [_tables(each) for each in value]
    return _plain(value)


def _plain(value: Any) -> Any:
    """Return a value as TOML has it: paths as strings, sequences as lists, mappings as they are."""
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return dict(value) if isinstance(value, Mapping) else value
