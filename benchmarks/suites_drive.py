"""The process that `./run bench suites` measures: one language, one runner, some pairs.

It imports what that language needs and no more, so that neither side pays for the other languages.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from benchmarks.suites_ground import Contest
from benchwright.contracts import Variation
from benchwright.errors import BenchwrightError

OURS = "ours"


def contest_of(language: str) -> Contest:
    """A language's contest."""
    found: Contest = import_module(f"benchmarks.suites_{language}").CONTEST
    return found


def sign_of(number: int) -> str:
    """Every third pair is made to fail."""
    return "+" if number % 3 != 2 else "-"


def drive(language: str, who: str, count: str) -> None:
    """Run pairs in this folder. Raises BenchwrightError where one ends otherwise than it was made to."""
    contest, numbers = contest_of(language), range(int(count))
    ended = _ours(contest, numbers) if who == OURS else _theirs(contest, who, numbers)
    wrong = [number for number in numbers if ended[number] is not (sign_of(number) == "+")]
    if wrong:
        raise BenchwrightError(f"{who}: pairs {wrong[:5]} ended otherwise than they were made to")


def _ours(contest: Contest, numbers: range) -> dict[int, bool]:
    suites = [(number, contest.pair(number, sign_of(number))) for number in numbers]
    runner = contest.runner()
    try:
        reports = runner.run(suites, variation=Variation())
        return {number: report.state == "success" for number, report in reports}
    finally:
        runner.close()


def _theirs(contest: Contest, who: str, numbers: range) -> dict[int, bool]:
    usual = next(peer.usual for peer in contest.peers if peer.name == who)
    here = Path.cwd()
    return {
        number: usual(contest.pair(number, sign_of(number)), here / f"pair-{number}") for number in numbers
    }
