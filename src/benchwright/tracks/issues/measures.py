"""Measures of issue answers: verdicts by rules, judges and people, figures and indicators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any

import msgspec

from benchwright.contracts import (
    Assessment,
    Indicator,
    IssueSpec,
    JudgedAnswer,
    JudgedAnswers,
    Measure,
    MeasureSet,
)
from benchwright.contracts.specs import RULES_CANNOT_TELL
from benchwright.display.wording import counted
from benchwright.records import Metric, Outcome, Task, TaskId, Verdict
from benchwright.stats.intervals import wilson
from benchwright.stats.metrics import as_metric, graded_metric, mean_metric
from benchwright.tracks import grades as indicators
from benchwright.tracks.grades import PEOPLE, by_judge, by_key, notes_on_judges, shares, with_judges
from benchwright.tracks.issues.rows import spec_of

ANSWER, STRONGEST = "answer", "strongest"
_VERDICTS = {
    "correct": (Outcome.passed, 1.0),
    "partly": (Outcome.scored, 0.5),
    "wrong": (Outcome.wrong, 0.0),
}


def assessed(spec: IssueSpec, verdict: Verdict, assessments: Sequence[Assessment]) -> Verdict:
    """The verdict with the judges' majority decision; undecided for a tie or a majority of "cannot tell".

    `scores` get "answer": 1 correct, 0.5 partly, 0 wrong; and "strongest": 1 if it is correct by a
    reference as strong as the strongest one. Judges without a readable reply have no vote. A verdict
    settled by rules is unchanged.
    """
    if verdict.outcome is not Outcome.undecided and not by_judge(verdict.parts):
        return verdict
    other_scores = {name: value for name, value in verdict.scores.items() if name not in (ANSWER, STRONGEST)}
    parts = with_judges(verdict, assessments)
    label = _most(assessments)
    if label not in _VERDICTS:
        detail = _detail(verdict.detail, RULES_CANNOT_TELL)
        return msgspec.structs.replace(
            verdict, outcome=Outcome.undecided, scores=other_scores, parts=parts, detail=detail
        )
    outcome, value = _VERDICTS[label]
    by_strongest = label == "correct" and _agrees_with_strongest(spec, assessments)
    scores = {ANSWER: value, STRONGEST: float(by_strongest), **other_scores}
    if label == "correct" and all(each.judge == PEOPLE for each in assessments):
        del scores[STRONGEST]  # people compare an answer with all references at once
    detail = _detail(verdict.detail)
    return msgspec.structs.replace(verdict, outcome=outcome, scores=scores, parts=parts, detail=detail)


def _detail(by_rules: str, *before: str) -> str:
    """Details by rules, prefixed by RULES_CANNOT_TELL while the answer is undecided."""
    rest = by_rules.removeprefix(RULES_CANNOT_TELL).removeprefix("; ")
    return "; ".join([*before, *([rest] if rest else [])])


def _most(assessments: Sequence[Assessment]) -> str:
    """The label with most votes; empty for a tie."""
    labels = Counter(
        each.label if each.status == "judged" else "cannot_tell"
        for each in assessments
        if each.status in ("judged", "undecided")
    )
    (first, votes), *others = labels.most_common(2) or [("", 0)]
    return "" if others and others[0][1] == votes else first


def _agrees_with_strongest(spec: IssueSpec, assessments: Sequence[Assessment]) -> bool:
    """Whether most judges that found the answer correct compared it with a strongest reference."""
    reference_numbers = [
        each.reference_number for each in assessments if each.status == "judged" and each.label == "correct"
    ]
    best = spec.references[0].strength if spec.references else ""
    strong = sum(
        at is not None and at <= len(spec.references) and spec.references[at - 1].strength == best
        for at in reference_numbers
    )
    return 2 * strong > len(reference_numbers)


ACC, ACC_STRONGEST, PARTLY = "acc", "acc_strongest", "partly"
EVIDENCE = "evidence"  # score by rule: share of an answer's citations that resolve
OVERLAP = "overlap"  # score by rule: similarity to the nearest reference
LATER = "later_facts"  # score by rule: 1 if it names a month after the question's
_KINDS = ("reference", "asked in")


class IssueMeasures(MeasureSet):
    """Means over tasks of the shares of judged answers; with one answer per task, Wilson's interval.

    Undecided answers, and tasks without a judged answer, are excluded.
    """

    measures = (
        Measure(name=ACC, better="is right more often", paired=True, shown="group"),
        Measure(
            name=ACC_STRONGEST,
            label="acc by the strongest reference",
            better="gives the strongest reference more often",
            paired=True,
            shown="ranking",
        ),
        Measure(name=PARTLY, label="partly correct", shown="ranking"),
        Measure(name=EVIDENCE, label="cited evidence that resolves"),
        Measure(name=LATER, label="knows later facts", higher_is_better=False),
        Measure(name=OVERLAP, label="overlap with a reference (not ranked)"),
    )
    grade = ANSWER

    def metrics(
        self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]
    ) -> dict[str, Metric]:
        """Each figure over the tasks that have a value; empty while nothing is judged."""
        names = [each.name for each in self.measures]
        return {name: metric for name in names if (metric := self._metric(name, answers)) is not None}

    def _metric(self, name: str, answers: JudgedAnswers) -> Metric | None:
        if name == ACC_STRONGEST and any(_is_unknown(each) for given in answers.values() for each in given):
            return None
        cells = [values for given in answers.values() if (values := _values(name, given))]
        if not cells:
            return None
        means, samples = [fmean(values) for values in cells], min(map(len, cells))
        if name not in _SHARES:
            return graded_metric(means, samples=samples)
        if all(len(values) == 1 for values in cells):
            return as_metric(wilson(round(sum(means)), len(means)), samples)
        return mean_metric(means, draws=samples, samples=samples)

    def task_value(self, name: str, answers: Sequence[JudgedAnswer]) -> float | None:
        """Share among a task's judged answers; None if none was judged."""
        values = _values(name, answers)
        return fmean(values) if values else None

    def notes(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]) -> list[str]:
        """Notes on the number of judged and undecided answers, and on the parts of the score."""
        given = [each for of_task in answers.values() for each in of_task]
        if not given:
            return []
        decided = sum(each.outcome.is_decided for each in given)
        by_rule = sum(each.outcome.is_decided and ANSWER not in each.scores for each in given)
        summary = f"{ACC} is correct of judged: {decided:,} of {counted(len(given), 'answer')} are judged"
        rest = f", {by_rule:,} of them by rule alone, as saying nothing or refusing" if by_rule else ""
        return [summary + rest, *notes_on_judges(answers)]

    def details(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> dict[str, Any]:
        """{"groups": {"reference" | "asked in": {name: {metric: …}}}, "shares": {"acc": {"rule", "judge"}}}.

        "reference" is the evidence for the strongest reference, "asked in" the year of the question.
        """
        if not answers:
            return {}
        groups = {task: self.groups_of(tasks[task]) for task in answers}
        kinds = {kind: self._figures_by_group(answers, groups, kind) for kind in _KINDS}
        decided = [each for given in answers.values() for each in given if each.outcome.is_decided]
        judge = fmean(ANSWER in each.scores for each in decided) if decided else 0.0
        document = {
            "groups": {kind: rows for kind, rows in kinds.items() if rows},
            "shares": {ACC: shares(judge)},
        }
        built: dict[str, Any] = msgspec.to_builtins(document)
        return built

    def groups_of(self, task: Task) -> dict[str, list[str]]:
        """Strength of the strongest reference, and year of the question."""
        spec = spec_of(task)
        group_names = (spec.references[0].strength.replace("_", " "), spec.asked_at[:4] or "an unknown year")
        return {kind: [name] for kind, name in zip(_KINDS, group_names, strict=True)}

    def _figures_by_group(
        self, answers: JudgedAnswers, groups: Mapping[TaskId, Mapping[str, Sequence[str]]], kind: str
    ) -> dict[str, dict[str, Metric]]:
        rows = {
            name: self._metric(ACC, group)
            for name, group in by_key(answers, lambda task: groups[task][kind][0]).items()
        }
        return {name: {ACC: metric} for name, metric in rows.items() if metric is not None}

    def indicators(
        self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, outcomes: Mapping[str, int]
    ) -> list[Indicator]:
        """Indicators of functionality, reliability and interpretability of a run."""
        metrics, share = self.metrics(tasks, answers, ()), indicators.SHARE
        return [
            indicators.of_metric(metrics, ACC, "functionality", "judged answers that are correct", share),
            indicators.unmeasured("tests", "functionality", "tests that pass", "nothing is executed"),
            *indicators.reliability(tasks, answers, outcomes, grade=self.grade, refusals=True),
            indicators.of_metric(metrics, EVIDENCE, "interpretability", "cited evidence that resolves"),
            indicators.unmeasured(
                "logic", "interpretability", "logic of answers", "its rubric decides, and rates nothing"
            ),
        ]


def _correct(answer: JudgedAnswer) -> bool:
    return answer.outcome is Outcome.passed


def _by_strongest(answer: JudgedAnswer) -> bool:
    return bool(answer.scores.get(STRONGEST))


def _is_unknown(answer: JudgedAnswer) -> bool:
    """Whether the answer is correct without a named reference."""
    return answer.outcome is Outcome.passed and ANSWER in answer.scores and STRONGEST not in answer.scores


def _partly(answer: JudgedAnswer) -> bool:
    return answer.outcome is Outcome.scored


_SHARES: Mapping[str, Callable[[JudgedAnswer], bool]] = {
    ACC: _correct,
    ACC_STRONGEST: _by_strongest,
    PARTLY: _partly,
}


def _values(name: str, answers: Sequence[JudgedAnswer]) -> list[float]:
    """Values of a task's answers: shares by outcome of judged ones, or scores by rule."""
    if name in _SHARES:
        return [float(_SHARES[name](each)) for each in answers if each.outcome.is_decided]
    if name == LATER:
        return [each.scores.get(LATER, 0.0) for each in answers]
    return [each.scores[name] for each in answers if name in each.scores]
