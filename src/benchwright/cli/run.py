"""`benchwright run TRACK --data PATH --model SPEC`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click
import msgspec

from benchwright.cli.printing import print_json
from benchwright.records import Score
from benchwright.run.pipeline import run_plan
from benchwright.run.plan import Options, Plan, make_plan
from benchwright.sandbox.limits import Limits
from benchwright.store.runfolder import Mode


@click.command(context_settings={"show_default": True})
@click.argument("track")
@click.option("--data", required=True, help="JSONL, JSONL.gz, MERA's test.json, Parquet, or hub:OWNER/NAME.")
@click.option("--model", required=True, help="replay:FILE (stored answers), gold: or stub:.")
@click.option("--n", type=int, help="Answers a task.  [default: what the model holds, else the track's]")
@click.option(
    "--k", "ks", type=int, multiple=True, help="Report pass@k; repeatable.  [default: 1, 5, 10 up to n]"
)
@click.option(
    "--profile",
    "profiles",
    multiple=True,
    default=("strict",),
    help="Scoring profile; a second one is judged beside it.",
)
@click.option(
    "--form", type=click.Choice(["calls", "batch"]), help="Judge call by call, or all calls at once."
)
@click.option("--exclude", multiple=True, metavar="TASK", help="Leave a task out; repeatable.")
@click.option(
    "--out", type=click.Path(path_type=Path), help="Run folder.  [default: under runs/, named by what is run]"
)
@click.option("--fresh", is_flag=True, help="Refuse to continue a run that is in the folder.")
@click.option(
    "--cpu-limit", type=click.FloatRange(min=0.05), default=3.0, help="Processor seconds an answer may use."
)
@click.option("--memory-limit", type=click.IntRange(min=64), default=1024, help="MiB an answer may use.")
@click.option(
    "--jail", type=click.Choice(["auto", "bubblewrap", "native"]), default="auto", help="Which outer jail."
)
@click.option("--workers", type=click.IntRange(min=1), help="Worker processes.  [default: one a core]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
@click.option("--quiet", "-q", is_flag=True, help="No progress and no table.")
def command(
    track: str, as_json: bool, quiet: bool, out: Path | None, workers: int | None, **given: Any
) -> None:
    """Score a model, or a file of stored answers, on a data set.

    TRACK is humaneval or ruhumaneval. The same command a second time goes on where the first one
    was cut short, and executes nothing twice.

    \b
    benchwright run humaneval --data HumanEval.jsonl.gz --model gold:
    benchwright run humaneval --data HumanEval.jsonl.gz --model replay:samples.jsonl --out runs/mine
    """
    mode: Mode = "new" if given.pop("fresh") else "either"
    plan = make_plan(_options(track, given))
    if quiet or (as_json and not sys.stderr.isatty()):
        score = run_plan(plan, out=out, workers=workers, mode=mode)
    else:
        score = _run_visibly(plan, out=out, workers=workers, mode=mode, table=not as_json)
    if as_json:
        print_json(document(score))


def _run_visibly(plan: Plan, *, out: Path | None, workers: int | None, mode: Mode, table: bool) -> Score:
    from benchwright.cli.terminal import TerminalWatcher, console, print_score  # noqa: PLC0415 (rich: 0.1 s)

    target = console()
    score = run_plan(plan, out=out, workers=workers, mode=mode, watcher=TerminalWatcher(target))
    if table:
        print_score(target, score)
    return score


def _options(track: str, given: dict[str, Any]) -> Options:
    limits = Limits(cpu_s=given["cpu_limit"], memory_mb=given["memory_limit"])
    return Options(
        track=track,
        data=given["data"],
        model=given["model"],
        n=given["n"],
        ks=given["ks"] or None,
        profiles=given["profiles"],
        form=given["form"],
        exclude=given["exclude"],
        limits=limits,
        jail=given["jail"],
    )


def document(score: Score) -> dict[str, Any]:
    """The JSON of a score; every key is always there."""
    return {
        "run": score.run,
        "track": score.track,
        "model": score.model,
        "profile": score.profile,
        "metrics": {name: msgspec.structs.asdict(metric) for name, metric in score.metrics.items()},
        "other_profiles": {
            profile: {name: msgspec.structs.asdict(metric) for name, metric in metrics.items()}
            for profile, metrics in score.other_profiles.items()
        },
        "outcomes": score.outcomes,
        "answers": score.answers,
        "missing": score.missing,
        "self_check": msgspec.structs.asdict(score.self_check),
        "notes": score.notes,
    }
