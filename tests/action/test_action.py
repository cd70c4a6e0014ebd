"""The steps of the GitHub Action, on a sample repository here; and that the image's file names what there is."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from kit.command_line import contents
from kit.processes import HANG_S
from kit.small_data import answers, humaneval

ROOT = Path(__file__).parents[2]
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
    said, text = json.loads(repository.read("benchwright-runs/run.json")), repository.read("step.md")

    assert (done.returncode, "| pass@1 | 100.0 % |" in text) == (0, True), done.stderr
    assert text.startswith(f"## {said['track']}: replay:samples with spaces.jsonl\n")
    assert text == repository.read("benchwright-runs/summary.md")
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


@pytest.mark.usefixtures("jail")
def test_a_run_that_fails_posts_nothing(repository: Repository) -> None:
    """Its message is on stderr, where the job shows it."""
    done = repository.act(BENCHWRIGHT_RUN="humaneval --data rows.jsonl --model replay:nowhere.jsonl")

    assert (done.returncode, "nowhere.jsonl" in done.stderr) == (2, True), done.stderr
    assert not (repository.folder / "step.md").exists()
    assert not (repository.folder / "benchwright-runs/summary.md").exists()


def test_the_action_calls_the_script() -> None:
    """Every input reaches it as the variable that it reads."""
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    script = (ROOT / "action/run.sh").read_text(encoding="utf-8")
    inputs = re.findall(r"^  (\w+):$", text.partition("inputs:")[2].partition("outputs:")[0], re.MULTILINE)
    handed = dict(re.findall(r"(\w+): \$\{\{ inputs\.(\w+) \}\}", text))

    assert sorted(handed.values()) == sorted(inputs)
    assert [name for name in handed if f"${{{name}:-" not in script] == []


def test_the_image_takes_what_there_is() -> None:
    """Its files are in the repository, its extras are some of the package, its entry is the command."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    copied = [name for line in re.findall(r"^COPY (.*) \S+$", text, re.MULTILINE) for name in line.split()]
    (extras,) = re.findall(r"'/src\[([\w,]+)\]'", text)
    (entry,) = re.findall(r'^ENTRYPOINT \["(\w+)"\]', text, re.MULTILINE)

    assert [name for name in copied if not (ROOT / name).exists()] == []
    assert {*extras.split(",")} <= {*project["optional-dependencies"]}
    assert entry in project["scripts"]
