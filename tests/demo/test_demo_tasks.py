"""The demo tasks: right golds, honest prompts, tests that discriminate."""

import ast
import doctest
import gzip
import json
from importlib import resources

import pytest

from demo_source import tasks_a, tasks_b, tasks_c
from demo_source.task import parts_of
from demo_source.text import SLIPS, TASKS, WAYS
from kit.needs import HUMANEVAL, need_data

ROWS = [
    json.loads(line)
    for line in resources.files("benchwright.demo")
    .joinpath("ruhumaneval.jsonl")
    .read_text("utf-8")
    .splitlines()
]
BY_NAME = [pytest.param(row, task, id=task.name) for row, task in zip(ROWS, TASKS, strict=True)]


def values(function, tests):
    """str() of each value; an exception counts as a value that equals no gold."""
    found = []
    for kwargs in tests:
        try:
            found.append(str(function(**kwargs)))
        except (RecursionError, KeyError, ValueError, IndexError) as error:
            found.append(repr(error))
    return found


@pytest.mark.parametrize(("row", "task"), BY_NAME)
def test_golds_are_what_the_solution_returns(row, task):
    """outputs hold str() of the solution's value for each stored test."""
    tests = ast.literal_eval(row["inputs"]["tests"])

    assert row["outputs"] == [str(task.solution(**kwargs)) for kwargs in tests]


@pytest.mark.parametrize(("row", "task"), BY_NAME)
def test_prompt_and_canonical_solution_make_the_solution(row, task):
    """Prompt + canonical solution, as plain text, is the very function the golds came from."""
    program = ast.parse(row["inputs"]["function"] + row["meta"]["canonical_solution"])
    parts = parts_of(task.solution)
    expected = ast.parse(f"{parts.signature}\n{parts.docstring}\n{parts.body}").body[0]

    assert ast.dump(expected) == ast.dump(program.body[-1])


@pytest.mark.parametrize(("row", "task"), BY_NAME)
def test_row_has_the_shape_of_mera(row, task):
    """Keys, types and the entry point are those of the format."""
    meta = row["meta"]

    assert (list(row), "{function}" in row["instruction"], meta["entry_point"]) == (
        ["instruction", "inputs", "outputs", "meta"],
        True,
        task.name,
    )
    assert meta["canonical_solution"].startswith("\n")
    assert (meta["author"], meta["license"]) == ("Benchwright", "Apache-2.0")


@pytest.mark.parametrize(("row", "task"), BY_NAME)
def test_golds_can_be_read_and_are_not_none(row, task):
    """At least ten tests a task, and no gold that an empty function could hit."""
    assert len(row["outputs"]) >= 10
    assert "None" not in row["outputs"]


@pytest.mark.parametrize(
    ("task", "way"), list(zip(TASKS, WAYS, strict=True)), ids=lambda v: getattr(v, "name", "")
)
def test_a_second_solution_agrees(task, way):
    """Another algorithm gives the same values, so no gold is one solution's whim."""
    assert task.outputs == values(way, task.tests)


@pytest.mark.parametrize(
    ("task", "slip"),
    [
        pytest.param(task, slip, id=slip.__name__)
        for task, pair in zip(TASKS, SLIPS, strict=True)
        for slip in pair
    ],
)
def test_a_plausible_mistake_is_caught(task, slip):
    """Each known mistake fails at least one hidden test."""
    assert task.outputs != values(slip, task.tests)


@pytest.mark.parametrize("module", [tasks_a, tasks_b, tasks_c], ids=lambda module: module.__name__[-1])
def test_examples_in_the_docstrings_hold(module):
    """Every example that a model is shown is true."""
    outcome = doctest.testmod(module)

    assert (outcome.failed, outcome.attempted >= 16) == (0, True)


@pytest.mark.parametrize(("row", "task"), BY_NAME)
def test_tests_go_beyond_the_examples(row, task):
    """At least six hidden inputs are not shown in the docstring's examples."""
    shown = {repr(eval_arguments(task, example.source)) for example in examples(task)}
    hidden = [kwargs for kwargs in task.tests if repr(tuple(kwargs.values())) not in shown]

    assert len(hidden) >= 6


def examples(task):
    return doctest.DocTestParser().get_examples(task.solution.__doc__)


def eval_arguments(task, source):
    call = ast.parse(source.strip(), mode="eval").body
    return tuple(ast.literal_eval(argument) for argument in call.args)


def test_ids_run_from_one():
    """MERA numbers rows from 1."""
    assert list(range(1, 25)) == [row["meta"]["id"] for row in ROWS]


def test_return_types_vary():
    """The demo shows every plain type a MERA row can compare."""
    returned = {type(task.solution(**task.tests[0])) for task in TASKS}

    assert returned == {int, float, str, bool, list, tuple, dict}


def test_every_prompt_is_russian():
    """Docstrings are in Russian: more Cyrillic than Latin letters in the first line of each."""
    first_lines = [task.solution.__doc__.splitlines()[0] for task in TASKS]
    foreign = [line for line in first_lines if sum("а" <= c.lower() <= "я" for c in line) < 20]

    assert foreign == []


def test_a_prompt_may_hold_a_second_function():
    """One prompt shows a ready function before the one that is asked for."""
    counts = [row["inputs"]["function"].count("\ndef ") for row in ROWS]

    assert sorted(counts)[-2:] == [0, 1]


def test_no_task_is_from_humaneval():
    """No entry point of the demo is one of HumanEval's."""
    with gzip.open(need_data(HUMANEVAL), "rt", encoding="utf-8") as file:
        known = {json.loads(line)["entry_point"] for line in file}

    assert known.isdisjoint(task.name for task in TASKS)
