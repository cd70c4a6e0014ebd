"""A live model without a server: the test sets its answers, events and failures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import pytest

from benchwright import registry
from benchwright.contracts import Listener, Prompt, RequestOptions
from benchwright.records import Answer, Task, TaskId

Says = Callable[[Prompt, Task], str]


def gold(prompt: Prompt, task: Task) -> str:
    """Return the right body, with a different text for each sample."""
    return f"{task.meta['canonical_solution']}    # {prompt.sample}\n"


def copies(prompt: Prompt, task: Task) -> str:
    """Return the right body, always with the same text."""
    text: str = task.meta["canonical_solution"]
    return text


class LiveModel:
    """Answers each prompt by `says`; reports `events` before the first answer, and raises `ends` after a
    number of answers."""

    def __init__(
        self,
        says: Says = gold,
        *,
        events: Iterable[tuple[str, dict[str, Any]]] = (),
        fails: Callable[[Prompt], str | None] = lambda prompt: None,
        ends: tuple[int, type[BaseException]] | None = None,
        **fields: Any,
    ) -> None:
        self.spec, self.deterministic = "live:model", False
        self.asking = RequestOptions()
        self.asked: list[Prompt] = []
        self.told: tuple[int, int] | None = None
        self.closed = False
        self._says, self._events, self._fails, self._ends = says, list(events), fails, ends
        self._fields = {"finish_reason": "stop", "tokens_in": 10, "tokens_out": 5, **fields}
        self._listener: Listener = lambda kind, detail: None

    def identity(self) -> Mapping[str, Any]:
        """Return the parameters that decide an answer."""
        return {"scheme": "live", "temperature": self.asking.temperature, "api": self.asking.api}

    def samples(self, task: Task) -> int | None:
        """Return as many samples as requested."""
        return None

    def observe(self, listener: Listener) -> None:
        """Store the listener."""
        self._listener = listener

    def already(self, tokens_in: int, tokens_out: int) -> None:
        """Store the amount spent so far."""
        self.told = (tokens_in, tokens_out)

    def answer(self, prompts: Iterable[Prompt], tasks: Mapping[TaskId, Task]) -> Iterator[Answer]:
        """Answer the last prompt first: a server keeps no order."""
        try:
            for kind, detail in self._events:
                self._listener(kind, detail)
            for number, prompt in enumerate(reversed(list(prompts))):
                if self._ends is not None and number == self._ends[0]:
                    raise self._ends[1]
                self.asked.append(prompt)
                yield self._answer(prompt, tasks[prompt.task_id])
        finally:
            self.closed = True

    def _answer(self, prompt: Prompt, task: Task) -> Answer:
        error = self._fails(prompt)
        fields = {**self._fields, "error": error} if error is not None else self._fields
        text = "" if error is not None else self._says(prompt, task)
        return Answer(
            key=prompt.key,
            task_id=prompt.task_id,
            sample=prompt.sample,
            model="live",
            prompt=prompt.variant,
            **{"text": text, **fields},
        )


def register(monkeypatch: pytest.MonkeyPatch, model: LiveModel) -> LiveModel:
    """Register this model as `live:`."""

    def open_model(rest: str, *, asking: RequestOptions, **_: Any) -> LiveModel:
        model.asking = asking
        return model

    def find(kind: str, name: str) -> Any:
        return open_model if (kind, name) == ("model", "live") else registry.find(kind, name)

    monkeypatch.setattr("benchwright.models.spec.find", find)
    return model
