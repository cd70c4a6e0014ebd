"""Keys of tasks and runs in the page's addresses.

Names are for reading, and two of them may look alike: equal names on two tracks, or a control character
and its escaped form. A key is the name if that is short and unused, else a variant of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from urllib.parse import quote

MOST = 80  # characters of a name in a key


def unlike(names: Iterable[str]) -> Iterator[str]:
    """A distinct key for each name, quoted for an address."""
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
    """The part of the page's address that opens a task, a run's answers to it, or one answer, by keys."""
    parts = [f"#task={task}"]
    if run is not None:
        parts.append(f"model={run}")
    if sample is not None:
        parts.append(f"sample={sample}")
    return "&".join(parts)
