"""A request: one prompt, one answer wanted, and a seed of its own.

`n` is never sent. A server that ignores it gives one choice for ten, one that ignores seeds gives ten
copies, and one request an answer is what can be retried, paced and resumed answer by answer.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from benchwright.contracts import Asking, Prompt
from benchwright.store.keys import content_key

TEMPERATURE = 0.6  # where neither the caller nor a track says anything
MAX_STOPS = 4  # that OpenAI's interface takes in one request
LIMIT = "max_completion_tokens"  # what newer models call max_tokens; both at once are refused


def seed_of(seed: int, key: str) -> int:
    """The seed of one request: from 1 to 2³¹ - 1, which every server can hold and none reads as "any".

    It depends on the prompt's key, which names the repetition too: servers that honour a seed give
    equal answers to equal seeds, so one seed for all repetitions would make ten copies of one answer.
    """
    return int(content_key("seed", seed, key)[:16], 16) % (2**31 - 1) + 1


def answer_limit(asking: Asking) -> int | None:
    """The tokens that an answer may have; None where the request leaves that to the server."""
    if newer := asking.body.get(LIMIT):
        return newer if isinstance(newer, int) and not isinstance(newer, bool) else None
    return None if "max_tokens" in asking.body else asking.max_tokens


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
        text = prompt.text
        asked = {"messages": [{"role": "user", "content": text}]} if self._chat else {"prompt": text}
        seed = {} if self._seed is None else {"seed": self.seed(prompt)}
        body = {**self._fixed, **asked, **seed}
        try:
            return msgspec.json.encode(body)
        except UnicodeEncodeError:  # half a surrogate pair, which an escape can send as it is
            return json.dumps(body).encode()


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
