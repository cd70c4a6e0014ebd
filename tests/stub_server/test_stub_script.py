"""A script answers by what a prompt contains, and the seed chooses among a row's completions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.errors import DataError
from benchwright.stub_server.behaviour import Script, ScriptRow, key_of

SCRIPT = Script.of({"def add(": ["a", "b", "c"], "def add_all(": "d", "": "other"})


def answer(prompt: str, *, seed: int = 0, temperature: float = 0.8, script: Script = SCRIPT) -> str | None:
    """What a script says."""
    return script.answer(model="m", prompt=prompt, seed=seed, temperature=temperature)


CASES = {
    "the first of a row": ("x\ndef add(y)", 0, "a"),
    "the seed chooses": ("x\ndef add(y)", 2, "c"),
    "it wraps": ("x\ndef add(y)", 4, "b"),
    "a negative seed": ("x\ndef add(y)", -1, "c"),
    "a single completion": ("def add_all(xs)", 7, "d"),
    "the first row that fits": ("def add_all(xs): def add(y)", 0, "a"),
    "the empty text fits all": ("def sub(x)", 1, "other"),
}


@pytest.mark.parametrize(("prompt", "seed", "expected"), CASES.values(), ids=CASES)
def test_the_prompt_and_the_seed_choose(prompt: str, seed: int, expected: str) -> None:
    """completions[seed % len] of the first row whose text is in the prompt."""
    assert expected == answer(prompt, seed=seed)


@settings(deadline=None)
@given(seed=st.integers(-(2**63), 2**63))
def test_greedy_answers_are_alike(seed: int) -> None:
    """At temperature 0 the seed has no say, as with a real model."""
    assert answer("def add(", seed=seed, temperature=0) == "a"


def test_without_a_row_there_is_no_answer() -> None:
    """A prompt that no row knows is not answered with something else."""
    assert answer("def sub(x)", script=Script.of({"def add(": "a"})) is None


def test_without_rows_the_prompt_comes_back() -> None:
    """The echo shows what was asked and how; two seeds give two texts, two greedy ones do not."""
    echo = Script()
    texts = [
        answer("p", seed=seed, temperature=t, script=echo) for seed, t in [(1, 0.8), (2, 0.8), (1, 0), (2, 0)]
    ]

    assert (
        texts
        == ["# m, seed 1, temperature 0.8\np", "# m, seed 2, temperature 0.8\np"] + ["# m, greedy\np"] * 2
    )


def write(folder: Path, *rows: object) -> Path:
    """A script file."""
    path = folder / "script.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_script_is_read_from_a_file(tmp_path: Path) -> None:
    """One row a line, in order."""
    path = write(
        tmp_path, {"contains": "a", "completions": ["1"]}, {"contains": "", "completions": ["2", "3"]}
    )
    expected = [ScriptRow(contains="a", completions=["1"]), ScriptRow(contains="", completions=["2", "3"])]

    assert expected == Script.read(path).rows


WRONG = {
    "no completions": {"contains": "a", "completions": []},
    "no list": {"contains": "a", "completions": "b"},
    "no text": {"contains": "a", "completions": [1]},
    "no contains": {"completions": ["b"]},
}


@pytest.mark.parametrize("row", WRONG.values(), ids=WRONG)
def test_a_wrong_row_is_named(row: object, tmp_path: Path) -> None:
    """The error says the file and the line, and shows a right row."""
    path = write(tmp_path, {"contains": "", "completions": ["x"]}, row)
    with pytest.raises(DataError) as caught:
        Script.read(path)

    assert (str(path), 2, True) == (
        caught.value.path,
        caught.value.line,
        '"contains"' in (caught.value.hint or ""),
    )


def test_a_script_without_rows_is_refused(tmp_path: Path) -> None:
    """An empty file would make a server that echoes, which nobody has asked for."""
    with pytest.raises(DataError, match="the script has no rows"):
        Script.read(write(tmp_path))


def test_a_row_made_in_python_is_checked() -> None:
    """A row that could answer nothing is refused before a request comes."""
    with pytest.raises(DataError, match=r"`completions` is empty \(contains 'a'\)"):
        Script.of({"a": []})


@settings(deadline=None)
@given(
    one=st.tuples(st.text(), st.text(), st.none() | st.integers()),
    two=st.tuples(st.text(), st.text(), st.integers()),
)
def test_keys_tell_questions_apart(
    one: tuple[str, str, int | None], two: tuple[str, str, int | None]
) -> None:
    """Equal keys mean equal path, prompt and seed."""
    assert (one == two) == (key_of(*one) == key_of(*two))
