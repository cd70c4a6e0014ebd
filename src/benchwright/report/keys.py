"""What a task and a run are called in the page's addresses: one key each, whoever makes the link.

Names are for reading, and two of them may look alike: equal names on two tracks, or a control character and
the same character escaped. A key is the name where that is short and not taken, else it is made unlike.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from urllib.parse import quote

MOST = 80  # characters of a name that go into a key


def unlike(names: Iterable[str]) -> Iterator[str]:
    """A key for each name, no two alike, ready to stand in an address."""
    taken: set[str] = set()
    counts: dict[str, int] = {}
    for name in names:
        key = short = name[:MOST]
        while key in taken:
            counts[short] = counts.get(short, 1) + 1
            key = f"{short}~{counts[short]}"
        taken.add(key)
        yield quote(key, safe="")


def address(task: str, run: str | None = None, sample: int | None = None) -> str:
    """The part of the page's address that opens a task, a run's answers to it, or one of them, by keys."""
    parts = [f"#task={task}"]
    if run is not None:
        parts.append(f"model={run}")
    if sample is not None:
        parts.append(f"sample={sample}")
    return "&".join(parts)
