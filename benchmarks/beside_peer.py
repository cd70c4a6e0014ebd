"""Shared parts of comparisons with a peer: our judgements, the peer's folders, and pairs of outcomes."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from benchwright.contracts import Job, Judgement
from benchwright.executing.pool import Pool

TOLD = 100  # judgements, from one line of progress to the next


class PeerFolders(NamedTuple):
    """Folders of a peer in its jail: one it may write to, and one it may read."""

    writable: Path
    shown: Path


def peer_folders(folder: Path) -> PeerFolders:
    """Create both folders in a scratch folder that the jailed user can enter."""
    folder.chmod(0o755)
    made = PeerFolders(folder / "writable", folder / "shown")
    for each in made:
        each.mkdir()
    made.writable.chmod(0o777)  # the jailed user writes the results here
    return made


def judged_by_ours(jobs: Sequence[Job], *, track: str = "") -> list[Judgement]:
    """Return a judgement of each job, in order; jobs are numbered from 0. `track` is that of the answers."""
    found: dict[int, Judgement] = {}
    with Pool(workers=1, track=track) as pool:
        for number, judgement in pool.judge(jobs):
            found[number] = judgement
            if len(found) % TOLD == 0:
                print(f"Benchwright: {len(found)} of {len(jobs)}", file=sys.stderr)
    return [found[number] for number in range(len(jobs))]


def met(words: Iterable[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """Count our outcomes by the peer's outcome; pairs are (theirs, ours)."""
    counts: dict[str, Counter[str]] = {}
    for theirs, ours in words:
        counts.setdefault(theirs, Counter())[ours] += 1
    return {name: dict(sorted(row.items())) for name, row in sorted(counts.items())}
