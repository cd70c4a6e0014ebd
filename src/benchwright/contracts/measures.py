"""What a track measures: the facts of its figures, how they are made of judged answers, and what is shown
beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Protocol

import msgspec

from benchwright.contracts.indicators import Indicator
from benchwright.display.wording import scaled_interval, scaled_number, scaled_whole
from benchwright.records import Metric, Outcome, Record, Task, TaskId, Verdict

# What a page or a terminal shows of a score beside its figures: findings, confusion, baselines, groups.

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


# What a track measures: the facts of its figures, and how they are made of judged answers.

Scale = Literal["share", "points", "correlation"]
TableKind = Literal["score", "summary", "ranking", "group"]
_NARROWER: tuple[TableKind, ...] = ("score", "summary", "ranking", "group")
_SIGNS = "@^"  # before the number k of answers: "pass@5", one of five is right; "pass^5", each of them is


def split_name(name: str) -> tuple[str, str]:
    """A figure's name up to the sign before its number of answers, and the number: "pass@", "5"."""
    sign = max(map(name.rfind, _SIGNS))
    return (name[: sign + 1], name[sign + 1 :]) if sign >= 0 else (name, "")


class Measure(Record, frozen=True, kw_only=True):
    """The facts of a figure that scores report under a name.

    Whatever the scale, figures are stored and tested as shares of it, from 0 to 1; a correlation has its own
    value, from -1 to 1. People see a share in per cent, points as 0 to 100, a correlation as it is.
    A name that ends in "@k" or "^k" stands for a family, with a figure for each number k of answers.
    """

    name: str
    label: str = ""  # for people, where the name is not enough
    scale: Scale = "share"
    higher_is_better: bool = True
    better: str = "scores better"  # what the better of two models does, in a sentence
    paired: bool = False  # the mean over tasks of `task_value`, so that runs are compared by it task by task
    shown: TableKind = "score"  # the narrowest table that has room for it: any wider one shows it too
    about: str = ""  # what the figures of a family mean, for the section with their curve

    @property
    def title(self) -> str:
        """What tables and sentences call it."""
        return self.label or self.name.replace("_", " ")

    @property
    def is_family(self) -> bool:
        """Whether there is one figure for each number of answers."""
        return split_name(self.name)[1] == "k"

    def at(self, k: int) -> str:
        """The name of a family's figure for k answers."""
        return f"{split_name(self.name)[0]}{k}"

    def covers(self, name: str) -> bool:
        """Whether a name is that of one of a family's figures."""
        base, k = split_name(name)
        return f"{base}k" == self.name and k.isdecimal() and int(k) > 0

    def is_in(self, table: TableKind) -> bool:
        """Whether tables of a kind have room for it."""
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
    """How one answer ended, which prompt it was to ("" for the row's own), and what a grading judge gave."""

    outcome: Outcome
    variant: str = ""
    scores: Mapping[str, float] = MappingProxyType({})
    parts: Mapping[str, Outcome] = MappingProxyType({})

    @classmethod
    def of(cls, verdict: Verdict, variant: str) -> JudgedAnswer:
        """What measures need of a verdict. It is kept for each answer of a run: equal plain ones are one."""
        if verdict.scores or verdict.parts:
            return cls(verdict.outcome, variant, verdict.scores, verdict.parts)
        return _plain(verdict.outcome, variant)


@lru_cache(maxsize=4096)
def _plain(outcome: Outcome, variant: str) -> JudgedAnswer:
    return JudgedAnswer(outcome, variant)


def worth(ended: Verdict | JudgedAnswer, grade: str) -> float | None:
    """How good an answer is, from 0 to 1: its score named `grade` where it was graded, else 1 if it passed.

    None where nobody could tell, or the score is not there: that is no zero.
    """
    if ended.outcome is Outcome.scored:
        return ended.scores.get(grade)
    return float(ended.outcome is Outcome.passed) if ended.outcome.is_decided else None


# By task the answers that were judged, in the order of samples. An answer that is missing through no fault
# of the model is not among them, and neither is a task without any.
JudgedAnswers = Mapping[TaskId, Sequence[JudgedAnswer]]


class MeasureSet(Protocol):
    """The measures of a track, in the order of tables; the first is the one that runs are compared by.

    A track inherits from this class: what is not said here has a default that most tracks can keep.
    """

    measures: tuple[Measure, ...] = ()
    grade: str = ""  # the entry of a verdict's scores that says how good it is, where answers are graded

    def metrics(
        self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]
    ) -> dict[str, Metric]:
        """The figures by name, each with its interval; without answers there are none.

        `ks` are the numbers of answers that were asked for; one that some task lacks answers for is left out.
        """
        ...

    def task_value(self, name: str, answers: Sequence[JudgedAnswer]) -> float | None:
        """One task's value of a paired measure, from 0 to 1; None where it has too few answers.

        The figure of the same name is the mean of these over tasks.
        """
        ...

    def notes(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]) -> Sequence[str]:
        """What the figures do not say of themselves, for whoever reads the score."""
        return ()

    def details(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> dict[str, Any]:
        """What stands behind the figures, metrics among it, as a score stores it: see `read_sections`."""
        return {}

    def groups_of(self, task: Task) -> Mapping[str, Sequence[str]]:
        """The groups that a task belongs to, by kind: {"language": ["Go"], "tag": ["time", "files"]}."""
        return {}

    def indicators(
        self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, outcomes: Mapping[str, int]
    ) -> list[Indicator]:
        """What a graded run says of its model's qualities; `outcomes` count all answers, the missing too."""
        return []

    def sections(self, details: Mapping[str, Any]) -> Sections:
        """What a page and a terminal show of these details, which come from a stored score."""
        return read_sections(details)

    def curve(self, counts: Sequence[tuple[int, int]], ks: Sequence[int]) -> dict[str, Metric]:
        """The figures of a family for further k, from (answers judged, answers passed) of each task."""
        return {}

    @property
    def family(self) -> Measure | None:
        """The measure that has a figure for each number of answers, if there is one."""
        return next((each for each in self.measures if each.is_family), None)

    @property
    def headline(self) -> Measure:
        """The measure that answers to one prompt are compared by: of a family, that of one answer."""
        first = self.measures[0]
        return self.find(first.at(1)) if first.is_family else first

    def find(self, name: str) -> Measure:
        """The measure of a name; one that is not known here is a plain share."""
        for each in self.measures:
            if each.name == name:
                return each
            if each.covers(name):
                return msgspec.structs.replace(each, name=name, label="")
        return Measure(name=name)

    def in_order(self, names: Iterable[str]) -> list[str]:
        """Names as tables list them: figures of a family by k, those that are not known first."""
        places = {each.name: place for place, each in enumerate(self.measures) if not each.is_family}

        def place(name: str) -> tuple[int, str, int]:
            base, k = split_name(name)
            return places.get(name, -1), base, int(k) if k.isdecimal() else 0

        return sorted(names, key=place)

    def shown_in(self, table: TableKind, names: Iterable[str]) -> list[Measure]:
        """What a table has room for: the track's own measures, and those figures among `names`."""
        own = [each for each in self.measures if not each.is_family]
        found = {each.name: each for each in [*own, *map(self.find, names)] if each.is_in(table)}
        return [found[name] for name in self.in_order(found)]

    def in_groups(self, rows: Iterable[Mapping[str, Metric]]) -> list[Measure]:
        """What a table of groups has columns for: measures of it that some group has a figure of."""
        names = {name for row in rows for name in row}
        return [each for each in self.shown_in("group", names) if each.name in names]

    def compared(self, names: Iterable[str]) -> list[str]:
        """Those that runs can be compared by, in the order of tables."""
        return self.in_order(name for name in names if self.find(name).paired)


class UnknownMeasures(MeasureSet):
    """The measures of a track that is not installed here: every figure is shown as a share, none compared."""

    def metrics(
        self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]
    ) -> dict[str, Metric]:
        """None: nobody here knows how they are made."""
        return {}

    def task_value(self, name: str, answers: Sequence[JudgedAnswer]) -> float | None:
        """None, for the same reason."""
        return None
