"""A station's pages for everybody: axe's rules in both themes, wide and narrow, and hostile texts that run nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kit.graded_runs import ISSUES, graded_run
from kit.station_kit import MODEL, comment_run
from kit.station_process import StationProcess, join
from kit.visits import Visit, check_with_axe, comes_true

PHONE, DESK = {"width": 390, "height": 844}, {"width": 1280, "height": 900}
LONG = 45_000  # words: a longer answer is read by no track, so no judge is shown it
ACTS = (
    "<script>window.ran = 1</script><img src=x onerror='window.ran = 2'><svg onload='window.ran = 3'></svg>"
    "<iframe srcdoc='<script>parent.ran = 4</script>'></iframe><a href='javascript:window.ran = 5'>x</a>"
    "<style>body { display: none }</style><link rel=stylesheet href='https://evil.example/s.css'>"
    "<img src='https://evil.example/p.png'><meta http-equiv=refresh content='0;url=https://evil.example/'>\n\n"
    "[a](javascript:window.ran=6) ![p](https://evil.example/q.png) \u202egnp.exe <base href='https://evil.example/'>\n\n"
)


SAYS = {"reports": "The code is cut off."}  # text that only such a page has


class Shown:
    """A station with a judge, and the addresses of all its pages for each role."""

    def __init__(self, folder: Path, run: Path) -> None:
        self.process = StationProcess(folder, run, "--judgements", 3, "--repeat", 0)
        self.links = {role: self.process.invite(role) for role in ("judge", "adjudicator")}
        self.states: dict[str, Any] = {}

    def state(self, visit: Callable[..., Visit], role: str) -> Any:
        """The cookies of somebody with a role, who joined at the first call."""
        if role not in self.states:
            page = visit().page
            if role == "owner":
                assert self.process.owner is not None
                cookies = [
                    {"name": name, "value": value, "url": self.process.address}
                    for name, value in self.process.owner.cookies.items()
                ]
                page.context.add_cookies(cookies)
            else:
                join(page, self.links[role], role)
            self.states[role] = page.context.storage_state()
        return self.states[role]


@pytest.fixture(scope="module")
def comments(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    """Comments to rate."""
    folder = tmp_path_factory.mktemp("comments")
    shown = Shown(folder, comment_run(folder / "run", 4))
    shown.process.report_one("cat", "The code is cut off.")
    for name, grades in (("ann", "125"), ("bob", "551")):
        shown.process.judge_all(name, dict(zip(("logic", "accuracy", "format"), grades, strict=True)))
    yield shown
    shown.process.stop()


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    """Two answers that would run something: a short one, and one as long as answers may be."""
    folder = tmp_path_factory.mktemp("hostile")
    rows = {task: [(ACTS + "long " * length, "undecided", {})] for task, length in ((1, 0), (2, LONG))}
    shown = Shown(folder, graded_run(folder / "run", ISSUES, rows, model=MODEL))
    yield shown
    shown.process.stop()


def addresses(project: str) -> dict[str, tuple[str, str]]:
    """Return each page of the station, and who opens it; `test_web_core_pages` has those that every site has."""
    return {
        "item": ("judge", f"/judging/{project}"),
        "projects": ("judge", "/judging"),
        "project": ("owner", f"/projects/{project}"),
        "agreement": ("owner", f"/projects/{project}/agreement"),
        "case": ("adjudicator", f"/adjudicating/{project}"),
        "reports": ("owner", f"/projects/{project}/reports"),
    }


@pytest.mark.parametrize("role", ["judge", "adjudicator", "owner"])
def test_axe_finds_nothing_at_the_station(visit: Callable[..., Visit], comments: Shown, role: str) -> None:
    """Check each page that this role opens by WCAG A and AA and axe's best practices, with every fold open.

    An owner opens a project, its agreement, and reports with an item that was reported.
    """
    page = visit(bypass_csp=True, storage_state=comments.state(visit, role)).page
    for name, (opened_by, address) in addresses(comments.process.project).items():
        if opened_by == role:
            page.goto(comments.process.address + address)
            check_with_axe(page, DESK, PHONE)
            assert (name, page.locator("fieldset").count()) == (name, 3 if name in ("item", "case") else 0)
            assert SAYS.get(name, "") in page.content(), name


def test_hostile_answers_run_nothing(visit: Callable[..., Visit], hostile: Shown) -> None:
    """Script, handlers and links of an answer are text; all of a long one is in a frame that can do nothing."""
    seen = visit(storage_state=hostile.state(visit, "judge"))
    page, shown = seen.page, {}
    page.goto(f"{hostile.process.address}/judging/{hostile.process.project}")
    for _ in range(2):
        before = page.get_attribute("#station", "data-page")
        words = page.inner_text(".station-answers")
        is_long = page.locator("details.rest").count() == 1
        shown[is_long] = words
        if is_long:
            page.click(".station-answers details.rest summary")
            whole = page.frame_locator(".station-answers iframe").locator("pre").inner_text()
            sandbox = page.get_attribute(".station-answers iframe", "sandbox")
        assert r"\u202egnp.exe" in words
        assert "<script>window.ran = 1</script>" in words
        assert page.evaluate("window.ran === undefined")
        page.keyboard.press("s")
        assert comes_true(page, f"document.querySelector('#station').dataset.page !== '{before}'")

    assert (set(shown), sandbox) == ({False, True}, "")
    assert len(shown[True]) < 20_000 < 5 * LONG < len(whole)
    assert all(url.startswith((hostile.process.address, "data:")) for url in seen.requests)
    assert seen.troubles == []


def test_the_policy_holds_where_escaping_is_broken(visit: Callable[..., Visit], comments: Shown) -> None:
    """Put into the page as it stands, an answer runs nothing: no inline script, handler or style is allowed."""
    seen = visit(storage_state=comments.state(visit, "judge"))
    address = f"{comments.process.address}/judging/{comments.process.project}"
    attack = (
        "<script>window.ran = 1</script><img src='/x' onerror='window.ran = 2'>"
        "<style>body { display: none }</style><a id='lure' href='javascript:window.ran=3'>x</a>"
    )

    def broken(route: Any) -> None:
        response = route.fetch()
        route.fulfill(response=response, body=response.text().replace("<h1", attack + "<h1", 1))

    seen.page.route(address, broken)
    seen.page.goto(address)
    seen.page.click("#lure")

    assert comes_true(seen.page, "document.readyState === 'complete'")
    assert seen.page.evaluate("window.ran === undefined")
    assert seen.page.evaluate("getComputedStyle(document.body).display") == "block"
    assert any("Content Security Policy" in words for words in seen.troubles), json.dumps(seen.troubles)
