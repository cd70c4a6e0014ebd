"""Java suites that would be reported as passed by a runner that believes JUnit: each is a file with its focal
file, its test file after a mark, and in the first line what must become of it.

First line: `// FRAMEWORK: STATE[|STATE]: WORDS`, words that the report's detail holds. Names begin with the class
of attack: aborts; failures outside of a case; silent, an exception that reports no failure; names taken from
the platform or JUnit; classes written over; memory; rules and extensions of the focal file.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from java_attacks import FOCAL, TESTS

from benchwright.contracts import Suite
from benchwright.lang.source import cases

FOLDER = Path(__file__).parent / "forgeries"
_MARK = "// -- test --\n"


class Forgery(NamedTuple):
    """A suite, the states that are allowed, and words of the detail."""

    name: str
    states: tuple[str, ...]
    words: str
    suite: Suite


def forgeries() -> list[Forgery]:
    """All of the folder, by name."""
    return [_read(path) for path in sorted(FOLDER.glob("*.java"))]


def _read(path: Path) -> Forgery:
    head, _, rest = path.read_text("utf-8").partition("\n")
    framework, states, words = (part.strip() for part in head.removeprefix("//").split(":", 2))
    focal, _, test = rest.partition(_MARK)
    suite = Suite(
        lang="Java",
        framework=framework,
        files={FOCAL: focal, TESTS: test},
        focal=FOCAL,
        test=TESTS,
        cases=[case.name for case in cases(test, "Java")],
    )
    return Forgery(path.stem, tuple(states.split("|")), words, suite)
