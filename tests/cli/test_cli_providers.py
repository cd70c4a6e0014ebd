"""The guide's provider package, installed as pip would leave it: from its entry point to a score."""

from __future__ import annotations

import re
import shlex
import sys
import tomllib
from pathlib import Path

import pytest

from kit.command_line import Said, benchwright
from kit.small_data import mera, read_rows

PAGE = (Path(__file__).parents[2] / "docs" / "providers.md").read_text()
MODEL = """
import os, re, sys
sign = {"plus": "+", "times": "*"}
name, number = re.search(r"def (plus|times)_(\\d+)", sys.stdin.read()).groups()
print(f"def {name}_{number}(x):\\n    return x {sign[name]} {number}  # drawn with {os.environ['SEED']}")
"""

pytestmark = pytest.mark.usefixtures("jail")


def block(language: str, start: str) -> str:
    """The fenced block of the page that begins so."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    return next(text for text in blocks if text.startswith(start))


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder as an installer fills it: the module, and the metadata that its pyproject.toml stands for."""
    project = tomllib.loads(block("toml", "[build-system]"))["project"]
    folder = tmp_path / "site"
    metadata = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    metadata.mkdir(parents=True)
    (folder / "benchwright_command.py").write_text(block("python", '"""`command:'))
    lines = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (metadata / "METADATA").write_text(lines)
    points = project["entry-points"]["benchwright.models"]
    entries = [f"{name} = {target}" for name, target in points.items()]
    (metadata / "entry_points.txt").write_text("\n".join(["[benchwright.models]", *entries, ""]))
    return folder


def run(site: Path, model: str, *more: object) -> Said:
    """Score a model on three small tasks, with the package beside those of this environment."""
    folder = site.parent
    fixed = ["--data", mera(folder), "--model", model, "--out", folder / "run", "--workers", 1, "--json"]
    return benchwright("run", "ruhumaneval", *fixed, *more, cwd=folder, PYTHONPATH=str(site))


def program(folder: Path) -> str:
    """The command line of a program that answers rightly."""
    (folder / "my_model.py").write_text(MODEL)
    return f"{shlex.quote(sys.executable)} my_model.py"


def test_an_installed_scheme_is_scored(site: Path) -> None:
    """Two answers a task, each drawn with a seed of its own, executed and passed."""
    said = run(site, f"command:{program(site.parent)}", "--n", 2)
    answers = read_rows(site.parent / "run" / "answers.jsonl")

    assert (said.code, said.document["outcomes"]) == (0, {"passed": 6})
    assert len({row["seed"] for row in answers}) == 6
    assert all(f"# drawn with {row['seed']}\n" in row["text"] for row in answers)


def test_a_failing_provider_gives_missing_answers(site: Path) -> None:
    """Where the program fails, the answer is missing: no wrong one is counted."""
    command = program(site.parent)
    (site.parent / "my_model.py").write_text(MODEL.replace('"times": "*"', ""))  # knows no other sign
    document = run(site, f"command:{command}", "--n", 1).document

    assert (document["outcomes"], document["missing"]) == ({"model_error": 1, "passed": 2}, 1)


def test_a_scheme_can_refuse(site: Path) -> None:
    """A UsageError of the package is shown like one of ours."""
    said = run(site, "command:")

    assert (said.code, said.out) == (2, "")
    assert "`command:` needs a program" in said.err


def test_without_the_package_there_is_no_scheme(site: Path) -> None:
    """The entry point is what brings it."""
    said = run(site.parent / "elsewhere", "command:true")

    assert (said.code, "unknown model: command" in said.err) == (2, True)
