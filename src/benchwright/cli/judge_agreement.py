"""`benchwright judge agreement RUN…`: agreement between people, and rankings from their votes on pairs."""

from __future__ import annotations

from collections.abc import Iterator

import click

from benchwright.cli.arguments import json_option, not_empty_each, print_json
from benchwright.cli.judge_votes import equal_pairs_note
from benchwright.cli.shell_completion import run_folders
from benchwright.cli.terminal import console, watcher_for
from benchwright.display.escape import escaped_name
from benchwright.display.wording import counted, interval, joined, percent, plain_number
from benchwright.judges.people.agreement import (
    COEFFICIENTS,
    FieldAgreement,
    Figures,
    PairAgreement,
    agreement_of,
)
from benchwright.judges.people.calibration import PositionBias, position_bias
from benchwright.records import full_document
from benchwright.running.calibration import HumanVotes, votes_of
from benchwright.running.run_data import open_run
from benchwright.stats.agreement import Agreement
from benchwright.stats.bradley_terry import PairRanking, bradley_terry
from benchwright.stats.rank_robustness import FirstPlace, first_place


@click.command()
@click.argument(
    "runs", nargs=-1, required=True, metavar="RUN…", callback=not_empty_each, shell_complete=run_folders
)
@json_option
@click.option("--quiet", "-q", is_flag=True, help="No progress.")
def command(runs: tuple[str, ...], as_json: bool, quiet: bool) -> None:
    """Print how far people agree on the answers of a run: all judges, pairs of judges, repeated items.

    For several runs, pairwise votes rank the runs. The report includes how few votes would have to change
    the first place.

    \b
    benchwright judge agreement runs/mine
    benchwright judge agreement runs/mine runs/theirs --json
    """
    given = votes_of([open_run(run) for run in runs])
    fields = agreement_of(given.votes, watcher_for(console(), quiet=quiet, as_json=as_json))
    ranking = bradley_terry(given.pairs) if given.pairs else None
    first = first_place(given.pairs) if ranking is not None and ranking.strengths else None
    position = position_bias(given.votes)
    if as_json:
        document = {
            "runs": list(runs),
            "votes": len(given.votes),
            "fields": full_document(fields),
            "ranking": full_document(ranking),
            "first_place": full_document(first),
            "position": full_document(position),
            "unpaired": given.unpaired,
            "equal_pairs": given.equal,
        }
        print_json(document)
        return
    for each in fields:
        click.echo("\n".join(field_lines(each)))
    click.echo(
        "\n".join([*_pair_lines(ranking, first, given), *_position_lines(position)]),
        nl=bool(ranking or position),
    )


def field_lines(found: FieldAgreement) -> list[str]:
    """The agreement on one field for people."""
    head = f"{found.field}: {counted(len(found.judges), 'judge')}, {counted(found.items, 'item')}"
    lines = [f"{head}, {counted(found.judgements, 'judgement')}"]
    lines += [f"  {line}" for line in figure_lines(found.figures)]
    lines += [line for pair in found.pairs for line in _two_judge_lines(pair, " and ".join(pair.judges))]
    lines += [
        line for pair in found.selves for line in _two_judge_lines(pair, f"{pair.judges[0]}, repeated items")
    ]
    if found.adjudicated:
        lines.append(
            f"  {counted(found.adjudicated, 'vote')} of adjudicators excluded: adjudication is not blind"
        )
    return lines


def _two_judge_lines(found: PairAgreement, title: str) -> Iterator[str]:
    yield f"  {escaped_name(title)}: {counted(found.items, 'item')}"
    yield from (f"    {line}" for line in figure_lines(found.figures))


def figure_lines(figures: Figures) -> list[str]:
    """A line for each coefficient, with its interval or why there is none."""
    return [f"{COEFFICIENTS.get(name, name)} {_figure(each)}" for name, each in figures.items()]


def _figure(found: Agreement) -> str:
    if found.value is None:
        return f"– ({found.why})"
    if found.low is None or found.high is None:
        return f"{plain_number(found.value)} (no interval: {found.why})"
    return f"{plain_number(found.value)} ({plain_number(found.low)} to {plain_number(found.high)})"


def _pair_lines(ranking: PairRanking | None, first: FirstPlace | None, given: HumanVotes) -> Iterator[str]:
    if ranking is None:
        return
    yield f"pairs: {counted(ranking.votes, 'vote')}, and {ranking.both_bad:,} that both are bad, not counted"
    if given.unpaired:
        yield f"  {counted(given.unpaired, 'vote')} about other runs"
    if given.equal is None:
        yield "  pairs of equal answers are not counted: the tasks of these runs are not available"
    elif given.equal:
        yield f"  {equal_pairs_note(given.equal)}"
    if ranking.why:
        yield f"  no ranking: {ranking.why}"
        yield from (f"    {joined(map(escaped_name, part))}" for part in ranking.parts)
    for each in ranking.strengths:
        bounds = f"{plain_number(each.low)} to {plain_number(each.high)}"
        counts = f"{each.win:,} won, {each.tie:,} tied, {each.loss:,} lost, {each.both_bad:,} both bad"
        yield f"  {escaped_name(each.name)} {plain_number(each.value)} ({bounds}): {counts}"
    if first is not None:
        yield f"  {_hanging(first)}"


def _hanging(first: FirstPlace) -> str:
    leader, rival = escaped_name(first.leader), escaped_name(first.rival)
    if first.at_most == 0:
        return f"{leader} shares first place with {rival}"
    if first.at_most is None:
        fewer = counted(first.at_least - 1, "vote")
        return f"{leader} stays first without any {fewer}; no set that changes it was found"
    votes = counted(first.at_most, "vote")
    reason = joined(
        f"{counted(number, 'time')} “{escaped_name(words, 200)}”" for words, number in first.dropped.items()
    )
    least = (
        "no smaller set does" if first.is_exact else f"this takes at least {counted(first.at_least, 'vote')}"
    )
    return f"{leader} would lose the first place to {rival} without {votes} ({reason}); {least}"


def _position_lines(position: list[PositionBias]) -> Iterator[str]:
    for each in position:
        subject = f"  {escaped_name(each.judge)}" if each.judge else "the first answer"
        share = f"{percent(each.first.value)} % ({interval(each.first)})"
        amount = f"of {counted(each.first.n, 'preference')}"
        yield (
            f"{subject} was preferred {share} {amount}; 50 % means no bias"
            if not each.judge
            else f"{subject} {share} {amount}"
        )
