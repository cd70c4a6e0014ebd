"""The documentation cannot drift: its Python blocks run, its commands exist, its links lead somewhere."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import re
import sys
import tomllib
from functools import cache
from pathlib import Path
from unittest import mock

import pytest

from benchmarks.first_day import ROW
from benchwright.cli.commands import command_lines
from kit.processes import python

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
REPOSITORY = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]["Homepage"]


def blocks(page: Path, language: str) -> list[str]:
    """The fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)


@cache
def documentation() -> str:
    """The text of all pages."""
    return "\n".join(page.read_text() for page in PAGES)


def python_blocks() -> list[tuple[str, str]]:
    """Every Python block with a name for the test's report."""
    found = []
    for page in PAGES:
        for number, block in enumerate(blocks(page, "python")):
            found.append((f"{page.relative_to(ROOT)}-{number}", block))
    return found


def expected_output(block: str) -> list[str]:
    """What the comments behind print(...) promise."""
    return re.findall(r"print\(.*\)\s+# (.*)$", block, re.MULTILINE)


@pytest.mark.usefixtures("jail")
@pytest.mark.parametrize(("name", "block"), python_blocks(), ids=[name for name, _ in python_blocks()])
def test_a_python_block_runs_and_prints_what_it_says(name: str, block: str, tmp_path: Path) -> None:
    """A reader who pastes a block gets what the comment beside it shows.

    In this process, which has the packages of others already: in one of its own a block takes half a second more.
    """
    (tmp_path / "HumanEval.jsonl.gz").write_bytes(gzip.compress(json.dumps(ROW).encode() + b"\n"))
    sample = {"task_id": "Own/0", "completion": "    return x + x\n"}
    (tmp_path / "samples.jsonl").write_text(json.dumps(sample) + "\n")

    printed, complained = _pasted(block, tmp_path)
    assert complained == ""
    assert [line for line in expected_output(block) if line not in printed.splitlines()] == []


def _pasted(block: str, folder: Path) -> tuple[str, str]:
    if "import pytest" in block:  # its marks are no marks of ours
        done = python(block, cwd=folder)
        assert done.returncode == 0
        return done.stdout, done.stderr
    out, err = io.StringIO(), io.StringIO()
    with (
        mock.patch.object(sys, "stdin", io.StringIO()),
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        exec(compile(block, "block", "exec"), {"__name__": "__main__"})
    return out.getvalue(), err.getvalue()


@pytest.mark.parametrize("name", sorted(command_lines()))
def test_every_command_is_documented(name: str) -> None:
    """A verb that exists is shown somewhere as a command to paste."""
    assert re.search(rf"(benchwright|\./run|`) ?{name}\b", documentation()) is not None


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    """No relative link is broken."""
    links = [ours(link) for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text())]
    broken = [link for link in links if "://" not in link and not (page.parent / link).exists()]

    assert broken == []


def ours(link: str) -> str:
    """An address of the repository as a path of it, so that it is checked too; any other link as it is."""
    found = re.fullmatch(rf"{re.escape(REPOSITORY)}/(?:blob|tree)/main/(.*)", link)
    return str(ROOT / found[1]) if found else link


def test_the_readme_has_no_relative_links() -> None:
    """It is the page of the package index too, where they lead nowhere."""
    links = re.findall(r"\]\(([^)]+)\)", (ROOT / "README.md").read_text())

    assert [link for link in links if not link.startswith(("https://", "#"))] == []
    assert len([link for link in links if ours(link) != link]) > 20
