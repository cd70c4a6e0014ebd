"""`benchwright release private`: a set to give away, its golds, and what the other commands do with both."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kit.command_line import called
from kit.small_data import mera, mera_row, read_rows, write


def _released(folder: Path, *options: object, out: str = "private.json") -> None:
    said = called(
        *("release", "private", mera(folder), "--out", folder / out, "--golds", folder / "golds.jsonl"),
        *options,
    )
    assert said.code == 0, said.err


def test_both_files_are_data_sets(tmp_path: Path) -> None:
    """The closed set is MERA's document, the golds are the rows; `check` takes both and says what lacks."""
    _released(tmp_path)
    document = json.loads((tmp_path / "private.json").read_text())
    checks = [called("check", tmp_path / name, "--json").document for name in ("private.json", "golds.jsonl")]

    assert document["access"] == "private"
    assert read_rows(tmp_path / "golds.jsonl") == read_rows(mera(tmp_path))
    assert [(each["holds"], each["hidden"], each["gold"]) for each in checks] == [(True, 3, 0), (True, 0, 3)]
    assert "3 without gold answers, which cannot be scored" in called("check", tmp_path / "private.json").out


def test_a_half_can_be_hidden(tmp_path: Path) -> None:
    """What is not chosen goes to the open half as it is."""
    _released(tmp_path, "--tasks", "1:2", "--rest", tmp_path / "open.jsonl", out="private.jsonl")
    ids = {
        name: [row["meta"]["id"] for row in read_rows(tmp_path / name)]
        for name in ("private.jsonl", "golds.jsonl", "open.jsonl")
    }

    assert ids == {"private.jsonl": [1], "golds.jsonl": [1], "open.jsonl": [0, 2]}


def test_a_run_says_that_golds_are_missing(tmp_path: Path) -> None:
    """Scoring is refused with what to do instead."""
    _released(tmp_path)
    said = called("run", "ruhumaneval", "--data", tmp_path / "private.json", "--model", "gold:", "--n", 1)

    assert said.code == 1
    assert "the outputs are hidden" in said.err
    assert "--ask-only" in said.err


@pytest.mark.usefixtures("jail")
def test_the_golds_score_the_submission(tmp_path: Path) -> None:
    """The zip is made from the closed set alone, and its owner's golds score it."""
    _released(tmp_path)
    rows = read_rows(tmp_path / "golds.jsonl")
    answers = [
        {"task_id": row["meta"]["id"], "completion": row["meta"]["canonical_solution"]} for row in rows
    ]
    write(tmp_path / "answers.jsonl", answers * 10)
    exported = called(
        *("export", "mera", "--data", tmp_path / "private.json", "--answers", tmp_path / "answers.jsonl"),
        *("--out", tmp_path / "sub.zip", "--workers", 1),
    )
    scored = called(
        *("check-submission", tmp_path / "sub.zip", "--gold", tmp_path / "golds.jsonl"),
        *("--task", "ruCodeEval"),
    )

    assert (exported.code, scored.code) == (0, 0), exported.err + scored.err
    assert "pass@1 1.0000" in scored.err + scored.out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--out", "rows.jsonl", "--golds", "g.jsonl"], "--out is the file of DATA"),
        (["--out", "p.json", "--golds", "./p.json"], "--golds is the file of --out"),
        (["--out", "-", "--golds", "g.jsonl"], "--out - is not supported"),
        (["--out", "p.json", "--golds", "g.jsonl", "--rest", "r.jsonl"], "--rest requires --tasks"),
    ],
)
def test_no_gold_is_lost_or_given_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], said: str
) -> None:
    """One file in two places is refused before anything is written."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "rows.jsonl", [mera_row(0)])
    refused = called("release", "private", "rows.jsonl", *options)

    assert (refused.code, said in refused.err) == (2, True)
    assert [path.name for path in tmp_path.iterdir()] == ["rows.jsonl"]


def test_ids_that_cannot_be_exported_are_refused(tmp_path: Path) -> None:
    """A closed set is for MERA's server, which finds tasks by integer ids."""
    row = mera_row(0)
    rows = write(tmp_path / "rows.jsonl", [{**row, "meta": {**row["meta"], "id": "a"}}])
    said = called("release", "private", rows, "--out", tmp_path / "p.json", "--golds", tmp_path / "g.jsonl")

    assert (said.code, "is not an integer" in said.err, (tmp_path / "p.json").exists()) == (1, True, False)
