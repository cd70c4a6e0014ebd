"""The stage that has answers assessed by model judges, between judging by rules and scoring.

    exhibit ──JudgeQuestion──▶ ask each judge ──JudgeVote──▶ Assessment ──track.assessed──▶ Verdict

A judge proves itself first on a contrast set. Replies are asked for once; assessments and verdicts are
computed from them each time, so an interrupted run continues, and another judge can be added to a run.
"""

from __future__ import annotations

from collections import ChainMap, Counter
from collections.abc import Iterator, Sequence
from functools import partial

from benchwright.contracts import AssessableTrack, Assessment, ModelWithRequirements, PartwiseTrack
from benchwright.contracts.assessing import most_parts, rubrics_of
from benchwright.display.escape import escaped_name
from benchwright.display.wording import counted
from benchwright.judges.rubric.contrast import ContrastItem, Ordering, order_found
from benchwright.progress import Watcher
from benchwright.records import Task, TaskId, Verdict
from benchwright.running.judged_items import TO_JUDGE, shown_answers
from benchwright.running.model_judges import ModelJudge
from benchwright.running.model_judging import (
    AssessmentsByKey,
    JudgeQuestion,
    JudgeReplies,
    assessment,
    contrast_questions,
    grade,
    items_of,
    prove,
    stand_in,
)
from benchwright.running.plan import Plan
from benchwright.running.score_notes import JudgeFacts
from benchwright.store.keys import JUDGES, content_key
from benchwright.store.runfolder import RunFolder


def check_judges_ready(plan: Plan, folder: RunFolder) -> None:
    """Raise PrerequisiteError where a judge is needed and cannot be asked. Stored replies need no judge."""
    for judge in plan.judges:
        if (
            isinstance(judge.model, ModelWithRequirements)
            and not folder.replies(judge.name).answers_path.exists()
        ):
            judge.model.check_ready()


def assess(plan: Plan, folder: RunFolder, watch: Watcher) -> JudgeFacts:
    """Ask the plan's judges, and put what they say into assessments and verdicts, which are all there.

    Raises SelfCheckError for a judge that does not prove itself, and RunError as `ask` does.
    """
    track = plan.track
    assert isinstance(track, AssessableTrack)
    folder.note(**{JUDGES: {judge.name: judge.identity for judge in plan.judges}})
    panel = [_replies(plan, judge, folder) for judge in plan.judges]
    rubrics = rubrics_of(track, plan.profiles[0])
    items = items_of(rubrics)
    orderings = [
        prove(replies, lambda: contrast_questions(items), partial(_ordering, items), watch)
        for replies in panel
    ]
    for replies in panel:
        replies.ask(
            lambda: questions(plan, folder),
            watch,
            purpose=lambda: [f"{counted(plan.total, 'answer')} at most, by {' and '.join(rubrics)}"],
            stage=f"judge {replies.judge.name}",
        )
    folder.keep_assessments(_assessments(plan, folder, panel))
    folder.admit_judges({judge.name: judge.identity for judge in plan.judges})
    folder.keep_verdicts(_assessed_verdicts(plan, track, folder))
    return _facts(folder, plan.judges, orderings)


def questions(plan: Plan, folder: RunFolder) -> Iterator[JudgeQuestion]:
    """Yield the questions to judges about a run's answers, in canonical order.

    Raises RunError where verdicts are missing.
    """
    if isinstance(plan.track, PartwiseTrack):
        yield from _questions_on_parts(plan, plan.track, folder)
        return
    for each in shown_answers(folder, plan.track, plan.tasks, profile=plan.profiles[0]):
        answer, exhibit = each.answer, each.exhibit
        if exhibit is not None:
            yield JudgeQuestion.of(
                exhibit, answer.key, task_id=answer.task_id, sample=answer.sample, author=answer.model
            )


def _questions_on_parts(plan: Plan, track: PartwiseTrack, folder: RunFolder) -> Iterator[JudgeQuestion]:
    profile = plan.profiles[0]
    for each in shown_answers(folder, plan.track, plan.tasks, profile=profile):
        answer, task = each.answer, plan.tasks[each.answer.task_id]
        extraction = plan.track.extract(task, answer, profile=profile)
        if each.by_rules.outcome not in TO_JUDGE or extraction.problem:
            continue
        for part, exhibit in enumerate(track.exhibits(task, extraction, profile=profile), 1):
            yield JudgeQuestion.of(
                exhibit,
                content_key(answer.key, "part", part),
                task_id=answer.task_id,
                sample=answer.sample,
                author=answer.model,
                part=part,
                most_parts=track.most_parts,
            )


def _replies(plan: Plan, judge: ModelJudge, folder: RunFolder) -> JudgeReplies:
    assert isinstance(plan.track, AssessableTrack)
    parts = most_parts(plan.track)
    items = items_of(rubrics_of(plan.track, plan.profiles[0]))
    places: dict[TaskId, int] = {each.name: place for place, each in enumerate(items)}
    known = len(places)

    def rank(task_id: TaskId, sample: int) -> int:
        if task_id in plan.tasks:
            return known + plan.rank(task_id, sample // parts) * parts + sample % parts
        return places.setdefault(task_id, plan.total * parts + len(places))  # an item of a former set

    tasks = ChainMap[TaskId, Task](dict(plan.data), {each.name: stand_in(each.name) for each in items})
    return JudgeReplies(judge, folder, rank=rank, tasks=tasks)


def _ordering(items: Sequence[ContrastItem], assessments: AssessmentsByKey) -> Ordering:
    return order_found(items, lambda item: grade(assessments[item.name]))


def _assessments(plan: Plan, folder: RunFolder, panel: Sequence[JudgeReplies]) -> Iterator[Assessment]:
    """Yield assessments answer by answer, with judges in the order of their names."""
    ordered = sorted(panel, key=lambda replies: replies.judge.name)
    sides = [replies.votes(lambda: questions(plan, folder)) for replies in ordered]
    for judged in zip(*sides, strict=True):
        for replies, (question, votes) in zip(ordered, judged, strict=True):
            yield assessment(replies.judge, question, votes)


def _assessed_verdicts(plan: Plan, track: AssessableTrack, folder: RunFolder) -> Iterator[Verdict]:
    """Yield the verdicts, updated by the assessments."""
    rows = folder.assessments()
    row = next(rows, None)
    for verdict in folder.verdicts():
        own = []
        while row is not None and (row.task_id, row.sample) == (verdict.task_id, verdict.sample):
            own.append(row)
            row = next(rows, None)
        yield track.assessed(plan.tasks[verdict.task_id], verdict, own)


def _facts(folder: RunFolder, judges: Sequence[ModelJudge], orderings: Sequence[Ordering]) -> JudgeFacts:
    """Return the facts about each judge for the score. Without human labels no judge is calibrated."""
    counts: dict[str, Counter[str]] = {judge.name: Counter() for judge in judges}
    prompts: dict[str, set[str]] = {judge.name: set() for judge in judges}
    for each in folder.assessments():
        counts[each.judge].update([each.status, *each.flags])
        prompts[each.judge].add(each.prompt)
    return {
        judge.name: {
            "model": escaped_name(judge.called),
            "votes": judge.votes,
            **{name: counts[judge.name][name] for name in ("judged", "undecided", "unparsable", "missing")},
            "contradictions": counts[judge.name]["contradicts_itself"],
            "own_family": counts[judge.name]["own_family"],
            "self_check": found.counts(),
            "prompts": sorted(prompts[judge.name]),
            "calibrated": False,
        }
        for judge, found in zip(judges, orderings, strict=True)
    }
