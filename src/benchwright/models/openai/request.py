"""A request: one prompt, one answer wanted, and a seed of its own.

`n` is never sent. A server that ignores it gives one choice for ten, one that ignores seeds gives ten
copies, and one request an answer is what can be retried, paced and resumed answer by answer.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from benchwright.asking.parameters import LIMIT, TEMPERATURE, seed_of
from benchwright.contracts import Asking, Prompt
from benchwright.errors import UsageError

MAX_STOPS = 4  # that OpenAI's interface takes in one request
# Fields of the body that have a setting of their own, or that would change what a reply is.
SETTINGS = {
    "temperature": "--temperature",
    "top_p": "--top-p",
    "max_tokens": "--max-tokens",
    "stop": "--stop",
    "seed": "--seed",
}
OURS = {"model", "messages", "prompt", "n", "best_of", "stream", "stream_options", "echo"}


def check_body(asking: Asking) -> None:
    """Raise UsageError for a further field of the request that Benchwright or an option of it sets."""
    for name, value in asking.body.items():
        if name in OURS:
            message = f"the request's field {name!r} is Benchwright's own"
            raise UsageError(message, hint="each request asks one question once; use `--n` for more answers")
        if name in SETTINGS and value is not None:
            message = f"the request's field {name!r} has an option of its own"
            raise UsageError(message, hint=f"{SETTINGS[name]} {value}; null in the body leaves the field out")


class Form:
    """How prompts become bodies: everything that is the same in all of them, settled once."""

    def __init__(self, name: str, asking: Asking) -> None:
        self._chat = asking.api == "chat"
        self._seed = None if "seed" in asking.body else asking.seed
        self.stops = asking.stop
        # Never to the chat interface: there a stop string fires inside the reasoning, where no one can
        # undo it. A base model has no end of its own, so to that interface as many as it takes.
        self.sent_stops = () if self._chat else asking.stop[:MAX_STOPS]
        self._fixed = _fixed(name, asking, self.sent_stops)

    def seed(self, prompt: Prompt) -> int | None:
        """The seed to ask a prompt with; None when the caller left the field out."""
        return None if self._seed is None else seed_of(self._seed, prompt.key)

    def body(self, prompt: Prompt) -> bytes:
        """The request's body."""
        asked = _conversation(prompt) if self._chat else {"prompt": prompt.text}
        seed = {} if self._seed is None else {"seed": self.seed(prompt)}
        body = {**self._fixed, **asked, **seed}
        try:
            return msgspec.json.encode(body)
        except UnicodeEncodeError:  # half a surrogate pair, which an escape can send as it is
            return json.dumps(body).encode()


def _conversation(prompt: Prompt) -> dict[str, Any]:
    """The messages, and the shape of the reply where one is wanted: before any that --body asks for."""
    messages = [{"role": message.role, "content": message.content} for message in prompt.history]
    messages.append({"role": "user", "content": prompt.text})
    if prompt.schema is None:
        return {"messages": messages}
    wanted = {"name": "reply", "schema": prompt.schema, "strict": True}
    return {"messages": messages, "response_format": {"type": "json_schema", "json_schema": wanted}}


def _fixed(name: str, asking: Asking, stops: tuple[str, ...]) -> dict[str, Any]:
    own = {
        "model": name,
        "max_tokens": None if asking.body.get(LIMIT) else asking.max_tokens,
        "temperature": TEMPERATURE if asking.temperature is None else asking.temperature,
        "top_p": asking.top_p,
        "stop": list(stops) or None,
    }
    # A null is a field left out: some servers refuse a field that they do not know, whatever its value.
    return {field: value for field, value in {**own, **asking.body}.items() if value is not None}
