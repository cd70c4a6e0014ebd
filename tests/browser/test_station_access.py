"""A station's pages for everybody: axe's rules in both themes, wide and narrow, and hostile texts that run nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kit.needs import need_module
from kit.station_kit import comment_run, issue_run
from kit.station_process import StationProcess, join
from kit.visits import Screen, Visit, comes_true, looks

PHONE, DESK = {"width": 390, "height": 844}, {"width": 1280, "height": 900}
LONG = 45_000  # words: a longer answer is read by no track, so no judge is shown it
HOSTILE = (
    "<script>window.ran = 1</script><img src=x onerror='window.ran = 2'><svg onload='window.ran = 3'>\n\n"
    "[a](javascript:window.ran=4) \u202egnp.exe <base href='https://evil.example/'> {n}\n\n" + "long " * LONG
)


class Shown:
    """A station with a judge, and the addresses of all its pages for each role."""

    def __init__(self, folder: Path, run: Path, *words: object) -> None:
        self.process = StationProcess(folder, run, "--judgements", 3, "--repeat", 0, *words)
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
    """Answers that would run something, as long as answers may be."""
    folder = tmp_path_factory.mktemp("hostile")
    shown = Shown(folder, issue_run(folder / "run", 2, text=HOSTILE))
    yield shown
    shown.process.stop()


def addresses(project: str) -> dict[str, tuple[str, str]]:
    """Each page of the station, and who opens it."""
    return {
        "item": ("judge", f"/judging/{project}"),
        "projects": ("judge", "/judging"),
        "project": ("owner", f"/projects/{project}"),
        "agreement": ("owner", f"/projects/{project}/agreement"),
        "case": ("adjudicator", f"/adjudicating/{project}"),
        "reports": ("owner", f"/projects/{project}/reports"),
        "site": ("owner", "/admin"),
        "log": ("owner", "/admin/audit"),
        "missing": ("owner", "/projects/none"),
    }


@pytest.mark.parametrize("name", ["item", "projects", "project", "agreement", "case"])
@pytest.mark.parametrize(("scheme", "screen"), looks(DESK, PHONE))
def test_axe_finds_nothing_at_the_station(
    visit: Callable[..., Visit], comments: Shown, scheme: str, screen: Screen, name: str
) -> None:
    """No violation of WCAG A and AA nor of axe's best practices, with every fold open; one direction to scroll."""
    page = _checked(visit, comments, scheme, screen, name)

    assert page.locator("fieldset").count() == (3 if name in ("item", "case") else 0)


@pytest.mark.parametrize("name", ["reports", "site", "log", "missing"])
@pytest.mark.parametrize(("scheme", "screen"), looks(DESK, PHONE))
def test_axe_finds_nothing_on_pages_of_an_owner(
    visit: Callable[..., Visit], comments: Shown, scheme: str, screen: Screen, name: str
) -> None:
    """The same of reports with an item that was reported, of the site, its log, and a page that is not there."""
    page = _checked(visit, comments, scheme, screen, name)

    assert {
        "reports": "The code is cut off.",
        "site": "ann",
        "log": "ann",
        "missing": "may not have access to it",
    }[name] in page.content()


def _checked(visit: Callable[..., Visit], comments: Shown, scheme: str, screen: Screen, name: str) -> Any:
    """The page with every fold open, once axe has found nothing in it."""
    axe = need_module("axe_playwright_python.sync_playwright", reason="needs axe")
    role, address = addresses(comments.process.project)[name]
    state = comments.state(visit, role)
    seen = visit(color_scheme=scheme, viewport=screen, bypass_csp=True, storage_state=state)
    seen.page.goto(comments.process.address + address)
    seen.page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    results = axe.Axe().run(seen.page)
    found = [
        (violation["id"], violation["nodes"][0]["html"][:150]) for violation in results.response["violations"]
    ]

    assert found == []
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= screen["width"]
    return seen.page


def test_hostile_answers_run_nothing(visit: Callable[..., Visit], hostile: Shown) -> None:
    """Script, handlers and links of an answer are text, all of it is in a frame that can do nothing."""
    seen = visit(storage_state=hostile.state(visit, "judge"))
    page = seen.page
    page.goto(f"{hostile.process.address}/judging/{hostile.process.project}")
    words = page.inner_text(".station-answers")
    page.click(".station-answers details.rest summary")
    frame = page.frame_locator(".station-answers iframe")
    whole = frame.locator("pre").inner_text()

    assert r"\u202egnp.exe" in words
    assert "<script>window.ran = 1</script>" in words
    assert len(words) < 20_000 < 5 * LONG < len(whole)
    assert page.evaluate("window.ran === undefined")
    assert page.evaluate("document.querySelector('.station-answers iframe').getAttribute('sandbox')") == ""
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
