"""Child process that computes agreement: ballots on stdin, figures on stdout, both JSON."""

from __future__ import annotations

import os
import sys
from typing import NamedTuple, cast

import msgspec

from benchwright.errors import PrerequisiteError
from benchwright.judges.people.agreement import FieldAgreement, agreement_of
from benchwright.judges.people.records import Round, Vote
from benchwright.progress import Silent
from benchwright.records import Record

DRAWS = 400  # bootstrap resamples for a page; the command uses more
MOST_PAIRS = 45  # pairs of judges with intervals: those of ten judges
NICENESS = 10  # judges' pages go first


class Ballot(NamedTuple):
    """The part of a vote that agreement needs. `value` is JSON."""

    judge: str
    item: str
    field: str
    value: str
    round: str


class Agreements(Record, frozen=True, kw_only=True):
    """The figures, or the reason why there are none."""

    fields: list[FieldAgreement] = []
    absent: str = ""


def figures_of(ballots: list[Ballot]) -> Agreements:
    """The agreement on each field."""
    try:
        return Agreements(
            fields=agreement_of(list(map(_vote, ballots)), Silent(), draws=DRAWS, most_pairs=MOST_PAIRS)
        )
    except PrerequisiteError as error:
        return Agreements(absent=str(error))


def _vote(ballot: Ballot) -> Vote:
    return Vote(
        vote="",
        item=ballot.item,
        task_id="",
        kind="decide",
        field=ballot.field,
        value=msgspec.json.decode(ballot.value, type=int | str),
        judge=ballot.judge,
        round=cast(Round, ballot.round),
    )


def main() -> None:
    """Read ballots, compute, write figures."""
    os.nice(NICENESS)
    ballots = msgspec.json.decode(sys.stdin.buffer.read(), type=list[Ballot])
    sys.stdout.buffer.write(msgspec.json.encode(figures_of(ballots)))


if __name__ == "__main__":
    main()
