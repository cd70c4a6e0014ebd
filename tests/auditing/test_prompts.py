"""Prompts: examples in every usual spelling, graded calls given away, names left out."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.auditing.audit_tasks import AuditTask
from benchwright.auditing.prompt_findings import disagreements, examples, leaks
from benchwright.auditing.row_loading import load_audit
from kit.audit_rows import row
from kit.small_data import write

SPELLINGS = [
    ("    >>> f(1, 'a')\n    [2]\n", ((1, "a"), [2])),
    ("    >>> f(1)\n    [1,\n     2]\n    >>> f(2)", ((1,), [1, 2])),
    ("Примеры:\n    f('(())')\n    [2, 3]\n", (("(())",), [2, 3])),
    ("    f(1)\n    [1,\n     2]\n    f(2)\n    3", ((1,), [1, 2])),
    ('f(1)\n    5"""', ((1,), 5)),
    ("f(1)\n-2\n-3", ((1,), -2)),
    ("f(1) == 2", ((1,), 2)),
    ("f(1) ➞ 'x y'", ((1,), "x y")),
    ("f(1) => True # because", ((1,), True)),
    ("f(1) -> -1.5, and so on.", ((1,), -1.5)),
    ("For f([1, 2]) the function returns; f(3) returns 4.", ((3,), 4)),
    ("* f(')') should return ')'", ((")",), ")")),
    ("f((1, 2)) # returns {'a': 1}", (((1, 2),), {"a": 1})),
]


@pytest.mark.parametrize(
    ("prompt", "expected"), SPELLINGS, ids=[prompt.strip()[:20] for prompt, _ in SPELLINGS]
)
def test_an_example_is_found_in_each_spelling(prompt: str, expected: Any) -> None:
    """The call's arguments and the value behind it."""
    assert [(each.args, each.value) for each in examples(prompt, "f")][:1] == [expected]


@pytest.mark.parametrize(
    "prompt",
    [
        "def f(x): return 1",
        "f(x) == 2",
        "f(1) == y",
        "f(1)",
        "f(1 == 2",
        "g.f(1) == 2",
        "if_(1) == 2",
        "f(1), or 2",
        "f(1)\n\n2",
        "f(1)\nf(2)",
        "f(1)\n# 2",
        "take f(1)\n2",
        "f(1)\nis 2",
    ],
)
def test_what_is_no_example_is_none(prompt: str) -> None:
    """Definitions, variables, calls without a value, other functions."""
    assert examples(prompt, "f") == []


@given(st.text())
def test_any_prompt_can_be_read(prompt: str) -> None:
    """For any text around calls, reading terminates without an exception."""
    assert isinstance(examples(f"{prompt} f({prompt}) == {prompt}", "f"), list)


@given(st.recursive(st.integers() | st.text() | st.booleans() | st.none(), st.lists, max_leaves=8))
def test_a_doctest_of_a_constant_is_read_back(value: Any) -> None:
    """The value that a doctest prints is the value that was printed."""
    [example] = examples(f">>> f({value!r})\n{value!r}\n", "f")

    assert (example.args, example.value) == ((value,), value)


def task_of(tmp_path: Any, task: dict[str, Any]) -> AuditTask:
    """A row as the audit has it."""
    [loaded] = load_audit(write(tmp_path / "rows.jsonl", [task])).tasks
    return loaded


@pytest.mark.parametrize(
    ("prompt", "codes"),
    [
        ("f(1) == 2 and f(2) == 3", ["tests_in_prompt"]),
        ("assert f(1) == 2, assert f(2) == 3", ["tests_in_prompt"]),
        ("f(1) == 2", ["examples_in_tests"]),
        ("f(1) == 9 and f(5) == 3", []),
    ],
)
def test_graded_calls_in_the_prompt_are_counted(prompt: str, codes: list[str], tmp_path: Any) -> None:
    """All of them are a defect, some are information, other values are no finding."""
    task = row("f", prompt, "    return x + 1\n", ["assert candidate(1) == 2", "assert candidate(2) == 3"])

    assert [each.code for each in leaks(task_of(tmp_path, task))] == codes


def test_names_that_the_prompt_leaves_out_are_told(tmp_path: Any) -> None:
    """Texts that only the solution and the tests contain; texts in the prompt are no finding."""
    body = '    return "Odd One" if x % 2 else "even"\n'
    tests = ['assert candidate(1) == "Odd One"', 'assert candidate(2) == "even"']
    task = task_of(tmp_path, row("f", "Say whether x is even.", body, tests))

    found = {each.code: each.evidence["missing"] for each in disagreements(task)}

    assert found == {"unnamed_literal": ["Odd One"]}


@pytest.mark.parametrize(
    ("body", "tests", "prompt", "missing"),
    [
        (
            'return {"top": x}',
            ["candidate(1) == {'top': 1}", "candidate(2) == {'top': 2}"],
            "Wrap x.",
            ["top"],
        ),
        (
            "return dict(top=x)",
            ["candidate(1) == {'top': 1}", "candidate(2) == {'top': 2}"],
            "Wrap x.",
            ["top"],
        ),
        ('return f"{x}; {x}"', ["candidate(1) == '1; 1'", "candidate(2) == '2; 2'"], "Say x twice.", [";"]),
        ('return f"{x}; {x}"', ["candidate(1) == '1; 1'", "candidate(2) == '2; 2'"], "With a semicolon.", []),
        (
            'return {"top": x}',
            ["candidate(1) == {'top': 1}", "candidate(2) == {'top': 2}"],
            "x by `top`.",
            [],
        ),
        ('return {"top": x}[y]', ["candidate(1, 'top') == 1"], "Look up.", []),
    ],
)
def test_texts_are_held_against_the_prompt_as_in_a_build(
    body: str, tests: list[str], prompt: str, missing: list[str], tmp_path: Any
) -> None:
    """Keys and signs too; what the prompt names in words, or a test gives, is no secret."""
    asserts = [f"assert {each}" for each in tests]
    task = task_of(tmp_path, row("f", prompt, f"    {body}\n", asserts, arguments="x, y=None"))

    found = [each.evidence["missing"] for each in disagreements(task) if each.code == "unnamed_literal"]

    assert found == ([missing] if missing else [])
