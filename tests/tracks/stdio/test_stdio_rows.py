"""Rows of programs: four shapes of one problem, and errors with the field."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import DataError
from benchwright.records import Task
from benchwright.tracks.row_detection import track_of_row
from benchwright.tracks.stdio.rows import MAX_CASES
from benchwright.tracks.stdio.track import TRACK, problem_of
from kit.stdio_rows import CASES, SUM, apps_row, contest_row, live_row, live_tests, own_row, packed

SHAPES: dict[str, Callable[..., dict[str, Any]]] = {
    "own": own_row,
    "apps": apps_row,
    "contest": contest_row,
    "live": live_row,
}


def _load(tmp_path: Path, row: dict[str, Any]) -> Task:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row) + "\n")
    (task,) = TRACK.load(path)
    return task


@pytest.mark.parametrize("shape", SHAPES)
def test_each_shape_is_the_same_problem(shape: str, tmp_path: Path) -> None:
    """Cases are in order, the default language is Python, and the fields identify the track."""
    row = SHAPES[shape]()
    task = _load(tmp_path, row)
    problem = problem_of(task)
    cases = [(case.input, case.expected) for case in problem.cases]

    assert (CASES, "Python", "stdio", row) == (cases, problem.lang, track_of_row(row), TRACK.to_row(task))


@pytest.mark.parametrize(("shape", "gold"), [("own", SUM), ("apps", SUM), ("contest", SUM), ("live", None)])
def test_the_solution_of_a_row_is_gold(shape: str, gold: str | None, tmp_path: Path) -> None:
    """A Python solution is gold for Python only; LiveCodeBench has none."""
    task = _load(tmp_path, SHAPES[shape]())

    assert (gold, None) == (TRACK.gold(task), TRACK.in_form("Go").gold(task))


def test_limits_come_from_the_row(tmp_path: Path) -> None:
    """CodeContests has a duration and bytes; otherwise the limits of the track apply."""
    given, none = (
        _load(tmp_path, contest_row()),
        _load(tmp_path, contest_row(time_limit=None, memory_limit_bytes=0)),
    )
    limits = [(problem_of(task).cpu_s, problem_of(task).memory_mb) for task in (given, none)]

    assert limits == [(1.5, 245), (2.0, 512)]


def test_a_published_row_may_say_how_its_outputs_are_compared(tmp_path: Path) -> None:
    """The fields of our shape, next to those of APPS."""
    problem = problem_of(_load(tmp_path, apps_row(compare="floats", abs_tol=1e-3, lang="cpp", cpu_s=1)))

    assert (problem.compare, problem.abs_tol, problem.lang, problem.cpu_s) == ("floats", 1e-3, "C++", 1.0)


def test_an_input_may_be_a_list_of_lines(tmp_path: Path) -> None:
    """APPS writes some inputs in this way."""
    problem = problem_of(_load(tmp_path, apps_row(tests={"inputs": [["1 2", "3"]], "outputs": [["6", ""]]})))

    assert (problem.cases[0].input, problem.cases[0].expected) == ("1 2\n3", "6\n")


def test_private_tests_may_be_compressed_json(tmp_path: Path) -> None:
    """JSON in zlib in base64 is read, within limits."""
    tests = packed(json.dumps(live_tests()[1:]).encode())

    assert CASES[1][0] == problem_of(_load(tmp_path, live_row(private_test_cases=tests))).cases[1].input


def test_the_comparison_is_part_of_a_tasks_revision(tmp_path: Path) -> None:
    """Another comparison gives another verdict; a solution or a tag does not."""
    plain = _load(tmp_path, own_row()).revision
    other = [
        _load(tmp_path, own_row(**fields)).revision for fields in ({"compare": "lines"}, {"tags": ["a"]})
    ]

    assert [revision != plain for revision in other] == [True, False]


class _Bomb:
    def __reduce__(self) -> tuple[Any, ...]:
        return (open, ("/tmp/benchwright-was-unpickled", "w"))


CHECKER = "def check(input, expected, actual):\n    return True\n"
BAD: dict[str, tuple[dict[str, Any], str]] = {
    "unknown field": (own_row(testcases=[]), "testcases"),
    "no cases": ({"id": 1, "prompt": "x"}, "cases"),
    "empty cases": (own_row(cases=[]), "cases"),
    "too many cases": (own_row(cases=[{"input": ""}] * (MAX_CASES + 1)), "cases"),
    "input is a number": (own_row(cases=[{"input": 1}]), "cases[0].input"),
    "large input": (own_row(cases=[{"input": "x" * (9 << 20)}]), "cases[0]"),
    "unknown language": (own_row(lang="Pyton"), "lang"),
    "unknown comparison": (own_row(compare="similar"), "compare"),
    "tolerance without floats": (own_row(abs_tol=0.1), "abs_tol"),
    "floats without tolerance": (own_row(compare="floats"), "compare"),
    "negative tolerance": (own_row(compare="floats", abs_tol=-1), "abs_tol"),
    "checker without source": (own_row(compare="checker"), "checker"),
    "source without checker": (own_row(checker=CHECKER), "compare"),
    "checker that does not parse": (own_row(compare="checker", checker="def check(:"), "checker"),
    "checker of another name": (own_row(compare="checker", checker="def judge(): 1"), "checker"),
    "time limit": (own_row(cpu_s=0), "cpu_s"),
    "memory limit": (own_row(memory_mb=1 << 20), "memory_mb"),
    "limit of a case": (own_row(cases=[{"input": "", "memory_mb": 1}]), "cases[0].memory_mb"),
    "command by path": (own_row(commands={"source": "a", "run": ["/bin/sh"]}), "commands.run"),
    "empty command": (own_row(commands={"source": "a", "run": []}), "commands.run"),
    "source in a folder": (own_row(commands={"source": "../a", "run": ["x"]}), "commands.source"),
    "APPS: no JSON": (apps_row(input_output="{'inputs': []}"), "input_output"),
    "APPS: empty": (apps_row(input_output=""), "input_output"),
    "APPS: call-based": (
        apps_row(tests={"fn_name": "f", "inputs": [], "outputs": []}),
        "input_output.fn_name",
    ),
    "APPS: uneven": (apps_row(tests={"inputs": ["1"], "outputs": []}), "input_output"),
    "APPS: numbers": (apps_row(tests={"inputs": [1], "outputs": [2]}), "input_output"),
    "APPS: deep": (apps_row(input_output="[" * 100_000), "input_output"),
    "CodeContests: uneven": (contest_row(private_tests={"input": ["1"], "output": []}), "private_tests"),
    "CodeContests: no list": (contest_row(public_tests={"input": "1", "output": "1"}), "public_tests.input"),
    "CodeContests: file": (contest_row(input_file="input.txt"), "input_file"),
    "CodeContests: time": (contest_row(time_limit="2 s"), "time_limit"),
    "CodeContests: bytes": (contest_row(memory_limit_bytes=-5), "memory_limit_bytes"),
    "LiveCodeBench: functional": (
        live_row(public_test_cases=json.dumps(live_tests(kind="functional"))),
        "public_test_cases",
    ),
    "LiveCodeBench: pickle": (
        live_row(private_test_cases=packed(pickle.dumps(_Bomb()))),
        "private_test_cases",
    ),
    "LiveCodeBench: no base64": (live_row(private_test_cases="%%%"), "private_test_cases"),
    "LiveCodeBench: no zlib": (live_row(private_test_cases="aGVsbG8="), "private_test_cases"),
    "LiveCodeBench: cut": (live_row(private_test_cases=packed(b"[1]" * 999)[:20]), "private_test_cases"),
    "LiveCodeBench: bomb": ({}, "private_test_cases"),  # packing takes half a second, so its test does it
    "LiveCodeBench: other JSON": (live_row(private_test_cases=packed(b'{"a": 1}')), "private_test_cases"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_wrong_with_a_row(name: str, tmp_path: Path) -> None:
    """The error has file, line and field, and a hint if there is a correction."""
    row, field = BAD[name]
    row = row or live_row(private_test_cases=packed(bytes(140 << 20)))
    with pytest.raises(DataError) as caught:
        _load(tmp_path, row)
    error = caught.value

    assert (str(tmp_path / "rows.jsonl"), 1, field) == (error.path, error.line, error.field)


def test_a_pickle_is_never_executed(tmp_path: Path) -> None:
    """Its first byte identifies it, and the hint says how to convert the row."""
    with pytest.raises(DataError, match="pickle") as caught:
        _load(tmp_path, live_row(private_test_cases=packed(pickle.dumps(_Bomb()))))

    assert (
        Path("/tmp/benchwright-was-unpickled").exists(),
        "stdio-tasks.md" in (caught.value.hint or ""),
    ) == (False, True)


def test_the_guides_script_converts_a_pickle(tmp_path: Path) -> None:
    """It reads the one text in a pickle of LiveCodeBench; the row is then read like any other."""
    guide = (Path(__file__).parents[3] / "docs/stdio-tasks.md").read_text()
    script = guide.partition("```python\nimport base64")[2].partition("```")[0]
    row = live_row(private_test_cases=packed(pickle.dumps(json.dumps(live_tests()[1:]))))
    done = subprocess.run(
        [sys.executable, "-c", f"import base64{script}"],
        input=json.dumps(row),
        capture_output=True,
        text=True,
        check=True,
    )

    assert [
        (case.input, case.expected) for case in problem_of(_load(tmp_path, json.loads(done.stdout))).cases
    ] == CASES
