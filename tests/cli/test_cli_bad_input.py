"""Bad input: the exact exit code, the place, a hint, and never a traceback; by a process where memory is measured."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kit.command_line import Said, called, contents, measured
from kit.small_data import answer_row, answers, humaneval, humaneval_row, mera_row, write

MAX_MIB = 200


class Bad(NamedTuple):
    """A fault: the track, what makes its files, the exit code, and what stderr must say."""

    name: str
    make: Callable[[Path], list[object]]
    code: int
    says: list[str]


def _run(track: str, data: object, model: object, *more: object) -> list[object]:
    return ["run", track, "--data", data, "--model", model, *more]


def _human(rows: list[dict[str, Any]]) -> Callable[[Path], list[object]]:
    return lambda folder: _run("humaneval", write(folder / "tasks.jsonl", rows), "gold:")


def _mera(row: dict[str, Any]) -> Callable[[Path], list[object]]:
    return lambda folder: _run("ruhumaneval", write(folder / "tasks.jsonl", [mera_row(0), row]), "gold:")


def _bytes(name: str, content: bytes) -> Callable[[Path], list[object]]:
    def make(folder: Path) -> list[object]:
        (folder / name).write_bytes(content)
        return _run("humaneval", folder / name, "gold:")

    return make


def _replay(rows: list[dict[str, Any]], *more: object) -> Callable[[Path], list[object]]:
    def make(folder: Path) -> list[object]:
        return _run("humaneval", humaneval(folder), f"replay:{write(folder / 'answers.jsonl', rows)}", *more)

    return make


def _stored(*more: object) -> Callable[[Path], list[object]]:
    return lambda folder: _run("humaneval", humaneval(folder), f"replay:{answers(folder)}", *more)


def _model(spec: str) -> Callable[[Path], list[object]]:
    return lambda folder: _run("humaneval", humaneval(folder), spec)


def _at(*names: str) -> Callable[[Path], list[object]]:
    return lambda folder: _run("humaneval", (humaneval(folder).parent).joinpath(*names), "gold:")


def _folder(folder: Path) -> list[object]:
    (folder / "empty").mkdir()
    return _run("humaneval", folder / "empty", "gold:")


def _without(row: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key != name}


_GOOD = [answer_row(f"Small/{number}", number, "passed") for number in range(3)]
_PACKED = gzip.compress(json.dumps(humaneval_row(0)).encode() * 50)
_TESTS = {**mera_row(1)["inputs"], "tests": "[{'x': open('/etc/passwd')}]"}
_BAD = [
    Bad(
        "missing field",
        _human([humaneval_row(0), _without(humaneval_row(1), "test")]),
        1,
        [
            "tasks.jsonl:2",
            "task Small/1",
            "field `test`",
            "the field is missing",
            "hint: the object has `task_id`",
        ],
    ),
    Bad(
        "wrong type",
        _human([humaneval_row(0, prompt=7)]),
        1,
        ["tasks.jsonl:1", "task Small/0", "field `prompt`", "must be a string, not a number"],
    ),
    Bad(
        "invalid UTF-8",
        _bytes("tasks.jsonl", b'{"task_id": "\xff\xfe"}\n'),
        1,
        ["tasks.jsonl:1", "not valid UTF-8", "hint: save the file as UTF-8"],
    ),
    Bad(
        "not JSON",
        _bytes("tasks.jsonl", b'\n{"task_id": "a"\n'),
        1,
        ["tasks.jsonl:2", "not JSON", "hint: each row must be one JSON object"],
    ),
    Bad(
        "truncated gzip",
        _bytes("tasks.jsonl.gz", _PACKED[:-20]),
        1,
        ["tasks.jsonl.gz:1", "the gzip stream ends too early", "hint: download the file again"],
    ),
    Bad(
        "damaged gzip",
        _bytes("tasks.jsonl.gz", _PACKED[:20] + b"\xff" * 40 + _PACKED[60:]),
        1,
        ["tasks.jsonl.gz:1", "the gzip stream is damaged", "hint: download the file again"],
    ),
    Bad(
        "duplicate id",
        _human([humaneval_row(0), humaneval_row(1), humaneval_row(0)]),
        1,
        [
            "tasks.jsonl:3",
            "task Small/0",
            "duplicate id; line 1 has it too",
            "hint: give each task its own id",
        ],
    ),
    Bad("empty data set", _bytes("tasks.jsonl", b""), 1, ["tasks.jsonl", "has no rows", "hint: "]),
    Bad("blank data set", _bytes("tasks.jsonl", b"\n \n"), 1, ["tasks.jsonl", "has no rows", "hint: "]),
    Bad(
        "a MERA row on the other track",
        _human([mera_row(0)]),
        1,
        ["tasks.jsonl:1", "this is a MERA row", "hint: use the track `ruhumaneval`"],
    ),
    Bad(
        "tests that are a program",
        _mera(mera_row(1, inputs=_TESTS)),
        1,
        ["tasks.jsonl:2", "task 1", "field `inputs.tests`", "hint: write a Python list of dicts"],
    ),
    Bad(
        "too few outputs",
        _mera(mera_row(1, outputs=["1"])),
        1,
        ["tasks.jsonl:2", "task 1", "field `outputs`", "1 outputs for 2 tests"],
    ),
    Bad("missing data file", _at("taks.jsonl"), 2, ["no file at", "hint: did you mean", "tasks.jsonl?"]),
    Bad("a folder without data", _folder, 2, ["is a folder without a data set file", "hint: ", "test.json"]),
    Bad(
        "a device",
        lambda _: _run("humaneval", "/dev/null", "gold:"),
        2,
        ["not a regular file", "hint: save it"],
    ),
    Bad(
        "unknown track",
        lambda folder: _run("humanval", humaneval(folder), "gold:"),
        2,
        ["unknown track: humanval", "hint: did you mean `humaneval`?"],
    ),
    Bad(
        "unknown scheme",
        _model("reply:answers.jsonl"),
        2,
        ["unknown model: reply", "hint: did you mean `replay`?"],
    ),
    Bad("no scheme", _model("gold"), 2, ["has no scheme", "hint: did you mean `gold:`?"]),
    Bad("missing answers file", _model("replay:nowhere.jsonl"), 2, ["no file at nowhere.jsonl", "hint: "]),
    Bad(
        "answers to another data set",
        _replay([answer_row("Other/9", 9, "passed")]),
        1,
        [
            "answers.jsonl",
            "is to a task of the data set: it names Other/9; the data has Small/0",
            "hint: ",
        ],
    ),
    Bad(
        "an answer without text",
        _replay([*_GOOD, {"task_id": "Small/1"}]),
        1,
        ["answers.jsonl:4", "the row has no answer", "hint: write the model's text as `completion`"],
    ),
    Bad(
        "an answer that is a number",
        _replay([{"task_id": "Small/1", "completion": 7}]),
        1,
        ["answers.jsonl:1", "field `completion`", "must be a string, not 7"],
    ),
    Bad("empty answers file", _replay([]), 1, ["has no answers to any of the 3 tasks", "hint: "]),
    Bad(
        "two different answers in a row",
        _replay([{"task_id": "Small/1", "response": "a", "code": "b"}]),
        1,
        [
            "answers.jsonl:1",
            "`response`, `code`",
            "hint: name the one that counts: --fields response=completion",
        ],
    ),
    Bad("more than stored", _stored("--n", 2), 2, ["--n 2", "at most 1 answer to a task", "hint: --n 1"]),
    Bad("k above n", _stored("--k", 5), 2, ["pass@5 needs at least 5 answers", "n is 1", "hint: --n 5"]),
    Bad("k of zero", _stored("--k", 0), 2, ["pass@0 is invalid: k must be at least 1", "hint: --k 1"]),
    Bad("n of zero", _stored("--n", 0), 2, ["--n 0", "at least 1 answer"]),
    Bad(
        "unknown profile",
        _stored("--profile", "mera-cod"),
        2,
        ["unknown scoring profile 'mera-cod'", "hint: did you mean `mera-code`?"],
    ),
    Bad(
        "unknown exclusion",
        _stored("--exclude", "Small/9"),
        2,
        ["--exclude 'Small/9'", "no such task", "hint: the nearest task is Small/2"],
    ),
    Bad(
        "everything excluded",
        _stored(*("--exclude", "Small/0", "--exclude", "Small/1", "--exclude", "Small/2")),
        1,
        ["has no tasks", "hint: "],
    ),
    Bad("an empty data name", lambda _: _run("humaneval", "", "gold:"), 2, ["--data is empty", "hint: "]),
    Bad("an empty model", _model(""), 2, ["--model is empty", "hint: "]),
    Bad("no tasks wanted", _stored("--limit", 0), 2, ["--limit 0", "at least 1 task", "hint: --limit 5"]),
    Bad("no wait", _stored("--timeout", "nan"), 2, ["--timeout nan: must be", "hint: --timeout 600"]),
    Bad(
        "a budget without prices",
        _stored("--budget", 5),
        2,
        ["--budget needs the prices", "hint: add --price-in"],
    ),
    Bad(
        "a body that is invalid JSON",
        _stored("--body", "effort=low"),
        2,
        ["--body effort: 'low' is invalid JSON", "hint: quote a string twice: --body effort='\"low\"'"],
    ),
    Bad("a body without a value", _stored("--body", "effort"), 2, ["expected KEY=JSON", "hint: --body"]),
    Bad(
        "a language of no prompts",
        _stored("--language", "en"),
        2,
        ["the prompts are in the data set", "hint: add --prompts spread"],
    ),
    Bad("endless time", _stored("--cpu-limit", "nan"), 2, ["--cpu-limit"]),
]


@pytest.mark.parametrize("bad", _BAD, ids=lambda bad: bad.name)
def test_bad_input(bad: Bad, tmp_path: Path) -> None:
    """The exit code is exact, stderr names the place and the way out, and no run folder is made."""
    out = tmp_path / "run"
    said = called(*bad.make(tmp_path), "--out", out, "--json", cwd=tmp_path)
    unsaid = [words for words in bad.says if words not in said.err]

    assert (said.code, unsaid, "Traceback" in said.err, said.out, out.exists()) == (
        bad.code,
        [],
        False,
        "",
        False,
    )


def _long_line(path: Path) -> Path:
    """One row of 100 MB without an end of line. It is a hole in the file, so it takes no room on the disk."""
    with path.open("wb") as file:
        file.write(b'{"task_id": "Small/0", "completion": "')
        file.truncate(100_000_000)
    return path


@pytest.mark.parametrize("where", ["data", "answers", "convert"])
def test_a_line_of_100_mb_is_not_held(where: str, tmp_path: Path) -> None:
    """A line over the limit is refused at the limit: its length never comes into memory."""
    long = _long_line(tmp_path / "long.jsonl")
    commands = {
        "data": _run("humaneval", long, "gold:", "--out", tmp_path / "run"),
        "answers": _run("humaneval", humaneval(tmp_path), f"replay:{long}", "--out", tmp_path / "run"),
        "convert": ["convert", "--data", long, "--out", tmp_path / "rows.jsonl"],
    }
    said, mib = measured(*commands[where])
    what = "an element" if where == "answers" else "the line"

    assert (said.code, said.out, mib < MAX_MIB) == (1, "", True)
    assert f"error: {long}:1: {what} is longer than 16,777,216 bytes\nhint: " in said.err


def _in_the_way(folder: Path) -> Path:
    (folder / "file").write_text("mine", encoding="utf-8")
    return folder / "file"


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (_in_the_way, "is a file"),
        (lambda folder: _in_the_way(folder) / "below", "cannot be written: Not a directory"),
        (lambda folder: _in_the_way(folder).parent, "is not empty and not a run folder"),
        (lambda _: Path("/proc/benchwright-run"), "cannot be written"),
    ],
    ids=["a file", "below a file", "another folder", "a folder of the kernel"],
)
def test_an_out_that_cannot_be_written(make: Callable[[Path], Path], says: str, tmp_path: Path) -> None:
    """A place that cannot hold a run is refused with a hint, and what is there stays."""
    folder = tmp_path / "place"
    folder.mkdir()
    out = make(folder)
    before = contents(folder)
    said = called(*_run("humaneval", humaneval(tmp_path), "gold:"), "--out", out)

    assert (said.code, says in said.err, "hint: " in said.err, "Traceback" in said.err) == (
        1,
        True,
        True,
        False,
    )
    assert contents(folder) == before


def _first_run(folder: Path) -> tuple[list[object], Said]:
    command = [*_run("humaneval", humaneval(folder), f"replay:{answers(folder)}"), "--out", folder / "run"]
    return command, called(*command, "--quiet", "--workers", 1)


@pytest.mark.usefixtures("jail")
def test_earlier_results_stay(tmp_path: Path) -> None:
    """Whatever fails afterwards, with another run or bad input, the finished run stays as it was."""
    command, first = _first_run(tmp_path)
    before = contents(tmp_path / "run")
    other = called(*_run("humaneval", tmp_path / "tasks.jsonl", "gold:"), "--out", tmp_path / "run")
    fresh = called(*command, "--fresh")
    limits = called(*command, "--cpu-limit", 2)
    write(tmp_path / "answers.jsonl", [{"task_id": "Small/0"}])
    bad = called(*command)

    assert [said.code for said in (first, other, fresh, limits, bad)] == [0, 1, 1, 1, 1]
    assert ["`model.scheme` was 'replay', now 'gold'" in other.err, "hint: start another" in other.err] == [
        True
    ] * 2
    assert ["already holds a run" in fresh.err, "leave out `--fresh`" in fresh.err] == [True] * 2
    assert ["`limits.cpu_s` was 3.0, now 2.0" in limits.err, "answers.jsonl:1" in bad.err] == [True] * 2
    assert contents(tmp_path / "run") == before
