"""Run the pack and print a table: python -m tests.attacks [--jail J] [--user U] [--loop L] [--only PREFIX]."""

from __future__ import annotations

import argparse
import sys
import time

from benchwright.sandbox.jail import JAILS
from tests.attacks import fleet
from tests.attacks.arena import Finding
from tests.attacks.pack import BY_NAME, PACK


def main() -> int:
    """1 when anything was wrong."""
    options = _options()
    head = (
        "jail",
        "user",
        "loop",
        "programs",
        "runs",
        "wrong outcomes",
        "probes tripped",
        "left behind",
        "known holes",
        "s",
    )
    _print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    bad = 0
    for user in options.user or fleet.users():
        with fleet.place_for(user) as place:
            for jail in options.jail or JAILS:
                for loop in options.loop or fleet.LOOPS:
                    bad += _row(place, jail, user, loop, options)
    return 1 if bad else 0


def _row(place: fleet.Place | str, jail: str, user: str, loop: str, options: argparse.Namespace) -> int:
    if isinstance(place, str):
        _print(f"| {jail} | {user} | {loop} | skipped: {place} |")
        return 0
    started = time.monotonic()
    findings, left = fleet.run(place, fleet.chosen(only=options.only), jail=jail, loop=loop)
    holes = [each for each in findings if is_known_hole(each)]
    wrong = [each for each in findings if each.wrong_outcome and each not in holes]
    tripped = [each for each in findings if each.tripped and each not in holes]
    numbers = [
        len({each.name for each in findings}),
        len(findings),
        len(wrong),
        len(tripped),
        len(left),
        len(holes),
    ]
    _print(
        f"| {jail} | {user} | {loop} | "
        + " | ".join(map(str, numbers))
        + f" | {time.monotonic() - started:.0f} |"
    )
    for each in findings if options.verbose else [*wrong, *(each for each in tripped if each not in wrong)]:
        allowed = " or ".join(BY_NAME[each.name].outcomes[each.form])
        _print(
            f"  {each.name} ({each.form}, {each.wall_s} s): {each.outcomes}, allowed {allowed}; "
            f"{each.tripped or ''}"
        )
        _print(f"    {each.detail[:300]!r}")
    for line in left:
        _print(f"  left behind: {line}")
    return len(wrong) + len(tripped) + len(left)


def is_known_hole(finding: Finding) -> bool:
    """True where the table says what is wrong, and just that happened: the judge itself failed or swelled."""
    known = bool(BY_NAME[finding.name].hole)
    failed = any(outcome.startswith("crash") for outcome in finding.outcomes)
    return known and (failed or list(finding.tripped) == ["memory"])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.attacks", description=f"{len(PACK)} hostile programs"
    )
    parser.add_argument("--jail", action="append", choices=JAILS)
    parser.add_argument("--user", action="append", choices=("root", "ordinary"))
    parser.add_argument("--loop", action="append", choices=fleet.LOOPS, help="what forks answers")
    parser.add_argument("--only", default="", help="programs whose names start so")
    parser.add_argument("--verbose", action="store_true", help="a line for every run")
    return parser.parse_args()


def _print(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
