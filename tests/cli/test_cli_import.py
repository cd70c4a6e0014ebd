"""`benchwright import`: answers out of other tools' logs, and what is said of those that are left behind."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from kit.command_line import CONTROL, benchwright, called
from kit.made_inspect_log import header, sample, write_document, write_zip
from kit.small_data import ANSWERS, humaneval, name_of, read_rows, write

SUMMARY = {
    *("out", "source", "task", "model", "tasks", "answers", "least", "most", "errors", "empty"),
    *("dropped", "unanswered", "recorded", "notes", "command"),
}


def _inspect(folder: Path) -> Path:
    samples = [sample(f"Small/{number}", epoch) for number in range(3) for epoch in (1, 2)]
    broken = sample("Small/2", 3, error={"message": "out of \x1b[31mpatience"})
    return write_zip(folder / "log.eval", [*samples, broken])


def _lm_eval(folder: Path, text: str = "    return x\n") -> Path:
    rows = [
        {"doc_id": number, "doc": {"task_id": f"Small/{number}"}, "resps": [[text, text]], "filter": "none"}
        for number in range(3)
    ]
    return write(folder / "samples_humaneval_2026-01-31T12-00-00.jsonl", rows)


def test_inspect_for_people(tmp_path: Path) -> None:
    """The summary is on stderr: counts, errors with their words, the log's own score, and what to paste."""
    said = benchwright("import", "inspect", _inspect(tmp_path), "--out", tmp_path / "out.jsonl")

    assert (said.code, said.out, len(read_rows(tmp_path / "out.jsonl"))) == (0, "", 7)
    assert "7 answers to 3 tasks (2 to 3 each), model some/model" in said.err
    assert "error: 1 answer missing: out of" in said.err
    assert "stored as recorded_score: verify: 7 × C" in said.err
    assert f"benchwright run humaneval --data DATA --model replay:{tmp_path / 'out.jsonl'}" in said.err
    assert CONTROL.search(said.err) is None


@pytest.mark.parametrize("command", ["inspect", "lm-eval"])
def test_one_document(command: str, tmp_path: Path) -> None:
    """--json prints one document with every key, and nothing on stderr."""
    log = _inspect(tmp_path) if command == "inspect" else _lm_eval(tmp_path)
    said = called("import", command, log, "--out", tmp_path / "out.jsonl", "--json")
    (summary,) = said.document["files"]

    assert (said.code, said.err, set(summary)) == (0, "", SUMMARY)
    assert (summary["tasks"], summary["least"]) == (3, 2)


@pytest.mark.parametrize("command", ["inspect", "lm-eval"])
def test_answers_on_standard_output(command: str, tmp_path: Path) -> None:
    """`--out -` is for a pipe; with --json the two would be mixed."""
    log = _inspect(tmp_path) if command == "inspect" else _lm_eval(tmp_path)
    said = benchwright("import", command, log, "--out", "-")
    both = called("import", command, log, "--out", "-", "--json")

    assert (said.code, json.loads(said.out.splitlines()[0])["task_id"]) == (0, "Small/0")
    assert "--model replay:FILE" in said.err
    assert (both.code, both.out, "both write to stdout" in both.err) == (2, "", True)


@pytest.mark.parametrize("command", ["inspect", "lm-eval"])
def test_ids_are_checked(command: str, tmp_path: Path) -> None:
    """--data with --track names what the data set lacks; half of the pair is a slip."""
    data = humaneval(tmp_path, tasks=2)
    log = _inspect(tmp_path) if command == "inspect" else _lm_eval(tmp_path)
    arguments = ("import", command, log, "--out", tmp_path / "out.jsonl", "--data", data)
    checked = called(*arguments, "--track", "humaneval")
    half = called(*arguments)

    assert (checked.code, {row["task_id"] for row in read_rows(tmp_path / "out.jsonl")}) == (
        0,
        {"Small/0", "Small/1"},
    )
    assert "answers, not a task of the data set: Small/2" in checked.err
    assert (half.code, "hint: add --track TRACK" in half.err) == (2, True)


def test_several_models(tmp_path: Path) -> None:
    """A folder of logs gives a file for each model, and a command for each of them."""
    for name in ("openai/a", "openai/b"):
        log = tmp_path / "logs" / f"{name[-1]}.json"
        write_document(log, [sample("Small/0", text=name)], header(model=name))
    refused = called("import", "inspect", tmp_path / "logs", "--out", tmp_path / "out.jsonl")
    (tmp_path / "out").mkdir()
    said = called("import", "inspect", tmp_path / "logs", "--out", f"{tmp_path / 'out'}/")

    assert (refused.code, "logs of 2 models" in refused.err) == (2, True)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["openai-a.jsonl", "openai-b.jsonl"]
    assert (said.code, said.err.count("--model replay:")) == (0, 2)


@pytest.mark.usefixtures("jail")
def test_the_command_can_be_pasted(tmp_path: Path) -> None:
    """What the summary says to paste judges the answers, where the data set is known."""
    data = humaneval(tmp_path)
    passed = [ANSWERS["passed"].replace("{gold}", f"x {'+*'[n % 2]} {n}") for n in range(3)]
    rows = [
        {"doc_id": n, "doc": {"task_id": f"Small/{n}", "name": name_of(n)}, "resps": [[passed[n]]]}
        for n in range(3)
    ]
    log = write(tmp_path / "samples_humaneval_2026-01-31T12-00-00.jsonl", rows)
    out = ("--out", tmp_path / "out.jsonl", "--data", data, "--track", "humaneval", "--json")
    command = called("import", "lm-eval", log, *out).document["files"][0]["command"]
    ran = called(*shlex.split(command)[1:], "--out", tmp_path / "run", "--json", "--workers", 1)

    assert (ran.code, ran.document["outcomes"]) == (0, {"passed": 3})


def test_lm_eval_options(tmp_path: Path) -> None:
    """--id-field, --model-name and several logs at once."""
    (tmp_path / "b").mkdir()
    logs = [_lm_eval(tmp_path, "a"), _lm_eval(tmp_path / "b", "b")]
    said = called(
        *("import", "lm-eval", *logs, "--out", tmp_path / "out.jsonl"),
        *("--id-field", "doc_id", "--model-name", "mine", "--task", "humaneval", "--json"),
    )
    rows = [(row["task_id"], row["completion"], row["model"]) for row in read_rows(tmp_path / "out.jsonl")]

    assert (said.document["files"][0]["most"], rows[0], rows[-1]) == (4, (0, "a", "mine"), (2, "b", "mine"))


@pytest.mark.parametrize("command", ["inspect", "lm-eval"])
@pytest.mark.parametrize(
    ("log", "out", "code"),
    [
        ("missing", "out.jsonl", 2),
        ("", "out.jsonl", 2),
        ("broken.jsonl", "out.jsonl", 1),
        ("log", "no/out.jsonl", 1),
    ],
)
def test_slips(command: str, log: str, out: str, code: int, tmp_path: Path) -> None:
    """A log that is not there or is none, and a place that cannot be written, have a message and a hint."""
    (tmp_path / "broken.jsonl").write_text("{")
    made = _inspect(tmp_path) if command == "inspect" else _lm_eval(tmp_path)
    named = made.name if log == "log" else log
    said = called("import", command, named, "--out", out, cwd=tmp_path)

    assert (said.code, said.out, "hint: " in said.err, "Traceback" in said.err) == (code, "", True, False)
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize("command", ["inspect", "lm-eval"])
def test_help_can_be_pasted(command: str) -> None:
    """--help has an example that ends with the command that judges."""
    said = called("import", command, "--help")

    assert (said.code, f"benchwright import {command} " in said.out, "--model replay:" in said.out) == (
        0,
        True,
        True,
    )
