"""A task with its canonical solution, as executing gates and audits use it, independent of its origin."""

from __future__ import annotations

from benchwright.contracts import ProgramSpec
from benchwright.records import Record


class SolvedTask(Record, frozen=True, kw_only=True):
    """A task with its programs. `gold`, `alternatives` and the values of `wrong` define `entry_point`."""

    unit: str  # name in drops, findings and messages
    revision: str  # content key of everything that decides it
    prompt: str  # the prompt
    entry_point: str
    gold: str
    spec: ProgramSpec
    tests: str = ""  # the text of the tests, to be compared with the prompt
    alternatives: list[str] = []
    wrong: dict[str, str] = {}
    equivalent_mutants: list[str] = []  # declared equivalent by the author, and tried anyway
    idle_mutants: list[str] = []  # equivalent for every verdict; not executed
