"""Finding answers: by what they say, by prompt, where models differ, and two of them side by side."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from benchwright.records import Metric
from benchwright.report.pipeline import write_report
from benchwright.running.pipeline import run
from kit import small_data, small_labels
from kit.made_runs import finished_run
from kit.pages import ordinary
from kit.visits import Visit, comes_true

HOSTILE = "<img src=x onerror=alert(1)>\u202e needle \u0007 it"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An ordinary report of two models."""
    return ordinary(tmp_path_factory.mktemp("finding"))


def _found(seen: Visit, number: str) -> list[str]:
    """The lines of the list, once the search has ended with so many answers."""
    assert comes_true(
        seen.page, f"document.getElementById('search-count').textContent.startsWith('{number} answers found')"
    )
    return seen.page.locator("#search-found li").all_inner_texts()


def test_answers_are_found_by_what_they_say(visit: Callable[..., Visit], report: Path) -> None:
    """A search is in the address, lists each answer with its place, and leads to it and back by keys alone."""
    seen = visit()
    page = seen.open(report)
    page.focus("#search-text")
    page.keyboard.type("OS._EXIT")
    page.keyboard.press("Enter")
    lines = _found(seen, "6")
    page.keyboard.press("Tab")
    page.locator("#search-found a").nth(1).focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#answer h2")
    title, address = page.inner_text("#reader-title"), page.url.partition("#")[2]
    back = page.locator("#reader-crumbs a").first.get_attribute("href")

    assert lines[1].startswith("Task Small/1 · weak · answer 2") and "exception" in lines[1]
    assert "os._exit(0)" in lines[1]
    assert (title, address) == ("Task Small/1", "task=Small%2F1&model=weak&sample=2")
    assert (back, seen.troubles) == ("#said=OS._EXIT", [])


def test_a_search_is_a_link(visit: Callable[..., Visit], report: Path) -> None:
    """By outcome and model too; the form is set as the address says, and what is not there is not found."""
    seen = visit()
    page = seen.open(report, "#said=return&ended=wrong&by=strong")
    lines = _found(seen, "6")
    page.fill("#search-text", "nowhere to be found")
    page.click("#search button")

    assert all("strong · answer 2" in line for line in lines)
    assert _found(seen, "0") == []


def test_answers_are_found_by_prompt(visit: Callable[..., Visit], tmp_path: Path) -> None:
    """Where tasks were asked in several ways."""
    prompts = {
        name: {"pass@1": Metric(value=0, low=0, high=1, n=2, samples=1)} for name in ("en-00", "en-01")
    }
    rows = {
        f"Small/{n}": [("a", "passed", {"prompt": "en-00"}), ("b", "wrong", {"prompt": "en-01"})]
        for n in range(2)
    }
    run = finished_run(tmp_path / "run", small_data.humaneval(tmp_path), rows, prompts=prompts)
    write_report([run], tmp_path / "r.html")
    seen = visit()
    page = seen.open(tmp_path / "r.html", "#prompt=en-01")

    assert [line.partition("\n")[2] for line in _found(seen, "2")] == ["b", "b"]
    assert page.input_value("#search-prompt") == "en-01"


def test_what_is_found_runs_nothing(visit: Callable[..., Visit], tmp_path: Path) -> None:
    """Hostile text is text in the list, in the list of choices and in both columns."""
    rows = {"Small/0": [(HOSTILE, "no_code"), ("needle", "no_code")]}
    run = finished_run(tmp_path / "run", small_data.humaneval(tmp_path), rows, model="openai:<b>\u202em")
    write_report([run], tmp_path / "r.html")
    seen = visit()
    page = seen.open(tmp_path / "r.html", "#said=needle")
    lines = _found(seen, "2")
    page.locator("#search-found a").first.click()
    page.wait_for_selector("#beside select")
    page.select_option("#beside select", index=1)
    page.wait_for_selector("#beside .two")

    assert "<img src=x onerror=alert(1)>U+202E needle" in lines[0]
    assert "<b>\\u202em · answer 1" in page.inner_text("#beside select")
    assert (page.locator("#report img, #reader img").count(), seen.troubles) == (0, [])


def test_two_answers_side_by_side(visit: Callable[..., Visit], report: Path) -> None:
    """Chosen from a list, both are in the address, with what differs between them."""
    page = visit().answer(report, "#task=Small%2F1&model=weak&sample=0")
    page.select_option("#beside select", label="strong · answer 1 · passed")
    page.wait_for_selector("#beside .two")
    programs = page.locator("#answer > pre, #answer > h3").evaluate_all(
        "(all) => all.map((each) => each.checkVisibility())"
    )
    address = "#" + page.url.partition("#")[2]
    again = visit().answer(report, address)
    again.wait_for_selector("#beside .two")
    heads = again.locator("#beside .two h3").all_inner_texts()
    lines = again.locator("#beside ins, #beside del").all_inner_texts()

    assert address == "#task=Small%2F1&model=weak&sample=0&beside=strong&other=1"
    assert programs == [False, False]  # the first program is not shown a second time
    assert [head.partition(" ✓")[0].partition(" ✗")[0] for head in heads] == [
        "weak · answer 0",
        "strong · answer 1",
    ]
    assert [line.replace("\n", " ").strip() for line in lines] == [
        "removed: -     # not quite",
        "removed: -     return x - 1000",
        "added: +     return x * 1",
    ]


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ("beside=weak&other=0", "No differences."),
        ("beside=weak&other=1", "Only one of the two has a program"),
        ("beside=weak&other=9", "no such answer to compare"),
        ("beside=nobody&other=0", "no such answer to compare"),
    ],
)
def test_what_cannot_be_compared_is_said(
    visit: Callable[..., Visit], report: Path, other: str, said: str
) -> None:
    """Equal programs, an answer without one, and addresses of nothing."""
    page = visit().answer(report, f"#task=Small%2F1&model=strong&sample=2&{other}")

    assert said in page.inner_text("#beside")


def test_tasks_on_which_models_differ(visit: Callable[..., Visit], tmp_path: Path) -> None:
    """Half of the scale or more; it is part of the link to a selection."""
    data = small_data.humaneval(tmp_path, tasks=3)
    shares = {"one": (2, 2, 0), "two": (0, 1, 0)}
    runs = [
        finished_run(
            tmp_path / name,
            data,
            {
                f"Small/{n}": [("a", "passed")] * passed + [("a", "wrong")] * (3 - passed)
                for n, passed in enumerate(counts)
            },
            model=f"openai:{name}",
        )
        for name, counts in shares.items()
    ]
    write_report(runs, tmp_path / "r.html")
    page = visit().open(tmp_path / "r.html")
    page.check("#filter-differ")
    address = page.locator("#filter-link").get_attribute("href")
    again = visit().open(tmp_path / "r.html", address)

    assert (address, again.inner_text("#filter-count")) == ("#differ=yes", "1 of 3 tasks")
    assert again.is_checked("#filter-differ")


def test_tasks_are_filtered_by_their_group(visit: Callable[..., Visit], tmp_path: Path) -> None:
    """The choice is in the address and comes back from it; a group of all tasks is none to choose by."""
    rows = small_labels.label_rows(tmp_path, tasks=12)
    answers = small_labels.label_answers(tmp_path, "strong", small_labels.STRONG)
    run("codecorrectness", data=str(rows), model=f"replay:{answers}", out=tmp_path / "run")
    write_report([tmp_path / "run"], tmp_path / "page.html")
    seen = visit()
    page = seen.open(tmp_path / "page.html")
    offered = page.locator("#filter-group option").all_inner_texts()
    page.select_option("#filter-group", label="language: Go")
    count, address = page.inner_text("#filter-count"), page.url.partition("#")[2]
    page = seen.open(tmp_path / "page.html", "#in=tag%3A%20focal_uses%3A%20clock")

    assert {"any", "language: Go", "language: Java", "subset: mutated"} <= set(offered)
    assert not any("asserts" in each for each in offered)  # of every row
    assert (count, address) == ("4 of 12 tasks", "in=language%3A%20Go")
    assert page.inner_text("#filter-count") == "6 of 12 tasks"
    assert page.locator("table.tasks tbody tr:visible").count() == 6
    assert seen.troubles == []
