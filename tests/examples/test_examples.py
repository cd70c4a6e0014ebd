"""Each example is short, and works when it is installed beside the package."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from kit.command_line import Said, benchwright
from kit.made_repositories import MIT, repository
from kit.plug_ins import EXAMPLES, install_example
from kit.small_data import ANSWERS, gold_of, humaneval, humaneval_row, mera, name_of, read_rows, write

FILES = sorted(EXAMPLES.glob("*.py"))
MAX_LINES = 59
RECIPE_LINES = 120  # a recipe is a whole builder: stages, a gate, options, card and manifest


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_an_example_fits_on_a_screen(path: Path) -> None:
    """Under sixty lines, docstring and imports included; a recipe has two screens."""
    limit = RECIPE_LINES if path.stem.endswith("_recipe") else MAX_LINES

    assert len(path.read_text("utf-8").splitlines()) <= limit


class Ollama(BaseHTTPRequestHandler):
    """Answers right, by Ollama's interface; the third request and every later one of a server find it overloaded."""

    def do_POST(self) -> None:
        """One reply."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asked: list[Any] = self.server.asked  # type: ignore[attr-defined]
        asked.append((self.path, body))
        name, number = re.findall(r"def ((?:plus|times)_(\d+))", body["prompt"])[-1]
        text = f"def {name}(x):\n    return {gold_of(int(number))}\n"
        reply = {"response": text, "done_reason": "stop"}
        self.send_response(200 if len(asked) < 3 else 503)
        self.end_headers()
        self.wfile.write(json.dumps(reply).encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""


@pytest.fixture
def server() -> Iterator[HTTPServer]:
    """A server on this machine; `asked` are the paths and bodies that came."""
    with HTTPServer(("127.0.0.1", 0), Ollama) as made:
        made.asked = []  # type: ignore[attr-defined]
        thread = threading.Thread(target=made.serve_forever)
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def ask(folder: Path, server: HTTPServer, *more: object) -> Said:
    """A run with the example's model on three tasks."""
    site = install_example(folder / "site", "ollama_model")
    fixed = [
        "--data",
        mera(folder),
        "--model",
        "ollama-generate:small",
        "--out",
        folder / "run",
        "--workers",
        1,
        "--json",
    ]
    address = f"http://127.0.0.1:{server.server_port}"
    return benchwright(
        "run",
        "ruhumaneval",
        *fixed,
        "--base-url",
        address,
        "--n",
        1,
        *more,
        PYTHONPATH=str(site),
        NO_PROXY="127.0.0.1",
    )


@pytest.mark.usefixtures("jail")
def test_a_model_provider_is_asked_and_scored(tmp_path: Path, server: HTTPServer) -> None:
    """Two answers pass, with a seed each; what the server did not answer is missing, not wrong."""
    document = ask(tmp_path, server).document
    answered = [row for row in read_rows(tmp_path / "run" / "answers.jsonl") if not row.get("error")]
    asked = server.asked  # type: ignore[attr-defined]

    assert document["outcomes"] == {"passed": 2, "model_error": 1}
    assert [row["finish_reason"] for row in answered] == ["stop", "stop"]
    assert {path for path, _ in asked} == {"/api/generate"}
    assert len({body["options"]["seed"] for _, body in asked}) == 3


def test_a_model_provider_refuses_what_it_cannot_do(tmp_path: Path, server: HTTPServer) -> None:
    """An option that would be ignored is an error, before anything is asked."""
    said = ask(tmp_path, server, "--top-p", 0.5)

    assert (said.code, server.asked) == (2, [])  # type: ignore[attr-defined]
    assert "`ollama-generate:` has no top_p here" in said.err


def installed(folder: Path, module: str) -> dict[str, str]:
    """The environment in which an example is installed."""
    path = [str(install_example(folder / "site", module)), os.environ.get("PYTHONPATH", "")]
    return {"PYTHONPATH": os.pathsep.join(filter(None, path))}


@pytest.mark.usefixtures("jail")
def test_a_track_is_scored_and_ranked_by_its_own_measure(tmp_path: Path) -> None:
    """Three labels: right, wrong and none, from gold that passes to a standing."""
    labels = ["constant", "linear", "quadratic"] * 2
    rows = [{"id": at, "code": f"f({at})", "growth": label} for at, label in enumerate(labels)]
    said = {"good": labels, "poor": ["linear"] * 5 + ["linear or constant"]}
    environment = installed(tmp_path, "growth_track")
    for name, texts in said.items():
        answers = [{"task_id": at, "completion": f"It is {text}."} for at, text in enumerate(texts)]
        model = f"replay:{write(tmp_path / f'{name}.jsonl', answers)}"
        data = write(tmp_path / "rows.jsonl", rows)
        given = ["--data", data, "--model", model, "--out", tmp_path / name, "--workers", 1, "--json"]
        document = benchwright("run", "growth", *given, **environment).document
    ranked = benchwright("rank", tmp_path / "poor", tmp_path / "good", "--json", **environment).document

    assert document["outcomes"] == {"passed": 2, "wrong": 3, "unparsable": 1}
    assert document["metrics"]["accuracy"]["value"] == pytest.approx(1 / 3)
    assert [each["name"] for each in ranked["places"]] == ["good", "poor"]


@pytest.mark.usefixtures("jail")
def test_a_judge_is_opened_in_the_worker_by_its_spec(tmp_path: Path) -> None:
    """A short answer passes and a long one does not; the grade stands in verdicts.jsonl."""
    short, padded = humaneval_row(0)["canonical_solution"], "    " + "x = x;" * 100 + " return x\n"
    answers = [{"task_id": "Small/0", "completion": short}, {"task_id": "Small/1", "completion": padded}]
    model = f"replay:{write(tmp_path / 'answers.jsonl', answers)}"
    given = [
        "--data",
        humaneval(tmp_path, 2),
        "--model",
        model,
        "--n",
        1,
        "--out",
        tmp_path / "run",
        "--workers",
        1,
    ]
    document = benchwright("run", "brief", *given, "--json", **installed(tmp_path, "length_judge")).document
    grades = [row["scores"]["brevity"] for row in read_rows(tmp_path / "run" / "verdicts.jsonl")]

    assert document["outcomes"] == {"passed": 1, "wrong": 1}
    assert grades[0] == 1.0
    assert 0.0 < grades[1] < 0.5


SUMS = """def below(values, limit):
    total = 0
    for value in values:
        if value < limit:
            total += value
    return total
"""
TEST_SUMS = """from pack.sums import below


def test_below():
    assert below([1, 2, 3], 3) == 3
    assert below([5, 4], 5) == 4
"""


@pytest.mark.usefixtures("jail")
def test_a_source_gives_a_build_its_repositories(tmp_path: Path) -> None:
    """What the table allows becomes rows, and what it does not is a counted drop."""
    files = {"LICENSE": MIT, "pack/__init__.py": "", "pack/sums.py": SUMS}
    tests = {"tests/test_sums.py": TEST_SUMS}
    clone = repository(tmp_path / "clone", {**files, **tests})
    table = tmp_path / "table.csv"
    table.write_text(f"address,licence\n{clone},MIT\n{tmp_path / 'nowhere'},GPL-3.0\n", "utf-8")
    given = ["--from", f"table:{table}", "--out", tmp_path / "built", "--json"]
    said = benchwright("build", "codecorrectness", *given, **installed(tmp_path, "table_source"))
    (drops,) = (tmp_path / "built" / "stages").glob("*collect.dropped.jsonl")

    assert said.code == 0, said.err
    assert [(row["unit"], row["reason"]) for row in read_rows(drops)] == [
        (str(tmp_path / "nowhere"), "licence_in_table")
    ]
    assert json.loads((tmp_path / "built" / "test.json").read_text("utf-8"))


def test_a_source_says_what_is_wrong_with_its_table(tmp_path: Path) -> None:
    """Before anything is written."""
    table = tmp_path / "table.csv"
    table.write_text("name\nx\n", "utf-8")
    given = ["--from", f"table:{table}", "--out", tmp_path / "built"]
    said = benchwright("build", "codecorrectness", *given, **installed(tmp_path, "table_source"))

    assert (said.code, (tmp_path / "built").exists()) == (2, False)
    assert "has not both columns" in said.err


@pytest.mark.usefixtures("jail")
def test_a_command_reads_a_run(tmp_path: Path) -> None:
    """Installed, it is a command of `export`; its errors have hints as those of any command."""
    there = installed(tmp_path, "csv_command")
    given = ["--data", mera(tmp_path), "--model", "gold:", "--out", tmp_path / "run", "--workers", 1, "-q"]
    benchwright("run", "ruhumaneval", "--n", 1, *given)

    said = benchwright("export", "csv", tmp_path / "run", **there)
    wrong = benchwright("export", "csv", tmp_path / "nowhere", **there)

    assert said.out.splitlines()[:2] == ["task_id,sample,outcome", "0,0,passed"]
    assert (wrong.code, "hint: " in wrong.err) == (1, True)
    assert "csv          Print the outcomes of a run as CSV." in benchwright("export", "--help", **there).out


def test_a_recipe_builds_a_set_with_a_card_and_a_manifest(tmp_path: Path) -> None:
    """It is listed with the built-in ones, counts its drops, and resumes to the same bytes."""
    files = {"LICENSE": MIT, "pack/sums.py": SUMS, "main.go": "package main\n", "odd.py": "\0"}
    clone = repository(tmp_path / "clone", files)
    environment = installed(tmp_path, "language_recipe")
    out = tmp_path / "built"
    given = ["--from", clone, "--out", out, "--json"]
    listed = benchwright("build", "--help", **environment).out
    first = benchwright("build", "languages", *given, **environment).document
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    again = benchwright("build", "languages", *given, **environment).document

    assert all(name in listed for name in ("codecorrectness", "aicodereval", "languages"))
    assert first["manifest"]["languages"] == {"Go": 1, "Python": 1}
    assert first["funnel"][1]["dropped"] == {"binary": 1}
    assert json.loads((out / "manifest.json").read_text("utf-8")) == first["manifest"]
    assert (out / "README.md").read_text("utf-8").startswith("# Languages\n")
    assert (again, before) == (first, {path: path.read_bytes() for path in before})
    assert [row["lang"] for row in read_rows(out / "rows.jsonl")] == ["Go", "Python"]


def run_by(folder: Path, out: str, data: Path, answers: Path, *more: str) -> list[dict[str, Any]]:
    """The verdicts of a run by the Python interface, without times."""
    program = (
        "import sys; from benchwright.running.pipeline import run; _, data, model, out, on = sys.argv; "
        "run('humaneval', data=data, model=model, out=out, workers=1, n=1, on=on)"
    )
    command = [sys.executable, "-c", program, str(data), f"replay:{answers}", str(folder / out), *more]
    path = os.pathsep.join(filter(None, [str(folder / "site"), os.environ.get("PYTHONPATH", "")]))
    subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": path})
    rows = read_rows(folder / out / "verdicts.jsonl")
    return [{name: each for name, each in row.items() if name not in ("cpu_s", "wall_s")} for row in rows]


@pytest.mark.usefixtures("jail")
def test_an_executor_gives_the_verdicts_of_the_local_one(tmp_path: Path) -> None:
    """Byte for byte, times apart: answers that pass, fail, cannot be read, and never came."""
    install_example(tmp_path / "site", "process_executor")
    data = humaneval(tmp_path, 5)
    answers = [
        {
            "task_id": f"Small/{at}",
            "sample": 0,
            "text": ANSWERS[end].format(gold=gold_of(at), name=name_of(at)),
        }
        for at, end in enumerate(["passed", "wrong", "exception", "syntax_error"])
    ]
    answers.append({"task_id": "Small/4", "sample": 0, "text": "", "error": "503"})
    stored = write(tmp_path / "answers.jsonl", answers)
    local = run_by(tmp_path, "local", data, stored, "local")

    assert run_by(tmp_path, "elsewhere", data, stored, "process") == local
    assert [row["outcome"] for row in local] == [
        *("passed", "wrong", "exception", "syntax_error"),
        "model_error",
    ]


@pytest.mark.usefixtures("jail")
def test_an_agent_calls_tools_in_a_folder_that_lasts(tmp_path: Path) -> None:
    """A file of one turn is run in the next; the last answer is judged, and all turns are stored with it."""
    code = "print(open('/etc/hostname').read())"
    texts = [
        'TOOL write_file {"path": "try.py", "text": "print(6 * 7)"}',
        'TOOL run_file {"path": "try.py"}\nTOOL run_file {"path": "absent.py"}',
        f'TOOL write_file {{"path": "peek.py", "text": "{code}"}}\nTOOL run_file {{"path": "peek.py"}}',
        "    return x + 0\n",
    ]
    rows = [
        {"task_id": "Small/0", "sample": 0, "text": text, "round": at, "prompt": "row"}
        for at, text in enumerate(texts)
    ]
    model = f"replay:{write(tmp_path / 'answers.jsonl', rows)}"
    given = ["--data", humaneval(tmp_path, 1), "--model", model, "--agent", "notebook", "--workers", 1]
    environment = installed(tmp_path, "notebook_agent")
    document = benchwright(
        "run", "humaneval", *given, "--out", tmp_path / "run", "--json", **environment
    ).document
    (trajectory,) = read_rows(tmp_path / "run" / "trajectories.jsonl")
    results = [[call["result"] for call in turn.get("calls", [])] for turn in trajectory["turns"]]

    assert document["outcomes"] == {"passed": 1}
    assert [turn["answered"] for turn in trajectory["turns"]] == texts
    assert results[0] == ["12 characters written"]
    assert results[1] == ["42\n", "FileNotFoundError: [Errno 2] No such file or directory: 'absent.py'"]
    assert "No such file or directory: '/etc/hostname'" in results[2][1]
    assert trajectory["turns"][2]["asked"].startswith("run_file: 42")
