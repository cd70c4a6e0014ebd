"""Which test files a change reaches, how closely, and which of them fit the time.

A test file is selected for the first of these reasons that applies:

1. it changed itself, or it reads the whole source;
2. it is named after a changed module and lies in the tests of its package, as `tests/text/test_refusals.py`
   does for `benchwright/text/refusals.py`;
3. it imports a changed module, or reads a changed file that is no module; then through one module, two, ...

The closest files come first and, of equally close ones, the cheapest; the time is filled in this order. A
file that does not fit, or that is farther away than `FARTHEST`, is left out and reported. What neither an
import nor a file name connects with the change is not found: data that one command writes for another, for
example. `./run test` runs everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

from kit.sharing import LONGEST
from tools.quick.imports import Graph, Test, module_of

ITSELF, NAMED_AFTER, CLOSEST_IMPORT = 0, 1, 2
# An import is one step, a name that is loaded as "module:object" three: a test of a command is five away.
FARTHEST = CLOSEST_IMPORT + 5 - 1
# What a file takes that was never measured and stands in the list of those that take half a minute or more.
EXPENSIVE_S = 60.0
# These read the whole source, so that every change of Python reaches them.
ALWAYS = ("tests/structure/", "tests/test_size_limits.py")


class AffectedFile(NamedTuple):
    """A test file that the change reaches: how closely, at which cost in processor seconds, and why."""

    closeness: int
    is_elsewhere: bool
    cpu_s: float
    path: str
    reason: str


class Selection(NamedTuple):
    """Test files to run, those that are reached but do not fit the time, and those that are not reached."""

    chosen: tuple[AffectedFile, ...]
    left_out: tuple[AffectedFile, ...]
    unreached: tuple[str, ...]


def select(
    graph: Graph, changed: Iterable[str], seconds: Mapping[str, float], limit_s: float | None
) -> Selection:
    """Choose the test files for the changed paths; `limit_s` bounds the sum of their processor seconds.

    Files that changed themselves, and those that read the whole source, are chosen whatever they cost.
    """
    reached = sorted(_reached(graph, tuple(changed), seconds))
    chosen: list[AffectedFile] = []
    left_out: list[AffectedFile] = []
    spent = 0.0
    for each in reached:
        is_close = each.closeness <= FARTHEST and spent + each.cpu_s <= (limit_s or 0.0)
        fits = limit_s is None or each.closeness == ITSELF or is_close
        (chosen if fits else left_out).append(each)
        spent += each.cpu_s if fits else 0.0
    found = {each.path for each in reached}
    unreached = tuple(test.path for test in graph.tests if test.path not in found)
    return Selection(tuple(chosen), tuple(left_out), unreached)


def _reached(graph: Graph, changed: tuple[str, ...], seconds: Mapping[str, float]) -> list[AffectedFile]:
    modules = _changed_modules(graph, changed)
    distances = graph.distances(modules)
    found = []
    for test in graph.tests:
        reason = _reason(test, changed, modules, distances)
        if reason:
            elsewhere = not any(_is_tested_in(path, test.path) for path in changed)
            found.append(AffectedFile(reason[0], elsewhere, seconds[test.path], test.path, reason[1]))
    return found


def _changed_modules(graph: Graph, changed: tuple[str, ...]) -> dict[str, str]:
    """Module to the changed path that stands for it: a data file stands for the modules of its package."""
    modules = {}
    for path in changed:
        if module := module_of(path):
            modules[module] = path
        elif path.startswith("src/"):
            for owner in _owners(graph, path):
                modules.setdefault(owner, path)
    return modules


def _owners(graph: Graph, path: str) -> list[str]:
    """Modules of the nearest package above a data file."""
    folder = PurePosixPath(path).parent
    while folder.parts:
        package = ".".join(folder.parts[1:])
        direct = [name for name in graph.modules if name.rpartition(".")[0] == package]
        if direct:
            return direct
        folder = folder.parent
    return []


def _reason(
    test: Test, changed: tuple[str, ...], modules: Mapping[str, str], distances: Mapping[str, int]
) -> tuple[int, str] | None:
    """The closest way from the change to a test file, with its closeness."""
    if test.path in changed:
        return ITSELF, "changed"
    if test.path.startswith(ALWAYS) and any(path.endswith(".py") for path in changed):
        return ITSELF, "reads the whole source"
    if named := next((path for path in changed if _is_named_after(test.path, path)), None):
        return NAMED_AFTER, f"named after {named}"
    ways = [(distances[name] + step, name) for name, step in test.modules.items() if name in distances]
    if read := next((path for path in changed if _reads(test, path)), None):
        ways.append((1, read))
    if not ways:
        return None
    cost, name = min(ways)
    return (
        CLOSEST_IMPORT + cost - 1,
        f"uses {name}" if cost == 1 else f"reaches it through {name} ({cost} steps)",
    )


def _is_tested_in(path: str, test: str) -> bool:
    """Whether a test file lies in the tests of the package that holds a module."""
    parts = PurePosixPath(path).parts
    if parts[:2] == ("src", "benchwright"):
        parts = parts[2:]
    if parts[:2] == ("tests", "kit"):
        return PurePosixPath(test).parent == PurePosixPath("tests")
    return len(parts) > 1 and test.startswith(f"tests/{parts[0]}/")


def _is_named_after(test: str, path: str) -> bool:
    """Whether a test file carries the name of a module of the package whose tests it belongs to."""
    if not path.endswith(".py") or not _is_tested_in(path, test):
        return False
    stem = PurePosixPath(path).stem
    own = stem if stem != "__init__" else PurePosixPath(path).parent.name
    return f"_{own}_" in f"_{PurePosixPath(test).stem}_"


def _reads(test: Test, path: str) -> bool:
    """Whether a test file names a changed file that is no module, or lies beside it."""
    if path.endswith(".py") and not path.startswith(("examples/", "tests/")):
        return False
    place = PurePosixPath(path)
    if place.name in {"conftest.py"}:
        return str(place.parent) == "." or test.path.startswith(f"{place.parent}/")
    if path.startswith("docs/"):
        return test.path.startswith("tests/docs/") or place.name in test.text
    if any(name in test.text for name in _written(place)):
        return True
    is_beside = path.startswith("tests/") and not path.endswith(".py")
    folder = PurePosixPath(test.path).parent
    return (
        is_beside and folder in place.parents and (place.parent == folder or place.parent.name in test.text)
    )


def _written(place: PurePosixPath) -> list[str]:
    """How a test names a file; one without a suffix, such as `run`, could be any word."""
    return [place.name] if place.suffix else [f"./{place}", f'/ "{place}"', f"/{place.name}"]


def estimated_seconds(measured: Mapping[str, float], graph: Graph) -> dict[str, float]:
    """Processor seconds of each test file: as measured, else guessed by its number of tests."""
    found = {}
    for test in graph.tests:
        guess = EXPENSIVE_S if test.path in LONGEST else 0.5 + 0.3 * test.text.count("\ndef test_")
        found[test.path] = measured.get(test.path, guess)
    return found
