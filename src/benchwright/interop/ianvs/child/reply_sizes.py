"""How much a model has said, as far as its reply tells: tokens, or else characters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_TEXTS = ("completion", "text")
_MAX_TOKENS, _MAX_SECONDS = 1 << 40, 1 << 30  # beyond it nobody has counted


def reply_facts(replies: Sequence[Any]) -> dict[str, float]:
    """What the replies to one item tell: `tokens`, else `characters`, of all together, and `first_token_s`.

    More than one where several models were asked; None stands for one that was not. A reply is text, or a
    mapping in the form of Ianvs's language examples: `completion`, `usage.completion_tokens`, and
    `perf.time_to_first_token` in seconds.

    >>> reply_facts([{"completion": "yes", "usage": {"completion_tokens": 2}}])
    {'tokens': 2}
    >>> reply_facts(["yes", None])
    {'characters': 3}
    """
    if len(replies) == 1 and type(replies[0]) is str:
        return {"characters": len(replies[0])}
    given = [reply for reply in replies if reply is not None]
    facts: dict[str, float] = {}
    for name, known in (("tokens", _tokens), ("characters", _characters)):
        sizes = [known(reply) for reply in given]
        if sizes and not any(size is None for size in sizes):
            facts[name] = sum(size for size in sizes if size is not None)
            break
    if len(given) == 1 and (first := _first_token(given[0])) is not None:
        facts["first_token_s"] = first
    return facts


def _tokens(reply: Any) -> int | None:
    usage = _mapping(reply, "usage") or (reply if isinstance(reply, dict) else {})
    tokens = usage.get("completion_tokens")
    return tokens if type(tokens) is int and 0 <= tokens < _MAX_TOKENS else None


def _characters(reply: Any) -> int | None:
    texts = [reply.get(key) for key in _TEXTS] if isinstance(reply, dict) else [reply]
    return next((len(text) for text in texts if isinstance(text, str)), None)


def _first_token(reply: Any) -> float | None:
    seconds = _mapping(reply, "perf").get("time_to_first_token")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return None
    return float(seconds) if 0 < seconds < _MAX_SECONDS else None


def _mapping(reply: Any, key: str) -> dict[str, Any]:
    inner = reply.get(key) if isinstance(reply, dict) else None
    return inner if isinstance(inner, dict) else {}
