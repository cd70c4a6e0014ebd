"""Test cases as they are called, and each thing that can be wrong with one."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from benchwright.cases.reading import calls_of, faults_of, files_of, resolve
from benchwright.contracts import CallCase

TEXT = {"kind": "text", "text": "a"}


def case(**changes: Any) -> CallCase:
    row = {"name": "n", "level": "normal", "input": {"args": [1]}, "expected": {"value": 1}, **changes}
    return msgspec.convert(row, CallCase)


def codes(*cases: CallCase) -> list[tuple[str, str]]:
    return [(fault.code, fault.field) for fault in faults_of(cases)]


def test_objects_of_one_key_stand_for_values() -> None:
    """A literal, and a file's path; any other object is itself."""
    value = [{"$literal": "(1, {2})"}, {"a": {"$file": "x"}}, {"$literal": "1", "b": 2}, {"$literal": 3}]

    assert resolve(value, lambda name: f"/tmp/{name}") == [
        (1, {2}),
        {"a": "/tmp/x"},
        {"$literal": "1", "b": 2},
        {"$literal": 3},
    ]


def test_a_case_makes_its_call_and_those_it_is_compared_with() -> None:
    """In one order, each with its files' paths."""
    given = case(
        input={"args": [{"$file": "a"}], "kwargs": {"k": {"$literal": "b'x'"}}, "files": {"a": TEXT}},
        expected={
            "properties": {
                "type": "int",
                "differs_from_call": {"args": [2]},
                "equal_to_call": {"args": [{"$file": "a"}]},
            }
        },
    )

    assert calls_of(given) == [(("/tmp/a",), {"k": b"x"}), (("/tmp/a",), {}), ((2,), {})]
    assert files_of([given]) == {"a": b"a"} and codes(given) == []


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"expected": {"value": "ValueError"}}, ("exception_name_expected", "cases[0].expected.value")),
        ({"expected": {"value": "MyOwnError"}}, ("exception_name_expected", "cases[0].expected.value")),
        ({"expected": {"value": "StopIteration"}}, ("exception_name_expected", "cases[0].expected.value")),
        ({"expected": {"value": {"POSITIVE": 0.95}}}, ("float_equality", "cases[0].expected")),
        (
            {"expected": {"value": {"$literal": "(1, 0.5)"}}},
            ("float_equality", "cases[0].expected"),
        ),
        (
            {"expected": {"properties": {"each": {"sums_to": 1.0}}}},
            ("float_equality", "cases[0].expected"),
        ),
        ({"expected": {"value": 1, "raises": "KeyError"}}, ("expected_unclear", "cases[0].expected")),
        (
            {"expected": {"raises": "KeyError", "twin_value": 1}},
            ("expected_unclear", "cases[0].expected.twin_value"),
        ),
        ({"expected": {"value": 1, "twin_value": 0.5}}, ("float_equality", "cases[0].expected")),
        ({"expected": {"raises": "len"}}, ("bad_raises", "cases[0].expected.raises")),
        ({"expected": {"raises": "no type"}}, ("bad_raises", "cases[0].expected.raises")),
        ({"expected": {"value": 1, "abs_tol": -1}}, ("bad_tolerance", "cases[0].expected")),
        ({"expected": {"properties": {"kind": "int"}}}, ("bad_property", "cases[0].expected.properties")),
        (
            {"expected": {"properties": {"range": [0]}}},
            ("bad_property", "cases[0].expected.properties.range"),
        ),
        (
            {"expected": {"properties": {"type": "string"}}},
            ("bad_property", "cases[0].expected.properties.type"),
        ),
        (
            {"expected": {"properties": {"at": {"x": {"equal_to_call": {}}}}}},
            ("bad_property", "cases[0].expected.properties.at"),
        ),
        ({"expected": {"value": {"$literal": "1 +"}}}, ("bad_literal", "cases[0].expected")),
        ({"expected": {"value": {"$file": "x"}}}, ("bad_literal", "cases[0].expected")),
        ({"input": {"args": [{"$literal": "f()"}]}}, ("bad_literal", "cases[0].input")),
        ({"input": {"args": [{"$file": "x"}]}}, ("bad_file", "cases[0].input")),
        ({"input": {"files": {"../x": TEXT}}}, ("bad_file", "cases[0].input.files")),
        ({"input": {"files": {"x": {"kind": "film"}}}}, ("bad_file", "cases[0].input.files")),
    ],
)
def test_what_is_wrong_with_a_case_is_named(changes: dict[str, Any], found: tuple[str, str]) -> None:
    """By a code, and the field."""
    assert codes(case(**changes)) == [found]


@pytest.mark.parametrize(
    "expected",
    [
        {},
        {"value": "Error in the sentence"},
        {"value": {"POSITIVE": 0.95}, "abs_tol": 0.01},
        {"raises": "PIL.UnidentifiedImageError"},
        {"properties": {"range": [0.0, 1.0], "at": {"a": {"each": {"type": ["int", "float"]}}}}},
    ],
)
def test_sound_expectations_have_no_fault(expected: dict[str, Any]) -> None:
    """Nothing expected means None; a range needs no tolerance."""
    assert codes(case(expected=expected)) == []


def test_cases_of_one_entry_agree() -> None:
    """On names, and on how a file is made."""
    one = case(input={"files": {"x": TEXT}})
    other = case(input={"files": {"x": {"kind": "text", "text": "b"}}})

    assert codes(one, other) == [("case_twice", "cases[1].name"), ("bad_file", "cases[1].input.files")]
