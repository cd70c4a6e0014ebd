"""`new`: what it writes works as it is, with its own test, and it writes over nothing."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchwright.cli.new import KINDS, next_steps
from kit.command_line import Said, benchwright, called
from kit.plug_ins import install_package
from kit.processes import HANG_S
from kit.small_data import write

PACKAGES = [kind for kind in KINDS if kind != "task"]


def started(folder: Path, kind: str, name: str) -> Path:
    """The folder of what was written."""
    said = called("new", kind, name, cwd=folder)
    assert said.code == 0, said.err
    assert all((folder / line).is_file() for line in said.out.splitlines())
    return folder if kind == "task" else folder / name


def installed_starter(package: Path, site: Path) -> dict[str, str]:
    """The environment in which a written package is installed, by its own pyproject.toml."""
    install_package(package, site)
    return {"PYTHONPATH": os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH", "")]))}


@pytest.mark.usefixtures("jail")
def test_what_is_written_passes_its_own_test(tmp_path: Path) -> None:
    """In another process, as its reader starts it; one for all kinds, which differ in their files alone."""
    for kind in KINDS:
        (tmp_path / kind).mkdir()
    folders = [str(started(tmp_path / kind, kind, f"my-{kind}")) for kind in KINDS]
    command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", *folders]

    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=HANG_S, check=False)

    passed = set(re.findall(r"test_my_(\w+)\.py::.* PASSED", done.stdout))
    assert (done.returncode, passed) == (0, set(KINDS)), done.stdout + done.stderr


@pytest.mark.usefixtures("jail")
def test_a_written_task_file_is_scored(tmp_path: Path) -> None:
    started(tmp_path, "task", "mine")

    said = called("run", "own", "--data", "mine.toml", "--model", "gold:", "--json", cwd=tmp_path)

    assert (said.code, said.document["outcomes"]) == (0, {"passed": 3})


@pytest.mark.usefixtures("jail")
@pytest.mark.parametrize("kind", ["track", "judge"])
def test_a_written_track_runs_when_it_is_installed(tmp_path: Path, kind: str) -> None:
    """Gold and stub end as they must in the workers too, and check knows every fault."""
    package = started(tmp_path, kind, "of-mine")
    environment = installed_starter(package, tmp_path / "site")
    run = ("run", "of-mine", "--data", package / "rows.jsonl", "--model", "gold:", "--workers", 1, "--json")

    said = benchwright(*run, "--out", tmp_path / "run", **environment)
    wrong = write(tmp_path / "wrong.jsonl", [{"id": 1}, {"id": 2}])
    check = benchwright("check", wrong, "--track", "of-mine", "--json", **environment)

    assert said.code == 0, said.err
    assert set(said.document["outcomes"]) == {"passed"}
    assert [fault["line"] for fault in check.document["faults"]] == [1, 2]


def test_a_written_provider_is_a_model(tmp_path: Path) -> None:
    """Installed, its scheme is known; without its server the run says why no answer came."""
    package = started(tmp_path, "provider", "other-server")
    environment = installed_starter(package, tmp_path / "site")
    started(tmp_path, "task", "mine")
    run = (
        "run",
        "own",
        "--data",
        "mine.toml",
        "--model",
        "other-server:small",
        "--base-url",
        "http://127.0.0.1:9",
    )

    said = benchwright(*run, "--ask-only", "--out", "run", cwd=tmp_path, **environment)

    assert (said.code, "ConnectError" in said.err) == (1, True), said.err


@pytest.mark.usefixtures("jail")
def test_a_written_command_is_called_and_listed(tmp_path: Path) -> None:
    """Once installed, it reads a run, and `--help` has its line."""
    package = started(tmp_path, "command", "pass-share")
    environment = installed_starter(package, tmp_path / "site")
    started(tmp_path, "task", "mine")
    called("run", "own", "--data", "mine.toml", "--model", "gold:", "--out", "run", "-q", cwd=tmp_path)

    said = benchwright("pass-share", tmp_path / "run", **environment)
    listed = benchwright("--help", **environment)

    assert (said.code, said.out) == (0, "100.0% of 3 answers passed\n"), said.err
    assert "pass-share        Print the share of answers that passed." in listed.out


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_written_over(tmp_path: Path, kind: str) -> None:
    """One file that is there stops all of them."""
    folder = started(tmp_path, kind, "first")
    kept = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    next(iter(kept)).unlink()

    said = called("new", kind, "first", cwd=tmp_path)

    assert (said.code, "exists" in said.err) == (1, True)
    assert {path for path in folder.rglob("*") if path.is_file()} == set(list(kept)[1:])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["track", "humaneval"], "humaneval is a built-in track"),
        (["judge", "label"], "label is a built-in judge"),
        (["judge", "own"], "own is a built-in track"),
        (["provider", "openai"], "openai is a built-in model"),
        (["command", "export"], "export is a built-in command"),
        (["track", "json"], "a module named json exists"),
        (["track", "pytest"], "a module named pytest exists"),
        (["track", "Big"], "invalid name"),
        (["track", "../up"], "invalid name"),
        (["track", "a b"], "invalid name"),
        (["track", ""], "invalid name"),
        (["track", "x" * 41], "invalid name"),
        (["tracks", "x"], "'tracks' is not one of"),
        (["track"], "Missing argument 'NAME'"),
    ],
)
def test_a_name_that_cannot_be_is_refused(tmp_path: Path, arguments: list[str], message: str) -> None:
    """Nothing is written then."""
    said = called("new", *arguments, cwd=tmp_path)

    assert (said.code, message in said.err, "hint: " in said.err) == (2, True, True)
    assert list(tmp_path.iterdir()) == []


def test_another_folder_may_be_named(tmp_path: Path) -> None:
    assert called("new", "track", "mine", "--out", "a/b", cwd=tmp_path).code == 0
    assert (tmp_path / "a" / "b" / "mine.py").is_file()
    (tmp_path / "file").write_text("")
    assert called("new", "task", "mine", "--out", "file", cwd=tmp_path).code == 1


def test_the_next_steps_fit_where_they_are_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a clone there is no pip."""
    assert next_steps("track", "mine", Path("mine"))[1] == "pip install -e mine"
    monkeypatch.setenv("BENCHWRIGHT_COMMAND", "./run benchwright")
    assert "uv pip install -e mine" in next_steps("track", "mine", Path("mine"))[1]


def test_help_of_new_is_said() -> None:
    said: Said = benchwright("new", "--help")

    assert (said.code, "Existing files are never overwritten" in said.out) == (0, True)
