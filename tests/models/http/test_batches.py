"""Batches: results in any order, all kinds of failures, retries, and permanent failures."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchwright.asking.cost import Budget
from benchwright.contracts import Prompt, RequestOptions
from benchwright.errors import BatchesPending, RunError, UsageError
from benchwright.http_client import WaitingClock
from benchwright.models.http import batch_formats, connection
from benchwright.models.http.batch_file import BatchFile
from benchwright.models.http.batches import MAX_POLL_S, BatchAsker
from benchwright.models.http.endpoint import ANTHROPIC, OPENAI, Provider, find_endpoint
from benchwright.records import Answer
from kit.asking_kit import Heard
from kit.batch_server import CANCELLED, EXPIRED, BatchServer, FailedRequest, MadeBatch, batch_server

PROVIDERS: dict[str, Provider] = {"openai": OPENAI, "anthropic": ANTHROPIC}
BOTH = pytest.mark.parametrize("scheme", list(PROVIDERS))


@pytest.fixture
def server() -> Iterator[BatchServer]:
    """Answers each prompt with its own text."""
    with batch_server() as made:
        made.says = lambda batch, body: str(body["messages"][-1]["content"])
        yield made


def prompts(number: int) -> list[Prompt]:
    """Prompts to as many tasks."""
    return [Prompt(key=f"{n:032x}", task_id=n, sample=0, text=f"question {n}") for n in range(number)]


class Session:
    """One process that asks in batches. Its clock never waits."""

    def __init__(self, folder: Path, server: BatchServer, scheme: str = "openai", **settings: Any) -> None:
        provider = PROVIDERS[scheme]
        base_url = server.base_url + ("/v1" if scheme == "openai" else "")
        environment = {provider.key: "sk-secret"}
        endpoint = find_endpoint(
            base_url, api="chat", environment=environment, provider=provider, model="small"
        )
        asking = RequestOptions(**{"batch": True, "wait": False, "retries": 2, **settings})
        self.slept: list[float] = []
        self.heard = Heard()
        self.on_sleep: Callable[[], None] = lambda: None
        self.budget = Budget(asking)
        clock = WaitingClock(sleep=self._sleep)
        self.asker = BatchAsker(
            "small", asking, endpoint, budget=self.budget, folder=folder, tell=self.heard, clock=clock
        )

    def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.on_sleep()

    def ask(self, questions: list[Prompt]) -> dict[Any, Answer]:
        """The answers by task; each prompt has one."""
        answers = list(self.asker.answers(questions))
        found = {answer.task_id: answer for answer in answers}
        assert len(found) == len(answers)
        return found

    @property
    def faults(self) -> dict[Any, int]:
        """What the server did wrong, with counts."""
        return self.heard.counts("server_fault", "fault")


@BOTH
def test_each_answer_finds_its_prompt(tmp_path: Path, server: BatchServer, scheme: str) -> None:
    """Results come in any order and in two files; all is stored with the id of the batch."""
    server.lines = lambda batch, lines: list(reversed(lines))
    session = Session(tmp_path, server, scheme)
    found = session.ask(prompts(5))

    assert {task: answer.text for task, answer in found.items()} == {n: f"question {n}" for n in range(5)}
    assert {answer.batch for answer in found.values()} == {"batch_1"}
    assert BatchFile(tmp_path).open_batches() == []
    assert session.faults == {}


@BOTH
@pytest.mark.parametrize(
    ("failure", "tries"),
    [
        (EXPIRED, 3),
        (FailedRequest(500, "api_error"), 3),
        (None, 3),
        (CANCELLED, 1),
        (FailedRequest(400, "invalid_request_error"), 1),
    ],
    ids=["expired", "server", "missing", "cancelled", "invalid"],
)
def test_a_failed_request_is_tried_again_or_given_up(
    tmp_path: Path, server: BatchServer, scheme: str, failure: Any, tries: int
) -> None:
    """It is retried in another batch up to --retries times; other answers come from the first batch."""
    server.says = lambda batch, body: failure if body["messages"][-1]["content"] == "question 1" else "fine"
    found = Session(tmp_path, server, scheme).ask(prompts(3))

    assert Counter(server.asked()) == {"question 0": 1, "question 1": tries, "question 2": 1}
    assert [answer.error is None for _, answer in sorted(found.items())] == [True, False, True]
    assert f"(tried {tries} times)" in str(found[1].error) or tries == 1


@BOTH
def test_what_failed_once_is_answered_by_the_next_batch(
    tmp_path: Path, server: BatchServer, scheme: str
) -> None:
    server.says = lambda batch, body: EXPIRED if batch.number == 1 else "late"
    found = Session(tmp_path, server, scheme).ask(prompts(2))

    assert [(answer.text, answer.batch) for answer in found.values()] == [("late", "batch_2")] * 2


@pytest.mark.parametrize(
    ("code", "batches"), [("token_limit_exceeded", 3), ("invalid_json_line", 1), ("", 1)]
)
def test_a_rejected_batch(tmp_path: Path, server: BatchServer, code: str, batches: int) -> None:
    """A limit passes; an invalid file does not. Every request has the reason."""
    server.ends = lambda batch: "failed"
    server.errors = [{"code": code, "message": "too much"}] if code else []
    found = Session(tmp_path, server).ask(prompts(2))

    expected = batches if code else 3  # without a reason, it may pass
    assert server.created == expected
    assert all("rejected the batch" in str(answer.error) for answer in found.values())


def test_an_expired_batch_keeps_what_it_answered(tmp_path: Path, server: BatchServer) -> None:
    """Its state says expired; its files hold a part."""
    server.ends = lambda batch: "expired" if batch.number == 1 else "completed"
    server.says = lambda batch, body: EXPIRED if batch.number == 1 and "1" in str(body["messages"]) else "ok"
    found = Session(tmp_path, server).ask(prompts(2))

    assert {task: answer.batch for task, answer in found.items()} == {0: "batch_1", 1: "batch_2"}


@BOTH
def test_strange_lines_are_counted_and_ignored(tmp_path: Path, server: BatchServer, scheme: str) -> None:
    """Repeated, unknown, garbage, nested without end: the first result of each request counts."""

    def lines(batch: MadeBatch, made: list[bytes]) -> list[bytes]:
        stranger = made[0].replace(batch.custom_ids[0].encode(), b"stranger")
        stranger = stranger.replace(batch.custom_ids[-1].encode(), b"stranger")
        again = made[0].replace(b"question", b"another")
        strange = [stranger, again, b"<html>", b"\xff\xfe", b"[" * 100_000, b'{"custom_id": 5}', b""]
        return [*made, *(each for one in strange for each in (one, one))]  # in both files of OpenAI's

    server.lines = lines
    session = Session(tmp_path, server, scheme)
    found = session.ask(prompts(3))

    assert {task: answer.text for task, answer in found.items()} == {n: f"question {n}" for n in range(3)}
    assert (session.faults["unknown-result"], session.faults["wrong-shape"] >= 6) == (2, True)
    assert session.faults["repeated-result"] >= 1
    assert server.created == 1


def test_half_a_surrogate_pair_costs_one_character(tmp_path: Path, server: BatchServer) -> None:
    server.lines = lambda batch, lines: [each.replace(b"question 0", rb"cut \ud83d") for each in lines]

    assert Session(tmp_path, server).ask(prompts(1))[0].text == "cut \ufffd"


@BOTH
def test_an_unusable_reply_is_asked_again(tmp_path: Path, server: BatchServer, scheme: str) -> None:
    """The line is sound, and the reply in it is not."""
    broken = {"openai": (b'"choices"', b'"voices"'), "anthropic": (b'"content"', b'"intent"')}[scheme]
    server.lines = lambda batch, lines: [
        each.replace(*broken) if batch.number == 1 else each for each in lines
    ]
    session = Session(tmp_path, server, scheme)

    assert session.ask(prompts(1))[0].batch == "batch_2"
    assert session.faults == {"wrong-shape": 1}


@BOTH
def test_a_huge_line_ends_the_session_and_not_the_memory(
    tmp_path: Path, server: BatchServer, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line above the limit: the results cannot be used, and the batch stays open."""
    monkeypatch.setattr(connection, "MAX_LINE", 1 << 20)
    server.lines = lambda batch, lines: [b"x" * (3 << 20), b"x" * (3 << 20)]
    with pytest.raises(RunError, match="a line of the results has more than 1 MiB"):
        Session(tmp_path, server, scheme).ask(prompts(2))

    assert len(BatchFile(tmp_path).open_batches()) == 1


@BOTH
def test_results_without_end_are_not_read(tmp_path: Path, server: BatchServer, scheme: str) -> None:
    server.lines = lambda batch, lines: [b"{}"] * 5000
    with pytest.raises(RunError, match="lines for 1 requests"):
        Session(tmp_path, server, scheme).ask(prompts(1))


@BOTH
def test_limits_of_a_batch_divide_the_requests(
    tmp_path: Path, server: BatchServer, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By number and by bytes."""
    kind = {"openai": batch_formats.OpenAIBatches, "anthropic": batch_formats.AnthropicBatches}[scheme]
    monkeypatch.setattr(kind, "max_requests", 2)
    folder = tmp_path / "number"
    folder.mkdir()
    assert len(Session(folder, server, scheme).ask(prompts(5))) == 5
    assert [len(batch.requests) for batch in server.batches.values()] == [2, 2, 1]

    server.batches.clear()
    monkeypatch.setattr(kind, "max_requests", 100)
    monkeypatch.setattr(kind, "max_bytes", 1000)
    folder = tmp_path / "bytes"
    folder.mkdir()
    assert len(Session(folder, server, scheme).ask(prompts(5))) == 5
    assert len(server.batches) > 1
    for batch in server.batches.values():
        assert len(batch.requests) == 1 or len(json.dumps(batch.requests)) < 1000


@BOTH
@pytest.mark.parametrize("fault", ["503", "429", "lose"])
def test_a_submission_without_a_reply_is_made_once(
    tmp_path: Path, server: BatchServer, scheme: str, fault: str
) -> None:
    """A refused one is repeated; one whose reply was lost is found, also among older batches of others."""
    for number in range(5):
        server.create([("other-0", {"messages": [{"content": "of others"}]})] * (number + 1), "other")
    server.faults = [fault]
    found = Session(tmp_path, server, scheme).ask(prompts(2))

    assert [answer.error for answer in found.values()] == [None, None]
    assert server.created == 6


@BOTH
def test_a_lost_batch_that_has_not_ended(tmp_path: Path, server: BatchServer, scheme: str) -> None:
    """OpenAI's has our label. Anthropic's is known by its results only: nothing is submitted until then."""
    server.is_held = True
    server.faults = ["lose"]
    session = Session(tmp_path, server, scheme)
    with pytest.raises(BatchesPending, match="batch_1" if scheme == "openai" else "one of unknown id"):
        session.ask(prompts(2))
    server.is_held = False
    found = Session(tmp_path, server, scheme).ask(prompts(2))

    assert (server.created, len(found)) == (1, 2)
    states = [detail["state"] for kind, detail in session.heard.events if kind == "batch"]
    assert states == (["submitted"] if scheme == "openai" else ["unknown"])


def test_a_session_ended_between_two_answers_asks_nothing_again(tmp_path: Path, server: BatchServer) -> None:
    """The next session reads the stored answers, and the others from the same batch."""
    answers = Session(tmp_path, server).asker.answers(prompts(4))
    first = [next(answers), next(answers)]
    answers.close()  # type: ignore[attr-defined]
    stored = {answer.task_id for answer in first}
    rest = Session(tmp_path, server).ask([each for each in prompts(4) if each.task_id not in stored])

    assert (len(rest), server.created) == (2, 1)
    assert set(rest) | stored == set(range(4))


def test_a_session_ended_after_the_last_answer(tmp_path: Path, server: BatchServer) -> None:
    """Its batch is closed without a look, and new prompts go into another."""
    answers = Session(tmp_path, server).asker.answers(prompts(1))
    next(answers)
    answers.close()  # type: ignore[attr-defined]
    looks = server.looks
    found = Session(tmp_path, server).ask([prompts(2)[1]])

    assert (list(found), server.created, server.looks) == ([1], 2, looks + 1)


@BOTH
def test_a_wait_looks_less_and_less_often(tmp_path: Path, server: BatchServer, scheme: str) -> None:
    """At most once a minute, with progress, until the batch has ended."""
    server.is_held = True
    session = Session(tmp_path, server, scheme, wait=True)

    def on_sleep() -> None:
        server.is_held = len(session.slept) < 8

    session.on_sleep = on_sleep
    session.ask(prompts(3))

    assert session.slept == [5, 10, 20, 40, MAX_POLL_S, MAX_POLL_S, MAX_POLL_S, MAX_POLL_S]
    shown = [detail["text"] for kind, detail in session.heard.events if kind == "progress"]
    assert "1 open batch, 0 of 3 requests processed, 0 answers collected" in shown
    assert shown[-1].endswith("3 answers collected")


def test_an_outage_while_waiting_is_survived(tmp_path: Path, server: BatchServer) -> None:
    """A few failed looks; then an error that says how to go on."""
    server.is_held = True
    with pytest.raises(BatchesPending):
        Session(tmp_path, server).ask(prompts(1))
    found = server.batches.pop("batch_1")
    with pytest.raises(RunError, match="does not have batch batch_1") as caught:
        Session(tmp_path, server).ask(prompts(1))
    server.batches["batch_1"], server.is_held = found, False

    assert "key of the account" in str(caught.value.hint)
    assert len(Session(tmp_path, server).ask(prompts(1))) == 1


def test_nobody_at_the_address(tmp_path: Path) -> None:
    """The run ends after three attempts and leaves no batch to search for."""
    nowhere = BatchServer()
    nowhere.base_url = "http://127.0.0.1:9"
    session = Session(tmp_path, nowhere)
    with pytest.raises(RunError, match="nothing answers at"):
        session.ask(prompts(1))

    assert len(session.slept) == 2
    assert BatchFile(tmp_path).open_batches() == []


def test_batches_of_another_server_are_not_searched_for_here(tmp_path: Path, server: BatchServer) -> None:
    server.is_held = True
    with pytest.raises(BatchesPending):
        Session(tmp_path, server).ask(prompts(1))
    with batch_server() as other, pytest.raises(UsageError, match="was submitted to") as caught:
        Session(tmp_path, other).ask(prompts(1))

    assert server.base_url in str(caught.value.hint)


def test_a_budget_divides_and_ends_batches(tmp_path: Path, server: BatchServer) -> None:
    """A batch holds what the budget admits at the price of batches; then nothing is submitted."""
    prices = {"price_in": 0.0, "price_out": 1e6, "max_tokens": 10, "price_batch": 0.5}
    session = Session(tmp_path, server, **prices, budget=12.0)  # 5 an answer: 10 tokens at half the price
    with pytest.raises(RunError, match="the budget of 12 is used up: the answers of this run have cost 15"):
        list(session.asker.answers(prompts(6)))

    assert [len(batch.requests) for batch in server.batches.values()] == [2, 1]


def test_no_id_and_no_address_of_a_reply_is_followed(tmp_path: Path, server: BatchServer) -> None:
    """An id cannot leave its place in the path, and `results_url` is not used, which would get the key."""
    server.is_held = True
    with pytest.raises(BatchesPending):
        Session(tmp_path, server, "anthropic").ask(prompts(1))
    path = tmp_path / "batches.jsonl"
    path.write_text(path.read_text().replace('"batch_1"', '"../../files/x?y"'))
    with pytest.raises(RunError, match="does not have batch"):
        Session(tmp_path, server, "anthropic").ask(prompts(1))


def test_a_file_of_batches_may_have_a_torn_end(tmp_path: Path, server: BatchServer) -> None:
    """What a power cut leaves: the last line is incomplete."""
    server.is_held = True
    with pytest.raises(BatchesPending):
        Session(tmp_path, server).ask(prompts(1))
    path = tmp_path / "batches.jsonl"
    path.write_bytes(path.read_bytes()[:-5])
    server.is_held = False

    assert len(Session(tmp_path, server).ask(prompts(1))) == 1
    assert server.created == 1
