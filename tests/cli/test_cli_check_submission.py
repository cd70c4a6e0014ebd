"""`benchwright check-submission`: exit codes, one document, a table, and nothing believed of the archive."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from kit.command_line import CONTROL, benchwright, called, inside
from kit.small_data import mera, mera_row, write


def _rows(tasks: int = 3, **changed: Any) -> list[dict[str, Any]]:
    """Right rows of the small data set, but for six of ten generations."""
    made = []
    for number in range(tasks):
        texts = mera_row(number)["outputs"]
        outputs = [[texts] * 4 + [["no", *texts[1:]]] * 6]
        made.append({"outputs": changed.get(f"t{number}", outputs), "meta": {"id": number}})
    return made


def _zip(folder: Path, rows: Any, *, name: str = "ruHumanEval.json") -> Path:
    path = folder / "submission.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr(name, json.dumps({"data": {"test": rows}}))
    return path


def test_a_right_submission(tmp_path: Path) -> None:
    """Exit code 0, no findings, and the score by both rules in the one document."""
    said = benchwright("check-submission", _zip(tmp_path, _rows()), "--gold", mera(tmp_path), "--json")
    (only,) = said.document["task_sets"]

    assert (said.code, said.document["errors"], said.document["findings"]) == (0, 0, [])
    assert (only["task_set"], only["file"], only["rows"]) == ("ruHumanEval", "ruHumanEval.json", 3)
    assert {rule: score["metrics"]["pass@1"] for rule, score in only["scores"].items()} == {
        "server": pytest.approx(0.4),
        "harness": pytest.approx(0.4),
    }


def test_errors_end_with_1_and_name_their_place(tmp_path: Path) -> None:
    """A finding has file, id, field, problem, severity, what the server would do, and a hint."""
    path = _zip(tmp_path, _rows(t1="def times_1(x): return x"))
    said = called("check-submission", path, "--gold", mera(tmp_path), "--json")
    (finding,) = said.document["findings"]

    assert said.code == 1
    assert {name: finding[name] for name in ("file", "id", "field", "severity", "kind")} == {
        "file": "ruHumanEval.json",
        "id": 1,
        "field": "outputs",
        "severity": "error",
        "kind": "outputs-not-list",
    }
    assert ("doc_output_type_error" in finding["server"], finding["hint"] != "") == (True, True)
    assert said.document["task_sets"][0]["scores"]["server"]["errors"] == [
        {"type": "doc_output_type_error", "id": 1}
    ]


def test_warnings_alone_end_with_0(tmp_path: Path) -> None:
    """An answer that timed out is scored: it is to be looked at, and no reason to hold the upload back."""
    rows = _rows(t1=[["timed out", *_rows()[1]["outputs"][0][1:]]])
    said = called("check-submission", _zip(tmp_path, rows), "--gold", mera(tmp_path), "--json")

    assert (said.code, said.document["errors"], said.document["warnings"]) == (0, 0, 1)
    score = said.document["task_sets"][0]["scores"]["server"]
    found = score["intervals"]
    assert list(found) == list(score["metrics"]) == ["pass@1", "pass@5", "pass@10"]
    assert [each["n"] for each in found.values()] == [3, 3, 3]
    assert all(
        0 <= found[name]["low"] < value < found[name]["high"] + 1e-9 <= 1 + 1e-9
        for name, value in score["metrics"].items()
    )


def test_for_people(tmp_path: Path) -> None:
    """Without --json all is on stderr: what, where, what follows, what to do, and a verdict at the end."""
    path = _zip(tmp_path, _rows(t0=[[]], t2=[[]])[:3])
    said = called("check-submission", path, "--gold", mera(tmp_path), COLUMNS="100")
    text = " ".join(said.err.split())

    assert (said.code, said.out) == (1, "")
    assert ("there are no generations (2 times)" in text, "cheating" in text) == (True, True)
    assert ("id 0 outputs" in text, "fix: answer the task 10 times" in text) == (True, True)
    assert said.err.splitlines()[-1] == "2 errors, 0 warnings: do not upload the submission"


def test_for_people_when_nothing_is_wrong(tmp_path: Path) -> None:
    """Both scores, who scores otherwise, and one sentence."""
    said = called("check-submission", _zip(tmp_path, _rows()), "--gold", mera(tmp_path))
    lines = said.err.splitlines()

    assert (said.code, len(lines)) == (0, 4)
    metrics = ["pass@1 0.4000 (", "pass@5 0.9762 (", "pass@10 1.0000 ("]
    assert lines[0].startswith("ruHumanEval by MERA's server, 3 rows: ")
    assert [metric in lines[0] for metric in metrics] == [True] * 3
    assert "the older scorer in ai-forever/MERA" in lines[2]
    assert lines[3] == "no errors, 0 warnings: ready to upload"


def test_a_private_task_set(tmp_path: Path) -> None:
    """Hidden outputs: the shape is checked, the set is taken for ruCodeEval, and no score is claimed."""
    hidden = [mera_row(number, outputs=["", ""]) for number in range(3)]
    for row in hidden:
        row["meta"]["canonical_solution"] = ""
    gold = write(tmp_path / "private.jsonl", hidden)
    path = _zip(tmp_path, _rows(t1=[[["one"]] * 10]), name="ruCodeEval.json")
    said = called("check-submission", path, "--gold", gold, "--json")

    assert (said.code, said.document["task_sets"][0]["scores"]) == (1, {})
    assert {finding["kind"] for finding in said.document["findings"]} == {"wrong-count"}


def test_a_task_set_by_name(tmp_path: Path) -> None:
    """--task says which file the data set belongs to."""
    gold = mera(tmp_path)
    path = _zip(tmp_path, _rows(), name="ruCodeEval.json")
    named = inside("check-submission", path, "--gold", gold, "--task", "ruCodeEval", "--json")
    unnamed = inside("check-submission", path, "--gold", gold, "--json")

    assert (named.exit_code, unnamed.exit_code) == (0, 1)
    assert [finding["kind"] for finding in json.loads(unnamed.stdout)["findings"]] == ["missing-file"]


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("--task", "ruhumaneval"), "ruHumanEval"),
        (("--task", "ruHumanEval", "--task", "ruCodeEval"), "--gold"),
    ],
)
def test_a_wrong_command_ends_with_2(arguments: tuple[str, ...], hint: str, tmp_path: Path) -> None:
    """What is wrong with the command is told apart from what is wrong with the submission."""
    said = called("check-submission", _zip(tmp_path, _rows()), "--gold", mera(tmp_path), *arguments)

    assert (said.code, "hint: " in said.err, hint in said.err, said.out) == (2, True, True, "")


def test_no_gold_or_no_file_ends_with_2(tmp_path: Path) -> None:
    """Both are needed."""
    without = called("check-submission", _zip(tmp_path, _rows()))
    absent = called("check-submission", tmp_path / "absent.zip", "--gold", mera(tmp_path))

    assert (without.code, "--gold" in without.err) == (2, True)
    assert (absent.code, "no file at" in absent.err) == (2, True)


def test_faulty_gold_is_a_data_error(tmp_path: Path) -> None:
    """A data set that cannot be read ends with 1 and names the row, and no verdict is given."""
    gold = write(tmp_path / "gold.jsonl", [{"meta": {}}])
    said = called("check-submission", _zip(tmp_path, _rows()), "--gold", gold)

    assert (said.code, "gold.jsonl:1" in said.err, "can be uploaded" in said.err) == (1, True, False)


def test_hostile_names_and_ids_do_nothing(tmp_path: Path) -> None:
    """Neither the brackets nor the control characters of a submission act on the terminal."""
    path = tmp_path / "submission.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("[red]\x1b[2J.json", "{}")
        packed.writestr(
            "ruHumanEval.json",
            json.dumps({"data": {"test": [{"outputs": [], "meta": {"id": "[b]\x1b[1m"}}]}}),
        )
    said = called("check-submission", path, "--gold", mera(tmp_path), COLUMNS="200")

    assert (said.code, CONTROL.search(said.err), "[red]" in said.err) == (1, None, True)


def test_a_bomb_costs_nothing(tmp_path: Path) -> None:
    """A gigabyte of zeros in a megabyte is refused by its size, in time and memory of a small file."""
    path = tmp_path / "submission.zip"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed,
        packed.open("ruHumanEval.json", "w") as file,
    ):
        for _ in range(200):
            file.write(bytes(1 << 20))
    said = called("check-submission", path, "--gold", mera(tmp_path), "--json")

    assert (said.code, [finding["kind"] for finding in said.document["findings"]]) == (1, ["too-large"])


def test_help_can_be_pasted() -> None:
    """The help has an example for each use."""
    said = called("check-submission", "--help")

    assert (said.code, said.out.count("benchwright check-submission submission.zip --gold")) == (0, 2)
