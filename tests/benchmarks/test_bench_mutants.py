"""Mutants of trusted solutions: deterministic, parseable, different."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import dataset
from benchmarks.dataset import Row
from benchmarks.mutants import draw, parses, solution_body
from benchwright.errors import DataError
from kit.needs import HUMANEVAL, need_data

ROW = Row(
    task_id="Example/1",
    prompt='def most(items, limit):\n  """The greatest below a limit."""\n',
    entry_point="most",
    canonical_solution=(
        "  best = None\n"
        "  for item in items[1:limit]:\n"
        "    if item < limit and (best is None or item > best):\n"
        "      best = item - 1\n"
        "  return best\n"
    ),
    test="def check(candidate):\n    assert candidate([1, 2], 5) == 1\n",
)
ALL = 1000


def words(row: Row = ROW) -> list[str]:
    """What all mutants of a row say of themselves."""
    return [mutant.mutation for mutant in draw(row, most=ALL, seed=1)]


def test_the_same_seed_draws_the_same_mutants():
    """A comparison of verdicts can be repeated exactly."""
    assert draw(ROW, most=8, seed=7) == draw(ROW, most=8, seed=7)


def test_another_seed_draws_other_mutants():
    """The seed decides which of all mutants are drawn."""
    assert draw(ROW, most=8, seed=7) != draw(ROW, most=8, seed=8)


@given(seed=st.integers(), most=st.integers(min_value=1, max_value=40))
def test_mutants_are_no_more_than_asked_and_all_different(seed, most):
    """Never more than `most`, no two alike, numbered from 1."""
    found = draw(ROW, most=most, seed=seed)

    assert (len(found) <= most, list(range(1, len(found) + 1))) == (
        len({mutant.completion for mutant in found}) == len(found),
        [mutant.number for mutant in found],
    )


def test_no_mutant_is_the_original():
    """Every mutant's program differs from the canonical one as a syntax tree."""
    original = ast.dump(ast.parse(ROW.prompt + ROW.canonical_solution))
    same = [
        mutant.mutation
        for mutant in draw(ROW, most=ALL, seed=1)
        if ast.dump(ast.parse(ROW.prompt + mutant.completion)) == original
    ]

    assert same == []


@pytest.mark.parametrize(
    "said",
    [
        "line 5: flip `item < limit`",
        "line 5: move the boundary of `item < limit`",
        "line 5: flip `best is None`",
        "line 6: 1 becomes 2",
        "line 6: 1 becomes 0",
        "line 6: swap the operands of `item - 1`",
        "line 6: another operator in `item - 1`",
        "line 5: swap and/or in `best is None or item > best`",
        "line 5: negate `item < limit and (best is None or item > best)`",
        "line 6: remove `best = item - 1`",
        "line 4: return before `for item in items[1:limit]:`",
        "line 4: `limit` plus one in a slice",
    ],
)
def test_each_kind_of_mutation_is_offered(said):
    """Comparisons, boundaries, constants, operands, conditions, statements, slices; with their line."""
    assert said in words()


def test_truth_values_are_not_constants_to_count_from():
    """True is an int to Python but `True plus one` is not an off-by-one."""
    row = Row(
        task_id="Example/2",
        prompt='def yes():\n    """True."""\n',
        entry_point="yes",
        canonical_solution="    return True\n",
        test="",
    )

    assert words(row) == ["line 3: remove `return True`"]


def test_a_solution_keeps_the_indentation_of_its_prompt():
    """A mutant continues a prompt that is indented by two spaces."""
    _body, indent = solution_body(ROW)

    assert indent == "  "


def test_only_the_solution_is_changed():
    """The prompt's own statements, such as its docstring, are not among what may be mutated."""
    body, _indent = solution_body(ROW)

    assert [ast.Assign, ast.For, ast.Return] == [type(statement) for statement in body.body]


def test_a_solution_without_its_entry_point_last_is_refused():
    """The mutator does not guess where a solution ends."""
    row = Row(task_id="Example/3", prompt="x = 1\n", entry_point="f", canonical_solution="", test="")

    with pytest.raises(DataError, match="Example/3"):
        solution_body(row)


def test_parses_tells_python_from_the_rest():
    """A program with a syntax error is not taken for a mutant."""
    assert (parses("x = 1"), parses("x =")) == (True, False)


def test_humaneval_gives_a_thousand_mutants():
    """Eight a task make at least a thousand different programs that all parse."""
    mutants = [mutant for row in dataset.load(need_data(HUMANEVAL)) for mutant in draw(row, most=8, seed=1)]

    assert len({(mutant.task_id, mutant.completion) for mutant in mutants}) >= 1000
