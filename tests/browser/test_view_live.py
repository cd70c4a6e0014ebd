"""The live view in a browser: a run grows, is killed and goes on; one page follows it, for everybody."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchwright.running.run_folders import note_failure
from benchwright.stub_server import StubServer
from kit.growing_folder import GrowingFolder, answer, verdict
from kit.made_runs import finished_run
from kit.small_data import humaneval
from kit.view_process import ENDS, GrowingRun, ViewProcess, answer_text, script
from kit.visits import Visit, check_with_axe, shows

PHONE, DESK = {"width": 390, "height": 844}, {"width": 1280, "height": 900}
HELD = "slow:seconds=600,contains=def times_"  # the answers to every second task do not arrive
HOSTILE = (
    "<script>window.ran = 1</script><img src=x onerror='window.ran = 2'> \u202egnp.exe "
    "<base href='https://evil.example/'>"
)
LIVE = "html[data-stream=live]"


class Growing:
    """A folder with a finished run, one that grows, and a view of both."""

    def __init__(self, folder: Path) -> None:
        self.data = humaneval(folder, len(ENDS))
        self.runs = folder / "runs"
        rows = {f"Small/{number}": [(answer_text(number, "passed"), "passed")] for number in range(len(ENDS))}
        finished_run(self.runs / "earlier", self.data, rows)
        self.view = ViewProcess(self.runs)
        self.requests: list[Any] = []

    def start(self, server: StubServer) -> GrowingRun:
        """Start or continue the run."""
        return GrowingRun(self.runs / "mine", self.data, server, "--price-in", 1, "--price-out", 2)


@pytest.fixture
def growing(tmp_path: Path, jail: str) -> Iterator[Growing]:
    """The folder, with no run that grows yet."""
    made = Growing(tmp_path)
    with made.view:
        yield made


def opened(visit: Callable[..., Visit], address: str, **options: Any) -> Visit:
    """A visit to a page once its stream has sent the first message."""
    seen = visit(**options)
    seen.page.goto(address)
    seen.page.wait_for_selector(LIVE)
    return seen


def text_of(page: Any, selector: str) -> str:
    """What can be read there, on one line."""
    return " ".join(str(page.inner_text(selector)).split())


def test_a_run_grows_is_killed_and_goes_on(visit: Callable[..., Visit], growing: Growing) -> None:
    """Answers appear as they arrive, their rows stay the same elements, and an opened answer is the report's."""
    seen = opened(visit, growing.view.address, viewport=DESK)
    page = seen.page
    shows(page, "#runs", "earlier", "finished", "6 of 6")
    with StubServer(script(), faults=[HELD]) as server:
        run = growing.start(server)
        shows(page, "#runs", "mine", "running", "0 of 6 judged")
        page.click("#runs a:has-text('mine')")
        page.wait_for_selector(LIVE)
        shows(page, "#progress", "3 of 6 answered")
        first = page.query_selector("#rows tbody tr:last-child")
        run.kill()
    shows(page, "#state", "stopped")
    shows(page, "#why", "The same command continues it.")
    with StubServer(script()) as server:
        run = growing.start(server)
        shows(page, "#progress", "6 of 6 answered", "6 of 6 judged")
        run.finish()
    shows(page, "#state", "finished")
    shows(page, "#outcomes", "passed 3 of 6", "wrong 1 of 6")

    assert page.evaluate(
        "(row) => row.isConnected && row === document.querySelector('#rows tbody').rows[5]", first
    )
    assert "Cost so far" in text_of(page, "#facts")
    page.click("#rows a:has-text('Small/1')")
    shows(page, "#answer", "Program", "return x - 1000", "wrong")
    shows(page, "#reader-list", "earlier", "mine", "1 of 1 passed", "0 of 1 passed")
    page.select_option("#beside select", label="earlier · answer 0 · passed")
    shows(page, "#beside", "Differences between the two answers", "return x * 1")
    page.go_back()
    page.click("#reader-crumbs a >> nth=0")
    page.wait_for_selector("#rows", state="visible")
    assert seen.troubles == []


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ViewProcess]:
    """A view of runs that stopped: one with a row that is damaged, one with a hostile answer."""
    runs = tmp_path_factory.mktemp("stopped")
    made = GrowingFolder(runs / "mine")
    made.answers(answer("a/1"), answer("b", text=HOSTILE), answer("c", error="HTTP 500"))
    made.verdicts(verdict("a/1"), verdict("c", outcome="model_error"))
    made.torn("verdicts.jsonl", b"not json\n")
    made.end()
    other = GrowingFolder(runs / "other")
    other.answers(answer("b", text="theirs"))
    other.end()
    note_failure(runs / "other", "the server is <b>down</b>")
    with ViewProcess(runs) as view:
        yield view


def test_axe_finds_nothing(visit: Callable[..., Visit], stopped: ViewProcess) -> None:
    """No violation in the list, on the page of a run and in its reader; nothing but tables scrolls sideways."""
    page = opened(visit, stopped.address, viewport=DESK, bypass_csp=True).page
    check_with_axe(page, DESK, PHONE)
    page.click("#runs a:has-text('mine')")
    page.wait_for_selector(LIVE)
    shows(page, "#rows", "not judged yet")
    check_with_axe(page, DESK, PHONE)
    page.click("#rows a:has-text('b')")
    shows(page, "#answer", "not judged yet", "Raw text")
    check_with_axe(page, DESK, PHONE)


def test_an_answer_that_cannot_be_read_can_be_tried_again(
    visit: Callable[..., Visit], stopped: ViewProcess
) -> None:
    """The page says why, also where the server does not answer, and the button reads it once more."""
    seen = opened(visit, stopped.address, viewport=DESK)
    page = seen.page
    page.click("#runs a:has-text('mine')")
    page.wait_for_selector(LIVE)
    failures = iter(["abort", "busy"])

    def fail(route: Any) -> None:
        how = next(failures, "")
        if how == "abort":
            route.abort()
        elif how == "busy":
            route.fulfill(
                status=504, json={"error": "The answers could not be read in 30 seconds", "why": ""}
            )
        else:
            route.continue_()

    page.route("**/answers?*", fail)
    page.click("#rows a:has-text('a/1')")
    shows(page, "#answer", "Cannot show the answers", "Try again")
    page.click("#answer button")
    shows(page, "#answer", "could not be read in 30 seconds", "Try again")
    page.click("#answer button")
    shows(page, "#answer", "passed", "Raw text")
    assert not page.is_visible("#answer button")


def test_hostile_answers_run_nothing(visit: Callable[..., Visit], stopped: ViewProcess) -> None:
    """Text of a model, of a reason and of a name is text; nothing is loaded from elsewhere."""
    seen = opened(visit, stopped.address, viewport=DESK)
    page = seen.page
    shows(page, "#runs", "failed")
    page.click("#runs a:has-text('other')")
    page.wait_for_selector(LIVE)
    shows(page, "#why", "the server is <b>down</b>")
    page.goto(stopped.address)
    page.click("#runs a:has-text('mine')")
    page.wait_for_selector(LIVE)
    page.click("#rows a:has-text('b')")
    shows(page, "#answer", "<script>window.ran = 1</script>", "U+202E")

    assert page.evaluate("window.ran === undefined")
    assert all(url.startswith((stopped.address, "data:")) for url in seen.requests)
    assert seen.troubles == []


def test_the_filter_asks_the_server(visit: Callable[..., Visit], stopped: ViewProcess) -> None:
    """By outcome and by the task's name, with the number that is found; damaged rows are listed."""
    page = opened(visit, stopped.address, viewport=DESK).page
    page.click("#runs a:has-text('mine')")
    shows(page, "#filter-count", "3 answers")
    page.select_option("#filter-outcome", "waiting")
    shows(page, "#filter-count", "1 answer")
    rows = text_of(page, "#rows tbody")
    page.select_option("#filter-outcome", "")
    shows(page, "#filter-count", "3 answers")
    page.fill("#filter-find", "A/")
    shows(page, "#filter-count", "1 answer")

    assert rows.startswith("b")
    assert text_of(page, "#rows tbody").startswith("a/1")
    assert "verdicts.jsonl, line 3" in str(page.text_content("#damaged"))


def test_the_page_says_when_the_view_has_ended(visit: Callable[..., Visit], tmp_path: Path) -> None:
    """And is live again once it was started again at the same address."""
    with ViewProcess(tmp_path) as view:
        page = opened(visit, view.address, viewport=PHONE).page
        shows(page, "main", "No runs yet.")
    shows(page, "#live", "Not connected")
    GrowingFolder(tmp_path / "mine").end()
    with ViewProcess(tmp_path, "--port", view.address.rpartition(":")[2]):
        shows(page, "#live", "Live")
        shows(page, "#runs", "mine", "stopped")
