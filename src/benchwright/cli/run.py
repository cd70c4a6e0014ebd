"""`benchwright run TRACK --data PATH --model SPEC`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import click

from benchwright import registry
from benchwright.cli.arguments import (
    Option,
    SectionedCommand,
    as_path,
    json_option,
    map_option,
    not_empty,
    not_empty_each,
    print_json,
    score_document,
    set_option,
    summary_option,
)
from benchwright.cli.model_options import asking_options, asking_settings, judge_options, judges_of
from benchwright.cli.place_options import place_options
from benchwright.cli.shell_completion import (
    agents,
    data_or_file,
    form_choices,
    forms,
    models,
    profiles,
    run_folders,
    tracks,
)
from benchwright.display.escape import escaped_name
from benchwright.errors import UsageError
from benchwright.progress import Watcher
from benchwright.records import Score
from benchwright.running.options import SELF_CHECKS, RunOptions, default_profiles
from benchwright.running.pipeline import ask_plan, run_plan
from benchwright.running.plan import Plan, make_plan
from benchwright.running.prompt_files import read_prompt, read_prompts
from benchwright.sandbox.limits import Limits
from benchwright.store.runfolder import Mode


def _read_weights(
    context: click.Context, option: click.Parameter, text: str | None
) -> dict[str, float] | None:
    """Read weights by part. The track checks the names of the parts."""
    if text is None:
        return None
    read: dict[str, float] = {}
    for each in text.split(","):
        name, _, number = (part.strip() for part in each.partition("="))
        weight = _number(number)
        if weight is None or name in read:
            message = (
                f"--weights {escaped_name(text)}: invalid or repeated PART=WEIGHT: {escaped_name(each)!r}"
            )
            raise UsageError(message, hint="--weights format=0.2,accuracy=0.3,logic=0.5")
        read[name] = weight
    return read


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


_questions = partial(click.option, cls=Option, section="Tasks and answers", rare=True)
_judging = partial(click.option, cls=Option, section="Judging", rare=True)
_sandbox = partial(click.option, cls=Option, section="Sandbox", rare=True)
_agent = partial(click.option, cls=Option, section="Agents", rare=True)
_storing = partial(click.option, cls=Option, section="Run folder", rare=True)


@click.command(
    cls=SectionedCommand,
    often=("--base-url", "--temperature", "--max-tokens"),
    context_settings={"show_default": True},
)
@click.argument("track", shell_complete=tracks)
@click.option(
    "--data",
    required=True,
    callback=not_empty,
    shell_complete=data_or_file,
    metavar="DATA",
    help="JSONL, JSONL.gz, TOML, MERA's test.json, Parquet, hub:OWNER/NAME, or a name of `data list`; for "
    "own tasks also CSV and YAML.",
)
@click.option(
    "--model",
    "models",
    required=True,
    multiple=True,
    callback=not_empty_each,
    shell_complete=models,
    metavar="SPEC",
    help="openai:NAME (any OpenAI-compatible server), replay:FILE (stored answers), gold:, or another "
    "scheme of `list models`. Repeatable: each model runs in its own folder.",
)
@map_option
@set_option
@_questions(
    "--fields",
    multiple=True,
    callback=not_empty_each,
    metavar="MINE=OURS",
    help="Map a column of replay:FILE to task_id, completion, sample or error, as in output=completion. "
    "Use index or number for ids that count tasks, ignore to skip a column.  [default: detected by name]",
)
@click.option(
    "--n",
    type=int,
    metavar="N",
    help="Answers for each question, at least 1.  [default: all stored answers, else the track's number]",
)
@click.option(
    "--k",
    "ks",
    type=int,
    metavar="K",
    multiple=True,
    help="k of pass@k, at most n; repeatable.  [default: 1, 5, 10]",
)
@_judging(
    "--profile",
    "profiles",
    multiple=True,
    shell_complete=profiles,
    metavar="NAME",
    help="Scoring profile: strict, human-eval, mera-code or mera-text for programs, strict or mera-exact for "
    "labels; repeatable.  [default: strict; all profiles of the track if it executes nothing]",
)
@_judging(
    "--form",
    type=click.Choice(form_choices(registry.built_in_tracks())),
    shell_complete=forms,
    help="Judge each call, or all calls at once. For codecorrectness: ask whether the test passes, or for "
    "its error class. For stdio: the language of all answers.",
)
@_questions("--exclude", multiple=True, metavar="TASK", help="Exclude a task; repeatable.")
@click.option(
    "--tasks",
    multiple=True,
    callback=not_empty_each,
    metavar="WHICH",
    help="Run only these tasks: an id, a pattern such as 'HumanEval/1*', positions such as 40:80, a share "
    "such as 2/8, or @FILE with one per line; repeatable.",
)
@click.option("--limit", type=int, metavar="N", help="Run only the first N tasks.")
@click.option(
    "--out",
    callback=as_path,
    shell_complete=run_folders,
    metavar="FOLDER",
    help="Run folder; with several models, the parent folder.  [default: a name below runs/]",
)
@_agent(
    "--agent",
    metavar="NAME",
    shell_complete=agents,
    help="Lead a conversation about each task; the last answer counts. repair: ask about each failed answer "
    "again, with the traceback of its own exception and no expected value.",
)
@_agent(
    "--rounds",
    type=int,
    metavar="K",
    help="Of the agent, at most.  [default: the agent's own]",
)
@_judging(
    "--weights",
    callback=_read_weights,
    metavar="PART=W,…",
    help="Weights of parts in the total score, if the track has parts: format=0.2,accuracy=0.3,logic=0.5.",
)
@_judging(
    "--repositories",
    callback=not_empty,
    metavar="FOLDER",
    help="Clones in which answers are judged, as FOLDER/OWNER/NAME. Tasks without a clone are not scored.",
)
@_storing("--ask-only", is_flag=True, help="Store answers without judging them; the outputs may be hidden.")
@_storing(
    "--without-tasks",
    is_flag=True,
    help="Store no tasks and no messages that quote them in the run folder, for hidden data.",
)
@_storing("--fresh", is_flag=True, help="Fail if the folder already contains a run.")
@_sandbox("--cpu-limit", type=click.FloatRange(min=0.05), default=3.0, help="CPU seconds per answer.")
@_sandbox("--memory-limit", type=click.IntRange(min=64), default=1024, help="Memory per answer, in MiB.")
@_sandbox(
    "--jail",
    type=click.Choice(["auto", "bubblewrap", "native"]),
    default="auto",
    help="Outer jail of the sandbox.",
)
@_sandbox("--workers", type=click.IntRange(min=1), help="Worker processes.  [default: one per core]")
@place_options
@_judging(
    "--self-check",
    type=click.Choice(SELF_CHECKS),
    default="kept",
    envvar="BENCHWRIGHT_SELF_CHECK",
    help="Self-check: gold answers must pass, stubs must fail. kept: reuse the result of an earlier run on "
    "this machine and judge a sample among the answers. full: judge all of them before any answer.",
)
@_judging(
    "--each-answer",
    is_flag=True,
    help="Execute each answer. By default equal answers to a task are executed once, where judging is "
    "deterministic.",
)
@summary_option
@json_option
@click.option("--quiet", "-q", is_flag=True, help="Print no progress and no table.")
@asking_options
@judge_options
def command(
    track: str, as_json: bool, quiet: bool, out: Path | None, workers: int | None, **given: Any
) -> None:
    """Score models, or files of stored answers, on a data set.

    TRACK is one of `list tracks`; own is for your own tasks. Repeat the command to resume an interrupted run;
    nothing is asked or executed twice.

    \b
    benchwright run humaneval --data humaneval --model gold:
    benchwright run humaneval --data humaneval --model replay:samples.jsonl
    benchwright run humaneval --data humaneval --model openai:my-model \\
        --base-url http://localhost:8000/v1 --n 10 --out runs/mine
    benchwright run own --data tasks.toml --model openai:my-model --limit 5
    """
    mode: Mode = "new" if given.pop("fresh") else "either"
    if given["ask_only"]:
        _check_ask_only(given)
    if len(given["models"]) > 1 or len(given["prompt_files"]) > 1:
        from benchwright.cli.suite_results import SeveralRuns, run_several  # noqa: PLC0415 (most runs are of one model)

        prompts = read_prompts(given["prompt_files"])
        several = SeveralRuns(given["models"], out, workers, mode, given["summary"], prompts)
        run_several(run_options(track, given), several, as_json=as_json, quiet=quiet)
        return
    plan = make_plan(run_options(track, given))
    watcher = None if quiet or (as_json and not sys.stderr.isatty()) else _watcher()
    if given["ask_only"]:
        folder = str(ask_plan(plan, out=out, mode=mode, watcher=watcher))
        print_json({"run": folder, "answers": plan.total}) if as_json else click.echo(folder)
        return
    score = run_plan(plan, out=out, workers=workers, mode=mode, watcher=watcher)
    if given["summary"]:
        _append_summary(given["summary"], track, plan, score)
    if as_json:
        print_json(score_document(score))
    elif watcher is not None:
        _print(score)


def _check_ask_only(given: Mapping[str, Any]) -> None:
    """Raise UsageError for options that --ask-only excludes."""
    for option, name in (("--model", "models"), ("--prompt", "prompt_files")):
        if len(given[name]) > 1:
            what = option.removeprefix("--")
            raise UsageError(f"--ask-only takes one {option}", hint=f"run one command for each {what}")
    if given["summary"]:
        raise UsageError("--summary and --ask-only are mutually exclusive", hint="use only one of them")


def _append_summary(path: Path, track: str, plan: Plan, score: Score) -> None:
    from benchwright.cli.suite_results import append_summary, as_markdown  # noqa: PLC0415 (rich: 0.1 s)
    from benchwright.running.suite import CellResult, PlannedRun, SuiteCell  # noqa: PLC0415

    cell = SuiteCell(model=score.model, track=track, options=plan.options)
    result = CellResult(PlannedRun(cell, plan, Path(score.run)), score, None)
    append_summary(path, as_markdown(f"{track}: {score.model}", [result]))


def _watcher() -> Watcher:
    from benchwright.cli.terminal import TerminalWatcher, console  # noqa: PLC0415 (rich: 0.1 s)

    return TerminalWatcher(console())


def _print(score: Score) -> None:
    from benchwright.cli.scores import print_score  # noqa: PLC0415 (rich: 0.1 s)
    from benchwright.cli.terminal import console  # noqa: PLC0415

    print_score(console(), score)


def run_options(track: str, given: Mapping[str, Any]) -> RunOptions:
    """Make run options from parsed command-line options; `make_plan` checks them."""
    limits = Limits(cpu_s=given["cpu_limit"], memory_mb=given["memory_limit"])
    return RunOptions(
        track=track,
        data=given["data"],
        model=given["models"][0],
        columns=given["columns"],
        values=given["field_values"],
        fields=given["fields"],
        n=given["n"],
        ks=given["ks"] or None,
        profiles=given["profiles"] or default_profiles(track, given["form"]),
        form=given["form"],
        exclude=given["exclude"],
        tasks=given["tasks"],
        limit=given["limit"],
        prompts=given["prompts"],
        prompt=read_prompt(given["prompt_files"][0]) if given["prompt_files"] else None,
        language=given["language"],
        asking=asking_settings(given),
        agent=given["agent"],
        rounds=given["rounds"],
        judges=judges_of(given),
        weights=given["weights"],
        repositories=given["repositories"],
        limits=limits,
        jail=given["jail"],
        self_check=given["self_check"],
        each_answer=given["each_answer"],
        keep_tasks=not given["without_tasks"],
    )
