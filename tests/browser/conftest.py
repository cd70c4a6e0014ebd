"""Chromium for the tests of pages: one browser for all tests of a process, an unused profile for each test."""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from kit.needs import need_browser, need_module, skip
from kit.visits import Visit, Visits

HERE = Path(__file__).parent
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@functools.cache
def _launched() -> tuple[Any, Any, Visits]:
    """Return the driver, the installed browser (none is ever downloaded), and the visits that it makes."""
    path = need_browser()
    api = need_module("playwright.sync_api")
    try:
        playwright = api.sync_playwright().start()
    except Exception as error:  # noqa: BLE001 (it raises no narrower one)
        skip(f"the driver of the browser does not start: {error}; on Debian: apt-get install libatomic1")
    browser = playwright.chromium.launch(executable_path=path, headless=True, args=ARGUMENTS)
    return playwright, browser, Visits(browser)


@pytest.fixture(scope="module")
def chromium() -> Any:
    """Return the browser, which all tests of this folder share: starting one costs more than most of them."""
    return _launched()[1]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> Generator[None, Any, Any]:
    """Close the browser after the folder's last test: its event loop would be in the way of other tests."""
    done = yield
    if _launched.cache_info().currsize and (nextitem is None or HERE not in nextitem.path.parents):
        playwright, browser, _ = _launched()
        browser.close()
        playwright.stop()
        _launched.cache_clear()
    return done


@pytest.fixture
def visit(chromium: Any) -> Iterator[Callable[..., Visit]]:
    """Return a function that opens a page in an unused profile, with the options of a browser context."""
    visits = _launched()[2]
    yield visits.make
    visits.end()
