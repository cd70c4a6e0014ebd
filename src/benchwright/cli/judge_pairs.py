"""`benchwright judge pairs RUN_A RUN_B --judge SPEC --out FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from benchwright.cli.arguments import SectionedCommand, as_path, data_of_runs, json_option, print_json
from benchwright.cli.model_options import judge_options, judges_of
from benchwright.cli.shell_completion import run_folders
from benchwright.cli.terminal import TerminalWatcher, console
from benchwright.display.escape import escaped_name
from benchwright.display.wording import counted, interval, percent
from benchwright.errors import UsageError
from benchwright.progress import Silent
from benchwright.rank.judged_pairs import RUBRIC, PairedRuns, PairResult, judge_pairs
from benchwright.records import full_document
from benchwright.running.model_judges import open_judges
from benchwright.running.run_data import data_by_hash, open_run


@click.command(cls=SectionedCommand, context_settings={"show_default": True})
@click.argument("a", metavar="RUN_A", shell_complete=run_folders)
@click.argument("b", metavar="RUN_B", shell_complete=run_folders)
@click.option(
    "--out",
    required=True,
    callback=as_path,
    shell_complete=run_folders,
    metavar="FOLDER",
    help="Output folder. The same command resumes from it.",
)
@data_of_runs
@json_option
@click.option("--quiet", "-q", is_flag=True, help="No progress.")
@judge_options
def command(
    a: str, b: str, out: Path, data: tuple[str, ...], as_json: bool, quiet: bool, **given: Any
) -> None:
    """Compare the answers of two runs with model judges that see each pair in both orders.

    If the order changes the preference, the pair is a tie. Each judge must first pass a self-check on
    answers whose ranking is known.

    \b
    benchwright judge pairs runs/mine runs/theirs --judge openai:judge --out runs/pairs
    benchwright judge pairs runs/mine runs/theirs --judge replay:runs/pairs --out runs/again --json
    """
    options = judges_of(given)
    if not options.specs:
        raise UsageError("no judge given", hint="add --judge openai:NAME")
    runs = PairedRuns(open_run(a), open_run(b), data_by_hash(data))
    judges = open_judges(options, (RUBRIC,))
    watch = Silent() if quiet or (as_json and not sys.stderr.isatty()) else TerminalWatcher(console())
    results = judge_pairs(runs, judges, out, watch)
    if as_json:
        print_json({"a": a, "b": b, "judges": full_document(results)})
        return
    for each in results:
        click.echo("\n".join(result_lines(each)))


def result_lines(result: PairResult) -> list[str]:
    """A result for people."""
    lines = [
        f"{escaped_name(result.judge)}, uncalibrated: a is better {counted(result.win, 'time')}, b "
        f"{counted(result.loss, 'time')}, {counted(result.tie, 'tie')}, of {counted(result.pairs, 'pair')}"
        + (f"; {result.by_rules:,} decided by rules" if result.by_rules else "")
    ]
    if result.preference is not None:
        share = f"{percent(result.preference.value)} % ({interval(result.preference)})"
        lines.append(f"  a is preferred {share}, ties count half; 50 % means no difference")
    if result.judged_twice:
        rate = percent(result.contradictions / result.judged_twice)
        lines.append(f"  the order decided {result.contradictions:,} of {result.judged_twice:,} ({rate} %)")
    if result.first_preferred is not None:
        share = f"{percent(result.first_preferred.value)} % ({interval(result.first_preferred)})"
        lines.append(f"  the first answer was preferred in {share}; 50 % means no bias")
    if result.length is not None:
        longer = (
            f"{percent(result.length.longer_preferred.value)} % ({interval(result.length.longer_preferred)})"
        )
        lines.append(
            f"  the longer answer was preferred {longer} of {counted(result.length.pairs, 'decided pair')}; "
            f"at equal length a would be preferred {percent(result.length.at_equal_length)} %"
        )
    if lost_counts := [f"{n:,} {name}" for name in _LOST if (n := getattr(result, name))]:
        lines.append(f"  not judged: {', '.join(lost_counts)}")
    for run, number in result.own_family.items():
        if number:
            lines.append(f"  {counted(number, 'answer')} of {run} by a model of the judge's own family")
    return lines


_LOST = ("unparsable", "missing", "refused")
