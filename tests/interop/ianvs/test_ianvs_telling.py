"""What the process of a case says: its stage in a page of memory, a message now and then, why it failed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from mmap import mmap
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import DataError
from benchwright.interop.ianvs.case_process import run_process
from benchwright.interop.ianvs.child.progress_pipe import (
    PAGE,
    ProgressPipe,
    failure_message,
    read_stage,
    write_stage,
)
from benchwright.interop.ianvs.job_run import JobOptions, run_job
from kit.made_ianvs import run, small_job


@pytest.fixture
def page() -> Iterator[mmap]:
    """Shared memory without content."""
    made = mmap(-1, PAGE)
    yield made
    made.close()


@pytest.mark.parametrize("text", ["load", "", "предсказание 7", "x" * 9000, "\ud800"])
def test_a_stage_comes_through_the_page(page: mmap, text: str) -> None:
    """Cut where it is longer than the page."""
    write_stage(page, "something longer that stood there before")
    write_stage(page, text)

    assert read_stage(page) == (text.replace("\ud800", "?")[: PAGE - 2] or "its start")


def test_messages_are_few_and_stages_are_exact(page: mmap) -> None:
    """A thousand items go by in a moment: one or two messages, and the page has the last of them."""
    reading, writing = os.pipe()
    teller = ProgressPipe(writing, page)
    for number in range(1000):
        teller.at(f"predict of item {number + 1}", number)
    teller.remark("odd")
    teller.end({"metrics": {}})
    os.close(writing)
    with open(reading, "rb") as pipe:
        messages = [json.loads(line) for line in pipe]

    assert read_stage(page) == "predict of item 1000"
    assert len(messages) < 500 and messages[-1] == {"metrics": {}, "remarks": ["odd"]}


def test_why_a_case_failed() -> None:
    """Our own errors with their hint, others with the line of the example's own code."""

    def raising() -> None:
        json.loads("{\x1b")

    with pytest.raises(ValueError, match="Expecting") as caught:
        raising()
    found: dict[str, Any] = failure_message(caught.value, "train")["failed"]
    ours = failure_message(DataError("odd", path="a.jsonl", line=3, hint="mend it"), "load")["failed"]

    assert found["message"].startswith("JSONDecodeError: Expecting property name")
    assert (found["stage"], found["place"].rpartition(":")[0].endswith(".py")) == ("train", True)
    assert ours == {"stage": "load", "message": "a.jsonl:3: odd", "hint": "mend it", "place": ""}


def test_a_process_that_cannot_begin(tmp_path: Path) -> None:
    """An invalid case fails without a hang, and so does a case of many megabytes."""
    log = tmp_path / "log.txt"
    for spec in ({}, {"what": "x" * (1 << 21)}):
        last = run_process(spec, folder=tmp_path, log=log, timeout_s=None, hear=lambda message: None)

        assert last["failed"]["message"] == "the process exited with code 1"
    assert "KeyError" in log.read_text()


def test_watchers_are_told(tmp_path: Path) -> None:
    """Stages and items of each case, as of any long work."""
    heard: list[str] = []

    class Listening:
        def begin(self, stage: str, total: int, done: int) -> None:
            heard.append(f"{stage}: {total}")

        def tick(self, outcome: object) -> None:
            heard.append("tick")

        def status(self, text: str) -> None:
            heard.append(text)

        def end(self) -> None:
            heard.append("end")

        def note(self, text: str) -> None:
            heard.append(text)

    path = small_job(tmp_path)
    run_job(JobOptions(path, root=tmp_path), Listening())
    run_job(JobOptions(path, root=tmp_path), Listening())

    assert (heard[0], heard[1]) == ("case 1 of 1: 3", "its start")
    assert heard.count("tick") == 3
    assert heard[-2:] == ["end", "case 1 of 1: done in an earlier run"]
    assert run(path).known == 1
