"""Static detectors: full names of modules, classes and functions, and what their use says about a file.

A name matches a detector that equals it or a part of it that ends before a dot. The file *can* then depend on
the thing: a mentioned name counts, a name reached by reflection does not. Both errors are accepted: dropping
a pair too many costs less than keeping a flaky one.
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
