"""The steps of the GitHub Action, on a sample repository here; and that the image's file names what there is."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from action.summary import main, summary
from kit.command_line import contents
from kit.processes import HANG_S
from kit.small_data import answers, humaneval

ROOT = Path(__file__).parents[2]
DOCUMENT: dict[str, Any] = {
    "track": "humaneval",
    "model": "a|b <i>\n`x`",
    "metrics": {"pass@1": {"value": 0.5, "low": 0.25, "high": 0.75, "n": 10}, "gap": {"value": None}},
    "outcomes": {"passed": 5, "wrong": 5, "flaky": 0},
    "self_check": {"failures": []},
}
# One model right on all tasks: its pass@1 is 1, and the low end of the interval is under 0.9.
SUITE = """
[[models]]
model = "replay:samples with spaces.jsonl"
name = "stored"

[[tracks]]
track = "humaneval"
data = "rows.jsonl"

[[fail-under]]
measure = "pass@1"
value = 0.9
"""
# Stands for an installed `benchwright`: notes how it was called; `doctor` is no part of these tests.
TOOL = """#!/bin/sh
echo "$*" >>"$HERE/log"
[ "$1" != doctor ] || exit 0
exec "$INTERPRETER" -m benchwright "$@"
"""


class Repository:
    """A folder with a data set, stored answers and a suite, as a project has them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tool = folder / "tools/benchwright"
        self.tool.parent.mkdir()
        self.tool.write_text(TOOL)
        self.tool.chmod(0o755)
        (folder / "suite.toml").write_text(SUITE)
        humaneval(folder).rename(folder / "rows.jsonl")
        answers(folder).rename(folder / "samples with spaces.jsonl")

    def act(self, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run the steps as the action does."""
        given = {"HERE": str(self.folder), "INTERPRETER": sys.executable, "BENCHWRIGHT_BIN": str(self.tool)}
        given |= {"GITHUB_STEP_SUMMARY": str(self.folder / "step.md"), "PYTHON": sys.executable}
        given |= {"GITHUB_OUTPUT": str(self.folder / "outputs")}
        return subprocess.run(
            ["sh", str(ROOT / "action/run.sh")],
            cwd=self.folder,
            env={**os.environ, **given, **variables},
            capture_output=True,
            text=True,
            timeout=HANG_S,
            check=False,
        )

    def read(self, name: str) -> str:
        """A file of the repository."""
        return (self.folder / name).read_text(encoding="utf-8")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


@pytest.mark.usefixtures("jail")
@pytest.mark.parametrize(("by", "code"), [("value", 0), ("low", 1)])
def test_a_suite_is_run_and_its_summary_posted(repository: Repository, by: str, code: int) -> None:
    """A threshold that is not reached fails the job, and its summary is there all the same, once."""
    (repository.folder / "suite.toml").write_text(f'{SUITE}by = "{by}"\n')
    repository.act(BENCHWRIGHT_SUITE="suite.toml")
    (repository.folder / "step.md").unlink()
    (repository.folder / "outputs").unlink()
    done = repository.act(BENCHWRIGHT_SUITE="suite.toml")

    assert done.returncode == code, done.stderr
    assert repository.read("log").splitlines()[-1] == (
        "suite suite.toml --out benchwright-runs --summary benchwright-runs/summary.md"
    )
    assert repository.read("step.md") == repository.read("benchwright-runs/summary.md")
    assert repository.read("step.md").count("| stored |") == 1
    assert repository.read("outputs") == "summary=benchwright-runs/summary.md\n"


@pytest.mark.usefixtures("jail")
def test_one_run_is_judged_and_its_scores_posted(repository: Repository) -> None:
    """Stored answers are judged for true, under names with spaces."""
    run = "humaneval --data rows.jsonl --model 'replay:samples with spaces.jsonl' --out own"
    done = repository.act(BENCHWRIGHT_RUN=run)
    said = json.loads(repository.read("benchwright-runs/run.json"))

    assert (done.returncode, "| pass@1 |" in repository.read("step.md")) == (0, True)
    assert repository.read("step.md") == summary(said) + "\n"
    assert "verdicts.jsonl" in contents(repository.folder / "own")


def test_arguments_are_no_shell(repository: Repository) -> None:
    """What a run is given is words: nothing of it is executed."""
    done = repository.act(BENCHWRIGHT_RUN="humaneval; touch planted $(touch planted) `touch planted`")

    assert (done.returncode, (repository.folder / "planted").exists()) == (2, False)
    assert "error: " in done.stderr


@pytest.mark.parametrize("given", [{}, {"BENCHWRIGHT_SUITE": "suite.toml", "BENCHWRIGHT_RUN": "humaneval"}])
def test_what_to_run_is_said_once(repository: Repository, given: dict[str, str]) -> None:
    """Neither or both is an error with a hint, before anything is installed."""
    done = repository.act(**given)

    assert (done.returncode, done.stderr.splitlines()[0]) == (
        2,
        "error: say what to run: a suite or one run, and not both",
    )
    assert done.stderr.splitlines()[1].startswith("hint: ")


def test_a_summary_has_intervals_and_outcomes() -> None:
    """And text of others does nothing in it."""
    assert summary(DOCUMENT).splitlines() == [
        "### humaneval: a\\|b &lt;i> \\`x\\`",
        "",
        "| metric | value | 95 % interval | tasks |",
        "|---|---|---|---|",
        "| pass@1 | 0.500 | 0.250 to 0.750 | 10 |",
        "| gap | – | – to – |  |",
        "",
        "5 passed, 5 wrong. self-check: gold passed and the stub failed.",
    ]


def test_a_failed_run_has_no_summary(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It left no document; a failed self-check is counted."""
    (tmp_path / "run.json").write_text("")
    code = main([str(tmp_path / "run.json")])

    assert (code, capsys.readouterr().out) == (0, "")
    assert summary({**DOCUMENT, "self_check": {"failures": ["a"]}}).endswith("self-check: 1 failures.\n")


def test_the_action_calls_the_script() -> None:
    """Every input reaches it as the variable that it reads."""
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    script = (ROOT / "action/run.sh").read_text(encoding="utf-8")
    inputs = re.findall(r"^  (\w+):$", text.partition("inputs:")[2].partition("outputs:")[0], re.MULTILINE)
    handed = dict(re.findall(r"(\w+): \$\{\{ inputs\.(\w+) \}\}", text))

    assert sorted(handed.values()) == sorted(inputs)
    assert [name for name in handed if f"${{{name}:-" not in script] == []


def test_the_image_takes_what_there_is() -> None:
    """Its files are in the repository, its extra is one of the package, its entry is the command."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    copied = [name for line in re.findall(r"^COPY (.*) \S+$", text, re.MULTILINE) for name in line.split()]
    (extra,) = re.findall(r"'/src\[(\w+)\]'", text)
    (entry,) = re.findall(r'^ENTRYPOINT \["(\w+)"\]', text, re.MULTILINE)

    assert [name for name in copied if not (ROOT / name).exists()] == []
    assert (extra in project["optional-dependencies"], entry in project["scripts"]) == (True, True)
