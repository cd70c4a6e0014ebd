"""`benchwright judge calibrate RUN`: compare the model judges of a run with people."""

from __future__ import annotations

from collections.abc import Iterator

import click

from benchwright.cli.arguments import data_of_run, json_option, not_empty, print_json
from benchwright.cli.judge_agreement import figure_lines
from benchwright.cli.shell_completion import run_folders
from benchwright.display.escape import escaped_name
from benchwright.display.wording import counted, interval, p_value, percent, plain_number, points
from benchwright.errors import command_name
from benchwright.judges.people.calibration import Drift, JudgeCalibration
from benchwright.judges.people.results import ENOUGH, RELIABLE
from benchwright.rank.pair_calibration import PairCalibration, calibrate_pairs
from benchwright.records import full_document
from benchwright.running.calibration import Calibration, calibration_of, has_assessments, strata_of
from benchwright.running.judged_items import read_votes
from benchwright.running.run_data import open_run
from benchwright.stats.intervals import Interval
from benchwright.stats.paired import PairedDifference
from benchwright.stats.ppi import PredictedMean


@click.command()
@click.argument("run", metavar="RUN", callback=not_empty, shell_complete=run_folders)
@data_of_run
@click.option(
    "--pairs",
    callback=not_empty,
    shell_complete=run_folders,
    metavar="FOLDER",
    help="Output folder of `judge pairs` for this run and another one: also calibrates its judges.",
)
@json_option
def command(run: str, data: str | None, pairs: str | None, as_json: bool) -> None:
    """Compare the model judges of a run with people: accuracy, bias, and a corrected score.

    The score that people would give to all answers is estimated from their labels and the judge's on all
    answers. It is printed with the score of people alone and of the judge alone.

    \b
    benchwright judge calibrate runs/mine
    benchwright judge calibrate runs/mine --pairs runs/pairs --json
    """
    folder = open_run(run)
    strata = strata_of(folder, data)
    compared = calibrate_pairs(open_run(pairs), folder, read_votes(folder)) if pairs else []
    found = Calibration([], []) if pairs and not has_assessments(folder) else calibration_of(folder, strata)
    if as_json:
        document = {
            "run": run,
            "enough": ENOUGH,
            "judges": full_document(found.judges),
            "drift": full_document(found.drift),
        }
        print_json({**document, "pairs": full_document(compared)})
        return
    if not found.judges and not pairs:
        click.echo("people have labelled none of these answers: all figures by judges are uncalibrated")
    for each in found.judges:
        click.echo("\n".join(judge_lines(each)))
    for pair in found.drift:
        click.echo("\n".join(_drift_lines(pair)))
    for judge in compared:
        click.echo("\n".join(_pair_lines(judge)))


def judge_lines(found: JudgeCalibration) -> Iterator[str]:
    """The result of one judge on one field."""
    title = f"{escaped_name(found.judge)} on {found.field}"
    yield _calibration_text(title, found.blind, found.alpha, calibrated=found.calibrated)
    if found.disputed:
        adjudicate = f"adjudicate: {command_name()} judge export RUN --adjudicate"
        disputed = counted(found.disputed, "answer")
        yield f"  people disagree on {disputed}, counted in the estimate as their mean vote; {adjudicate}"
    yield from _confusion(found.confusion, "answer")
    yield from (f"  {line}" for line in figure_lines(found.agreement))
    if found.sensitivity is not None:
        yield f"  sensitivity (correct answers judged correct): {_share(found.sensitivity)}"
    if found.specificity is not None:
        yield f"  specificity (other answers judged not correct): {_share(found.specificity)}"
    if found.lead is not None:
        yield f"  {_lead(found.lead, 'it grades', 'than people')}"
    if found.length is not None:
        bounds = f"{plain_number(found.length.low)} to {plain_number(found.length.high)}"
        value = plain_number(found.length.value)
        yield f"  correlation of its error with length: {value} ({bounds}); 0 means no bias"
    if found.estimate is not None:
        yield from _estimate(found.estimate)


def _pair_lines(found: PairCalibration) -> Iterator[str]:
    title = f"{escaped_name(found.judge)} on pairs"
    yield _calibration_text(title, found.blind, found.alpha, calibrated=found.calibrated)
    yield from _confusion(found.confusion, "pair")
    yield from (f"  {line}" for line in figure_lines(found.agreement))
    if found.first is not None:
        yield f"  the first answer was preferred in {_share(found.first)} replies; 50 % means no bias"


def _calibration_text(title: str, blind: int, alpha: float | None, *, calibrated: bool) -> str:
    shortage = f"fewer than {ENOUGH} blind labels" if blind < ENOUGH else ""
    disagreement = (
        f"agreement of people is too low: alpha below {RELIABLE}"
        if alpha is not None and alpha < RELIABLE
        else ""
    )
    state = (
        "calibrated" if calibrated else f"uncalibrated: {'; '.join(filter(None, (shortage, disagreement)))}"
    )
    agreement = "alpha of people unknown" if alpha is None else f"alpha of people {alpha:.2f}"
    return f"{title}: {state} ({counted(blind, 'blind label')} by people, {agreement})"


def _confusion(counts: dict[str, dict[str, int]], noun: str) -> Iterator[str]:
    if counts:
        yield f"  people's label, then the judge's, of {counted(sum(map(_total, counts.values())), noun)}"
    for human_label, row in counts.items():
        yield f"    {human_label}: " + ", ".join(
            f"{judge_label} {number:,}" for judge_label, number in row.items()
        )


def _total(row: dict[str, int]) -> int:
    return sum(row.values())


def _share(found: Interval) -> str:
    return f"{percent(found.value)} % ({interval(found)}), of {found.n:,}"


def _lead(found: PairedDifference, verb: str, comparison: str) -> str:
    value, low, high = points(found.value, found.low, found.high)
    return f"{verb} {value} points ({low} to {high}) higher {comparison}, {p_value(found.p)}"


def _estimate(found: PredictedMean) -> Iterator[str]:
    people, judge = counted(found.labelled, "label"), _judge_alone_text(found.judge)
    yield f"  people and judge {_bounds(found.predicted)}, weight of the judge {plain_number(found.lam)}"
    yield f"  people alone {_bounds(found.human)}, of {people}"
    yield f"  judge alone {judge}, of {counted(found.items, 'answer')}"
    if found.strata:
        shares = ", ".join(f"{each.name or '–'} {each.labelled:,} of {each.items:,}" for each in found.strata)
        yield f"  labelled by stratum: {escaped_name(shares, 400)}"


def _bounds(found: Interval) -> str:
    return f"{percent(found.value)} % ({interval(found)})"


def _judge_alone_text(found: Interval | None) -> str:
    return "–" if found is None else f"{_bounds(found)}, valid only if the judge is always right"


def _drift_lines(found: Drift) -> Iterator[str]:
    names = f"{escaped_name(found.a)} and {escaped_name(found.b)}"
    yield f"{names} on {found.field}: {counted(found.answers, 'answer')} judged by both"
    yield from (f"  {line}" for line in figure_lines(found.agreement))
    if found.lead is not None:
        yield f"  {_lead(found.lead, 'the first grades', 'than the second')}"
