"""Run the pack on Ray nodes and compare with local: python -m tests.attacks.on_cluster [--nodes N…] [--only PREFIX].

Ends with status 1 if an outcome differs, or a probe finds that a program did harm.
"""

from __future__ import annotations

import argparse
import os
import secrets
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from benchmarks.cluster_inputs import nodes_of_one_core
from benchwright.contracts import Criterion, Job
from benchwright.executing.executors import ExecutorSetup, open_executor
from benchwright.records import Outcome
from tests.attacks.arena import HANG_S, LIMITS, WAIT_S, filled, question
from tests.attacks.fleet import chosen
from tests.attacks.pack import Attack
from tests.attacks.probes import Watch

Forms = list[tuple[Attack, str]]


def outcomes(forms: Forms, watch: Watch, *, secret: str, tag: str, on: str) -> list[Outcome]:
    """Judge programs by an executor; return their outcomes in order."""
    found: dict[int, Outcome] = {}
    for waits, wall_s in ((False, HANG_S), (True, WAIT_S)):
        jobs = [
            Job(number, filled(attack.source, watch, tag), Criterion(question(attack, form, secret)))
            for number, (attack, form) in enumerate(forms)
            if ("waits" in attack.traits) is waits
        ]
        setup = ExecutorSetup(limits=msgspec.structs.replace(LIMITS, wall_s=wall_s))
        if jobs:
            with open_executor(setup, on=on) as executor:
                found |= {number: judgement.outcome for number, judgement in executor.judge(jobs)}
    return [found[number] for number in range(len(forms))]


@contextmanager
def _place(nodes: int) -> Iterator[str]:
    if not nodes:
        yield "local"
        return
    with nodes_of_one_core(nodes) as address:
        yield f"ray://{address}?trust"


def main() -> int:
    """Print one line for each place, and each form whose outcome differs from that of the local run."""
    options = _options()
    secret, tag = "bwsecret" + secrets.token_hex(12), f"bwtag{secrets.token_hex(8)}"
    os.environ["BW_ATTACK"] = secret
    forms, local, bad = chosen(only=options.only), list[Outcome](), 0
    with Watch(secret=secret, tag=tag) as watch:
        for nodes in (0, *options.nodes):
            began = time.monotonic()
            watch.begin()
            with _place(nodes) as on:
                found = outcomes(forms, watch, secret=secret, tag=tag, on=on)
            local = local or found
            harm = {name: what for name, what in watch.complaints(b"").items() if name in _PROBES}
            differing = [at for at in range(len(forms)) if found[at] is not local[at]]
            forged = found.count(Outcome.passed)
            place = f"{nodes} nodes" if nodes else "local"
            sys.stdout.write(
                f"{place}: {len(forms) - len(differing)} of {len(forms)} equal, {forged} forged, harm: "
                f"{harm or 'none'}, {time.monotonic() - began:.0f} s\n"
            )
            for at in differing:
                attack, form = forms[at]
                sys.stdout.write(f"  {attack.name} ({form}): {found[at]}, local {local[at]}\n")
            sys.stdout.flush()
            bad += len(differing) + forged + len(harm)
    return 1 if bad else 0


_PROBES = ("host files", "connections", "user limits")  # the others watch this process alone


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.attacks.on_cluster")
    parser.add_argument("--nodes", type=int, nargs="*", default=[1, 2, 3], help="clusters (1 2 3)")
    parser.add_argument("--only", default="", help="programs whose names start so")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
