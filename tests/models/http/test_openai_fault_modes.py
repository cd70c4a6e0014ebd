"""Every fault that the stub server can show: what the user sees, nothing lost, nothing asked twice."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from benchwright.errors import RunError
from benchwright.models.http import connection
from benchwright.records import Answer
from benchwright.stub_server import KINDS, Fault, Script, StubServer
from benchwright.stub_server.behaviour import MODELS_KINDS
from kit.asking_kit import Heard, prompts, stub_model

ANSWERS = ["    return 1\nclass A: pass\n" + "more\n" * 20, "    return 2\n"]
SCRIPT = Script.of({"task": ANSWERS})
QUESTIONS = prompts(tasks=3, n=2)
RETRIES = 2


class Seen(NamedTuple):
    """What came of asking all questions."""

    answers: dict[str, Answer]
    faults: dict[str, int]
    retries: dict[object, int]
    requests: int


def ask(*faults: str, timeout_s: float = 20.0) -> Seen:
    """All questions on a server with these faults, without waits."""
    heard = Heard()
    with StubServer(SCRIPT, faults=[Fault.parse(fault) for fault in faults], models=["m"]) as server:
        model = stub_model(server, api="completions", stop=("\nclass",), retries=RETRIES, timeout_s=timeout_s)
        model.observe(heard)
        answers = {answer.key: answer for answer in model.answer(QUESTIONS, {})}
        requests = server.stats()["requests"]
    return Seen(answers, heard.counts("server_fault", "fault"), heard.counts("retry", "status"), requests)


# Kind: status or word of the retry, the fault that is told, the error once it never ends.
AGAIN = {
    "429": (429, None, "HTTP 429: "),
    "429-bare": (429, None, "HTTP 429: "),
    "500": (500, None, "HTTP 500: "),
    "503": (503, None, "HTTP 503: "),
    "slow": ("timeout", None, "no whole reply within "),
    "drop": ("dropped", None, "the connection ended without a reply"),
    "cut": ("cut", "cut", "the reply was truncated"),
    "wrong-json": ("wrong-json", "wrong-json", "the reply cannot be used: not JSON"),
    "wrong-shape": ("wrong-shape", "wrong-shape", "the reply cannot be used: "),
}
# Kind: the fault that is told, and whether the answers are what they are without it.
TOLD = {
    "empty": ("empty", False),
    "null": ("empty", False),
    "n-forced": ("several-choices", True),
    "stop-kept": ("stop-kept", True),
    "stop-ignored": ("stop-ignored", True),
    "usage-missing": ("usage-missing", True),
}
UNSEEN = {
    "n-ignored",
    "logprobs-null",
    "duplicates",
    "schema-ignored",
    "schema-refused",
}  # neither n nor logprobs nor a schema are asked for here; copies are the score's
OTHERS = {"401", "context-length", "huge"}


def test_every_fault_of_the_server_is_tested() -> None:
    """A new one needs a line here."""
    assert {*AGAIN, *TOLD, *UNSEEN, *OTHERS, *MODELS_KINDS} == set(KINDS)


@pytest.fixture(scope="module")
def undisturbed() -> dict[str, Answer]:
    """The answers of a server without faults."""
    return ask().answers


def test_a_good_server_is_asked_once_for_each_answer(undisturbed: dict[str, Answer]) -> None:
    """Text up to the stop string, and the seed decides which."""
    seen = ask()

    assert (seen.requests, seen.faults, seen.retries) == (len(QUESTIONS), {}, {})
    assert {answer.text for answer in undisturbed.values()} <= {"    return 1", "    return 2\n"}
    assert seen.answers == undisturbed


@pytest.mark.parametrize("kind", AGAIN)
def test_a_fault_that_passes_leaves_no_trace_in_the_answers(
    kind: str, undisturbed: dict[str, Answer]
) -> None:
    """Each first request fails, each second is answered, and no third is sent."""
    status, fault, _ = AGAIN[kind]
    slow = kind == "slow"
    for timeout_s in (1.0, 10.0, 60.0) if slow else (20.0,):  # a good reply may miss a short limit
        seen = ask(f"{kind}:first=1,seconds={600 if slow else 3}", timeout_s=timeout_s)
        if seen.requests == 2 * len(QUESTIONS):
            break

    assert seen.answers == undisturbed
    assert seen.requests == 2 * len(QUESTIONS)
    assert seen.retries == {status: len(QUESTIONS)}
    assert seen.faults == ({fault: len(QUESTIONS)} if fault else {})


@pytest.mark.parametrize("kind", AGAIN)
def test_a_fault_that_stays_makes_answers_missing_and_not_wrong(kind: str) -> None:
    """Each prompt has a row with its error, after all tries."""
    slow = kind == "slow"
    seen = ask(f"{kind}:seconds={60 if slow else 3}", timeout_s=0.5 if slow else 20.0)
    errors = {str(answer.error) for answer in seen.answers.values()}

    assert sorted(seen.answers) == sorted(prompt.key for prompt in QUESTIONS)
    assert all(error.startswith(AGAIN[kind][2]) and "(tried 3 times)" in error for error in errors)
    assert {(answer.text, answer.finish_reason) for answer in seen.answers.values()} == {("", None)}
    assert seen.requests == (RETRIES + 1) * len(QUESTIONS)


@pytest.mark.parametrize("kind", TOLD)
def test_a_fault_in_an_answer_is_told_and_the_answer_kept(kind: str, undisturbed: dict[str, Answer]) -> None:
    """Once for each prompt, without a second request."""
    fault, same = TOLD[kind]
    seen = ask(kind)
    texts = {key: answer.text for key, answer in seen.answers.items()}
    long = sum(answer.text == "    return 1" for answer in undisturbed.values())

    assert (seen.requests, seen.retries) == (len(QUESTIONS), {})
    assert seen.faults == {fault: long if "stop" in kind else len(QUESTIONS)}
    assert texts == (
        {key: answer.text for key, answer in undisturbed.items()} if same else dict.fromkeys(texts, "")
    )
    assert all(answer.error is None for answer in seen.answers.values())


@pytest.mark.parametrize("kind", ["n-ignored", "logprobs-null"])
def test_what_is_not_asked_for_cannot_be_withheld(kind: str, undisturbed: dict[str, Answer]) -> None:
    """One request an answer makes a server that ignores n harmless."""
    seen = ask(kind)

    assert (seen.answers, seen.faults) == (undisturbed, {})


def test_copies_are_kept_as_they_are() -> None:
    """Whether answers are alike is for the score to say: one answer alone cannot know."""
    seen = ask("duplicates")

    assert (len({answer.text for answer in seen.answers.values()}), seen.faults) == (1, {})


def test_a_prompt_that_is_too_long_is_missing() -> None:
    """Asked once, with the server's words; the others are answered."""
    seen = ask("context-length:contains=task 1")
    errors = {key: answer.error for key, answer in seen.answers.items() if answer.error}

    assert errors.keys() == {"1/0", "1/1"}
    assert all(str(error).startswith("HTTP 400: stub server: ") for error in errors.values())
    assert seen.requests == len(QUESTIONS)


def test_a_huge_reply_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not stored or retried, and it is reported."""
    monkeypatch.setattr(connection, "MAX_REPLY", 1 << 20)
    seen = ask("huge:size=3000000,contains=task 2")
    errors = {key: answer.error for key, answer in seen.answers.items() if answer.error}

    assert errors == dict.fromkeys(("2/0", "2/1"), "the reply has more than 1 MiB")
    assert (seen.requests, seen.faults) == (len(QUESTIONS), {"huge": 2})


def test_a_refused_key_ends_the_run() -> None:
    """With one error that says what to do."""
    with pytest.raises(RunError) as caught:
        ask("401")

    assert "refuses to answer: HTTP 401" in caught.value.message
    assert caught.value.hint == "set OPENAI_API_KEY to a key of this server"


@pytest.mark.parametrize("kind", sorted(MODELS_KINDS))
def test_the_list_of_models_is_not_looked_at(kind: str, undisturbed: dict[str, Answer]) -> None:
    """Real servers answer it wrongly while they serve the model."""
    assert ask(kind).answers == undisturbed
