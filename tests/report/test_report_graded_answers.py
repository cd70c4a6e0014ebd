"""Graded answers on the page: annotations at their lines, references, and judges' opinions."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from benchwright.contracts import Annotation
from benchwright.report.answer_packing import pack_all
from benchwright.report.graded_answers import Assessments, GradedRunData, align_lines
from benchwright.report.programs import open_programs
from benchwright.report.runs import load_runs
from benchwright.store.writing import write_records
from kit.graded_runs import ANSWER, CODE, COMMENTS, ISSUES, assessment, graded_run, rules
from kit.growth import PER_DOUBLING, growth

NOTES = [Annotation(line=2, text="early"), Annotation(line=4, text="units")]


def test_annotations_stand_beside_their_lines() -> None:
    """A docstring and comments move lines; each annotation moves with its line."""
    found = align_lines(CODE, ANSWER, NOTES)

    assert found.notes == [(7, "early"), (9, "units")]
    assert found.added == [2, 4, 5, 6]


def test_a_line_that_is_gone_has_no_place() -> None:
    """The code was changed: the annotation is kept, at line 0."""
    assert align_lines(CODE, "def area(width, height):\n    return width * height\n", NOTES).notes == [
        (0, "early"),
        (2, "units"),
    ]


LINES = st.lists(st.sampled_from(["a = 1", "b = a", "", "if a:", "    c()", "}"]), min_size=1, max_size=12)


@given(LINES, st.data())
def test_added_comments_move_every_line_alone(lines: list[str], data: st.DataObject) -> None:
    """Each line is found for any comments between lines."""
    written, places = [], []
    for line in lines:
        written += [f"# comment {number}" for number in range(data.draw(st.integers(0, 3)))]
        written.append(line + data.draw(st.sampled_from(["", "  # behind it"])))
        places.append(len(written))
    notes = [Annotation(line=at, text=str(at)) for at, line in enumerate(lines, 1) if line.strip()]
    found = align_lines("\n".join(lines), "\n".join(written), notes)

    assert found.notes == [(places[each.line - 1], each.text) for each in notes]


def test_cost_grows_with_length() -> None:
    """This holds even if no line is found."""

    def read(text: str) -> object:
        return align_lines(text, text.replace("x", "y"), NOTES)

    assert growth(read, lambda size: "x = 1\n" * size, 800) <= PER_DOUBLING


def packed(folder: Path) -> dict[str, Any]:
    """Return the document of the first task of a run."""
    (run,) = load_runs([folder])
    programs, _ = open_programs([run.folder])
    graded = [GradedRunData(run.tally, Assessments(run.folder))]
    made = next(pack_all([1], [run.tally], programs, graded=graded))
    document: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(made.text)))
    return document


def test_a_commented_answer(tmp_path: Path) -> None:
    """Scores, checks, annotations by line and opinions; no figures of an execution."""
    text = f"```python\n{ANSWER.replace('area', 'area_1')}```"
    folder = graded_run(tmp_path / "run", COMMENTS, {1: [(text, "scored", {"scores": rules()})]})
    said = assessment(
        "j", scores={"accuracy": 0.5, "logic": 1.0}, reasons={"logic": "why"}, flags=["own_family"]
    )
    write_records(folder / "assessments.jsonl", [said])
    document = packed(folder)
    (row,) = document["answers"][0]

    assert (document["graded"], document["canonical"], document["references"]) == (True, [], [])
    assert row["notes"] == [
        [7, "A negative width is refused <b>early</b>."],
        [9, "The area in square units."],
    ]
    assert row["scores"] == rules()
    assert row["judges"] == [
        {
            "judge": "j",
            "status": "judged",
            "scores": {"accuracy": 0.5, "logic": 1.0},
            "reasons": {"logic": "why"},
            "flags": ["own family"],
        }
    ]
    assert not {"cpu", "wall", "isolation", "stdout"} & set(row)


def test_an_answer_to_an_issue(tmp_path: Path) -> None:
    """All references with their evidence; the one that the judge used, counted from 1."""
    scores = {"answer": 1.0, "strongest": 0.0}
    folder = graded_run(tmp_path / "run", ISSUES, {1: [("Upgrade.", "passed", {"scores": scores})]})
    write_records(folder / "assessments.jsonl", [assessment("j", label="correct", reference_number=2)])
    document = packed(folder)
    ((row,),) = document["answers"]

    assert [each["title"] for each in document["references"]] == [
        "Reference answer 1 (accepted)",
        "Reference answer 2 (any)",
    ]
    assert row["judges"] == [{"judge": "j", "status": "judged", "label": "correct", "reference": 2}]


def test_a_run_without_judges(tmp_path: Path) -> None:
    """It has no opinions, and no file of them."""
    folder = graded_run(tmp_path / "run", ISSUES, {1: [("Upgrade.", "undecided", {})]})
    ((row,),) = packed(folder)["answers"]

    assert ("judges" in row, "scores" in row, row["outcome"]) == (False, False, "undecided")
