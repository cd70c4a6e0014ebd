"""A task with its canonical solution, as executing gates and audits use it, independent of its origin."""

from __future__ import annotations

from benchwright.contracts import ProgramSpec
from benchwright.records import Record


class SolvedTask(Record, frozen=True, kw_only=True):
    """A task with its programs. `gold`, `alternatives` and the values of `wrong` define `entry_point`."""

    unit: str  # how drops, findings and messages name it
    revision: str  # content key of all that decides what it is
    prompt: str  # the text that a model sees
    entry_point: str
    gold: str
    spec: ProgramSpec
    tests: str = ""  # the text of the tests, to be compared with the prompt
    alternatives: list[str] = []
    wrong: dict[str, str] = {}
    equivalent_mutants: list[str] = []  # declared by whoever wrote the task, and tried all the same
    idle_mutants: list[str] = []  # known to be equivalent by how verdicts are given; not executed
