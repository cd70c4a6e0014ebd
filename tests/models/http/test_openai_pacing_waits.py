"""A wait that is long enough to be noticed says what is waited for, once."""

from __future__ import annotations

from benchwright.models.http.endpoint import find_endpoint
from benchwright.models.http.failures import RequestFailure
from benchwright.models.http.pacing import WaitReporter
from kit.asking_kit import FakeClock, Heard, Scripted, good, model_on, prompts, refusal


class Scene:
    """Waits on a clock that is set by hand, and what was told."""

    def __init__(self) -> None:
        self.clock, self.heard = FakeClock(), Heard()
        endpoint = find_endpoint("http://h/v1", api="chat", environment={"OPENAI_API_KEY": "sk-secret"})
        self.waits = WaitReporter(endpoint, clock=self.clock, tell=self.heard)

    def fail(self, wait_s: float, *, asked_s: float | None = None, text: str = "HTTP 429: slow") -> None:
        """A request fails and waits."""
        failed = RequestFailure(429, text, wait_s=wait_s, asked_s=asked_s)
        self.waits.after(failed, attempt=0, tries=7)

    @property
    def told(self) -> list[float]:
        """How long the waits are that were told."""
        return [detail["for_s"] for _, detail in self.heard.events]


def test_what_is_told() -> None:
    """How long, which try comes after it, who is waited for and why, and who asked for it; never the key."""
    scene = Scene()
    scene.fail(300.0, asked_s=86_400.0, text="HTTP 429: slow down, sk-secret")
    why = "http://h/v1: HTTP 429: slow down, … (the server asks for 24.0 h, of which 5 min are waited)"

    assert scene.heard.events == [("wait", {"for_s": 300.0, "why": why, "try": 2, "tries": 7})]


def test_a_wait_of_our_own() -> None:
    """The message does not say that a server asked for it."""
    scene = Scene()
    scene.fail(42.0)

    assert scene.heard.events[0][1]["why"] == "http://h/v1: HTTP 429: slow"


def test_short_waits_are_not_told() -> None:
    """Short waits are not reported."""
    scene = Scene()
    for wait_s in (0.0, 1.0, 5.0):
        scene.fail(wait_s)

    assert scene.told == []


def test_those_who_wait_together_are_told_once() -> None:
    """64 refused at about the same time; a much longer wait, or one after these, is another one."""
    scene = Scene()
    for number in range(64):
        scene.fail(30.0 + number / 100)
    scene.fail(200.0)
    scene.clock.time = 201.0
    scene.fail(30.0)

    assert scene.told == [30.0, 200.0, 30.0]


def test_a_slow_rate_is_told_once() -> None:
    """It is the same from the first request to the last."""
    scene = Scene()
    for _ in range(100):
        scene.waits.between(10.0)
        scene.waits.between(4.0)

    assert scene.told == [10.0]


def test_a_model_tells_of_the_wait_that_its_server_asks_for() -> None:
    """All the way from the header."""
    heard = Heard()
    model = model_on(Scripted(refusal(429, retry_after="60"), good()))
    model.observe(heard)
    answers = list(model.answer(prompts(tasks=8), {}))
    waits = [detail for kind, detail in heard.events if kind == "wait"]

    assert ([answer.error for answer in answers], len(waits)) == ([None] * 8, 1)
    assert "the server asks for 60 s" in waits[0]["why"]
