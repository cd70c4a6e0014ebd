"""The stage that scores: verdicts in, metrics with intervals and outcome counts that add up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from benchwright.errors import RunError
from benchwright.records import Metric, Outcome, Score, SelfCheck, TaskId, Verdict
from benchwright.run.plan import Plan
from benchwright.stats.score import pass_metrics
from benchwright.store.runfolder import RunFolder


def score(plan: Plan, folder: RunFolder, check: SelfCheck) -> Score:
    """The score by the run's own profile. Raises RunError when the counts do not add up."""
    outcomes, counts = count(folder.verdicts())
    answers = sum(outcomes.values())
    if answers != plan.total:
        raise RunError(
            f"{answers} verdicts for {plan.total} answers in {folder.path}",
            hint="run the same command again to judge what is missing",
        )
    missing = sum(number for name, number in outcomes.items() if Outcome(name).is_missing)
    metrics, notes = _metrics(plan, counts)
    others = {name: _metrics(plan, count(folder.verdicts(name))[1])[0] for name in plan.profiles[1:]}
    if missing:
        notes.append(f"{missing} answers are missing through no fault of the model; run again to retry them")
    return Score(
        run=str(folder.path),
        track=plan.track.name,
        model=plan.model.spec,
        profile=plan.profiles[0],
        metrics=metrics,
        outcomes=dict(sorted(outcomes.items())),
        self_check=check,
        answers=answers,
        other_profiles=others,
        missing=missing,
        notes=notes,
    )


def count(verdicts: Iterable[Verdict]) -> tuple[Counter[str], dict[TaskId, tuple[int, int]]]:
    """Outcomes, and for each task (answers judged, answers passed). A missing answer counts for neither."""
    outcomes: Counter[str] = Counter()
    counts: dict[TaskId, tuple[int, int]] = {}
    for verdict in verdicts:
        outcomes[verdict.outcome.value] += 1
        if not verdict.outcome.is_missing:
            judged, passed = counts.get(verdict.task_id, (0, 0))
            counts[verdict.task_id] = (judged + 1, passed + (verdict.outcome is Outcome.passed))
    return outcomes, counts


def _metrics(plan: Plan, counts: dict[TaskId, tuple[int, int]]) -> tuple[dict[str, Metric], list[str]]:
    """Each pass@k that every task has answers enough for; a note for each that is refused."""
    notes = []
    unjudged = len(plan.tasks) - len(counts)
    if unjudged:
        notes.append(f"{unjudged} tasks have no judged answer and are not in the metrics")
    least = min((judged for judged, _ in counts.values()), default=0)
    given = tuple(k for k in plan.ks if k <= least)
    notes += [f"pass@{k} is not given: a task has only {least} answers" for k in plan.ks if k > least]
    return (pass_metrics(counts, given) if counts and given else {}), notes
