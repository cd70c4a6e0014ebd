"""The interface between a model from a folder and the engine that holds its weights."""

from __future__ import annotations

from typing import NamedTuple, Protocol

# What a generation raises for one prompt: no memory, numbers no sampler takes, a template's refusal.
FAILURES = (RuntimeError, ValueError, IndexError)


class Drawn(NamedTuple):
    """Generated text, and the token counts of prompt and text."""

    text: str
    tokens_in: int
    tokens_out: int
    complete: bool  # the model has ended it, not the token limit


class Engine(Protocol):
    """Loaded weights. `transformers_engine` has the real engine; tests use a smaller one."""

    def draw(self, text: str, *, seed: int) -> Drawn:
        """Generate one text. Raises one of FAILURES where this prompt cannot be answered."""
        ...
