"""`benchwright export inspect`: a log, a sentence for people, a document for programs."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from kit.command_line import called
from kit.made_inspect_run import small_run
from kit.needs import need_that


@pytest.fixture(scope="module", autouse=True)
def installed() -> None:
    """These tests write logs, which needs the package."""
    need_that(find_spec("inspect_ai"), "inspect-ai is not installed, which writes the logs: uv sync")


def test_for_people(tmp_path: Path) -> None:
    """Without --json all is on stderr: what was written, what is missing, and how to look at it."""
    run = small_run(tmp_path)
    said = called("export", "inspect", run, "--out", tmp_path / "log.eval")
    lines = said.err.splitlines()

    assert (said.code, said.out, (tmp_path / "log.eval").read_bytes()[:2]) == (0, "", b"PK")
    assert "6 samples (3 tasks, 2 epochs), 2 of them errors" in lines[0]
    assert lines[-1] == f"view it with: inspect view --log-dir {tmp_path}"


def test_one_document(tmp_path: Path) -> None:
    """--json prints the summary, and nothing else is on stdout."""
    run = small_run(tmp_path)
    said = called("export", "inspect", run, "--out", tmp_path / "log.json", "--json")
    document = said.document

    assert (said.code, document["samples"], document["errors"], document["scores"]) == (0, 6, 2, ["strict"])
    assert (document["out"], len(document["notes"])) == (str(tmp_path / "log.json"), 1)
    assert json.loads((tmp_path / "log.json").read_text())["status"] == "success"


def test_a_data_set_that_was_moved(tmp_path: Path) -> None:
    """A note says what is missing without it, and the command that names it."""
    run = small_run(tmp_path)
    (tmp_path / "tasks.jsonl").rename(tmp_path / "moved.jsonl")
    without = called("export", "inspect", run, "--out", tmp_path / "log.eval")
    found = called(
        "export", "inspect", run, "--out", tmp_path / "log.eval", "--data", tmp_path / "moved.jsonl"
    )

    assert (
        without.code,
        "note: the log has no inputs and no targets" in without.err,
        "--data PATH" in without.err,
    ) == (
        0,
        True,
        True,
    )
    assert (found.code, "note:" in found.err) == (0, False)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--out", "log.txt"], 2, ".eval or .json"),
        (["--out", ""], 2, "--out is empty"),
        (["--out", "tasks.jsonl/log.eval"], 1, "is a file, not a folder"),
        ([], 2, "Missing option '--out'"),
    ],
)
def test_slips(arguments: list[str], code: int, said: str, tmp_path: Path) -> None:
    """Each has its exit code and one sentence, and nothing is written."""
    run = small_run(tmp_path)
    done = called("export", "inspect", run, *arguments, cwd=tmp_path)

    assert (done.code, done.out, said in done.err) == (code, "", True)
    assert [path.name for path in tmp_path.iterdir() if "log" in path.name] == []


def test_the_folder_of_the_log_is_made(tmp_path: Path) -> None:
    """With those above it, as `run --out` does."""
    done = called("export", "inspect", small_run(tmp_path), "--out", tmp_path / "new/logs/mine.eval")

    assert (done.code, (tmp_path / "new/logs/mine.eval").is_file()) == (0, True)


def test_a_folder_that_is_no_run(tmp_path: Path) -> None:
    """A folder without run.json is named as what it is not."""
    done = called("export", "inspect", tmp_path, "--out", tmp_path / "log.eval")

    assert (done.code, "is not a run folder" in done.err, "Traceback" in done.err) == (1, True, False)


def test_help_can_be_pasted() -> None:
    """--help has an example and needs nothing of the package."""
    said = called("export", "inspect", "--help")

    assert (said.code, "benchwright export inspect runs/mine --out logs/mine.eval" in said.out) == (0, True)
