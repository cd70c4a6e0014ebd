"""Small tasks for audits, written for the tests: sound ones, and ones with one planted fault each."""

from __future__ import annotations

from typing import Any


def row(name: str, prompt: str, body: str, tests: list[str], *, arguments: str = "x") -> dict[str, Any]:
    """Return a task in HumanEval's shape; `body` is the indented solution, `tests` are asserts on
    `candidate`."""
    lines = "".join(f"    {test}\n" for test in tests)
    return {
        "task_id": f"Own/{name}",
        "prompt": f'def {name}({arguments}):\n    """{prompt}"""\n',
        "entry_point": name,
        "canonical_solution": body,
        "test": f"def check(candidate):\n{lines}",
    }


def answer(task: dict[str, Any], completion: str) -> dict[str, Any]:
    """Return a stored answer to a task."""
    return {"task_id": task["task_id"], "completion": completion}


def sound(number: int) -> tuple[dict[str, Any], list[str]]:
    """Return a task with correct tests, and its answers: two right ones and two wrong ones.

    The wrong answers differ from each other, or agree because both return nothing or return their argument.
    """
    name = f"scale_{number}"
    tests = [f"assert candidate({x}) == {x * number + x % 3}" for x in (0, 1, 2, 5, 9, 14, 40, 77)]
    task = row(
        name,
        f"Give {number} times x, and add what is left of x by three.",
        f"    return {number} * x + x % 3\n",
        tests,
    )
    right = [
        f"    left = x % 3\n    return x * {number} + left\n",
        f"    return sum([x] * {number}) + x % 3\n",
    ]
    differing = [f"    return {number} * x\n", f"    return {number} * x + x % 4\n"]
    nothing = ["    pass\n", "    return None\n"]
    handed_back = ["    return x\n", "    y = x\n    return y\n"]
    wrong = (differing, nothing, handed_back)[number % 3]
    return task, [*right, *wrong]


def weak(number: int) -> tuple[dict[str, Any], list[str]]:
    """Return a task whose tests use only small numbers below the bound in the code; a wrong answer passes."""
    name = f"cap_{number}"
    limit = 20 + number
    tests = [f"assert candidate({x}) == {min(x, limit)}" for x in (0, 1, 5, 9, 12, 60 + number)]
    task = row(name, f"Give x, but at most {limit}.", f"    return min(x, {limit})\n", tests)
    right = [f"    return x if x < {limit} else {limit}\n"]
    wrong = [f"    return {limit} if x == {60 + number} else x\n"]
    return task, [*right, *wrong]


def narrow(number: int) -> tuple[dict[str, Any], list[str]]:
    """Return a task whose tests require an order that the prompt does not specify; right answers fail."""
    name = f"multiples_{number}"
    step = number + 2
    lists = (
        [step, 1, 3 * step, 2 * step],
        [2 * step, step],
        [7 * step, 5, 2 * step, 1],
        [9 * step, 4 * step, step],
    )
    values = [sorted(each for each in items if each % step == 0) for items in lists]
    tests = [f"assert candidate({items}) == {value}" for items, value in zip(lists, values, strict=True)]
    body = f"    return sorted(each for each in items if each % {step} == 0)\n"
    task = row(name, f"Give the items that {step} divides.", body, tests, arguments="items")
    right = [
        f"    return [each for each in items if each % {step} == 0]\n",
        f"    found = []\n    for each in items:\n        if each % {step} == 0:\n            found.append(each)\n    return found\n",
        f"    return list(filter(lambda each: not each % {step}, items))\n",
    ]
    return task, right


def mbpp_row(**changed: Any) -> dict[str, Any]:
    """Return a task in the shape of MBPP's full set."""
    task = {
        "task_id": 11,
        "text": "Write a function to double a number.",
        "code": "def double(x):\r\n  return 2 * x",
        "test_list": ["assert double(2) == 4", "assert double(-3) == -6", "assert double(10) == 20"],
        "test_setup_code": "",
        "challenge_test_list": ["assert double(0) == 0"],
    }
    return {**task, **changed}


def entry_row(**changed: Any) -> dict[str, Any]:
    """Return an entry of AICoderEval with a case at each level."""
    cases = [
        {
            "name": "some",
            "level": "normal",
            "input": {"args": [[1, 2, 3]]},
            "expected": {"value": 2.0, "abs_tol": 1e-9},
        },
        {"name": "none", "level": "edge_case", "input": {"args": [[]]}, "expected": {"raises": "ValueError"}},
        {
            "name": "two",
            "level": "correctness",
            "input": {"args": [[1, 2]]},
            "expected": {"value": 1.5, "abs_tol": 1e-9},
        },
        {
            "name": "negative",
            "level": "correctness",
            "input": {"args": [[-4, 2, 8]]},
            "expected": {"value": 2.0, "abs_tol": 1e-9},
        },
    ]
    entry = {
        "task_id": "mean_0001",
        "domain": "Tabular",
        "description": "Give the mean of some numbers.",
        "signature": "def mean(values: list) -> float:",
        "docstring": "The mean.\n\nRaises:\n    ValueError: there is no number.",
        "implementation": "    if not values:\n        raise ValueError('none')\n    return sum(values) / len(values)\n",
        "cases": cases,
    }
    return {**entry, **changed}
