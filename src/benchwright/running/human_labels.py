"""Applies people's votes to a run: labels in addition to verdicts, figures of both, decided answers.

    votes.jsonl ──results_of──▶ label of an answer ──next to its verdict──▶ figures by judge, people, both

The votes stay as they are, and so do answers and verdicts, with one exception: where no model judge was
asked, an answer that rules leave undecided is decided by the people who judged it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from statistics import fmean
from typing import NamedTuple

import msgspec

from benchwright.contracts import AssessableTrack, Assessment, CalibratableTrack, Track, WeightedTrack
from benchwright.display.wording import counted
from benchwright.errors import PrerequisiteError
from benchwright.judges.people.records import DECISION, Vote
from benchwright.judges.people.results import ENOUGH, RELIABLE, RESULTS, PeopleResult, results_of
from benchwright.records import KeyedRow, Metric, Record, Score, Task, TaskId, Verdict, full_document
from benchwright.running.judged_items import ShownAnswer, read_votes, shown_answers
from benchwright.running.run_data import identity_field
from benchwright.running.run_folders import PEOPLE_FACT
from benchwright.stats.intervals import Interval
from benchwright.stats.ppi import LabelledItem, predicted_mean
from benchwright.store.keys import JUDGES, content_key
from benchwright.store.runfolder import RunFolder
from benchwright.tracks.grades import PEOPLE, by_judge, held_against

FEWEST = 2  # labels that a figure by people needs


class HumanFigure(Record, frozen=True, kw_only=True):
    """One figure by judges, by people, and by both (PPI++); people labelled `labels` of the `answers`.

    `relied` is how far the figure by both relies on the judge, from 0 to 1. `settled` of the answers are
    settled by rule, so people are not asked about them. Of the labels, `disputed` are the mean votes of
    people who do not agree.
    """

    judge: Metric | None
    people: Metric
    both: Metric | None
    labels: int
    answers: int
    settled: int
    relied: float
    calibrated: bool
    disputed: int = 0


class FieldShare(Record, frozen=True, kw_only=True):
    """How often two blind votes on one item agree, and on how many items."""

    share: float
    items: int


class HumanFigures(Record, frozen=True, kw_only=True):
    """Figures by people in a score. `labels` counts answers with a blind label."""

    votes: int
    judges: int
    labels: int
    results: dict[str, int]  # by kind of result, fields of items
    agreement: dict[str, FieldShare]
    figures: dict[str, HumanFigure]
    decided: int  # answers that people decided because no model judge was asked
    notes_before: list[str]  # the score's notes without what people say
    disputed: int = 0  # answers that people do not agree on in some field
    alpha: float | None = None  # the least of Krippendorff's alphas of the fields; None where none is known
    unreliable: str = ""  # why people's labels do not calibrate a judge, other than their number

    @property
    def summary(self) -> str:
        """Describe votes, people and results in a phrase."""
        results = ", ".join(f"{self.results.get(name, 0):,} {name}" for name in RESULTS)
        people = counted(self.judges, "person", "people")
        return f"{counted(self.votes, 'vote')} of {people}; results: {results}"

    @property
    def is_enough(self) -> bool:
        """Whether judges count as compared with people."""
        return self.labels >= ENOUGH and not self.unreliable


class HumanLabels(NamedTuple):
    """The votes on a run's answers, and their results."""

    votes: list[Vote]
    results: list[PeopleResult]

    def of_answers(self) -> dict[KeyedRow, dict[str, float | str]]:
        """The value of each field on which people agree, by key and task of an answer."""
        found: dict[KeyedRow, dict[str, float | str]] = {}
        for each in self.results:
            if each.value is not None and len(each.answers) == 1:
                found.setdefault(each.rows[0], {})[each.field] = each.value
        return found

    def opinions_of_answers(self) -> dict[KeyedRow, dict[str, list[float | str]]]:
        """The value of each field for estimates, even if disputed, by key and task of an answer."""
        found: dict[KeyedRow, dict[str, list[float | str]]] = {}
        for each in self.results:
            if each.opinions and len(each.answers) == 1:
                found.setdefault(each.rows[0], {})[each.field] = each.opinions
        return found

    def disputed(self) -> set[KeyedRow]:
        """The answers with a field on which people disagree without an adjudication."""
        return {each.rows[0] for each in self.results if each.is_disputed and len(each.answers) == 1}

    def blind(self) -> set[KeyedRow]:
        """The answers whose label is based on a blind vote."""
        return {
            each.rows[0] for each in self.results if each.value is not None and each.votes and each.answers
        }


def read_labels(folder: RunFolder) -> HumanLabels | None:
    """Read the labels of a run; None where nobody has judged it. Raises DataError as `read_votes` does."""
    votes = read_votes(folder)
    return HumanLabels(votes, results_of(votes)) if votes else None


def results_by_answer(folder: RunFolder) -> dict[KeyedRow, list[PeopleResult]]:
    """Return people's results on each field of an answer and on its pairs, by key and task."""
    labels = read_labels(folder)
    found: dict[KeyedRow, list[PeopleResult]] = {}
    for each in labels.results if labels else ():
        for row in each.rows:
            found.setdefault(row, []).append(each)
    return found


def own_track(folder: RunFolder, track: Track) -> Track:
    """Return the track with the weights of the run."""
    weights = folder.manifest["identity"].get("weights")
    return track.weighing(weights) if weights and isinstance(track, WeightedTrack) else track


def decide(folder: RunFolder, track: Track, tasks: Mapping[TaskId, Task]) -> None:
    """Let people's labels decide answers that rules leave undecided, in a run without model judges.

    A withdrawn label withdraws its decision.
    """
    labels = read_labels(folder)
    if JUDGES in folder.manifest["identity"] or not isinstance(track, AssessableTrack):
        return
    answer_labels = labels.of_answers() if labels else {}
    decisions = sum(DECISION in fields for fields in answer_labels.values())
    if not decisions and PEOPLE_FACT not in folder.manifest:
        return
    profile = identity_field(folder, "profile")
    answers = list(shown_answers(folder, track, tasks, profile=profile))
    folder.note(**{PEOPLE_FACT: decisions})
    folder.keep_verdicts(_decide_by_people(track, tasks, answers, answer_labels))


def _decide_by_people(
    track: AssessableTrack,
    tasks: Mapping[TaskId, Task],
    answers: Iterable[ShownAnswer],
    answer_labels: Mapping[KeyedRow, Mapping[str, float | str]],
) -> Iterator[Verdict]:
    for each in answers:
        label = answer_labels.get(each.answer.row, {}).get(DECISION)
        if label is None or each.exhibit is None:
            yield each.by_rules
            continue
        found = Assessment(
            key=content_key(PEOPLE, each.answer.key),
            answer=each.answer.key,
            task_id=each.answer.task_id,
            sample=each.answer.sample,
            judge=PEOPLE,
            status="judged",
            label=str(label),
        )
        yield track.assessed(tasks[each.answer.task_id], each.by_rules, [found])


def with_people(score: Score, folder: RunFolder, track: Track, tasks: Mapping[TaskId, Task]) -> Score:
    """Return the score with people's figures; the same score where nobody has judged the run."""
    labels = read_labels(folder)
    if labels is None:
        return score
    details = dict(score.details)
    blind = len(labels.blind())
    alpha, unreliable = _reliability(labels.votes)
    people = HumanFigures(
        votes=len(labels.votes),
        judges=len({vote.judge for vote in labels.votes}),
        labels=blind,
        results=_counts(labels.results),
        agreement=_agreement(labels.votes),
        figures=_figures(score, labels, folder, track, tasks, unreliable=bool(unreliable)),
        disputed=len(labels.disputed()),
        alpha=alpha,
        unreliable=unreliable,
        decided=int(folder.manifest.get(PEOPLE_FACT, 0)),
        notes_before=list(score.notes),
    )
    if JUDGES in details:
        details[JUDGES] = {
            name: {**fact, "calibrated": people.is_enough} for name, fact in details[JUDGES].items()
        }
    details[PEOPLE_FACT] = full_document(people)
    score_notes = held_against(score.notes, blind, enough=ENOUGH, unreliable=unreliable)
    notes = [*score_notes, *_notes(people)]
    return msgspec.structs.replace(score, details=details, notes=notes)


def people_of(score: Score) -> HumanFigures | None:
    """Return people's figures in a stored score; None where nobody has judged the run."""
    stored = score.details.get(PEOPLE_FACT)
    return msgspec.convert(stored, HumanFigures) if stored else None


def without_people(score: Score) -> Score:
    """Return the score without people's figures. Their decisions stay in the verdicts."""
    people = people_of(score)
    if people is None:
        return score
    details = {name: value for name, value in score.details.items() if name != PEOPLE_FACT}
    if JUDGES in details:
        details[JUDGES] = {name: {**fact, "calibrated": False} for name, fact in details[JUDGES].items()}
    return msgspec.structs.replace(score, details=details, notes=people.notes_before)


def _counts(results: Iterable[PeopleResult]) -> dict[str, int]:
    found = Counter(each.result for each in results)
    return {name: found[name] for name in RESULTS}


def _reliability(votes: Sequence[Vote]) -> tuple[float | None, str]:
    """Return the least alpha of the fields, and why it prevents "calibrated"; empty where it does not."""
    from benchwright.judges.people.agreement import reliability  # noqa: PLC0415 (numpy)

    try:
        found = {field: each.value for field, each in reliability(votes).items() if each.value is not None}
    except PrerequisiteError:
        return None, "people's agreement could not be computed without numpy"
    if not found:
        return None, ""
    field = min(found, key=found.__getitem__)
    low = found[field] < RELIABLE
    return found[field], f"people agree too little on {field} (alpha {found[field]:.2f})" if low else ""


def _agreement(votes: Iterable[Vote]) -> dict[str, FieldShare]:
    """Return agreement by field, over the items that two people have judged."""
    cells: dict[tuple[str, str], list[int | str]] = {}
    for vote in votes:
        if vote.round == "first":
            cells.setdefault((vote.field, vote.item), []).append(vote.value)
    found: dict[str, list[float]] = {}
    for (field, _), values in sorted(cells.items()):
        if pairs := [one == other for one, other in combinations(values, 2)]:
            found.setdefault(field, []).append(sum(pairs) / len(pairs))
    return {field: FieldShare(share=sum(each) / len(each), items=len(each)) for field, each in found.items()}


def _figures(
    score: Score,
    labels: HumanLabels,
    folder: RunFolder,
    track: Track,
    tasks: Mapping[TaskId, Task],
    *,
    unreliable: bool,
) -> dict[str, HumanFigure]:
    if not isinstance(track, CalibratableTrack):
        return {}
    people_values = {row: _by_people(track, fields) for row, fields in labels.opinions_of_answers().items()}
    names = track.measures.in_order({name for values in people_values.values() for name in values})
    profile = identity_field(folder, "profile")
    answers = [
        each
        for each in shown_answers(folder, track, tasks, profile=profile)
        if not each.by_rules.outcome.is_missing
    ]
    disputed = labels.disputed()
    figures = {name: _figure(name, score, answers, people_values, track, tasks, disputed) for name in names}
    return {
        name: msgspec.structs.replace(figure, calibrated=figure.calibrated and not unreliable)
        for name, figure in figures.items()
        if figure is not None
    }


def _by_people(track: CalibratableTrack, fields: Mapping[str, Sequence[float | str]]) -> dict[str, float]:
    """Return the mean of the figures by each opinion. For grades there is one opinion, their mean."""
    most = max(len(opinions) for opinions in fields.values())
    labels = [{name: each[at % len(each)] for name, each in fields.items()} for at in range(most)]
    figures = [track.by_people(each) for each in labels]
    return {name: fmean(each[name] for each in figures) for name in figures[0]}


def _figure(
    name: str,
    score: Score,
    answers: Sequence[ShownAnswer],
    people_values: Mapping[KeyedRow, Mapping[str, float]],
    track: CalibratableTrack,
    tasks: Mapping[TaskId, Task],
    disputed: set[KeyedRow],
) -> HumanFigure | None:
    """The figure over all answers that came. What rules have settled is known, and in it as they say.

    It includes answers that no judge could decide, with the mean of the judges' values, so that it is the
    figure of all answers and not of those that were easy to decide.
    """
    open_answers = [each for each in answers if each.exhibit is not None]
    by_people = [people_values.get(each.answer.row, {}).get(name) for each in open_answers]
    labels = sum(value is not None for value in by_people)
    if labels < FEWEST:
        return None
    several = len({each.answer.task_id for each in answers}) < len(answers)
    judged = [track.by_verdict(_by_models(each)).get(name) for each in open_answers]
    items = [
        LabelledItem(
            judge=value,
            human=label,
            stratum=track.stratum(tasks[each.answer.task_id]),
            cluster=str(each.answer.task_id) if several else "",
        )
        for each, value, label in zip(open_answers, judged, by_people, strict=True)
    ]
    found = predicted_mean(items)
    disputed_count = sum(each.answer.row in disputed for each in open_answers)
    settled_values = [
        track.by_verdict(each.by_rules).get(name, 0.0) for each in answers if each.exhibit is None
    ]
    has_judge = any(value is not None for value in judged)
    return HumanFigure(
        judge=score.metrics.get(name) if has_judge else None,
        people=_mean_over_all(found.human, settled_values, len(open_answers), labels),
        both=_mean_over_all(found.predicted, settled_values, len(open_answers), len(answers))
        if has_judge
        else None,
        labels=labels,
        answers=len(answers),
        settled=len(settled_values),
        relied=found.lam,
        calibrated=labels - disputed_count >= ENOUGH,
        disputed=disputed_count,
    )


def _by_models(answer: ShownAnswer) -> Verdict:
    """Return the verdict without decisions by people."""
    return answer.by_rules if PEOPLE in by_judge(answer.verdict.parts) else answer.verdict


def _mean_over_all(found: Interval, settled_values: Sequence[float], open_count: int, n: int) -> Metric:
    """Return the mean over all answers: the open ones and those that rules have settled."""
    share = open_count / (open_count + len(settled_values))
    known = sum(settled_values) / (open_count + len(settled_values))
    value, low, high = (known + share * each for each in (found.value, found.low, found.high))
    return Metric(value=value, low=low, high=high, n=n, samples=1)


def _notes(people: HumanFigures) -> Iterator[str]:
    """Return notes on the basis of the figures by people."""
    yield people.summary
    if people.disputed:
        answers = counted(people.disputed, "answer")
        yield f"people do not agree on {answers}: the mean vote is in the figures by people until adjudicated"
    if people.unreliable:
        yield f"uncalibrated: {people.unreliable}"
    for name, figure in people.figures.items():
        if figure.labels < ENOUGH and figure.both is not None:
            yield (
                f"{name} by people and judge rests on {counted(figure.labels, 'label')} by people: "
                f"under {ENOUGH} it stays uncalibrated"
            )
