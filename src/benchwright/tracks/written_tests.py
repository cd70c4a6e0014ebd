"""Common parts of tracks of written tests: the mutants of a task, and measures of its answers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import zip_longest
from statistics import fmean
from typing import Any

import msgspec

from benchwright.contracts import BASELINE, JudgedAnswer, JudgedAnswers, Measure, Sections
from benchwright.display.wording import counted
from benchwright.lang.protocol import Mutant
from benchwright.lang.source import mutants
from benchwright.records import Metric, Outcome, Task, TaskId
from benchwright.stats.metrics import graded_metric, pass_metrics
from benchwright.tracks.functions.completion import PassAtK

MOST = 8  # mutants of a task
NAMES = {
    "empty": "an empty answer",
    "echo": "the given code",
    "vacuous": "a test that asserts a constant",
    "stub": "an empty test",
}
COMPILED, NOTICED, CODE_BLEU = "compiled", "noticed", "code_bleu"
_SCORED = (COMPILED, NOTICED, CODE_BLEU)
_ABOUT = "figures of answers that need no skill, judged on the same tasks by the same rules"


def mutants_of(code: str, lang: str, lines: Collection[int] = ()) -> tuple[str, ...]:
    """Up to MOST copies of a file with one change, in different lines first; always the same ones.

    `lines`: only changes in them; empty for all.
    """
    by_line: dict[int, list[Mutant]] = {}
    for each in mutants(code, lang):
        if not lines or each.line in lines:
            by_line.setdefault(each.line, []).append(each)
    ordered_groups = [sorted(group, key=_sample_key) for group in by_line.values()]
    rounds = zip_longest(*sorted(ordered_groups, key=lambda group: _sample_key(group[0])))
    ordered = [each.code for group in rounds for each in group if each is not None]
    return tuple(dict.fromkeys(ordered))[:MOST]


def _sample_key(mutant: Mutant) -> str:
    return sha256(mutant.code.encode("utf-8", "surrogatepass")).hexdigest()


class WrittenTestMeasures(PassAtK):
    """pass@k, and means of scores, over answers that could be decided; with the figures of baselines."""

    measures: tuple[Measure, ...] = (
        *PassAtK.measures,
        Measure(name=COMPILED, label="compile@1", better="compiles more", shown="group"),
        Measure(name=NOTICED, label="mutants noticed", better="notices more changes", shown="group"),
        Measure(name=CODE_BLEU, label="CodeBLEU", scale="points", shown="group"),
    )
    grade = CODE_BLEU

    def metrics(
        self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]
    ) -> dict[str, Metric]:
        """pass@k of executed answers, and each score's mean over the tasks that have it."""
        executed = _executed_only(answers)
        found = super().metrics(tasks, executed, ks) if executed else {}
        for name in _SCORED:
            if values := [value for given in answers.values() for value in _mean(given, name)]:
                found[name] = graded_metric(values, samples=1)
        return found

    def task_value(self, name: str, answers: Sequence[JudgedAnswer]) -> float | None:
        """Mean of a score, or the estimate of pass@k."""
        if name in _SCORED:
            return next(_mean(answers, name), None)
        decided = [each for each in answers if _is_executed(each)]
        return super().task_value(name, decided) if decided else None

    def notes(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]) -> list[str]:
        """The baselines, the number of answers that are not scored, and notes on few tasks."""
        figures = [f"{name} {_figures_in_words(found)}" for name, found in _baselines(answers).items()]
        first = [f"without skill: {'; '.join(figures)}"] if figures else []
        given = [each for of_task in answers.values() for each in of_task]
        unknown = sum(each.outcome is Outcome.undecided for each in given)
        if unknown:
            reason = "the code of their tasks cannot be executed here: see their details"
            first.append(f"{unknown:,} of {counted(len(given), 'answer')} not scored, in no figure: {reason}")
        executed = _executed_only(answers)
        return [*first, *(super().notes(tasks, executed, ks) if executed else [])]

    def details(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> dict[str, Any]:
        """{"baselines": {name: {figure: metric}}}, over tasks with judged answers."""
        found: dict[str, Any] = msgspec.to_builtins(_baselines(answers))
        return {"baselines": found} if found else {}

    def sections(self, details: Mapping[str, Any]) -> Sections:
        """The baselines with their explanation."""
        return msgspec.structs.replace(super().sections(details), about_baselines=_ABOUT)


def _is_executed(each: JudgedAnswer) -> bool:
    return each.outcome.is_decided and each.outcome is not Outcome.scored


def _executed_only(answers: JudgedAnswers) -> dict[TaskId, list[JudgedAnswer]]:
    executed_answers = {
        task: [each for each in given if _is_executed(each)] for task, given in answers.items()
    }
    return {task: given for task, given in executed_answers.items() if given}


def _mean(given: Sequence[JudgedAnswer], name: str) -> Iterator[float]:
    """The mean of a score over a task's answers; 0 for an executed one without it, if others have it."""
    known = [each for each in given if name in each.scores or (name != CODE_BLEU and _is_executed(each))]
    if known and any(name in each.scores for each in known):
        yield fmean(each.scores.get(name, 0.0) for each in known)


def _baselines(answers: JudgedAnswers) -> dict[str, dict[str, Metric]]:
    """Figures of the baselines by their texts for people."""
    figures_by_text = {text: _figures(answers, name) for name, text in NAMES.items()}
    return {text: figures for text, figures in figures_by_text.items() if figures}


def _figures(answers: JudgedAnswers, name: str) -> dict[str, Metric]:
    scored = any(each.outcome is Outcome.scored for given in answers.values() for each in given)
    own = _score_values(answers, BASELINE + name)
    if scored:
        return {CODE_BLEU: graded_metric(own, samples=1)} if own else {}
    ends = {"pass@1": own, "pass@1 mera-exact": _score_values(answers, f"{BASELINE}{name}_exact")}
    return {
        figure: pass_metrics([(1, int(end)) for end in values], (1,))["pass@1"]
        for figure, values in ends.items()
        if values
    }


def _score_values(answers: JudgedAnswers, score: str) -> list[float]:
    """The score of each task that has it. Tasks whose answers no judge executed have none."""
    stored = ([each.scores[score] for each in given if score in each.scores] for given in answers.values())
    return [values[0] for values in stored if values]


def _figures_in_words(figures: Mapping[str, Metric]) -> str:
    texts = [f"{name} {100 * metric.value:.1f}" for name, metric in figures.items()]
    return ", ".join(texts)
