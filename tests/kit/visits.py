"""Visits to pages in a browser: their requests, dialogs, errors and console messages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from kit.examples import SCALE
from kit.needs import need_module
from kit.processes import wait_until

Screen = dict[str, int]
PAGE_S = 60.0  # limit of a test whose page never shows the awaited text
SCREEN: Screen = {"width": 1280, "height": 720}  # of a browser context without options
BLANK = "about:blank"
_FOLLOW = f"""const follow = async (step, selector) => {{
    step();
    const end = Date.now() + {PAGE_S * 1000:.0f};
    while (!document.querySelector(selector)?.checkVisibility()) {{
        if (Date.now() > end) throw new Error(`${{selector}} is not shown`);
        await new Promise((done) => setTimeout(done, 1));
    }}
}};
"""


def looks(wide: Screen, narrow: Screen) -> list[tuple[str, Screen]]:
    """Return themes and screens for looking at a page: each once, or with BENCHWRIGHT_EXAMPLES all
    combinations.

    A theme changes only colours; a screen changes everything else.
    """
    each = [("light", wide), ("dark", narrow), ("dark", wide), ("light", narrow)]
    return each[: 2 if SCALE <= 1 else 4]


# Violations with their first element, and the names of rules without any: elements of other results are not sent.
_AXE = """axe.run({ resultTypes: ["violations"] }).then((results) => [
    results.violations.map((each) => [each.id, each.nodes[0].html.slice(0, 150)]),
    results.passes.map((each) => each.id),
    document.documentElement.scrollWidth,
])"""


def check_with_axe(page: Any, wide: Screen, narrow: Screen) -> set[str]:
    """Check the open page with each theme and screen: axe finds no violation, and only boxes scroll sideways.

    Return the names of the rules that axe applied without a violation. The page is not reloaded in between.
    """
    page.evaluate(need_module("axe_playwright_python.sync_playwright", reason="needs axe").Axe().axe_script)
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    kept = set[str]()
    for scheme, screen in looks(wide, narrow):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size(screen)
        found, passed, width = page.evaluate(_AXE)
        kept.update(passed)

        assert (page.url, scheme, screen, found) == (page.url, scheme, screen, [])
        assert (page.url, screen, width <= screen["width"]) == (page.url, screen, True)
    return kept


class Visit:
    """A page with its recorded requests, dialogs, errors and console messages."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.requests: list[str] = []
        self.troubles: list[str] = []
        self._heard: dict[str, Callable[[Any], None]] = {
            "request": lambda request: self.requests.append(request.url),
            "pageerror": lambda error: self.troubles.append(f"error: {error}"),
            "console": lambda message: self.troubles.append(f"console: {message.text}"),
            "dialog": self._dismiss,
        }
        for event, hear in self._heard.items():
            page.on(event, hear)
        page.context.set_default_timeout(PAGE_S * 1000)

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

    def leave(self) -> bool:
        """End the visit. Return whether another test may use the page: it is the only one in its profile, and
        read only files."""
        alone = not self.page.is_closed() and self.page.context.pages == [self.page]
        if not alone or any(not url.startswith(("file:", "data:", "blob:")) for url in self.requests):
            return False
        for event, hear in self._heard.items():
            self.page.remove_listener(event, hear)
        self.page.goto(BLANK)
        return True


class Visits:
    """Makes visits. A new profile costs three times as much as opening a report in an existing page."""

    def __init__(self, browser: Any) -> None:
        self._browser = browser
        self._free: list[tuple[dict[str, Any], Any]] = []
        self._made: list[tuple[dict[str, Any], Visit]] = []

    def make(self, *, color_scheme: str = "light", viewport: Screen | None = None, **options: Any) -> Visit:
        """Return a visit to a page in an unused profile, with the options of a browser context."""
        page = self._page(options)
        page.emulate_media(media="null", color_scheme=color_scheme)
        page.set_viewport_size(viewport or SCREEN)
        self._made.append((options, Visit(page)))
        return self._made[-1][1]

    def _page(self, options: dict[str, Any]) -> Any:
        for place, (its_options, page) in enumerate(self._free):
            if its_options == options:
                del self._free[place]
                return page
        return self._browser.new_context(**options).new_page()

    def end(self) -> None:
        """End the visits of a test, and keep the pages that another test may use."""
        for options, visit in self._made:
            if visit.leave():
                self._free.append((options, visit.page))
            else:
                visit.page.context.close()
        self._made.clear()
        while len(self._free) > 4:
            self._free.pop(0)[1].context.close()


def in_page(page: Any, body: str, given: Any = None) -> Any:
    """Return the result of an asynchronous function in the page, which replaces many calls from outside the
    browser.

    Its body may use `given`, and `follow(step, selector)`, which takes a step and waits until an element is
    shown.
    """
    return page.evaluate(f"async (given) => {{ {_FOLLOW} {body} }}", given)


def becomes(holds: Callable[[], bool]) -> bool:
    """Return whether the condition holds within the time limit of a page."""
    return wait_until(holds, deadline_s=PAGE_S)


def comes_true(page: Any, expression: str) -> bool:
    """Return whether an expression becomes true. It is evaluated from outside: a page whose policy forbids
    `eval` cannot poll itself, which `wait_for_function` needs if the first evaluation is too early."""
    return becomes(lambda: _is_true(page, expression))


def _is_true(page: Any, expression: str) -> bool:
    """Return False while another page is loading: the evaluation is aborted, or elements are missing."""
    try:
        return bool(page.evaluate(expression))
    except Exception as error:
        if any(each in str(error) for each in ("context was destroyed", "properties of null")):
            return False
        raise


def shows(page: Any, selector: str, *words: str) -> None:
    """Wait until all these words are shown on one line; the page may be reloaded meanwhile."""

    def text() -> str:
        try:
            return " ".join(str(page.locator(selector).first.inner_text(timeout=2000)).split())
        except Exception:  # noqa: BLE001 (the page is being loaded)
            return ""

    assert becomes(lambda: all(each in text() for each in words)), (words, text())
