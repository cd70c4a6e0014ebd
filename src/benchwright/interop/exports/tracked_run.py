"""Content of a run in an experiment tracker: figures by name, settings, and a table of verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any, NamedTuple

from benchwright.display.wording import self_check_text
from benchwright.interop.exports.finished_runs import FinishedRun
from benchwright.interop.exports.run_tables import figure_row, run_tables
from benchwright.records import Record

_SIGNS = {"@": "_at_", "^": "_hat_"}  # trackers allow neither in the name of a figure
_COUNTS = ("low", "high", "tasks", "answers", "missing")


class VerdictTable(NamedTuple):
    """The verdicts of a run, without text that may quote a task."""

    columns: list[str]
    data: list[list[Any]]


class ExportedToTracker(Record, frozen=True, kw_only=True):
    """Summary of an export: the tracker's id of each run, by its name, and where it is."""

    place: str
    runs: dict[str, str]
    updated: list[str]  # runs that the tracker had from an earlier export
    figures: int


def tracked_figures(run: FinishedRun) -> dict[str, float]:
    """Return numbers by name: "strict/pass_at_1", with its bounds, its tasks and answers by outcome.

    "strict/pass_at_1/low", …/high, …/tasks, …/answers, …/missing; "strict/outcomes/passed" counts answers.
    """
    return dict(chain.from_iterable(_named_values(run)))


def _named_values(run: FinishedRun) -> Iterator[list[tuple[str, float]]]:
    for figure in run.figures():
        row, name = figure_row(figure), f"{figure.profile}/{figure_name(figure.name)}"
        yield [(name, row["value"]), *((f"{name}/{count}", row[count]) for count in _COUNTS)]
        yield [(f"{figure.profile}/outcomes/{outcome}", n) for outcome, n in sorted(figure.outcomes.items())]


def figure_name(name: str) -> str:
    """Return a metric's name in the letters that trackers allow.

    >>> figure_name("pass@1")
    'pass_at_1'
    """
    for sign, word in _SIGNS.items():
        name = name.replace(sign, word)
    return "".join(each if each.isascii() and (each.isalnum() or each in "_-.") else "_" for each in name)


def tracked_settings(run: FinishedRun) -> dict[str, Any]:
    """Return the settings that decide the score, without paths of this machine."""
    identity = run.identity
    limits = {f"limits.{name}": value for name, value in dict(identity.get("limits", {})).items()}
    return {
        "track": run.track,
        "model": run.model,
        "profile": run.profile,
        "data_sha256": identity.get("data"),
        "answers_a_task": identity.get("n"),
        **limits,
        "judging_rules": identity.get("judging"),
        "python": identity.get("python"),
        "benchwright": run.folder.manifest.get("version"),
        "finished": run.finished,
        "self_check": self_check_text(run.score.self_check),
    }


def verdict_table(run: FinishedRun) -> VerdictTable:
    """Return the verdicts of a run, those of its own profile first."""
    table = next(each for each in run_tables([run], quoting=False) if each.name == "verdicts")
    columns = list(table.columns)
    return VerdictTable(columns, [[row[name] for name in columns] for row in table.rows])
