"""The recipe's gates: every reason, in its order, and no row dropped as the double of a dropped one."""

from __future__ import annotations

from typing import Any

import pytest

from benchwright.building.codecorrectness.options import RowBounds
from benchwright.building.codecorrectness.row_gates import CHEAP, GATES
from benchwright.building.codecorrectness.row_records import Candidate
from benchwright.building.engine.gates import admit, open_gates
from benchwright.records import Drop
from kit.made_candidates import TAGS, candidate
from kit.made_repositories import cases_of, function

_SOCKET = "import socket\n\nNAME = socket.gethostname()\n" + function("sum_1")
_CALLERS = "import sys\n\nWHO = sys._getframe().f_back\n" + function("sum_1")
_SEED = "import random\n\nSEED = random.random()\n" + function("sum_1")


def _reasons(*candidates: Candidate, **bounds: Any) -> list[str]:
    found = admit(candidates, open_gates(GATES, (), RowBounds(**bounds)))
    return [each.reason if isinstance(each, Drop) else "" for each in found]


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({}, ""),
        ({"test_code": "# long\n" * 1000}, "test_too_large"),
        ({"focal_code": "\n"}, "focal_empty"),
        ({"tags": {**TAGS, "test_lines": 1}}, "test_too_small"),
        ({"tags": {**TAGS, "asserts": 21}}, "too_many_asserts"),
        ({"focal_code": "def (:\n"}, "focal_syntax"),
        ({"tags": {**TAGS, "dynamic_cases": True}}, "dynamic_cases"),
        ({"tags": {**TAGS, "focal_uses": ["network"]}, "focal_code": _SOCKET}, "uses_network"),
        ({"tags": {**TAGS, "test_uses": ["assets", "time"]}}, "uses_assets"),
        ({"tags": {**TAGS, "test_uses": ["time", "threads"]}}, ""),
        ({"tags": {**TAGS, "focal_uses": ["random", "time"]}, "focal_code": _SEED}, "uses_random"),
        ({"tags": {**TAGS, "focal_uses": ["callers"]}, "focal_code": _CALLERS}, "uses_callers"),
        ({"case": "test_other"}, "other_cases"),
        ({"focal_code": "from .sibling import x\n" + function("sum_1")}, "project_imports"),
    ],
)
def test_reasons(changed: dict[str, Any], reason: str) -> None:
    """One candidate, one fault, its name."""
    assert _reasons(candidate(1, **changed)) == [reason]


def test_a_java_file_with_two_public_classes() -> None:
    """No compiler takes it, so it is no project."""
    focal = (
        "public class Sum { public static int of(int a, int b) { return a + b; } }\npublic class Two { }\n"
    )
    test = (
        "import org.junit.jupiter.api.Test;\nimport static org.junit.jupiter.api.Assertions.assertEquals;\n"
        "class SumTest {\n  @Test\n  void small() {\n    assertEquals(3, Sum.of(1, 2));\n  }\n}\n"
    )
    fields = {"lang": "Java", "focal_path": "Sum.java", "test_path": "SumTest.java", "case": "SumTest#small"}

    assert _reasons(candidate(1, focal_code=focal, test_code=test, **fields)) == ["layout_public_classes"]


def test_a_go_package_with_a_missing_sibling() -> None:
    """What another file of the package defines is not there."""
    focal = "package sums\n\nfunc Sum(a, b int) int { return plus(a, b) }\n"
    test = (
        'package sums\n\nimport "testing"\n\nfunc TestSum(t *testing.T) {\n'
        '\tif Sum(1, 2) != 3 {\n\t\tt.Fatal("no")\n\t}\n}\n'
    )
    fields = {"lang": "Go", "focal_path": "sum.go", "test_path": "sum_test.go", "case": "TestSum"}

    assert _reasons(candidate(1, focal_code=focal, test_code=test, **fields)) == ["project_imports"]


def test_exact_duplicates() -> None:
    """The first stays, whatever repository the second is in."""
    assert _reasons(candidate(1), candidate(2), candidate(1, repository="fork")) == ["", "", "duplicate"]


def _long(number: int, constant: int) -> Candidate:
    """A test of many lines of which one number can change, on a focal file that stays."""
    many = "".join(f"    assert sum_1({each}, {each}) == {2 * each}\n" for each in range(40))
    test = f"from sum_1 import sum_1\n\n\ndef test_small():\n{many}    assert sum_1(1, {constant})\n"
    focal = function(f"sum_{number}") if number > 1 else function("sum_1")
    return candidate(1, focal_code=focal + function("sum_1") if number > 1 else focal, test_code=test)


def test_near_duplicates() -> None:
    """A test pasted with one number changed is one row twice."""
    assert _reasons(_long(1, 5), _long(1, 6)) == ["", "near_duplicate"]
    assert _reasons(_long(1, 5), _long(1, 6), likeness=1.0) == ["", ""]


def test_like_tests_of_other_code_are_two_rows() -> None:
    """The same test on code that differs asks another question."""
    other = "def sum_1(first, *rest):\n    total = first\n    for each in rest:\n        total += each\n    return total\n"
    first, second = _long(1, 5), candidate(1, focal_code=other, test_code=_long(1, 6).test_code)

    assert _reasons(first, second) == ["", ""]


def test_the_double_of_a_dropped_row_is_new() -> None:
    """Only kept rows are remembered."""
    assert _reasons(candidate(1, focal_code="\n"), candidate(1)) == ["focal_empty", ""]


def test_every_reason_of_a_drop() -> None:
    """The first counts; those of the other cheap gates stand beside it."""
    focal = "import requests\nfrom .sibling import x\n" + function("sum_1")
    poor = candidate(1, focal_code=focal, tags={**TAGS, "asserts": 21, "test_uses": ["random"]})
    (drop,) = admit([poor], open_gates(GATES, (), RowBounds()), cheap=CHEAP)

    assert isinstance(drop, Drop)
    assert drop.reason == "too_many_asserts"
    assert drop.also == ["uses_random", "project_imports", "needs_library"]


@pytest.mark.parametrize(
    ("focal", "reason"),
    [
        ("import requests\n", "needs_library"),
        ("try:\n    import requests\nexcept ImportError:\n    requests = None\n", ""),
        ("def fetch():\n    import requests\n", ""),
        ("import pytest\n", ""),
    ],
)
def test_libraries_that_are_not_there(focal: str, reason: str) -> None:
    """Known before anything is executed, but only where the file cannot be loaded without it."""
    assert _reasons(candidate(1, focal_code=focal + function("sum_1"))) == [reason]


def test_a_project_named_like_a_well_known_package() -> None:
    """Its own name is none of another's."""
    made = candidate(
        1,
        focal_path="slugify.py",
        focal_code=function("slugify"),
        test_code=cases_of("slugify", "slugify", "small"),
    )

    assert _reasons(made) == [""]


def test_random_numbers_that_are_not_drawn_on_import() -> None:
    """What a function draws is asked of an execution; a module that draws as it is loaded is no row."""
    draws = "import random\n\n\ndef other():\n    return random.random()\n\n\n"
    tagged = {**TAGS, "focal_uses": ["random"]}
    loaded = f"{draws}SEED = other()\n\n\n{function('sum_1')}"

    assert _reasons(candidate(1, focal_code=draws + function("sum_1"), tags=tagged)) == [""]
    assert _reasons(candidate(1, focal_code=loaded, tags=tagged)) == ["uses_random"]


def test_what_the_pair_needs_of_its_project() -> None:
    """Other files that it reaches, and what only a plug-in gives its test: each is named in the drop."""
    files = candidate(1, needs_files=["stamp/text.py"])
    plugin = candidate(2, needs_plugins=["the mark 'asyncio'"])
    drops = [
        each for each in admit([files, plugin], open_gates(GATES, (), RowBounds())) if isinstance(each, Drop)
    ]

    assert [(each.reason, each.detail) for each in drops] == [
        ("project_imports", "stamp/text.py"),
        ("needs_library", "the mark 'asyncio'"),
    ]
