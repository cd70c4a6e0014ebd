"""`benchwright export training`: from a release to files, and the check of files of any origin."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kit.command_line import benchwright, called
from kit.made_alignment import made_release


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release, only read."""
    return made_release(tmp_path_factory.mktemp("made") / "release")


def test_an_export_lists_rows_and_what_was_left_out(release: Path, tmp_path: Path) -> None:
    ended = benchwright("export", "training", release, "--recipe", "refine", "--out", tmp_path / "out")

    assert (ended.code, ended.err) == (0, "")
    first = ended.out.splitlines()[0]
    assert first.startswith("refine-sft: 2 train (prompt_completion); left out: ")
    assert "1 weak evidence" in first
    assert called("export", "training", "--check", tmp_path / "out").code == 0


def test_the_document_has_counts_by_split_and_reason(release: Path, tmp_path: Path) -> None:
    ended = called(
        "export", "training", release, "--recipe", "addressed-kto", "--out", tmp_path / "out", "--json"
    )
    [part] = ended.document["configurations"].values()

    assert (part["columns"], part["rows"]) == (["prompt", "completion", "label"], {"train": 3})
    assert part["dropped"]["test_split"] == 1


def test_names_of_recipes_are_suggested(release: Path, tmp_path: Path) -> None:
    ended = called("export", "training", release, "--recipe", "refine-stf", "--out", tmp_path / "out")

    assert (ended.code, ended.out) == (2, "")
    assert "unknown recipe: refine-stf" in ended.err
    assert "refine-sft" in ended.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "missing RELEASE"),
        (("somewhere",), "missing --out"),
        (("somewhere", "--check", "there"), "takes neither"),
        (("--check", "nowhere.jsonl"), "no training files"),
    ],
)
def test_a_wrong_call_has_a_hint(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    ended = called("export", "training", *arguments, cwd=tmp_path)

    assert ended.code == 2
    assert message in ended.err
    assert "hint:" in ended.err


def check(folder: Path, *rows: Any) -> list[str]:
    """The lines that a check of a file with these rows prints."""
    path = folder / "rows.jsonl"
    path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows))
    ended = called("export", "training", "--check", path)
    assert ended.code == (0 if ended.out.endswith("no errors\n") else 1)
    return ended.out.splitlines()


def test_a_label_of_text_is_refused_with_its_place(tmp_path: Path) -> None:
    good = {"prompt": "a", "completion": "b", "label": True}
    lines = check(tmp_path, good, {**good, "label": "false"})

    assert lines[0] == f'{tmp_path}/rows.jsonl:2, field `label`: must be a boolean, not the text "false"'
    assert lines[1].startswith("  hint: write true or false without quotes")


def test_a_wrong_column_and_an_empty_completion_are_refused(tmp_path: Path) -> None:
    lines = check(tmp_path, {"prompt": "a", "completion": "b"}, {"prompt": "a", "completion": "", "id": 3})

    assert [line.partition(": ")[0].partition("rows.jsonl")[2] for line in lines if "field" in line] == [
        ":2, field `id`",
        ":2, field `completion`",
    ]
    assert lines[-1].endswith("2 rows in 1 file; 2 errors")


def test_a_line_that_is_no_json_is_an_error_with_its_line(tmp_path: Path) -> None:
    lines = check(tmp_path, {"prompt": "a", "completion": "b"}, "{")

    assert "rows.jsonl:2" in lines[0]
    assert lines[-1].endswith("1 error")


def test_a_format_without_a_contract_is_not_checked(release: Path, tmp_path: Path) -> None:
    """Its columns are not those of a type, so each row would be refused."""
    out = tmp_path / "out"
    assert called("export", "training", release, "--format", "chat", "--out", out).code == 0
    ended = called("export", "training", "--check", out)

    assert (ended.code, ended.out) == (2, "")
    assert "--format trl" in ended.err
