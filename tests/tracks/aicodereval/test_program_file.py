"""Entries as files: executed in the sandbox, with the progress lines and exit status of the format."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from benchwright.records import Outcome
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.commands import Command, CommandResult, run_command
from benchwright.sandbox.environments import Environment, interpreter
from benchwright.sandbox.limits import Limits
from benchwright.tracks.aicodereval.entry import BenchmarkEntry
from benchwright.tracks.aicodereval.program_file import program_file
from kit.made_entries import SOUND, TEXT, changed, with_case

PYTHON = (str(interpreter()), "-I", "-S", "entry.py")


@pytest.fixture(scope="module")
def box(jail: None) -> Iterator[Sandbox]:
    limits = Limits(output_bytes=1 << 20, cpu_s=5.0)
    with Sandbox(Environment(name="plain", open_files=128), limits=limits) as sandbox:
        yield sandbox


def run(box: Sandbox, row: dict[str, Any]) -> CommandResult:
    """Execute an entry's file in the sandbox, although it is our own code, and return its end."""
    text = program_file(msgspec.convert(row, BenchmarkEntry))
    return run_command(box, Command(argv=PYTHON, files={"entry.py": text.encode()}))


@pytest.mark.parametrize("row", SOUND, ids=lambda row: row["task_id"])
def test_a_sound_entry_succeeds(box: Sandbox, row: dict[str, Any]) -> None:
    """Each case has a start and an end, and is counted; the exit status is 0."""
    ran = run(box, row)

    cases = "".join(
        f"Testing case [{number}/4] started\nTest case [{number}/4] succeeded\n" for number in (1, 2, 3, 4)
    )
    assert ran.output.decode() == f"Testing started.\n{cases}Testing finished.\n"
    assert ran.status == 0


def test_a_failure_ends_with_another_status(box: Sandbox) -> None:
    """The failed case is named with its result; the other cases run too."""
    wrong = TEXT["implementation"].replace("return {'POSITIVE': share}", "return {'POSITIVE': 1.0}")
    ran = run(box, changed(TEXT, implementation=wrong))

    failed = "Test case [1/4] failed: AssertionError: gave {'POSITIVE': 1.0}, expected {'POSITIVE': 0.75}"
    assert failed in ran.output.decode() and "Test case [4/4] succeeded" in ran.output.decode()
    assert (ran.outcome, ran.status) == (Outcome.exception, 1)


@pytest.mark.parametrize(
    ("expected", "line"),
    [
        ({"raises": "KeyError"}, "failed: ValueError: no known word in the text"),
        ({"raises": "Exception"}, "succeeded"),
        ({"raises": "nowhere.Error"}, "failed: AssertionError: ValueError('no known word in the text')"),
        ({"value": None}, "failed: ValueError"),
    ],
)
def test_an_exception_is_of_the_type_or_not(box: Sandbox, expected: dict[str, Any], line: str) -> None:
    """A subclass passes; the message names another type."""
    output = run(box, with_case(TEXT, 1, expected=expected)).output.decode()

    assert f"Test case [2/4] {line}" in output


@pytest.mark.parametrize(
    ("properties", "line"),
    [
        ({"keys": ["POSITIVE"], "sums_to": 0.75}, "succeeded"),
        ({"equal_to_call": {"args": ["good! great, fine... boring"]}}, "succeeded"),
        ({"differs_from_call": {"args": ["good"]}}, "succeeded"),
        ({"differs_from_call": {"args": ["good! great, fine... boring"]}}, "failed: AssertionError: differs"),
        ({"range": [0.8, 1.0]}, "failed: AssertionError: gave {'POSITIVE': 0.75}, expected range [0.8, 1.0]"),
    ],
)
def test_properties_are_checked_as_the_judge_does(
    box: Sandbox, properties: dict[str, Any], line: str
) -> None:
    """The checks have the same source."""
    row = with_case(TEXT, 0, expected={"properties": properties, "abs_tol": 1e-6})

    assert f"Test case [1/4] {line}" in run(box, row).output.decode()


def test_a_file_says_what_it_needs() -> None:
    """The order is that of the format: packages, imports, function, tests."""
    text = program_file(msgspec.convert(changed(TEXT, libraries=["torch==2.13.0"]), BenchmarkEntry))
    places = [
        text.index(part) for part in ("# Package", "# pip install torch==2.13.0", "# Imports", "# Test")
    ]

    assert places == sorted(places) and text.startswith("# task_0001: Classify an English review")


def test_equal_entries_give_equal_bytes() -> None:
    """The file does not depend on the machine or the time."""
    texts = {program_file(msgspec.convert(changed(SOUND[1]), BenchmarkEntry)) for _ in range(3)}

    assert len(texts) == 1 and not re.search(r"/tmp|/home|0x[0-9a-f]{6}", texts.pop())


def test_names_of_cases_cannot_leave_their_docstring(box: Sandbox) -> None:
    """This holds for any quotes, line ends and backslashes in the names."""
    row = with_case(TEXT, 0, name='"""\nimport os; os._exit(9)\n"""\\')

    assert run(box, row).status == 0
