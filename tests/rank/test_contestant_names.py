"""Names of runs: short, unique, printable."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.rank.contestant import MAX_NAME, short_names

RUNS = st.lists(st.tuples(st.text(max_size=80), st.sampled_from(["a", "x/a", "b", "\x1b[31m"])), max_size=6)


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("openai:qwen3-coder", "qwen3-coder"),
        ("openai:org/model", "model"),
        ("replay:/x/y/answers-demo.jsonl.gz", "answers-demo"),
        ("replay:answers.jsonl", "answers"),
        ("transformers:/models/tiny/", "tiny"),
        ("gold:", "gold:"),
        ("", "?"),
    ],
)
def test_the_model_without_folders(spec, name):
    """A spec is shortened to the parts that identify the model."""
    assert short_names([(spec, "runs/a")]) == [name]


def test_equal_models_are_told_apart_by_their_folders():
    """Only equal names get longer."""
    runs = [("openai:m", "runs/one"), ("openai:m", "runs/two"), ("openai:k", "runs/three")]

    assert short_names(runs) == ["m (one)", "m (two)", "k"]


def test_equal_models_in_equal_folders_are_numbered():
    """If nothing else differs, the order decides."""
    runs = [("openai:m", "x/run"), ("openai:m", "y/run")]

    assert short_names(runs) == ["m (run) #1", "m (run) #2"]


def test_long_names_are_cut():
    """A name has at most 60 characters."""
    [name] = short_names([("openai:" + "m" * 200, "runs/a")])

    assert (len(name), name[-1]) == (MAX_NAME, "…")


@given(RUNS)
def test_names_are_short_different_and_printable(runs):
    """This holds for any specs and folders, including hostile ones."""
    names = short_names(runs)

    assert (len(set(names)), all(name.isprintable() and 0 < len(name) <= MAX_NAME for name in names)) == (
        len(runs),
        True,
    )
