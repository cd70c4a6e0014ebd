"""The stage that scores: computes metrics with intervals, and counts outcomes, from a run's verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import msgspec

from benchwright.contracts import JudgedAnswer, StoredAnswersModel
from benchwright.display.wording import first_names
from benchwright.errors import RunError
from benchwright.records import Metric, Outcome, Score, SelfCheck, TaskId, Verdict
from benchwright.running.options import notes_on_refused
from benchwright.running.plan import Plan
from benchwright.running.score_notes import (
    NOTE_ON_COPIES,
    AnswerCounts,
    JudgeFacts,
    MissingModules,
    count_answers,
    counts_rescues,
    coverage_details,
    coverage_notes,
    imported_modules,
    missing_module,
    notes_on_answers,
    notes_on_judges,
    notes_on_modules,
    notes_on_prompts,
    notes_on_rescues,
    notes_on_rounds,
    notes_on_server,
)
from benchwright.store.runfolder import RunFolder
from benchwright.text.extraction_rules import rescue_rules


class VerdictCounts(NamedTuple):
    """The verdicts of a run by one profile: counts of outcomes, and judged answers by task."""

    outcomes: Counter[str]
    answers: dict[TaskId, list[JudgedAnswer]]
    truncated: int
    missing: Counter[TaskId] = Counter()  # by task the answers that the harness or a server failed to give
    rescued: Counter[str] = Counter()  # answers that passed, by each rule without which they would not have
    rescued_answers: int = 0
    modules: MissingModules = {}  # answers that report a failed import
    has_copies: bool = False  # whether a verdict is that of an equal answer

    def to_prompt(self, variant: str) -> dict[TaskId, list[JudgedAnswer]]:
        """Return the answers to one prompt, for tasks that have any."""
        answers_by_task = {
            task: [each for each in given if each.variant == variant] for task, given in self.answers.items()
        }
        return {task: given for task, given in answers_by_task.items() if given}


def score(plan: Plan, folder: RunFolder, check: SelfCheck, *, judges: JudgeFacts | None = None) -> Score:
    """Return the score by the run's own profile, with facts about its model judges.

    Raises RunError where the counts do not add up.
    """
    others = {name: _of_profile(plan, folder, name) for name in plan.profiles[1:]}
    counted = count_verdicts(folder.verdicts(), plan.variant)
    answers = counted.outcomes.total()
    if answers != plan.total:
        raise RunError(
            f"{answers} verdicts for {plan.total} answers in {folder.path}",
            hint="run the same command again to judge what is missing",
        )
    answer_counts, measures = _answer_counts(plan, folder), plan.track.measures
    details = _details(plan, counted)
    details |= {"judges": judges} if judges else {}
    details |= coverage_details(plan)
    if counts_rescues(plan):
        details["rescued"] = {
            "answers": counted.rescued_answers,
            "rules": dict(counted.rescued.most_common()),
        }
    prompts = {} if measures.sections(details).prompts else _prompt_metrics(plan, counted)
    notes = [
        *coverage_notes(plan),
        *_gaps(plan, counted),
        *measures.notes(plan.tasks, counted.answers, plan.ks),
    ]
    missing = sum(counted.missing.values())
    notes += _notes_on_missing(plan, counted)
    if counts_rescues(plan):
        notes += notes_on_rescues(counted.rescued, counted.rescued_answers, counted.outcomes["passed"])
    notes += notes_on_modules(imported_modules(counted.modules, folder.answers(), plan.tasks))
    notes += notes_on_answers(plan, answer_counts, truncated=counted.truncated)
    notes += [NOTE_ON_COPIES] if counted.has_copies else []
    notes += notes_on_prompts(plan, prompts, _rates(plan, counted)) + notes_on_server(folder)
    notes += notes_on_judges(judges or {}) + notes_on_refused(plan.track, plan.data)
    notes += [notes_on_rounds(plan.agent, folder.verdicts())] if plan.agent else []
    return Score(
        run=str(folder.path),
        track=plan.track.name,
        model=plan.model.spec,
        profile=plan.profiles[0],
        metrics=measures.metrics(plan.tasks, counted.answers, plan.ks),
        outcomes=dict(sorted(counted.outcomes.items())),
        self_check=check,
        answers=answers,
        other_profiles=others,
        missing=missing,
        identical=answer_counts.identical,
        truncated=counted.truncated,
        tokens_in=answer_counts.tokens_in,
        tokens_out=answer_counts.tokens_out,
        prompt_design=plan.prompting.design if plan.live or plan.prompting.design != "row" else "",
        prompts=prompts,
        details=details,
        notes=notes,
    )


def _details(plan: Plan, counted: VerdictCounts) -> dict[str, Any]:
    """Return the details behind the figures, as JSON values."""
    measures = plan.track.measures
    found = dict(measures.details(plan.tasks, counted.answers))
    if indicators := measures.indicators(plan.tasks, counted.answers, counted.outcomes):
        found["indicators"] = indicators
    details: dict[str, Any] = msgspec.to_builtins(found)
    return details


def _answer_counts(plan: Plan, folder: RunFolder) -> AnswerCounts:
    """Return the counts of the run's answers, with the tokens of all rounds."""
    counts = count_answers(folder.answers())
    if plan.agent is None:
        return counts
    round_counts = count_answers(folder.rounds().answers())
    return counts._replace(
        tokens_in=round_counts.tokens_in,
        tokens_out=round_counts.tokens_out,
        batch_in=round_counts.batch_in,
        batch_out=round_counts.batch_out,
    )


def count_verdicts(verdicts: Iterable[Verdict], variant: Callable[[TaskId, int], str]) -> VerdictCounts:
    """Count verdicts. `variant` returns the name of the prompt of a task's sample."""
    outcomes: Counter[str] = Counter()
    answers: dict[TaskId, list[JudgedAnswer]] = {}
    truncated = rescued_answers = 0
    has_copies = False
    missing: Counter[TaskId] = Counter()
    rescued: Counter[str] = Counter()
    modules: MissingModules = {}
    for verdict in verdicts:
        outcomes[verdict.outcome.value] += 1
        truncated += verdict.truncated
        has_copies |= verdict.equal_to is not None
        if verdict.outcome is Outcome.passed and (rules := rescue_rules(verdict.rule)):
            rescued.update(rules)
            rescued_answers += 1
        if module := missing_module(verdict):
            modules[verdict.task_id, verdict.sample] = module
        if verdict.outcome.is_missing:
            missing[verdict.task_id] += 1
        else:
            prompt = variant(verdict.task_id, verdict.sample)
            answers.setdefault(verdict.task_id, []).append(JudgedAnswer.of(verdict, prompt))
    return VerdictCounts(outcomes, answers, truncated, missing, rescued, rescued_answers, modules, has_copies)


def _notes_on_missing(plan: Plan, counted: VerdictCounts) -> list[str]:
    missing = counted.missing.total()
    if not missing:
        return []
    stored = (
        counted.outcomes.get(Outcome.model_error.value, 0)
        if isinstance(plan.model, StoredAnswersModel)
        else 0
    )
    if stored < missing:
        return [f"{missing} answers are missing because of infrastructure errors; run again to retry them"]
    task_names = first_names(list(counted.missing), 10)
    return [f"{missing} stored answers are failed requests, missing and not wrong: to task {task_names}"]


def _gaps(plan: Plan, counted: VerdictCounts) -> list[str]:
    """Return notes on tasks without figures."""
    notes, judged = [], len(counted.answers)
    if unjudged := len(plan.tasks) - judged:
        notes.append(f"{unjudged} tasks have no judged answer and are not in the metrics")
    questions = sum(len({each.variant for each in given}) for given in counted.answers.values())
    if gaps := judged * plan.prompting.ways - questions:
        notes.append(f"{gaps} times a task has no judged answer to a prompt; its other prompts stand for it")
    return notes


def _of_profile(plan: Plan, folder: RunFolder, profile: str) -> dict[str, Metric]:
    counted = count_verdicts(folder.verdicts(profile), plan.variant)
    return plan.track.measures.metrics(plan.tasks, counted.answers, plan.ks)


def _by_prompt(plan: Plan, counted: VerdictCounts) -> Iterator[tuple[str, dict[TaskId, list[JudgedAnswer]]]]:
    """Yield the answers to one prompt at a time, by task: there may be a million in all."""
    if not plan.prompting.has_one_text:
        for variant in plan.prompting.variants:
            yield variant, counted.to_prompt(variant)


def _prompt_metrics(plan: Plan, counted: VerdictCounts) -> dict[str, dict[str, Metric]]:
    """Return the figures of each prompt over its tasks."""
    return {
        variant: plan.track.measures.metrics(plan.tasks, answers, plan.ks)
        for variant, answers in _by_prompt(plan, counted)
        if answers
    }


def _rates(plan: Plan, counted: VerdictCounts) -> dict[str, list[float]]:
    """Return, by prompt, the value of each task with judged answers to every prompt."""
    measures = plan.track.measures
    name = measures.headline.name
    values = {
        variant: {task: measures.task_value(name, given) for task, given in answers.items()}
        for variant, answers in _by_prompt(plan, counted)
    }
    whole = [task for task in plan.tasks if all(each.get(task) is not None for each in values.values())]
    return {variant: [each[task] or 0.0 for task in whole] for variant, each in values.items()}
