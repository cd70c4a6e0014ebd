"""A judge at the keyboard: a dozen items, three taken back, one reported, the server killed in the middle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kit.station_kit import comment_run
from kit.station_process import StationProcess, join
from kit.visits import Visit, becomes, shows

ITEMS = 13  # one is reported, the others are judged
HALF = 6


def station(folder: Path, judgements: int) -> StationProcess:
    """A station of comments to rate."""
    words = ("--repeat", 0, "--judgements", judgements, "--seed", "k")
    return StationProcess(folder, comment_run(folder / "run", ITEMS), *words)


@pytest.fixture
def lost(tmp_path: Path) -> Iterator[StationProcess]:
    """A station that is killed and started again."""
    there = station(tmp_path, 1)
    yield there
    there.stop()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StationProcess]:
    """A station where each test has a judge of its own, who is asked for all items whatever others have judged."""
    there = station(tmp_path_factory.mktemp("station"), 10)
    yield there
    there.stop()


def judging(there: StationProcess, visit: Callable[..., Visit], name: str, **options: Any) -> Visit:
    """A visit of a new judge, at their first item."""
    seen = visit(**options)
    join(seen.page, there.invite(), name)
    seen.page.goto(f"{there.address}/judging/{there.project}")
    return seen


class Hands:
    """A judge who touches nothing but keys, and counts them."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.keys: Counter[str] = Counter()

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)
            self.keys[key] += 1

    def token(self) -> str:
        """The token of the page, which is another for each page."""
        token: str = self.page.get_attribute("#station", "data-page")
        return token

    def step(self, *keys: str) -> None:
        """Press keys whose last one sends the page's form, and wait for the next page."""
        before = self.token()
        self.press(*keys)
        assert becomes(lambda: self.token() != before)

    def decided(self) -> int:
        """How many items the page says are decided."""
        return int(self.page.inner_text(".station-progress strong"))

    def code(self) -> str:
        """The name of the function on the page, which tells the items apart."""
        text: str = self.page.inner_text("pre.lines >> nth=0")
        return text.partition("def ")[2].partition("(")[0]


def test_a_dozen_items_by_keyboard_and_a_lost_server(
    lost: StationProcess, visit: Callable[..., Visit]
) -> None:
    """Each decision is its three grades and Enter. After a kill -9 the same item is there with all that was
    decided; at the end no vote is lost and none is doubled."""
    seen = judging(lost, visit, "ann")
    hands = Hands(seen.page)
    said: dict[str, str] = {}

    def decide(grades: str) -> None:
        said[hands.code()] = grades
        hands.step(*grades, "Enter")

    for number in range(HALF):
        decide(f"{number % 5 + 1}{(number + 1) % 5 + 1}{(number + 2) % 5 + 1}")
    keys = sum(hands.keys.values())
    before, held = hands.decided(), hands.code()
    lost.kill()
    hands.press("3", "3", "3", "Enter")
    shows(seen.page, "#station-notice", "Your input is kept")
    lost.start()
    seen.page.reload()

    assert (keys, before) == (4 * HALF, HALF)
    assert (hands.code(), hands.decided()) == (held, HALF)
    hands.press("r")
    seen.page.keyboard.type("the code is cut off")
    hands.press("Tab")
    hands.step("Enter")
    for _ in range(3):
        decide("123")
        hands.step("u")
        decide("321")
    while hands.decided() < ITEMS - 1:
        decide("555")
    votes = lost.votes()
    by_item: dict[int, dict[str, int]] = {}
    for vote in votes:
        by_item.setdefault(vote["task_id"], {})[vote["field"]] = vote["value"]
    expected = {
        int(code.rpartition("_")[2]): dict(
            zip(("logic", "accuracy", "format"), map(int, grades), strict=True)
        )
        for code, grades in said.items()
    }

    assert "You have judged all your items" in seen.page.inner_text("#station")
    assert (len(votes), by_item) == (3 * (ITEMS - 1), expected)
    assert int(held.rpartition("_")[2]) not in by_item
    while_dead = (
        "ERR_CONNECTION",
        "htmx:afterRequest",
        "htmx:sendError",
    )  # said on the console while it was dead
    assert [words for words in seen.troubles if not any(each in words for each in while_dead)] == []
    assert lost.stop() == 0


def test_keys_that_open_and_close(running: StationProcess, visit: Callable[..., Visit]) -> None:
    """The rubric opens and closes; a comment is typed without its letters acting; N goes on; Escape leaves."""
    seen = judging(running, visit, "keys")
    page = seen.page
    hands = Hands(page)
    hands.press("?")
    opened = page.get_attribute("#station-rubric", "open") is not None
    hands.press("?")
    closed = page.get_attribute("#station-rubric", "open") is None
    hands.press("c")
    page.keyboard.type("usrn 123 ?")
    comment = page.input_value("#station-comment")
    hands.press("Escape", "n", "n")
    focused = page.evaluate("document.activeElement.name")
    hands.press("4")
    chosen = page.evaluate("[...document.querySelectorAll('input:checked')].map((each) => each.id)")

    assert (opened, closed, comment) == (True, True, "usrn 123 ?")
    assert focused == "say-accuracy"
    assert chosen == ["say-accuracy-4"]
    assert seen.troubles == []


def test_a_second_tab_says_so(running: StationProcess, visit: Callable[..., Visit]) -> None:
    """Both tabs say that the project is open twice; a draft of the first is in the second."""
    seen, before = judging(running, visit, "tabs"), running.votes()
    seen.page.keyboard.press("2")
    with seen.page.expect_response("**/draft"):
        pass
    other = seen.page.context.new_page()
    other.goto(seen.page.url)

    shows(other, "#station-notice", "in another tab")
    shows(seen.page, "#station-notice", "in another tab")
    assert other.is_checked("#say-logic-2")
    seen.page.keyboard.press("3")
    seen.page.keyboard.press("3")
    seen.page.keyboard.press("Enter")
    shows(seen.page, "#station-notice", "opened again later")
    assert running.votes() == before


def test_what_is_entered_survives_leaving_at_once(
    running: StationProcess, visit: Callable[..., Visit]
) -> None:
    """A grade and a comment, and the page is left in three ways before a draft was sent by time. What was
    submitted stays with its item: the next one is empty, also after a reload."""
    page = judging(running, visit, "leaves").page
    address = page.url
    code = Hands(page).code()
    for grade, leave in enumerate(("reload", "elsewhere", "closed"), start=2):
        page.focus("#say-logic-1")
        page.keyboard.press(str(grade))
        page.fill("#station-comment", leave)
        if leave == "reload":
            page.reload()
        elif leave == "elsewhere":
            page.goto(f"{running.address}/judging")
            page.goto(address)
        else:
            context = page.context
            page.close()
            page = context.new_page()
            page.goto(address)

        assert Hands(page).code() == code
        assert becomes(lambda: page.is_checked(f"#say-logic-{grade}")), leave  # noqa: B023
        assert page.input_value("#station-comment") == leave
    page.focus("#say-accuracy-1")
    for key in ("1", "1", "Enter"):
        page.keyboard.press(key)
    assert becomes(lambda: Hands(page).code() != code)
    page.reload()

    assert (page.locator("input:checked").count(), page.input_value("#station-comment")) == (0, "")


def test_another_layout_and_an_ended_session(running: StationProcess, visit: Callable[..., Visit]) -> None:
    """Where the S key writes a Cyrillic letter, it still skips. Without a session, to send again could not work,
    so the page says what does."""
    seen = judging(running, visit, "layout")
    hands = Hands(seen.page)
    code = hands.code()
    seen.page.evaluate(
        "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'ы', code: 'KeyS', bubbles: true}))"
    )
    assert becomes(lambda: hands.code() != code)
    seen.page.context.clear_cookies()
    for key in ("3", "3", "3", "Enter"):
        seen.page.keyboard.press(key)
    shows(seen.page, "#station-notice", "session has expired")


def test_without_scripts(running: StationProcess, visit: Callable[..., Visit]) -> None:
    """Plain forms do the same: rate, submit, take back."""
    before = running.votes()
    page = judging(running, visit, "plain", java_script_enabled=False).page
    for field in ("logic", "accuracy", "format"):
        page.click(f"label[for=say-{field}-4]")
    page.click("#station-submit")
    page.wait_for_load_state()
    decided = page.inner_text(".station-progress strong")
    page.click("button[value=undo]")
    page.wait_for_load_state()

    assert (decided, page.inner_text(".station-progress strong")) == ("1", "0")
    assert page.is_checked("#say-format-4")
    assert running.votes() == before
