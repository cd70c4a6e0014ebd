"""Measures of comments: parts by rules and judges, their weighted total, figures and groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from statistics import fmean
from typing import Any

import msgspec

from benchwright.contracts import (
    Assessment,
    CommentSpec,
    Indicator,
    JudgedAnswer,
    JudgedAnswers,
    Measure,
    MeasureSet,
)
from benchwright.display.wording import counted, joined
from benchwright.records import Metric, Outcome, Task, TaskId, Verdict
from benchwright.stats.metrics import graded_metric
from benchwright.tracks import grades as indicators
from benchwright.tracks.comments.rows import spec_of
from benchwright.tracks.grades import are_judged, by_key, notes_on_judges, shares, with_judges

FORMAT, ACCURACY, LOGIC, TOTAL = "format", "accuracy", "logic", "total"
PARTS = (FORMAT, ACCURACY, LOGIC)
WEIGHTS: Mapping[str, float] = dict.fromkeys(PARTS, 1 / 3)  # of each part in the total
# Share of judges in a part, if any were asked; the rest is by rule. Format (places, names, languages) can
# be checked by rules; explanations need a reader.
JUDGES_SHARE = {FORMAT: 0.0, ACCURACY: 0.5, LOGIC: 0.7}
DIGITS = 6  # as many as judges by rule keep
HELD_AGAINST = "annotation_f1"  # a score of answers that rules held against a reference: no total without
_RULE, _JUDGE = "rule_", "judge_"
_JUDGED = tuple(_JUDGE + name for name in PARTS)


def assessed(
    verdict: Verdict, assessments: Sequence[Assessment], weights: Mapping[str, float] = WEIGHTS
) -> Verdict:
    """The verdict with format, accuracy, logic and total, computed from its `rule_` scores and assessments.

    Judges have equal weight. Without assessments, scores are by rule only, and there is no total without a
    reference. If judges were asked and none could decide, the outcome is `undecided` and there is no total,
    because a score by rule only would be on another scale. A verdict settled by rules is unchanged.
    """
    if verdict.outcome not in (Outcome.scored, Outcome.undecided):
        return verdict
    other_scores = {
        name: value for name, value in verdict.scores.items() if name not in (*PARTS, TOTAL, *_JUDGED)
    }
    parts = with_judges(verdict, assessments)
    judged = _by_judges(assessments)
    if assessments and not judged:
        return msgspec.structs.replace(verdict, outcome=Outcome.undecided, scores=other_scores, parts=parts)
    found = {
        name: value for name in PARTS if (value := _combined_score(name, other_scores, judged)) is not None
    }
    whole = {TOTAL: total(found, weights)} if judged or HELD_AGAINST in other_scores else {}
    scores = {**found, **whole, **other_scores, **judged}
    return msgspec.structs.replace(verdict, outcome=Outcome.scored, scores=scores, parts=parts)


def total(parts: Mapping[str, float], weights: Mapping[str, float] = WEIGHTS) -> float:
    """Weighted mean of the available parts; 0 if none has a weight."""
    whole = fsum(weights[name] for name in parts)
    mean = fsum(weights[name] * value for name, value in parts.items()) / whole if whole else 0.0
    return round(min(1.0, mean), DIGITS)


def _by_judges(assessments: Sequence[Assessment]) -> dict[str, float]:
    """Means of the judges' scores, by `judge_` name."""
    given = [each.scores for each in assessments if each.status == "judged"]
    found = {name: [scores[name] for scores in given if name in scores] for name in PARTS}
    return {_JUDGE + name: round(fmean(values), DIGITS) for name, values in found.items() if values}


def _combined_score(name: str, rules: Mapping[str, float], judged: Mapping[str, float]) -> float | None:
    """A part combined from rule and judges by their shares; from one of them if the other has no score."""
    rule, judge = rules.get(_RULE + name), judged.get(_JUDGE + name)
    share = JUDGES_SHARE[name]
    if rule is None or judge is None or not share:
        return judge if rule is None else rule
    return round((1 - share) * rule + share * judge, DIGITS)


RULES_ONLY = "rules only: not a ranking"
UNCHANGED = "code_unchanged"
CHRF = "chrf"
_GRADES = (TOTAL, *PARTS)
# Over answers that have them: an answer without comments has no names to check.
_DETAILS = (
    Measure(name="annotation_precision"),
    Measure(name="annotation_recall"),
    Measure(name="annotation_f1", label="annotation F1"),
    Measure(name="entity_truth"),
    Measure(name="key_lines", label="key lines explained"),
    Measure(name="echo", label="comments that echo code", higher_is_better=False),
    Measure(name=CHRF, label="chrF++ (not ranked)"),
)


class CommentMeasures(MeasureSet):
    """Means over tasks of the means over decided answers. `weights` are those of the total."""

    measures: tuple[Measure, ...] = (
        Measure(name=TOTAL, better="comments better", paired=True, shown="group"),
        Measure(name=FORMAT, better="keeps to the format better", paired=True, shown="ranking"),
        Measure(name=ACCURACY, better="comments more accurately", paired=True, shown="ranking"),
        Measure(name=LOGIC, better="explains better", paired=True, shown="ranking"),
        Measure(name=UNCHANGED, label="code unchanged", shown="ranking"),
        *_DETAILS,
    )
    grade = TOTAL

    def __init__(self, weights: Mapping[str, float] = WEIGHTS) -> None:
        self.weights = weights

    def metrics(
        self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]
    ) -> dict[str, Metric]:
        """Each figure over the tasks that have a value."""
        names = [*PARTS, UNCHANGED, *(each.name for each in _DETAILS)]
        found = {TOTAL: self._metric(TOTAL, self._answers_with_total(tasks, answers))}
        found |= {name: self._metric(name, answers) for name in names}
        return {name: metric for name, metric in found.items() if metric is not None}

    def compared(self, names: Iterable[str]) -> list[str]:
        """Empty for runs without a total, whose parts are by rule only and without a reference."""
        found = super().compared(names)
        return found if TOTAL in found else []

    def comment_spec(self, task: Task) -> CommentSpec:
        """The spec of a task's comments."""
        return spec_of(task)

    def _answers_with_total(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> JudgedAnswers:
        """Answers that can have a total: with a reference, or decided by a judge or people."""
        return {
            task: given
            for task, given in answers.items()
            if self._has_reference(tasks[task]) or are_judged(each.parts for each in given)
        }

    def _has_reference(self, task: Task) -> bool:
        spec = self.comment_spec(task)
        return bool(spec.annotations or spec.comment)

    def _metric(self, name: str, answers: JudgedAnswers) -> Metric | None:
        found = [
            (value, len(given))
            for given in answers.values()
            if (value := self.task_value(name, given)) is not None
        ]
        if not found:
            return None
        return graded_metric([value for value, _ in found], samples=min(number for _, number in found))

    def task_value(self, name: str, answers: Sequence[JudgedAnswer]) -> float | None:
        """Mean over a task's answers that have the value; an undecided answer has no grade."""
        value_of = _grade if name in _GRADES else _unchanged_share if name == UNCHANGED else _detail
        values = [value for each in answers if (value := value_of(each, name)) is not None]
        return fmean(values) if values else None

    def notes(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]) -> list[str]:
        """Notes on the shares of rules and judges, on the weights, and on undecided answers."""
        return [*self._on_shares(tasks, answers), *notes_on_judges(answers)]

    def _on_shares(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> list[str]:
        unranked = len(answers) - len(self._answers_with_total(tasks, answers))
        if unranked == len(answers):
            return (
                [f"{RULES_ONLY}: no {TOTAL}, since there was no reference and no judge (--judge)"]
                if answers
                else []
            )
        unranked_note = (
            [f"{counted(unranked, 'task')} without a reference and a judge: in no {TOTAL}"]
            if unranked
            else []
        )
        return unranked_note + self._on_parts(answers)

    def _on_parts(self, answers: JudgedAnswers) -> list[str]:
        weights = ", ".join(f"{name} {self.weights[name]:.2g}" for name in PARTS)
        definition = f"{TOTAL} is the weighted mean of its parts: {weights}"
        if not are_judged(each.parts for given in answers.values() for each in given):
            return [f"{definition}; all of them are by rule alone, since no judge was asked (--judge)"]
        return [f"{definition}; {joined(f'{name} is {_share(name)}' for name in PARTS)}"]

    def details(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> dict[str, Any]:
        """{"groups": {"language" | "comments in" | "unit": {name: {metric: …}}}, "shares": {part: {"rule",
        "judge"}}, "weights": {part: …}, "distribution": answers by tenth of the total}."""
        if not answers:
            return {}
        groups = {task: self.groups_of(tasks[task]) for task in answers}
        kinds = next(iter(groups.values()))
        judged = are_judged(each.parts for given in answers.values() for each in given)
        document = {
            "groups": {kind: self._figures_by_group(tasks, answers, groups, kind) for kind in kinds},
            "shares": {name: shares(JUDGES_SHARE[name] if judged else 0.0) for name in PARTS},
            "weights": dict(self.weights),
            "distribution": _tenths(self._answers_with_total(tasks, answers)),
        }
        built: dict[str, Any] = msgspec.to_builtins(document)
        return built

    def groups_of(self, task: Task) -> dict[str, list[str]]:
        """Programming language, language of the comments, and unit (file, class or function) of a task."""
        spec = self.comment_spec(task)
        return {
            "language": [spec.lang],
            "comments in": [spec.language or "any language"],
            "unit": [spec.unit],
        }

    def _figures_by_group(
        self,
        tasks: Mapping[TaskId, Task],
        answers: JudgedAnswers,
        groups: Mapping[TaskId, Mapping[str, Sequence[str]]],
        kind: str,
    ) -> dict[str, dict[str, Metric]]:
        rows = {}
        for name, group in by_key(answers, lambda task: groups[task][kind][0]).items():
            found = {grade: self._metric(grade, group) for grade in PARTS}
            found = {TOTAL: self._metric(TOTAL, self._answers_with_total(tasks, group)), **found}
            rows[name] = {grade: metric for grade, metric in found.items() if metric is not None}
        return {name: row for name, row in rows.items() if row}

    def indicators(
        self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, outcomes: Mapping[str, int]
    ) -> list[Indicator]:
        """Indicators of functionality, reliability and interpretability of a run."""
        metrics = self.metrics(tasks, answers, ())
        return [
            indicators.of_metric(
                metrics, UNCHANGED, "functionality", "the code is as it was", indicators.SHARE
            ),
            indicators.of_metric(metrics, TOTAL, "functionality", "mean total of answers"),
            indicators.of_metric(
                metrics, CHRF, "functionality", "mean likeness to the reference comments, not ranked"
            ),
            indicators.unmeasured("tests", "functionality", "tests that pass", "nothing is executed"),
            *indicators.reliability(tasks, answers, outcomes, grade=self.grade, refusals=False),
            indicators.of_metric(metrics, LOGIC, "interpretability", "mean logic of answers"),
            indicators.of_metric(metrics, ACCURACY, "interpretability", "mean accuracy of answers"),
            indicators.of_metric(
                metrics, "entity_truth", "interpretability", "names in comments that the code has"
            ),
            indicators.unmeasured(
                "evidence", "interpretability", "cited evidence that resolves", "comments cite no places"
            ),
        ]


def _grade(answer: JudgedAnswer, name: str) -> float | None:
    """Value of an answer; 0 if it is unusable or its code was changed."""
    if not answer.outcome.is_decided:
        return None
    return answer.scores.get(name) if answer.outcome is Outcome.scored or answer.scores else 0.0


def _unchanged_share(answer: JudgedAnswer, name: str) -> float | None:
    """Whether answers with code left it unchanged; the outcome is `wrong` if not."""
    if answer.outcome is Outcome.wrong:
        return 0.0
    return 1.0 if answer.outcome in (Outcome.scored, Outcome.undecided) else None


def _detail(answer: JudgedAnswer, name: str) -> float | None:
    return answer.scores.get(name) if answer.outcome in (Outcome.scored, Outcome.undecided) else None


def _share(name: str) -> str:
    judge = JUDGES_SHARE[name]
    return f"{100 * judge:.0f} % judge and {100 * (1 - judge):.0f} % rule" if judge else "all rule"


def _tenths(answers: JudgedAnswers) -> list[int]:
    """Number of decided answers by tenth of the total; the last tenth includes 1."""
    tenths = [0] * 10
    for given in answers.values():
        for each in given:
            if (value := _grade(each, TOTAL)) is not None:
                tenths[min(9, int(10 * value + 1e-9))] += 1
    return tenths
