"""`benchwright rank`: a table with the places that each run could have."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from benchwright.rank.documents import COLUMNS
from kit.command_line import CONTROL, benchwright, called, inside
from kit.small_runs import rights, run_folder

COUNTS = {
    "best": [9, 10, 8, 10, 9, 7, 10, 9, 10, 8] * 3,
    "twin-a": [2, 5, 1, 4, 3, 0, 6, 2, 3, 1] * 3,
    "twin-b": [3, 4, 1, 5, 2, 0, 4, 3, 3, 2] * 3,
}


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    """A good model and two that differ by noise."""
    return [
        run_folder(tmp_path / name, rights(counts, 10), model=f"openai:{name}", ks=(1, 10))
        for name, counts in COUNTS.items()
    ]


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_the_table_is_for_people(runs: list[Path]) -> None:
    """Places, metrics and the sentence go to stderr; stdout stays empty."""
    said = benchwright("rank", *runs)
    told = ["2–3", "90.0 %", "Separated: best above twin-", "Not separated: twin-", "95 % intervals"]

    assert (said.code, said.out, [text in said.err for text in told]) == (0, "", [True] * 5)


@pytest.mark.parametrize(
    ("places", "words"),
    [
        ("each", "are correct for each model separately in 95 % of cases"),
        ("all", "are correct for all models together in 95 % of cases"),
        ("bootstrap", "cover 95 % of bootstrap resamples of tasks"),
    ],
)
def test_it_says_what_the_places_mean(runs: list[Path], places: str, words: str) -> None:
    """One line under the table for each way of making ranges."""
    assert words in inside("rank", *runs, "--places", places).stderr


def test_json_has_places_and_all_pairs(runs: list[Path]) -> None:
    """Every key is there; three models make three pairs."""
    found = json.loads(inside("rank", *runs, "--json").stdout)
    keys = [
        "metric",
        "places_hold",
        "confidence",
        "tasks",
        "clusters",
        "grouping",
        "places",
        "pairs",
        "notes",
        "sentence",
    ]

    assert (list(found), [(p["best"], p["worst"]) for p in found["places"]], len(found["pairs"])) == (
        keys,
        [(1, 1), (2, 3), (2, 3)],
        3,
    )


def test_csv_on_stdout(runs: list[Path]) -> None:
    """With - the table is the output, and nothing else is printed."""
    said = called("rank", *runs, "--csv", "-")
    found = rows(said.out)

    assert (
        said.err,
        tuple(found[0]),
        [row["place_worst"] for row in found],
        found[0]["separated_from_next"],
    ) == (
        "",
        COLUMNS,
        ["1", "3", "3"],
        "true",
    )


def test_csv_into_a_file(runs: list[Path], tmp_path: Path) -> None:
    """The table for people is printed beside it, and the last row has no next one."""
    said = inside("rank", *runs, "--csv", tmp_path / "table.csv")
    found = rows((tmp_path / "table.csv").read_text(encoding="utf-8"))

    assert ("2–3" in said.stderr, len(found), found[-1]["p_over_next"], found[0]["name"]) == (
        True,
        3,
        "",
        "best",
    )


def test_csv_beside_json(runs: list[Path], tmp_path: Path) -> None:
    """A file and a document at once."""
    found = inside("rank", *runs, "--json", "--csv", tmp_path / "table.csv")

    assert (json.loads(found.stdout)["metric"], len(rows((tmp_path / "table.csv").read_text()))) == (
        "pass@1",
        3,
    )


def test_csv_and_json_cannot_share_stdout(runs: list[Path]) -> None:
    """Exit code 2, nothing is mixed."""
    said = called("rank", *runs, "--json", "--csv", "-")

    assert (said.code, said.out, "both write to stdout" in said.err) == (2, "", True)


def test_csv_where_nothing_can_be_written(runs: list[Path], tmp_path: Path) -> None:
    """A folder that is not there is an error with its name."""
    said = called("rank", *runs, "--csv", tmp_path / "absent" / "table.csv")

    assert (said.code, "absent" in said.err, said.err.startswith("error: ")) == (1, True, True)


def test_csv_cells_are_no_formulas(tmp_path: Path) -> None:
    """A model that is named like a formula is text to a spreadsheet."""
    runs = [run_folder(tmp_path / name, rights([1, 0, 1], 1), model=name) for name in ("=cmd|x", "openai:+1")]
    found = {row["name"] for row in rows(called("rank", *runs, "--csv", "-").out)}

    assert found == {"'=cmd|x", "'+1"}


def test_one_run_is_no_ranking(runs: list[Path]) -> None:
    """Exit code 2 and what is needed."""
    said = called("rank", runs[0])

    assert (said.code, "a ranking needs at least two runs" in said.err) == (2, True)


def test_no_run_at_all() -> None:
    """Usage, as for any missing argument."""
    assert called("rank").code == 2


def test_hostile_names_do_not_act(tmp_path: Path) -> None:
    """Models and notes with escapes are shown, never obeyed."""
    evil = "openai:\x1b[2J[red]\x07"
    runs = [run_folder(tmp_path / f"r{number}", rights([1, 0, 1], 1), model=evil) for number in range(2)]
    said = called("rank", *runs)

    assert (said.code, CONTROL.search(said.err), "[red]" in said.err) == (0, None, True)


def test_help_has_examples() -> None:
    """They can be pasted."""
    assert "benchwright rank runs/a runs/b runs/c" in inside("rank", "--help").output
