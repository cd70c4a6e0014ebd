"""Prompts on their way to a model: their keys, and who takes which."""

from __future__ import annotations

from typing import Any

import pytest

from benchwright.asking.ask import check_prompt, reads_prompts, repetitions
from benchwright.contracts import ConversationalModel, Message, Prompt
from benchwright.errors import UsageError
from benchwright.models.fixed import FixedModel
from benchwright.store.keys import content_key
from kit.asking_kit import model_at
from kit.live_model import LiveModel

ASKED = Message(role="user", content="Write f.")
SAID = Message(role="assistant", content="def f(): ...")
SYSTEM = Message(role="system", content="You write Python.")
PLAIN = Prompt(key="", task_id="T/1", sample=0, text="Repair it.", variant="v")


def prompt(*history: Message, schema: dict[str, Any] | None = None) -> Prompt:
    """A prompt that continues a conversation."""
    return Prompt(key="", task_id="T/1", sample=0, text="Repair it.", history=history, schema=schema)


def keys(question: Prompt, *, revision: str = "r", identity: str = "m") -> list[str]:
    """Its keys, for two samples."""
    made = repetitions(question, revision=revision, identity=identity, samples=(3, 4))
    return [each.key for each in made]


def test_a_model_is_taken_to_read_unless_it_says_no() -> None:
    """A provider from another package need not know of the attribute."""
    assert (reads_prompts(LiveModel()), reads_prompts(FixedModel("gold", lambda task: ""))) == (True, False)


def test_a_plain_text_has_the_key_that_it_always_had() -> None:
    """Answers that were stored before there were conversations are found."""
    asked = content_key("r", "Repair it.", "m")

    assert keys(PLAIN) == [content_key(asked, 3), content_key(asked, 4)]


def test_all_that_is_asked_is_in_the_key() -> None:
    """Another turn, role or schema changes the key; the name of a variant does not."""
    other = Message(role="system", content="Write f.")
    asked = [
        (PLAIN, {}),
        (prompt(ASKED, SAID), {}),
        (prompt(SAID, ASKED), {}),
        (prompt(other, SAID), {}),
        (prompt(schema={}), {}),
        (prompt(schema={"type": "object"}), {}),
        (PLAIN, {"revision": "s"}),
        (PLAIN, {"identity": "n"}),
    ]
    made = [key for question, more in asked for key in keys(question, **more)]

    assert len(set(made)) == 16
    assert keys(prompt()) == keys(PLAIN)


def test_repetitions_differ_in_sample_and_key_alone() -> None:
    """Everything else is the question's."""
    question = prompt(ASKED, SAID, schema={})
    made = list(repetitions(question, revision="r", identity="m", samples=range(2)))

    assert [each.sample for each in made] == [0, 1]
    assert {(each.task_id, each.text, each.history, each.variant) for each in made} == {
        ("T/1", "Repair it.", (ASKED, SAID), "")
    }


@pytest.mark.parametrize("history", [(), (SYSTEM,), (ASKED, SAID), (SYSTEM, ASKED, SAID, ASKED, SAID)])
def test_a_served_chat_model_takes_conversations(history: tuple[Message, ...]) -> None:
    """With a schema or without."""
    model = model_at("http://h/v1")

    assert isinstance(model, ConversationalModel)
    assert check_prompt(prompt(*history, schema={}), model) is None


@pytest.mark.parametrize(
    "history", [(ASKED,), (SAID,), (SAID, ASKED), (ASKED, SAID, SYSTEM), (SYSTEM, SYSTEM)]
)
def test_who_speaks_out_of_turn_is_refused(history: tuple[Message, ...]) -> None:
    """Many chat templates refuse it too, with different messages."""
    with pytest.raises(UsageError, match="task T/1: user and assistant messages must alternate"):
        check_prompt(prompt(*history), model_at("http://h/v1"))


@pytest.mark.parametrize(
    ("question", "words"),
    [(prompt(ASKED, SAID), "continue a conversation"), (prompt(schema={}), "replies by a JSON schema")],
)
@pytest.mark.parametrize("model", [LiveModel(), model_at("http://h/v1", api="completions")])
def test_a_model_that_takes_plain_texts_says_so(question: Prompt, words: str, model: Any) -> None:
    """A provider that knows nothing of conversations, and a base model."""
    with pytest.raises(UsageError, match=words) as caught:
        check_prompt(question, model)

    assert caught.value.message.startswith(f"{model.spec} takes plain texts only: ")
    assert check_prompt(PLAIN, model) is None


def test_who_reads_no_prompts_can_be_given_any() -> None:
    """Stored answers belong to prompts of an earlier run."""
    assert check_prompt(prompt(ASKED, SAID, schema={}), FixedModel("gold", lambda task: "")) is None
