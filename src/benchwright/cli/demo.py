"""`benchwright demo`: from prompts to the report, without key, GPU or network."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.resources import as_file, files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec
from rich.console import Console

from benchwright.cli.arguments import as_path, json_option, print_json, score_document
from benchwright.cli.demo_alignment import (
    AlignmentDemo,
    alignment_line,
    print_alignment,
    run_alignment,
)
from benchwright.cli.demo_entries import (
    ENTRY_PAIR,
    ReleaseDemo,
    print_entries,
    run_entries,
    run_torch_entries,
)
from benchwright.cli.demo_stored import (
    LABEL_PAIR,
    LabelDemo,
    StoredDemoScores,
    print_labels,
    print_stored,
    run_labels,
    run_stored,
)
from benchwright.cli.demo_summary import print_cheats, print_intro, print_next, print_track, title_line
from benchwright.cli.scores import print_table, score_lines
from benchwright.cli.terminal import TerminalWatcher, console, watcher_for
from benchwright.contracts import RequestOptions
from benchwright.demo.live import NAME, live_server
from benchwright.display.escape import markup
from benchwright.display.wording import counted
from benchwright.errors import PrerequisiteError, command_name, install_command
from benchwright.progress import Silent, Watcher
from benchwright.records import Outcome, Record, Score, Verdict
from benchwright.running.options import RunOptions
from benchwright.running.pipeline import run_plan
from benchwright.running.plan import make_plan
from benchwright.running.run_data import cheats, open_run
from benchwright.running.run_folders import short_key
from benchwright.sandbox.limits import Limits

if TYPE_CHECKING:
    from benchwright.rank.comparison import Comparison

STORED = ("demo-strong", "demo-weak", "demo-cheater")
MODELS = (*STORED, NAME)
PAIRS = (("demo-strong", "demo-weak"), ("demo-strong", NAME))
NEEDS = {  # module of an extra, and the part of the demo that needs it
    "scipy": "comparisons and the report",
    "tree_sitter": "comments and the execution of labels",
    "detect_secrets": "AICoderEval",
    "pygit2": "the alignment data set",
}
LIMITS = Limits(cpu_s=1.0)


class DemoResults(Record, frozen=True, kw_only=True):
    """Scores, builds, comparisons and the report of the demo."""

    scores: list[Score]
    labels: LabelDemo
    smart: StoredDemoScores
    entries: ReleaseDemo
    torch: ReleaseDemo | None  # only with --full
    alignment: AlignmentDemo
    compared: dict[str, list[Comparison]]  # by track
    page: str | None

    @property
    def caught(self) -> dict[str, list[Verdict]]:
        """Verdicts of answers that tried to cheat, by model."""
        return {score.model: list(cheats(open_run(score.run))) for score in self.scores}

    @property
    def skipped(self) -> list[str]:
        """The reason for each part that was not scored, built or checked."""
        parts = {**self.smart.unscored, "aicodereval": self.entries.unbuilt, "labels": self.labels.unchecked}
        parts |= {"torch": self.torch.unbuilt} if self.torch else {}
        parts["alignment"] = self.alignment.unbuilt
        return [f"{name}: {reason}" for name, reason in parts.items() if reason]

    def document(self) -> dict[str, Any]:
        """The JSON document."""
        found = {model: [_row(verdict) for verdict in rows] for model, rows in self.caught.items()}
        parts = {
            "labels": self.labels.document(),
            "smartcoding": self.smart.document(),
            "entries": self.entries.document(),
            "alignment": self.alignment.document(),
        }
        parts |= {"torch": self.torch.document()} if self.torch else {}
        sentences = [each.sentence for track in self.compared.values() for each in track]
        fields = {"scores": [score_document(score) for score in self.scores], "caught": found, **parts}
        return {**fields, "compared": sentences, "report": self.page}


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
@click.option(
    "--verbose", "-v", is_flag=True, help="Print all figures, notes, kinds of cheats and build stages."
)
@click.option("--quiet", "-q", is_flag=True, help="No progress.")
def command(
    out: Path, workers: int | None, jail: str, full: bool, as_json: bool, verbose: bool, quiet: bool
) -> None:
    """Score four demo models on 24 Russian tasks, and three of them on 25 labels, 12 comment tasks, 12 issues
    and 16 tasks around AI models.

    Three models are files of stored answers; the fourth is the stub server, asked over HTTP. Some answers try
    to cheat. The labels are checked by execution in Python, Java and Go, if installed. Comments and answers
    to issues are judged by rules and by stored replies of a model judge. The tasks around AI models are built
    first, from cards and drafts; each kind of gate rejects one of them. --full adds tasks that load models by
    their ids, on small stand-ins. All models are compared in one report. Tasks and answers were written for
    the demo and say nothing about real models.

    At the end it mines a small clone and recorded replies of GitHub into an alignment data set, whose links
    state their evidence.
    """
    target = console()
    watcher = _watcher(target, quiet=quiet, as_json=as_json, verbose=verbose)
    show = None if as_json or verbose else target
    if show is not None:
        print_intro(target)
    found = _run(out, workers=workers, jail=jail, full=full, watcher=watcher, show=show)
    if as_json:
        print_json(found.document())
        return
    if verbose:
        _print_details(target, found)
    else:
        print_cheats(target, found.caught, found.scores)
    if found.page:
        if not verbose:
            target.print("The report, with every answer, chart and comparison:", soft_wrap=True)
        click.echo(found.page)
    if not verbose:
        print_next(target, found.scores[1].run, found.alignment.card)
    if not _print_missing_packages(target) and not verbose:
        for reason in found.skipped:
            target.print(f"skipped: {markup(reason)}", soft_wrap=True)


def _watcher(target: Console, *, quiet: bool, as_json: bool, verbose: bool) -> Watcher:
    """Return a watcher that draws bars on a terminal; only with --verbose or --json it also prints notes."""
    if verbose or as_json:
        return watcher_for(target, quiet=quiet, as_json=as_json)
    return TerminalWatcher(target, brief=True) if target.is_terminal and not quiet else Silent()


def _run(
    out: Path, *, workers: int | None, jail: str, full: bool, watcher: Watcher, show: Console | None
) -> DemoResults:
    """Score, build and compare everything, and write the report; `show` gets each track when it is done."""
    compared: dict[str, list[Comparison]] = {}

    def finish(track: str, about: str, scores: list[Score], pairs: Sequence[tuple[str, str]]) -> None:
        compared[track] = _compare_pairs({score.model: score.run for score in scores}, pairs)
        if show is not None:
            print_track(show, title_line(track, about, scores), scores, compared[track])

    with as_file(files("benchwright.demo")) as folder:
        scores = [
            _score(options, model, out, workers=workers, watcher=watcher)
            for model, options in _contestants(folder, jail)
        ]
        finish("ruhumaneval", "Python programs judged by tests", scores, PAIRS)
        labels = run_labels(folder, out, workers=workers, jail=jail, watcher=watcher)
        finish("codecorrectness", labels.about, labels.scores, [LABEL_PAIR])
        smart = run_stored(out, workers=workers, jail=jail, watcher=watcher)
        for track, about, stored, pair in smart.comparisons():
            finish(track, about, stored, [pair])
        entries = run_entries(folder / "aicodereval", out, workers=workers, jail=jail, watcher=watcher)
        if entries.scores:
            finish("aicodereval", entries.about, entries.scores, [ENTRY_PAIR])
        torch = None
        if full:
            torch = run_torch_entries(folder / "torch", out, workers=workers, jail=jail, watcher=watcher)
            if show is not None and torch.scores:
                print_track(show, title_line("aicodereval", torch.about, torch.scores), torch.scores, [])
        alignment = run_alignment(folder / "alignment", out, watcher=watcher)
        if show is not None and alignment.built:
            show.print(alignment_line(alignment), soft_wrap=True)
    runs = [score.run for score in scores]
    runs += [*labels.runs.values(), *entries.runs.values(), *(torch.runs.values() if torch else ())]
    runs += [run for of_track in smart.runs.values() for run in of_track.values()]
    return DemoResults(
        scores=scores,
        labels=labels,
        smart=smart,
        entries=entries,
        torch=torch,
        alignment=alignment,
        compared=compared,
        page=_page(runs, out),
    )


def _print_details(target: Console, found: DemoResults) -> None:
    """Print all figures, the kinds of cheats, the checks of labels and the build."""
    _print(target, found.scores, found.caught)
    _print_comparisons(target, found.scores, found.compared["ruhumaneval"])
    print_labels(target, found.labels)
    _print_comparisons(target, found.labels.scores, found.compared["codecorrectness"])
    print_stored(target, found.smart)
    for track, scores in found.smart.scores.items():
        _print_comparisons(target, scores, found.compared[track])
    print_entries(target, found.entries)
    if found.entries.scores:
        _print_comparisons(target, found.entries.scores, found.compared["aicodereval"])
    if found.torch:
        print_entries(target, found.torch, title="AICoderEval with PyTorch")
    print_alignment(target, found.alignment)


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


def _compare_pairs(runs: dict[str, str], pairs: Sequence[tuple[str, str]]) -> list[Comparison]:
    """Compare pairs of models; empty if the statistics are not installed."""
    from benchwright.rank.comparison import compare  # noqa: PLC0415 (a command's own libraries)
    from benchwright.rank.contestant import load  # noqa: PLC0415

    try:
        return [compare(*load([runs[a], runs[b]]), allow=["prompts"]) for a, b in pairs]
    except PrerequisiteError:  # reported once, at the end
        return []


def _print_comparisons(target: Console, scores: Sequence[Score], found: Sequence[Comparison]) -> None:
    target.print()
    for each in found:
        target.print(f"[bold]{markup(each.sentence)}[/]", soft_wrap=True)
    if found:
        places = " ".join(shlex.quote(score.run) for score in scores)
        ranked = f"{command_name()} rank --allow prompts {markup(places)}"
        target.print(f"all against all: {ranked}", soft_wrap=True)
    target.print()


def _page(runs: list[str], out: Path) -> str | None:
    """Write the report and return its path; None if its libraries are not installed."""
    from benchwright.report.pipeline import write_report  # noqa: PLC0415 (jinja2: 0.1 s)

    try:
        return str(write_report(runs, out / "report.html", allow=["prompts"]).page)
    except PrerequisiteError:  # reported once, at the end
        return None


def _print_missing_packages(target: Console) -> bool:
    """List the parts that were skipped because of missing packages, with the command that installs them.

    Return whether there are any.
    """
    missing = [part for module, part in NEEDS.items() if find_spec(module) is None]
    if missing:
        adding = install_command("all")
        demo_command = "demo" if adding.endswith(" benchwright") else f"&& {command_name()} demo"
        target.print(f"skipped, packages are missing: {', '.join(missing)}", soft_wrap=True)
        target.print(f"hint: install everything: {markup(f'{adding} {demo_command}')}", soft_wrap=True)
    return bool(missing)


def _row(verdict: Verdict) -> dict[str, object]:
    return {
        "task_id": verdict.task_id,
        "sample": verdict.sample,
        "outcome": verdict.outcome,
        "suspicious": verdict.suspicious,
        "detail": verdict.detail,
    }


def _print(target: Console, scores: list[Score], cheats_by_model: dict[str, list[Verdict]]) -> None:
    target.print()
    print_table(target, scores)
    for score in scores:
        target.print(f"[bold]{score.model}[/]")
        for line in score_lines(score):
            target.print(f"  {line}", soft_wrap=True)
    target.print()
    for model, verdicts in cheats_by_model.items():
        if verdicts:
            _print_caught(target, model, verdicts)


def _print_caught(target: Console, model: str, verdicts: list[Verdict]) -> None:
    passed = sum(verdict.outcome is Outcome.passed for verdict in verdicts)
    summary = f"{counted(len(verdicts), 'answer')} tried to cheat or to escape; {passed} of them passed"
    target.print(f"[bold]{model}[/]: {summary}. By kind:")
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
