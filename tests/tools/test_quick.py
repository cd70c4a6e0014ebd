"""The quick check: its selection of test files for a change, the reasons, its output and exit code."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from kit.small_project import commit, make_project, quick_in
from tools.quick.imports import imported_modules, module_of

Quick = Callable[..., subprocess.CompletedProcess[str]]
SELECTED = re.compile(r"^ +[\d.]+  (\S+): (.+)$", re.MULTILINE)
WORDS = "src/benchwright/text/words.py"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return the small project."""
    make_project(tmp_path)
    return tmp_path


@pytest.fixture
def quick(project: Path) -> Quick:
    """Return the command in the small project."""
    return partial(quick_in, project)


def selected(printed: str) -> list[tuple[str, str]]:
    """Return path and reason of each test file that the command lists."""
    return SELECTED.findall(printed)


def change(project: Path, path: str, text: str = "COUNT = 2  # two\n") -> None:
    """Write a file of the project."""
    (project / path).write_text(text)


def test_the_closest_tests_come_first(project: Path, quick: Quick) -> None:
    """The test named after the module comes first, then those of its users, and of commands that are loaded
    by name."""
    change(project, WORDS)

    assert selected(quick("--base", "HEAD", "--list").stdout) == [
        ("tests/text/test_words.py", f"named after {WORDS}"),
        ("tests/text/test_other.py", "reaches it through benchwright.text.lines (2 steps)"),
    ]
    far = selected(quick("--base", "HEAD", "--list", "--all").stdout)[2:]
    assert far == [("tests/cli/test_main.py", "reaches it through benchwright.cli.main (6 steps)")]


def test_what_does_not_fit_is_reported(project: Path, quick: Quick) -> None:
    """Measured seconds decide: a file that fits is run even if a closer one does not fit. One failure is
    enough."""
    change(project, WORDS, "COUNT: str = 2\n")
    folder = project / ".pytest_cache" / "v" / "benchwright"
    folder.mkdir(parents=True)
    (folder / "seconds_by_file").write_text(json.dumps({"tests/text/test_words.py": [9999.0, 1]}))

    done = quick("--base", "HEAD")

    chosen, left_out = done.stdout.split("reached but not run")
    assert [path for path, _ in selected(chosen)] == ["tests/text/test_other.py"]
    assert [path for path, _ in selected(left_out)] == ["tests/text/test_words.py", "tests/cli/test_main.py"]
    assert "not reached by the change: 2 test files" in left_out
    assert (done.returncode, done.stdout.splitlines()[-1]) == (1, "failed: mypy"), done


def test_files_that_are_no_modules(project: Path, quick: Quick) -> None:
    """A test file selects itself, a page the tests of pages, a data file those of its package, others none."""
    change(project, "tests/test_alone.py", "def test_alone():\n    assert 1\n")
    change(project, "docs/guide.md", "# Another guide\n")
    change(project, "src/benchwright/cli/show.txt", "new\n")
    change(project, "notes.txt", "new\n")

    found = dict(selected(quick("--base", "HEAD", "--list").stdout))
    assert sorted(found) == ["tests/cli/test_main.py", "tests/docs/test_guide.py", "tests/test_alone.py"]


def test_users_of_a_deleted_module_are_selected(project: Path, quick: Quick) -> None:
    """Its own test comes first, and fails."""
    (project / WORDS).unlink()

    paths = [path for path, _ in selected(quick("--base", "HEAD", "--list").stdout)]

    assert paths[0] == "tests/text/test_words.py"


def test_the_base_is_the_commit_before_without_an_upstream(project: Path, quick: Quick) -> None:
    """It includes the last commit and uncommitted changes."""
    change(project, WORDS)
    commit(project, "Count words")
    change(project, "docs/guide.md", "# Changed\n")

    assert quick("--list").stdout.startswith("2 files differ between ")
    assert quick("--commit", "HEAD", "--list").stdout.startswith("1 files differ between ")


def test_the_command_runs_what_the_change_needs(project: Path, quick: Quick) -> None:
    """If all pass, the exit code is 0, and each check is listed with its seconds."""
    change(project, WORDS)

    done = quick("--base", "HEAD")

    names = re.findall(r"^(\S.*): passed in [\d.]+ s$", done.stdout, re.MULTILINE)
    assert (done.returncode, names) == (0, ["ruff check", "ruff format", "mypy", "layers", "tests"]), done
    assert "2 passed" in done.stdout


def test_failures_are_named(project: Path, quick: Quick) -> None:
    """The other checks still run after a failure."""
    change(
        project, WORDS, "import os\nfrom benchwright.cli import main\n\nCOUNT: str=3\n__all__ = ['main']\n"
    )

    done = quick("--base", "HEAD")

    failing = "failed: ruff check, ruff format, mypy, layers, tests"
    assert (done.returncode, done.stdout.splitlines()[-1]) == (1, failing), done


def test_an_unknown_base_is_a_wrong_argument(quick: Quick) -> None:
    """The error has git's message, and the option to correct."""
    done = quick("--base", "nothing")

    assert (done.returncode, "hint: ./run quick --base COMMIT" in done.stderr) == (2, True)


def test_names_of_modules() -> None:
    """A package has the name of its own file; files outside of packages have none."""
    paths = (
        "src/benchwright/text/words.py",
        "src/benchwright/__init__.py",
        "tests/kit/seconds.py",
        "docs/a.py",
    )

    assert [module_of(path) for path in paths] == [
        "benchwright.text.words",
        "benchwright",
        "kit.seconds",
        None,
    ]


def test_imports_of_a_file() -> None:
    """An imported name may be a module or an object of one; a file that does not parse has none."""
    assert imported_modules("import a.b\ndef f():\n    from c import d\n") == {"a.b", "c", "c.d"}
    assert imported_modules("def") == set()
