"""The contract of an engine for local weights: text in, a completion out."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class LocalCompletion(NamedTuple):
    """Generated text, and the token counts of prompt and text."""

    text: str
    tokens_in: int
    tokens_out: int
    complete: bool  # the model has ended it, not the token limit


class Engine(Protocol):
    """Loaded weights. `transformers_engine` has the real engine; tests use a smaller one."""

    def draw(self, text: str, *, seed: int) -> LocalCompletion:
        """Generate one text. Raises one of FAILURES where this prompt cannot be answered."""
        ...
