"""The counted list of bad inputs to the tracks of MERA Code: each is named with place, field, reason and hint.

Rows, data sets, files of answers, archives, clones, suite files and hidden halves. Faults of submissions are in
`test_mera_check.py` and `test_mera_unpacking.py`, further fields of rows in `tests/tracks`.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from benchwright.demo.repositories import make_clones
from benchwright.running.data_check import RowFault, load_all
from kit.command_line import called
from kit.mera_replies import SAMPLES, rows
from kit.small_data import mera_row, write

LEAST = 40


class BadRow(NamedTuple):
    """A change of the second row of a data set, and what the fault must name."""

    track: str
    field: str  # with its path in the row; what is reported, unless `named` says otherwise
    value: Any  # ...: the field is removed
    reason: str
    named: str = ""


ROWS = [
    BadRow("codelintereval", "inputs.code", " ", "is empty"),
    BadRow("codelintereval", "inputs.feedback", "", "is empty"),
    BadRow("codelintereval", "outputs", [1, 0], "must be 1", "outputs[1]"),
    BadRow("codelintereval", "outputs", "1", "must be a list"),
    BadRow("codelintereval", "instruction", "Fix it: {feedback}", "does not show `code`"),
    BadRow("strucom", "meta.language", "rust", "is unknown"),
    BadRow("strucom", "inputs.function", "\n", "is empty"),
    BadRow("strucom", "outputs", 5, "must be a string"),
    BadRow("rucodereviewer", "inputs.diff_block", ..., "the field is missing"),
    BadRow("rucodereviewer", "outputs", "x" * 20_000, "the limit is 16,384"),
    BadRow("unittests", "inputs.language", "kotlin", "is unknown"),
    BadRow("unittests", "inputs.test_file_path", 5, "must be a string"),
    BadRow("unittests", "inputs.focal_func", "", "is empty"),
    BadRow("javatestgen", "inputs.class_name", "a b", "cannot be a function's name"),
    BadRow("javatestgen", "meta.fn_test", "/etc/A.java", "is not the path of a Java file"),
    BadRow("javatestgen", "outputs", [1], "must be a list of texts"),
    BadRow("realcode", "meta.repo", "../../etc", "is not the name of a repository"),
    BadRow("realcode", "meta.base_commit", "main", "is not the id of a commit"),
    BadRow("realcode", "meta.PASS_TO_PASS", [], "is empty"),
    BadRow("realcodejava", "meta.stub", ..., "the field is missing"),
    BadRow("realcodejava", "meta.file_path", "a/../B.java", "is not a relative path"),
    BadRow("yabloco", "meta.pos", 0, "must be an integer from 1"),
    BadRow("yabloco", "inputs.language", "Rust", "is unknown"),
    BadRow("yabloco", "meta.file", "numbers.c", "is not a path below a folder"),
    BadRow("rucodeeval", "inputs.tests", "import os", "not a literal"),
    BadRow("rucodeeval", "meta.entry_point", "a b", "cannot be a function's name"),
    BadRow("ruhumaneval", "outputs", ["1"], "1 outputs for 2 tests"),
]


def _changed(track: str, field: str, value: Any) -> dict[str, Any]:
    row = mera_row(2) if track in ("rucodeeval", "ruhumaneval") else deepcopy(rows(track)[1])
    first, _, rest = field.partition(".")
    target, key = (row[first], rest) if rest else (row, first)
    if value is ...:
        target.pop(key)
    else:
        target[key] = value
    return row


def _first(track: str) -> dict[str, Any]:
    return mera_row(1) if track in ("rucodeeval", "ruhumaneval") else rows(track)[0]


@pytest.mark.parametrize("bad", ROWS, ids=lambda bad: f"{bad.track}-{bad.field}")
def test_a_bad_row_is_named(bad: BadRow, tmp_path: Path) -> None:
    """The row before it is read."""
    path = write(tmp_path / "rows.jsonl", [_first(bad.track), _changed(bad.track, bad.field, bad.value)])
    loaded = load_all(path, bad.track)
    (fault,) = loaded.faults

    assert (len(loaded.tasks), fault.place, fault.field) == (1, f"{path}:2", bad.named or bad.field)
    assert bad.reason in fault.message
    assert fault.hint


class BadFile(NamedTuple):
    """The bytes of a data set, and what the fault must name."""

    name: str
    content: bytes
    place: str
    reason: str


_GOOD = json.dumps(rows("strucom")[0]).encode()
FILES = [
    BadFile("cut.jsonl", _GOOD + b"\n" + _GOOD[:60], "cut.jsonl:2", "JSON"),
    BadFile("latin.jsonl", _GOOD + b'\n{"a": "\xe9"}\n', "latin.jsonl:2", "UTF-8"),
    BadFile("twice.jsonl", _GOOD + b"\n" + _GOOD, "twice.jsonl:2", "duplicate id"),
    BadFile("empty.jsonl", b"", "empty.jsonl", "no rows"),
    BadFile("array.jsonl", _GOOD + b"\n[1]\n", "array.jsonl:2", "object"),
    BadFile("damaged.jsonl.gz", b"\x1f\x8b\x08\x00damaged", "damaged.jsonl.gz", "gzip"),
    BadFile("list.json", b'{"data": [1]}', "list.json", "object"),
]


@pytest.mark.parametrize("bad", FILES, ids=lambda bad: bad.name)
def test_a_bad_data_set_is_named(bad: BadFile, tmp_path: Path) -> None:
    """With its file and line."""
    (tmp_path / bad.name).write_bytes(bad.content)
    found: list[RowFault] = load_all(tmp_path / bad.name, "strucom").faults

    assert bad.place in found[0].place
    assert bad.reason in found[0].message
    assert found[0].hint


class BadCommand(NamedTuple):
    """A command in a folder that `made` filled, and what it says."""

    name: str
    made: Callable[[Path], object]
    args: tuple[str, ...]
    said: tuple[str, ...]  # place, field and reason


def _answers(folder: Path, text: str, rows_of: str = "strucom") -> None:
    write(folder / "rows.jsonl", rows(rows_of)[:2])
    (folder / "answers.jsonl").write_text(text)


def _line(number: int, **more: Any) -> str:
    return json.dumps({"task_id": number, "completion": "x", **more}) + "\n"


def _archive(folder: Path, name: str, content: str) -> None:
    write(folder / "rows.jsonl", rows("codelintereval")[:2])
    with zipfile.ZipFile(folder / "s.zip", "w") as file:
        file.writestr(name, content)


def _outputs(*outputs: Any) -> str:
    found = [{"outputs": each, "meta": {"id": number}} for number, each in enumerate(outputs, 1)]
    return json.dumps({"data": {"test": found}})


def _suite(folder: Path, text: str) -> None:
    (folder / "mera").mkdir()
    (folder / "s.toml").write_text(text + '\n[[models]]\nname = "a"\nmodel = "gold:"\n')


def _clones(folder: Path, **texts: str) -> None:
    make_clones(folder / "clones")
    write(folder / "yabloco.jsonl", rows("yabloco")[:1])
    for name, text in texts.items():
        (folder / "clones" / f"{name}.toml").write_text(text)


_EXPORT = ("export", "mera", "--data", "rows.jsonl", "--answers", "answers.jsonl", "--out", "s.zip")
_CHECK = ("check-submission", "s.zip", "--gold", "rows.jsonl", "--task", "CodeLinterEval")
_TEN = ["x"] * 10
COMMANDS = [
    BadCommand(
        "answers to one of two tasks",
        lambda folder: _answers(folder, _line(1)),
        (*_EXPORT, "--task", "stRuCom"),
        ("answers.jsonl", "task 2", "has no answer"),
    ),
    BadCommand(
        "an answer to no task",
        lambda folder: _answers(folder, _line(1) + _line(2) + _line(77)),
        (*_EXPORT, "--task", "stRuCom"),
        ("answers.jsonl", "77"),
    ),
    BadCommand(
        "answers that are no JSON",
        lambda folder: _answers(folder, _line(1) + "{"),
        (*_EXPORT, "--task", "stRuCom"),
        ("answers.jsonl:2", "JSON"),
    ),
    BadCommand(
        "an answer that is no text",
        lambda folder: _answers(folder, _line(1, completion=5)),
        (*_EXPORT, "--task", "stRuCom"),
        ("answers.jsonl:1", "completion"),
    ),
    BadCommand(
        "nine answers of ten",
        lambda folder: _answers(folder, _line(1) * 9 + _line(2) * 10, "codelintereval"),
        (*_EXPORT, "--task", "CodeLinterEval"),
        ("task 1", "10"),
    ),
    BadCommand(
        "answers for another task set",
        lambda folder: _answers(folder, _line(1) + _line(2)),
        (*_EXPORT, "--task", "RealCode"),
        ("rows.jsonl:1", "inputs.left_context", "the field is missing"),
    ),
    BadCommand(
        "an archive without the file",
        lambda folder: _archive(folder, "RealCode.json", _outputs(_TEN, _TEN)),
        _CHECK,
        ("CodeLinterEval.json",),
    ),
    BadCommand(
        "a file that is no JSON",
        lambda folder: _archive(folder, "CodeLinterEval.json", "{"),
        _CHECK,
        ("CodeLinterEval.json", "JSON"),
    ),
    BadCommand(
        "outputs that are one text",
        lambda folder: _archive(folder, "CodeLinterEval.json", _outputs("x", _TEN)),
        _CHECK,
        ("CodeLinterEval.json", "1", "outputs"),
    ),
    BadCommand(
        "a missing id",
        lambda folder: _archive(folder, "CodeLinterEval.json", _outputs(_TEN)),
        _CHECK,
        ("CodeLinterEval.json", "2"),
    ),
    BadCommand(
        "no archive",
        lambda folder: (
            (folder / "s.zip").write_text("x"),
            write(folder / "rows.jsonl", rows("codelintereval")[:2]),
        ),
        _CHECK,
        ("s.zip",),
    ),
    BadCommand(
        "a folder of clones that is missing",
        _clones,
        ("run", "yabloco", "--data", "yabloco.jsonl", "--model", "gold:", "--repositories", "nowhere"),
        ("--repositories nowhere", "not a folder"),
    ),
    BadCommand(
        "clones for a track without repositories",
        _clones,
        ("check", str(SAMPLES / "strucom.jsonl"), "--repositories", "clones"),
        ("--repositories", "strucom"),
    ),
    BadCommand(
        "an environment without commands",
        lambda folder: _clones(folder, numlib='commit = "abcdef0"'),
        ("check", "yabloco.jsonl", "--execute", "--repositories", "clones"),
        ("yabloco.jsonl:1", "task 1", "clones/numlib.toml", "`test`"),
    ),
    BadCommand(
        "an environment whose commit is a branch",
        lambda folder: _clones(folder, numlib='commit = "main"\ntest = "make"'),
        ("check", "yabloco.jsonl", "--execute", "--repositories", "clones"),
        ("yabloco.jsonl:1", "clones/numlib.toml", "commit", "hexadecimal"),
    ),
    BadCommand(
        "an unknown preset",
        lambda folder: _suite(folder, 'preset = "mera-cod"\ndata = "mera"'),
        ("suite", "s.toml"),
        ("s.toml", "preset", "mera-cod"),
    ),
    BadCommand(
        "a preset without its folder",
        lambda folder: _suite(folder, 'preset = "mera-code"\ndata = "other"'),
        ("suite", "s.toml"),
        ("s.toml", "data", "must be the folder"),
    ),
    BadCommand(
        "two data sets of one task set",
        lambda folder: (
            _suite(folder, 'preset = "mera-code"\ndata = "mera"'),
            *(
                write(folder / "mera" / name, rows("strucom")[:1])
                for name in ("stRuCom.jsonl", "strucom.json")
            ),
        ),
        ("suite", "s.toml"),
        ("stRuCom", "stRuCom.jsonl", "strucom.json"),
    ),
    BadCommand(
        "a hidden half that is its own golds",
        lambda folder: write(folder / "rows.jsonl", rows("strucom")[:2]),
        ("release", "private", "rows.jsonl", "--task", "stRuCom", "--out", "p.json", "--golds", "p.json"),
        ("--golds", "is the file of --out"),
    ),
    BadCommand(
        "a hidden half of another task set",
        lambda folder: write(folder / "rows.jsonl", rows("strucom")[:2]),
        ("release", "private", "rows.jsonl", "--task", "UnitTests", "--out", "p.json", "--golds", "g.jsonl"),
        ("rows.jsonl:1", "inputs"),
    ),
    BadCommand(
        "a score of a hidden half",
        lambda folder: write(folder / "rows.jsonl", [{**rows("strucom")[0], "outputs": ""}]),
        ("run", "strucom", "--data", "rows.jsonl", "--model", "stub:", "--out", "r"),
        ("rows.jsonl:1", "outputs", "hidden"),
    ),
    BadCommand(
        "an audit of rows without calls",
        lambda folder: write(folder / "rows.jsonl", rows("realcode")[:1]),
        ("audit", "rows.jsonl"),
        ("rows.jsonl:1", "realcode", "no calls", "check rows.jsonl --execute --repositories FOLDER"),
    ),
    BadCommand(
        "a conversion of rows without another format",
        lambda folder: write(folder / "rows.jsonl", rows("unittests")[:1]),
        ("convert", "--data", "rows.jsonl", "--to", "annotations", "--out", "o.jsonl"),
        ("rows.jsonl:1", "unittests", "no other format", "run unittests --data rows.jsonl"),
    ),
    BadCommand(
        "a conversion of rows of MERA as those of HumanEval",
        lambda folder: write(folder / "rows.jsonl", rows("unittests")[:1]),
        ("convert", "--data", "rows.jsonl", "--out", "o.jsonl"),
        ("rows.jsonl:1", "MERA row", "`unittests`"),
    ),
]


@pytest.mark.parametrize("bad", COMMANDS, ids=lambda bad: bad.name)
def test_a_bad_input_to_a_command_is_named(bad: BadCommand, tmp_path: Path) -> None:
    """Nothing is asked or executed, and no traceback is shown."""
    bad.made(tmp_path)
    said = called(*bad.args, cwd=tmp_path)
    text = " ".join((said.out + said.err).split())

    assert [each for each in bad.said if each not in text] == []
    assert any(mark in text for mark in ("hint: ", "fix"))
    assert "Traceback" not in text


def test_the_list_is_long_enough() -> None:
    """Each case has its own name."""
    names = [*map(str, ROWS), *(bad.name for bad in FILES), *(bad.name for bad in COMMANDS)]

    assert len(set(names)) == len(names) >= LEAST
