"""Every page of the station, as its people use them: nothing on the console, and disputes that come to an end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kit.station_kit import comment_run
from kit.station_process import StationProcess, join
from kit.visits import SCREEN, Visit, check_with_axe, comes_true

ITEMS = 2
PHONE = {"width": 390, "height": 844}


@pytest.fixture
def disputed(tmp_path: Path) -> Iterator[StationProcess]:
    """A station whose judge so far says 1 of everything."""
    there = StationProcess(tmp_path, comment_run(tmp_path / "run", ITEMS), "--judgements", 2, "--repeat", 0)
    there.judge_all("ann", dict.fromkeys(("logic", "accuracy", "format"), "1"))
    yield there
    there.stop()


def _judge(there: StationProcess, seen: Visit) -> None:
    """Skip, take it back, and say 5 of everything by keys, to the last page."""
    page = seen.page
    join(page, there.invite(), "bob")
    page.goto(f"{there.address}/judging/{there.project}")
    for keys in ("s", "u", *["555"] * ITEMS):
        before = page.get_attribute("#station", "data-page")
        for key in keys:
            page.keyboard.press(key)
        if keys == "555":
            page.keyboard.press("?")  # the rubric, open and shut
            page.keyboard.press("?")
            page.click("#station-submit")
        assert comes_true(page, f"document.querySelector('#station').dataset.page !== '{before}'")
    assert page.inner_text("#station .lede") == "You have judged all your items. Thank you."
    page.goto(f"{there.address}/account")


def _own(there: StationProcess, seen: Visit) -> None:
    """Look at all that an owner can, and use each form."""
    assert there.owner is not None
    page, home = seen.page, f"{there.address}/projects/{there.project}"
    cookies = there.owner.cookies.items()
    page.context.add_cookies(
        [{"name": name, "value": value, "url": there.address} for name, value in cookies]
    )
    for path in ("/judging", "/account", "/admin", "/admin/audit"):
        page.goto(there.address + path)
    page.goto(f"{home}/agreement")
    page.goto(home)
    page.fill("#text", "Judge what stands there.")
    page.click("text=Save as new version")
    page.click("text=Create link")
    page.wait_for_selector(".made code")
    page.click("text=Close project")
    page.click("text=Open project for judging")
    assert page.inner_text(f"dd:has(a[href='/adjudicating/{there.project}'])").startswith(f"{ITEMS} items")


def _adjudicate(there: StationProcess, seen: Visit) -> None:
    """Decide all that is in dispute."""
    page = seen.page
    join(page, there.invite("adjudicator"), "cyd")
    page.goto(f"{there.address}/adjudicating/{there.project}")
    for left in range(ITEMS, 0, -1):
        words = "1 item left" if left == 1 else f"{left} items left"
        assert page.inner_text(".station-progress") == words
        for field in page.locator("fieldset").all():
            field.locator("label >> nth=2").click()
        page.click("#station-submit")
        page.wait_for_load_state()
    assert page.inner_text("#station .lede") == "No items need adjudication."
    check_with_axe(page, SCREEN, PHONE)


def test_every_page_is_quiet_and_disputes_end(disputed: StationProcess, visit: Callable[..., Visit]) -> None:
    """Judge, owner and adjudicator, each in a browser of their own; axe looks at the adjudicator's last page."""
    judge, owner, adjudicator = visit(), visit(), visit(bypass_csp=True)
    _judge(disputed, judge)
    _own(disputed, owner)
    _adjudicate(disputed, adjudicator)
    last = [vote["round"] for vote in disputed.votes()].count("adjudication")

    assert last == 3 * ITEMS
    assert [each.troubles for each in (judge, owner, adjudicator)] == [[], [], []]
