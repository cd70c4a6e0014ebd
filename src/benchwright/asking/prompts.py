"""Prompts on their way to a model: in which order, by which keys, and which models can take them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

import msgspec

from benchwright.contracts import Conversing, Model, Prompt
from benchwright.errors import UsageError
from benchwright.store.keys import content_key


class Prompts(Protocol):
    """All prompts of one purpose, in canonical order; a list is one. They can be gone through again."""

    def __len__(self) -> int:
        """How many there are."""
        ...

    def __iter__(self) -> Iterator[Prompt]:
        """Each of them, made as it is wanted: there may be a million."""
        ...


def reads_prompts(model: Model) -> bool:
    """False for a model whose answers do not depend on what it is asked: stored, gold, stub.

    Such a model says so with an attribute `reads_prompts`; one that says nothing is taken to read.
    """
    return bool(getattr(model, "reads_prompts", True))


def repetitions(
    question: Prompt, *, revision: str, identity: str, samples: Iterable[int]
) -> Iterator[Prompt]:
    """A question once for each sample, with its content key.

    The key names all that decides the answer: the revision of the task, what is asked, the model (`identity`
    is the content key of its own), and which repetition this is. The question's own key is not looked at.
    """
    asked = content_key(revision, _content(question), identity)
    for sample in samples:
        yield msgspec.structs.replace(question, key=content_key(asked, sample), sample=sample)


def check_prompt(prompt: Prompt, model: Model) -> None:
    """Raise UsageError for a prompt that is no conversation, or has more than the model takes."""
    takes = model.takes if isinstance(model, Conversing) else frozenset()
    wanted = {"history": bool(prompt.history), "schema": prompt.schema is not None}
    lacking = [name for name, wants in wanted.items() if wants and name not in takes]
    if lacking and reads_prompts(model):
        raise UsageError(f"{model.spec} takes plain texts only: {_LACKING[lacking[0]]}", hint=_OTHER)
    roles = [message.role for message in prompt.history]
    spoken = roles[1:] if roles[:1] == ["system"] else roles
    if spoken != ["user", "assistant"] * (len(spoken) // 2):
        message = f"task {prompt.task_id}: user and assistant do not speak in turns: {', '.join(roles)}"
        raise UsageError(message, hint="a system message may come first, and the prompt's text comes last")


_LACKING = {
    "history": "these prompts go on with a conversation",
    "schema": "these prompts ask for replies by a JSON schema",
}
_OTHER = "use a model that is served, with its chat interface: --model openai:NAME --api chat"


def _content(question: Prompt) -> Any:
    """What is asked, for the key: a plain text stands for itself."""
    if not question.history and question.schema is None:
        return question.text
    return {
        "history": [[message.role, message.content] for message in question.history],
        "text": question.text,
        "schema": question.schema,
    }
