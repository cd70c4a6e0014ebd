"""Where gold and an accepted answer differ, the audit asks: it proposes no test and blames neither."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchwright.auditing.findings import TaskFinding
from benchwright.executing.pool import Pool
from kit.audit_rows import row
from kit.audited import answered, audited, findings
from kit.examples import SCALE
from kit.needs import need_sandbox

# Golds with a fault that their tests do not show, and three right answers that differ in more than layout.
WRONG_GOLDS: list[tuple[dict[str, Any], list[str]]] = [
    (
        row(
            "units",
            "The product of the unit digits of two integers.",
            "    return (x % 10) * (y % 10)\n",
            [
                "assert candidate(12, 13) == 6",
                "assert candidate(-10, 7) == 0",
                "assert candidate(5, -20) == 0",
                "assert candidate(29, 18) == 72",
                "assert candidate(0, 44) == 0",
            ],
            arguments="x, y",
        ),
        [
            "    return (abs(x) % 10) * (abs(y) % 10)\n",
            "    x, y = abs(x), abs(y)\n    return x % 10 * (y % 10)\n",
            "    return int(str(x)[-1]) * int(str(y)[-1])\n",
        ],
    ),
    (
        row(
            "middle",
            "The middle of a list of numbers once it is sorted; of an even number the lower one.",
            "    return items[(len(items) - 1) // 2]\n",
            [
                "assert candidate([1, 2, 3]) == 2",
                "assert candidate([7, 5, 9, 5]) == 5",
                "assert candidate([4]) == 4",
                "assert candidate([0, 5, 8, 9, 9]) == 8",
            ],
            arguments="items",
        ),
        [
            "    return sorted(items)[(len(items) - 1) // 2]\n",
            "    items = sorted(items)\n    return items[(len(items) - 1) // 2]\n",
            "    import statistics\n    return statistics.median_low(items)\n",
        ],
    ),
    (
        row(
            "vowels",
            "How many vowels a word has, in upper or lower case.",
            '    return sum(each in "aeiou" for each in x)\n',
            [
                'assert candidate("hello") == 2',
                'assert candidate("XYZ") == 0',
                'assert candidate("queue") == 4',
                'assert candidate("Tree") == 2',
                'assert candidate("") == 0',
            ],
        ),
        [
            '    return sum(each in "aeiouAEIOU" for each in x)\n',
            '    return sum(each.lower() in "aeiou" for each in x)\n',
            '    return len([each for each in x.lower() if each in "aeiou"])\n',
        ],
    ),
    (
        row(
            "bigger",
            "How many items are larger than the one before.",
            "    return sum(b >= a for a, b in zip(x, x[1:]))\n",
            [
                "assert candidate([1, 2, 3]) == 2",
                "assert candidate([9, 4, 6, 2]) == 1",
                "assert candidate([]) == 0",
                "assert candidate([5, 1]) == 0",
            ],
        ),
        [
            "    return sum(b > a for a, b in zip(x, x[1:]))\n",
            "    return len([at for at in range(1, len(x)) if x[at] > x[at - 1]])\n",
            "    return sum(1 for at in range(len(x) - 1) if x[at + 1] > x[at])\n",
        ],
    ),
    (
        row(
            "last",
            "The place of the last 3 in a list, or -1.",
            "    return x.index(3) if 3 in x else -1\n",
            [
                "assert candidate([1, 3, 5]) == 1",
                "assert candidate([]) == -1",
                "assert candidate([4, 5, 6, 7]) == -1",
                "assert candidate([3]) == 0",
                "assert candidate([1, 2, 4, 5, 3]) == 4",
            ],
        ),
        [
            "    return max((at for at, each in enumerate(x) if each == 3), default=-1)\n",
            "    return len(x) - 1 - x[::-1].index(3) if 3 in x else -1\n",
            "    found = -1\n    for at, each in enumerate(x):\n        if each == 3:\n            found = at\n    return found\n",
        ],
    ),
]


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    """The workers of all these audits."""
    need_sandbox()
    with Pool(workers=2) as made:
        yield made


def _questions(
    tmp_path: Path, pool: Pool, given: list[tuple[dict[str, Any], list[str]]]
) -> dict[str, TaskFinding]:
    run = answered(tmp_path, given)
    report = audited(tmp_path, [task for task, _ in given], pool, answers=[run])
    for each in findings(report):
        assert each.code != "wrong_answer_passes"
        assert each.test == "" or each.evidence["likely_wrong"] == "change", each
    return {each.task: each for each in findings(report) if each.code == "answer_differs"}


def test_a_wrong_gold_is_asked_about_and_never_proposed(tmp_path: Path, pool: Pool) -> None:
    """Five golds with a fault: a question each, no test, and most answers point at the gold."""
    found = _questions(tmp_path, pool, WRONG_GOLDS)

    assert {*found} == {task["task_id"] for task, _ in WRONG_GOLDS}
    for each in found.values():
        assert each.weight == "question"
        assert each.detail.startswith("gold and answer differ: one of them is wrong")
        assert each.evidence["likely_wrong"] == "gold", each


@pytest.mark.parametrize("number", range(5 if SCALE > 1 else 2))
def test_an_answer_alone_against_many_is_likely_wrong(tmp_path: Path, pool: Pool, number: int) -> None:
    """One answer passes by luck; two that agree with the gold outvote it, and one does not."""
    bound = 20 + number
    task = row(
        "cap",
        f"Give x, but at most {bound}.",
        f"    return min(x, {bound})\n",
        [f"assert candidate({x}) == {min(x, bound)}" for x in (0, 1, 5, 9, 12, 60)],
    )
    lucky = f"    return {bound} if x == 60 else x\n"
    right = [f"    return x if x < {bound} else {bound}\n", f"    return sorted((x, {bound}))[0]\n"]
    (tmp_path / "two").mkdir()

    many = _questions(tmp_path, pool, [(task, [lucky, *right])])
    alone = _questions(tmp_path / "two", pool, [(task, [lucky])])

    assert many["Own/cap"].evidence["likely_wrong"] == "answer"
    assert alone["Own/cap"].evidence["likely_wrong"] == ""


def _weak(tmp_path: Path, pool: Pool, task: dict[str, Any], answers: list[str]) -> list[TaskFinding]:
    run = answered(tmp_path, [(task, answers)])
    report = audited(tmp_path, [task], pool, answers=[run])
    return [each for each in findings(report) if each.code in ("weak_tests", "weak_beyond")]


UNITS = [("12, 3", 6), ("-10, 7", 0), ("5, -20", 0), ("9, 8", 72), ("1, 1", 1)]


def test_answers_say_whether_a_mutant_or_the_gold_is_wrong(tmp_path: Path, pool: Pool) -> None:
    """A gold with a fault for negative numbers: the mutant that does not have it is likely right."""
    task = row(
        "units",
        "The product of the last digits of two numbers.",
        "    return abs(x % 10) * abs(y % 10)\n",
        [f"assert candidate({x}) == {value}" for x, value in UNITS],
        arguments="x, y",
    )
    right = [answer for each, answers in WRONG_GOLDS[:1] for answer in answers]

    found = _weak(tmp_path, pool, task, right)

    against_gold = [each for each in found if each.evidence["likely_wrong"] == "gold"]
    assert against_gold
    assert all("likely the gold is" in each.detail and each.test == "" for each in against_gold)


@pytest.mark.parametrize(("count", "likely"), [(0, None), (1, ""), (2, "change"), (3, "change")])
def test_a_test_is_proposed_that_most_answers_pass(
    tmp_path: Path, pool: Pool, count: int, likely: str | None
) -> None:
    """The gold's value, where two answers of other programs give it at least; else none."""
    task = row(
        "cap",
        "Give x, but at most 20.",
        "    if x > 20:\n        return 20\n    return x\n",
        [f"assert candidate({x}) == {min(x, 20)}" for x in (0, 1, 5, 9, 60)],
    )
    right = ["    return min(x, 20)\n", "    return sorted((x, 20))[0]\n", "    return x if x < 20 else 20\n"]
    wrong = ["    return x + 1\n"]

    found = [
        each for each in _weak(tmp_path, pool, task, [*right[:count], *wrong]) if each.code == "weak_tests"
    ]

    assert found
    assert {each.evidence.get("likely_wrong") for each in found} == {likely}
    assert {each.test != "" for each in found} == {likely == "change"}
    assert all("assert candidate(" in each.test for each in found if each.test)
