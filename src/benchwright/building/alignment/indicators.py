"""Indicators of the alignment data: functionality, reliability and interpretability.

Each figure is a share with its count and Wilson's interval at 95 %. A figure without data is "not measured",
with the reason: it is neither 0 nor left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from benchwright.building.alignment.link_items import LabelledLink
from benchwright.building.alignment.records import RUNGS, EvidenceLink, Feedback, LineRange
from benchwright.judges.people.records import ANSWERED, Vote
from benchwright.judges.people.results import UNSURE, results_of
from benchwright.records import Record
from benchwright.stats.intervals import Interval, wilson

STRONG = (1, 2, 3)  # the rungs that training data may use without a second look


class DataIndicator(Record, frozen=True, kw_only=True):
    """One figure: `hits` of `n`. `share` is None if it was not measured, and `why` says why not."""

    name: str
    about: str  # the counted things
    hits: int = 0
    n: int = 0
    share: Interval | None = None
    why: str = ""
    unsure: int = 0  # labels that decide nothing; they are not in n

    @property
    def state(self) -> str:
        """Return "measured" or "not measured"."""
        return "not measured" if self.share is None else "measured"


class LabelAgreement(Record, frozen=True, kw_only=True):
    """Agreement of the people who labelled links. A coefficient is None with a reason in `why`."""

    links: int
    people: int
    figures: dict[str, float | None]
    why: dict[str, str] = {}
    intervals: dict[str, tuple[float, float]] = {}  # at 95 %

    def text(self, name: str) -> str:
        """A coefficient with its interval, or the reason that it has no value."""
        value = self.figures[name]
        if value is None:
            return f"not measured ({self.why.get(name, '')})"
        bounds = self.intervals.get(name)
        return f"{value:.2f}" + (f" ({bounds[0]:.2f} to {bounds[1]:.2f})" if bounds else "")


class DataIndicators(Record, frozen=True, kw_only=True):
    """All indicators of a release."""

    functionality: list[DataIndicator]
    reliability: list[DataIndicator]
    interpretability: list[DataIndicator]
    agreement: LabelAgreement | None = None


def share_of(name: str, about: str, outcomes: Iterable[bool], *, why: str, unsure: int = 0) -> DataIndicator:
    """Count outcomes; without any, the indicator is not measured for the reason `why`."""
    given = list(outcomes)
    hits = sum(given)
    share = wilson(hits, len(given)) if given else None
    return DataIndicator(
        name=name,
        about=about,
        hits=hits,
        n=len(given),
        share=share,
        why="" if given else why,
        unsure=unsure,
    )


def functionality(
    links: Sequence[EvidenceLink],
    feedback: Iterable[Feedback],
    checks: Mapping[str, bool],
    builds: Mapping[str, bool],
) -> list[DataIndicator]:
    """Return the shares of suggestions that were applied, and of answering commits that build and pass tests.

    `checks` and `builds` have an outcome for each commit with a known one.
    """
    applied = {link.source for link in links if link.rung == 1}
    suggestions = [each for each in feedback if each.replacement is not None]
    known = [each for each in suggestions if each.id in applied or each.resolution != "unknown"]
    targets = sorted({link.target.partition(":")[2] for link in links if link.target.startswith("commit:")})
    return [
        share_of(
            "applied",
            "suggestions with a known outcome that equal the later lines",
            (each.id in applied for each in known),
            why="there is no suggestion with a known outcome",
        ),
        share_of(
            "built",
            "answering commits that build",
            (builds[each] for each in targets if each in builds),
            why="no answering commit was built",
        ),
        share_of(
            "tested",
            "answering commits whose checks and tests all passed",
            (checks[each] for each in targets if each in checks),
            why="no answering commit has a check or a test result",
        ),
    ]


def reliability(known: Iterable[LabelledLink], votes: Sequence[Vote]) -> list[DataIndicator]:
    """Return the precision of each rung: the share of "yes" among links that people decided.

    A link that people disagree on, or cannot decide, counts as unsure.
    """
    decisions = {each.item: each.value for each in results_of(votes) if each.field == ANSWERED}
    by_rung: dict[int, dict[str, float | str | None]] = {}
    for link in known:
        if link.item in decisions:
            by_rung.setdefault(link.rung, {})[link.item] = decisions[link.item]
    found = [_precision(str(rung), RUNGS[rung], by_rung.get(rung, {})) for rung in RUNGS if rung]
    strong = {item: value for rung in STRONG for item, value in by_rung.get(rung, {}).items()}
    return [_precision("1–3", "rungs 1 to 3 together", strong), *found]


def _precision(name: str, about: str, values: Mapping[str, float | str | None]) -> DataIndicator:
    decided = [value == "yes" for value in values.values() if value not in (None, UNSURE)]
    unsure = len(values) - len(decided)
    return share_of(name, about, decided, why="no link of it was labelled by people", unsure=unsure)


def label_agreement(votes: Sequence[Vote]) -> LabelAgreement | None:
    """Return the agreement of blind labels; None without votes. Raises PrerequisiteError without numpy."""
    from benchwright.judges.people.agreement import agreement_of  # noqa: PLC0415 (numpy)
    from benchwright.progress import Silent  # noqa: PLC0415

    own = [vote for vote in votes if vote.field == ANSWERED]
    if not own:
        return None
    found = agreement_of(own, Silent())[0]
    pair = found.pairs[0].figures if len(found.pairs) == 1 else {}  # Cohen's kappa is one of two people
    figures = {**found.figures, **pair}
    return LabelAgreement(
        links=found.items,
        people=len(found.judges),
        figures={name: each.value for name, each in figures.items()},
        why={name: each.why for name, each in figures.items() if each.why},
        intervals={
            name: (each.low, each.high)
            for name, each in figures.items()
            if each.low is not None and each.high is not None
        },
    )


class EvidenceResolver(Protocol):
    """Looks up evidence in a clone."""

    def has_commit(self, commit: str) -> bool:
        """Return whether the commit exists."""
        ...

    def line_count(self, commit: str, path: str) -> int | None:
        """Return the number of lines of a file; None if the commit or the file does not exist."""
        ...


def interpretability(links: Iterable[EvidenceLink], resolver: EvidenceResolver | None) -> list[DataIndicator]:
    """Return the share of answered links whose evidence names commits and lines that exist.

    A range without lines is the place of an insertion or of a deletion; its file is not looked up.
    """
    about = "answered links whose commits and lines exist in the clone"
    if resolver is None:
        return [DataIndicator(name="resolves", about=about, why="no clone was given")]
    answered = (link for link in links if link.state == "answered")
    outcomes = [_resolves(link, resolver) for link in answered]
    return [share_of("resolves", about, outcomes, why="there is no answered link")]


def _resolves(link: EvidenceLink, resolver: EvidenceResolver) -> bool:
    kind, _, name = link.target.partition(":")
    if kind == "commit" and not resolver.has_commit(name):
        return False
    return all(_has_lines(each, resolver) for each in (link.before, link.after) if each is not None)


def _has_lines(lines: LineRange, resolver: EvidenceResolver) -> bool:
    if lines.last < lines.first or lines.last == 0:
        return resolver.has_commit(lines.commit)
    count = resolver.line_count(lines.commit, lines.path)
    return count is not None and lines.first >= 1 and lines.last <= count
