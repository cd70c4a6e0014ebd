"""A spec of suites is executed by the runner of its language, which is kept until the worker ends."""

from __future__ import annotations

from contextlib import ExitStack

import msgspec
import pytest

from benchwright import registry
from benchwright.contracts import Extraction, Judgement, Suite, SuiteReport, SuiteSpec
from benchwright.judges.judge_registry import Resources
from benchwright.judges.suites.runners import SuiteJudge
from benchwright.records import Isolation, Outcome
from benchwright.sandbox.box import Sandbox
from kit.fake_suites import FakeSuites


def judged(judge: SuiteJudge, *ends: str) -> tuple[Judgement, list[tuple[int, SuiteReport]]]:
    """What the judge makes of suites that end so, and the reports in it."""
    suites = [
        Suite(
            lang="Python", framework="pytest", files={"a": f"ends: {end}"}, focal="a", test="a", cases=["t"]
        )
        for end in ends
    ]
    found = judge.judge(Extraction(program="", rule=""), SuiteSpec(suites=suites))
    assert not isinstance(found, Judgement)
    judgement = found()
    return judgement, msgspec.msgpack.decode(judgement.payload, type=list[tuple[int, SuiteReport]])


@pytest.fixture(autouse=True)
def _fake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.RUNNERS, "Python", "kit.fake_suites:FakeSuites")  # type: ignore[arg-type]


def test_reports_are_the_payload() -> None:
    """By the places of the suites, in the order that the runner gave them in."""
    with ExitStack() as closing:
        judgement, reports = judged(SuiteJudge(Resources(Sandbox(), closing)), "success", "assertion")

    assert (judgement.outcome, judgement.isolation) == (Outcome.wrong, Isolation.tamper_evident)
    assert [(place, report.state) for place, report in reports] == [(1, "failed"), (0, "success")]


@pytest.mark.parametrize(
    ("ends", "outcome"),
    [(["success"] * 2, Outcome.passed), (["success", "lost"], Outcome.wrong), (["timeout"], Outcome.wrong)],
)
def test_all_suites_must_succeed(ends: list[str], outcome: Outcome) -> None:
    """One that the runner says nothing of did not."""
    with ExitStack() as closing:
        judgement, _ = judged(SuiteJudge(Resources(Sandbox(), closing)), *ends)

    assert judgement.outcome is outcome


def test_the_runner_is_kept_and_closed_at_the_end() -> None:
    """What it keeps warm serves all specs."""
    before = FakeSuites.closed
    with ExitStack() as closing:
        judge = SuiteJudge(Resources(Sandbox(), closing))
        for _ in range(3):
            judged(judge, "success")
        during = FakeSuites.closed

    assert (during, FakeSuites.closed) == (before, before + 1)
