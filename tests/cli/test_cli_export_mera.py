"""`benchwright export mera`: from a run or from files to a zip that `check-submission` accepts."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from kit.command_line import benchwright, called, contents
from kit.small_data import gold_of, mera, mera_row, read_rows, write


def _answers(folder: Path, tasks: int = 2, *, n: int = 10, right: int = 4) -> Path:
    """For each task so many right answers of n, each in MERA's form: a body that begins with a line end."""
    rows = [
        {
            "task_id": number,
            "completion": f"\n    return {gold_of(number)}{'' if sample < right else ' + 1'}\n",
        }
        for number in range(tasks)
        for sample in range(n)
    ]
    return write(folder / "answers.jsonl", rows)


def _private(folder: Path, tasks: int = 2) -> Path:
    rows = [mera_row(number, outputs=["", ""]) for number in range(tasks)]
    for row in rows:
        row["meta"]["canonical_solution"] = ""
    return write(folder / "private.jsonl", rows)


def _document(path: Path, name: str) -> Any:
    with zipfile.ZipFile(path) as packed:
        return json.loads(packed.read(name))


@pytest.mark.usefixtures("jail")
def test_a_run_is_exported_checked_and_scored_alike(tmp_path: Path) -> None:
    """The run's score by mera-code, the export's, and the checker's are one number."""
    data, out = mera(tmp_path, 2), tmp_path / "submission.zip"
    ran = benchwright(
        *("run", "ruhumaneval", "--data", data, "--model", f"replay:{_answers(tmp_path)}"),
        *("--profile", "mera-code", "--out", tmp_path / "run", "--workers", 1, "--json"),
    )
    said = called("export", "mera", tmp_path / "run", "--out", out, "--workers", 1, "--json")
    checked = called("check-submission", out, "--gold", data, "--json")
    scores = [
        ran.document["metrics"]["pass@5"]["value"],
        *(
            each["scores"][rule]["metrics"]["pass@5"]
            for said_ in (said, checked)
            for each in said_.document["task_sets"]
            for rule in ("server", "harness")
        ),
    ]

    assert (ran.code, said.code, checked.code) == (0, 0, 0)
    assert scores == [pytest.approx(41 / 42)] * 5
    assert said.document["task_sets"][0]["outcomes"] == {"values": 20}


@pytest.mark.usefixtures("jail")
def test_private_tasks_from_files(tmp_path: Path) -> None:
    """The ranked use: no gold, no score, and a file that the checker accepts."""
    data, out = _private(tmp_path), tmp_path / "submission.zip"
    said = called(
        *("export", "mera", "--data", data, "--answers", _answers(tmp_path), "--out", out, "--json"),
    )
    checked = called("check-submission", out, "--gold", data)
    first = _document(out, "ruCodeEval.json")["data"]["test"][0]

    assert (said.code, checked.code) == (0, 0)
    assert (said.document["task_sets"][0]["task_set"], said.document["task_sets"][0]["scores"]) == (
        "ruCodeEval",
        {},
    )
    assert first == {"outputs": [[["1", "2"]] * 4 + [["2", "3"]] * 6], "meta": {"id": 0}}


@pytest.mark.usefixtures("jail")
def test_for_people(tmp_path: Path) -> None:
    """What was executed, what it scores, what MERA's set has beside it, and where it is."""
    out = tmp_path / "submission.zip"
    said = called(
        *("export", "mera", "--data", mera(tmp_path, 2), "--answers", _answers(tmp_path), "--out", out),
        COLUMNS="150",
    )
    lines = said.err.splitlines()

    assert (said.code, said.out, lines[0]) == (0, "", "values: 20 of 20")
    assert lines[1].endswith("2 tasks; answers: 20 values")
    assert ("MERA's ruHumanEval has 164 tasks" in said.err, str(out) in lines[-1]) == (True, True)


@pytest.mark.usefixtures("jail")
def test_logs_for_meras_packer(tmp_path: Path) -> None:
    """--samples writes the log by itself, --no-logs leaves it out of the zip."""
    (tmp_path / "logs").mkdir()
    out = tmp_path / "submission.zip"
    called(
        *("export", "mera", "--data", mera(tmp_path, 2), "--answers", _answers(tmp_path), "--out", out),
        *("--samples", tmp_path / "logs", "--no-logs", "--json"),
    )
    (log,) = contents(tmp_path / "logs")
    with zipfile.ZipFile(out) as packed:
        names = packed.namelist()

    assert (log, names) == ("samples_ruhumaneval_1980-01-01T00-00-00.000000.jsonl", ["ruHumanEval.json"])
    assert [row["doc"]["meta"]["id"] for row in read_rows(tmp_path / "logs" / log)] == [0, 1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "missing RUN"),
        (("--answers", "a.jsonl"), "--answers requires --data"),
        (("run", "--answers", "a.jsonl", "--data", "d.jsonl"), "--answers requires --data"),
        (("a", "b", "--task-name", "ruHumanEval"), "1 task name for 2 runs"),
        (("a", "b", "--data", "d.jsonl"), "one RUN"),
        (("--answers", "", "--data", "d.jsonl"), "--answers is empty"),
        (("a", "--none", "nil"), "--none"),
    ],
)
def test_a_wrong_command_ends_with_2(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    """A combination that cannot be meant is refused with a way out, and nothing is written."""
    said = called("export", "mera", *arguments, cwd=tmp_path)

    assert (said.code, message in said.err, list(tmp_path.iterdir())) == (2, True, [])


def test_a_folder_that_is_no_run(tmp_path: Path) -> None:
    """Exit code 1, the name, and a hint."""
    said = called("export", "mera", tmp_path, cwd=tmp_path)

    assert (said.code, "not a run folder" in said.err, "hint: " in said.err) == (1, True, True)


def test_too_few_answers_are_not_exported(tmp_path: Path) -> None:
    """Nine answers would be scored for ten: refused, with the reason, before anything is executed."""
    out = tmp_path / "submission.zip"
    said = called(
        *("export", "mera", "--data", mera(tmp_path, 2), "--answers", _answers(tmp_path, n=9), "--out", out),
    )

    assert (said.code, "fewer than 10 answers" in said.err, "pass@k" in said.err, out.exists()) == (
        1,
        True,
        True,
        False,
    )


def test_help_can_be_pasted() -> None:
    """The help has an example for a run, for two, for labels, and for private tasks."""
    said = called("export", "mera", "--help")

    assert (said.code, said.out.count("\n  benchwright export mera ")) == (0, 4)
