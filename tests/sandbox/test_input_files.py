"""Files and links for an answer: refusals, and the answer's view."""

from __future__ import annotations

import marshal
from collections.abc import Iterator
from typing import Any

import pytest

from benchwright.errors import SandboxError
from benchwright.records import Outcome
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.claims import CallBatch
from benchwright.sandbox.codec import decode, encode
from benchwright.sandbox.input_files import MAX_ALL, MAX_FILE, MAX_PATHS, wait_for_files, with_files
from benchwright.sandbox.limits import Limits
from benchwright.sandbox.untrusted import processor_limit
from benchwright.sandbox.zygote import AnswerEnded, Job, RunningAnswer

READ = """
import os
FOUND = sorted(os.listdir("/tmp"))
def f(path):
    with open(path, "rb") as file:
        return file.read(), FOUND
"""


@pytest.fixture(scope="module")
def sandbox(jail: None) -> Iterator[Sandbox]:
    with Sandbox(limits=Limits(cpu_s=1.0, wall_s=30.0, memory_mb=256)) as box:
        yield box


def job(program: str, *arguments: Any) -> Job:
    return "batch", "f", program, encode([((each,), {}) for each in arguments])


def values(sandbox: Sandbox, given: Job, count: int) -> list[Any]:
    found: list[Any] = []

    def work(running: RunningAnswer) -> None:
        wait_for_files(running)
        with processor_limit():
            found.extend(decode(payload) for _, payload, *_ in CallBatch(running, count).replies())

    sandbox.execute(given, work)
    return found


def test_files_and_links_are_there_before_anything_is_loaded(sandbox: Sandbox) -> None:
    """Subfolders work too; a module that reads /tmp while it is loaded sees the files."""
    given = job(READ, "/tmp/a.txt", "in/side.bin", "/tmp/link")
    files, links = {"a.txt": b"text", "in/side.bin": b"\0\1"}, {"link": "/tmp/a.txt"}

    found = values(sandbox, with_files(given, files=files, links=links), 3)

    names = ["a.txt", "in", "link"]
    assert [(b"text", names), (b"\0\1", names), (b"text", names)] == found


def test_nothing_of_it_outlives_an_answer(sandbox: Sandbox) -> None:
    """The next answer has a fresh /tmp."""
    values(sandbox, with_files(job(READ, "/tmp/a"), files={"a": b"x"}, links={}), 1)

    found = values(sandbox, with_files(job(READ, "/tmp/b"), files={"b": b"y"}, links={}), 1)

    assert found == [(b"y", ["b"])]


@pytest.mark.parametrize(
    "path", ["", "/etc/x", "../x", "a/../../x", "./a", "a//b", "a/", "a\nb", "a\0b", "n" * 201, ".", ".."]
)
def test_a_path_that_could_lead_elsewhere_is_refused(path: str) -> None:
    """The paths of files and links are checked before anything is sent."""
    for given in ({"files": {path: b""}, "links": {}}, {"files": {}, "links": {path: "/tmp"}}):
        with pytest.raises(ValueError, match="plain path"):
            with_files(job(READ), **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("files", "links", "why"),
    [
        ({"a": b"x" * (MAX_FILE + 1)}, {}, "exceeds"),
        ({str(number): b"x" * MAX_FILE for number in range(MAX_ALL // MAX_FILE + 1)}, {}, "in total"),
        ({str(number): b"" for number in range(MAX_PATHS + 1)}, {}, "exceed the limit"),
        ({"a/b": b""}, {"a": "/etc"}, "inside another"),
        ({"a": b""}, {"a": "/etc"}, "duplicate path"),
        ({}, {"a": ""}, "target of a link"),
        ({}, {"a": "x\0y"}, "target of a link"),
    ],
    ids=["large", "large together", "many", "through a link", "twice", "to nothing", "to a null"],
)
def test_what_is_too_much_or_unclear_is_refused(
    files: dict[str, bytes], links: dict[str, str], why: str
) -> None:
    """The limits are for all files together, and no file is written through a link."""
    with pytest.raises(ValueError, match=why):
        with_files(job(READ), files=files, links=links)


class _Frames:
    """Replaces a running answer that sends one frame."""

    def __init__(self, kind: bytes, payload: bytes) -> None:
        self._frame = kind, payload

    def read(self) -> tuple[bytes, bytes]:
        return self._frame


def test_a_file_that_cannot_be_written_is_the_sandboxs_failure(sandbox: Sandbox) -> None:
    """Nothing of the answer is loaded yet, so the answer is not the cause."""
    unchecked = marshal.dumps(({"../proc/none": b""}, {}, "batch", encode([])), 2)

    with pytest.raises(SandboxError, match="cannot create the answer's input files: FileNotFoundError"):
        values(sandbox, ("placed", "f", READ, unchecked), 0)


def test_so_is_an_end_before_the_files_are_there(sandbox: Sandbox) -> None:
    """No line of the answer had run, whatever ended the process."""
    unreadable = marshal.dumps(({"a": 7}, {}, "batch", encode([])), 2)

    with pytest.raises(SandboxError, match="cannot create the answer's input files: the process"):
        values(sandbox, ("placed", "f", READ, unreadable), 0)


def test_any_other_frame_is_no_honest_answers() -> None:
    """Frames before the files are placed come from the sandbox's own code only."""
    with pytest.raises(AnswerEnded) as ended:
        wait_for_files(_Frames(b"L", b""))  # type: ignore[arg-type]

    assert ended.value.outcome is Outcome.tampered
