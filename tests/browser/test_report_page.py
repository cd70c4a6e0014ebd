"""The report as its readers have it: opened from a disk in a real browser, without a network."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from kit.pages import ordinary
from kit.visits import Visit, comes_true


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An ordinary report of two models."""
    return ordinary(tmp_path_factory.mktemp("page"))


def test_it_loads_nothing_but_itself(visit: Callable[..., Visit], report: Path) -> None:
    """Opening the page and an answer asks for one file, this one, and nothing goes wrong."""
    seen = visit()
    seen.open(report)
    page = seen.answer(report, "#task=Small%2F1&model=weak&sample=2")
    loaded = page.evaluate("performance.getEntriesByType('resource').length")

    assert ({report.as_uri()}, [], 0) == (
        {url.partition("#")[0] for url in seen.requests if not url.startswith("data:")},
        seen.troubles,
        loaded,
    )


def test_it_says_the_essential_without_a_script(visit: Callable[..., Visit], report: Path) -> None:
    """Standing, sentences, charts and the table of tasks are there where scripts are forbidden."""
    page = visit(java_script_enabled=False).open(report)
    rows = page.locator("#standing tbody tr").count()
    charts = page.locator("figure svg.wide:visible").count()
    sentence = page.locator("#comparisons li").first.inner_text()
    needs = page.locator("noscript").inner_text()

    assert (rows, charts, "strong passes more than weak" in sentence, "JavaScript is needed" in needs) == (
        2,
        4,
        True,
        True,
    )


def test_a_number_opens_the_answers_behind_it(visit: Callable[..., Visit], report: Path) -> None:
    """A click on a cell shows the model's answers; the one that failed comes first, with its reason."""
    seen = visit()
    page = seen.open(report)
    page.click("#task-table tbody tr:nth-child(3) td:nth-child(2) a")
    page.wait_for_selector("#answer h2")
    shown = page.inner_text("#answer h2"), page.inner_text("#answer dl")

    assert page.url.endswith("#task=Small%2F2&model=strong")
    assert page.inner_text("#reader-title") == "Task Small/2"
    assert ("answer 2" in shown[0], "wrong" in shown[0], "gave -993, expected 7" in shown[1]) == (True,) * 3
    assert seen.troubles == []


def test_an_answer_shows_all_that_is_known_of_it(visit: Callable[..., Visit], report: Path) -> None:
    """Program, outcome, reason, rule, what looked like cheating, raw text, prompt, and what was printed."""
    page = visit().answer(report, "#task=Small%2F1&model=weak&sample=2")
    text = page.inner_text("#answer")
    folds = page.locator("#answer details summary").all_inner_texts()
    program = page.locator("#answer > pre").first.text_content()

    assert program == "import os\n\n\ndef times_1(x):\n    os._exit(0)\n"
    assert ("ends the process" in text, "the process ended" in text, "fence+function" in text) == (True,) * 3
    assert folds == [
        "Difference from the canonical solution",
        "Raw text",
        "Output",
    ]


def test_code_is_coloured_and_compared(visit: Callable[..., Visit], report: Path) -> None:
    """Keywords have a class, and the diff marks lines as removed and added in text, not by colour alone."""
    page = visit().answer(report, "#task=Small%2F1&model=strong&sample=2")
    keywords = page.locator("#answer > pre .k").all_inner_texts()
    removed = page.locator("#answer del").all_text_contents()
    added = page.locator("#answer ins").all_text_contents()

    assert keywords == ["def", "return"]
    assert removed == ["removed: -     return x * 1"]
    assert added == ["added: +     # not quite", "added: +     return x - 1000"]


def test_equal_texts_are_named(visit: Callable[..., Visit], report: Path) -> None:
    """An answer says which others are the same, letter for letter."""
    page = visit().answer(report, "#task=Small%2F1&model=strong&sample=0")

    assert "strong #1, strong #3" in page.inner_text("#answer dl")


def test_back_returns_to_where_the_reader_left(visit: Callable[..., Visit], report: Path) -> None:
    """The back button closes the answers at the same place of the page, with the same link in focus."""
    page = visit(viewport={"width": 1000, "height": 500}).open(report)
    link = page.locator("#task-table tbody tr:nth-child(4) td:nth-child(3) a")
    link.scroll_into_view_if_needed()
    before = page.evaluate("scrollY")
    link.click()
    page.wait_for_selector("#answer h2")
    top = page.evaluate("scrollY")
    page.go_back()
    page.wait_for_selector("#report:visible")
    assert comes_true(page, f"Math.abs(scrollY - {before}) < 2")

    assert (before > 500, top < 50) == (True, True)
    assert page.evaluate("document.activeElement.getAttribute('href')") == "#task=Small%2F3&model=weak"


def test_an_answer_has_an_address(visit: Callable[..., Visit], report: Path) -> None:
    """A colleague who opens the address sees the same answer; each further one is a step of the history."""
    page = visit().answer(report, "#task=Small%2F1&model=weak&sample=1")
    first = page.inner_text("#answer h2"), page.title()
    page.click("#reader-list a:has-text('3 ∞')")
    assert comes_true(page, "document.querySelector('#answer h2').textContent.includes('answer 3')")
    current = page.locator("#reader-list a[aria-current]").get_attribute("href")
    page.go_back()
    assert comes_true(page, "document.querySelector('#answer h2').textContent.includes('answer 1')")

    assert ("no code" in first[0], first[1].startswith("Task Small/1 · ")) == (True, True)
    assert current == "#task=Small%2F1&model=weak&sample=3"


@pytest.mark.parametrize(
    ("address", "said"),
    [("#task=nowhere", "no such task"), ("#task=Small%2F1&model=weak&sample=99", "no such answer")],
)
def test_a_wrong_address_is_answered(
    visit: Callable[..., Visit], report: Path, address: str, said: str
) -> None:
    """An address that this report does not have is said to be so, with a way back."""
    page = visit().open(report, address)
    page.wait_for_selector("#answer p")
    text = page.inner_text("#answer")
    page.click("#reader-crumbs a")
    page.wait_for_selector("#report:visible")

    assert said in text


def test_tables_are_sorted_by_their_headers(visit: Callable[..., Visit], report: Path) -> None:
    """A click sorts numbers from the largest, a second one from the smallest, and the header says which."""
    page = visit().open(report)
    column = page.locator("#standing thead th:nth-child(3)")
    names = lambda: page.locator("#standing tbody th").all_inner_texts()  # noqa: E731
    states = []
    for _ in range(2):
        column.locator("button").click()
        states.append((column.get_attribute("aria-sort"), names()))

    assert states == [("descending", ["strong", "weak"]), ("ascending", ["weak", "strong"])]


def test_tasks_are_filtered(visit: Callable[..., Visit], report: Path) -> None:
    """By text, and by outcome of any or of one model; the address keeps the filter for a colleague."""
    page = visit().open(report)
    found = []
    for text, outcome, model in (("small/4", "", ""), ("", "timed_out", ""), ("", "timed_out", "strong")):
        page.fill("#filter-text", text)
        page.select_option("#filter-outcome", outcome)
        page.select_option("#filter-model", model)
        found.append((page.inner_text("#filter-count"), page.locator("#task-table tbody tr:visible").count()))
    address = page.evaluate("location.hash")
    page.reload()

    assert found == [("1 of 6 tasks", 1), ("6 of 6 tasks", 6), ("0 of 6 tasks", 0)]
    assert (address, page.inner_text("#filter-count")) == ("#outcome=timed_out&of=strong", "0 of 6 tasks")


def test_tasks_follow_one_another(visit: Callable[..., Visit], report: Path) -> None:
    """From a task one can go to the next and to the one before; the ends have no such link."""
    page = visit().answer(report, "#task=Small%2F0")
    links = page.locator("#reader-crumbs a").all_inner_texts()
    page.click("#reader-crumbs a:has-text('Next')")
    assert comes_true(page, "document.querySelector('#reader-title').textContent === 'Task Small/1'")

    assert links == ["← All tasks", "Next: Small/1"]
    assert page.evaluate("document.activeElement.id") == "reader-title"


def test_the_keyboard_is_enough(visit: Callable[..., Visit], report: Path) -> None:
    """The first stop leads past the header, and Enter on a number opens its answers."""
    page = visit().open(report)
    page.keyboard.press("Tab")
    first = page.evaluate("document.activeElement.textContent")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    page.focus("#task-table tbody td a")
    page.keyboard.press("Enter")
    page.wait_for_selector("#answer h2")

    assert (first, outline) == ("Skip to the content", "solid")


def test_side_files_are_loaded_on_a_click(visit: Callable[..., Visit], tmp_path: Path) -> None:
    """Of a report too large for one file, an answer's file is loaded when it is opened, and nothing else."""
    seen = visit()
    page = ordinary(tmp_path, embedded=0)
    seen.answer(page, "#task=Small%2F1&model=weak&sample=1")
    folder = tmp_path / "report-answers"

    assert [page.as_uri(), (folder / "00001.js").as_uri()] == [
        url.partition("#")[0] for url in seen.requests if not url.startswith("data:")
    ]
    assert seen.troubles == []


def test_a_missing_side_folder_is_said(visit: Callable[..., Visit], tmp_path: Path) -> None:
    """Where the folder was not sent along, the reader is told its name, and the rest still works."""
    path = ordinary(tmp_path, embedded=0)
    (tmp_path / "report-answers").rename(tmp_path / "elsewhere")
    page = visit().open(path, "#task=Small%2F1")
    page.wait_for_selector("#answer p")

    assert "report-answers is not beside this file" in page.inner_text("#answer")


def test_what_the_page_knows_of_itself_is_plain_data(visit: Callable[..., Visit], report: Path) -> None:
    """The script's own data is JSON with the models in the standing's order."""
    page = visit().open(report)

    assert json.loads(page.text_content("#meta"))["models"] == ["strong", "weak"]
