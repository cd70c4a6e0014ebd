"""A model behind HTTP: `openai:NAME` and the other schemes of `providers`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from benchwright.asking.cost import Budget
from benchwright.asking.parameters import TEMPERATURE, check_asking
from benchwright.contracts import Listener, Model, Prompt, RequestOptions
from benchwright.display.escape import escaped_name
from benchwright.errors import UsageError
from benchwright.models.http.batch_file import NAME as BATCHES
from benchwright.models.http.endpoint import (
    ANTHROPIC,
    AZURE,
    BEDROCK,
    GEMINI,
    LITELLM,
    OLLAMA,
    OPENAI,
    OPENROUTER,
    VERTEX,
    VLLM,
    Endpoint,
    Provider,
    find_endpoint,
    require_key,
)
from benchwright.models.http.interfaces import check_fields
from benchwright.models.http.messages import check_body
from benchwright.models.http.pacing import AsyncClock
from benchwright.models.http.request_pool import BackgroundLoop, ModelEvent, OpenConnection, RequestPool
from benchwright.records import Answer, Task, TaskId

Opener = Callable[[Endpoint, RequestOptions], OpenConnection]
Background = BackgroundLoop[Answer | ModelEvent]


class OpenAIModel:
    """A live model. Prompts are asked as they are taken, so a run can be ended at any moment."""

    def __init__(
        self,
        name: str,
        asking: RequestOptions,
        endpoint: Endpoint,
        *,
        clock: AsyncClock | None = None,
        opener: Opener | None = None,
    ) -> None:
        self.spec = f"{endpoint.provider.scheme}:{name}"
        self.deterministic = asking.temperature == 0
        self.takes = _takes(endpoint.provider, asking)
        self._name, self._options, self._endpoint = name, asking, endpoint
        self._budget = Budget(asking)
        self._clock, self._opener = clock or AsyncClock(), opener or _http
        self._listener: Listener = lambda kind, detail: None
        self.asks_in_batches = asking.batch and bool(endpoint.provider.batches)
        self._folder: Path | None = None  # of the run, for the state of batches

    def identity(self) -> Mapping[str, Any]:
        """Return everything that decides the answers, without address, speed and key."""
        asking = self._options
        return {
            "scheme": self._endpoint.provider.scheme,
            "name": self._name,
            **({"model_id": asking.model_id} if asking.model_id is not None else {}),
            "api": asking.api,
            "temperature": TEMPERATURE if asking.temperature is None else asking.temperature,
            "top_p": asking.top_p,
            "max_tokens": asking.max_tokens,
            "stop": list(asking.stop),
            "seed": asking.seed,
            "body": asking.body,
        }

    @property
    def base_url(self) -> str:
        """The address of the server."""
        return self._endpoint.base_url

    def samples(self, task: Task) -> int | None:
        """Return None: as many as asked."""
        return None

    def check_ready(self) -> None:
        """Raise PrerequisiteError where the server needs a key that is missing."""
        require_key(self._endpoint)

    def describe(self) -> str:
        """Return the server's entry for the model, without times. Local servers name their weights there."""
        from benchwright.models.http.connection import read_model_entry  # noqa: PLC0415 (httpx: 0.3 s)

        return read_model_entry(self._endpoint, self._name)

    def observe(self, listener: Listener) -> None:
        """Report retries, faults and the budget to `listener`, in the thread that takes the answers."""
        self._listener = listener

    def already(self, tokens_in: int, tokens_out: int) -> None:
        """Set the tokens of all stored answers, for the budget. Call it before `answer`."""
        self._budget.already(tokens_in, tokens_out)

    def store_batches_in(self, folder: Path) -> None:
        """Keep the state of batches in a run folder. Raises UsageError for open ones of another session."""
        self._folder = folder
        if not self.asks_in_batches and (folder / BATCHES).exists():
            from benchwright.models.http.batches import check_no_open_batches  # noqa: PLC0415 (httpx: 0.3 s)

            check_no_open_batches(folder)

    def answer(self, prompts: Iterable[Prompt], tasks: Mapping[TaskId, Task]) -> Iterator[Answer]:
        """Yield answers as they arrive. Raises BenchwrightError where the run must end; no answer is lost.

        At most twice as many prompts as requests in flight are taken ahead of their answers. Closing the
        iterator cancels the requests in flight.
        """
        source = iter(prompts)
        first = next(source, None)
        if first is None:
            return
        self.check_ready()
        if self.asks_in_batches:
            yield from self._in_batches(chain([first], source))
            return
        pool = RequestPool(
            self._name,
            self._options,
            self._endpoint,
            budget=self._budget,
            clock=self._clock,
            open_connection=self._opener(self._endpoint, self._options),
        )
        with Background(pool.run) as background:
            try:
                yield from self._pool_answers(pool, background, chain([first], source))
            except KeyboardInterrupt:
                background.close()
                yield from self._arrived(background)  # paid for, so kept
                raise

    def _in_batches(self, prompts: Iterable[Prompt]) -> Iterator[Answer]:
        from benchwright.models.http.batches import BatchAsker  # noqa: PLC0415 (httpx: 0.3 s)

        assert self._folder is not None, "batches need a run folder"
        asker = BatchAsker(
            self._name,
            self._options,
            self._endpoint,
            budget=self._budget,
            folder=self._folder,
            tell=self._listener,
        )
        yield from asker.answers(prompts)

    def _pool_answers(
        self, pool: RequestPool, background: Background, source: Iterator[Prompt]
    ) -> Iterator[Answer]:
        most = 2 * self._options.concurrency
        ahead, more = 0, True
        while True:
            if more and ahead <= most * 3 // 4:  # in batches: waking the other thread costs 0.05 ms
                batch = list(islice(source, most - ahead))
                more = len(batch) == most - ahead
                ahead += len(batch)
                background.call(partial(pool.give, batch, last=not more))
            thing = background.take()
            if thing is None:
                return
            if isinstance(thing, ModelEvent):
                self._listener(thing.kind, thing.detail)
            else:
                ahead -= 1
                yield thing

    def _arrived(self, background: Background) -> Iterator[Answer]:
        """Return the answers that arrived before an early end."""
        for thing in background.rest():
            if isinstance(thing, ModelEvent):
                self._listener(thing.kind, thing.detail)
            else:
                yield thing


def _takes(provider: Provider, asking: RequestOptions) -> frozenset[str]:
    """Return the supported features of prompts. Only OpenAI's interface enforces a reply schema."""
    if provider.interface != "openai":
        return frozenset({"history"})
    return frozenset({"history", "schema"} if asking.api == "chat" else ())


def open_provider(provider: Provider, rest: str, *, asking: RequestOptions | None = None, **_: Any) -> Model:
    """Open a model on the server of `asking` or the environment. Sends nothing yet.

    Raises UsageError for invalid settings.
    """
    if not rest.strip() or not rest.isprintable():
        message = f"`{provider.scheme}:{escaped_name(rest)}` names no model"
        hint = f"write the name that the server knows, such as `{provider.scheme}:qwen3-8b`"
        raise UsageError(message, hint=hint)
    asking = asking or RequestOptions()
    check_asking(asking)
    check_body(asking)
    check_fields(provider.interface, asking)
    if provider.interface != "openai" and asking.api != "chat":
        message = f"--api {asking.api}: `{provider.scheme}:` has a chat interface only"
        raise UsageError(message, hint="leave --api out")
    endpoint = find_endpoint(asking.base_url, api=asking.api, provider=provider, model=rest)
    return OpenAIModel(rest, asking, endpoint)


open_model = partial(open_provider, OPENAI)
open_ollama = partial(open_provider, OLLAMA)
open_vllm = partial(open_provider, VLLM)
open_openrouter = partial(open_provider, OPENROUTER)
open_anthropic = partial(open_provider, ANTHROPIC)
open_gemini = partial(open_provider, GEMINI)
open_azure = partial(open_provider, AZURE)
open_bedrock = partial(open_provider, BEDROCK)
open_vertex = partial(open_provider, VERTEX)
open_litellm = partial(open_provider, LITELLM)


def _http(endpoint: Endpoint, asking: RequestOptions) -> OpenConnection:
    from benchwright.models.http.connection import connections  # noqa: PLC0415 (httpx: 0.3 s, for live models only)

    return connections(endpoint.url, endpoint.headers(), timeout_s=asking.timeout_s)
