"""The benchmark of suites: pairs that end as they are made to, and an end that is checked."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from benchmarks import suites
from benchwright.errors import BenchwrightError


def test_pairs_differ_and_hold_their_cases() -> None:
    """No two pairs share a text, and each test file defines the cases that its suite names."""
    made = [suites.python_pair(number) for number in range(6)]
    names = [
        [node.name for node in ast.parse(each.files[each.test]).body if isinstance(node, ast.FunctionDef)]
        for each in made
    ]

    assert (
        len({each.files[each.test] for each in made}),
        all(set(each.cases) <= set(found) for each, found in zip(made, names, strict=True)),
    ) == (6, True)


@pytest.mark.usefixtures("jail")
@pytest.mark.parametrize("who", ["ours", "peer"])
def test_both_end_as_made(who: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs that are to pass pass and the third fails, in our runner and in the usual one."""
    monkeypatch.chdir(tmp_path)
    ended = []
    suites.drive("python", who, "3")
    monkeypatch.setattr(suites, "passes", lambda number: True)
    monkeypatch.setitem(suites.CONTESTS, "python", suites.CONTESTS["python"]._replace(pair=failing))
    with pytest.raises(BenchwrightError) as caught:
        suites.drive("python", who, "1")
    ended.append(caught.value.message)

    assert ended == [f"{who}: pairs [0] ended otherwise than they were made to"]


def failing(number: int) -> suites.Suite:
    made = suites.python_pair(number)
    files = {path: text.replace("value + by", "value - by - 1") for path, text in made.files.items()}
    return suites.Suite(**{**{name: getattr(made, name) for name in made.__struct_fields__}, "files": files})


def test_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Medians of the rounds, with the ratio of each pair of runs."""
    taken = iter([400.0, 40.0, 440.0, 40.0, 420.0, 30.0])
    monkeypatch.setattr(suites, "cpu_ms", lambda language, who, count: next(taken))
    last = suites.table("python", [100], rounds=3).splitlines()[-1]

    assert last.split() == ["100", "420", "40.0", "11.0", "(10.0", "to", "14.0)"]
