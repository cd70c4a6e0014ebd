"""`run codecorrectness --form error-class`, from the rows to tables, comparisons and the page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kit.command_line import benchwright, called
from kit.correctness_cases import correctness_row

pytestmark = pytest.mark.usefixtures("jail")

KINDS = {"success": "", "assertion": "assertion", "exception": "exception", "build": "compile"}
RUN = ("run", "codecorrectness", "--form", "error-class", "--data", "rows.jsonl")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """24 rows of four classes and the answers of a model that takes every exception for an assertion."""
    folder = tmp_path_factory.mktemp("classes")
    golds = [name for name in KINDS for _ in range(6)]
    rows = [
        correctness_row(id=at, outputs="success" if gold == "success" else "failed", kind=KINDS[gold])
        for at, gold in enumerate(golds)
    ]
    said = {"exception": "Answer: AssertionError", "build": "It does not compile."}
    answers = [{"task_id": at, "answer": said.get(gold, gold)} for at, gold in enumerate(golds)]
    for name, lines in (("rows", rows), ("answers", answers)):
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return folder


def test_a_run_is_scored_by_class_and_shown_everywhere(place: Path) -> None:
    """The figures, the confusion of classes, the page, and a comparison with gold."""
    done = benchwright(*RUN, "--model", "replay:answers.jsonl", "--out", "a", "--json", cwd=place)
    document = done.document
    score = json.loads((place / "a" / "scores.json").read_bytes())
    assert (done.code, document["track"], document["profile"]) == (0, "codecorrectness-errors", "strict")
    assert document["metrics"]["exact_match"]["value"] == 0.75
    assert document["metrics"]["macro_f1"]["value"] == pytest.approx((1 + 2 * 6 / 18 + 0 + 1) / 4)
    assert score["details"]["confusion"]["exception"]["assertion"] == 6

    gold = called(*RUN, "--model", "gold:", "--out", "b", "-q", cwd=place)
    compared = called("compare", "a", "b", cwd=place)
    page = called("report", "a", "b", "--out", "page.html", cwd=place)
    html = (place / "page.html").read_text(encoding="utf-8")
    assert (gold.code, compared.code, page.code) == (0, 0, 0)
    assert "solved by gold: only, 6 tasks: 12, 13, 14, 15, 16, 17" in compared.err
    assert all(word in html for word in ("said assertion", "By class", "right label, else assertion"))


def test_labels_and_classes_are_not_compared(place: Path) -> None:
    """They answer two questions."""
    label = called(
        "run", "codecorrectness", "--data", "rows.jsonl", "--model", "gold:", "--out", "l", "-q", cwd=place
    )
    classes = called(*RUN, "--model", "gold:", "--out", "c", "-q", cwd=place)
    said = called("compare", "l", "c", cwd=place)

    assert (label.code, classes.code, said.code) == (0, 0, 1)
    assert "hint: compare runs of one track" in said.err


def test_rows_that_tell_no_class_are_refused(place: Path) -> None:
    """As MERA's own rows are: with the line, the field and the way on."""
    (place / "plain.jsonl").write_text(json.dumps(correctness_row(outputs="failed")) + "\n", encoding="utf-8")
    said = called(
        *("run", "codecorrectness", "--form", "error-class", "--data", "plain.jsonl", "--model", "gold:"),
        cwd=place,
    )

    assert said.code == 1
    assert "plain.jsonl:1" in said.err and "meta.error_class" in said.err and "leave --form out" in said.err
