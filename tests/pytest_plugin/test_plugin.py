"""The plugin as its users meet it: pytest in a process of its own, in a project of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import pytest

from benchwright.stub_server import Script, StubServer
from kit.needs import need_module
from kit.processes import HANG_S
from kit.small_data import CHEAP, answers, humaneval

GATE = """
import pytest

@pytest.mark.benchwright("humaneval", data="tasks.jsonl")
def test_marker(benchwright_run):
    assert benchwright_run.at_least("pass@1", 0.05).n == 3

def test_fixture(benchwright_model):
    run = benchwright_model.run("humaneval", data="tasks.jsonl")
    run.at_least("pass@1", 0.6)

def test_plain():
    assert True
"""
WRONG_MARKERS = [  # arguments of the marker, what the error says
    ('"humaneval", data="d", temprature=0', "unknown argument: temprature="),
    ('"humaneval", data="d", temperature="hot"', "temperature='hot': must be a number"),
    ('"humaneval"', "argument: 'data'"),
    ('data="d"', "missing a required argument: 'track'"),
    ('"humaneval", "d"', "too many positional arguments"),
    ('"humaneval", data="d", form="cals"', "form='cals': unknown value"),
    ('"humaneval", data="d", n=1.5', "n=1.5: must be an integer"),
    ('"humaneval", data="d", cpu_limit=0', "cpu_limit=0: must be at least 0.05"),
    ('"humaneval", data="d", fresh="yes"', "fresh='yes': must be True or False"),
    ('"humaneval", data=3', "data=3: must be a text or a path"),
    ("", "needs a marker with a track and data"),
]


class Session(NamedTuple):
    """How a session of pytest ended and what it printed."""

    code: int
    out: str


def session(folder: Path, *arguments: str, test: str = GATE, settings: str = "") -> Session:
    """Run pytest in a folder with one test file."""
    (folder / "test_gate.py").write_text(test, encoding="utf-8")
    (folder / "pytest.ini").write_text(f"[pytest]\n{settings}", encoding="utf-8")
    left_out = ("PYTEST_", "COV_", "BENCHWRIGHT_NO_CACHE")
    kept = {name: text for name, text in os.environ.items() if not name.startswith(left_out)}
    kept["XDG_CACHE_HOME"] = str(folder / "cache")
    command = [sys.executable, "-m", "pytest", "-p", "no:hypothesispytest", "-p", "no:faker", *arguments]
    done = subprocess.run(
        command, cwd=folder, env=kept, capture_output=True, text=True, timeout=HANG_S, check=False
    )
    return Session(done.returncode, done.stdout + done.stderr)


def test_it_loads_nothing_while_no_test_uses_it(tmp_path: Path) -> None:
    """Only the plugin's own module, and no library of Benchwright."""
    test = """
import sys

def test_plain():
    loaded = {name for name in sys.modules if name.startswith("benchwright")}
    assert loaded == {"benchwright", "benchwright.version", "benchwright.pytest_plugin"}
    assert not {"msgspec", "httpx", "numpy", "jinja2"} & set(sys.modules)
"""
    done = session(tmp_path, "--benchwright-model", "gold:", test=test)

    assert (done.code, "1 passed" in done.out, "- benchwright -" in done.out) == (0, True, False)


@pytest.mark.usefixtures("jail")
def test_a_gate_on_two_models(tmp_path: Path) -> None:
    """Each test is repeated for each model; a failure shows the answers; each run gets one line."""
    humaneval(tmp_path)
    answers(tmp_path, outcomes=CHEAP).rename(tmp_path / "weak.jsonl")
    answers(tmp_path)
    models = "benchwright_model =\n  replay:weak.jsonl\n  replay:answers.jsonl\nbenchwright_runs = out/runs\n"
    done = session(tmp_path, "--junitxml=junit.xml", settings=models)
    properties = ElementTree.parse(tmp_path / "junit.xml").iter("property")

    assert (done.code, "2 failed, 3 passed" in done.out) == (1, True)
    assert "test_fixture[replay:weak.jsonl] - " in done.out
    assert "Small/0, answer 1: wrong: call 1: plus_0(7) gave -993, expected 7" in done.out
    assert len(list((tmp_path / "out/runs").glob("*/scores.json"))) == 2
    assert done.out.count("\nhumaneval, replay:weak.jsonl: pass@1 0.2000 (") == 1
    assert len({each.attrib["value"] for each in properties}) == 2
    selected = session(tmp_path, "-m", "not benchwright", settings=models)
    assert (selected.code, "1 passed, 4 deselected" in selected.out) == (0, True)


@pytest.mark.usefixtures("jail")
def test_processes_share_a_run(tmp_path: Path) -> None:
    """With pytest-xdist, one process makes it and the others read it; the summary has it once."""
    need_module("xdist")
    humaneval(tmp_path)
    answers(tmp_path)
    test = GATE.replace("0.6", "0.1")
    flags = ("-n", "2", "--benchwright-model", "replay:answers.jsonl", "--benchwright-runs", "shared")
    done = session(tmp_path, *flags, test=test)
    fresh = session(tmp_path, *flags, "--benchwright-fresh", test=test)

    assert (done.code, fresh.code) == (0, 0), done.out + fresh.out
    assert done.out.count("pass@1 1.0000") == 1
    folders = sorted(path.parent.relative_to(tmp_path) for path in tmp_path.rglob("scores.json"))
    assert [len(each.parts) for each in folders] == [2, 3]  # that of the second session has its own folder


@pytest.mark.usefixtures("jail")
def test_a_served_model_is_asked_once(tmp_path: Path) -> None:
    """Two tests share the answers, and so does a later session, until --benchwright-fresh."""
    humaneval(tmp_path)
    test = GATE.replace("0.05", "0").replace("0.6", "0")
    with StubServer(Script.of({"": ["    return x\n"]})) as server:
        flags = ("--benchwright-model", "openai:stub", "--benchwright-base-url", server.base_url)
        counts = []
        for more in ((), (), ("--benchwright-fresh",)):
            done = session(tmp_path, *flags, *more, test=test)
            assert done.code == 0, done.out
            counts.append(len(server.requests()))

    assert counts == [30, 30, 60]  # ten answers to each of three tasks


def test_wrong_markers_fail_at_collection(tmp_path: Path) -> None:
    """Before a model is asked, each in a sentence without a traceback."""
    for number, (given, _) in enumerate(WRONG_MARKERS):
        (tmp_path / f"test_wrong_{number}.py").write_text(
            f"import pytest\n\n@pytest.mark.benchwright({given})\ndef test_it(benchwright_run):\n    pass\n"
        )
    done = session(tmp_path, "--benchwright-model", "gold:", test="")

    assert (done.code, f"{len(WRONG_MARKERS)} errors" in done.out, "Traceback" in done.out) == (
        2,
        True,
        False,
    )
    assert [said for _, said in WRONG_MARKERS if said not in done.out] == []


def test_errors_of_a_run_are_short(tmp_path: Path) -> None:
    """No model, no data, an unknown track: the message and its hint, no frames of Benchwright."""
    test = """
import pytest

@pytest.mark.benchwright("humaneval", data="none.jsonl", model="gold:")
def test_no_data(benchwright_run):
    pass

@pytest.mark.benchwright("humanevil", data="none.jsonl", model="gold:")
def test_no_track(benchwright_run):
    pass

@pytest.mark.benchwright("humaneval", data="none.jsonl", model="opnai:x")
def test_no_provider(benchwright_run):
    pass

def test_no_model(benchwright_model):
    pass
"""
    humaneval(tmp_path)
    done = session(tmp_path, test=test)
    without = session(tmp_path, "--benchwright-runs", "test_gate.py/x", "-k", "no_model", test=test)

    assert (done.code, "4 errors" in done.out, "running/plan.py" in done.out) == (1, True, False)
    for said in ("no file at none.jsonl", "humanevil", "did you mean `humaneval`", "no model is given"):
        assert said in done.out
    assert "pytest --benchwright-model openai:NAME" in without.out
