"""A key that is missing is told before anything is executed: of the model and of a judge."""

from __future__ import annotations

from pathlib import Path

import pytest

from kit.command_line import called
from kit.graded_runs import issue_row
from kit.small_data import humaneval, write


def executed(folder: Path) -> list[str]:
    """What a run has written of executions and requests."""
    names = ("self_check.jsonl", "answers.jsonl", "verdicts.jsonl", "assessments.jsonl")
    return [name for name in names if (folder / name).exists() and (folder / name).read_bytes()]


def test_the_models_key(tmp_path: Path) -> None:
    """Exit code 3 at once, with the command that sets it."""
    data = humaneval(tmp_path)
    run = tmp_path / "run"
    said = called("run", "humaneval", "--data", data, "--model", "openai:m", "--out", run, OPENAI_API_KEY="")

    assert (said.code, executed(run)) == (3, [])
    assert said.err.splitlines() == [
        "error: OpenAI's server needs a key, and OPENAI_API_KEY is not set",
        "hint: export OPENAI_API_KEY=…, or name another server with `--base-url http://localhost:8000/v1`",
    ]


def test_the_judges_key(tmp_path: Path) -> None:
    """Of a model judge too, although the answers are there."""
    data = write(tmp_path / "issues.jsonl", [issue_row(number) for number in range(2)])
    answers = write(
        tmp_path / "answers.jsonl", [{"task_id": 1, "answer": "x"}, {"task_id": 0, "answer": "x"}]
    )
    run = tmp_path / "run"
    line = ("--data", data, "--model", f"replay:{answers}", "--judge", "openai:j", "--out", run)
    said = called("run", "smartcoding-issues", *line, OPENAI_API_KEY="")

    assert (said.code, executed(run)) == (3, [])
    assert "OPENAI_API_KEY is not set" in said.err


@pytest.mark.parametrize("model", ["gold:", "stub:"])
def test_no_key_is_asked_for_without_need(model: str, tmp_path: Path, jail: None) -> None:
    """A model that is no server needs none."""
    data = humaneval(tmp_path, tasks=1)
    line = ("run", "humaneval", "--data", data, "--model", model, "--out", tmp_path / "run")

    assert called(*line, OPENAI_API_KEY="").code == 0
