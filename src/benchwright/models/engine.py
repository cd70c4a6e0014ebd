"""What loaded weights are to a model from a folder: the seam between `transformers` and its engine."""

from __future__ import annotations

from typing import NamedTuple, Protocol

# What a generation raises for one prompt: no memory, numbers no sampler takes, a template's refusal.
FAILURES = (RuntimeError, ValueError, IndexError)


class Drawn(NamedTuple):
    """What an engine has generated: the text, and token counts of prompt and text."""

    text: str
    tokens_in: int
    tokens_out: int
    complete: bool  # the model has ended it, not the token limit


class Engine(Protocol):
    """Loaded weights. `transformers_engine` has the real one; a test may have a smaller one."""

    def draw(self, text: str, *, seed: int) -> Drawn:
        """Generate one text. Raises one of FAILURES where this prompt cannot be answered."""
        ...
