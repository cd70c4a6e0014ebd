"""What comparisons of verdicts with a peer share: our judgements, the peer's folders, and words that met."""

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
    """What a peer in its jail may write to, and what it is shown."""

    writable: Path
    shown: Path


def peer_folders(folder: Path) -> PeerFolders:
    """Both folders, made in a scratch folder so that the jailed user can enter it."""
    folder.chmod(0o755)
    made = PeerFolders(folder / "writable", folder / "shown")
    for each in made:
        each.mkdir()
    made.writable.chmod(0o777)  # the jailed user writes the results here
    return made


def judged_by_ours(jobs: Sequence[Job], *, track: str = "") -> list[Judgement]:
    """A judgement of each job, in their order; jobs are numbered from 0. `track`: whose answers they are."""
    found: dict[int, Judgement] = {}
    with Pool(workers=1, track=track) as pool:
        for number, judgement in pool.judge(jobs):
            found[number] = judgement
            if len(found) % TOLD == 0:
                print(f"Benchwright: {len(found)} of {len(jobs)}", file=sys.stderr)
    return [found[number] for number in range(len(jobs))]


def met(words: Iterable[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """By the peer's word, how often which of ours met it; words come as theirs and ours."""
    counts: dict[str, Counter[str]] = {}
    for theirs, ours in words:
        counts.setdefault(theirs, Counter())[ours] += 1
    return {name: dict(sorted(row.items())) for name, row in sorted(counts.items())}
