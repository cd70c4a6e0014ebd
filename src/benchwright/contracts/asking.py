"""What a model must offer, and what it is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, Protocol, runtime_checkable

from benchwright.records import Answer, Record, Task, TaskId


class Message(Record, frozen=True, kw_only=True):
    """What was said in a conversation, and by whom."""

    role: Literal["system", "user", "assistant"]
    content: str


class Prompt(Record, frozen=True, kw_only=True):
    """One question to a model: `text` is what the user asks, `key` its content key with the sample index.

    `history` is the conversation before it; `round` says how often an agent has asked about the answer before
    this one, and marks the answer, see `records.Answer`. `schema` is the JSON schema of the reply that is
    wanted; what of JSON Schema it may use is in `asking.schema`.
    """

    key: str
    task_id: TaskId
    sample: int
    text: str
    variant: str = ""
    history: tuple[Message, ...] = ()
    round: int = 0
    schema: dict[str, Any] | None = None


class Asking(Record, frozen=True, kw_only=True):
    """How a live model is asked. The first group decides the answers and is part of their keys."""

    model_id: str | None = None  # tells two models apart that are served under one name
    api: str = "chat"  # or "completions", for base models
    temperature: float | None = None  # None: the track's
    top_p: float | None = None
    max_tokens: int = 2048
    stop: tuple[str, ...] = ()  # applied on our side; sent only to the completions API
    seed: int = 1234  # every request's own seed is made from it and the prompt's key
    body: dict[str, Any] = {}  # further fields of the request's body, such as reasoning_effort

    base_url: str | None = None  # None: the provider's own, or what the environment says
    concurrency: int = 8  # requests in flight
    per_minute: float | None = None  # requests started in a minute at most
    timeout_s: float = 600.0  # of one request
    retries: int = 6  # of one request, after its first try
    budget: float | None = None  # stop asking when the answers have cost this much
    price_in: float | None = None  # of a million tokens, in the budget's currency
    price_out: float | None = None
    cache: bool = False  # whether answers that earlier runs of this user had are taken

    options: str = "--"  # how the options that say all this begin, in messages


class Model(Protocol):
    """Something that answers prompts. `spec` is the scheme:rest it was opened with.

    `deterministic`: the same question always gets the same answer, so by default it is asked once.
    """

    spec: str
    deterministic: bool

    def identity(self) -> Mapping[str, Any]:
        """All that decides the answers (name, parameters, hash of a replayed file), for content keys."""
        ...

    def answer(self, prompts: Iterable[Prompt], tasks: Mapping[TaskId, Task]) -> Iterator[Answer]:
        """One answer for each prompt, in any order. A failure is an Answer with `error` set."""
        ...

    def samples(self, task: Task) -> int | None:
        """How many answers this model holds for a task; None when it can make as many as asked."""
        ...


Listener = Callable[[str, Mapping[str, Any]], None]


@runtime_checkable
class Observed(Protocol):
    """A model that has more to tell than its answers, in events of these kinds: "retry", "wait",
    "server_fault", "budget".

    A "server_fault" names what a server did against its own interface, in `detail["fault"]`; the run
    keeps all events in events.jsonl and the score lists the faults.
    """

    def observe(self, listener: Listener) -> None:
        """Tell `listener` of events from now on: it is called with the kind and the detail."""
        ...


@runtime_checkable
class Describing(Protocol):
    """A model whose server can say more of it than its name, such as where its weights come from."""

    def describe(self) -> str:
        """What the server says of the model now, always in the same words for the same; empty for nothing.

        Answers of an earlier run are taken only where this is what it was then.
        """
        ...


class Holding(Record, frozen=True, kw_only=True):
    """What a model that holds its answers found in its file: counts, and what it could not use."""

    shape: str  # in words
    answers: int  # all of them, those to tasks that the data lacks too
    tasks: int  # of the data set, that have an answer
    foreign: dict[str, int] = {}  # by what the file calls a task that the data lacks: its answers
    notes: list[str] = []  # what was decided about columns


@runtime_checkable
class Holder(Protocol):
    """A model whose answers are stored. It has as many to a task as it has: see `Model.samples`."""

    def holding(self) -> Holding:
        """What it holds."""
        ...


@runtime_checkable
class Conversing(Protocol):
    """A model that takes more than a plain text: `takes` has "history", "schema" or both.

    Prompts with more than their model takes are refused before anything is asked.
    """

    takes: frozenset[str]


@runtime_checkable
class Budgeted(Protocol):
    """A model that counts what its answers cost."""

    def already(self, tokens_in: int, tokens_out: int) -> None:
        """The tokens of all answers that are stored; called before `answer`."""
        ...


@runtime_checkable
class Demanding(Protocol):
    """A model that cannot be asked without something, such as a key."""

    def check_ready(self) -> None:
        """Raise PrerequisiteError for what is absent; called before anything is executed or asked."""
        ...
