"""Rows of programs, written for the tests: in our shape, and in those of APPS, CodeContests and
LiveCodeBench.

The published rows may not be distributed with this project; their shapes are those of the public loaders.
"""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

SUM = "print(sum(map(int, input().split())))"
CASES = [("1 2\n", "3\n"), ("5 6\n", "11\n")]


def own_row(**fields: Any) -> dict[str, Any]:
    """Return a task in our shape."""
    cases = [{"input": given, "output": wanted} for given, wanted in CASES]
    return {
        "id": "sum",
        "prompt": "Print the sum of two integers.",
        "cases": cases,
        "solution": SUM,
        **fields,
    }


def apps_row(*, tests: Any = None, **fields: Any) -> dict[str, Any]:
    """Return a row in the shape of APPS."""
    found = {"inputs": [given for given, _ in CASES], "outputs": [wanted for _, wanted in CASES]}
    row = {"problem_id": 7, "question": "Print the sum.", "solutions": json.dumps([SUM]), "starter_code": ""}
    row |= {"difficulty": "introductory", "url": "https://example.org/7"}
    return {**row, "input_output": json.dumps(found if tests is None else tests), **fields}


def contest_row(**fields: Any) -> dict[str, Any]:
    """Return a row in the shape of CodeContests."""
    groups = [{"input": [given], "output": [wanted]} for given, wanted in CASES]
    row = {
        "name": "1_A. Sum",
        "description": "Print the sum.",
        "public_tests": groups[0],
        "private_tests": groups[1],
    }
    row |= {
        "generated_tests": {"input": [], "output": []},
        "solutions": {"language": [1, 3], "solution": ["print 1", SUM]},
    }
    row |= {"time_limit": {"seconds": 1, "nanos": 500_000_000}, "memory_limit_bytes": 256_000_000}
    return {**row, "input_file": "", "output_file": "", **fields}


def live_tests(*, kind: str = "stdin") -> list[dict[str, str]]:
    """Return tests in the shape of LiveCodeBench."""
    return [{"input": given, "output": wanted, "testtype": kind} for given, wanted in CASES]


def live_row(**fields: Any) -> dict[str, Any]:
    """Return a row in the shape of LiveCodeBench, whose private tests are plain JSON."""
    row = {
        "question_title": "Sum",
        "question_content": "Print the sum.",
        "platform": "atcoder",
        "question_id": "a1",
    }
    row |= {"starter_code": "", "difficulty": "easy", "metadata": "{}"}
    tests = live_tests()
    return {
        **row,
        "public_test_cases": json.dumps(tests[:1]),
        "private_test_cases": json.dumps(tests[1:]),
        **fields,
    }


def packed(data: bytes) -> str:
    """Pack bytes as LiveCodeBench packs its private tests: zlib and base64."""
    return base64.b64encode(zlib.compress(data)).decode()
