"""Conversations and replies by a schema, asked of a server: sent whole, checked, stored, not asked twice."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from benchwright.asking.ask import AskOptions, ask, repetitions
from benchwright.contracts import Message, Model, Prompt, RequestOptions
from benchwright.errors import RunError, UsageError
from benchwright.models.replay import open_model
from benchwright.records import Answer, Task
from benchwright.store.runfolder import RunFolder
from benchwright.stub_server import Script, ScriptRow, StubServer
from kit.asking_kit import model_at, stub_model
from kit.live_model import LiveModel
from kit.run_stages import Listener

SCHEMA = {
    "type": "object",
    "properties": {"score": {"type": "integer", "minimum": 1, "maximum": 5}, "reason": {"type": "string"}},
    "required": ["score", "reason"],
    "additionalProperties": False,
}
GOOD = json.dumps({"score": 4, "reason": "well done"})


def conversation(task: str, text: str, *history: tuple[Any, str], schema: Any = None) -> Prompt:
    """One turn of a conversation."""
    said = tuple(Message(role=role, content=content) for role, content in history)
    prompt = Prompt(key="", task_id=task, sample=0, text=text, history=said, schema=schema)
    return next(repetitions(prompt, revision="r", identity="m", samples=[0]))


def judged(*tasks: str, text: str = "Judge this.") -> list[Prompt]:
    """Prompts for replies by the schema."""
    return [conversation(task, f"{text} {task}", schema=SCHEMA) for task in tasks]


def asked(
    prompts: Sequence[Prompt], model: Model, folder: Path, *, watch: Listener | None = None, **settings: Any
) -> dict[str, Answer]:
    """Ask, and read what was stored, by task."""
    tasks = {
        each.task_id: Task(
            task_id=each.task_id, instruction="", inputs={}, outputs=None, meta={}, revision=""
        )
        for each in prompts
    }
    options = AskOptions(asking=RequestOptions(**settings), tasks=tasks, purpose=lambda: ["a test"])
    with RunFolder.open(folder, {"identity": {}}, mode="either") as stored:
        ask(prompts, model, stored, watch or Listener(), options)
        return {str(answer.task_id): answer for answer in stored.answers()}


def test_a_conversation_is_sent_whole_and_its_last_turn_answered(tmp_path: Path) -> None:
    """A repair has the question, the answer, and the fault."""
    rows = [
        ScriptRow(contains="Write f", turn="It fails", completions=["def f(): return 2"]),
        ScriptRow(contains="Write f", turn="Write f", completions=["def f(): return 1"]),
    ]
    with StubServer(Script(rows=rows)) as server:
        model = stub_model(server)
        first = asked([conversation("a", "Write f.", ("system", "Python."))], model, tmp_path / "one")["a"]
        history = (("system", "Python."), ("user", "Write f."), ("assistant", first.text))
        second = asked([conversation("a", "It fails: 1 != 2", *history)], model, tmp_path / "two")["a"]
        sent = [request["body"]["messages"] for request in server.requests()]

    assert (first.text, second.text) == ("def f(): return 1", "def f(): return 2")
    assert [message["role"] for message in sent[0]] == ["system", "user"]
    assert [message["content"] for message in sent[1]] == [
        "Python.",
        "Write f.",
        first.text,
        "It fails: 1 != 2",
    ]
    assert first.key != second.key


def test_a_reply_by_a_schema_is_asked_for_and_checked(tmp_path: Path) -> None:
    """The server enforces the schema: matching replies are unchanged, others are adapted."""
    script = Script.of({"this. a": GOOD, "this. b": "I like it."})
    with StubServer(script) as server:
        stored = asked(judged("a", "b"), stub_model(server), tmp_path)
        wanted = server.requests()[0]["body"]["response_format"]

    assert wanted == {
        "type": "json_schema",
        "json_schema": {"name": "reply", "schema": SCHEMA, "strict": True},
    }
    assert stored["a"].text == GOOD
    assert json.loads(stored["b"].text) == {"score": 1, "reason": "I like it."}
    assert {answer.schema_error for answer in stored.values()} == {""}


def test_a_reply_that_does_not_fit_is_an_answer_with_a_reason(tmp_path: Path) -> None:
    """Its text is stored, it is not asked again, and the number of such replies is reported."""
    script, watch = (
        Script.of({"this. a": GOOD, "this. b": '{"score": 9, "reason": ""}', "": "Fine!"}),
        Listener(),
    )
    with StubServer(script, faults=["schema-ignored"]) as server:
        stored = asked(judged("a", "b", "c"), stub_model(server), tmp_path, watch=watch)
        again = asked(judged("a", "b", "c"), stub_model(server), tmp_path)
        requests = server.stats()["requests"]
    errors = {task: answer.schema_error for task, answer in stored.items()}
    told = [text for kind, *rest in watch.heard if kind == "status" for text in rest]

    assert errors["a"] == ""
    assert errors["b"] == "the reply.score must be at most 5, and is 9"
    assert errors["c"].startswith("it is not JSON")
    assert stored["c"].text == "Fine!" and stored["c"].error is None
    assert (again, requests) == (stored, 3)
    assert told[-1].startswith("2 replies not by the schema")


def test_a_reply_that_is_cut_off_says_that(tmp_path: Path) -> None:
    """What is missing is room, not sense."""
    with StubServer(Script.of({"": GOOD})) as server:
        stored = asked(judged("a"), stub_model(server, max_tokens=4), tmp_path)

    assert stored["a"].schema_error.startswith("cut off at the token limit: it is not JSON")


def test_a_server_that_takes_no_schema_says_so(tmp_path: Path) -> None:
    """Its refusal is the reason that the whole asking ends with, and the next attempt asks again."""
    with StubServer(faults=["schema-refused"]) as server:
        with pytest.raises(RunError, match=r"HTTP 400: .*response_format is not supported"):
            asked(judged("a", "b"), stub_model(server), tmp_path)
        plain = asked([conversation("p", "x")], stub_model(server), tmp_path / "plain")

    assert plain["p"].error is None


@pytest.mark.parametrize("model", [LiveModel(), model_at("http://127.0.0.1:9/v1", api="completions")])
def test_a_provider_that_takes_none_is_not_asked(model: Any, tmp_path: Path) -> None:
    """Nothing is sent and nothing stored."""
    with pytest.raises(UsageError, match="takes plain texts only"):
        asked(judged("a"), model, tmp_path)

    assert (tmp_path / "answers.jsonl").read_bytes() == b""


def test_an_end_in_the_middle_is_gone_on_from(tmp_path: Path) -> None:
    """Budgets apply to conversations, and a second session asks only for missing answers."""
    prompts = judged(*"abcdefgh")
    prices = {"price_in": 1000.0, "price_out": 1000.0}
    with StubServer(Script.of({"": GOOD})) as server:
        with pytest.raises(RunError, match=r"the budget of 0\.05 is used up"):
            asked(prompts, stub_model(server, budget=0.05, concurrency=1, **prices), tmp_path, **prices)
        some = server.stats()["requests"]
        stored = asked(prompts, stub_model(server), tmp_path)
        stats = server.stats()

    assert 0 < some < 8
    assert (stats["requests"], {entry["requests"] for entry in stats["keys"]}) == (8, {1})
    assert list(stored) == list("abcdefgh")


def test_stored_replies_are_checked_against_the_schema_that_is_asked_now(tmp_path: Path) -> None:
    """A file of replies may come from anywhere."""
    rows = [{"task_id": "a", "text": GOOD}, {"task_id": "b", "text": "4 of 5"}]
    file = tmp_path / "replies.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    stored = asked(judged("a", "b"), open_model(str(file)), tmp_path / "run")

    assert stored["a"].schema_error == ""
    assert stored["b"].schema_error.startswith("it is not JSON")
