"""Prompts on their way to a model: how many there are, in which order, and which models read them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from benchwright.contracts import Model, Prompt


class Prompts(Protocol):
    """All prompts of one purpose, in canonical order; a list is one. They can be gone through again."""

    def __len__(self) -> int:
        """How many there are."""
        ...

    def __iter__(self) -> Iterator[Prompt]:
        """Each of them, made as it is wanted: there may be a million."""
        ...


def reads_prompts(model: Model) -> bool:
    """False for a model whose answers do not depend on what it is asked: stored, gold, stub.

    Such a model says so with an attribute `reads_prompts`; one that says nothing is taken to read.
    """
    return bool(getattr(model, "reads_prompts", True))
