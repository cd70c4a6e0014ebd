"""The score of a track of labels in a terminal: metrics beside baselines, confusion, groups, findings.

Everything comes from the score's `details`, so a score of another version shows what it has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from benchwright.cli.terminal import cell, score_lines
from benchwright.display.escape import markup
from benchwright.display.wording import counted
from benchwright.rank.wording import LABEL_METRICS, in_metric_order, metric_label
from benchwright.records import Metric, Score

TAGS = 5  # listed, the least often right first; the others are in the score's file
MANY = 3  # columns from which on an interval goes below its figure: 80 characters hold no more
_IN_GROUPS = ("exact_match", "mcc")
_LISTED = ("language", "subset", "tag")


def is_of_labels(score: Score) -> bool:
    """Whether a score is that of a track of labels."""
    return "confusion" in score.details


def print_labels(target: Console, score: Score) -> None:
    """The score: first its metrics beside the baselines, and in plain words what they do not establish."""
    target.print(f"[italic]{score.track} · profile {score.profile} · 95 % intervals over tasks[/]")
    target.print(_metrics(score))
    for finding in score.details.get("findings", []):
        target.print(f"[bold]{_sentence(finding)}[/]", soft_wrap=True)
    target.print(_confusion(score.details["confusion"]))
    if groups := _groups(score):
        target.print(groups)
    for line in (*_lines(score), *score_lines(score)):
        target.print(line, soft_wrap=True)


def _lines(score: Score) -> list[str]:
    """What the tables leave to be said: why a baseline is missing, prompts, tags, profiles that agree."""
    lines = []
    if absent := score.details["baselines"]["shape"].get("absent"):
        lines.append(f"no baseline of shape: {markup(absent)}")
    lines += _prompts(score)
    if alike := [name for name in score.other_profiles if not _differs(score, name)]:
        lines.append(f"by {', '.join(alike)} all metrics are the same")
    return lines


def _metrics(score: Score) -> Table:
    """A row for each metric; profiles that differ and the baselines beside it."""
    columns: dict[str, Mapping[str, Metric]] = {score.profile: score.metrics}
    columns |= {name: metrics for name, metrics in score.other_profiles.items() if _differs(score, name)}
    columns |= dict(_baselines(score.details["baselines"]))
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("metric", no_wrap=True)
    for name in columns:
        table.add_column(markup(name), justify="right")
    for metric in in_metric_order(score.metrics):
        cells = [cell(metric, metrics.get(metric)) for metrics in columns.values()]
        if len(columns) >= MANY:
            cells = [each.replace(" [dim]", "\n[dim]") for each in cells]
        table.add_row(metric_label(metric), *cells)
    return table


def _baselines(baselines: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Metric]]]:
    yield f"always {baselines['majority']['label']}", metrics_in(baselines["majority"])
    if "absent" not in baselines["shape"]:
        yield "shape alone", metrics_in(baselines["shape"])


def metrics_in(document: Mapping[str, Any]) -> dict[str, Metric]:
    """The metrics among the fields of a JSON document, by the names that tables know."""
    return {name: msgspec.convert(document[name], Metric) for name in LABEL_METRICS if name in document}


def _confusion(table: Mapping[str, Mapping[str, int]]) -> Table:
    said = list(dict.fromkeys(name for row in table.values() for name in row))
    made = Table(title="answers by true label, and what was said", title_justify="left", box=None)
    made.add_column("label")
    for name in said:
        made.add_column("no label" if name == "none" else f"said {markup(name)}", justify="right")
    for label, row in table.items():
        made.add_row(markup(label), *(f"{row.get(name, 0):,}" for name in said))
    return made


def _groups(score: Score) -> Table | None:
    """One table for languages, subsets and tags: more would hide the score."""
    groups = score.details.get("groups", {})
    rows = [(kind, *row) for kind in _LISTED for row in _chosen(kind, groups.get(kind, {})) if kind in groups]
    if not rows:
        return None
    table = Table(title="by group", title_justify="left", box=None)
    table.add_column("group", overflow="fold")
    table.add_column("tasks", justify="right")
    for name in _IN_GROUPS:
        table.add_column(metric_label(name), justify="right", no_wrap=True)
    for kind, name, metrics in rows:
        cells = [cell(metric, metrics.get(metric)) for metric in _IN_GROUPS]
        table.add_row(f"{kind} {markup(name)}", f"{metrics['exact_match'].n:,}", *cells)
    return table


def _chosen(kind: str, named: Mapping[str, Any]) -> list[tuple[str, dict[str, Metric]]]:
    """All groups of a kind, but of the tags the few that were least often right."""
    rows = [(name, metrics_in(document)) for name, document in named.items()]
    if kind != "tag":
        return rows
    return sorted(rows, key=lambda row: row[1]["exact_match"].value)[:TAGS]


def _prompts(score: Score) -> list[str]:
    groups = score.details.get("groups", {})
    lines = []
    if len(prompts := groups.get("prompt", {})) > 1:
        rates = " · ".join(
            f"{markup(name)} {100 * each['exact_match']['value']:.1f} %" for name, each in prompts.items()
        )
        lines.append(f"exact match by prompt: {rates}")
    left = max(0, len(groups.get("tag", {})) - TAGS)
    small = score.details.get("small_tags", 0)
    if left or small:
        few = f"{counted(small, 'tag')} of few tasks" if small else ""
        more = f"{counted(left, 'more tag')} in scores.json" if left else ""
        lines.append("; ".join(filter(None, (more, few and f"{few} not listed"))))
    return lines


def _differs(score: Score, profile: str) -> bool:
    return score.other_profiles[profile] != score.metrics


def _sentence(text: str) -> str:
    return markup(text[:1].upper() + text[1:] + ("" if text.endswith(".") else "."))
