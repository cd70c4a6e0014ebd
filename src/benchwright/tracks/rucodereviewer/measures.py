"""Measures of ruCodeReviewer: likeness to the reviewer's remark, and what model judges say of each remark.

A remark has the score `remark_NN` in its verdict: 1 if it is the reviewer's (same problem and solution), 0.5
for another sound remark, 0 for a false alarm. By MERA's rules there are only 1 and 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any

import msgspec

from benchwright.contracts import Assessment, JudgedAnswer, JudgedAnswers, Measure, MeasureSet, Sections
from benchwright.contracts.specs import RULES_CANNOT_TELL
from benchwright.display.wording import counted
from benchwright.records import Metric, Outcome, Task, TaskId, Verdict
from benchwright.stats.metrics import graded_metric, mean_metric
from benchwright.text.remarks import (
    BLEU,
    CHRF,
    MOST,
    REMARKS,
    likeness,
    numbered,
    remarks_by_mera,
    says_correct,
)
from benchwright.tracks.grades import by_judge, notes_on_judges, with_judges

KS = (1, 5, MOST)
PRECISION, HITS = "precision", "hit_precision"
FULL, SOUND, NONE = 1.0, 0.5, 0.0
_WORTH = {"correct": FULL, "partly": SOUND, "wrong": NONE}
_ORDER = ("correct", "partly", "wrong")
GENERIC = (
    "Добавьте проверку входных данных.",
    "Добавьте обработку ошибок.",
    "Вынесите константы отдельно.",
    "Добавьте тесты на этот код.",
    "Дайте переменным более понятные имена.",
    "Добавьте документацию.",
    "Разбейте функцию на несколько меньших.",
    "Проверьте производительность этого места.",
    "Уберите дублирование кода.",
    "Проверьте граничные случаи.",
)
_ABOUT = (
    "Answers that need no skill, on the same tasks. The last one is the score of any answer with a remark by "
    "a judge that replies only `incorrect`, which MERA's rule reads as `correct`"
)


def at_k(k: int) -> str:
    """Name of the figure for the first k remarks."""
    return f"judge@{k}"


def remark_score(part: int) -> str:
    """Name of the score of a remark, from 1."""
    return f"remark_{part:02}"


def assessed(verdict: Verdict, assessments: Sequence[Assessment], *, exact: bool) -> Verdict:
    """The verdict with a score for each remark that the judges' majority decides; others have none.

    Strict: `passed` if a remark is the reviewer's, `wrong` if all remarks are decided and none is.
    """
    known = {remark_score(part) for part in range(1, MOST + 1)}
    base = {name: value for name, value in verdict.scores.items() if name not in known}
    if not base.get(REMARKS):
        return verdict
    by_part: dict[int, list[Assessment]] = {}
    for each in assessments:
        by_part.setdefault(each.part, []).append(each)
    labels = {part: _most(given) for part, given in sorted(by_part.items())}
    found = {remark_score(part): _WORTH[label] for part, label in labels.items() if label}
    parts = with_judges(verdict, [_summary(given) for given in _by_judge(assessments)])
    changed = msgspec.structs.replace(verdict, scores={**base, **found}, parts=parts)
    return changed if exact else _with_outcome(changed, found, int(base[REMARKS]))


def _with_outcome(verdict: Verdict, found: Mapping[str, float], remarks: int) -> Verdict:
    hits = sum(value == FULL for value in found.values())
    alarms = sum(value == NONE for value in found.values())
    detail = f"{hits} of {remarks} remarks are the reviewer's, {alarms} false alarms"
    if hits:
        return msgspec.structs.replace(verdict, outcome=Outcome.passed, detail=detail)
    if len(found) == remarks:
        return msgspec.structs.replace(verdict, outcome=Outcome.wrong, detail=detail)
    reason = f"{RULES_CANNOT_TELL}; {remarks - len(found)} of {remarks} remarks are not judged"
    return msgspec.structs.replace(verdict, outcome=Outcome.undecided, detail=reason)


def _most(given: Sequence[Assessment]) -> str:
    """The label with most votes among judges that decided; empty for a tie or none."""
    (first, votes), *others = Counter(each.label for each in given if each.status == "judged").most_common(
        2
    ) or [("", 0)]
    return "" if others and others[0][1] == votes else first


def _by_judge(assessments: Sequence[Assessment]) -> list[list[Assessment]]:
    found: dict[str, list[Assessment]] = {}
    for each in assessments:
        found.setdefault(each.judge, []).append(each)
    return list(found.values())


def _summary(given: Sequence[Assessment]) -> Assessment:
    """The assessment that stands for all remarks of an answer: the best decision, else the first."""
    judged = [each for each in given if each.status == "judged"]
    return min(judged, key=lambda each: _ORDER.index(each.label)) if judged else given[0]


class ReviewMeasures(MeasureSet):
    """Means over tasks. BLEU and chrF need no judge; the other figures are absent without one."""

    measures = (
        *(
            Measure(
                name=at_k(k),
                label=at_k(k),
                better="finds the reviewer's remark more often",
                paired=True,
                shown="group" if k == MOST else "ranking",
            )
            for k in reversed(KS)
        ),
        Measure(name=PRECISION, label="sound remarks", paired=True, shown="group"),
        Measure(name=HITS, label="remarks that are the reviewer's", shown="ranking"),
        Measure(name=CHRF, label="chrF", scale="points", paired=True, shown="ranking"),
        Measure(name=BLEU, label="BLEU", scale="points", paired=True, shown="ranking"),
    )
    grade = CHRF

    def metrics(
        self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]
    ) -> dict[str, Metric]:
        """Each figure over the tasks that have a value."""
        names = [each.name for each in self.measures if each.name in (BLEU, CHRF) or _is_judged(answers)]
        return {name: metric for name in names if (metric := _metric(name, answers)) is not None}

    def task_value(self, name: str, answers: Sequence[JudgedAnswer]) -> float | None:
        """Mean over a task's answers that have the value; None if none has."""
        values = _values(name, answers)
        return fmean(values) if values else None

    def notes(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]) -> list[str]:
        """Figures of the baselines, the number of remarks, and the number of judged answers."""
        given = [each for of_task in answers.values() for each in of_task]
        if not given:
            return []
        figures = [
            f"{name} {self._figures_in_words(baseline)}"
            for name, baseline in _baselines(tasks, answers).items()
        ]
        remarks = sum(each.scores.get(REMARKS, 0.0) for each in given)
        number = f"{counted(len(given), 'answer')} with {remarks / len(given):.1f} remarks on average"
        return [f"without skill: {'; '.join(figures)}", number, *notes_on_judges(answers)]

    def _figures_in_words(self, metrics: Mapping[str, Metric]) -> str:
        found = [(self.find(name), metric) for name, metric in metrics.items()]
        return ", ".join(f"{measure.title} {measure.number(metric.value)}" for measure, metric in found)

    def details(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> dict[str, Any]:
        """{"baselines": {name: {figure: metric}}, "groups": {"language": {name: {figure: metric}}}}."""
        found = _baselines(tasks, answers)
        built: dict[str, Any] = msgspec.to_builtins({"baselines": found} if found else {})
        return built

    def groups_of(self, task: Task) -> dict[str, list[str]]:
        """The programming language of the change."""
        language = task.meta.get("language")
        return {"language": [language]} if isinstance(language, str) and language else {}

    def sections(self, details: Mapping[str, Any]) -> Sections:
        """The baselines with their explanation."""
        return msgspec.structs.replace(super().sections(details), about_baselines=_ABOUT)


def _is_judged(answers: JudgedAnswers) -> bool:
    """Whether a judge was asked, or nothing is there to ask about."""
    given = [each for of_task in answers.values() for each in of_task]
    return any(by_judge(each.parts) for each in given) or not any(each.scores.get(REMARKS) for each in given)


def _metric(name: str, answers: JudgedAnswers) -> Metric | None:
    cells = [values for given in answers.values() if (values := _values(name, given))]
    if not cells:
        return None
    means, samples = [fmean(values) for values in cells], min(map(len, cells))
    if name.startswith("judge@"):
        return mean_metric(means, draws=samples, samples=samples)
    return graded_metric(means, samples=samples)


def _values(name: str, answers: Sequence[JudgedAnswer]) -> list[float]:
    return [value for each in answers if (value := _value(name, each)) is not None]


def _value(name: str, answer: JudgedAnswer) -> float | None:
    """Value of one answer from 0 to 1; None where it is not known."""
    remarks = answer.scores.get(REMARKS)
    if remarks is None or name in (BLEU, CHRF):
        return answer.scores.get(name)
    known = [answer.scores.get(remark_score(part)) for part in range(1, int(remarks) + 1)]
    if name.startswith("judge@"):
        first = known[: int(name.partition("@")[2])]
        if FULL in first:
            return 1.0
        return None if None in first else 0.0
    decided = [value for value in known if value is not None]
    if not decided or len(decided) < len(known):
        return None
    bound = FULL if name == HITS else SOUND
    return sum(value >= bound for value in decided) / len(decided)


def _baselines(tasks: Mapping[TaskId, Task], answers: JudgedAnswers) -> dict[str, dict[str, Metric]]:
    """Figures of answers that need no skill, over the tasks with judged answers and a known remark."""
    scored = [tasks[task] for task in answers if tasks[task].outputs]
    if not scored:
        return {}
    texts: Mapping[str, Callable[[Task], str]] = {
        "an empty answer": lambda task: "",
        "the change itself": lambda task: numbered([task.inputs["diff_block"]]),
        "ten general remarks": lambda task: numbered(list(GENERIC)),
    }
    found = {}
    for name, text in texts.items():
        values = [likeness(remarks_by_mera(text(task)), task.outputs) for task in scored]
        found[name] = {
            figure: graded_metric([each[figure] for each in values], samples=1) for figure in (CHRF, BLEU)
        }
    yes = [float(says_correct("incorrect"))] * len(scored)
    found["a judge that says `incorrect`"] = {at_k(MOST): mean_metric(yes, draws=1, samples=1)}
    return found
