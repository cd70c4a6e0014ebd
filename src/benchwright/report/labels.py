"""What a report says of runs whose answers are labels: confusion, baselines, groups, findings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from benchwright.display.escape import escaped_code, visible_name
from benchwright.display.wording import percent
from benchwright.rank.wording import in_metric_order
from benchwright.records import Metric
from benchwright.report.palette import heat_step
from benchwright.report.runs import Run
from benchwright.report.tables import Line, group_lines, metrics_in

KINDS = {"language": "By language", "subset": "By subset", "tag": "By tag"}
IN_GROUPS = ("exact_match", "mcc")
FOLDED = 8  # a table of more groups is closed at first


class ConfusionCell(NamedTuple):
    """Answers of one true label that said one thing: the number, its share of the row, its colour."""

    number: int
    share: str
    step: str


class Confusion(NamedTuple):
    """The table of one run: a row for each true label, a column for what was said."""

    name: str
    said: list[str]
    rows: list[tuple[str, list[ConfusionCell]]]


class GroupRow(NamedTuple):
    """One group: its tasks, and for each run the metrics of IN_GROUPS."""

    name: str
    tasks: int
    metrics: list[Metric | None]


class GroupTable(NamedTuple):
    """Groups of one kind by run. `small` is the number of groups with too few tasks to be listed."""

    kind: str
    title: str
    rows: list[GroupRow]
    small: int

    @property
    def folded(self) -> bool:
        """Whether it is so long that it is opened by a click."""
        return len(self.rows) > FOLDED


def label_part(runs: Sequence[Run]) -> dict[str, Any] | None:
    """Everything of the section about labels; None for runs of programs."""
    of_labels = [run for run in runs if run.is_of_labels]
    if not of_labels:
        return None
    lines = baseline_lines(of_labels)
    return {
        "runs": [run.name for run in of_labels],
        "findings": [
            (run.name, escaped_code(_sentence(each))) for run in of_labels for each in _findings(run)
        ],
        "confusions": [confusion(run) for run in of_labels],
        "baselines": lines,
        "baseline_columns": in_metric_order({name for line in lines for name in line.metrics}),
        "absent": _absent(of_labels[0]),
        "groups": list(_group_tables(of_labels)),
        "in_groups": IN_GROUPS,
    }


def baseline_lines(runs: Sequence[Run]) -> list[Line]:
    """The baselines, from the run that was judged on most tasks: they are figures of the data set."""
    of_labels = [run for run in runs if run.is_of_labels]
    if not of_labels:
        return []
    fullest = max(of_labels, key=lambda run: len(run.contestant.tasks))
    baselines = fullest.score.details.get("baselines", {})
    majority, shape = baselines.get("majority", {}), baselines.get("shape", {})
    lines = [
        Line(f"always {visible_name(majority.get('label', ''))} (baseline)", metrics_in(majority)),
        Line("shape alone (baseline)", metrics_in(shape)),
    ]
    return [line for line in lines if line.metrics]


def confusion(run: Run) -> Confusion:
    """Answers by true label and what was said; a row's colours are shares of that row."""
    table: Mapping[str, Mapping[str, int]] = run.score.details["confusion"]
    labels = sorted(table, reverse=True)  # a stored score has its keys sorted; "success" goes before "failed"
    said = [*labels, *sorted({name for row in table.values() for name in row} - set(labels))]
    rows = [(visible_name(label), [_cell(table[label], name) for name in said]) for label in labels]
    names = ["no label" if name == "none" else f"said {visible_name(name)}" for name in said]
    return Confusion(run.name, names, rows)


def _cell(row: Mapping[str, int], name: str) -> ConfusionCell:
    number, whole = row.get(name, 0), sum(row.values())
    share = f"{percent(number / whole)} %" if whole else "–"
    return ConfusionCell(number, share, heat_step(number, whole) or "")


def _group_tables(runs: Sequence[Run]) -> Iterator[GroupTable]:
    for kind, title in KINDS.items():
        columns = [{line.name: line.metrics for line in group_lines(run.score, kind)} for run in runs]
        names = sorted({name for column in columns for name in column})
        rows = [_group_row(name, columns) for name in names]
        if rows:
            small = max(run.score.details.get("small_tags", 0) for run in runs) if kind == "tag" else 0
            yield GroupTable(kind, title, rows, small)


def _group_row(name: str, columns: Sequence[Mapping[str, Mapping[str, Metric]]]) -> GroupRow:
    of_runs = [column.get(name, {}) for column in columns]
    tasks = max((metrics["exact_match"].n for metrics in of_runs if "exact_match" in metrics), default=0)
    return GroupRow(name, tasks, [metrics.get(each) for metrics in of_runs for each in IN_GROUPS])


def _findings(run: Run) -> list[str]:
    return [str(each) for each in run.score.details.get("findings", [])]


def _absent(run: Run) -> str:
    return escaped_code(run.score.details.get("baselines", {}).get("shape", {}).get("absent", ""))


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")
