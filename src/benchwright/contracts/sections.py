"""What a page or a terminal shows of a score beside its figures: findings, confusion, baselines, groups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from benchwright.records import Metric, Record

PROMPT = "prompt"  # the grouping by the prompt that was asked
TAG = "tag"  # a grouping whose names are free, so that there may be very many
NO_LABEL = "none"  # in a confusion table: the answers that held no label

Figures = dict[str, Metric]
_FIELDS = frozenset(Metric.__struct_fields__)


class Baseline(Record, frozen=True, kw_only=True):
    """What is reached without the skill that is measured; `absent` says why there are no figures."""

    kind: str
    name: str
    metrics: Figures = {}
    absent: str = ""


class Grouping(Record, frozen=True, kw_only=True):
    """The figures of tasks of one kind: by language, by tag. `small` more had too few tasks."""

    kind: str
    rows: dict[str, Figures]
    small: int = 0

    @property
    def is_open(self) -> bool:
        """Whether there may be so many groups that a terminal lists only the worst."""
        return self.kind == TAG


class Sections(Record, frozen=True, kw_only=True):
    """Everything beside the figures of one score. What it has nothing of is empty, and is not shown."""

    title: str = "Details"
    findings: list[str] = []  # sentences on what the figures alone do not show
    confusion: dict[str, dict[str, int]] = {}  # answers by true label, then by what was said
    baselines: list[Baseline] = []
    about_baselines: str = ""
    groupings: list[Grouping] = []
    prompts: dict[str, Figures] = {}  # by the prompt that was asked

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show."""
        return not (self.findings or self.confusion or self.baselines or self.groupings)


def read_sections(details: Mapping[str, Any]) -> Sections:
    """The sections that every page understands, from the `details` of a stored score.

    {"findings": ["…"], "confusion": {true label: {said: answers}}, "baselines": {kind: {metric: {…}}, or
    {"absent": why}}, "groups": {kind: {name: {metric: {…}}}}, "small_KINDs": groups not listed}.
    Anything else in the details is the track's own.
    """
    groups = {
        kind: {name: _figures(row) for name, row in rows.items()}
        for kind, rows in details.get("groups", {}).items()
    }
    return Sections(
        findings=[str(each) for each in details.get("findings", [])],
        confusion=details.get("confusion", {}),
        baselines=[
            Baseline(kind=kind, name=kind, metrics=_figures(row), absent=str(row.get("absent", "")))
            for kind, row in details.get("baselines", {}).items()
        ],
        groupings=[
            Grouping(kind=kind, rows=rows, small=details.get(f"small_{kind}s", 0))
            for kind, rows in groups.items()
            if kind != PROMPT and rows
        ],
        prompts=groups.get(PROMPT, {}),
    )


def _figures(document: Mapping[str, Any]) -> Figures:
    """The figures among the fields of a JSON document."""
    return {
        name: msgspec.convert(value, Metric)
        for name, value in document.items()
        if isinstance(value, Mapping) and _FIELDS.issubset(value)
    }
