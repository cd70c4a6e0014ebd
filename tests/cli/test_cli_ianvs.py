"""`benchwright ianvs run` as its users meet it."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

from kit.command_line import Said, benchwright, called
from kit.made_ianvs import ACC, MODEL, algorithm, job, judged_job, module, small_job, write
from kit.processes import HANG_S


def ianvs(path: Path, *args: object) -> Said:
    """Run a job in its own folder, as Ianvs's users do."""
    return called("ianvs", "run", "-f", path.name, *args, cwd=path.parent)


def test_a_job_from_its_files_to_its_ranks(tmp_path: Path) -> None:
    """The table, what was not sandboxed, and where the rank files are; nothing on stdout."""
    path = small_job(tmp_path)
    said = benchwright("ianvs", "run", "-f", path.name, cwd=path.parent)

    assert (said.code, said.out) == (0, "")
    assert said.err.splitlines() == [
        "rank  algorithm  acc                 paradigm            basemodel",
        "1     always     0.6666666666666666  singletasklearning  model",
        "1 of 1 case completed",
        "the job's code was not sandboxed (isolation: none)",
        f"rank files: {tmp_path}/workspace/small/rank/all_rank.csv, {tmp_path}/workspace/small/rank/selected_rank.csv",
        f"edge report: {tmp_path}/workspace/small/edge.json",
    ]


def test_the_document_of_a_job(tmp_path: Path) -> None:
    """Every result with its metrics, what it took and where its predictions are."""
    said = ianvs(judged_job(tmp_path), "--json")
    (result,) = said.document["results"]
    measured = result["metrics"]["llm_judgement"]

    assert (said.code, said.err, said.document["complete"]) == (1, "", False)
    assert (measured["value"], measured["trouble"], result["rank"]) == (7.75, "4 of 5 scored", None)
    assert (result["isolation"], result["items"], result["hyperparameters"]) == ("none", 5, {})
    assert said.document["not_ranked"] == [
        {"algorithm": "comments", "url": result["url"], "why": "llm_judgement: 4 of 5 scored"}
    ]
    assert len(Path(result["url"], "predictions.jsonl").read_text().splitlines()) == 5
    assert list(said.document) == (
        [
            "job",
            "workspace",
            "results",
            "failures",
            "known",
            "not_ranked",
            "not_comparable",
            "remarks",
            "files",
            "edge",
            "complete",
        ]
    )


def test_what_a_case_takes_is_shown(tmp_path: Path) -> None:
    """A line for each case and one for the machine; the document and the file have the same."""
    path = small_job(tmp_path)
    # In a process of its own: what the command takes is what its process takes.
    said = benchwright("ianvs", "run", "-f", path.name, "--edge", "--items", "each", cwd=path.parent)
    head, row, machine, own = said.err.splitlines()[2:6]
    document = ianvs(path, "--json", "--items", "each").document["edge"]
    written = json.loads((tmp_path / "workspace" / "small" / "edge.json").read_text())

    assert head.startswith("case    items  median ms  p95 ms  max ms  items/s  rate")
    assert head.endswith("predict CPU s  setup CPU s  metrics CPU s  harness CPU s  peak MB")
    assert row.startswith("always  3 ") and " characters/s " in row
    assert machine.startswith("on ") and "(cores: " in machine and ", Linux " in machine
    assert own.startswith("the command itself, without its cases: 0.") and own.endswith(" MB")
    assert document == written and document["format"] == 1
    assert document["command_peak_mb"] > 5 and document["command_cpu_s"] > 0
    assert document["cases"][0]["rate"]["items"] == 3


def test_a_partial_score_is_said(tmp_path: Path) -> None:
    """Beside the number, and why it has no rank; `strict` says what Ianvs says."""
    path = judged_job(tmp_path)
    said = ianvs(path)
    strict = ianvs(
        path.rename(tmp_path / "other.yaml"), "--compat", "strict", "--path-map", "./workspace=./other"
    )

    assert (said.code, strict.code) == (1, 0)
    assert "-     comments   7.75 (4 of 5 scored)  singletasklearning  judged" in said.err
    assert "comments: llm_judgement is 7.75: 4 of 5 scored; excluded from ranking by it" in said.err
    with (tmp_path / "other" / "small" / "rank" / "all_rank.csv").open() as file:
        (row,) = csv.DictReader(file)
    assert list(row) == ["rank", "algorithm", "llm_judgement", "paradigm", "basemodel", "time", "url"]
    assert (row["rank"], row["llm_judgement"]) == ("1", "7.75")


def test_a_case_that_fails(tmp_path: Path) -> None:
    """What, where, and its log; exit code 1, and the other case has its row."""
    write(
        tmp_path,
        acc_py=ACC,
        model_py=MODEL,
        bad_py=MODEL.replace("return None", "raise ValueError('no \\x1b[31m')", 1),
    )
    both = {
        name: algorithm(tmp_path, name, module("model", f"./{file}.py"))
        for name, file in (("a", "bad"), ("b", "model"))
    }
    said = ianvs(job(tmp_path, both))

    line = (tmp_path / "bad.py").read_text().splitlines().index(
        r"        raise ValueError('no \x1b[31m')"
    ) + 1
    assert said.code == 1
    assert "case 1 (a) failed at preprocess: ValueError: no \\x1b[31m" in said.err
    assert f"  at: {tmp_path}/bad.py:{line}\n  log: {tmp_path}/workspace/small/a/" in said.err
    assert "1     b          0.6666666666666666" in said.err and "1 of 2 cases completed" in said.err


def test_an_endless_case(tmp_path: Path) -> None:
    """It is ended in time, and what it was doing is said."""
    write(tmp_path, acc_py=ACC, model_py=MODEL.replace("return self.letter", "while True: pass"))
    said = ianvs(
        job(tmp_path, {"a": algorithm(tmp_path, "a", module("model", "./model.py"))}), "--timeout", "3"
    )

    assert said.code == 1
    assert "failed at predict of all 3 items: timed out after 3 s" in said.err


@pytest.mark.parametrize(
    ("change", "code", "message", "hint"),
    [
        (
            ("singletasklearning", "lifelonglearning"),
            2,
            "unsupported paradigm: 'lifelonglearning'",
            "supported: singletasklearning",
        ),
        (
            ("./model.py", "./modle.py"),
            1,
            "always.yaml:8, field `algorithm.modules[0].url`: no file at",
            "did you mean model.py?",
        ),
        (("basemodel", "base_model"), 1, "requires a module of type basemodel", 'add `- type: "basemodel"`'),
        (("{", "{{"), 1, "always.yaml:13: invalid YAML", "check that line"),
    ],
)
def test_a_job_that_cannot_be_run(
    tmp_path: Path, change: tuple[str, str], code: int, message: str, hint: str
) -> None:
    """Refused before anything is run, with a hint."""
    path = small_job(tmp_path)
    file = tmp_path / "always.yaml"
    file.write_text(file.read_text().replace(*change, 1))
    said = ianvs(path)

    assert (said.code, said.out) == (code, "")
    assert message in said.err and f"hint: {hint}" in said.err
    assert not (tmp_path / "workspace").exists()


def test_dead_keys_are_said(tmp_path: Path) -> None:
    """With file and line, and the job runs."""
    path = small_job(tmp_path, environment={"temperature": 1})
    said = ianvs(path)

    assert said.code == 0
    assert (
        f"note: {tmp_path}/testenv.yaml:13: `testenv.temperature`: has no effect in singletasklearning"
        in said.err
    )


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "Missing option '--file'"),
        (["-f", ""], "--file is empty"),
        (["-f", "no.yaml"], "no file at no.yaml"),
        (["-f", "job.yaml", "--fields", "query"], "--fields: expected MINE=OURS, got query"),
        (["-f", "job.yaml", "--timeout", "0"], "Invalid value for '--timeout'"),
        (["-f", "job.yaml", "--compat", "loose"], "Invalid value for '--compat'"),
    ],
)
def test_a_wrong_command(tmp_path: Path, args: list[str], message: str) -> None:
    """Exit code 2."""
    said = called("ianvs", "run", *args, cwd=tmp_path)

    assert (said.code, message in said.err, said.out) == (2, True, "")


def test_fields_and_root(tmp_path: Path) -> None:
    """Records with names of their own, and a job that is named from elsewhere."""
    path = small_job(tmp_path)
    data = tmp_path / "data.jsonl"
    data.write_text(data.read_text().replace('"question"', '"ask"'))
    names = ("ianvs", "run", "-f", path, "--root", tmp_path, "-q")
    failed = called(*names)
    said = called(*names, "--fields", "ask=question")

    assert (failed.code, failed.err, said.code, said.err) == (1, "", 0, "")
    shown = called(*names[:-1])
    assert "field `question`: missing field" in shown.err and "`--fields NAME=question`" in shown.err


def test_without_yaml(tmp_path: Path) -> None:
    """One line, and exit code 3."""
    (tmp_path / "yaml.py").write_text("raise ImportError")
    path = small_job(tmp_path)
    paths = ":".join([str(tmp_path), *(each for each in sys.path if each)])
    said = benchwright("ianvs", "run", "-f", path.name, cwd=path.parent, PYTHONPATH=paths)

    assert (said.code, "reading an Ianvs job needs PyYAML" in said.err) == (3, True)


def test_nothing_heavy_is_loaded(tmp_path: Path) -> None:
    """A small device starts it often: neither msgspec nor rich, nor the network, nor numpy for our part."""
    path = small_job(tmp_path)
    program = (
        "import json, sys\nsys.argv = ['benchwright', 'ianvs', 'run', '-f', 'job.yaml']\n"
        "from benchwright.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    inner = MODEL.replace(
        "return self.letter",
        "import json, sys; json.dump(sorted(sys.modules), open('inner.json', 'w')); return 'A'",
    )
    write(tmp_path, model_py=inner)
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=path.parent,
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=True,
    )
    loaded = {*json.loads(done.stdout), *json.loads((tmp_path / "inner.json").read_text())}

    assert (
        loaded & {"msgspec", "rich", "httpx", "jinja2", "numpy", "asyncio", "ssl", "socket", "dataclasses"}
        == set()
    )
