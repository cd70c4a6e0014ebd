"""Contract of a model: prompts in, answers out, and what a model may offer in addition."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

from benchwright.records import Answer, Record, Task, TaskId


class Message(Record, frozen=True, kw_only=True):
    """A message of a conversation and the role of its sender."""

    role: Literal["system", "user", "assistant"]
    content: str


class Prompt(Record, frozen=True, kw_only=True):
    """One prompt to a model: `text` is the user's message, `key` its content key with the sample index.

    `history` is the preceding conversation. `round` counts earlier prompts of an agent about the same
    answer, and marks the answer (`records.Answer`). `schema` is the JSON Schema of the requested reply;
    `asking.schema` lists the supported keywords.
    """

    key: str
    task_id: TaskId
    sample: int
    text: str
    variant: str = ""
    history: tuple[Message, ...] = ()
    round: int = 0
    schema: dict[str, Any] | None = None


class RequestOptions(Record, frozen=True, kw_only=True):
    """Parameters of requests to a live model. The first group affects answers and is part of their keys."""

    model_id: str | None = None  # distinguishes models that are served under one name
    api: str = "chat"  # or "completions", for base models
    temperature: float | None = None  # None: the track's
    top_p: float | None = None
    max_tokens: int = 2048
    stop: tuple[str, ...] = ()  # applied locally; sent to the completions API only
    seed: int = 1234  # each request's seed is derived from it and the prompt's key
    body: dict[str, Any] = {}  # additional fields of the request body, such as reasoning_effort

    timed: bool = False  # store the seconds of each request; not part of the keys
    base_url: str | None = None  # None: the provider's default, or that of the environment
    concurrency: int = 8  # requests in flight
    per_minute: float | None = None  # maximum of requests started per minute
    timeout_s: float = 600.0  # of one request
    retries: int = 6  # of one request, after the first attempt
    budget: float | None = None  # stop asking when the answers have cost this much
    price_in: float | None = None  # per million tokens, in the budget's currency
    price_out: float | None = None
    cache: bool = False  # reuse answers from earlier runs of this user
    batch: bool = False  # send requests through the provider's batch interface
    wait: bool = True  # for the results of batches; False: submit, collect what has ended, and stop
    price_batch: float = 0.5  # price of an answer from a batch, as a share of its price

    options: str = "--"  # prefix of these options in messages


class Model(Protocol):
    """A source of answers. `spec` is the SCHEME:REST that it was opened with.

    `deterministic`: the same prompt always gets the same answer, so it is asked once by default.
    """

    spec: str
    deterministic: bool

    def identity(self) -> Mapping[str, Any]:
        """Everything that affects answers (name, parameters, hash of a replayed file), for content keys."""
        ...

    def answer(self, prompts: Iterable[Prompt], tasks: Mapping[TaskId, Task]) -> Iterator[Answer]:
        """One answer for each prompt, in any order. A failure is an Answer with `error` set."""
        ...

    def samples(self, task: Task) -> int | None:
        """Number of stored answers to a task; None if the model can generate any number."""
        ...


Listener = Callable[[str, Mapping[str, Any]], None]


@runtime_checkable
class ObservableModel(Protocol):
    """A model that reports events in addition to answers: "retry", "wait", "server_fault", "budget".

    A "server_fault" names a violation of the server's own interface in `detail["fault"]`. The run stores all
    events in events.jsonl, and the score lists the faults.
    """

    def observe(self, listener: Listener) -> None:
        """Call `listener` with the kind and the detail of each event from now on."""
        ...


@runtime_checkable
class DescribedModel(Protocol):
    """A model whose server describes it beyond its name, such as the origin of its weights."""

    def describe(self) -> str:
        """The server's current description, identical for an identical model; empty if there is none.

        Answers of an earlier run are reused only if this text is unchanged.
        """
        ...


class StoredAnswersSummary(Record, frozen=True, kw_only=True):
    """Content of a file of stored answers: counts, and answers that cannot be used."""

    shape: str  # format of the file, in words
    answers: int  # all answers, including those to tasks that are not in the data
    tasks: int  # tasks of the data set that have an answer
    foreign: dict[str, int] = {}  # number of answers by id of a task that is not in the data
    notes: list[str] = []  # decisions about columns


@runtime_checkable
class StoredAnswersModel(Protocol):
    """A model with stored answers. `Model.samples` gives their number."""

    def holding(self) -> StoredAnswersSummary:
        """Summarise the stored answers."""
        ...


@runtime_checkable
class ConversationalModel(Protocol):
    """A model that accepts more than plain text: `takes` contains "history", "schema" or both.

    Prompts that need more than their model accepts are refused before the first request.
    """

    takes: frozenset[str]


@runtime_checkable
class CostCountingModel(Protocol):
    """A model that tracks the cost of its answers."""

    def already(self, tokens_in: int, tokens_out: int) -> None:
        """Add the tokens of all stored answers; called before `answer`."""
        ...


@runtime_checkable
class BatchableModel(Protocol):
    """A model whose provider has batches. `asks_in_batches`: whether this one sends its requests there."""

    asks_in_batches: bool

    def store_batches_in(self, folder: Path) -> None:
        """Keep the state of batches in a run folder; called before `answer`.

        Raises UsageError if the folder has open batches and the model does not ask in batches.
        """
        ...


@runtime_checkable
class ModelWithRequirements(Protocol):
    """A model with prerequisites, such as an API key."""

    def check_ready(self) -> None:
        """Raise PrerequisiteError for a missing prerequisite; called before anything is executed or asked."""
        ...
