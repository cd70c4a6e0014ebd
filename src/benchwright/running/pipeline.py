"""The main path of a run: load, self-check, ask, judge, score. Each stage is a function in this folder.

    load ──Task──▶ prompt ──Prompt──▶ answer ──Answer──▶ judge ──Verdict──▶ score ──▶ Score

With an agent, asking and judging take turns, see `repairing`; with model judges, these assess the answers
that rules have judged, see `assessing`; people's votes on them are shown next to the verdicts, see
`human_labels`. The stages exchange files, so a run that was ended at any moment resumes from the files.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchwright.errors import UsageError
from benchwright.executing.executors import LOCAL, ExecutorSetup, default_place, open_executor
from benchwright.progress import Silent, Watcher
from benchwright.records import Score
from benchwright.running.answering import ask_questions, check_ready, make_answers
from benchwright.running.equal_answers import EqualAnswersExecutor
from benchwright.running.judging import judge_answers
from benchwright.running.options import RunOptions
from benchwright.running.plan import Plan, make_plan
from benchwright.running.run_folders import has_other_rules, has_votes, open_folder, rejudge
from benchwright.running.score_notes import JudgeFacts
from benchwright.running.scoring import score
from benchwright.running.self_check import SelfChecking
from benchwright.store.runfolder import Mode, RunFolder, utc_now


def run(
    track: str,
    *,
    out: str | Path | None = None,
    workers: int | None = None,
    on: str = LOCAL,
    **options: Any,
) -> Score:
    """Score a model on a data set; the same call again continues a run that was cut short.

    `options` are the fields of `options.RunOptions`: data, model, n, ks, profiles, form, exclude, limit,
    prompts, language, asking (a `contracts.RequestOptions`, for a live model), agent, rounds, judges (an
    `options.JudgeOptions`), limits, jail, keep_tasks, self_check.
    Raises a BenchwrightError; a failed answer is a verdict, not an error.
    """
    return run_plan(make_plan(RunOptions(track=track, **options)), out=out, workers=workers, on=on)


def run_plan(
    plan: Plan,
    *,
    out: str | Path | None = None,
    workers: int | None = None,
    on: str | None = None,
    mode: Mode = "either",
    watcher: Watcher | None = None,
) -> Score:
    """Execute a plan in a run folder. `on` names the executor that judges; None: that of the command."""
    watch, on = watcher or Silent(), on or default_place()
    with open_folder(plan, out, mode, watch) as folder:
        check_ready(plan, folder)
        if plan.judges:
            from benchwright.running.assessing import check_judges_ready  # noqa: PLC0415 (10 ms)

            check_judges_ready(plan, folder)
        setup = ExecutorSetup(
            workers=workers,
            jail=plan.jail,
            limits=plan.limits,
            track=plan.options.track,
            form=plan.options.form,
        )
        with open_executor(setup, on=on) as executor:
            checking = SelfChecking(plan, folder, watch, on=on)
            checking.prove(executor)
            if has_other_rules(plan, folder):
                rejudge(plan, folder, watch)
            proved = checking.among(executor)
            if not plan.options.each_answer:
                proved = EqualAnswersExecutor(proved)
            judged = make_answers(plan, folder, proved, watch, tools=executor)
            for profile in plan.profiles:
                if profile not in judged:
                    judge_answers(plan, folder, proved, watch, profile=profile)
        folder.finalize(lambda head: plan.rank(head.task_id, head.sample), profiles=plan.profiles)
        result = _assessed_score(plan, folder, watch, checking)
        news = folder.write_json("scores.json", result)
        if news or "finished" not in folder.manifest:  # looking at a finished run does not finish it again
            folder.note(finished=utc_now())
    return result


def _assessed_score(plan: Plan, folder: RunFolder, watch: Watcher, checking: SelfChecking) -> Score:
    """Return the score, with what model judges and people say where there are any."""
    judges: JudgeFacts = {}
    if plan.judges:
        from benchwright.running.assessing import assess  # noqa: PLC0415 (10 ms)

        judges = assess(plan, folder, watch)
    if not has_votes(folder):
        return score(plan, folder, checking.result(), judges=judges)
    from benchwright.running.human_labels import decide, with_people  # noqa: PLC0415 (10 ms)

    decide(folder, plan.track, plan.tasks)
    base_score = score(plan, folder, checking.result(), judges=judges)
    return with_people(base_score, folder, plan.track, plan.tasks)


def ask_plan(
    plan: Plan, *, out: str | Path | None = None, mode: Mode = "either", watcher: Watcher | None = None
) -> Path:
    """Ask and store the answers without judging; return the folder. For hidden outputs: see `export mera`."""
    if plan.judges:
        raise UsageError("--judge and --ask-only are mutually exclusive", hint="use only one of them")
    if plan.agent is not None:
        message = f"--agent {plan.agent.name} and --ask-only are mutually exclusive"
        raise UsageError(message, hint="use only one of them")
    watch = watcher or Silent()
    with open_folder(plan, out, mode, watch) as folder:
        ask_questions(plan, folder, watch)
        return folder.path
