"""The text of one choice: a scripted completion, ended by stop strings and by the token limit."""

from __future__ import annotations

from collections.abc import Collection
from hashlib import sha256
from typing import NamedTuple

from benchwright.stub_server.asked import Asked
from benchwright.text.clean import cut_at_stop

TOKEN = 4  # characters


class Generated(NamedTuple):
    """A choice's text, why it ended, and its tokens."""

    text: str
    finish_reason: str
    tokens: int


def count_tokens(text: str) -> int:
    """A token is four characters here, the last one maybe fewer."""
    return -(-len(text) // TOKEN)


def generate(completion: str, asked: Asked, faults: Collection[str]) -> Generated:
    """The completion as far as the request lets it go."""
    if "empty" in faults:
        return Generated("", "stop", 0)
    text = _stopped(completion, asked.stops, faults)
    limit = asked.max_tokens
    if limit is not None and count_tokens(text) > limit:
        return Generated(text[: limit * TOKEN], "length", limit)
    return Generated(text, "stop", count_tokens(text))


def _stopped(text: str, stops: list[str], faults: Collection[str]) -> str:
    kept, tail = cut_at_stop(text, stops)
    if not tail or "stop-ignored" in faults:
        return text
    if "stop-kept" in faults:
        stop = max((stop for stop in stops if stop and tail.startswith(stop)), key=len)
        return text[: count_tokens(text[: len(kept) + len(stop)]) * TOKEN]
    return kept


def chat_logprobs(text: str) -> dict[str, object]:
    """Log probabilities in the shape of the chat interface; made from a hash, so they mean nothing."""
    content = [
        {"token": token, "logprob": _logprob(token), "bytes": list(token.encode()), "top_logprobs": []}
        for token in _tokens(text)
    ]
    return {"content": content, "refusal": None}


def completion_logprobs(text: str) -> dict[str, object]:
    """The same in the shape of the completions interface."""
    tokens = _tokens(text)
    return {
        "tokens": tokens,
        "token_logprobs": [_logprob(token) for token in tokens],
        "top_logprobs": [{token: _logprob(token)} for token in tokens],
        "text_offset": list(range(0, len(text), TOKEN)),
    }


def _tokens(text: str) -> list[str]:
    return [text[at : at + TOKEN] for at in range(0, len(text), TOKEN)]


def _logprob(token: str) -> float:
    return -int.from_bytes(sha256(token.encode()).digest()[:2], "big") / 65536
