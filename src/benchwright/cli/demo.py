"""`benchwright demo`: from prompts to the report, without key, GPU or network."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.resources import as_file, files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.console import Console

from benchwright.cli.arguments import as_path, json_option, print_json, score_document
from benchwright.cli.demo_entries import (
    ENTRY_PAIR,
    ReleaseDemo,
    print_entries,
    run_entries,
    run_torch_entries,
)
from benchwright.cli.demo_stored import LABEL_PAIR, print_labels, print_stored, run_labels, run_stored
from benchwright.cli.scores import print_table, score_lines
from benchwright.cli.terminal import console, watcher_for
from benchwright.contracts import RequestOptions
from benchwright.demo.live import NAME, live_server
from benchwright.display.escape import markup
from benchwright.errors import PrerequisiteError, command_name, install_command
from benchwright.progress import Watcher
from benchwright.records import Outcome, Score, Verdict
from benchwright.running.options import RunOptions
from benchwright.running.pipeline import run_plan
from benchwright.running.plan import make_plan
from benchwright.running.run_data import cheats, open_run
from benchwright.running.run_folders import short_key
from benchwright.sandbox.limits import Limits

STORED = ("demo-strong", "demo-weak", "demo-cheater")
MODELS = (*STORED, NAME)
PAIRS = (("demo-strong", "demo-weak"), ("demo-strong", NAME))
NEEDS = {  # module of an extra, and the part of the demo that needs it
    "scipy": "comparisons",
    "altair": "the report",
    "tree_sitter": "comments, and labels by execution",
    "detect_secrets": "the build of tasks around AI models",
}
LIMITS = Limits(cpu_s=2.0)


@click.command()
@click.option(
    "--out",
    callback=as_path,
    default="out/demo",
    show_default=True,
    help="Folder for the runs and the report.",
)
@click.option("--workers", type=click.IntRange(min=1), help="Worker processes.  [default: one per core]")
@click.option(
    "--jail", type=click.Choice(["auto", "bubblewrap", "native"]), default="auto", help="Outer jail."
)
@click.option("--full", is_flag=True, help="Include PyTorch tasks; needs `setup torch`, takes some minutes.")
@json_option
@click.option("--quiet", "-q", is_flag=True, help="No progress.")
def command(out: Path, workers: int | None, jail: str, full: bool, as_json: bool, quiet: bool) -> None:
    """Score four demo models on 24 Russian tasks, and three of them on 25 labels, 12 comment tasks, 12 issues
    and 16 tasks around AI models.

    Three models are files of stored answers; the fourth is the stub server, asked over HTTP. The demo lists
    the answers that tried to cheat, and checks the labels by execution in Python, Java and Go, if installed.
    Comments and answers to issues are judged by rules and by stored replies of a model judge. The tasks
    around AI models are built first, from cards and drafts; each kind of gate refuses one of them. --full
    adds tasks that load models by their ids, on small stand-ins. All models are compared in one report.
    Tasks and answers were written for the demo and say nothing about real models.
    """
    target = console()
    watcher = watcher_for(target, quiet=quiet, as_json=as_json)
    with as_file(files("benchwright.demo")) as folder:
        scores = [
            _score(options, model, out, workers=workers, watcher=watcher)
            for model, options in _contestants(folder, jail)
        ]
        labels = run_labels(folder, out, workers=workers, jail=jail, watcher=watcher)
        smart = run_stored(out, workers=workers, jail=jail, watcher=watcher)
        entries = run_entries(folder / "aicodereval", out, workers=workers, jail=jail, watcher=watcher)
        torch = (
            run_torch_entries(folder / "torch", out, workers=workers, jail=jail, watcher=watcher)
            if full
            else ReleaseDemo()
        )
    caught = {score.model: list(cheats(open_run(score.run))) for score in scores}
    show = not as_json
    if show:
        _print(target, scores, caught)
    compared = _compare(target, {score.model: score.run for score in scores}, PAIRS, show=show)
    if show:
        print_labels(target, labels)
    compared += _compare(target, labels.runs, [LABEL_PAIR], show=show)
    if show:
        print_stored(target, smart)
    for runs_of_track, pair in smart.comparisons():
        compared += _compare(target, runs_of_track, [pair], show=show)
    if show:
        print_entries(target, entries)
    if entries.scores:
        compared += _compare(target, entries.runs, [ENTRY_PAIR], show=show)
    if show and full:
        print_entries(target, torch, title="AICoderEval with PyTorch")
    runs = [score.run for score in scores]
    runs += [*labels.runs.values(), *entries.runs.values(), *torch.runs.values()]
    runs += [run for of_track in smart.runs.values() for run in of_track.values()]
    page = _page(runs, out)
    if as_json:
        found = {model: [_row(verdict) for verdict in rows] for model, rows in caught.items()}
        documents = [score_document(score) for score in scores]
        parts = {
            "labels": labels.document(),
            "smartcoding": smart.document(),
            "entries": entries.document(),
        }
        parts |= {"torch": torch.document()} if full else {}
        made = {"scores": documents, "caught": found, **parts, "compared": compared}
        print_json({**made, "report": page})
    else:
        if page:
            click.echo(page)
        _print_missing_packages(target)


def _contestants(folder: Path, jail: str) -> Iterator[tuple[str, RunOptions]]:
    """Models with their run options; the stub server runs until the next model is requested."""
    common: dict[str, Any] = {
        "track": "ruhumaneval", "data": str(folder / "ruhumaneval.jsonl"), "limits": LIMITS, "jail": jail
    }  # fmt: skip
    for model in STORED:
        yield model, RunOptions(model=f"replay:{folder / f'{model}.jsonl'}", **common)
    with live_server(folder) as server:
        yield (
            NAME,
            RunOptions(model=f"openai:{NAME}", asking=RequestOptions(base_url=server.base_url), **common),
        )


def _score(options: RunOptions, model: str, out: Path, *, workers: int | None, watcher: Watcher) -> Score:
    plan = make_plan(options)
    place = out / f"{model}-{short_key(plan.identity)}"
    watcher.note(model)
    score = run_plan(plan, out=place, workers=workers, watcher=watcher)
    return msgspec.structs.replace(score, model=model)


def _compare(
    target: Console, runs: dict[str, str], pairs: Sequence[tuple[str, str]], *, show: bool
) -> list[str]:
    """Print and return sentences on the compared models; empty if the statistics are not installed."""
    from benchwright.rank.comparison import compare  # noqa: PLC0415 (a command's own libraries)
    from benchwright.rank.contestant import load  # noqa: PLC0415

    try:
        found = [compare(*load([runs[a], runs[b]]), allow=["prompts"]).sentence for a, b in pairs]
    except PrerequisiteError:  # reported once, at the end
        return []
    if show:
        target.print()
        for sentence in found:
            target.print(f"[bold]{markup(sentence)}[/]", soft_wrap=True)
        places = " ".join(shlex.quote(run) for run in runs.values())
        target.print(
            f"all against all: {command_name()} rank --allow prompts {markup(places)}", soft_wrap=True
        )
        target.print()
    return found


def _page(runs: list[str], out: Path) -> str | None:
    """Write the report and return its path; None if its libraries are not installed."""
    from benchwright.report.pipeline import write_report  # noqa: PLC0415 (jinja2: 0.1 s)

    try:
        return str(write_report(runs, out / "report.html", allow=["prompts"]).page)
    except PrerequisiteError:  # reported once, at the end
        return None


def _print_missing_packages(target: Console) -> None:
    """List the parts that were skipped because of missing packages, with the command that installs them."""
    missing = [part for module, part in NEEDS.items() if find_spec(module) is None]
    if missing:
        adding = install_command("all")
        again = "demo" if adding.endswith(" benchwright") else f"&& {command_name()} demo"
        target.print(f"skipped, packages are missing: {', '.join(missing)}", soft_wrap=True)
        target.print(f"hint: install everything: {markup(f'{adding} {again}')}", soft_wrap=True)


def _row(verdict: Verdict) -> dict[str, object]:
    return {
        "task_id": verdict.task_id,
        "sample": verdict.sample,
        "outcome": verdict.outcome,
        "suspicious": verdict.suspicious,
        "detail": verdict.detail,
    }


def _print(target: Console, scores: list[Score], caught: dict[str, list[Verdict]]) -> None:
    target.print()
    print_table(target, scores)
    for score in scores:
        target.print(f"[bold]{score.model}[/]")
        for line in score_lines(score):
            target.print(f"  {line}", soft_wrap=True)
    target.print()
    for model, verdicts in caught.items():
        if verdicts:
            _print_caught(target, model, verdicts)


def _print_caught(target: Console, model: str, verdicts: list[Verdict]) -> None:
    passed = sum(verdict.outcome is Outcome.passed for verdict in verdicts)
    said = f"{len(verdicts)} answers tried to cheat or to escape; {passed} of them passed"
    target.print(f"[bold]{model}[/]: {said}. By kind:")
    kinds: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        kinds.setdefault(verdict.suspicious or "wrote to the verdict's channel", []).append(verdict)
    for kind, rows in sorted(kinds.items(), key=lambda item: -len(item[1])):
        outcomes = ", ".join(
            f"{number} {name}" for name, number in Counter(row.outcome.value for row in rows).items()
        )
        first = rows[0]
        example = f"{outcomes}; e.g. task {first.task_id} #{first.sample}"
        target.print(f"  {len(rows):3}  {markup(kind)}  [dim]({example})[/]", soft_wrap=True)
