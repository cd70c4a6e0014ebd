"""Test cases as data: arguments of a call, and the expected result."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from benchwright.contracts.specs import ProgramSpec
from benchwright.records import Record


class CaseLevel(StrEnum):
    """Purpose of a test case; the three levels of AICoderEval."""

    normal = "normal"
    edge_case = "edge_case"
    correctness = "correctness"


class CaseInput(Record, frozen=True, kw_only=True):
    """The arguments of one call, as JSON.

    Two objects with one key represent what JSON cannot: {"$file": "NAME"} is the path of the file NAME in the
    answer's folder, {"$literal": "(1, 2)"} a Python literal. `files` maps each file to its recipe in
    `cases.recipes` with parameters, such as {"kind": "image", "width": 32}.
    """

    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    files: dict[str, dict[str, Any]] = {}


class Expected(Record, frozen=True, kw_only=True):
    """Expected result of a call: exactly one of `value`, `raises` and `properties`.

    `value` is JSON with the objects of `CaseInput`; its floats are compared with the tolerances. `raises`
    is the name of an exception type; a subclass is accepted. `properties` are checks by name with a
    parameter, which all must pass (`cases.checking`). `twin_value` is the expected value on the second
    stand-in, for a value that depends on a stand-in model.
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
    """Judged by values, in one execution per level. The levels are the parts of the judgement.

    `links` are symbolic links, created in the answer's /tmp before anything is loaded: name in /tmp, target
    in the jail. With `twin_links`, levels that have cases with a `twin_value` are also executed with these
    links. With `until_failed`, execution stops after the first level that does not pass; later levels are
    no parts.
    """

    cases: list[CallCase]
    links: dict[str, str] = {}
    twin_links: dict[str, str] = {}
    until_failed: bool = False

    @property
    def executions(self) -> int:
        """One for each level with cases, and one for each level executed on the second stand-in."""
        return len({case.level for case in self.cases}) + len(self.twin_levels)

    @property
    def twin_levels(self) -> set[CaseLevel]:
        """Levels that are executed on the second stand-in too."""
        cases = self.cases if self.twin_links else []
        return {case.level for case in cases if case.expected.twin_value is not None}
