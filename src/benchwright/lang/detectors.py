"""Static detectors: full names of modules, classes and functions, and what their use says of a file.

A name matches a detector that is equal to it or to a part of it that ends before a dot. What is meant is
that the file *can* depend on the thing: a name that is only mentioned counts, one reached by reflection
does not. Both ways of being wrong are known; to drop a pair too many costs less than to keep an unsteady one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

USES = (
    "time",  # reads the clock
    "sleep",  # waits
    "random",
    "network",
    "threads",  # threads, executors, goroutines
    "processes",
    "environment",  # environment variables, arguments, host, locale
    "files",  # opens or touches files
    "assets",  # loads a file by a path that is not part of the pair
    "async",
    "mocks",
    "prints",
    "reflection",  # reads its own source, frames or members, or runs computed code
    "callers",  # reads frames, constants or source of its callers, so it can know what a test expects
    "identity",  # hashes and addresses, whose order changes between runs
    "native",  # C libraries, unsafe memory
)


class Detectors:
    """A table from names to uses, built from one text of names per use."""

    def __init__(self, table: Mapping[str, str]) -> None:
        self._uses: dict[str, set[str]] = {}
        for use, names in table.items():
            assert use in USES, use
            for name in names.split():
                self._uses.setdefault(name, set()).add(use)

    def of(self, names: Iterable[str]) -> set[str]:
        """Return all uses that the names stand for."""
        found: set[str] = set()
        for name in names:
            part = name
            while part:
                found |= self._uses.get(part, set())
                part = part.rpartition(".")[0]
        return found
