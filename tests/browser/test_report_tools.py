"""What makes a long page easy: the question on top, contents that stay, hints, files of tables, links to a selection."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from benchwright.records import Metric
from benchwright.report.pipeline import write_report
from kit import small_data
from kit.made_runs import finished_run
from kit.pages import ordinary
from kit.visits import Visit, comes_true


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An ordinary report of two models."""
    return ordinary(tmp_path_factory.mktemp("tools"))


def test_the_question_is_over_the_answers(visit: Callable[..., Visit], report: Path) -> None:
    """What was asked is in sight when an answer is opened, above its program, with no fold to open."""
    page = visit().answer(report, "#task=Small%2F1&model=weak&sample=2")
    asked = page.locator("#reader-asked pre")
    top, program = (each.bounding_box()["y"] for each in (asked, page.locator("#answer > pre").first))

    assert ("def times_1" in asked.inner_text(), top < 300, top < program) == (True, True, True)


def test_a_question_that_is_not_known_is_said(visit: Callable[..., Visit], tmp_path: Path) -> None:
    """Where the data set has gone, the reader has the reason in the question's place."""
    data = small_data.humaneval(tmp_path)
    run = finished_run(tmp_path / "run", data, {"Small/0": [("a", "passed")]})
    data.unlink()
    write_report([run], tmp_path / "r.html")
    page = visit().answer(tmp_path / "r.html", "#task=Small%2F0")

    assert "so the question is unknown" in page.inner_text("#reader-asked")


def test_the_contents_stay_in_sight(visit: Callable[..., Visit], report: Path) -> None:
    """However far one scrolls, and a section that they lead to begins below them."""
    page = visit(viewport={"width": 1000, "height": 600}).open(report)
    page.click(".contents a:has-text('Tasks')")
    assert comes_true(page, "scrollY > 500")
    bar = page.locator(".contents").bounding_box()
    title = page.locator("#tasks-title").bounding_box()

    assert (bar["y"], bar["height"] < 60, title["y"] >= bar["height"]) == (0, True, True)


def test_a_table_that_is_too_wide_says_so(visit: Callable[..., Visit], report: Path) -> None:
    """On a phone there is a hint over it, on a desk there is none."""
    shown = []
    for width in (360, 1280):
        page = visit(viewport={"width": width, "height": 800}).open(report)
        assert comes_true(page, "[...document.querySelectorAll('.scroll')].length > 0")
        wide = page.evaluate(
            """() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(
                [...document.querySelectorAll(".scroll")].map((box) =>
                    [box.scrollWidth > box.clientWidth + 1, !box.previousElementSibling.hidden]))))) """
        )
        assert all(needed == said for needed, said in wide)
        shown.append(sum(said for _, said in wide))

    assert (shown[0] > 0, shown[1]) == (True, 0)


def test_a_table_is_saved_as_csv(visit: Callable[..., Visit], tmp_path: Path) -> None:
    """The rows that are shown, with commas and quotes as they are, and no text that a spreadsheet would run."""
    names = ["=1+1", 'a "b", c', "-2"]
    rows = [small_data.humaneval_row(number, task_id=name) for number, name in enumerate(names)]
    data = small_data.write(tmp_path / "tasks.jsonl", rows)
    run = finished_run(tmp_path / "run", data, {name: [("x", "passed")] for name in names}, model="openai:m")
    write_report([run], tmp_path / "r.html")
    seen = visit()
    page = seen.open(tmp_path / "r.html")
    with page.expect_download() as waited:
        page.click("#all-tasks button.csv")
    text = Path(waited.value.path()).read_text(encoding="utf-8-sig")
    found = list(csv.reader(io.StringIO(text)))

    assert waited.value.suggested_filename == "answers-passed-by-task-and-model.csv"
    assert [row[0] for row in found] == ["Task", "'=1+1", 'a "b", c', "-2"]
    assert ([row[1] for row in found], seen.troubles) == (["m", "1/1", "1/1", "1/1"], [])


def test_a_selection_has_a_link(visit: Callable[..., Visit], report: Path) -> None:
    """It is there once something is selected, and opens the page with the same rows."""
    page = visit().open(report)
    hidden = page.locator("#filter-link").is_hidden()
    page.fill("#filter-text", "small/4")
    page.select_option("#filter-outcome", "timed_out")
    page.select_option("#filter-model", "weak")
    address = page.locator("#filter-link").get_attribute("href")
    again = visit().open(report, address)

    assert (hidden, address) == (True, "#find=small%2F4&outcome=timed_out&of=weak")
    assert again.inner_text("#filter-count") == "1 of 6 tasks"


def test_a_cell_of_the_chart_opens_its_answers(visit: Callable[..., Visit], report: Path) -> None:
    """A click in the heat map leads where the number in the table leads; the tabulator passes it by."""
    page = visit().open(report)
    cell = page.locator("#tasks svg.wide a").nth(5)
    said = cell.locator("title").text_content()
    cell.click()
    page.wait_for_selector("#answer h2")
    model, _, task = said.partition(":")[0].partition(", task ")

    assert page.inner_text("#reader-title") == f"Task {task}"
    assert page.inner_text("#answer h2").startswith(model)
    assert page.evaluate("[...document.querySelectorAll('svg a')].every((a) => a.tabIndex === -1)")


def test_no_per_cent_sign_is_alone(visit: Callable[..., Visit], report: Path) -> None:
    """Between a number and its sign there is no place for a line end, in any text of the page."""
    page = visit().open(report)
    text = page.evaluate(
        """() => {
            const walk = document.createTreeWalker(document.getElementById("report"), NodeFilter.SHOW_TEXT);
            const found = [];
            while (walk.nextNode()) if (!walk.currentNode.parentElement.closest("svg")) found.push(walk.currentNode.data);
            return found.join("\\n");
        }"""
    )

    assert "95\u00a0%" in text
    assert re.findall(r".*\d %.*", text) == []


def test_many_prompts_are_folded(visit: Callable[..., Visit], tmp_path: Path) -> None:
    """Ten prompts are a line with their spread until it is opened; two are shown."""
    shown = []
    for number in (10, 2):
        prompts = {
            f"ru-{each:02}": {"pass@1": Metric(value=each / 20, low=0, high=1, n=3, samples=1)}
            for each in range(number)
        }
        run = finished_run(
            tmp_path / f"run{number}",
            small_data.humaneval(tmp_path),
            {"Small/0": [("a", "passed")] * 2},
            prompts=prompts,
        )
        write_report([run], tmp_path / "r.html")
        page = visit().open(tmp_path / "r.html")
        folds = page.locator("#prompts summary").all_inner_texts()
        shown.append((folds, page.locator("#prompts table").is_visible()))

    assert shown == [(["10 prompts, pass@1 from 0.0\u00a0% to 45.0\u00a0%"], False), ([], True)]


def test_hashes_are_short_and_whole(visit: Callable[..., Visit], report: Path) -> None:
    """Twelve digits to read; all 64 in the title."""
    page = visit().open(report)
    hashes = page.evaluate(
        "[...document.querySelectorAll('.hash')].map((each) => [each.textContent, each.title])"
    )

    assert hashes
    assert all(len(title) == 64 and text == title[:12] + "…" for text, title in hashes)
