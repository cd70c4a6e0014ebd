"""Models of known skill keep their order with as many rows as MERA's set has, and claim no more with 100."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from known_skill_cases import LABELS, MERA, SKILLS, MadeTask, answers_of, made_set, separations

from benchwright.running.pipeline import run
from benchwright.tracks.correctness.layout_baseline import LayoutPair, layout_baseline
from kit.command_line import benchwright
from kit.small_data import write

SETS = 40
UNEQUAL = [pair for pair in combinations(SKILLS, 2) if SKILLS[pair[0]] != SKILLS[pair[1]]]
EQUAL = [pair for pair in combinations(SKILLS, 2) if SKILLS[pair[0]] == SKILLS[pair[1]]]


@pytest.mark.parametrize("pair", UNEQUAL)
def test_unequal_skill_is_always_seen_with_as_many_rows_as_mera_has(pair: tuple[str, str]) -> None:
    """In each of forty sets, the right way round."""
    assert separations(MERA, sets=SETS)[pair][:2] == (1.0, 0.0)


@pytest.mark.parametrize("tasks", [100, MERA])
@pytest.mark.parametrize("pair", EQUAL)
def test_equal_skill_is_separated_as_seldom_as_said(pair: tuple[str, str], tasks: int) -> None:
    """By chance in one set of twenty at most; of forty sets five would be one in a thousand."""
    assert separations(tasks, sets=SETS)[pair].wrong <= 4 / SETS


@pytest.mark.parametrize("pair", UNEQUAL)
def test_with_100_rows_no_more_is_claimed_than_can_be_found(pair: tuple[str, str]) -> None:
    """Twenty points are near what is found four times in five and not seen in every set, forty are; never reversed."""
    found, apart = separations(100, sets=SETS)[pair], SKILLS[pair[0]] - SKILLS[pair[1]]

    assert found.wrong == 0
    assert (found.right == 1.0) == (apart > 1.5 * found.detectable)
    assert 0.12 < found.detectable < 0.25
    assert found.right >= 0.4


def labels_of(place: Path, name: str, said: list[str]) -> Path:
    """Stored answers, one a row."""
    return write(place / f"{name}.jsonl", [{"task_id": at, "answer": each} for at, each in enumerate(said)])


def row_of(at: int, task: MadeTask) -> dict[str, Any]:
    """The row as data sets write it; the number of lines is all that its files differ in."""
    test = "assert f() == 1\n" * (1 + task.lines % 7)
    return {
        "instruction": "{lang}\n{focal_code}\n{test_code}\nsuccess или failed?",
        "inputs": {"focal_code": "x = 1\n" * task.lines, "test_code": test, "lang": "Python"},
        "outputs": task.label,
        "meta": {"id": at, "cluster": task.cluster},
    }


@pytest.mark.usefixtures("jail")
def test_their_runs_are_ranked_by_skill_on_the_command_line(tmp_path: Path) -> None:
    """Stored answers to 1,361 rows, scored and ranked: 10 % above 30 % above what shape alone has learnt."""
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
