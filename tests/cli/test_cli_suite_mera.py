"""The preset `mera-code` of `benchwright suite`: all eleven tasks, killed twice, and one submission.

JUnit and the clones are missing, and the row of UnitTests is in C#: these five tasks are asked and packed. Executing
them takes 20 s of processor time for a row each, so only the weekly check does (`test_tasks_with_their_environments`).
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import benchwright as package
from benchwright.cli.suite_file import read_suite
from benchwright.demo.repositories import make_clones
from benchwright.errors import UsageError
from benchwright.interop.mera.task_sets import KINDS
from benchwright.judges.suites.java_toolchain import find_toolchain
from benchwright.stub_server import Script, ScriptRow, StubServer
from kit.command_line import called
from kit.examples import SCALE
from kit.killed_suites import kill_at_request
from kit.needs import need_ready, need_that
from kit.small_data import write

DEMO = Path(package.__file__).parent / "demo"
SAMPLES = (
    "strucom",
    "rucodereviewer",
    "codelintereval",
    "unittests",
    "javatestgen",
    "realcode",
    "realcodejava",
    "yabloco",
)
OF_CODE = ("javatestgen", "realcode", "realcodejava", "yabloco", "unittests")
SCRIPT = Script(
    rows=[
        ScriptRow(contains="Ваше слово:", completions=["Incorrect"]),
        ScriptRow(contains="Комментарий ", completions=["Комментарий 1: a\nКомментарий 2: b"]),
        ScriptRow(contains="", completions=["success"]),
    ]
)
ANSWERS = 3 * 10 + 8
REPLIES = 2  # of the judge
KILLED_AT = (ANSWERS // 3, ANSWERS // 2)  # numbers of requests since the start
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


def _place(folder: Path, *, unit_test: str) -> Path:
    """A folder with one row of each task set; the outputs of ruCodeEval are hidden. `unit_test` is a language."""
    data = folder / "data"
    (data / "code_linter_eval").mkdir(parents=True)
    files = {f"{name}.jsonl": DEMO / "mera" / f"{name}.jsonl" for name in SAMPLES}
    files["code_linter_eval/test.jsonl"] = files.pop("codelintereval.jsonl")
    files |= {f"{name}.jsonl": DEMO / f"{name}.jsonl" for name in ("ruhumaneval", "codecorrectness")}
    for name, source in files.items():
        rows = map(json.loads, source.read_text(encoding="utf-8").splitlines())
        fitting = (row for row in rows if name != "unittests.jsonl" or row["inputs"]["language"] == unit_test)
        write(data / name, [next(fitting)])
    golds = ("--golds", folder / "golds.jsonl")
    said = called("release", "private", data / "ruhumaneval.jsonl", "--out", data / "rucodeeval.json", *golds)
    assert said.code == 0, said.err
    return folder


def _stored(place: Path) -> int:
    """How many answers and replies are stored."""
    files = [*place.glob("runs/*/answers.jsonl"), *place.glob("runs/*/replies.*.jsonl")]
    return sum(each.read_bytes().count(b"\n") for each in files)


class ResumedSuite(NamedTuple):
    """A suite that was killed twice: its document, that of a run after it, and all requests with a reply."""

    document: Any
    again: Any
    stored: list[int]
    asked: list[str]


def _resumed(place: Path, *, tracks: str = "", **environment: str) -> ResumedSuite:
    """Kill a suite while the second task set is asked, and before the last ones are; then run it twice."""
    environment = {"OPENAI_API_KEY": "", **environment}

    def suite(server: StubServer) -> Path:
        path = place / "mera.toml"
        path.write_text(SUITE.replace("{url}", server.base_url) + tracks, encoding="utf-8")
        return path

    stored, requests, documents = [], [], []
    for number in KILLED_AT:
        requests += kill_at_request(
            number, SCRIPT, suite, stored=lambda: _stored(place), cwd=place, **environment
        )
        stored.append(_stored(place))
    with StubServer(SCRIPT) as server:
        for _ in range(2):
            said = called("suite", suite(server), "--json", "--no-report", cwd=place, **environment)
            assert said.code == 0, said.err
            documents.append(said.document)
        requests += server.requests()
    return ResumedSuite(*documents, stored, [json.dumps(each["body"], sort_keys=True) for each in requests])


def _assert_resumed(found: ResumedSuite, place: Path) -> None:
    """Assert that nothing was asked twice, and that there is one archive."""
    total = ANSWERS + REPLIES
    assert 0 < found.stored[0] < found.stored[1] < total == _stored(place)
    assert len(set(found.asked)) == len(found.asked) == total
    (packed,), (again,) = found.document["submissions"], found.again["submissions"]
    assert packed == again and packed["left_out"] == {} and found.document["missing"] == {}
    assert sorted(packed["task_sets"]) == sorted(KINDS)
    assert [path.name for path in place.glob("runs/*.zip")] == ["submission-one.zip"]


@pytest.mark.usefixtures("jail")
def test_all_tasks_killed_twice_give_one_submission(tmp_path: Path) -> None:
    """Hidden outputs and tasks without their environment are packed without a score; a repetition changes nothing."""
    (tmp_path / "no-junit").mkdir()
    place = _place(tmp_path, unit_test="csharp")
    found = _resumed(place, BENCHWRIGHT_JUNIT=str(tmp_path / "no-junit"))

    _assert_resumed(found, place)
    with zipfile.ZipFile(place / found.document["submissions"][0]["submission"]) as archive:
        assert sorted(archive.namelist()) == sorted([*(f"{name}.json" for name in KINDS), "logs_public.zip"])
        rows = json.loads(archive.read("ruCodeReviewer.json"))["data"]["test"]
    assert rows == [{"outputs": "Комментарий 1: a\nКомментарий 2: b", "meta": {"id": 1}}]
    cells = {each["track"]: each for each in found.document["cells"]}
    assert "hidden" in cells["rucodeeval"]["not_scored"]
    assert cells["rucodereviewer"]["score"]["metrics"]["judge@10"]["value"] == 1.0
    assert [name for name in OF_CODE if "pass@1" in cells[name]["score"]["metrics"]] == []


@pytest.mark.slow
@pytest.mark.usefixtures("jail")
def test_tasks_with_their_environments(tmp_path: Path) -> None:
    """The same with a JDK, JUnit and clones: the rows of Java, Python and C are scored."""
    need_that(SCALE > 1, "executes five more tasks in 20 s, so only the weekly check does")
    need_ready(find_toolchain, "no Java suite can be run")
    place = _place(tmp_path, unit_test="python")
    make_clones(tmp_path / "clones")
    tracks = "".join(
        f'[[tracks]]\ntrack = "{name}"\nrepositories = "clones"\n'
        for name in ("realcode", "realcodejava", "yabloco")
    )
    found = _resumed(place, tracks=tracks)

    _assert_resumed(found, place)
    cells = {each["track"]: each for each in found.document["cells"]}
    assert [name for name in OF_CODE if "pass@1" not in cells[name]["score"]["metrics"]] == []


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
