"""Shared code of the tests of drafting: records, and a model with a scripted answer for each step."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from benchwright.contracts import Prompt
from benchwright.records import Answer, Task, TaskId
from benchwright.sources.model_records import CodeBlock, ModelRecord

SOLUTION = {
    "libraries": [],
    "imports": ["import math"],
    "signature": "def softmax(logits: list[float]) -> list[float]:",
    "implementation": (
        '    if not logits:\n        raise ValueError("no logits")\n'
        "    parts = [math.exp(each - max(logits)) for each in logits]\n"
        "    return [part / sum(parts) for part in parts]"
    ),
}


def case(name: str, level: str, *args: Any) -> dict[str, Any]:
    """Return an input as a model proposes it."""
    return {"name": name, "level": level, "description": "", "args": list(args), "kwargs": {}}


INPUTS = {
    "cases": [
        case("two", "normal", [1.0, 1.0]),
        case("none", "edge_case", []),
        case("three", "correctness", [0.0, 1.0, 2.0]),
    ]
}
WORDS = {
    "description": "Turn the logits of a classifier into probabilities.",
    "docstring": "Probabilities.\n\nArgs:\n    logits: Numbers.\n\nReturns:\n    As many shares of 1.\n\n"
    "Raises:\n    ValueError: There are no logits.",
}
SOLVE = {
    "program": (
        "import math\n\n\ndef softmax(logits):\n    if len(logits) == 0:\n        raise ValueError\n"
        "    whole = sum(math.exp(each) for each in logits)\n"
        "    return [math.exp(each) / whole for each in logits]\n"
    )
}
REVIEW = {"verdict": "accept", "faults": []}
GOOD = {"solution": SOLUTION, "inputs": INPUTS, "words": WORDS, "solve": SOLVE, "review": REVIEW}


def record(name: str = "acme/tiny", **other: Any) -> ModelRecord:
    """Return a record for a draft."""
    given: dict[str, Any] = {
        "origin": "cards",
        "id": name,
        "revision": "r1",
        "sha256": "0" * 64,
        "licence": "MIT",
        "model": name,
        "task": "text-classification",
        "revised_at": "2026-01-02T03:04:05Z",
        "blocks": [CodeBlock(language="python", code="pipeline('text-classification')")],
    }
    return ModelRecord(**{**given, **other})


class StepModel:
    """A model that answers by the name of the step: a text, a JSON value, or None for a server error.

    It fails after `stops_after` answers; `asked` has every prompt.
    """

    deterministic = False
    takes = frozenset({"history", "schema"})

    def __init__(self, name: str = "author", **replies: Any) -> None:
        self.spec = f"steps:{name}"
        self.replies: dict[str, Any] = {
            **GOOD,
            **{step.replace("_", "-"): each for step, each in replies.items()},
        }
        self.asked: list[Prompt] = []
        self.stops_after = 10**9

    def identity(self) -> Mapping[str, Any]:
        """Return its name."""
        return {"name": self.spec}

    def samples(self, task: Task) -> int | None:
        """Return as many samples as requested."""
        return None

    def answer(self, prompts: Iterable[Prompt], tasks: Mapping[TaskId, Task]) -> Iterator[Answer]:
        """Answer the last prompt first: callers must not rely on the order."""
        for prompt in reversed(list(prompts)):
            assert prompt.task_id in tasks
            if len(self.asked) == self.stops_after:
                raise KeyboardInterrupt
            self.asked.append(prompt)
            reply = self.replies[str(prompt.task_id).partition("#")[2]]
            text = reply if isinstance(reply, str) else json.dumps(reply)
            yield Answer(
                key=prompt.key,
                task_id=prompt.task_id,
                sample=0,
                model=self.spec,
                text="" if reply is None else text,
                prompt=prompt.variant,
                error="500: it broke" if reply is None else None,
                finish_reason="stop",
                tokens_in=10,
                tokens_out=5,
            )

    def steps(self) -> list[str]:
        """Return the step of each prompt, in order."""
        return [str(prompt.task_id).partition("#")[2] for prompt in self.asked]
