"""A visit to a page: what it asked for, and what went wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kit.examples import SCALE
from kit.processes import HANG_S, wait_until

Screen = dict[str, int]


def looks(wide: Screen, narrow: Screen) -> list[Any]:
    """Themes and screens to look at a page with: each once, and with BENCHWRIGHT_EXAMPLES each with each.

    A theme changes colours and nothing else, a screen changes everything else.
    """
    looks = {
        "light-wide": ("light", wide),
        "dark-narrow": ("dark", narrow),
        "dark-wide": ("dark", wide),
        "light-narrow": ("light", narrow),
    }
    usual = 2 if SCALE <= 1 else 4
    return [pytest.param(*look, id=name) for name, look in list(looks.items())[:usual]]


class Visit:
    """A page with all that happened to it: requests, dialogs, errors, words on the console."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.requests: list[str] = []
        self.troubles: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.troubles.append(f"error: {error}"))
        page.on("console", lambda message: self.troubles.append(f"console: {message.text}"))
        page.on("dialog", self._dismiss)
        page.set_default_timeout(HANG_S * 1000)

    def _dismiss(self, dialog: Any) -> None:
        self.troubles.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def open(self, path: Path, address: str = "") -> Any:
        """Open a file as from a disk."""
        self.page.goto(path.as_uri() + address)
        return self.page

    def answer(self, path: Path, address: str) -> Any:
        """Open a file at an answer, and wait until it is shown."""
        page = self.open(path, address)
        page.wait_for_selector("#answer h2")
        return page


def comes_true(page: Any, expression: str) -> bool:
    """Whether an expression becomes true. It is asked from outside: a page whose policy forbids `eval` cannot
    be made to look for itself, as `wait_for_function` does where the first look is too early."""
    return wait_until(lambda: _is_true(page, expression))


def _is_true(page: Any, expression: str) -> bool:
    """False while the page is being replaced by another: the evaluation is ended, or elements are not there yet."""
    try:
        return bool(page.evaluate(expression))
    except Exception as error:
        if any(each in str(error) for each in ("context was destroyed", "properties of null")):
            return False
        raise
