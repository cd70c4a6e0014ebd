"""Test cases as data: what a function is called with, and what must come of it."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from benchwright.contracts.specs import ProgramSpec
from benchwright.records import Record


class CaseLevel(StrEnum):
    """What a test case is for; the three levels of AICoderEval."""

    normal = "normal"
    edge_case = "edge_case"
    correctness = "correctness"


class CaseInput(Record, frozen=True, kw_only=True):
    """The arguments of one call, as JSON.

    Two objects of one key stand for what JSON cannot write: {"$file": "NAME"} is the path of the file of
    that name in the answer's folder, {"$literal": "(1, 2)"} a Python literal. `files` says how each file is
    made: a recipe of `cases.recipes` with its parameters, such as {"kind": "image", "width": 32}.
    """

    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    files: dict[str, dict[str, Any]] = {}


class Expected(Record, frozen=True, kw_only=True):
    """What a call must do: exactly one of the first three.

    `value` is JSON with the objects of `CaseInput`, compared with the tolerances wherever it holds a float.
    `raises` is the name of an exception type: that one or a subclass of it. `properties` are checks by name
    with their parameter, all of which must hold: see `cases.checking`. `twin_value` stands beside a value
    that comes of a model on stand-ins: what must come on the second of them.
    """

    value: Any = None
    raises: str = ""
    properties: dict[str, Any] = {}
    rel_tol: float = 0.0
    abs_tol: float = 0.0
    twin_value: Any = None


class CallCase(Record, frozen=True, kw_only=True):
    """One test case."""

    name: str
    level: CaseLevel
    input: CaseInput
    expected: Expected
    description: str = ""


class LevelsSpec(ProgramSpec, frozen=True, kw_only=True, tag="levels"):
    """Cases judged on values that came out, one execution for each level; its parts are the levels.

    `links` are symbolic links that the answer's side makes in its own /tmp before anything is loaded:
    the name there, and what it points to in the jail. With `twin_links`, levels that have cases with a
    `twin_value` are executed with these links too. With `until_failed` nothing is executed behind the first
    level that does not pass, and the levels there are no parts.
    """

    cases: list[CallCase]
    links: dict[str, str] = {}
    twin_links: dict[str, str] = {}
    until_failed: bool = False

    @property
    def executions(self) -> int:
        """One for each level that has cases, and one for each that is executed on the second stand-in."""
        return len({case.level for case in self.cases}) + len(self.twin_levels)

    @property
    def twin_levels(self) -> set[CaseLevel]:
        """The levels that are executed on the second stand-in too."""
        cases = self.cases if self.twin_links else []
        return {case.level for case in cases if case.expected.twin_value is not None}
