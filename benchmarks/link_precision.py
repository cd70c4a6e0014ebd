"""Precision of the evidence ladder on real remarks, with labels of two passes by one language model.

`python -m benchmarks.link_precision links --backup NAME GIT CLONE … --notes NAME CLONE … --recorded NAME
CLONE FILE … --archive NAME CLONE … --out LINKS` runs the ladder; `… measure LINKS` joins its links with
`benchmarks/link_labels.csv` and prints precision, interval and agreement by rung, for each sample apart;
`… missing LINKS` lists links without labels. The clones and the backups are not ours and stay outside the
repository; the labels are ours and contain ids and commits only.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.link_archives import archive_events
from benchmarks.link_remarks import appraise_events, backup_events, commits, git, recorded_events
from benchwright.building.alignment.event_index import RepositoryEvents
from benchwright.building.alignment.feedback import feedback
from benchwright.building.alignment.indicators import DataIndicator, label_agreement, reliability
from benchwright.building.alignment.link_items import LabelledLink
from benchwright.building.alignment.links.ladder import links
from benchwright.building.alignment.records import EvidenceLink
from benchwright.building.alignment.trajectories import trajectories
from benchwright.judges.people.agreement import COEFFICIENTS
from benchwright.judges.people.records import ANSWERED, Vote
from benchwright.sources.events import RepoEvent
from benchwright.sources.object_reader import ObjectReader
from benchwright.stats.intervals import wilson

LABELS = Path(__file__).parent / "link_labels.csv"
PASSES = ("first", "second")
SAMPLES = (
    "tuning",
    "held_out",
)  # the rules were written with labels of the first, and fixed before the second


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a part of the measurement."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.link_precision", description=__doc__)
    parts = parser.add_subparsers(dest="part", required=True)
    ladder = parts.add_parser("links")
    ladder.add_argument("--backup", action="append", nargs=3, default=[], metavar=("NAME", "GIT", "CLONE"))
    ladder.add_argument("--notes", action="append", nargs=2, default=[], metavar=("NAME", "CLONE"))
    ladder.add_argument("--recorded", action="append", nargs=3, default=[], metavar=("NAME", "CLONE", "FILE"))
    ladder.add_argument("--archive", action="append", nargs=2, default=[], metavar=("NAME", "CLONE"))
    ladder.add_argument("--out", type=Path, required=True)
    for name in ("measure", "missing"):
        part = parts.add_parser(name)
        part.add_argument("links", type=Path)
        part.add_argument("--labels", type=Path, default=LABELS)
    given = parser.parse_args(arguments)
    if given.part == "links":
        return _run(given)
    found = list(_read(given.links))
    if given.part == "missing":
        return _missing(found, given.labels)
    return _measure(found, given.labels)


def _run(given: argparse.Namespace) -> int:
    with given.out.open("wb") as file:
        for name, backup, clone in given.backup:
            _write(file, _ladder(name, Path(clone), list(backup_events(name, Path(backup)))))
        for name, clone in given.notes:
            _write(file, _ladder(name, Path(clone), list(appraise_events(name, Path(clone)))))
        for name, clone, recorded in given.recorded:
            _write(file, _ladder(name, Path(clone), list(recorded_events(name, Path(clone), recorded))))
        for name, clone in given.archive:
            _write(file, _ladder(name, Path(clone), list(archive_events(name, Path(clone)))))
    return 0


def _write(file: Any, found: list[EvidenceLink]) -> None:
    for link in found:
        file.write(msgspec.json.encode(link) + b"\n")


def _ladder(name: str, clone: Path, events: list[RepoEvent]) -> list[EvidenceLink]:
    """The links of the feedback of one repository."""
    began = time.process_time()
    head = git(clone, "rev-parse", "HEAD").decode().strip()
    known = RepositoryEvents([*commits(name, clone), *events], repo=name, head=head)
    units = list(trajectories(known))
    items = list(feedback(known, units))
    with ObjectReader(clone) as objects:
        found = list(links(known, units, items, objects))
    remarks = {each.id for each in items}
    found = [each for each in found if each.source in remarks]
    by_rung = Counter(str(each.rung) if each.rung is not None else each.state for each in found)
    seconds = time.process_time() - began
    print(f"{name}: {len(items):,} feedback, links {dict(sorted(by_rung.items()))}, {seconds:.1f} CPU s")
    return found


def _read(path: Path) -> Iterator[EvidenceLink]:
    for line in path.read_bytes().splitlines():
        yield msgspec.json.decode(line, type=EvidenceLink)


def pair_of(repo: str, source: str, target: str) -> str:
    """The name of a labelled pair, the same whatever rung links it."""
    return f"{repo} {source.rpartition(':')[2]} {target.partition(':')[2]}"


def _labels(path: Path) -> dict[str, dict[str, str]]:
    """Both labels of each pair."""
    with path.open(encoding="utf-8", newline="") as file:
        return {
            pair_of(row["repo"], row["remark"], f"commit:{row['target']}"): row
            for row in csv.DictReader(file)
        }


def _pairs(found: Sequence[EvidenceLink]) -> dict[str, list[EvidenceLink]]:
    """The answered links by pair: of one rung each."""
    pairs: dict[str, list[EvidenceLink]] = {}
    for link in found:
        if link.state == "answered" and link.target.startswith("commit:"):
            pairs.setdefault(pair_of(link.repo, link.source, link.target), []).append(link)
    return pairs


def _missing(found: Sequence[EvidenceLink], labels: Path) -> int:
    known = _labels(labels) if labels.exists() else {}
    for pair, own in sorted(_pairs(found).items()):
        if pair not in known:
            print(json.dumps({"pair": pair, "rungs": sorted({each.rung or 0 for each in own})}))
    return 0


def _measure(found: Sequence[EvidenceLink], path: Path) -> int:
    labels = _labels(path)
    pairs = _pairs(found)
    known = [
        LabelledLink(
            item=pair,
            link=link.id,
            repo=link.repo,
            rung=link.rung or 0,
            method=link.method,
            source=link.source,
            target=link.target,
        )
        for pair, own in pairs.items()
        for link in own
    ]
    votes = [
        Vote(
            vote=f"{number}-{each}",
            item=pair,
            task_id=pair,
            kind="link",
            field=ANSWERED,
            value=label,
            judge=each,
        )
        for number, pair in enumerate(pairs)
        for each in PASSES
        if (label := labels.get(pair, {}).get(each))
    ]
    for sample in SAMPLES:
        drawn = {pair for pair, row in labels.items() if row["sample"] == sample}
        own = [link for link in known if link.item in drawn]
        _print_sample(sample, own, [vote for vote in votes if vote.item in drawn])
        _print_unchanged(sample, found, labels)
    return 0


def _print_unchanged(sample: str, found: Sequence[EvidenceLink], labels: dict[str, dict[str, str]]) -> None:
    """Rung 0, which is right if no pass saw an answer in what changed between the remark and the merge."""
    pairs = {pair_of(each.repo, each.source, each.target) for each in found if each.state == "unchanged"}
    rows = [labels[pair] for pair in sorted(pairs & labels.keys()) if labels[pair]["sample"] == sample]
    said = Counter(row["first"] if row["first"] == row["second"] else "" for row in rows)
    decided = said["no"] + said["yes"]
    if not decided:
        return
    share = wilson(said["no"], decided)
    bounds = f"{share.value:.3f} ({share.low:.3f} to {share.high:.3f})"
    unsure = len(rows) - decided
    print(f"{sample}, both passes: rung 0: {bounds}, {said['no']} of {decided}, {unsure} undecided")


def _print_sample(sample: str, known: Sequence[LabelledLink], votes: Sequence[Vote]) -> None:
    repos = Counter({link.item: link.repo for link in known}.values())
    print(f"{sample}: {sum(repos.values())} labelled links, by repository {dict(sorted(repos.items()))}")
    _print(reliability(known, votes), f"{sample}, both passes")
    for each in PASSES:
        alone = [vote for vote in votes if vote.judge == each]
        _print(reliability(known, alone)[:1], f"{sample}, {each} pass alone")
    for repo in sorted(repos):
        _print(reliability([link for link in known if link.repo == repo], votes)[:1], f"{sample}, {repo}")
    print_agreement(votes, f"{sample}: ")


def print_agreement(votes: Sequence[Vote], group: str = "") -> None:
    """Print the coefficients of agreement of both passes."""
    agreed = label_agreement(votes)
    if agreed is not None:
        for name, value in agreed.figures.items():
            said = f"{value:.3f}" if value is not None else agreed.why.get(name, "no value")
            print(f"{group}{COEFFICIENTS[name]} on {agreed.links} links: {said}")


def _print(found: Iterable[DataIndicator], group: str) -> None:
    for each in found:
        if each.share is None:
            print(f"{group}: rung {each.name} {each.about}: not measured: {each.why}")
            continue
        bounds = f"{each.share.value:.3f} ({each.share.low:.3f} to {each.share.high:.3f})"
        said = f"{bounds}, {each.hits} of {each.n}, {each.unsure} undecided"
        print(f"{group}: rung {each.name} {each.about}: {said}")


if __name__ == "__main__":
    sys.exit(main())
