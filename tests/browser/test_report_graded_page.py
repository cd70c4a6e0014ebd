"""A page of graded answers in a real browser: by day and by night, on a phone, with hostile texts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from benchwright.report.pipeline import write_report
from benchwright.store.writing import write_records
from kit.graded_runs import ANSWER, COMMENTS, ISSUES, assessment, graded_run, rules
from kit.visits import Visit

HOSTILE = "<img src=x onerror=alert(1)> \u202e reversed \x00"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of comments and one of issues, each with what a judge said."""
    folder = tmp_path_factory.mktemp("graded")
    text = f"```python\n{ANSWER.replace('area', 'area_1')}```"
    comments = {
        1: [(text, "scored", {"scores": {**rules(), "echo": 0.25}}), (text, "undecided", {})],
        2: [(HOSTILE, "wrong", {"detail": "the code was changed"})],
    }
    issues = {1: [(HOSTILE, "passed", {"scores": {"answer": 1.0, "strongest": 1.0}})]}
    said = {"reasons": {"logic": HOSTILE}, "evidence": [HOSTILE]}
    one = graded_run(folder / "comments", COMMENTS, comments)
    write_records(one / "assessments.jsonl", [assessment("j", scores={"logic": 0.5}, **said)])
    two = graded_run(folder / "issues", ISSUES, issues)
    write_records(two / "assessments.jsonl", [assessment("j", label="correct", reference_number=1, **said)])
    write_report([one, two], folder / "graded.html")
    return folder / "graded.html"


def test_a_commented_answer(visit: Callable[..., Visit], report: Path) -> None:
    """Scores by rule, annotations beside their lines, added lines marked, and the judge's words as text."""
    seen = visit()
    page = seen.answer(report, "#task=smartcoding-comments%201")
    beside = page.locator("table.beside tr").all_inner_texts()
    opinion = page.inner_text(".opinion")

    assert page.locator("#answer .scores").first.inner_text().split("\n")[1].split() == [
        "Score",
        "Value",
        "By",
        "rule",
        "By",
        "judges",
    ]
    assert "A negative width is refused <b>early</b>." in beside[6]
    assert page.locator("table.beside tr.added").count() == 4
    assert "onerror" in opinion and "U+202E" in opinion and page.locator("#answer img").count() == 0
    assert page.locator("#reader-list .count").first.inner_text() == "mean score 63.3 % of 1 decided"
    assert seen.troubles == []


def test_an_answer_to_an_issue(visit: Callable[..., Visit], report: Path) -> None:
    """The references to unfold, the answer as text, and which reference it was held against."""
    seen = visit()
    page = seen.answer(report, "#task=smartcoding-issues%201")

    assert page.locator("#reader-folds summary").all_inner_texts() == [
        "Reference answer 1 (accepted)",
        "Reference answer 2 (any)",
    ]
    assert "correct, held against reference answer 1" in page.inner_text(".opinion h4")
    assert seen.troubles == []


def test_every_answer_opens(visit: Callable[..., Visit], report: Path) -> None:
    """An undecided one and one whose code was changed too."""
    seen = visit()
    page = seen.answer(report, "#task=smartcoding-comments%201&sample=1")
    undecided = page.inner_text("#answer .badge")
    page = seen.answer(report, "#task=smartcoding-comments%202")

    assert ("undecided" in undecided, "wrong" in page.inner_text("#answer .badge")) == (True, True)
    assert seen.troubles == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_it_fits(visit: Callable[..., Visit], report: Path, scheme: str, width: int) -> None:
    """Nothing is wider than the window, by day and by night."""
    seen = visit(color_scheme=scheme, viewport={"width": width, "height": 800})
    page = seen.open(report)
    widths = [page.evaluate("document.documentElement.scrollWidth")]
    for tab in page.locator("[role=tab]").all():
        tab.click()
        assert page.evaluate("document.documentElement.scrollWidth") == width
    page = seen.answer(report, "#task=smartcoding-comments%201")
    widths.append(page.evaluate("document.documentElement.scrollWidth"))

    assert (widths, seen.troubles) == ([width, width], [])


def test_outcomes_have_colours(visit: Callable[..., Visit], report: Path) -> None:
    """Scored and undecided ones are told apart by colour and by sign."""
    page = visit().answer(report, "#task=smartcoding-comments%201")
    links = page.locator("#reader-list a")
    fills = {link.evaluate("each => getComputedStyle(each).backgroundColor") for link in links.all()}

    assert len(fills) == 2 and "rgba(0, 0, 0, 0)" not in fills
    assert [link.inner_text()[-1] for link in links.all()] != ["", ""]
