"""The report for everybody: light and dark, wide and narrow, with and without colour, by axe's rules."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchwright.report.pipeline import write_report
from kit import small_data
from kit.made_runs import finished_run
from kit.pages import ordinary
from kit.visits import Visit, check_with_axe

PHONE, DESK = {"width": 360, "height": 740}, {"width": 1280, "height": 900}
ANSWER = "#task=Small%2F1&model=weak&sample=2"
BESIDE, FOUND = f"{ANSWER}&beside=strong&other=1", "#said=return"
LONG = "a-model-with-a-name-that-nobody-would-think-of-unless-to-break-a-page-and-then-some"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An ordinary report of two models."""
    return ordinary(tmp_path_factory.mktemp("access"))


@pytest.fixture(scope="module")
def wide_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One with long names, many models, and answers without a space to break at."""
    folder = tmp_path_factory.mktemp("wide")
    rows = [small_data.humaneval_row(number, task_id=f"{number}-{'x' * 120}") for number in range(3)]
    data = small_data.write(folder / "tasks.jsonl", rows)
    runs = []
    for model in range(7):
        answers = {
            row["task_id"]: [("y" * 3000, "wrong", {"detail": "z" * 900}), ("ok", "passed")] for row in rows
        }
        runs.append(finished_run(folder / f"run{model}", data, answers, model=f"openai:{LONG}-{model}"))
    write_report(runs, folder / "report.html")
    return folder / "report.html"


def show(visit: Callable[..., Visit], report: Path, view: str, **options: Any) -> Any:
    """The report, or an answer of it with every fold open."""
    seen = visit(**options)
    page = (
        seen.open(report, FOUND)
        if view == "report"
        else seen.answer(report, {"answer": ANSWER, "beside": BESIDE}[view])
    )
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    return page


@pytest.mark.parametrize("view", ["report", "answer", "beside"])
def test_axe_finds_nothing(visit: Callable[..., Visit], report: Path, view: str) -> None:
    """No violation of WCAG A and AA, nor of axe's best practices, in either theme and on either screen."""
    # The page's policy forbids the injection of axe, as it forbids that of everything else.
    page = show(visit, report, view, bypass_csp=True)

    assert {"color-contrast", "heading-order", "landmark-one-main"} <= check_with_axe(page, DESK, PHONE)


@pytest.mark.parametrize("view", ["report", "answer"])
def test_a_phone_scrolls_in_one_direction(visit: Callable[..., Visit], report: Path, view: str) -> None:
    """At 360 pixels the page is as wide as the screen; tables and code scroll in their own boxes."""
    page = show(visit, report, view, viewport=PHONE)

    assert page.evaluate("document.documentElement.scrollWidth") == 360


@pytest.mark.parametrize("width", [360, 700, 1280])
def test_long_names_break_nothing(visit: Callable[..., Visit], wide_report: Path, width: int) -> None:
    """Names of models and tasks, reasons and texts without a space do not push the page apart."""
    seen = visit(viewport={"width": width, "height": 800})
    page = seen.open(wide_report)
    report = page.evaluate("document.documentElement.scrollWidth")
    page.click("#task-table tbody td a")
    page.wait_for_selector("#answer h2")

    assert (width, width) == (report, page.evaluate("document.documentElement.scrollWidth"))


def test_charts_say_what_they_show(visit: Callable[..., Visit], report: Path) -> None:
    """Each chart has a title, a description and a table beside it; one with links is a group, others images."""
    page = visit().open(report)
    charts = page.evaluate(
        """[...document.querySelectorAll('figure > svg')].map((svg) => [
            svg.getAttribute('role'),
            svg.getAttribute('aria-labelledby').split(' ').every((id) => document.getElementById(id).textContent),
            svg.closest('section').querySelector('table') !== null,
        ])"""
    )

    assert charts == [["img", True, True]] * 6 + [["group", True, True]] * 2


def test_the_drawing_fits_the_screen(visit: Callable[..., Visit], report: Path) -> None:
    """A phone gets charts drawn for it; a desk the wide ones. Never both."""
    shown = {}
    for name, screen in (("phone", PHONE), ("desk", DESK)):
        page = visit(viewport=screen).open(report)
        shown[name] = [page.locator(f"svg.{kind}:visible").count() for kind in ("wide", "narrow")]

    assert shown == {"phone": [0, 4], "desk": [4, 0]}


FONTS = [
    ("", ""),
    ("serif", ""),
    ("monospace", ""),
    ("DejaVu Sans, Verdana, sans-serif", "bold"),  # the widest that ordinary systems have
    ("DejaVu Sans Condensed, Arial Narrow, sans-serif", ""),
]
OVERLAPS = """([family, weight]) => {
    const found = [];
    for (const svg of document.querySelectorAll('figure > svg')) {
        const texts = [...svg.querySelectorAll('text')];
        for (const text of texts) Object.assign(text.style, { fontFamily: family, fontWeight: weight });
        const boxes = texts.map((text) => [text.textContent, text.getBoundingClientRect()]).filter(([, box]) => box.width);
        boxes.forEach(([a, p], i) => {
            if (p.left < -1 || p.right > innerWidth + 1) found.push([a, "out of the page"]);
            boxes.slice(i + 1).forEach(([b, q]) => {
                const wide = Math.min(p.right, q.right) - Math.max(p.left, q.left);
                const high = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
                if (wide > 1 && high > 2) found.push([a, b]);
            });
        });
    }
    return found;
}"""


@pytest.mark.parametrize("width", [320, 375, 768, 1280])
def test_labels_of_charts_do_not_overlap(visit: Callable[..., Visit], wide_report: Path, width: int) -> None:
    """Texts of a chart lie beside each other and on the page, whatever font a reader's system has."""
    page = visit(viewport={"width": width, "height": 800}).open(wide_report)
    found = {font: page.evaluate(OVERLAPS, font) for font in FONTS}
    shown = page.locator("figure > svg:visible text").count()

    assert (found, shown > 20) == ({font: [] for font in FONTS}, True)


def test_nothing_moves(visit: Callable[..., Visit], report: Path) -> None:
    """There is no animation and no transition, so there is nothing to reduce."""
    page = visit().open(report)
    moving = page.evaluate(
        """[...document.querySelectorAll('*')].filter((element) => {
            const style = getComputedStyle(element);
            return style.animationName !== 'none' || parseFloat(style.transitionDuration) > 0;
        }).length"""
    )

    assert moving == 0


def test_the_themes_differ_and_follow_the_system(visit: Callable[..., Visit], report: Path) -> None:
    """Paper and charts change with the system's theme."""
    colours = {}
    for scheme in ("light", "dark"):
        page = visit(color_scheme=scheme).open(report)
        colours[scheme] = page.evaluate(
            """[getComputedStyle(document.body).backgroundColor,
                getComputedStyle(document.querySelector('figure svg.wide text')).fill]"""
        )

    assert colours == {
        "light": ["rgb(253, 252, 249)", "rgb(100, 95, 85)"],
        "dark": ["rgb(23, 22, 19)", "rgb(169, 163, 150)"],
    }
