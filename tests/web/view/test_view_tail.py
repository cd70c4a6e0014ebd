"""Lines of a growing file: each once, none before it is complete, all again after the file was replaced."""

from __future__ import annotations

import os
from pathlib import Path

from benchwright.web.view.line_tail import LineTail


def texts(tail: LineTail, budget: int = 1 << 20) -> list[str | None]:
    """Return the lines of one call."""
    return [None if line.data is None else line.data.decode() for line in tail.read(budget).lines]


def test_lines_come_once_and_complete(tmp_path: Path) -> None:
    """An incomplete line is left until its end is written; lines have number and offset."""
    path = tmp_path / "rows"
    tail = LineTail(path)
    absent = tail.read()
    path.write_bytes(b"one\ntw")
    first = tail.read()
    with path.open("ab") as file:
        file.write(b"o\nthree\n")
    second = tail.read()

    assert (absent.lines, absent.at_end, absent.restarted) == ([], True, False)
    assert [(line.number, line.offset, line.data) for line in first.lines] == [(1, 0, b"one")]
    assert (first.at_end, first.partial) == (True, 2)
    assert [(line.number, line.offset, line.data) for line in second.lines] == [
        (2, 4, b"two"),
        (3, 8, b"three"),
    ]
    assert texts(tail) == []


def test_a_torn_line_that_is_cut_is_not_read(tmp_path: Path) -> None:
    """A resumed run removes the incomplete line and writes another one in its place."""
    path = tmp_path / "rows"
    path.write_bytes(b"one\ntorn torn")
    tail = LineTail(path)
    before = texts(tail)
    os.truncate(path, 4)
    with path.open("ab") as file:
        file.write(b"two\n")
    part = tail.read()

    assert before == ["one"]
    assert ([line.data for line in part.lines], part.restarted) == ([b"two"], False)


def test_another_file_is_read_from_its_start(tmp_path: Path) -> None:
    """The new file took the name, was truncated and written again, or replaced a removed one."""
    path, other = tmp_path / "rows", tmp_path / "other"
    path.write_bytes(b"one\ntwo\n")
    tail = LineTail(path)
    texts(tail)

    other.write_bytes(b"two\none\n")
    other.replace(path)
    replaced = tail.read()
    path.write_bytes(b"new one\nnew two\n")
    rewritten = tail.read()
    path.unlink()
    removed = tail.read()
    path.write_bytes(b"three\n")
    again = tail.read()

    assert ([line.data for line in replaced.lines], replaced.restarted) == ([b"two", b"one"], True)
    assert ([line.data for line in rewritten.lines], rewritten.restarted) == ([b"new one", b"new two"], True)
    assert (removed.lines, removed.restarted) == ([], True)
    assert [line.data for line in again.lines] == [b"three"]


def test_a_line_over_the_limit_is_reported_without_its_text(tmp_path: Path) -> None:
    """This holds while it still grows; the lines after it are read."""
    path = tmp_path / "rows"
    tail = LineTail(path, most=10)
    path.write_bytes(b"short\n" + b"x" * 100)
    first = texts(tail)
    with path.open("ab") as file:
        file.write(b"x" * 5 + b"\nnext\n")
    second = tail.read()

    assert first == ["short"]
    assert [(line.number, line.offset, line.data) for line in second.lines] == [
        (2, 6, None),
        (3, 112, b"next"),
    ]


def test_a_call_reads_no_more_than_its_budget(tmp_path: Path) -> None:
    """The rest is left for the next calls; `at_end` is True when nothing is left."""
    path = tmp_path / "rows"
    path.write_bytes(b"".join(b"%04d\n" % number for number in range(100)))
    tail = LineTail(path)
    parts = [tail.read(100) for _ in range(6)]

    assert [len(part.lines) for part in parts] == [20, 20, 20, 20, 20, 0]
    assert [part.at_end for part in parts] == [False] * 5 + [True]


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    """Only regular files are read."""
    os.mkfifo(tmp_path / "rows")

    assert texts(LineTail(tmp_path / "rows")) == []
