"""`serve` in a browser: a run is followed to its score while the server is killed; no accessibility violation."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from benchwright.stub_server import StubServer
from benchwright.web.serve.static_site import freeze
from kit.growing_folder import GrowingFolder, answer, verdict
from kit.made_runs import finished_run
from kit.small_data import humaneval
from kit.view_process import ENDS, GrowingRun, ServeProcess, answer_text, script
from kit.visits import Screen, Visit, becomes, check_with_axe, shows

PHONE, DESK = {"width": 390, "height": 844}, {"width": 1280, "height": 900}
HELD = "slow:seconds=600,contains=def times_"  # the answers to every second task do not arrive


def runs_of(folder: Path) -> tuple[Path, Path]:
    """A data set and a folder with three finished runs of it."""
    data = humaneval(folder, len(ENDS))
    for name, failed in {"alpha": 0, "beta": 2, "gamma": 6}.items():
        ends = ["wrong" if n < failed else "passed" for n in range(len(ENDS))]
        rows = {f"Small/{n}": [(answer_text(n, end), end)] for n, end in enumerate(ends)}
        finished_run(folder / "runs" / name, data, rows, model=f"openai:{name}")
    return data, folder / "runs"


def test_a_run_is_followed_to_its_score_while_the_server_is_killed(
    visit: Callable[..., Visit], tmp_path: Path, jail: str
) -> None:
    """The page goes on by itself after `kill -9` and a new start; the score comes at the end, and not before."""
    data, runs = runs_of(tmp_path)
    page = visit(viewport=DESK).page
    with ServeProcess(runs) as served:
        port = served.address.rpartition(":")[2]
        page.goto(served.address)
        shows(page, "main", "All runs", "alpha", "finished")
        with StubServer(script(), faults=[HELD]) as server:
            run = GrowingRun(runs / "mine", data, server)
            shows(page, "#runs", "mine", "running")
            page.click("#runs a:has-text('mine')")
            shows(page, "#progress", "3 of 6 answered")
            shows(page, "#score", "No score before the run is finished")
            served.end(signal.SIGKILL)
            shows(page, "#live", "Not connected")
            run.kill()
    with ServeProcess(runs, "--port", port):
        shows(page, "#live", "Live")
        shows(page, "#state", "stopped")
        with StubServer(script()) as server:
            run = GrowingRun(runs / "mine", data, server)
            run.finish()
        shows(page, "#state", "finished")
        shows(page, "#score", "pass@1", "50.0", "holds")
        page.click("#score a:has-text('Leaderboard of')")
        shows(page, "table.board", "stub", "50.0")  # other rules judged the earlier runs: it is alone
        shows(page, "main", "A ranking needs at least two runs")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServeProcess]:
    """A server of three finished runs and one that is running."""
    folder = tmp_path_factory.mktemp("served")
    _, runs = runs_of(folder)
    growing = GrowingFolder(runs / "live")
    growing.answers(answer("a"), answer("b"))
    growing.verdicts(verdict("a"))
    (runs / "odd").mkdir()
    (runs / "odd/run.json").write_text("[")
    with ServeProcess(
        runs
    ) as made:  # a page that is opened before all runs are read does not list the others later
        assert becomes(
            lambda: all(name in httpx.get(made.address).text for name in ("alpha", "beta", "gamma"))
        )
        yield made
    growing.end()


def test_axe_finds_nothing_on_served_pages(visit: Callable[..., Visit], served: ServeProcess) -> None:
    """No violation on the first page, a leaderboard, a comparison, a run and a model's history."""
    page = visit(viewport=DESK, bypass_csp=True).page
    page.goto(served.address)
    shows(page, "#runs", "live", "1 of 4 judged")
    shows(page, "main", "gamma", "Leaderboards")
    check_with_axe(page, DESK, PHONE)
    page.click("section a:has-text('humaneval')")
    shows(page, "table.board", "order not established")
    check_with_axe(page, DESK, PHONE)
    page.click("button:has-text('Compare')")
    shows(page, "main", "Difference")
    check_with_axe(page, DESK, PHONE)
    page.click("td a >> nth=0")
    shows(page, "#answer", "Program")
    check_with_axe(page, DESK, PHONE)
    page.goto(served.address)
    page.click("a:has-text('gamma') >> nth=0")
    shows(page, "#score", "pass@1")
    check_with_axe(page, DESK, PHONE)
    page.click("a:has-text('History of this model')")
    shows(page, "main", "All runs of this model")
    check_with_axe(page, DESK, PHONE)


@pytest.fixture(scope="module")
def frozen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first page of a static copy of three runs."""
    folder = tmp_path_factory.mktemp("frozen")
    _, runs = runs_of(folder)
    with ThreadPoolExecutor(1) as thread:  # the browser has an event loop in this thread
        return thread.submit(freeze, [runs], folder / "site").result().page


@pytest.mark.parametrize("screen", [DESK, PHONE])
def test_a_static_copy_works_from_a_disk(visit: Callable[..., Visit], frozen: Path, screen: Screen) -> None:
    """Pages open as files: tables are sorted and searched, links lead on, nothing fails or is loaded."""
    seen = visit(viewport=screen)
    page = seen.page
    names = "[...document.querySelectorAll('tbody tr:not([hidden]) th')].map((each) => each.textContent)"
    page.goto(frozen.as_uri())
    page.fill("input[data-table=all-runs]", "GAM")
    assert page.locator("#all-runs tbody tr:visible").all_inner_texts()[0].startswith("gamma")
    page.click("section a:has-text('humaneval')")
    assert page.evaluate(names) == ["alpha", "beta", "gamma"]
    page.click("th:has-text('pass@1') button")
    page.click("th:has-text('pass@1') button")
    assert page.evaluate(names) == ["gamma", "beta", "alpha"]
    page.fill("input[data-table=board]", "bet")
    assert page.evaluate(names) == ["beta"]
    board = page.url
    page.click("a:has-text('beta and gamma')")
    assert page.locator("#changes tbody tr").count() == 4
    page.goto(board)
    page.click("#board a:has-text('alpha')")
    shows(page, "main", "alpha")
    assert [each for each in seen.requests if not each.startswith("file:")] == []
    assert seen.troubles == []


def test_axe_finds_nothing_in_a_static_copy(visit: Callable[..., Visit], frozen: Path) -> None:
    """No violation on a leaderboard and on the first page."""
    page = visit(bypass_csp=True).page
    page.goto(frozen.as_uri())
    check_with_axe(page, DESK, PHONE)
    page.click("section a:has-text('humaneval')")
    check_with_axe(page, DESK, PHONE)
