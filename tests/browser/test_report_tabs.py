"""The overview and the tabs of a page with several tracks: addresses, keys, print, no script, and its size."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kit.growth import slowness
from kit.pages import FAILED, TRACKS, several_tracks
from kit.processes import cpu_s_below
from kit.visits import Visit, check_with_axe, comes_true

PHONE, DESK = {"width": 390, "height": 844}, {"width": 1280, "height": 900}
HIGHEST = 6000  # pixels of the first view
LIMIT_CPU_S = 3.0  # of the whole browser; a second here, of which a person waits for half
TITLES = ["HumanEval", "ruHumanEval", "MBPP", "EvalPlus"]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixteen runs of a few tasks on five tracks, and one that failed."""
    return several_tracks(tmp_path_factory.mktemp("tabs"), tasks=6, answers=3)


def shown(page: Any) -> list[str]:
    """The ids of the panels that can be seen."""
    return page.evaluate(
        "[...document.querySelectorAll('.panel')].filter((each) => each.checkVisibility()).map((each) => each.id)"
    )


def selected(page: Any) -> list[str]:
    """The tabs that are marked as open."""
    return page.locator("[role=tab][aria-selected=true]").all_inner_texts()


def test_sixteen_runs_open_at_an_overview(visit: Callable[..., Visit], tmp_path: Path) -> None:
    """The first view of 40 tasks with ten answers is low and opens quickly: the tracks have no layout until then."""
    report = several_tracks(tmp_path)

    def opened() -> tuple[Any, float]:
        made = visit(viewport=DESK)
        before = cpu_s_below(os.getpid())
        page = made.open(report)
        return page, (cpu_s_below(os.getpid()) - before) / slowness()

    page, spent = opened()
    limits = [spent < LIMIT_CPU_S] + [opened()[1] < LIMIT_CPU_S for _ in range(2) if spent >= LIMIT_CPU_S]
    heights = page.evaluate("[...document.querySelectorAll('.panel')].map((each) => each.offsetHeight)")

    assert any(limits)
    assert page.evaluate("document.documentElement.scrollHeight") < HIGHEST
    assert (shown(page), selected(page), heights[1:]) == (["panel-overview"], ["Overview"], [0] * 7)
    assert page.evaluate("document.documentElement.scrollWidth") == 1280


def test_the_overview_has_every_model_on_every_track(visit: Callable[..., Visit], report: Path) -> None:
    """Value, interval, place, tasks and day; what was not run is a dash, what failed says why."""
    page = visit(viewport=DESK).open(report)
    rows = {
        row.locator("th").inner_text(): [each.strip() for each in row.locator("td").all_inner_texts()]
        for row in page.locator("table.overview tbody tr").all()
    }
    head = page.locator("table.overview thead th").all_inner_texts()
    page.click("table.overview tfoot a >> nth=2")
    page.wait_for_selector("#panel-3:visible")
    standing = page.locator("#standing-3 tbody tr").first.inner_text()

    assert [each.partition("\n")[0] for each in head[:5]] == ["Model", *TITLES]
    assert set(rows) == {"strong", "middle", "weak", "extra", "away"}
    value = rows["strong"][2].partition(" ")[0]
    assert "place 1–2 of 3, 6 tasks, 2026-11-21" in " ".join(rows["strong"][2].split())
    assert value in standing and standing.split()[:2] == ["1–2", "strong"]
    assert rows["extra"][1:] == ["–"] * 4
    assert rows["away"][2].split("\n")[0].startswith("no score") and FAILED.why in rows["away"][2]


def test_a_tab_has_an_address(visit: Callable[..., Visit], report: Path) -> None:
    """Clicks are steps of the history; the address opens the same tab elsewhere, escaped or not."""
    seen = visit(viewport=DESK)
    page = seen.open(report)
    page.click("[role=tab]:has-text('MBPP')")
    page.wait_for_selector("#panel-3:visible")
    first = page.url.partition("#")[2], selected(page), shown(page)
    page.click("[role=tab]:has-text('Answers')")
    page.wait_for_selector("#panel-answers:visible")
    page.go_back()
    page.wait_for_selector("#panel-3:visible")
    page.go_back()
    page.wait_for_selector("#panel-overview:visible")
    page.go_forward()
    page.wait_for_selector("#panel-3:visible")

    assert first == ("track=mbpp", ["MBPP"], ["panel-3"])
    assert shown(visit().open(report, "#track=evalplus")) == ["panel-4"]
    assert shown(visit().open(report, "#track=%65valplus")) == ["panel-4"]
    assert shown(visit().open(report, "#track=nowhere")) == ["panel-overview"]
    assert seen.troubles == []


def test_an_anchor_in_a_closed_tab_opens_it(visit: Callable[..., Visit], report: Path) -> None:
    """A section of another track, from an address and from the contents of its tab."""
    page = visit(viewport=DESK).open(report, "#outcomes-4")
    top = page.locator("#outcomes-4").bounding_box()["y"]
    page.click("#panel-4 .within a:has-text('Tasks')")
    assert comes_true(page, "document.getElementById('tasks-4').getBoundingClientRect().top < 120")

    assert (shown(page), selected(page), -1 < top < 120) == (["panel-4"], ["EvalPlus"], True)


def test_a_deep_link_to_an_answer_opens_its_tab(visit: Callable[..., Visit], report: Path) -> None:
    """Behind the answer is its track, and the way back leads there; from a tab it leads to that tab."""
    seen = visit(viewport=DESK)
    page = seen.answer(report, "#task=mbpp%20Small%2F3&model=mbpp%20weak&sample=1")
    heading = page.inner_text("#answer h2")
    page.click("#reader-crumbs a >> nth=0")
    page.wait_for_selector("#panel-3:visible")
    behind = page.url.partition("#")[2], selected(page), shown(page)
    page.click("[role=tab]:has-text('Answers')")
    page.click("#task-table-2 tbody td.heat a >> nth=0")
    page.wait_for_selector("#answer h2")
    back = page.locator("#reader-crumbs a").first.get_attribute("href")
    page.go_back()
    page.wait_for_selector("#panel-answers:visible")

    assert heading.startswith("weak · answer 1")
    assert behind == ("track=mbpp", ["MBPP"], ["panel-3"])
    assert (back, seen.troubles) == ("#all-tasks", [])


def test_tabs_are_used_by_keys(visit: Callable[..., Visit], report: Path) -> None:
    """One stop for the tabulator, arrows around, the ends by Home and End, and the space bar opens."""
    page = visit(viewport=DESK).open(report)
    page.focus("[role=tab][aria-selected=true]")
    words = []
    for key in ("ArrowLeft", "ArrowRight", "ArrowRight", "End", "Home", "ArrowRight"):
        page.keyboard.press(key)
        words.append(page.evaluate("document.activeElement.textContent"))
    before = shown(page)
    page.keyboard.press("Space")
    page.wait_for_selector("#panel-1:visible")
    kept = page.evaluate("document.activeElement.textContent")
    stops = page.locator("[role=tab][tabindex='0']").all_inner_texts()
    page.keyboard.press("Tab")

    assert words == ["Method", "Overview", "HumanEval", "Method", "Overview", "HumanEval"]
    assert kept == "HumanEval"
    assert (before, selected(page), stops) == (["panel-overview"], ["HumanEval"], ["HumanEval"])
    assert page.evaluate("document.activeElement.id") == "panel-1"


def test_tabs_and_panels_name_each_other(visit: Callable[..., Visit], report: Path) -> None:
    """As WAI-ARIA asks of tabs."""
    page = visit().open(report)
    pairs = page.evaluate(
        """[...document.querySelectorAll("[role=tablist] [role=tab]")].map((tab) => {
            const panel = document.getElementById(tab.getAttribute("aria-controls"));
            return [panel.getAttribute("role"), panel.getAttribute("aria-labelledby") === tab.id];
        })"""
    )

    assert pairs == [["tabpanel", True]] * 8


def test_all_is_there_in_print_and_without_a_script(visit: Callable[..., Visit], report: Path) -> None:
    """Every panel is a section of one long page, and the tabs are links."""
    printed = visit().open(report)
    printed.emulate_media(media="print")
    plain = visit(java_script_enabled=False).open(report)
    panels = plain.locator(".panel:visible").count()
    plain.click("#tabs a:has-text('MBPP')")

    assert (len(shown(printed)), panels) == (8, 8)
    assert (plain.url.partition("#")[2], plain.locator("[role=tab]").count()) == ("track=mbpp", 0)
    assert -1 < plain.locator("#panel-3 .track").bounding_box()["y"] < 100


def test_a_filter_without_a_hit_says_so(visit: Callable[..., Visit], report: Path) -> None:
    """An address with a selection opens the tab of the answers; no empty table is left."""
    page = visit(viewport=DESK).open(report, "#find=nowhere")
    heads = page.locator("#panel-answers h3:visible").all_inner_texts()
    said = page.inner_text("#filter-none")
    page.click("#filter-clear")
    page.wait_for_selector("#task-table-5:visible")

    assert (shown(page), "No task matches" in said) == (["panel-answers"], True)
    assert heads == ["Search the answers", "Filter the tasks below"]
    assert page.locator("table.tasks:visible").count() == 5
    assert page.locator("#filter-none").is_hidden()


def test_the_overview_is_saved_as_csv(visit: Callable[..., Visit], report: Path) -> None:
    """The link in the page gives the file that the command writes."""
    page = visit().open(report)
    with page.expect_download() as waited:
        page.click("a[download='overview.csv']")
    text = Path(waited.value.path()).read_text(encoding="utf-8-sig")

    assert text == report.with_suffix(".csv").read_text(encoding="utf-8")
    assert len(text.splitlines()) == 1 + 16 + 1


@pytest.fixture(scope="module")
def short_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three tracks and two tasks: axe spends 0.1 ms and more on each cell, also on those in closed tabs."""
    return several_tracks(tmp_path_factory.mktemp("short"), tasks=2, answers=2, tracks=TRACKS[:3])


def test_axe_finds_nothing_in_tabs(visit: Callable[..., Visit], short_report: Path) -> None:
    """Check the overview, a track, the answers and the method, in both themes and on both screens."""
    page = visit(bypass_csp=True).open(short_report)
    for tab, panel in (("", "overview"), ("MBPP", "3"), ("Answers", "answers"), ("Method", "method")):
        if tab:
            page.click(f"[role=tab]:has-text('{tab}')")
        page.wait_for_selector(f"#panel-{panel}:visible")
        check_with_axe(page, DESK, PHONE)
