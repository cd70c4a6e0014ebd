"""The preset `mera-code` of `benchwright suite`: all tasks from one folder, killed twice, and one submission."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import benchwright as package
from benchwright.cli.suite_file import read_suite
from benchwright.errors import UsageError
from benchwright.stub_server import Script, ScriptRow, StubServer
from kit.command_line import Said, called
from kit.processes import HANG_S, wait_until
from kit.small_data import write

DEMO = Path(package.__file__).parent / "demo"
ROWS = 2
SCRIPT = Script(
    rows=[
        ScriptRow(contains="Ваше слово:", completions=["Incorrect"]),
        ScriptRow(contains="Комментарий ", completions=["Комментарий 1: a\nКомментарий 2: b"]),
        ScriptRow(contains="", completions=["success"]),
    ]
)
ANSWERS = 3 * 10 * ROWS + 3 * ROWS
REPLIES = 2 * ROWS  # of the judge
SUITE = """
preset = "mera-code"
data = "data"
out = "runs"

[defaults]
prompts = "row"
workers = 1
concurrency = 1

[[models]]
name = "one"
model = "openai:one"
base-url = "{url}"

[[tracks]]
track = "rucodereviewer"
profile = ["mera-exact", "strict"]
judge = "openai:judge@{url}"
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with the first rows of six task sets; those of ruCodeEval are hidden."""
    (tmp_path / "data" / "code_linter_eval").mkdir(parents=True)
    files = {
        "ruHumanEval.jsonl": DEMO / "ruhumaneval.jsonl",
        "CodeCorrectness.jsonl": DEMO / "codecorrectness.jsonl",
        "strucom.jsonl": DEMO / "mera" / "strucom.jsonl",
        "ruCodeReviewer.jsonl": DEMO / "mera" / "rucodereviewer.jsonl",
        "code_linter_eval/test.jsonl": DEMO / "mera" / "codelintereval.jsonl",
    }
    for name, source in files.items():
        lines = source.read_text(encoding="utf-8").splitlines()[:ROWS]
        write(tmp_path / "data" / name, map(json.loads, lines))
    hidden = tmp_path / "data" / "rucodeeval.json"
    said = called(
        "release",
        "private",
        tmp_path / "data" / "ruHumanEval.jsonl",
        "--out",
        hidden,
        "--golds",
        tmp_path / "golds.jsonl",
    )
    assert said.code == 0, said.err
    return tmp_path


def _stored(place: Path) -> int:
    """How many answers and replies are stored."""
    files = [*place.glob("runs/*/answers.jsonl"), *place.glob("runs/*/replies.*.jsonl")]
    return sum(each.read_bytes().count(b"\n") for each in files)


def _cut(place: Path, suite: Path, *, after: int) -> int:
    """Run the suite and kill it when so many answers are stored."""
    line = [sys.executable, "-m", "benchwright", "suite", str(suite), "--quiet", "--no-report"]
    process = subprocess.Popen(
        line, cwd=place, start_new_session=True, env={**os.environ, "OPENAI_API_KEY": ""}
    )
    try:
        assert wait_until(lambda: _stored(place) >= after or process.poll() is not None)
        assert process.poll() is None, "it ended before it could be killed"
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(HANG_S)
    return _stored(place)


def _run(place: Path, suite: Path) -> Said:
    return called("suite", suite, "--json", "--no-report", cwd=place, OPENAI_API_KEY="")


@pytest.mark.usefixtures("jail")
def test_all_tasks_killed_twice_give_one_submission(place: Path) -> None:
    """Nothing is asked twice, hidden outputs are packed without a score, and missing tasks are named."""
    with StubServer(SCRIPT, faults=["slow:seconds=0.03"]) as server:
        suite = place / "mera.toml"
        suite.write_text(SUITE.replace("{url}", server.base_url), encoding="utf-8")
        first = _cut(place, suite, after=ANSWERS // 4)
        second = _cut(place, suite, after=ANSWERS // 2)
        said = _run(place, suite)
        (packed,) = said.document["submissions"]
        archive = Path(place, packed["submission"]).read_bytes()
        again = _run(place, suite)
        asked = [json.dumps(each["body"], sort_keys=True) for each in server.requests()]

    assert (said.code, again.code) == (0, 0), said.err
    assert first < second < ANSWERS
    assert len(set(asked)) <= ANSWERS + REPLIES
    assert ANSWERS + REPLIES <= len(asked) <= ANSWERS + REPLIES + 2  # those in flight when it was killed
    assert Path(place, again.document["submissions"][0]["submission"]).read_bytes() == archive
    assert [path.name for path in place.glob("runs/*.zip")] == ["submission-one.zip"]
    assert packed["left_out"] == {}
    expected = ["ruHumanEval", "ruCodeEval", "CodeLinterEval", "ruCodeReviewer", "stRuCom", "CodeCorrectness"]
    assert sorted(packed["task_sets"]) == sorted(expected)
    with zipfile.ZipFile(place / packed["submission"]) as found:
        assert sorted(found.namelist()) == sorted([*(f"{name}.json" for name in expected), "logs_public.zip"])
        rows = json.loads(found.read("ruCodeReviewer.json"))["data"]["test"]
    assert rows[0] == {"outputs": "Комментарий 1: a\nКомментарий 2: b", "meta": {"id": 1}}
    cells = {each["track"]: each for each in said.document["cells"]}
    assert "hidden" in cells["rucodeeval"]["not_scored"]
    assert cells["rucodereviewer"]["score"]["metrics"]["judge@10"]["value"] == 1.0
    assert set(said.document["missing"]).isdisjoint(expected)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('preset = "mera"\ndata = "data"', "unknown preset"),
        ('preset = "mera-code"', "`data` must be the folder"),
        ('preset = "mera-code"\ndata = "nowhere"', "`data` must be the folder"),
        ("preset = 1\ndata = 'data'", "`preset` must be a string"),
        ('data = "data"', "needs a preset"),
        ('preset = "mera-code"\ndata = "twice"', "two data sets of stRuCom"),
        ('preset = "mera-code"\ndata = "empty"', r"missing \[\[tracks\]\]"),
    ],
)
def test_a_bad_preset_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    """Each with what is wrong."""
    for name in ("data", "twice", "empty"):
        (tmp_path / name).mkdir()
    for name in ("strucom.jsonl", "stRuCom.json"):
        (tmp_path / "twice" / name).write_text("")
    (tmp_path / "s.toml").write_text(f'{text}\n[[models]]\nmodel = "gold:"\n')

    with pytest.raises(UsageError, match=problem):
        read_suite(tmp_path / "s.toml")
