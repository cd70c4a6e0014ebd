"""The stage that scores: verdicts in, metrics with intervals and outcome counts that add up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from benchwright.contracts import Classifying, Ended
from benchwright.errors import RunError
from benchwright.records import Metric, Outcome, Score, SelfCheck, TaskId, Verdict
from benchwright.running.answered import answered
from benchwright.running.notes import notes_on_answers, notes_on_coverage, notes_on_prompts, notes_on_server
from benchwright.running.plan import Plan
from benchwright.stats.crossed import crossed_metrics
from benchwright.stats.score import pass_metrics
from benchwright.store.runfolder import RunFolder

Count = tuple[int, int]  # answers judged, answers passed


class Counted(NamedTuple):
    """Verdicts counted: by outcome, and by the question (task and prompt) that was answered."""

    outcomes: Counter[str]
    questions: dict[tuple[TaskId, str], Count]
    truncated: int

    def by_task(self) -> dict[TaskId, list[Count]]:
        """The counts of each task, one for each of its prompts."""
        tasks: dict[TaskId, list[Count]] = {}
        for (task_id, _), counted in self.questions.items():
            tasks.setdefault(task_id, []).append(counted)
        return tasks

    def by_prompt(self, variant: str) -> dict[TaskId, Count]:
        """The counts of the tasks that were asked in a variant."""
        return {task: counted for (task, name), counted in self.questions.items() if name == variant}


def score(plan: Plan, folder: RunFolder, check: SelfCheck) -> Score:
    """The score by the run's own profile. Raises RunError when the counts do not add up."""
    counted = count_questions(folder.verdicts(), plan.variant)
    answers = counted.outcomes.total()
    if answers != plan.total:
        raise RunError(
            f"{answers} verdicts for {plan.total} answers in {folder.path}",
            hint="run the same command again to judge what is missing",
        )
    said = answered(folder.answers())
    metrics, notes = _metrics(plan, counted)
    details: dict[str, Any] = {}
    if isinstance(plan.track, Classifying):
        metrics, details, told = _classes(plan, plan.track, folder)
        notes += told
    prompts = _by_prompt(plan, counted)
    missing = sum(number for name, number in counted.outcomes.items() if Outcome(name).is_missing)
    if missing:
        notes.append(f"{missing} answers are missing through no fault of the model; run again to retry them")
    notes += notes_on_answers(plan, said, truncated=counted.truncated)
    notes += notes_on_prompts(plan, prompts, _rates(plan, counted)) + notes_on_server(folder)
    return Score(
        run=str(folder.path),
        track=plan.track.name,
        model=plan.model.spec,
        profile=plan.profiles[0],
        metrics=metrics,
        outcomes=dict(sorted(counted.outcomes.items())),
        self_check=check,
        answers=answers,
        other_profiles={name: _of_profile(plan, folder, name) for name in plan.profiles[1:]},
        missing=missing,
        identical=said.identical,
        truncated=counted.truncated,
        tokens_in=said.tokens_in,
        tokens_out=said.tokens_out,
        prompt_design=plan.prompting.design if plan.live or plan.prompting.design != "row" else "",
        prompts=prompts,
        details=details,
        notes=notes,
    )


def _classes(
    plan: Plan, track: Classifying, folder: RunFolder
) -> tuple[dict[str, Metric], dict[str, Any], list[str]]:
    ended = _ended(plan, folder, "")
    return (
        track.metrics(plan.tasks, ended),
        track.details(plan.tasks, ended),
        track.notes(plan.tasks.values()),
    )


def _ended(plan: Plan, folder: RunFolder, profile: str) -> list[Ended]:
    return [
        Ended(verdict.task_id, verdict.outcome, plan.variant(verdict.task_id, verdict.sample))
        for verdict in folder.verdicts(profile)
    ]


def count(verdicts: Iterable[Verdict]) -> tuple[Counter[str], dict[TaskId, Count]]:
    """Outcomes, and for each task (answers judged, answers passed). A missing answer counts for neither."""
    counted = count_questions(verdicts, lambda _task, _sample: "")
    return counted.outcomes, counted.by_prompt("")


def count_questions(verdicts: Iterable[Verdict], variant: Callable[[TaskId, int], str]) -> Counted:
    """The same by question; `variant` names the prompt that a task's sample is an answer to."""
    outcomes: Counter[str] = Counter()
    questions: dict[tuple[TaskId, str], Count] = {}
    truncated = 0
    for verdict in verdicts:
        outcomes[verdict.outcome.value] += 1
        truncated += verdict.truncated
        if not verdict.outcome.is_missing:
            question = (verdict.task_id, variant(verdict.task_id, verdict.sample))
            judged, passed = questions.get(question, (0, 0))
            questions[question] = (judged + 1, passed + (verdict.outcome is Outcome.passed))
    return Counted(outcomes, questions, truncated)


def _metrics(plan: Plan, counted: Counted) -> tuple[dict[str, Metric], list[str]]:
    """Each pass@k that every question has answers enough for; a note for each that is refused."""
    notes, tasks = [], counted.by_task()
    unjudged = len(plan.tasks) - len(tasks)
    if unjudged:
        notes.append(f"{unjudged} tasks have no judged answer and are not in the metrics")
    gaps = len(tasks) * plan.prompting.ways - len(counted.questions)
    if gaps:
        notes.append(f"{gaps} times a task has no judged answer to a prompt; its other prompts stand for it")
    least = min((judged for judged, _ in counted.questions.values()), default=0)
    given = [k for k in plan.ks if k <= least]
    notes += [f"pass@{k} is not given: a task has only {least} answers" for k in plan.ks if k > least]
    if 1 in given:
        summed = [tuple(map(sum, zip(*counts, strict=True))) for counts in tasks.values()]
        notes += notes_on_coverage([(judged, passed) for judged, passed in summed])
    return (crossed_metrics(tasks, given) if tasks and given else {}), notes


def _of_profile(plan: Plan, folder: RunFolder, profile: str) -> dict[str, Metric]:
    if isinstance(plan.track, Classifying):
        return plan.track.metrics(plan.tasks, _ended(plan, folder, profile))
    return _metrics(plan, count_questions(folder.verdicts(profile), plan.variant))[0]


def _by_prompt(plan: Plan, counted: Counted) -> dict[str, dict[str, Metric]]:
    """pass@k of each prompt over the tasks asked in it; none where rows have their own prompts."""
    found: dict[str, dict[str, Metric]] = {}
    if isinstance(plan.track, Classifying):
        return found  # its own metrics by prompt are in the details
    for variant in plan.prompting.variants if plan.prompting.design != "row" else ():
        if counts := counted.by_prompt(variant):
            least = min(judged for judged, _ in counts.values())
            found[variant] = pass_metrics(counts, [k for k in plan.ks if k <= least])
    return found


def _rates(plan: Plan, counted: Counted) -> dict[str, list[float]]:
    """By prompt, the share of right answers to each task that has judged answers to every prompt."""
    variants, questions = plan.prompting.variants, counted.questions
    whole = [task for task in plan.tasks if all((task, variant) in questions for variant in variants)]
    return {
        variant: [questions[task, variant][1] / questions[task, variant][0] for task in whole]
        for variant in variants
    }
