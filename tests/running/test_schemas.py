"""Schemas match the written and read data: rows of tracks, and all files of a run folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import msgspec
import pytest

from benchwright import registry
from benchwright.cli import shell_completion
from benchwright.errors import BenchwrightError, UsageError
from benchwright.running.data_check import check_rows, load_all
from benchwright.running.schemas import schema_names, schema_of
from kit.command_line import called
from kit.multipl_rows import go_row, java_row
from kit.needs import need_module
from kit.own_rows import OWN_TOML, ROWS, own_file, own_row
from kit.smartcoding_rows import comment_row, issue_row
from kit.track_rows import humaneval_row, mera_row, write_rows

jsonschema = need_module("jsonschema", reason="a package of the report's charts")
PAIR = {
    "instruction": "{focal_code}\n{test_code} {lang}",
    "inputs": {"focal_code": "def f(): pass", "test_code": "f()", "lang": "Python"},
    "outputs": "success",
    "meta": {"id": 1},
}
MBPP = {
    "task_id": 3,
    "text": "Write a function that gives twice its argument.",
    "code": "def twice(x):\n    return 2 * x\n",
    "test_list": ["assert twice(2) == 4", "assert twice(0) == 0"],
}
PLUS = {
    "task_id": "HumanEval/900",
    "prompt": 'def twice(x):\n    """Twice x."""\n',
    "entry_point": "twice",
    "canonical_solution": "    return 2 * x\n",
    "base_input": [[1], [2]],
    "plus_input": [[0.5]],
    "atol": 0,
}
GOOD = [
    *(("own", row) for row in ROWS),
    ("humaneval", humaneval_row()),
    ("humaneval", humaneval_row(task_id=7)),
    ("mbpp", MBPP),
    ("mbpp", {**{key: value for key, value in MBPP.items() if key != "text"}, "prompt": "Give twice x."}),
    ("evalplus", PLUS),
    ("multipl", go_row()),
    ("multipl", java_row(canonical_solution="        return null;")),
    ("ruhumaneval", mera_row()),
    ("ruhumaneval", mera_row(outputs=[["3.5", "0.0"]])),
    ("codecorrectness", PAIR),
    ("codecorrectness", {**PAIR, "outputs": ""}),
    ("codecorrectness-errors", PAIR),
    ("codecorrectness-errors", {**PAIR, "outputs": "failed", "meta": {"id": 1, "error_class": "build"}}),
    ("smartcoding-comments", comment_row()),
    ("smartcoding-issues", issue_row()),
]
# By track, a required field whose removal invalidates a row.
REQUIRED = [
    *(("own", own_row(), name) for name in ("id", "prompt", "calls")),
    *(("humaneval", humaneval_row(), name) for name in ("task_id", "prompt", "entry_point", "test")),
    *(("mbpp", MBPP, name) for name in ("task_id", "text", "test_list")),
    *(("evalplus", PLUS, name) for name in PLUS if name != "atol"),
    *(("multipl", go_row(), name) for name in ("name", "language", "prompt", "tests")),
    *(("ruhumaneval", mera_row(), name) for name in ("instruction", "inputs", "outputs", "meta")),
    *(("codecorrectness", PAIR, name) for name in ("instruction", "inputs", "meta")),
    *(("smartcoding-comments", comment_row(), name) for name in ("inputs", "outputs", "meta")),
    *(("smartcoding-issues", issue_row(), name) for name in ("inputs", "outputs", "meta")),
]


def fits(name: str, value: Any) -> bool:
    """Return whether a value matches its schema."""
    schema = schema_of(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    return bool(jsonschema.Draft202012Validator(schema).is_valid(value))


def is_task(folder: Path, name: str, row: dict[str, Any]) -> bool:
    """Return whether the track accepts it."""
    try:
        return bool(list(registry.find("track", name).load(write_rows(folder, row))))
    except BenchwrightError:
        return False


@pytest.mark.parametrize(("name", "row"), GOOD)
def test_a_row_that_a_track_takes_fits_its_schema(tmp_path: Path, name: str, row: dict[str, Any]) -> None:
    assert (is_task(tmp_path, name, row), fits(name, row)) == (True, True)


@pytest.mark.parametrize(("name", "row", "field"), REQUIRED)
def test_a_row_without_a_field_fits_neither(
    tmp_path: Path, name: str, row: dict[str, Any], field: str
) -> None:
    cut = {key: value for key, value in row.items() if key != field}

    assert (is_task(tmp_path, name, cut), fits(name, cut)) == (False, False)


def test_each_track_of_ours_has_its_rows(tmp_path: Path) -> None:
    """The fields of each record have the descriptions from the source."""
    assert set(registry.TRACKS) <= set(schema_names())
    assert schema_of("own")["properties"]["labels"]["description"].startswith(
        "all labels that a model may answer"
    )
    described = schema_of("proof")["properties"]["rule"]["description"]
    assert described == "rule by which the program was extracted"
    assert schema_of("aicodereval")["properties"]["domain"] == {"$ref": "#/$defs/Domain"}


@pytest.mark.usefixtures("jail")
def test_each_file_of_a_run_fits(tmp_path: Path) -> None:
    """As on disk, and as printed by --json."""
    (tmp_path / "own.toml").write_text(OWN_TOML)
    said = called(
        "run", "own", "--data", "own.toml", "--model", "gold:", "--out", "run", "--json", cwd=tmp_path
    )
    run = tmp_path / "run"
    files = {"answer": "answers.jsonl", "verdict": "verdicts.jsonl", "proof": "self_check.jsonl"}

    assert fits("score", said.document)
    assert fits("score", json.loads((run / "scores.json").read_text()))
    assert fits("run", json.loads((run / "run.json").read_text()))
    for name, file in files.items():
        rows = [json.loads(line) for line in (run / file).read_text().splitlines()]
        assert rows and all(fits(name, row) for row in rows)
    events = (run / "events.jsonl").read_text() if (run / "events.jsonl").exists() else ""
    assert all(fits("event", json.loads(line)) for line in events.splitlines())


def test_what_check_prints_fits(tmp_path: Path) -> None:
    path = own_file(tmp_path, own_row(prompt=None), own_row())

    assert fits("check", json.loads(msgspec.json.encode(check_rows(path, load_all(path)))))
    assert fits("check", called("check", path, "--json").document)


def test_an_unknown_name_has_the_nearest() -> None:
    with pytest.raises(UsageError, match="unknown schema: 'verdicts'") as caught:
        schema_of("verdicts")

    assert caught.value.hint == "did you mean `verdict`?"


def test_the_shell_offers_the_names_that_there_are() -> None:
    offered = shell_completion.schema_names(
        click.Context(click.Command("schema")), click.Argument(["name"]), ""
    )

    assert [item.value for item in offered] == schema_names()
