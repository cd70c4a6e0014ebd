"""Chromium for the tests of the report: one browser for all of them, a fresh profile for each test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from kit.needs import need, need_module, skip
from kit.visits import Visit

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """The browser that the system has; none is ever downloaded."""
    path = need("chromium", "shows the pages")
    api = need_module("playwright.sync_api")
    try:
        playwright = api.sync_playwright().start()
    except Exception as error:  # noqa: BLE001 (it raises no narrower one)
        skip(f"needs a driver that starts, and it says: {error}; on Debian: apt-get install libatomic1")
    browser = playwright.chromium.launch(executable_path=path, headless=True, args=ARGUMENTS)
    yield browser
    browser.close()
    playwright.stop()


@pytest.fixture
def visit(chromium: Any) -> Iterator[Callable[..., Visit]]:
    """Make a visit: a page in a profile of its own, with the options of a browser context."""
    contexts = []

    def make(**options: Any) -> Visit:
        contexts.append(chromium.new_context(**options))
        return Visit(contexts[-1].new_page())

    yield make
    for context in contexts:
        context.close()
