"""The result of several votes on one field of one item: unanimous, majority, adjudicated, or none yet.

Votes are never changed; a result is computed from them each time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean, median
from typing import Literal

from benchwright.display.wording import counted
from benchwright.judges.people.records import LABELLED, ItemKind, Vote
from benchwright.records import KeyedRow, Record, TaskId

ResultKind = Literal["unanimous", "majority", "single", "adjudicated", "none"]
RESULTS: tuple[ResultKind, ...] = ("unanimous", "majority", "single", "adjudicated", "none")
UNSURE = "cannot_tell"
ENOUGH = 50  # blind labels by people above which a figure by judges counts as calibrated
RELIABLE = (
    0.67  # Krippendorff's alpha of the people; below it their labels support no conclusion (2019, chapter 12)
)
CLOSE = 1  # maximum distance of grades that agree; their mean counts


class PeopleResult(Record, frozen=True, kw_only=True):
    """The result of one field of one item. `value` is None if there is none yet; `why` is the reason.

    `opinions` represent the answer in estimates: the value, or the votes if people disagree. A sample without
    the disputed answers would contain only easy ones.
    """

    item: str
    task_id: TaskId
    kind: ItemKind
    field: str
    result: ResultKind
    value: float | str | None = None  # a grade, which may be a mean, or a label
    votes: int = 0  # number of blind votes
    share: float = 0.0  # of the blind votes, how many have the most frequent value
    answers: list[str] = []
    why: str = ""
    opinions: list[float | str] = []

    @property
    def is_disputed(self) -> bool:
        """Return whether people have voted, disagree, and nobody has adjudicated."""
        return self.value is None and bool(self.opinions)

    @property
    def rows(self) -> list[KeyedRow]:
        """Group results by the answers' key and task, since answers to two tasks of equal content have equal
        keys."""
        return [(key, self.task_id) for key in self.answers]

    @property
    def needs_adjudication(self) -> bool:
        """Return whether people who judged it disagree, or could not decide."""
        return self.result == "none" and self.votes > 0


def results_of(votes: Iterable[Vote]) -> list[PeopleResult]:
    """Return the result of each item and field, in the order in which they first occur.

    Votes of the rounds "first" and "adjudication" count. A repeated vote and a vote on a gold item measure
    the judge: neither is a further opinion.
    """
    cells: dict[tuple[str, str], list[Vote]] = {}
    for vote in votes:
        if vote.round in ("first", "adjudication"):
            cells.setdefault((vote.item, vote.field), []).append(vote)
    return [_result(cell) for cell in cells.values()]


def _result(cell: Sequence[Vote]) -> PeopleResult:
    blind = [vote.value for vote in cell if vote.round == "first"]
    last = max(
        (vote for vote in cell if vote.round == "adjudication"),
        key=lambda vote: (vote.submitted_at, vote.vote),
        default=None,
    )
    first = cell[0]
    graded = first.field not in LABELLED
    result, value, why = _decided(blind, last, graded=graded)
    return PeopleResult(
        item=first.item,
        task_id=first.task_id,
        kind=first.kind,
        field=first.field,
        result=result,
        value=value,
        votes=len(blind),
        share=max(Counter(blind).values()) / len(blind) if blind else 0.0,
        answers=list(first.answers),
        why=why,
        opinions=_opinions(value, [] if last else blind, graded=graded),
    )


def _opinions(value: float | str | None, blind: Sequence[int | str], *, graded: bool) -> list[float | str]:
    """Return the result; without one, the decided votes, grades as their mean."""
    if value is not None:
        return [value]
    votes: list[float | str] = [each for each in blind if each != UNSURE]
    return [fmean(map(float, votes))] if graded and votes else votes


def _decided(
    blind: Sequence[int | str], last: Vote | None, *, graded: bool
) -> tuple[ResultKind, float | str | None, str]:
    """Decide a field: an adjudicator's vote wins; otherwise all votes, or more than half, must agree."""
    if last is not None:
        unsure = last.value == UNSURE
        return ("none", None, "the adjudicator cannot tell") if unsure else ("adjudicated", last.value, "")
    if not blind:
        return "none", None, "nobody has judged it"
    value, most = Counter(blind).most_common(1)[0]
    if graded and most < len(blind):
        return _of_grades([int(each) for each in blind])
    if 2 * most <= len(blind):
        return "none", None, "no value has more than half of the votes"
    if value == UNSURE:
        return "none", None, "most cannot tell"
    return _strength(most, len(blind)), value, ""


def _strength(most: int, votes: int) -> ResultKind:
    """Return the strength of agreement; a single vote agrees with nobody."""
    if votes == 1:
        return "single"
    return "unanimous" if most == votes else "majority"


def _of_grades(grades: Sequence[int]) -> tuple[ResultKind, float | None, str]:
    """Return the mean of close grades; otherwise the grade of more than half of the votes."""
    if max(grades) - min(grades) <= CLOSE:
        return "majority", fmean(grades), ""
    value = median(grades)
    if 2 * sum(each == value for each in grades) > len(grades):
        return "majority", value, ""
    return "none", None, f"the grades lie between {min(grades)} and {max(grades)}"


def people_fact(result: PeopleResult) -> tuple[str, str]:
    """Return name and value, for people, of the result for one field of an answer, or of a pair."""
    votes = f"{result.result}, {counted(result.votes, 'blind vote')}"
    value = "no result" if result.value is None else f"{result.value}".replace("_", " ")
    about = f"people, {result.field.replace('_', ' ')}"
    return about, f"{value} ({votes}{': ' + result.why if result.why else ''})"
