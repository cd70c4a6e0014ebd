"""One prompt until it is answered or given up, on a clock that does not wait."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from benchwright.contracts import RequestOptions
from benchwright.errors import RunError
from benchwright.http_client import HttpReply, backoff
from benchwright.models.http.endpoint import find_endpoint
from benchwright.models.http.failures import RequestFailure
from benchwright.models.http.request_pool import PromptAsker
from benchwright.records import Answer
from kit.asking_kit import FakeClock, Heard, Scripted, good, prompts, refusal

NOBODY = RequestFailure("connect", "Connection refused")
REFUSED_KEY = {"status": 401, "message": "Incorrect key sk-secret", "code": "invalid_api_key"}


class Scene:
    """An asker with its clock and its listener."""

    def __init__(self, **settings: Any) -> None:
        self.clock, self.heard = FakeClock(), Heard()
        asking = RequestOptions(**settings)
        endpoint = find_endpoint("http://h/v1", api=asking.api, environment={"OPENAI_API_KEY": "sk-secret"})
        self.asker = PromptAsker("m", asking, endpoint, clock=self.clock, tell=self.heard)

    def ask(self, *outcomes: HttpReply | RequestFailure, task: int = 0) -> Answer:
        """The answer to one prompt on a connection with these outcomes."""
        self.connection = Scripted(*outcomes)
        return asyncio.run(self.asker.ask(prompts(task + 1)[task], self.connection))

    def end(self, *outcomes: HttpReply | RequestFailure) -> RunError:
        """The error that ends the run."""
        with pytest.raises(RunError) as caught:
            self.ask(*outcomes)
        return caught.value

    @property
    def requests(self) -> int:
        """How often the last prompt was sent."""
        return len(self.connection.bodies)


def test_an_answer_has_all_that_is_known_of_it() -> None:
    """Key and place come from the prompt, the seed from the request, other fields from the reply."""
    scene = Scene()
    actual = scene.ask(good("code"))
    expected = Answer(
        key="0/0",
        task_id=0,
        sample=0,
        model="openai:m",
        text="code",
        prompt="v",
        seed=scene.connection.bodies[0]["seed"],
        finish_reason="stop",
        tokens_in=7,
        tokens_out=3,
    )

    assert actual == expected
    assert (scene.heard.events, scene.clock.slept) == ([], [])


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_a_busy_server_is_asked_again(status: int) -> None:
    """With the same seed: the answer is the one that would have come at first."""
    scene = Scene()
    actual = scene.ask(refusal(status), refusal(status), good())
    told = [(kind, detail["status"], detail["try"]) for kind, detail in scene.heard.events]

    assert (actual.text, actual.error, scene.requests) == ("code", None, 3)
    assert told == [("retry", status, 1), ("retry", status, 2)]
    assert len({body["seed"] for body in scene.connection.bodies}) == 1


@pytest.mark.parametrize(
    "bad",
    [
        RequestFailure("timeout", "late"),
        RequestFailure("dropped", "gone"),
        RequestFailure("cut", "half", fault="cut"),
        HttpReply(200, {}, b"{"),
        HttpReply(200, {}, b"[]"),
        HttpReply(200, {}, b'"\xff"'),
    ],
)
def test_a_broken_reply_is_asked_for_again(bad: HttpReply | RequestFailure) -> None:
    """It is no answer, so it is not a wrong one either."""
    scene = Scene()
    actual = scene.ask(bad, good())

    assert (actual.text, actual.error, scene.requests) == ("code", None, 2)


def test_without_a_wish_of_the_server_waits_double() -> None:
    """By the prompt's key, so the same run waits the same."""
    scene = Scene(retries=4)
    scene.ask(refusal(500))

    assert scene.clock.slept == [backoff("0/0", attempt) for attempt in range(4)]


def test_retry_after_is_kept_to() -> None:
    """To the second, whether it is longer or shorter than the wait of our own."""
    scene = Scene()
    scene.ask(refusal(429, retry_after="17"), refusal(500, retry_after="0.5"), good())
    told = [detail["wait_s"] for kind, detail in scene.heard.events if kind == "retry"]

    assert (scene.clock.time, told) == (17.5, [17.0, 0.5])


def test_after_the_last_try_the_answer_is_missing() -> None:
    """Its outcome is model_error, and the reason is the server's own."""
    scene = Scene(retries=2)
    actual = scene.ask(refusal(500, "boom\x1b[31m"))

    assert (actual.text, scene.requests) == ("", 3)
    assert actual.error == "HTTP 500: boom\\x1b[31m (tried 3 times)"


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_refused_prompt_is_not_asked_again(status: int) -> None:
    """A prompt that is too long stays too long."""
    scene = Scene()
    actual = scene.ask(refusal(status, "maximum context length is 4096"))

    assert (scene.requests, scene.clock.slept) == (1, [])
    assert actual.error == f"HTTP {status}: maximum context length is 4096"


def test_a_huge_reply_is_not_asked_for_again() -> None:
    """It would be as huge again."""
    scene = Scene()
    actual = scene.ask(RequestFailure("huge", "more than 32 MiB", course="give up", fault="huge"))

    assert (actual.error, scene.requests) == ("more than 32 MiB", 1)
    assert scene.heard.counts("server_fault", "fault") == {"huge": 1}


@pytest.mark.parametrize(
    ("reply", "hint"),
    [
        (refusal(401, "Incorrect key"), "OPENAI_API_KEY"),
        (refusal(402, "pay"), "bill"),
        (refusal(403, "no access"), "may use this model"),
        (refusal(404, "The model `m` does not exist"), "model's name"),
        (refusal(405, "Method Not Allowed"), "/v1"),
        (refusal(429, "quota", code="insufficient_quota"), "no credit left"),
        (HttpReply(307, {"location": "http://other/"}, b""), "--base-url"),
    ],
)
def test_what_no_prompt_can_pass_ends_the_run(reply: HttpReply, hint: str) -> None:
    """At the first reply, with what to do."""
    scene = Scene()
    error = scene.end(reply)

    assert error.message.startswith("http://h/v1 refuses to answer: HTTP ")
    assert hint in str(error.hint)
    assert scene.requests == 1


def test_the_key_is_in_no_message() -> None:
    """Some servers repeat it."""
    scene = Scene()
    error = scene.end(refusal(401, "Incorrect key sk-secret"))

    assert "sk-secret" not in str(error)
    assert "Incorrect key …" in error.message


def test_nothing_at_the_address_is_noticed_soon() -> None:
    """Three tries, two short waits: a wrong port must not take a minute, a starting server a little."""
    scene = Scene()
    error = scene.end(NOBODY)

    assert error.message == "nothing answers at http://h/v1: Connection refused"
    assert "--base-url" in str(error.hint)
    assert scene.requests == 3 and scene.clock.time <= 3


def test_a_server_that_goes_away_ends_the_run_after_all_tries() -> None:
    """It may have been restarted; when it has not come back, asking on would only cost time."""
    scene = Scene(retries=4)
    scene.ask(good())
    error = scene.end(NOBODY)

    assert error.message == "http://h/v1 no longer answers: Connection refused"
    assert scene.requests == 5


def test_a_server_that_takes_no_more_connections_is_there_all_the_same() -> None:
    """A prompt whose connections fail is missing; other prompts are answered, and the run continues."""
    scene = Scene(retries=2)
    scene.ask(good())

    class Full(Scripted):
        async def post(self, body: bytes) -> HttpReply:
            scene.asker.answered += 1
            return await super().post(body)

    answer = asyncio.run(scene.asker.ask(prompts()[0], Full(NOBODY)))

    assert answer.error == "Connection refused (tried 3 times)"


def test_a_server_that_comes_back_is_asked_on() -> None:
    """As after a restart."""
    scene = Scene()
    scene.ask(good())
    actual = scene.ask(NOBODY, NOBODY, NOBODY, NOBODY, good())

    assert actual.text == "code"


def test_a_server_dead_behind_its_gateway_ends_the_run() -> None:
    """Twenty prompts of several tasks in a row without an answer."""
    scene = Scene(retries=0)
    for task in range(19):
        scene.ask(refusal(502), task=task)
        scene.asker.check_alive()
    scene.ask(refusal(502), task=19)
    with pytest.raises(RunError) as caught:
        scene.asker.check_alive()

    assert "the last 20 prompts got no answer: HTTP 502: no" in caught.value.message
    assert "resumes the run" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("status", "tasks"),
    [(400, 30), (500, 2)],
)
def test_prompts_that_a_server_cannot_take_end_nothing(status: int, tasks: int) -> None:
    """Neither refusals of prompts, nor one or two tasks that make it stumble."""
    scene = Scene(retries=0)
    answers = [scene.ask(refusal(status), task=number % tasks) for number in range(30)]
    scene.asker.check_alive()

    assert all(answer.error for answer in answers)


def test_one_answer_breaks_the_silence() -> None:
    """Every second request failing is a bad server, and not a dead one."""
    scene = Scene(retries=0)
    for task in range(40):
        scene.ask(good() if task % 2 else refusal(502), task=task)
        scene.asker.check_alive()

    assert scene.asker.answered == 20


def test_faults_are_told_with_their_place() -> None:
    """Once, with the sentence for people and where it was seen."""
    scene = Scene()
    scene.ask(good("", model="other\x07", usage=None))
    expected = {
        "other-model": ("it says that another model answered", "other\\x07"),
        "usage-missing": ("it does not count tokens, so neither does the score", ""),
        "empty": ("it sent empty answers, which count as the model's", "finish_reason stop"),
    }
    told = {detail["fault"]: (detail["means"], detail["detail"]) for _, detail in scene.heard.events}
    places = {
        (kind, detail["task"], detail["sample"], detail["count"]) for kind, detail in scene.heard.events
    }

    assert told == expected
    assert places == {("server_fault", 0, 0, 1)}


def test_each_broken_reply_is_counted() -> None:
    """Also those that a later try made good."""
    scene = Scene()
    for _ in range(3):
        scene.ask(HttpReply(200, {}, b"{"), HttpReply(200, {}, b"{"), good())
    scene.asker.close()

    assert scene.heard.counts("server_fault", "fault") == {"wrong-json": 6}
    assert scene.heard.counts("retry", "status") == {"wrong-json": 6}


def test_a_refusal_for_load_holds_the_others_back() -> None:
    """Eight prompts at once on a server that refuses the first for ten seconds: none is sent before that."""
    clock, sent = FakeClock(), list[float]()

    class Timed(Scripted):
        async def post(self, body: bytes) -> HttpReply:
            sent.append(clock.time)
            return await super().post(body)

    asking = RequestOptions(base_url="http://h/v1", concurrency=1)
    endpoint = find_endpoint("http://h/v1", api="chat", environment={})
    asker = PromptAsker("m", asking, endpoint, clock=clock, tell=Heard())
    connection = Timed(refusal(429, retry_after="10"), good())

    async def crowd() -> list[Answer]:
        return await asyncio.gather(*(asker.ask(prompt, connection) for prompt in prompts(8)))

    answers = asyncio.run(crowd())

    assert [answer.text for answer in answers] == ["code"] * 8
    assert (sent[0], min(sent[1:])) == (0.0, 10.0)
