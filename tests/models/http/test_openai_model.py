"""The model as a run uses it: lazily, in arrival order, with nothing lost and nothing left behind."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import threading
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from benchwright.contracts import ObservableModel, Prompt, RequestOptions
from benchwright.errors import PrerequisiteError, RunError, UsageError
from benchwright.models.http.failures import RequestFailure
from benchwright.models.http.model import OpenAIModel, open_model
from benchwright.models.spec import parse_model
from benchwright.records import Answer, Task
from benchwright.store.keys import content_key
from benchwright.stub_server import Script, StubServer
from kit.asking_kit import (
    FakeClock,
    Heard,
    RawServer,
    Scripted,
    document,
    good,
    http,
    model_at,
    model_on,
    prompts,
    refusal,
    stub_model,
    texts,
)


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    """Holds for each test of this file: the sandbox forks after asking, and must find no threads."""
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) <= before


@pytest.fixture(autouse=True)
def no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs the tests may have a key, or a proxy."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


def ask(model: OpenAIModel, questions: list[Prompt]) -> list[Answer]:
    """All answers."""
    return list(model.answer(questions, {}))


def test_the_spec_opens_it() -> None:
    """Nothing is sent; the environment says where it would be."""
    model = parse_model("openai:Qwen/Qwen3:8b")

    assert isinstance(model, OpenAIModel) and isinstance(model, ObservableModel)
    assert (model.spec, model.base_url) == ("openai:Qwen/Qwen3:8b", "https://api.openai.com/v1")


@pytest.mark.parametrize("rest", ["", " ", "a\nb"])
def test_a_model_needs_a_name(rest: str) -> None:
    """With an example of one."""
    with pytest.raises(UsageError) as caught:
        open_model(rest)

    assert "openai:qwen3-8b" in str(caught.value.hint)


@pytest.mark.parametrize(("temperature", "expected"), [(None, False), (0.6, False), (0.0, True)])
def test_only_greedy_answers_are_all_alike(temperature: float | None, expected: bool) -> None:
    """So that by default it is asked once."""
    assert open_model("m", asking=RequestOptions(temperature=temperature)).deterministic is expected


def test_identity_is_what_decides_the_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the key, the pace nor the server's address is in it, and it has a content key."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    asking = RequestOptions(
        base_url="http://h/v1/", stop=("a",), body={"k": 1}, concurrency=3, budget=1, price_in=1, price_out=1
    )
    actual = dict(open_model("m", asking=asking).identity())
    expected = {
        "scheme": "openai",
        "name": "m",
        "api": "chat",
        "temperature": 0.6,
        "top_p": None,
        "max_tokens": 2048,
        "stop": ["a"],
        "seed": 1234,
        "body": {"k": 1},
    }

    assert actual == expected
    assert content_key(actual) == content_key(json.loads(json.dumps(actual)))


@pytest.mark.parametrize(
    "changed",
    [
        {"model_id": "the fine-tuned one"},
        {"api": "completions"},
        {"temperature": 0.5},
        {"top_p": 0.5},
        {"max_tokens": 5},
        {"stop": ("x",)},
        {"seed": 1},
        {"body": {"k": 2}},
    ],
)
def test_each_parameter_makes_another_model(changed: dict[str, Any]) -> None:
    """Its answers are not taken for those of another."""
    base: dict[str, Any] = {"base_url": "http://h/v1"}
    one, other = (open_model("m", asking=RequestOptions(**settings)) for settings in (base, base | changed))

    assert one.identity() != other.identity()


def test_it_can_make_as_many_answers_as_asked() -> None:
    """It holds none."""
    task = Task(task_id=1, instruction="", inputs={}, outputs=None, meta={}, revision="r")

    assert open_model("m").samples(task) is None


def test_openai_itself_is_not_asked_without_a_key() -> None:
    """Known before anything is sent; where nothing is left to ask, no key is needed."""
    model = open_model("gpt")
    nothing = list(model.answer([], {}))
    with pytest.raises(PrerequisiteError) as caught:
        next(iter(model.answer(prompts(), {})))

    assert (nothing, caught.value.exit_code) == ([], 3)


@pytest.mark.parametrize("api", ["chat", "completions"])
def test_each_prompt_is_asked_once_with_its_own_seed(api: str) -> None:
    """Against a real server: 40 prompts, 40 requests, 40 seeds, and the answers belong to them."""
    questions = prompts(tasks=4, n=10)
    with StubServer() as server:
        answers = ask(stub_model(server, api=api), questions)
        stats, bodies = server.stats(), server.requests()
    seeds = {answer.key: answer.seed for answer in answers}

    assert sorted(seeds) == sorted(prompt.key for prompt in questions)
    assert (stats["requests"], stats["successes"], len(stats["keys"])) == (40, 40, 40)
    assert {body["body"]["seed"] for body in bodies} == set(seeds.values())
    assert all("n" not in body["body"] for body in bodies)
    assert all(f"seed {answer.seed}," in answer.text for answer in answers)
    assert all(answer.text.endswith(f"task {answer.task_id}") for answer in answers)


def test_a_second_run_gets_the_same_answers() -> None:
    """The seeds come from the keys, not from chance or from the order of arrival."""
    questions = prompts(tasks=3, n=5)
    with StubServer() as server:
        first = ask(stub_model(server, concurrency=1), questions)
        second = ask(stub_model(server, concurrency=16), questions)

    assert sorted(first, key=lambda answer: answer.key) == sorted(second, key=lambda answer: answer.key)


def test_requests_are_in_flight_together_up_to_the_limit() -> None:
    """And never more."""
    with StubServer(faults=["slow:seconds=0.3"]) as server:
        ask(stub_model(server, concurrency=4), prompts(tasks=8))
        stats = server.stats()

    assert stats["most_in_flight"] == 4


def test_prompts_are_taken_as_they_are_needed() -> None:
    """At most twice the requests in flight are ahead of the answers: a run may have a million."""
    taken = 0

    def endless() -> Iterator[Prompt]:
        nonlocal taken
        while True:
            taken += 1
            yield Prompt(key=str(taken), task_id=taken, sample=0, text="x")

    lag = []
    with StubServer() as server:
        answers = stub_model(server, concurrency=4).answer(endless(), {})
        for number, _ in enumerate(answers, start=1):
            lag.append(taken - number)
            if number == 200:
                break
        answers.close()  # type: ignore[attr-defined]

    assert max(lag) <= 8


def test_answers_come_as_they_arrive() -> None:
    """A slow one holds none back."""
    with StubServer(faults=["slow:seconds=3600,contains=task 0"]) as server:
        answers = stub_model(server, concurrency=2).answer(prompts(tasks=6), {})
        found = [answer.task_id for answer in islice(answers, 5)]
        answers.close()  # type: ignore[attr-defined]

    assert sorted(map(str, found)) == ["1", "2", "3", "4", "5"]


def test_closing_ends_the_requests_in_flight() -> None:
    """At once, without their replies: they would take a minute."""
    with StubServer(faults=["slow:seconds=60,contains=task 1"]) as server:
        answers = stub_model(server, concurrency=3).answer(prompts(tasks=2), {})
        first = next(iter(answers))
        answers.close()  # type: ignore[attr-defined]

    assert first.task_id == 0


def test_an_error_in_the_prompts_is_seen_as_it_is() -> None:
    """And ends asking."""

    def broken() -> Iterator[Prompt]:
        yield from prompts(tasks=3)
        raise KeyError("prompt")

    with StubServer() as server, pytest.raises(KeyError) as caught:
        list(stub_model(server).answer(broken(), {}))

    assert caught.value.args == ("prompt",)


def test_ctrl_c_keeps_what_has_arrived() -> None:
    """Two answers are there and the third never comes: the two are kept, for they were paid for."""

    class Stuck(Scripted):
        async def post(self, body: bytes) -> Any:
            if len(self.bodies) == 2:
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
                await asyncio.get_running_loop().create_future()
            return await super().post(body)

    kept: list[Answer] = []
    with pytest.raises(KeyboardInterrupt):
        kept.extend(model_on(Stuck(good("a"))).answer(prompts(tasks=9), {}))

    # The last one may come twice, when it was on its way; a run folder keeps one row an answer.
    assert {answer.key for answer in kept} == {"0/0", "1/0"}


def test_the_environment_may_name_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the key is sent there, with a request for replies that are not packed."""
    reply = http(json.dumps(document()).encode())
    with RawServer(reply) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
        answers = list(open_model("m").answer(prompts(), {}))

    assert [answer.text for answer in answers] == ["code"]
    assert b"\r\nauthorization: Bearer sk-secret\r\n" in server.requests[0]
    assert b"\r\naccept-encoding: identity\r\n" in server.requests[0]


def test_the_key_is_in_nothing_that_is_kept() -> None:
    """Neither in answers and events nor in errors, though the server repeats it everywhere."""
    heard = Heard()
    replies = [
        refusal(500, "sk-secret"),
        good("code", model="sk-secret"),
        refusal(400, "sk-secret"),
        refusal(401, "sk-secret"),
    ]
    model = model_on(Scripted(*replies))
    model.observe(heard)
    answers: list[Answer] = []
    with pytest.raises(RunError) as caught:
        answers.extend(model.answer(prompts(tasks=3), {}))

    assert "sk-secret" not in f"{answers} {heard.events} {caught.value} {model.identity()} {model!r}"


def test_events_are_told_where_answers_are_taken() -> None:
    """A listener writes files, and need not know of threads."""
    threads: set[threading.Thread] = set()
    with StubServer(faults=["usage-missing", "500:first=1"]) as server:
        model = stub_model(server)
        model.observe(lambda kind, detail: threads.add(threading.current_thread()))
        ask(model, prompts(tasks=5))

    assert threads == {threading.current_thread()}


def test_the_last_event_of_a_fault_has_the_whole_count() -> None:
    """The final count includes faults that were not reported one by one."""
    heard = Heard()
    with StubServer(faults=["usage-missing"]) as server:
        model = stub_model(server)
        model.observe(heard)
        ask(model, prompts(tasks=13))

    assert [detail["count"] for _, detail in heard.events] == [1, 2, 5, 10, 13]


def test_a_wrong_key_ends_the_run_and_keeps_what_was_answered() -> None:
    """One connection, so that the order is known: two answers, then the refusal."""
    taken: list[Answer] = []
    model = model_on(Scripted(good("a"), good("b"), refusal(401)))
    with pytest.raises(RunError, match="refuses to answer: HTTP 401"):
        for answer in model.answer(prompts(tasks=9), {}):
            taken.append(answer)

    assert [answer.text for answer in taken] == ["a", "b"]


def test_lanes_that_fail_together_are_one_error() -> None:
    """Sixteen requests with a wrong key: the user reads one message, not a group of sixteen."""
    with StubServer(api_key="right") as server, pytest.raises(RunError) as caught:
        url = server.base_url
        ask(stub_model(server, concurrency=16), prompts(tasks=40))

    assert caught.value.message.startswith(f"{url} refuses to answer: HTTP 401: ")


def test_nothing_at_the_address() -> None:
    """One clear error and not one for each prompt."""
    with StubServer() as server:
        url = server.base_url  # nobody is there when it has ended
    with pytest.raises(RunError) as caught:
        ask(model_at(url, concurrency=8), prompts(tasks=50))

    assert caught.value.message.startswith(f"nothing answers at {url}: ")


def test_a_server_that_dies_in_between_keeps_what_was_answered() -> None:
    """The same command later asks for the missing answers only."""
    nobody = RequestFailure("connect", "Connection refused")
    taken: list[Answer] = []
    with pytest.raises(RunError, match="no longer answers"):
        for answer in model_on(Scripted(good("a"), good("b"), nobody)).answer(prompts(tasks=9), {}):
            taken.append(answer)

    assert [answer.error for answer in taken] == [None, None]


def test_a_rate_limited_server_slows_the_run_and_fails_nothing() -> None:
    """A server that takes two at a time, asked by sixteen connections with two tries: everyone gets an answer."""
    clock = FakeClock()

    class Limited(Scripted):
        busy = 0

        async def post(self, body: bytes) -> Any:
            if Limited.busy >= 2:
                return refusal(429, retry_after="1")
            Limited.busy += 1
            try:
                await clock.sleep(0.5)
                await clock.sleep(0.5)
                return good("ok")
            finally:
                Limited.busy -= 1

    model = model_on(*(Limited() for _ in range(16)), clock=clock, retries=6)
    answers = ask(model, prompts(tasks=200))

    assert [answer.error for answer in answers if answer.error] == []
    assert len(answers) == 200


class TestBudget:
    """Asking stops when the answers have cost enough."""

    PRICES = {"price_in": 1_000_000.0, "price_out": 0.0}  # 7 an answer

    def test_it_stops_and_says_how_far_it_got(self) -> None:
        """With one connection: 7, 14, 21 is over 20, so three answers."""
        heard, taken = Heard(), list[Answer]()
        model = model_on(Scripted(good()), budget=20.0, **self.PRICES)
        model.observe(heard)
        with pytest.raises(RunError) as caught:
            for answer in model.answer(prompts(tasks=50), {}):
                taken.append(answer)

        assert len(taken) == 3
        assert "the budget of 20 is used up" in caught.value.message and "3 of them" in caught.value.message
        assert heard.events == [("budget", {"budget": 20.0, "spent": 21.0, "tokens_in": 21, "tokens_out": 9})]

    def test_answers_of_earlier_runs_count(self) -> None:
        """Their cost is passed with `already`."""
        taken: list[Answer] = []
        model = model_on(Scripted(good()), budget=20.0, **self.PRICES)
        model.already(14, 0)
        with pytest.raises(RunError, match="1 of them"):
            for answer in model.answer(prompts(tasks=50), {}):
                taken.append(answer)

        assert len(taken) == 1

    def test_a_finished_run_is_not_stopped(self) -> None:
        """A run that has spent its budget but needs no answer continues to its score."""
        model = model_on(Scripted(good()), budget=14.0, **self.PRICES)
        answers = ask(model, prompts(tasks=2))

        assert len(answers) == 2
        assert ask(model, []) == []

    def test_what_is_in_flight_is_kept(self) -> None:
        """Requests in flight are paid for; at most one answer exceeds the budget."""
        taken: list[Answer] = []
        with StubServer(faults=["slow:seconds=0.02"]) as server:
            model = stub_model(server, concurrency=8, budget=10.0, price_in=1_000_000.0, price_out=0.0)
            with pytest.raises(RunError):
                for answer in model.answer(prompts(tasks=60), {}):
                    taken.append(answer)
            asked = server.stats()["requests"]

        assert len(taken) == asked
        assert asked == 5  # two tokens a prompt

    def test_failed_requests_cost_nothing(self) -> None:
        """The server counts no tokens of them."""
        model = model_on(Scripted(refusal(400)), budget=1.0, **self.PRICES)

        assert len(ask(model, prompts(tasks=5))) == 5

    def test_a_server_that_counts_nothing_ends_it(self) -> None:
        """After the answer that shows it, which is kept."""
        taken: list[Answer] = []
        with StubServer(faults=["usage-missing"]) as server, pytest.raises(RunError) as caught:
            model = stub_model(server, concurrency=1, budget=1.0, **self.PRICES)
            for answer in model.answer(prompts(tasks=5), {}):
                taken.append(answer)

        assert (len(taken), "does not count tokens" in caught.value.message) == (1, True)

    def test_what_is_in_flight_then_is_kept_too(self) -> None:
        """Four connections on a server that never counts: every reply that was asked for is stored."""
        taken: list[Answer] = []
        with StubServer(faults=["usage-missing", "slow:seconds=0.5"]) as server:
            model = stub_model(server, concurrency=4, budget=1000.0, **self.PRICES)
            with pytest.raises(RunError):
                for answer in model.answer(prompts(tasks=50), {}):
                    taken.append(answer)
            asked = server.stats()["requests"]

        assert 4 <= len(taken) == asked < 12

    def test_the_last_answer_of_all_ends_nothing(self) -> None:
        """Its tokens are unknown, but there is nothing left to spend on."""
        with StubServer(faults=["usage-missing"]) as server:
            answers = ask(stub_model(server, budget=1.0, **self.PRICES), prompts())

        assert [answer.error for answer in answers] == [None]

    def test_prices_are_asked_for_first(self) -> None:
        """Before anything is sent."""
        with pytest.raises(UsageError, match="prices"):
            open_model("m", asking=RequestOptions(budget=1.0))


def test_stub_completions_are_cut_at_stop_strings() -> None:
    """Also if the server stops late or does not stop; the fault is named."""
    script = Script.of({"task": "    return 1\n\ndef other(): pass\n" + "x = 1\n" * 20})
    seen = {}
    for fault in ("stop-kept", "stop-ignored", None):
        heard = Heard()
        with StubServer(script, faults=[fault] if fault else []) as server:
            model = stub_model(server, api="completions", stop=("\ndef",))
            model.observe(heard)
            (answer,) = ask(model, prompts())
        seen[fault] = (answer.text, set(heard.counts("server_fault", "fault")))

    assert seen == {
        "stop-kept": ("    return 1\n", {"stop-kept"}),
        "stop-ignored": ("    return 1\n", {"stop-ignored"}),
        None: ("    return 1\n", set()),
    }


def test_importing_and_opening_load_no_http_client(tmp_path: Path) -> None:
    """It takes 0.3 s, which only asking should cost."""
    import subprocess
    import sys

    code = (
        "import sys; from benchwright.models.spec import parse_model; parse_model('openai:m').identity(); "
        "print([name for name in ('httpx', 'httpcore', 'anyio') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ}, check=True
    )

    assert done.stdout == "[]\n"


def test_texts_are_by_key() -> None:
    """The answers of several connections go to the prompts that they belong to."""
    questions = prompts(tasks=30)
    with StubServer() as server:
        answers = texts(ask(stub_model(server, concurrency=7), questions))

    assert {key: text.splitlines()[-1] for key, text in answers.items()} == {
        prompt.key: prompt.text for prompt in questions
    }
