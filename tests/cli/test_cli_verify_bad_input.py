"""`benchwright verify` on rows that are wrong: each names file, line, row and field, and says what to do."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from benchwright.cli.verify import command
from benchwright.errors import BenchwrightError
from kit.fake_suites import FakeJava, FakeSuites, use_fakes
from kit.made_repositories import lines, row


class Bad(NamedTuple):
    """A data set, and the words that the error must have."""

    name: str
    data: bytes
    words: list[str]


def _rows(*changes: dict[str, Any]) -> bytes:
    """Rows that differ from a good one at paths such as "inputs.lang"; None takes the field out."""
    made = []
    for number, change in enumerate(changes, 1):
        given = copy.deepcopy(row(number))
        for path, value in change.items():
            *outer, last = path.split(".")
            target = given
            for name in outer:
                target = target[name]
            if value is None:
                del target[last]
            else:
                target[last] = value
        made.append(json.dumps(given).encode())
    return b"\n".join(made) + b"\n"


_BAD = [
    Bad(
        "missing field",
        _rows({}, {"inputs.test_code": None}),
        ["rows.jsonl:2", "task 2", "`inputs.test_code`", "is missing", "hint: the object has `focal_code`"],
    ),
    Bad("missing label", _rows({"outputs": None}), ["task 1", "`outputs`", "is missing", "hint:"]),
    Bad("missing id", _rows({"meta": {}}), ["rows.jsonl:1", "`meta.id`", "is missing", "hint:"]),
    Bad(
        "code that is a list",
        _rows({"inputs.focal_code": ["x"]}),
        ["task 1", "must be a string, not an array", 'hint: write it as "focal_code": "text"'],
    ),
    Bad(
        "inputs that are text",
        _rows({"inputs": "x"}),
        ["must be an object, not a string", 'hint: write it as "inputs": {…}'],
    ),
    Bad(
        "an id that is true",
        _rows({"meta.id": True}),
        ["`meta.id`", "must be an integer or a string, not a boolean", 'hint: write it as "id": 1'],
    ),
    Bad("a label of another type", _rows({"outputs": True}), ["`outputs`", "not a boolean", "hint:"]),
    Bad(
        "unknown language",
        _rows({"inputs.lang": "Jva"}),
        ["task 1", "`inputs.lang`", "'Jva'", "hint: did you mean `Java`?"],
    ),
    Bad(
        "a language of control characters",
        _rows({"inputs.lang": "\x1b[2JGo"}),
        ["`inputs.lang`", "x1b[2JGo", "hint: one of: Python, Java, Go, JavaScript"],
    ),
    Bad(
        "unknown label", _rows({"outputs": "unknown"}), ["`outputs`", "'unknown' is not a label", "`failed`"]
    ),
    Bad("a label's case", _rows({"outputs": "Success"}), ["hint: did you mean `success`?"]),
    Bad(
        "the same id twice",
        _rows({"meta.id": 7}, {"meta.id": "7"}),
        ["rows.jsonl:2", "task 7", "line 1 has it too", "hint: give each"],
    ),
    Bad("an empty file", b"", ["rows.jsonl", "has no rows", "hint:"]),
    Bad("NUL bytes", b"\0\0\n", ["rows.jsonl:1", "not JSON", "hint:"]),
    Bad("Latin-1", b'{"a": "\xe9"}\n', ["rows.jsonl:1", "not valid UTF-8", "hint: save the file as UTF-8"]),
    Bad(
        "half of a surrogate pair",
        _rows({"inputs.focal_code": "x = '\ud800'\n"}),
        ["rows.jsonl:1", "`inputs.focal_code`", "half of a surrogate pair", "hint:"],
    ),
    Bad("a row of another kind", b"[1, 2]\n", ["rows.jsonl:1", "must be a JSON object", "hint:"]),
    Bad("a torn line", _rows({}) + b'{"a": \n', ["rows.jsonl:2", "not JSON", "hint:"]),
    Bad("depth", b"[" * 100_000 + b"\n", ["rows.jsonl", "hint:"]),
]


def _ended(monkeypatch: pytest.MonkeyPatch, folder: Path, *args: object) -> Any:
    use_fakes(monkeypatch, FakeSuites, FakeJava)
    given = [folder / "rows.jsonl", "--out", folder / "out", "--repeat", 1, *args]
    return CliRunner().invoke(command, [str(arg) for arg in given])


@pytest.mark.parametrize("bad", _BAD, ids=[bad.name for bad in _BAD])
def test_bad_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bad: Bad) -> None:
    """One error with exit code 1, printable, that says what, where, why and what to do; no folder is made."""
    (tmp_path / "rows.jsonl").write_bytes(bad.data)
    error = _ended(monkeypatch, tmp_path).exception

    assert isinstance(error, BenchwrightError)
    assert [word for word in bad.words if word not in str(error)] == []
    assert (error.exit_code, str(error).replace("\n", "").isprintable()) == (1, True)
    assert not (tmp_path / "out").exists()


def test_a_line_of_100_mb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is refused by its length, before it is a text in memory."""
    with (tmp_path / "rows.jsonl").open("wb") as file:
        file.write(b'{"x": "')
        file.seek(100_000_000)
        file.write(b'"}\n')
    error = _ended(monkeypatch, tmp_path).exception

    assert isinstance(error, BenchwrightError)
    assert ("rows.jsonl:1: the line is longer than" in error.message, bool(error.hint)) == (True, True)


@pytest.mark.parametrize(
    ("test_code", "why"),
    [
        ("from m import f\n\0\n\ndef test_f():\n    assert f()\n", "null bytes"),
        ("from m import f\n", "no test case"),
        ("from m import (\n", "does not parse"),
        ("def test_f():\n    assert True\n", "no import"),
        (
            "from m import f\n\n\ndef test_f():\n    x = " + "-" * 50_000 + "1\n    assert f()\n",
            "nested too deeply",
        ),
    ],
)
def test_rows_that_cannot_be_executed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, test_code: str, why: str
) -> None:
    """They are a finding with a reason; the row beside them is executed."""
    inputs = {"focal_code": "def f():\n    return 1\n", "test_code": test_code, "lang": "Python"}
    lines(tmp_path / "rows.jsonl", [row(1, inputs=inputs), row(2)])
    said = _ended(monkeypatch, tmp_path, "--json")
    document = json.loads(said.stdout)

    assert (said.exit_code, document["counts"]["no_layout"], document["counts"]["agrees"]) == (0, 1, 1)
    assert why in document["findings"][0]["detail"]


def test_code_that_was_escaped_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is read as it was meant, and the result says of how many rows."""
    inputs = {name: text.replace("\n", "\\n") for name, text in row(1)["inputs"].items()}
    lines(tmp_path / "rows.jsonl", [row(1, inputs=inputs), row(2)])
    said = _ended(monkeypatch, tmp_path)

    assert (said.exit_code, "escaped twice" in said.stderr) == (0, True)


def test_paths_in_a_row_lead_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path is a hint for a name: nothing is read from it or written to it."""
    meta = {"id": 1, "focal_path": "../../../etc/passwd", "test_path": "/etc/../test_x\n.py"}
    lines(tmp_path / "rows.jsonl", [row(1, meta=meta)])
    said = _ended(monkeypatch, tmp_path, "--json")

    assert json.loads(said.stdout)["counts"]["agrees"] == 1


def test_a_sandbox_that_always_fails_is_no_success(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 3: a script that asks whether the labels hold must not hear yes when nothing was executed."""
    lines(
        tmp_path / "rows.jsonl", [row(1, remark="ends: sandbox_error"), row(2, remark="ends: sandbox_error")]
    )

    assert _ended(monkeypatch, tmp_path).exit_code == 3


def test_one_execution_is_not_plural(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The closing lines are sentences."""
    lines(tmp_path / "rows.jsonl", [row(1)])

    assert "1 execution a row" in _ended(monkeypatch, tmp_path).stderr


def test_hostile_text_does_not_reach_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An id may not hold control characters, and no word of a row is taken for markup."""
    lines(tmp_path / "rows.jsonl", [row(1, "failed", meta={"id": "[bold red]x[/]"})])
    said = _ended(monkeypatch, tmp_path)

    assert "[bold red]x[/]" in said.stderr
