"""Submissions of labels: raw texts, one a task, scored by MERA's own rule."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.errors import RunError
from benchwright.interop.mera.run_results import from_file
from benchwright.interop.mera.submission import ExportedSubmission, export
from benchwright.interop.mera.submission_check import check, name_golds, score_labels
from benchwright.interop.mera.task_sets import TaskSetGold, load_gold
from benchwright.progress import Silent
from kit.small_data import write
from kit.small_labels import STRONG, label_answers, label_row, label_rows

NAME = "CodeCorrectness"
# What MERA's harness says of a text, in its own words: one of the two is in it, and the other is not.
TEXTS = st.text(st.sampled_from("succesfaild un\n"), max_size=30) | st.sampled_from(
    ["success", "Failed", "unsuccessful", "success, not failed", "failed."]
)


def _export(folder: Path, data: Path, **changed: Any) -> ExportedSubmission:
    given: dict[str, Any] = {"none": "null", "logs": True, "samples": None, "workers": 1, "watch": Silent()}
    answers = changed.pop("answers", None) or label_answers(folder, "strong", STRONG)
    source = from_file(answers, data=str(data), task_name=NAME, missing="refuse")
    return export([source], out=folder / "labels.zip", **{**given, **changed})


def _document(exported: ExportedSubmission) -> Any:
    with zipfile.ZipFile(exported.path) as packed:
        return json.loads(packed.read(f"{NAME}.json"))


def test_outputs_are_the_texts_as_they_came(tmp_path: Path) -> None:
    """One string a task, by integer id, in the data set's order; nothing is executed."""
    exported = _export(tmp_path, label_rows(tmp_path))
    rows = _document(exported)["data"]["test"]

    assert [row["meta"]["id"] for row in rows] == list(range(1, 13))
    assert [row["outputs"] for row in rows[:3]] == [
        "success",
        "The test will not pass on this code.",
        "The answer is success.",
    ]
    assert exported.parts[0].checked.served["harness"].metrics == {"acc": 0.5}


def test_the_log_is_what_the_packer_reads(tmp_path: Path) -> None:
    """It takes the first of the filtered responses, so that is the text; the metric is the harness's."""
    samples = tmp_path / "logs"
    samples.mkdir()
    _export(tmp_path, label_rows(tmp_path), samples=samples)
    (path,) = samples.glob("samples_codecorrectness_*.jsonl")
    first = json.loads(path.read_text(encoding="utf-8").splitlines()[0])

    assert (first["filtered_resps"], first["resps"], first["filter"]) == (["success"], [["success"]], "none")
    assert (first["metrics"], first["acc"], first["target"]) == (["acc"], 1.0, "success")


def test_hidden_labels_are_exported_without_a_score(tmp_path: Path) -> None:
    """Whether they are empty or null."""
    rows = [label_row(number, outputs=("", None)[number % 2]) for number in range(1, 13)]
    exported = _export(tmp_path, write(tmp_path / "hidden.jsonl", rows))

    assert (len(_document(exported)["data"]["test"]), exported.parts[0].checked.served) == (12, {})


def test_a_task_without_an_answer_is_refused(tmp_path: Path) -> None:
    """One missing id costs the whole task set."""
    answers = write(tmp_path / "few.jsonl", [{"task_id": 1, "completion": "success"}])
    with pytest.raises(RunError, match="11 tasks") as caught:
        _export(tmp_path, label_rows(tmp_path), answers=answers)

    assert "pass@k" not in (caught.value.hint or "")


def test_a_submission_is_checked_against_its_rows(tmp_path: Path) -> None:
    """Ids, and that each output is a text; the score is that of the harness."""
    data = label_rows(tmp_path)
    exported = _export(tmp_path, data)
    gold = load_gold(data, task_set=NAME)
    good = check(exported.path, name_golds(exported.path, [gold], [NAME]))
    document = _document(exported)
    document["data"]["test"][0]["outputs"] = ["success"]
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as packed:
        packed.writestr(f"{NAME}.json", json.dumps(document))
    bad = check(tmp_path / "bad.zip", {NAME: gold})

    assert (good.errors, bad.errors, [each.kind for each in bad.listed]) == (0, 1, ["outputs-not-text"])
    assert bad.sets[0].served["harness"].errors == [("doc_output_type_error", 1)]


@given(TEXTS, st.sampled_from(["success", "failed"]))
def test_the_rule_is_mera_s(text: str, gold: str) -> None:
    """One of the words and not the other, letter case and all."""
    has = {word for word in ("success", "failed") if word in text}

    assert score_labels({1: [gold]}, {1: text}).metrics == {"acc": float(has == {gold})}


def test_a_missing_row_takes_the_score(tmp_path: Path) -> None:
    """As at the server."""
    served = score_labels({1: ["success"], 2: ["failed"]}, {1: "success"})

    assert (served.metrics, served.errors) == ({"acc": 0.0}, [("no_id", 2)])
    assert load_gold(label_rows(tmp_path, tasks=1), task_set=NAME) == TaskSetGold({1: 1}, {1: ["success"]})
