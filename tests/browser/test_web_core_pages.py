"""The core's pages in a browser: first setup to last logout, without a script, in either theme, on either screen."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kit.visits import Visit, check_with_axe
from kit.web_server import WebServer

PASSWORD = "four plain words here"
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 800}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[WebServer]:
    with WebServer(tmp_path / "site.db") as running:
        yield running


def _set_up(server: WebServer, page: Any) -> None:
    page.goto(f"{server.address}/setup?token={server.token}")
    page.get_by_label("Name").fill("anna")
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/account")


def test_every_page_is_for_everybody(server: WebServer, visit: Callable[..., Visit]) -> None:
    """No violation of axe's rules, nothing wider than the screen, and nothing that the policy had to block."""
    # The page's policy forbids the injection of axe, as it forbids that of everything else.
    visited = visit(bypass_csp=True)
    page = visited.page

    def look() -> None:
        check_with_axe(page, WIDE, NARROW)

    page.goto(f"{server.address}/login")
    look()
    page.goto(f"{server.address}/setup?token={server.token}")
    look()
    _set_up(server, page)
    page.get_by_label("Token name").fill("my program")
    page.get_by_role("button", name="Create token").click()
    look()
    page.goto(f"{server.address}/admin")
    page.get_by_label("Recipient").fill("Bert")
    page.get_by_role("button", name="Create link").click()
    look()
    link = page.locator(".made code").inner_text()
    page.goto(f"{server.address}/admin/audit")
    look()
    page.goto(f"{server.address}/nothing")
    look()
    page.context.clear_cookies()
    page.goto(link)
    look()

    assert [each for each in visited.troubles if "404" not in each] == []


def test_all_works_without_scripts_under_the_policy(server: WebServer, visit: Callable[..., Visit]) -> None:
    """Set up, invite, take the invitation up elsewhere, log out and in again, by keyboard and plain forms."""
    anna, bert = visit(java_script_enabled=False), visit(java_script_enabled=False)
    _set_up(server, anna.page)
    anna.page.get_by_role("link", name="Site").click()
    anna.page.get_by_role("button", name="Create link").click()
    link = anna.page.locator(".made code").inner_text()
    bert.page.goto(link)
    bert.page.get_by_label("Name").fill("Bert")
    bert.page.get_by_label("Password").fill(PASSWORD)
    bert.page.keyboard.press("Enter")
    bert.page.wait_for_url("**/account")
    bert.page.get_by_role("button", name="Log out", exact=True).click()
    bert.page.wait_for_url("**/login")
    bert.page.get_by_label("Name").fill("bert")
    bert.page.get_by_label("Password").fill(PASSWORD)
    bert.page.keyboard.press("Enter")
    bert.page.wait_for_url("**/account")

    assert bert.page.get_by_role("heading", level=1).inner_text() == "bert"
    assert (anna.troubles, bert.troubles) == ([], [])
    assert all(re.match(re.escape(server.address) + "|data:", each) for each in anna.requests + bert.requests)
