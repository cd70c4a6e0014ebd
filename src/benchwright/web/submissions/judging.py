"""Judge a claim again with the server's own data and rules, and compare it with what was claimed.

    claim folder ──figures──▶ wrong-totals? ──run_plan──▶ run folder of the server ──compare──▶ state

The verdicts of the submitter decide nothing: a verified submission has the server's figures.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from shutil import rmtree
from typing import Any

import msgspec

from benchwright.display.escape import escaped_name
from benchwright.errors import DataError, UsageError
from benchwright.progress import Silent, Watcher
from benchwright.records import Metric, Outcome, Score, Verdict
from benchwright.running.pipeline import run_plan
from benchwright.running.plan import Plan, RunOptions, make_plan
from benchwright.running.scoring import count_verdicts
from benchwright.store.runfolder import RunFolder
from benchwright.store.writing import read_records
from benchwright.web.submissions.accepted_data import AcceptedData
from benchwright.web.submissions.claims import ANSWERS, VERDICTS, SubmittedRun
from benchwright.web.submissions.queue import JudgedState, OutcomeDifference
from benchwright.web.submissions.refusals import SubmissionRefusal
from benchwright.web.submissions.tables import REFUSED, VERIFIED

# Outcomes that depend on the speed and the load of a machine. Such a difference is listed; the server's own
# verdict counts, so a false claim gains nothing.
UNSTABLE = frozenset({Outcome.timed_out, Outcome.out_of_memory, Outcome.output_limit, Outcome.flaky})
_EQUAL = 1e-9
_SCORES = 1e-6  # of a graded answer: floating-point sums differ between machines


def judge_claim(
    claim: SubmittedRun,
    data: AcceptedData,
    folder: Path,
    out: Path,
    *,
    on: str | None = None,
    workers: int | None = None,
    watcher: Watcher | None = None,
) -> JudgedState:
    """Judge a claim in `folder` again in the run folder `out`, which resumes if it exists.

    Raises BenchwrightError if this machine cannot judge; a bad claim is a state.
    """
    try:
        plan = _plan_of(claim, data, folder)
        _check_figures(claim, plan, folder)
    except SubmissionRefusal as refusal:
        return JudgedState(REFUSED, refusal.reason, "" if data.hidden else refusal.message, {})
    try:
        score = run_plan(plan, out=out, workers=workers, on=on, watcher=watcher or Silent())
        judged = RunFolder.read(out)
        rows = list(_differences(folder / VERDICTS, judged)) if claim.has_verdicts else []
    finally:
        if data.hidden:  # self-check and verdicts may quote the tests
            rmtree(out, ignore_errors=True)
    return _state(score, rows, data)


def _plan_of(claim: SubmittedRun, data: AcceptedData, folder: Path) -> Plan:
    options = RunOptions(
        track=data.track,
        data=data.path,
        model=f"replay:{folder / ANSWERS}",
        name=claim.model,
        profiles=(data.profile,),
        form=data.form,
        limits=data.limits,
        keep_tasks=not data.hidden,
    )
    try:
        plan = make_plan(options)
    except (DataError, UsageError) as error:  # of the answers: the data was read when the server started
        raise SubmissionRefusal("unknown-task", escaped_name(error.message, 300)) from None
    if plan.unanswered:
        names = ", ".join(escaped_name(str(each), 60) for each in plan.unanswered[:5])
        count = f"{len(plan.unanswered):,} of {len(plan.named):,} tasks have no answer"
        raise SubmissionRefusal("missing-answers", f"{count}: {names}")
    if plan.total != claim.answers:
        surplus = claim.answers - plan.total
        raise SubmissionRefusal(
            "unknown-task", f"{surplus:,} answers are to tasks that are not in the data set"
        )
    return plan


def _check_figures(claim: SubmittedRun, plan: Plan, folder: Path) -> None:
    """Recompute the figures of scores.json from the claimed verdicts. Raises SubmissionRefusal."""
    if not claim.metrics:
        return
    counted = count_verdicts(read_records(folder / VERDICTS, Verdict), plan.variant)
    ours: Mapping[str, Metric] = plan.track.measures.metrics(plan.tasks, counted.answers, plan.ks)
    for name, metric in claim.metrics.items():
        if name not in ours:
            continue  # of a k that was asked for by hand: never shown
        if not _equal(metric, ours[name]):
            metric_name = escaped_name(name, 40)
            message = (
                f"scores.json says {metric.value:.6g} {metric_name}, its verdicts give {ours[name].value:.6g}"
            )
            raise SubmissionRefusal("wrong-totals", message)


def _equal(one: Metric, other: Metric) -> bool:
    values = zip(msgspec.structs.astuple(one), msgspec.structs.astuple(other), strict=True)
    return all(math.isclose(a, b, rel_tol=0, abs_tol=_EQUAL) for a, b in values)


def _differences(claimed: Path, judged: RunFolder) -> Iterator[OutcomeDifference]:
    """Compare verdicts row by row, by task and sample."""
    stated = {
        (str(each.task_id), each.sample): _outcome_text(each) for each in read_records(claimed, Verdict)
    }
    scores = {(str(each.task_id), each.sample): each.scores for each in read_records(claimed, Verdict)}
    for verdict in judged.verdicts():
        key = str(verdict.task_id), verdict.sample
        if stated[key] != _outcome_text(verdict):
            yield _difference(verdict, stated[key], _outcome_text(verdict))
        elif not _same_scores(scores[key], verdict.scores):
            yield _difference(verdict, f"{stated[key]}: other scores", _outcome_text(verdict))


def _outcome_text(verdict: Verdict) -> str:
    return Outcome(verdict.outcome).value


def _difference(verdict: Verdict, claimed: str, judged: str) -> OutcomeDifference:
    return OutcomeDifference(
        task_id=verdict.task_id, sample=verdict.sample, claimed=claimed[:40], judged=judged
    )


def _same_scores(one: Mapping[str, float], other: Mapping[str, float]) -> bool:
    return one.keys() == other.keys() and all(
        math.isclose(one[name], other[name], abs_tol=_SCORES) for name in one
    )


def _state(score: Score, rows: list[OutcomeDifference], data: AcceptedData) -> JudgedState:
    result = _result(score, data)
    stable = [row for row in rows if not {row.claimed, row.judged} & UNSTABLE]
    if rows:
        result["differing"] = len(rows)
    if stable:
        first = ", ".join(escaped_name(f"{row.task_id}#{row.sample}", 60) for row in stable[:5])
        return JudgedState(
            REFUSED,
            "verdicts-differ",
            f"{len(stable):,} of {score.answers:,} verdicts differ from those of this server: {first}",
            result,
            rows,
        )
    return JudgedState(VERIFIED, "", "", result, rows)


def _result(score: Score, data: AcceptedData) -> dict[str, Any]:
    """The figures of a submission. Of hidden tests only the headline is kept: one score per push."""
    metrics = {name: msgspec.to_builtins(metric) for name, metric in score.metrics.items()}
    if data.hidden:
        return {"metrics": dict(list(metrics.items())[:1])}
    return {
        "metrics": metrics,
        "outcomes": score.outcomes,
        "answers": score.answers,
        "missing": score.missing,
        "self_check": msgspec.to_builtins(score.self_check),
    }
