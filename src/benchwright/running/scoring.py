"""The stage that scores: verdicts in, metrics with intervals and outcome counts that add up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from benchwright.contracts import JudgedAnswer, JudgedAnswers
from benchwright.errors import RunError
from benchwright.records import Metric, Outcome, Score, SelfCheck, TaskId, Verdict
from benchwright.running.answered import answered
from benchwright.running.notes import notes_on_answers, notes_on_prompts, notes_on_server
from benchwright.running.plan import Plan
from benchwright.store.runfolder import RunFolder


class Counted(NamedTuple):
    """The verdicts of a run by one profile: how answers ended, and by task those that were judged."""

    outcomes: Counter[str]
    answers: dict[TaskId, list[JudgedAnswer]]
    truncated: int

    def to_prompt(self, variant: str) -> dict[TaskId, list[JudgedAnswer]]:
        """The answers to one prompt, of the tasks that have any."""
        kept = {
            task: [each for each in given if each.variant == variant] for task, given in self.answers.items()
        }
        return {task: given for task, given in kept.items() if given}


def score(plan: Plan, folder: RunFolder, check: SelfCheck) -> Score:
    """The score by the run's own profile. Raises RunError when the counts do not add up."""
    counted = count(folder.verdicts(), plan.variant)
    answers = counted.outcomes.total()
    if answers != plan.total:
        raise RunError(
            f"{answers} verdicts for {plan.total} answers in {folder.path}",
            hint="run the same command again to judge what is missing",
        )
    said, measures = answered(folder.answers()), plan.track.measures
    details = measures.details(plan.tasks, counted.answers)
    by_prompt = {} if plan.prompting.design == "row" else _by_prompt(plan, counted)
    prompts = {} if measures.sections(details).prompts else _prompt_metrics(plan, by_prompt)
    notes = [*_gaps(plan, counted), *measures.notes(plan.tasks, counted.answers, plan.ks)]
    missing = sum(number for name, number in counted.outcomes.items() if Outcome(name).is_missing)
    if missing:
        notes.append(f"{missing} answers are missing through no fault of the model; run again to retry them")
    notes += notes_on_answers(plan, said, truncated=counted.truncated)
    notes += notes_on_prompts(plan, prompts, _rates(plan, by_prompt)) + notes_on_server(folder)
    return Score(
        run=str(folder.path),
        track=plan.track.name,
        model=plan.model.spec,
        profile=plan.profiles[0],
        metrics=measures.metrics(plan.tasks, counted.answers, plan.ks),
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


def count(verdicts: Iterable[Verdict], variant: Callable[[TaskId, int], str]) -> Counted:
    """Count verdicts; `variant` names the prompt that a task's sample is an answer to."""
    outcomes: Counter[str] = Counter()
    answers: dict[TaskId, list[JudgedAnswer]] = {}
    truncated = 0
    for verdict in verdicts:
        outcomes[verdict.outcome.value] += 1
        truncated += verdict.truncated
        if not verdict.outcome.is_missing:
            prompt = variant(verdict.task_id, verdict.sample)
            answers.setdefault(verdict.task_id, []).append(JudgedAnswer.of(verdict, prompt))
    return Counted(outcomes, answers, truncated)


def _gaps(plan: Plan, counted: Counted) -> list[str]:
    """What the figures are not of."""
    notes, judged = [], len(counted.answers)
    if unjudged := len(plan.tasks) - judged:
        notes.append(f"{unjudged} tasks have no judged answer and are not in the metrics")
    questions = sum(len({each.variant for each in given}) for given in counted.answers.values())
    if gaps := judged * plan.prompting.ways - questions:
        notes.append(f"{gaps} times a task has no judged answer to a prompt; its other prompts stand for it")
    return notes


def _of_profile(plan: Plan, folder: RunFolder, profile: str) -> dict[str, Metric]:
    counted = count(folder.verdicts(profile), plan.variant)
    return plan.track.measures.metrics(plan.tasks, counted.answers, plan.ks)


def _by_prompt(plan: Plan, counted: Counted) -> dict[str, dict[TaskId, list[JudgedAnswer]]]:
    """The answers to each prompt, by task."""
    return {variant: counted.to_prompt(variant) for variant in plan.prompting.variants}


def _prompt_metrics(plan: Plan, by_prompt: Mapping[str, JudgedAnswers]) -> dict[str, dict[str, Metric]]:
    """The figures of each prompt over the tasks asked in it."""
    return {
        variant: plan.track.measures.metrics(plan.tasks, answers, plan.ks)
        for variant, answers in by_prompt.items()
        if answers
    }


def _rates(plan: Plan, by_prompt: Mapping[str, JudgedAnswers]) -> dict[str, list[float]]:
    """By prompt, the value of each task that has judged answers to every prompt."""
    measures = plan.track.measures
    name = measures.headline.name
    values = {
        variant: {task: measures.task_value(name, given) for task, given in answers.items()}
        for variant, answers in by_prompt.items()
    }
    whole = [task for task in plan.tasks if all(each.get(task) is not None for each in values.values())]
    return {variant: [each[task] or 0.0 for task in whole] for variant, each in values.items()}
