"""Precision and recall of the exact lists of programs (`bots.toml`) on the authors of real histories.

`python -m benchmarks.bot_precision list --clone NAME CLONE … --key FOLDER` prints every identity of
authors and committers that contains "bot", has a word of automation, or is in the lists; `… measure` prints
precision, recall and agreement of `benchmarks/bot_labels.csv`, which contains keyed hashes instead of names.
The key stays outside the repository and is never published.
"""

from __future__ import annotations

import argparse
import hmac
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.link_precision import print_agreement
from benchmarks.link_remarks import git
from benchmarks.refactoring_precision import labels_of, print_share, votes_of
from benchwright.judges.people.results import UNSURE
from benchwright.sources.cleaning.bots import is_bot
from benchwright.sources.cleaning.pseudonyms import load_key

LABELS = Path(__file__).parent / "bot_labels.csv"
_FORMAT = "%an%x00%ae%n%cn%x00%ce"
_WORDS = re.compile(r"\b(ai|agent|action|autofix|backup|ci|claude|copilot|jenkins|merge|mirror|test)\b")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a part of the measurement."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bot_precision", description=__doc__)
    parts = parser.add_subparsers(dest="part", required=True)
    listing = parts.add_parser("list")
    listing.add_argument("--clone", action="append", nargs=2, default=[], metavar=("NAME", "CLONE"))
    listing.add_argument("--key", type=Path, required=True, help="the folder of the key")
    measure = parts.add_parser("measure")
    measure.add_argument("--labels", type=Path, default=LABELS)
    given = parser.parse_args(arguments)
    return _list(given) if given.part == "list" else _measure(given.labels)


def _list(given: argparse.Namespace) -> int:
    key, repos = load_key(given.key), dict[tuple[str, str], set[str]]()
    for repo, clone in given.clone:
        for each in _identities(Path(clone)):
            repos.setdefault(each, set()).add(repo)
    print(f"{len(repos):,} identities", file=sys.stderr)
    for (name, address), where in sorted(repos.items()):
        listed = is_bot(name=name, address=address)
        if listed or is_candidate(name, address):
            digest = hmac.digest(key, f"{name}\0{address}".encode("utf-8", "surrogatepass"), "sha256")
            shown = {"identity": digest.hex()[:16], "listed": "yes" if listed else "no"}
            print(json.dumps({**shown, "name": name, "address": address, "repos": sorted(where)}))
    return 0


def _identities(clone: Path) -> Iterator[tuple[str, str]]:
    for line in git(clone, "log", "--all", f"--format={_FORMAT}").decode("utf-8", "replace").splitlines():
        name, _, address = line.partition("\0")
        yield name, address


def is_candidate(name: str, address: str) -> bool:
    """Whether an identity is worth a label: it contains "bot", or its name has a word of automation."""
    return "bot" in f"{name} {address}".lower() or bool(_WORDS.search(name.lower().replace("-", " ")))


def _measure(path: Path) -> int:
    rows = labels_of(path)
    for sample in sorted({row["sample"] for row in rows}):
        own = [row for row in rows if row["sample"] == sample]
        decided = [row for row in own if row["first"] == row["second"] != UNSURE]
        unsure = len(own) - len(decided)
        listed = [row["first"] == "yes" for row in decided if row["listed"] == "yes"]
        programs = [row["listed"] == "yes" for row in decided if row["first"] == "yes"]
        print_share(f"{sample}: precision", "listed identities", listed, unsure)
        print_share(f"{sample}: recall", "programs", programs, unsure)
        print_agreement(votes_of(own, "identity"), f"{sample}: ")
    return 0


if __name__ == "__main__":
    sys.exit(main())
