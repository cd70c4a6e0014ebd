"""`benchwright convert`: rows that the other track accepts, and a reason for each that cannot be one."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from kit.command_line import benchwright, called, contents, inside
from kit.small_data import humaneval, humaneval_row, read_rows, write

LOOP = "def check(candidate):\n    for x in range(3):\n        assert candidate(x) == x + 1\n"
TOLERANCE = "def check(candidate):\n    assert abs(candidate(7) - 9) < 0.1\n"


def _mixed(folder: Path) -> Path:
    """A row that is data, and two whose tests are programs."""
    rows = [humaneval_row(0), humaneval_row(1, test=LOOP), humaneval_row(2, test=TOLERANCE)]
    return write(folder / "tasks.jsonl", rows)


def test_each_row_that_is_no_data_is_reported(tmp_path: Path) -> None:
    """The document counts what was written and names each other row with its line and reason."""
    out = tmp_path / "rows.jsonl"
    said = benchwright("convert", "--data", _mixed(tmp_path), "--out", out, "--json")
    left = [(row["task_id"], row["line"], row["reason"]) for row in said.document["not_converted"]]

    assert (said.code, said.document["written"], said.document["out"]) == (0, 1, str(out))
    assert left == [("Small/1", 2, "a loop"), ("Small/2", 2, "a comparison within a tolerance")]
    assert [row["meta"]["source_id"] for row in read_rows(out)] == ["Small/0"]


def test_for_people(tmp_path: Path) -> None:
    """Without --json the same is on stderr, a line each, and stdout is empty."""
    said = called("convert", "--data", _mixed(tmp_path), "--out", tmp_path / "rows.jsonl")
    lines = said.err.splitlines()

    assert (said.code, said.out, len(lines)) == (0, "", 3)
    assert lines[0].startswith("Small/1, line 2 of its test: a loop")
    assert lines[2].startswith(f"1 of 3 rows written to {tmp_path / 'rows.jsonl'}; left out: ")


@pytest.mark.usefixtures("jail")
def test_the_other_track_runs_them(tmp_path: Path) -> None:
    """`run ruhumaneval` accepts the rows, and the data set's own solutions pass."""
    out = tmp_path / "rows.jsonl"
    converted = called("convert", "--data", humaneval(tmp_path), "--out", out)
    ran = called(
        *("run", "ruhumaneval", "--data", out, "--model", "gold:"),
        *("--out", tmp_path / "run", "--json", "--n", 1, "--workers", 1),
    )

    assert (converted.code, ran.code, ran.document["outcomes"]) == (0, 0, {"passed": 3})


def test_stdout_can_be_the_file(tmp_path: Path) -> None:
    """`--out -` writes the rows to stdout, for a pipe, and nothing else is there."""
    said = benchwright("convert", "--data", _mixed(tmp_path), "--out", "-", cwd=tmp_path)

    assert (said.code, json.loads(said.out)["meta"]["source_id"]) == (0, "Small/0")
    assert (
        said.err.splitlines()[-1].startswith("1 of 3 rows written to standard output"),
        contents(tmp_path),
    ) == (
        True,
        {"tasks.jsonl": (tmp_path / "tasks.jsonl").read_bytes()},
    )


def test_stdout_cannot_be_both(tmp_path: Path) -> None:
    """Rows and the document of --json in one stream could not be read again."""
    said = called("convert", "--data", _mixed(tmp_path), "--out", "-", "--json")

    assert (said.code, said.out, "both write to standard output" in said.err, "hint: " in said.err) == (
        2,
        "",
        True,
        True,
    )


def test_a_pipe_is_written_through(tmp_path: Path) -> None:
    """A named pipe is still one afterwards, and who reads from it gets the rows."""
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        result = inside("convert", "--data", _mixed(tmp_path), "--out", tmp_path / "pipe")
        rows = os.read(reader, 1 << 16).splitlines()
    finally:
        os.close(reader)

    assert (result.exit_code, len(rows), (tmp_path / "pipe").is_fifo()) == (0, 1, True)


def test_a_link_is_written_through(tmp_path: Path) -> None:
    """A link stays a link, and the file that it names gets the rows and keeps its mode."""
    (tmp_path / "real.jsonl").touch(0o600)
    (tmp_path / "link.jsonl").symlink_to("real.jsonl")
    result = inside("convert", "--data", _mixed(tmp_path), "--out", tmp_path / "link.jsonl")

    assert (result.exit_code, (tmp_path / "link.jsonl").is_symlink()) == (0, True)
    assert len(read_rows(tmp_path / "real.jsonl")) == 1
    assert stat.S_IMODE((tmp_path / "real.jsonl").stat().st_mode) == 0o600


@pytest.mark.parametrize("empty", ["--data", "--out"])
def test_an_empty_name_is_a_usage_error(empty: str, tmp_path: Path) -> None:
    """A variable that is unset in a script does not mean the current folder."""
    given = {"--data": _mixed(tmp_path), "--out": tmp_path / "rows.jsonl", empty: ""}
    said = called("convert", *(word for pair in given.items() for word in pair), cwd=tmp_path)
    wanted = f"error: {empty} is empty\nhint: provide a value; a shell variable may be unset\n"

    assert (said, (tmp_path / "rows.jsonl").exists()) == ((2, "", wanted), False)


@pytest.mark.parametrize("out", ["missing/rows.jsonl", ".", "tasks.jsonl/rows.jsonl"])
def test_an_out_that_cannot_be_written(out: str, tmp_path: Path) -> None:
    """A place that cannot be written is an error with a hint, and nothing is left there."""
    data = _mixed(tmp_path)
    before = contents(tmp_path)
    said = called("convert", "--data", data, "--out", tmp_path / out)

    assert (said.code, "hint: " in said.err, "Traceback" in said.err, contents(tmp_path)) == (
        1,
        True,
        False,
        before,
    )


def test_a_failure_keeps_the_earlier_file(tmp_path: Path) -> None:
    """Bad data on a later line leaves the rows of an earlier conversion as they were."""
    out = tmp_path / "rows.jsonl"
    inside("convert", "--data", _mixed(tmp_path), "--out", out)
    before = out.read_bytes()
    bad = write(tmp_path / "bad.jsonl", [humaneval_row(0), {"task_id": "Small/1"}])
    said = called("convert", "--data", bad, "--out", out)

    assert (said.code, "bad.jsonl:2" in said.err, "field `prompt`" in said.err) == (1, True, True)
    assert out.read_bytes() == before


def test_hostile_rows_do_nothing(tmp_path: Path) -> None:
    """What a test names is shown with its brackets and without its control characters."""
    test = "def check(candidate):\n    assert candidate('[bold]\\x1b[31m') == helper['[/red]\x1b']\n"
    data = write(tmp_path / "tasks.jsonl", [humaneval_row(0, test=test)])
    said = called("convert", "--data", data, "--out", tmp_path / "rows.jsonl")

    assert (said.code, "\x1b" in said.err, said.err.splitlines()[0].startswith("Small/0")) == (0, False, True)


def test_a_name_that_is_not_utf_8(tmp_path: Path) -> None:
    """A file name that no JSON can hold is escaped in the document, and the rows are written."""
    out = tmp_path / "\udcff.jsonl"
    said = called("convert", "--data", _mixed(tmp_path), "--out", out, "--json")

    assert (said.code, said.document["out"], len(read_rows(out))) == (0, rf"{tmp_path}/\udcff.jsonl", 1)
