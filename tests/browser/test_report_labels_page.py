"""A page over labels and programs in a real browser: what an answer shows, and the filter over both tracks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from benchwright.report.pipeline import write_report
from kit import small_data
from kit.made_runs import finished_run
from kit.pages import GOLD, _text
from kit.small_labels import STRONG, WEAK, label_run
from kit.visits import SCREEN, Visit, check_with_axe

PHONE = {"width": 360, "height": 700}
pytestmark = pytest.mark.usefixtures("jail")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory, jail: None) -> Path:
    """Two runs of labels and one of programs."""
    folder = tmp_path_factory.mktemp("mixed")
    data = small_data.humaneval(folder, tasks=3)
    rows = {f"Small/{number}": [(_text(GOLD, number), "passed")] for number in range(3)}
    coder = finished_run(folder / "coder", data, rows, model="openai:coder")
    labels = [label_run(folder, name, styles) for name, styles in (("strong", STRONG), ("weak", WEAK))]
    write_report([coder, *labels], folder / "mixed.html")
    return folder / "mixed.html"


def test_an_answer_of_a_label(visit: Callable[..., Visit], report: Path) -> None:
    """What it said, what was expected, the rule and the text; no program, no difference, no other track's run."""
    seen = visit()
    page = seen.answer(report, "#task=codecorrectness%204&model=codecorrectness%20weak")
    facts = page.inner_text("#answer dl").split("\n")
    folds = page.locator("#answer details summary").all_inner_texts()
    models = page.locator("#reader-list h2").all_inner_texts()

    assert [facts[facts.index(name) + 1] for name in ("said", "expected")] == ["success", "failed"]
    assert (folds, len(models), page.inner_text("#reader-folds")) == (
        ["Raw text"],
        2,
        "Expected label: failed",
    )
    assert seen.troubles == []


def test_an_answer_of_a_program_beside_it(visit: Callable[..., Visit], report: Path) -> None:
    """Is what it is on a page of its own."""
    page = visit().answer(report, "#task=humaneval%20Small%2F1&model=humaneval%20coder")

    assert page.locator("#answer > pre").first.text_content().startswith("def times_1")


def test_the_filter_is_over_all_tracks(visit: Callable[..., Visit], report: Path) -> None:
    """It counts the tasks of both, and of a run only those that it has."""
    page = visit().open(report, "#all-tasks")
    found = [page.inner_text("#filter-count")]
    page.select_option("#filter-outcome", "unparsable")
    found.append(page.inner_text("#filter-count"))
    page.select_option("#filter-model", "humaneval coder")
    found.append(page.inner_text("#filter-count"))

    assert found == ["15 of 15 tasks", "2 of 15 tasks", "0 of 15 tasks"]


def test_nothing_is_wider_than_a_phone(visit: Callable[..., Visit], report: Path) -> None:
    """Tables scroll in their own boxes."""
    page = visit(viewport=PHONE).open(report)

    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_axe_finds_nothing_in_a_page_of_two_tracks(visit: Callable[..., Visit], report: Path) -> None:
    """No violation in the parts that only such a page has, with every fold open."""
    check_with_axe(visit(bypass_csp=True).open(report), SCREEN, PHONE)
