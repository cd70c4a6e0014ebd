"""Measures of a track: facts about its figures, their computation, and related values in reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Protocol

import msgspec

from benchwright.display.wording import scaled_interval, scaled_number, scaled_whole
from benchwright.records import Metric, Outcome, Record, Task, TaskId, Verdict

PROMPT = "prompt"  # grouping by prompt
TAG = "tag"  # grouping by free names; there may be many
NO_LABEL = "none"  # in a confusion table: answers without a label

Figures = dict[str, Metric]
_FIELDS = frozenset(Metric.__struct_fields__)


class Baseline(Record, frozen=True, kw_only=True):
    """Figures reached without the measured skill; `absent` is the reason if there are none."""

    kind: str
    name: str
    metrics: Figures = {}
    absent: str = ""


class Grouping(Record, frozen=True, kw_only=True):
    """Figures by group of tasks, such as language or tag. `small` counts groups with too few tasks."""

    kind: str
    rows: dict[str, Figures]
    small: int = 0

    @property
    def is_open(self) -> bool:
        """Whether there may be many groups, so that a terminal lists only the worst."""
        return self.kind == TAG


class Sections(Record, frozen=True, kw_only=True):
    """Details of one score in addition to its figures. Empty fields are not shown."""

    title: str = "Details"
    findings: list[str] = []  # sentences about facts that the figures do not show
    confusion: dict[str, dict[str, int]] = {}  # number of answers by true label, then by answered label
    baselines: list[Baseline] = []
    about_baselines: str = ""
    groupings: list[Grouping] = []
    prompts: dict[str, Figures] = {}  # by prompt

    @property
    def is_empty(self) -> bool:
        """Whether there are no findings, confusion, baselines or groups."""
        return not (self.findings or self.confusion or self.baselines or self.groupings)


def read_sections(details: Mapping[str, Any]) -> Sections:
    """Read the sections that every page understands from the `details` of a stored score.

    {"findings": ["…"], "confusion": {true label: {said: answers}}, "baselines": {kind: {metric: {…}}, or
    {"absent": why}}, "groups": {kind: {name: {metric: {…}}}}, "small_KINDs": groups not listed}.
    Other entries of the details are specific to the track.
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
    """Figures among the fields of a JSON document."""
    return {
        name: msgspec.convert(value, Metric)
        for name, value in document.items()
        if isinstance(value, Mapping) and _FIELDS.issubset(value)
    }


Scale = Literal["share", "points", "correlation"]
TableKind = Literal["score", "summary", "ranking", "group"]
_NARROWER: tuple[TableKind, ...] = ("score", "summary", "ranking", "group")
_SIGNS = "@^"  # before k: "pass@5", one of five answers passes; "pass^5", all of them pass


def split_name(name: str) -> tuple[str, str]:
    """Split a figure's name before its number of answers: "pass@5" is "pass@" and "5"."""
    sign = max(map(name.rfind, _SIGNS))
    return (name[: sign + 1], name[sign + 1 :]) if sign >= 0 else (name, "")


class Measure(Record, frozen=True, kw_only=True):
    """Facts about a figure that scores report under a name.

    Figures are stored and compared as shares from 0 to 1 on any scale but correlation, from -1 to 1. Shares
    are displayed in per cent, points from 0 to 100, correlations unchanged. A name that ends in "@k" or
    "^k" is a family, with a figure for each number k of answers.
    """

    name: str
    label: str = ""  # display name; empty: made from the name
    scale: Scale = "share"
    higher_is_better: bool = True
    better: str = "scores better"  # predicate of the better of two models in a sentence
    paired: bool = False  # the mean of `task_value` over tasks, so that runs are compared task by task
    shown: TableKind = "score"  # narrowest table that shows it; wider tables show it too
    about: str = ""  # meaning of a family's figures, for the section with their curve

    @property
    def title(self) -> str:
        """Name in tables and sentences."""
        return self.label or self.name.replace("_", " ")

    @property
    def is_family(self) -> bool:
        """Whether there is one figure per number of answers."""
        return split_name(self.name)[1] == "k"

    def at(self, k: int) -> str:
        """Name of a family's figure for k answers."""
        return f"{split_name(self.name)[0]}{k}"

    def covers(self, name: str) -> bool:
        """Whether a name is that of a figure of this family."""
        base, k = split_name(name)
        return f"{base}k" == self.name and k.isdecimal() and int(k) > 0

    def is_in(self, table: TableKind) -> bool:
        """Whether tables of a kind show it."""
        return _NARROWER.index(table) <= _NARROWER.index(self.shown)

    def number(self, value: float) -> str:
        """A value as its scale is displayed."""
        return scaled_number(value, self.scale)

    def rounded(self, value: float) -> str:
        """A task's value without decimals."""
        return scaled_whole(value, self.scale)

    def figures(self, metric: Metric) -> tuple[str, str]:
        """A figure and its interval as the scale is displayed."""
        return self.number(metric.value), scaled_interval(metric, self.scale)


class JudgedAnswer(NamedTuple):
    """Outcome of one answer, variant of its prompt ("" for the row's own), and scores of a grading judge."""

    outcome: Outcome
    variant: str = ""
    scores: Mapping[str, float] = MappingProxyType({})
    parts: Mapping[str, Outcome] = MappingProxyType({})

    @classmethod
    def of(cls, verdict: Verdict, variant: str) -> JudgedAnswer:
        """The part of a verdict that measures need. Equal answers without scores share one object."""
        if verdict.scores or verdict.parts:
            return cls(verdict.outcome, variant, verdict.scores, verdict.parts)
        return _plain(verdict.outcome, variant)


@lru_cache(maxsize=4096)
def _plain(outcome: Outcome, variant: str) -> JudgedAnswer:
    return JudgedAnswer(outcome, variant)


def worth(ended: Verdict | JudgedAnswer, grade: str) -> float | None:
    """Value of an answer from 0 to 1: its score named `grade` if it was graded, else 1 if it passed.

    None, not zero, if the outcome is undecided or the score is missing.
    """
    if ended.outcome is Outcome.scored:
        return ended.scores.get(grade)
    return float(ended.outcome is Outcome.passed) if ended.outcome.is_decided else None


# Judged answers by task, in the order of samples. Answers that are missing because of infrastructure errors
# are excluded, and so are tasks without answers.
JudgedAnswers = Mapping[TaskId, Sequence[JudgedAnswer]]


class MeasureSet(Protocol):
    """Measures of a track, in the order of tables; runs are compared by the first one.

    The measures of a track derive from this class. Only `metrics` and `task_value` have no default.
    """

    measures: tuple[Measure, ...] = ()
    grade: str = ""  # name of the verdict's score that is the value of a graded answer

    def metrics(
        self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]
    ) -> dict[str, Metric]:
        """Figures by name, with intervals; empty without answers.

        `ks` are the requested numbers of answers; a k for which a task lacks answers is omitted.
        """
        ...

    def task_value(self, name: str, answers: Sequence[JudgedAnswer]) -> float | None:
        """A task's value of a paired measure, from 0 to 1; None if it has too few answers.

        The figure with the same name is the mean of these values over tasks.
        """
        ...

    def notes(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]) -> Sequence[str]:
        """Remarks for readers of the score."""
        return ()

    def details(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> dict[str, Any]:
        """Details of the figures as a score stores them: see `read_sections`."""
        return {}

    def groups_of(self, task: Task) -> Mapping[str, Sequence[str]]:
        """Groups of a task by kind: {"language": ["Go"], "tag": ["time", "files"]}."""
        return {}

    def indicators(
        self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, outcomes: Mapping[str, int]
    ) -> list[Indicator]:
        """Indicators of a graded run; `outcomes` count all answers, including missing ones."""
        return []

    def sections(self, details: Mapping[str, Any]) -> Sections:
        """Sections that pages and terminals show of the details of a stored score."""
        return read_sections(details)

    def curve(self, counts: Sequence[tuple[int, int]], ks: Sequence[int]) -> dict[str, Metric]:
        """Figures of a family for other k, from (answers judged, answers passed) of each task."""
        return {}

    @property
    def family(self) -> Measure | None:
        """The measure with a figure for each number of answers, if there is one."""
        return next((each for each in self.measures if each.is_family), None)

    @property
    def headline(self) -> Measure:
        """The measure that runs are compared by; of a family, the figure for one answer."""
        first = self.measures[0]
        return self.find(first.at(1)) if first.is_family else first

    def find(self, name: str) -> Measure:
        """The measure with a name; an unknown one is treated as a share."""
        for each in self.measures:
            if each.name == name:
                return each
            if each.covers(name):
                return msgspec.structs.replace(each, name=name, label="")
        return Measure(name=name)

    def in_order(self, names: Iterable[str]) -> list[str]:
        """Sort names in the order of tables: unknown ones first, figures of a family by k."""
        places = {each.name: place for place, each in enumerate(self.measures) if not each.is_family}

        def place(name: str) -> tuple[int, str, int]:
            base, k = split_name(name)
            return places.get(name, -1), base, int(k) if k.isdecimal() else 0

        return sorted(names, key=place)

    def shown_in(self, table: TableKind, names: Iterable[str]) -> list[Measure]:
        """Measures that a table shows: those of the track, and the figures among `names`."""
        own = [each for each in self.measures if not each.is_family]
        found = {each.name: each for each in [*own, *map(self.find, names)] if each.is_in(table)}
        return [found[name] for name in self.in_order(found)]

    def in_groups(self, rows: Iterable[Mapping[str, Metric]]) -> list[Measure]:
        """Columns of a table of groups: its measures that have a figure in at least one group."""
        names = {name for row in rows for name in row}
        return [each for each in self.shown_in("group", names) if each.name in names]

    def compared(self, names: Iterable[str]) -> list[str]:
        """Paired measures among the names, in the order of tables."""
        return self.in_order(name for name in names if self.find(name).paired)


class UnknownMeasures(MeasureSet):
    """Measures of a track that is not installed: figures are displayed as shares and not compared."""

    def metrics(
        self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]
    ) -> dict[str, Metric]:
        """None: their computation is unknown."""
        return {}

    def task_value(self, name: str, answers: Sequence[JudgedAnswer]) -> float | None:
        """None: its computation is unknown."""
        return None


Quality = Literal["functionality", "reliability", "interpretability"]
QUALITIES: tuple[Quality, ...] = ("functionality", "reliability", "interpretability")


class Indicator(Record, frozen=True, kw_only=True):
    """One figure of a quality. Without a metric it was not measured; `absent` gives the reason."""

    quality: Quality
    name: str
    about: str  # definition, in one line
    unit: str  # unit of the value: a share or mean of something
    metric: Metric | None = None  # from 0 to 1
    absent: str = ""
    higher_is_better: bool = True


def read_indicators(details: Mapping[str, Any]) -> list[Indicator]:
    """Indicators in the `details` of a stored score, in order; empty if its track has none."""
    return msgspec.convert(details.get("indicators", []), list[Indicator])
