"""`check`: all faults of a data set at once, for people and as JSON, with solutions executed where asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from kit.command_line import benchwright, called
from kit.own_rows import CALLS, OWN_TOML, own_file, own_row
from kit.small_data import mera_row, write


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One file without a fault, and one with a fault of each kind."""
    (tmp_path / "good.toml").write_text(OWN_TOML)
    bad = OWN_TOML.replace("returns = 3", "returns = 4").replace('label = "spam"', 'lable = "spam"')
    (tmp_path / "bad.toml").write_text(bad)
    return tmp_path


def test_a_sound_data_set_says_so(folder: Path) -> None:
    said = benchwright("check", "good.toml", cwd=folder)

    assert (said.code, said.err) == (0, "")
    assert said.out == (
        "good.toml: 3 tasks of own, 3 with a solution; no errors; use --execute to judge the solutions\n"
    )


def test_faults_have_line_field_and_hint(folder: Path) -> None:
    said = called("check", "bad.toml", cwd=folder)

    assert said.code == 1
    assert said.out.splitlines() == [
        "bad.toml:24, field `lable`: unknown field",
        "  hint: did you mean `label`? put notes into `meta`",
        "bad.toml: 2 tasks of own, 2 with a solution; 1 × invalid row",
    ]


@pytest.mark.usefixtures("jail")
def test_solutions_are_executed_where_asked(folder: Path) -> None:
    """In the sandbox; the order is that of the lines."""
    said = called("check", "bad.toml", "--execute", "--json", cwd=folder)

    assert (said.code, said.document["holds"], said.document["executed"]) == (1, False, True)
    assert [(each["line"], each["kind"], each["task"]) for each in said.document["faults"]] == [
        (2, "gold", "add"),
        (24, "row", ""),
    ]
    assert "add(1, 2) gave 3, expected 4" in said.document["faults"][0]["message"]
    assert called("check", "good.toml", "--execute", "--json", cwd=folder).document["faults"] == []


def test_so_many_faults_are_printed_and_no_more(tmp_path: Path) -> None:
    """`--json` has all of them."""
    own_file(tmp_path, *(own_row(CALLS, id=at, prompt=None) for at in range(30)))

    said = called("check", "own.jsonl", "--most", "3", cwd=tmp_path)

    assert said.out.count("hint:") == 3
    assert "… and 27 more errors; print all with --most 30 or --json" in said.out
    assert len(called("check", "own.jsonl", "--json", cwd=tmp_path).document["faults"]) == 30


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.jsonl"], "no file at nothing.jsonl"),
        (["good.toml", "--track", "owm"], "unknown track: owm"),
        (["good.toml", "--most", "0"], "--most"),
        ([""], "DATA is empty"),
        (["."], "is a folder without a data set file"),
    ],
)
def test_a_wrong_command_is_a_usage_error(folder: Path, arguments: list[str], message: str) -> None:
    said = called("check", *arguments, cwd=folder)

    assert (said.code, message in said.err) == (2, True)


def test_rows_of_another_track_are_told_by_name(folder: Path) -> None:
    said = called("check", "good.toml", "--track", "humaneval", cwd=folder)

    assert said.code == 1
    assert said.out.count("field `task_id`: the field is missing") == 3


@pytest.mark.parametrize(
    ("ids", "said"),
    [
        ([0, 1], []),
        (["abc", 1], ["is not an integer"]),
        (["abc", "ab/1"], ["is not an integer"] * 2),
        ([7, "x", "07"], ["is not an integer", "duplicates the id of"]),
    ],
)
def test_ids_that_cannot_be_exported_are_noted(tmp_path: Path, ids: list[object], said: list[str]) -> None:
    """A run takes them, so they are no fault; an export after it would not."""
    rows = [{**mera_row(at), "meta": {**mera_row(at)["meta"], "id": each}} for at, each in enumerate(ids)]
    data = write(tmp_path / "rows.jsonl", rows)
    found, printed = called("check", data, "--json"), called("check", data)

    assert (found.code, found.document["holds"], printed.code) == (0, True, 0)
    assert len(found.document["notes"]) == len(said)
    for note, words in zip(found.document["notes"], said, strict=True):
        assert (note["field"], note["message"].startswith(words)) == ("meta.id", True)
    assert ("note: `export mera` rejects" in printed.out) == bool(said)
