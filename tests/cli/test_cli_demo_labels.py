"""What the demo says of labels: of those that hold, of those that do not, and of what was not executed."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from benchwright.building.codecorrectness.verification import FINDINGS, RowFinding, VerificationReport
from benchwright.cli import demo_stored
from benchwright.cli.demo_stored import LabelDemo, print_labels
from benchwright.errors import PrerequisiteError
from benchwright.progress import Silent
from benchwright.records import Metric, Score, SelfCheck

NUMBER = {"value": 0.5, "low": 0.25, "high": 0.75, "n": 4, "samples": 1}
METRIC = Metric(value=0.5, low=0.25, high=0.75, n=4, samples=1)
BASELINES = {
    "majority": {"label": "failed", "exact_match": NUMBER},
    "shape": {"absent": "too few [rows]"},
}


def _score(model: str, baselines: object = BASELINES) -> Score:
    return Score(
        run=f"out/{model}",
        track="codecorrectness",
        model=model,
        profile="strict",
        metrics=dict.fromkeys(("exact_match", "balanced_accuracy", "mcc", "macro_f1", "invalid"), METRIC),
        outcomes={"passed": 2, "unparsable": 2},
        self_check=SelfCheck(gold_passed=4, gold_total=4, stub_passed=0, stub_total=4),
        answers=4,
        details={"baselines": baselines},
    )


def _finding(number: int, lang: str, finding: str, **more: object) -> RowFinding:
    return RowFinding(task_id=number, origin="x:1", lang=lang, revision="r", finding=finding, **more)


def _verified(*findings: RowFinding, absent: dict[str, str] | None = None) -> VerificationReport:
    def count(rows: list[RowFinding]) -> dict[str, int]:
        return {name: sum(row.finding == name for row in rows) for name in FINDINGS}

    langs = dict.fromkeys(each.lang for each in findings)
    return VerificationReport(
        data="d",
        data_hash="h",
        folder="out/labels-checked",
        rows=len(findings),
        repeat=3,
        counts=count(list(findings)),
        languages={lang: count([each for each in findings if each.lang == lang]) for lang in langs},
        agreement=None,
        unescaped=0,
        toolchains={},
        absent=absent or {},
        findings=list(findings),
    )


def _printed(labels: LabelDemo) -> str:
    file = StringIO()
    print_labels(Console(width=80, file=file, highlight=False), labels)
    return file.getvalue()


def test_labels_that_hold() -> None:
    """One line with the count of each language; no row is listed."""
    report = _verified(_finding(1, "Python", "agrees"), _finding(2, "Go", "agrees"))
    said = _printed(LabelDemo(scores=[_score("m")], checked=report))

    assert (
        "labels checked by execution: 2 of 2 hold (Python 1, Go 1; each pair 3 times in the sandbox)" in said
    )
    assert "row " not in said


def test_rows_that_do_not_agree() -> None:
    """Each is named: a flaky one with how often it passed, any other with its finding and the reason."""
    flaky = _finding(7, "Python", "flaky", runs=3, passes=1, detail="'a' == [b]")
    wrong = _finding(8, "Java", "wrong_label", detail="x")
    said = _printed(LabelDemo(scores=[_score("m")], checked=_verified(flaky, wrong)))

    assert "row 7 (Python): flaky, passed 1 of 3 times, so its label is meaningless: 'a' == [b]" in said
    assert ("row 8 (Java): wrong label: x" in said, "0 of 1 hold" in said) == (True, True)


def test_absent_toolchains() -> None:
    """Counted for each language, with how to get it; one that fails later has the reason of its first row."""
    java = [_finding(number, "Java", "absent", detail="no JDK") for number in (1, 2)]
    go = _finding(3, "Go", "absent", detail="Go's library cannot be cached in /x: Read-only file system")
    report = _verified(*java, go, absent={"Java": "no JDK; ./run setup java"})
    lines = _printed(LabelDemo(scores=[_score("m")], checked=report)).splitlines()

    assert "Java: 2 pairs not executed: no JDK; ./run setup java" in lines
    assert "Go: 1 pair not executed: Go's library cannot be cached in /x: Read-only file system" in lines
    assert [line for line in lines if "checked by execution" in line] == []


def test_no_check_at_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where a package for reading code is missing, scores are given and the reason is told."""

    def verify(*_: object, **__: object) -> VerificationReport:
        raise PrerequisiteError("no grammar", hint="pip install 'benchwright[build]'")

    monkeypatch.setattr("benchwright.building.codecorrectness.verification.verify", verify)
    monkeypatch.setattr(demo_stored, "_score", lambda folder, model, *_, **__: _score(model))
    found = demo_stored.run_labels(tmp_path, tmp_path, workers=1, jail="auto", watcher=Silent())

    assert "the labels were not checked: no grammar; pip install 'benchwright[build]'" in _printed(found)
    assert (list(found.runs), found.document()["checked"]) == (list(demo_stored.MODELS), None)


def test_the_table() -> None:
    """It fits 80 characters, intervals below their figures, with the baselines that there are."""
    both = {**BASELINES, "shape": {"exact_match": NUMBER}}
    said = _printed(LabelDemo(scores=[_score("m", both)], unchecked="-"))
    start = next(number for number, line in enumerate(said.splitlines()) if line.startswith("model"))
    rows = said.splitlines()[start + 1 : start + 7]

    assert [row[:14].strip() for row in rows] == ["m", "", "always failed", "", "shape alone", ""]
    assert ("50.0 %" in rows[0], "25.0–75.0" in rows[1], max(map(len, rows)) <= 80) == (True, True, True)


def test_a_line_a_model() -> None:
    """What was right, wrong and no label, and the command that shows the answers."""
    said = _printed(LabelDemo(scores=[_score("m")], unchecked="-"))

    assert ("m: 2 right · 2 no label; benchwright show out/m" in said, "too few [rows]" in said) == (
        True,
        True,
    )


def test_the_first_use_of_go_is_announced(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A minute without a word would look like a hang; where Go is absent there is nothing to announce."""
    monkeypatch.setattr(demo_stored, "find_toolchain", lambda: None)
    monkeypatch.setattr(demo_stored, "library_folder", lambda _toolchain: tmp_path / "none")
    first = demo_stored._is_first_use_of_go()
    monkeypatch.setattr(demo_stored, "library_folder", lambda _toolchain: tmp_path)
    second = demo_stored._is_first_use_of_go()

    def absent() -> None:
        raise PrerequisiteError("no Go")

    monkeypatch.setattr(demo_stored, "find_toolchain", absent)

    assert (first, second, demo_stored._is_first_use_of_go()) == (True, False, False)
