"""Precision of the refactorings of functions on real histories, with two labels each.

`python -m benchmarks.refactoring_precision find --clone NAME CLONE … --out FOUND` reads a seeded sample of
the commits of each clone; `… draw FOUND --sample NAME` prints a sample that is stratified by repository
and kind; `… measure` prints precision, interval and agreement of
`benchmarks/refactoring_labels.csv`. The clones are not ours; the labels are ours and contain commits and
numbers only.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from benchmarks.link_precision import PASSES, print_agreement
from benchmarks.link_remarks import commits, git
from benchwright.building.alignment.indicators import share_of
from benchwright.building.alignment.refactorings import refactorings
from benchwright.judges.people.records import ANSWERED, Vote
from benchwright.judges.people.results import UNSURE
from benchwright.sources.events import RepoEvent
from benchwright.sources.object_reader import ObjectReader

LABELS = Path(__file__).parent / "refactoring_labels.csv"
COMMITS = 1000  # of each clone
DRAWN = 120
CLUSTER = 2  # drawn refactorings of one commit: those of a commit are alike


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a part of the measurement."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.refactoring_precision", description=__doc__)
    parts = parser.add_subparsers(dest="part", required=True)
    find = parts.add_parser("find")
    find.add_argument("--clone", action="append", nargs=2, default=[], metavar=("NAME", "CLONE"))
    find.add_argument("--out", type=Path, required=True)
    find.add_argument("--commits", type=int, default=COMMITS)
    draw = parts.add_parser("draw")
    draw.add_argument("found", type=Path)
    draw.add_argument("--sample", required=True, help="the seed, and the name of the sample in the labels")
    draw.add_argument("--size", type=int, default=DRAWN)
    draw.add_argument("--labels", type=Path, default=LABELS, help="their commits are not drawn again")
    measure = parts.add_parser("measure")
    measure.add_argument("--labels", type=Path, default=LABELS)
    given = parser.parse_args(arguments)
    if given.part == "find":
        return _find(given)
    return _draw(given) if given.part == "draw" else _measure(given.labels)


def _order(seed: str, name: str) -> str:
    """A place in an order that depends on the seed and the name alone."""
    return hashlib.sha256(f"{seed} {name}".encode()).hexdigest()


def _find(given: argparse.Namespace) -> int:
    with given.out.open("wb") as file:
        for name, clone in given.clone:
            began, found = time.process_time(), list(_found(name, Path(clone), given.commits))
            kinds = dict(sorted(Counter(each.state for each in found).items()))
            print(f"{name}: {kinds}, {time.process_time() - began:.1f} CPU s", flush=True)
            for each in found:
                file.write(msgspec.json.encode(each) + b"\n")
    return 0


def _found(name: str, clone: Path, most: int) -> Iterator[RepoEvent]:
    """Refactorings of a seeded sample of the commits of the current branch."""
    own = set(git(clone, "rev-list", "--no-merges", "HEAD").decode().split())
    events = [each for each in commits(name, clone) if each.source_id in own]
    with ObjectReader(clone) as objects:
        for event in sorted(events, key=lambda each: _order("commits", each.source_id))[:most]:
            yield from refactorings(event, objects)


def _commit(refactoring: str) -> str:
    return refactoring.partition(":")[0]


def stratified(found: Iterable[RepoEvent], seed: str, size: int) -> list[RepoEvent]:
    """Draw from each repository and kind in turn, in an order of the seed.

    The same change counts once, and a commit gives at most CLUSTER of a kind.
    """
    strata: dict[tuple[str, str], list[RepoEvent]] = {}
    seen: set[str] = set()
    clusters: Counter[str] = Counter()
    for each in sorted(found, key=lambda each: _order(seed, each.id)):
        same, cluster = f"{each.repo} {each.state} {each.text}", f"{each.state} {_commit(each.source_id)}"
        if same not in seen and clusters[cluster] < CLUSTER:
            seen.add(same)
            clusters[cluster] += 1
            strata.setdefault((each.repo, each.state), []).append(each)
    queues = [strata[key][::-1] for key in sorted(strata)]
    drawn: list[RepoEvent] = []
    while len(drawn) < size and any(queues):
        drawn += [queue.pop() for queue in queues if queue]
    return drawn[:size]


def _draw(given: argparse.Namespace) -> int:
    labels = labels_of(given.labels) if given.labels.exists() else []
    known = {_commit(row["refactoring"]) for row in labels}
    found = [msgspec.json.decode(line, type=RepoEvent) for line in given.found.read_bytes().splitlines()]
    fresh = [each for each in found if _commit(each.source_id) not in known]
    for each in stratified(fresh, given.sample, given.size):
        shown = {"repo": each.repo, "refactoring": each.source_id, "kind": each.state, "text": each.text}
        print(json.dumps({**shown, "path": each.files[0].path, "old_path": each.files[0].old_path}))
    return 0


def labels_of(path: Path) -> list[dict[str, str]]:
    """The rows of a file of labels."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _measure(path: Path) -> int:
    rows = labels_of(path)
    for sample in sorted({row["sample"] for row in rows}):
        own = [row for row in rows if row["sample"] == sample]
        _print(sample, "all", own)
        for field in ("kind", "repo"):
            for value in sorted({row[field] for row in own}):
                _print(sample, value, [row for row in own if row[field] == value])
        print_agreement(votes_of(own, "refactoring"), f"{sample}: ")
    return 0


def _print(sample: str, group: str, rows: Sequence[dict[str, str]]) -> None:
    """Print the share of "yes" among the rows that both passes decide alike."""
    decided = [row["first"] == "yes" for row in rows if row["first"] == row["second"] != UNSURE]
    print_share(f"{sample}: {group}", "refactorings", decided, len(rows) - len(decided))


def print_share(group: str, about: str, decided: Sequence[bool], unsure: int) -> None:
    """Print a share with its interval, counts and the number of rows that are not in it."""
    each = share_of(group, about, decided, why="both passes decide none", unsure=unsure)
    if each.share is None:
        print(f"{group}: not measured: {each.why}")
        return
    bounds = f"{each.share.value:.3f} ({each.share.low:.3f} to {each.share.high:.3f})"
    print(f"{group}: {bounds}, {each.hits} of {each.n}, {unsure} undecided")


def votes_of(rows: Iterable[dict[str, str]], name: str) -> list[Vote]:
    """The labels of both passes as votes; `name` is the column that names what is labelled."""
    return [
        Vote(
            vote=f"{row[name]}-{each}",
            item=row[name],
            task_id=row[name],
            kind="link",
            field=ANSWERED,
            value=row[each],
            judge=each,
        )
        for row in rows
        for each in PASSES
    ]


if __name__ == "__main__":
    sys.exit(main())
