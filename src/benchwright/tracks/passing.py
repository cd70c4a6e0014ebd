"""pass@k, the measure of all tracks whose answers are programs: from judged answers to figures and notes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import fsum

from benchwright.contracts import JudgedAnswer, JudgedAnswers, Measure, MeasureSet
from benchwright.records import Metric, Outcome, Task, TaskId
from benchwright.stats.crossed import crossed_metrics
from benchwright.stats.passk import pass_at_k
from benchwright.stats.score import pass_metrics

FEW_TASKS = 8  # with any right (or any wrong) answer, for an interval to be trusted
_ABOUT = (
    "The chance that at least one of k answers to a task is right, averaged over tasks. Where k is all the "
    "answers there are, the estimate of a task is 0 or 1, and the band widens."
)

Count = tuple[int, int]  # answers judged, answers passed


class PassAtK(MeasureSet):
    """The chance that k answers to a task, all to one of its prompts, hold a right one."""

    measures = (
        Measure(
            name="pass@k",
            better="passes more",
            paired=True,
            shown="group",
            about=_ABOUT,
        ),
    )

    def metrics(
        self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]
    ) -> dict[str, Metric]:
        """pass@k for each k that every question has answers enough for."""
        cells = {task: _by_prompt(given) for task, given in answers.items()}
        given = [k for k in ks if k <= _least(cells.values())]
        return crossed_metrics(cells, given) if given else {}

    def task_value(self, name: str, answers: Sequence[JudgedAnswer]) -> float | None:
        """The mean over a task's prompts that were answered often enough."""
        k = int(name.partition("@")[2])
        enough = [pass_at_k(judged, passed, k) for judged, passed in _by_prompt(answers) if judged >= k]
        return fsum(enough) / len(enough) if enough else None

    def notes(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]) -> list[str]:
        """Each k that is refused, and a word where few tasks carry the score."""
        cells = {task: _by_prompt(given) for task, given in answers.items()}
        least = _least(cells.values())
        notes = [f"pass@{k} is not given: a task has only {least} answers" for k in ks if k > least]
        if 1 in ks and least:
            notes += notes_on_coverage([_sum(counts) for counts in cells.values()])
        return notes

    def curve(self, counts: Sequence[Count], ks: Sequence[int]) -> dict[str, Metric]:
        """pass@k for any k, of answers to one prompt."""
        return pass_metrics(counts, ks)


def _by_prompt(answers: Iterable[JudgedAnswer]) -> list[Count]:
    """Answers judged and passed of each prompt."""
    counts: dict[str, Count] = {}
    for answer in answers:
        judged, passed = counts.get(answer.variant, (0, 0))
        counts[answer.variant] = (judged + 1, passed + (answer.outcome is Outcome.passed))
    return list(counts.values())


def _least(cells: Iterable[Sequence[Count]]) -> int:
    """The fewest answers to a question; 0 where there is none."""
    return min((judged for counts in cells for judged, _ in counts), default=0)


def _sum(counts: Sequence[Count]) -> Count:
    return sum(judged for judged, _ in counts), sum(passed for _, passed in counts)


def notes_on_coverage(counts: Sequence[tuple[int, int]]) -> list[str]:
    """A word where the interval of pass@1 is known to hold too seldom; (judged, passed) of each task.

    Simulated with chances of Beta(0.05, 1): docs/design/05-statistics.md. With one answer a task the
    interval is that of a proportion, which covers.
    """
    right = sum(passed > 0 for _, passed in counts)
    wrong = sum(passed < judged for judged, passed in counts)
    few, kind = (right, "right") if right <= wrong else (wrong, "wrong")
    if not 0 < few < FEW_TASKS or few == len(counts) or max(judged for judged, _ in counts) < 2:
        return []
    return [
        f"only {few} of {len(counts):,} tasks have any {kind} answer, and the whole score rests on them: "
        f"there 95 % intervals of pass@1 hold the truth in some 90 % of cases, so this one may be narrower "
        f"than it should be; more tasks would help, more answers to these would not"
    ]
