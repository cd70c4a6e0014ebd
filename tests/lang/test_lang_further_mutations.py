"""Further mutants of Python: each kind does what its name says, and no two are the same program."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.lang.python.adequacy_mutations import FURTHER, distinct_mutants
from benchwright.lang.python.mutations import KINDS
from kit.examples import examples
from kit.lang_samples import CACHE_PY

SAMPLES = {
    "less": ("x = 5, 0, 2.5", ["x = 4, 0, 2.5", "x = 5, (-1), 2.5", "x = 5, 0, 1.5"]),
    "zero": ("x = 5, 0, 2.5", ["x = 0, 0, 2.5", "x = 5, 0, 0.0"]),
    "text": ("x = 'abc'", ["x = ''", "x = 'ab'", "x = 'ac'", "x = 'bc'", "x = 'bbc'"]),
    "condition": ("x = a and b or c", ["x = a or c", "x = b or c", "x = (a and b)", "x = c"]),
    "decided": ("x = [a for a in b if c]", ["x = [a for a in b if True]"]),
    "deletion": ("if a:\n    b = 1\n    raise c\n", ["if a:\n    b = 1\n    pass\n", "if a:\n    pass\n    raise c\n", "pass\n"]),
    "branch": ("if a:\n    b()\nelse:\n    c()\n    d()\n", ["if a:\n    b()\nelse:\n    pass\n", "if a:\n    pass\nelse:\n    c()\n    d()\n"]),
    "slice": ("x = a[i:j:2]", ["x = a[i:j + 1:2]", "x = a[i:j - 1:2]", "x = a[i::2]", "x = a[i:j]", "x = a[:j:2]"]),
    "operand": ("x = a + b * 2", ["x = (b * 2)", "x = a + 2", "x = a + b", "x = a"]),
    "unary": ("x = not a, -b", ["x = a, -b", "x = not a, b"]),
    "unwrapped": ("x = f(a, b), c.d()", ["x = a, c.d()", "x = f(a, b), c"]),
    "abs": ("x = a - b, c < 5", ["x = abs(a) - b, c < 5", "x = a - abs(b), c < 5", "x = abs(a - b), c < 5", "x = a - b, abs(c) < 5"]),
    "isinstance": ("x = isinstance(a, int), isinstance(a, (int, str))", ["x = (type(a) is int), isinstance(a, (int, str))", "x = isinstance(a, int), (type(a) in (int, str))"]),
    "exception": ("try:\n    raise ValueError(a)\nexcept KeyError:\n    raise Other\n", ["try:\n    raise TypeError(a)\nexcept KeyError:\n    raise Other\n", "try:\n    raise ValueError(a)\nexcept IndexError:\n    raise Other\n", "try:\n    raise ValueError(a)\nexcept KeyError:\n    raise ValueError\n"]),
    "call": ("model.eval(); x = min(a)", ["model.train(); x = min(a)", "model.eval(); x = max(a)"]),
    "axis": ("x = softmax(a, dim=1)", ["x = softmax(a, dim=0)", "x = softmax(a, dim=-1)"]),
    "relation": ("x = a == b, c < d, e <= f, g != h == i", ["x = a <= b, c < d, e <= f, g != h == i", "x = a >= b, c < d, e <= f, g != h == i", "x = a == b, c != d, e <= f, g != h == i", "x = a == b, c < d, e == f, g != h == i"]),
    "bound": ("range(n)", ["range(n + 1)", "range(n - 1)"]),
}  # fmt: skip
WITH_TORCH = (
    "def f(m, x):\n    m.eval()\n    with torch.no_grad():\n        return torch.softmax(m(x), dim=-1)\n"
)


def of_kind(kind: str, code: str) -> list[str]:
    return [each.code for each in distinct_mutants(code) if each.kind == kind]


@pytest.mark.parametrize("kind", SAMPLES)
def test_each_kind_does_what_its_name_says(kind: str) -> None:
    """And nothing else; what another kind has made already is not made again."""
    code, expected = SAMPLES[kind]

    assert sorted(of_kind(kind, code)) == sorted(expected)


def test_the_samples_have_every_kind() -> None:
    """No kind goes untested, and none has the name of one of the first set."""
    assert set(SAMPLES) == set(FURTHER)
    assert not set(FURTHER) & set(KINDS)


def test_calls_of_libraries_are_swapped() -> None:
    """Without `eval`, with gradients, along another axis."""
    changed = {each.code for each in distinct_mutants(WITH_TORCH)}

    assert WITH_TORCH.replace("m.eval()", "pass") in changed
    assert WITH_TORCH.replace("no_grad", "enable_grad") in changed
    assert WITH_TORCH.replace("dim=-1", "dim=0") in changed


def test_docstrings_and_annotations_are_left() -> None:
    """A change there changes nothing."""
    code = 'def f(x: "int" = 0) -> "str":\n    """What it is for."""\n    return x\n'

    assert {each.line for each in distinct_mutants(code)} == {1, 3}
    assert all("What it is for." in each.code and '"int"' in each.code for each in distinct_mutants(code))


def test_the_first_set_is_in_it() -> None:
    """Kinds of both sets, and none of the slips that rows of a data set are made with."""
    kinds = {each.kind for each in distinct_mutants(CACHE_PY)}

    assert kinds & set(KINDS) and kinds & set(FURTHER)
    assert kinds <= {*KINDS, *FURTHER}


def test_a_text_that_does_not_parse_has_none() -> None:
    """Nor has an empty one."""
    assert list(distinct_mutants("def f(:")) == []
    assert list(distinct_mutants("")) == []


@given(st.lists(st.sampled_from([*(code for code, _ in SAMPLES.values()), WITH_TORCH, CACHE_PY]), max_size=3))
@settings(max_examples=examples(40), deadline=None)
def test_mutants_are_programs_of_their_own(parts: list[str]) -> None:
    """Each parses and has a unique name and tree; the result is deterministic."""
    code = "\n".join(parts)
    found = list(distinct_mutants(code))
    trees = [ast.dump(ast.parse(each.code)) for each in found]

    assert len({*trees, ast.dump(ast.parse(code))}) == len(trees) + 1
    assert len({each.name for each in found}) == len(found)
    assert found == list(distinct_mutants(code))
