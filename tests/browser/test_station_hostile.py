"""Answers that would act on the page: they are shown as text, and nothing of them runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kit.station_kit import issue_run
from kit.station_process import StationProcess, join
from kit.visits import Visit

ACTS = (
    "<script>window.hit = 1</script><img src=x onerror='window.hit = 2'><svg onload='window.hit = 3'></svg>"
    "<iframe srcdoc='<script>parent.hit = 4</script>'></iframe><base href='https://evil.example/'>"
    "<a href='javascript:window.hit = 5' id=trap>x</a><style>body { display: none }</style>"
    "<link rel=stylesheet href='https://evil.example/s.css'><img src='https://evil.example/p.png'>"
    "<meta http-equiv=refresh content='0;url=https://evil.example/'>"
)
MARK = "MARKED-ANSWER"


@pytest.fixture
def running(tmp_path: Path) -> Iterator[StationProcess]:
    """A station whose answers hold all of that."""
    run = issue_run(
        tmp_path / "run",
        3,
        text=f"{MARK} {ACTS} [l](javascript:window.hit=6) ![p](https://evil.example/q.png)",
    )
    there = StationProcess(tmp_path, run, "--repeat", 0, "--judgements", 2)
    yield there
    there.stop()


def test_a_hostile_answer_runs_nothing(running: StationProcess, visit: Callable[..., Visit]) -> None:
    """It is shown as text; the page asks nobody else and says nothing on the console."""
    seen = visit()
    join(seen.page, running.invite(), "ann")
    seen.page.goto(f"{running.address}/judging/{running.project}")

    assert "<script>window.hit = 1</script>" in seen.page.inner_text(".answer")
    assert seen.page.evaluate("window.hit") is None
    assert all(url.startswith(running.address) for url in seen.requests)
    assert seen.troubles == []
