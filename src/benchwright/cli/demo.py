"""`benchwright demo`: the whole path on stored answers, with no key, no GPU and no network."""

from __future__ import annotations

from collections import Counter
from importlib.resources import as_file, files
from pathlib import Path

import click
import msgspec
from rich.console import Console

from benchwright.cli.printing import print_json
from benchwright.cli.run import document
from benchwright.cli.terminal import TerminalWatcher, console, print_table, safe, score_lines
from benchwright.records import Outcome, Score, Verdict
from benchwright.run.pipeline import run_plan
from benchwright.run.plan import Options, make_plan
from benchwright.run.reading import cheats, open_run
from benchwright.run.watch import Silent
from benchwright.sandbox.limits import Limits
from benchwright.store.keys import content_key

MODELS = ("demo-strong", "demo-weak", "demo-cheater")
LIMITS = Limits(cpu_s=2.0)


@click.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("out/demo"),
    show_default=True,
    help="Folder for the runs.",
)
@click.option("--workers", type=click.IntRange(min=1), help="Worker processes.  [default: one a core]")
@click.option(
    "--jail", type=click.Choice(["auto", "bubblewrap", "native"]), default="auto", help="Which outer jail."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
def command(out: Path, workers: int | None, jail: str, as_json: bool) -> None:
    """Score three stored demo models on 24 Russian tasks, and name the answers that tried to cheat.

    Tasks and answers are our own work, written for this demo: they say nothing about real models.
    """
    target = console()
    watcher = Silent() if as_json and not target.is_terminal else TerminalWatcher(target)
    scores = []
    with as_file(files("benchwright.demo")) as folder:
        for model in MODELS:
            options = Options(
                track="ruhumaneval",
                data=str(folder / "ruhumaneval.jsonl"),
                model=f"replay:{folder / f'answers-{model}.jsonl'}",
                limits=LIMITS,
                jail=jail,
            )
            plan = make_plan(options)
            place = out / f"{model}-{content_key(plan.identity)[:8]}"
            watcher.note(model)
            score = run_plan(plan, out=place, workers=workers, watcher=watcher)
            scores.append(msgspec.structs.replace(score, model=model))
    caught = {score.model: list(cheats(open_run(score.run))) for score in scores}
    if as_json:
        found = {model: [_row(verdict) for verdict in rows] for model, rows in caught.items()}
        print_json({"scores": [document(score) for score in scores], "caught": found})
    else:
        _print(target, scores, caught)


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
        target.print(f"  {len(rows):3}  {safe(kind)}  [dim]({example})[/]", soft_wrap=True)
