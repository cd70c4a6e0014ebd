"""`openai:NAME` and the other schemes of `providers`: a model behind HTTP, whoever's server it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain, islice
from typing import Any

from benchwright.asking.cost import Budget
from benchwright.asking.parameters import TEMPERATURE, check_asking
from benchwright.contracts import Asking, Listener, Model, Prompt
from benchwright.display.escape import escaped_name
from benchwright.errors import UsageError
from benchwright.models.openai.endpoint import Endpoint, find_endpoint, require_key
from benchwright.models.openai.forms import check_fields
from benchwright.models.openai.messages import check_body
from benchwright.models.openai.pacing import AsyncClock
from benchwright.models.openai.providers import ANTHROPIC, GEMINI, OLLAMA, OPENAI, OPENROUTER, VLLM, Provider
from benchwright.models.openai.request_pool import BackgroundLoop, ModelEvent, OpenConnection, RequestPool
from benchwright.records import Answer, Task, TaskId

Opener = Callable[[Endpoint, Asking], OpenConnection]
Background = BackgroundLoop[Answer | ModelEvent]


class OpenAIModel:
    """A live model. Prompts are asked as they are taken, so a run can be ended at any moment."""

    def __init__(
        self,
        name: str,
        asking: Asking,
        endpoint: Endpoint,
        *,
        clock: AsyncClock | None = None,
        opener: Opener | None = None,
    ) -> None:
        self.spec = f"{endpoint.provider.scheme}:{name}"
        self.deterministic = asking.temperature == 0
        self.takes = _takes(endpoint.provider, asking)
        self._name, self._asking, self._endpoint = name, asking, endpoint
        self._budget = Budget(asking)
        self._clock, self._opener = clock or AsyncClock(), opener or _http
        self._listener: Listener = lambda kind, detail: None

    def identity(self) -> Mapping[str, Any]:
        """All that decides the answers; where and how fast it is asked does not, and the key never shows."""
        asking = self._asking
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
        """Where it is served."""
        return self._endpoint.base_url

    def samples(self, task: Task) -> int | None:
        """As many as asked."""
        return None

    def check_ready(self) -> None:
        """Raise PrerequisiteError where the server needs a key and there is none."""
        require_key(self._endpoint)

    def describe(self) -> str:
        """What the server lists of the model, but for times: a server of our own tells its weights here."""
        from benchwright.models.openai.listing import listed  # noqa: PLC0415 (httpx: 0.3 s)

        return listed(self._endpoint, self._name)

    def observe(self, listener: Listener) -> None:
        """Tell `listener` of retries, faults and the budget, in the thread that takes the answers."""
        self._listener = listener

    def already(self, tokens_in: int, tokens_out: int) -> None:
        """The tokens of all answers that are stored, for the budget; to be called before `answer`."""
        self._budget.already(tokens_in, tokens_out)

    def answer(self, prompts: Iterable[Prompt], tasks: Mapping[TaskId, Task]) -> Iterator[Answer]:
        """Answers as they arrive. Raises BenchwrightError when the run has to end; nothing taken is lost.

        At most twice as many prompts as requests in flight are taken ahead of their answers. Closing the
        iterator ends the requests in flight.
        """
        source = iter(prompts)
        first = next(source, None)
        if first is None:
            return
        self.check_ready()
        pool = RequestPool(
            self._name,
            self._asking,
            self._endpoint,
            budget=self._budget,
            clock=self._clock,
            open_connection=self._opener(self._endpoint, self._asking),
        )
        with Background(pool.run) as background:
            try:
                yield from self._taken(pool, background, chain([first], source))
            except KeyboardInterrupt:
                background.close()
                yield from self._arrived(background)  # paid for, so kept
                raise

    def _taken(self, pool: RequestPool, background: Background, source: Iterator[Prompt]) -> Iterator[Answer]:
        most = 2 * self._asking.concurrency
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
        """What is there when asking has ended early."""
        for thing in background.rest():
            if isinstance(thing, ModelEvent):
                self._listener(thing.kind, thing.detail)
            else:
                yield thing


def _takes(provider: Provider, asking: Asking) -> frozenset[str]:
    """What prompts may have beside a text. A reply's schema is held to by OpenAI's interface alone."""
    if provider.interface != "openai":
        return frozenset({"history"})
    return frozenset({"history", "schema"} if asking.api == "chat" else ())


def open_provider(provider: Provider, rest: str, *, asking: Asking | None = None, **_: Any) -> Model:
    """The model of this name on the server that `asking` or the environment names; nothing is sent yet.

    Raises UsageError for settings that mean nothing.
    """
    if not rest.strip() or not rest.isprintable():
        message = f"`{provider.scheme}:{escaped_name(rest)}` names no model"
        hint = f"write the name that the server knows, such as `{provider.scheme}:qwen3-8b`"
        raise UsageError(message, hint=hint)
    asking = asking or Asking()
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


def _http(endpoint: Endpoint, asking: Asking) -> OpenConnection:
    from benchwright.models.openai.http import connections  # noqa: PLC0415 (httpx: 0.3 s, for live models only)

    return connections(endpoint.url, endpoint.headers(), timeout_s=asking.timeout_s)
