"""Models of known skill keep their order with as many rows as MERA's set, and 100 rows support no stronger
claim."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from known_skill_cases import LABELS, MERA, SKILLS, MadeTask, answers_of, made_set, separations

from benchwright.running.pipeline import run
from benchwright.tracks.correctness.layout_baseline import LayoutPair, layout_baseline
from kit.command_line import benchwright
from kit.examples import examples
from kit.small_data import write

SETS = examples(20)
UNEQUAL = [pair for pair in combinations(SKILLS, 2) if SKILLS[pair[0]] != SKILLS[pair[1]]]
EQUAL = [pair for pair in combinations(SKILLS, 2) if SKILLS[pair[0]] == SKILLS[pair[1]]]


@pytest.mark.parametrize("pair", UNEQUAL)
def test_unequal_skill_is_always_seen_with_as_many_rows_as_mera_has(pair: tuple[str, str]) -> None:
    """In each of the sets, in the right order."""
    assert separations(MERA, sets=SETS)[pair][:2] == (1.0, 0.0)


@pytest.mark.parametrize("tasks", [100, MERA])
@pytest.mark.parametrize("pair", EQUAL)
def test_equal_skill_is_separated_as_seldom_as_said(pair: tuple[str, str], tasks: int) -> None:
    """At most in one set of twenty by chance; five of twenty would have a probability of three in a thousand."""
    assert separations(tasks, sets=SETS)[pair].wrong <= 4 / SETS


@pytest.mark.parametrize("pair", UNEQUAL)
def test_with_100_rows_no_more_is_claimed_than_can_be_found(pair: tuple[str, str]) -> None:
    """A lead of twenty points is near the detectable difference and not found in every set, one of forty is;
    never reversed."""
    found, apart = separations(100, sets=SETS)[pair], SKILLS[pair[0]] - SKILLS[pair[1]]

    assert found.wrong == 0
    assert (found.right == 1.0) == (apart > 1.5 * found.detectable)
    assert 0.12 < found.detectable < 0.25
    assert found.right >= 0.4


def labels_of(place: Path, name: str, said: list[str]) -> Path:
    """Write stored answers, one per row."""
    return write(place / f"{name}.jsonl", [{"task_id": at, "answer": each} for at, each in enumerate(said)])


def row_of(at: int, task: MadeTask) -> dict[str, Any]:
    """Return the row as data sets have it; its files differ only in the number of lines."""
    test = "assert f() == 1\n" * (1 + task.lines % 7)
    return {
        "instruction": "{lang}\n{focal_code}\n{test_code}\nsuccess или failed?",
        "inputs": {"focal_code": "x = 1\n" * task.lines, "test_code": test, "lang": "Python"},
        "outputs": task.label,
        "meta": {"id": at, "cluster": task.cluster},
    }


@pytest.mark.usefixtures("jail")
def test_their_runs_are_ranked_by_skill_on_the_command_line(tmp_path: Path) -> None:
    """Stored answers to 1,361 rows, scored and ranked: 10 % above 30 % above a model of shape alone."""
    made = made_set(MERA, "mera")
    rows = [row_of(at, task) for at, task in enumerate(made)]
    data = write(tmp_path / "rows.jsonl", rows)
    pairs = [LayoutPair(**_codes(row), label=row["outputs"]) for row in rows]
    said = {name: answers_of(name, made, "mera") for name in ("wrong 10 %", "wrong 30 %")}
    said["shape"] = layout_baseline(pairs).said
    for number, (name, labels) in enumerate(said.items()):
        answers = labels_of(tmp_path, f"m{number}", labels)
        run("codecorrectness", data=str(data), model=f"replay:{answers}", out=tmp_path / f"r{number}")
        assert set(labels) <= set(LABELS), name
    told = benchwright("rank", *(f"r{number}" for number in range(len(said))), "--json", cwd=tmp_path)
    standing = told.document
    ranges = [(each["best"], each["worst"]) for each in standing["places"]]

    assert [each["name"] for each in standing["places"]] == ["m0", "m1", "m2"]
    assert ranges == [(1, 1), (2, 2), (3, 3)]
    assert (standing["tasks"], standing["clusters"]) == (MERA, len({task.cluster for task in made}))


def _codes(row: dict[str, Any]) -> dict[str, str]:
    return {name: row["inputs"][name] for name in ("focal_code", "test_code")}
