"""Models that answer from the data set itself: `gold:` must always pass and `stub:` never.

They prove the harness before it judges any model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from benchwright.contracts import Model, Prompt, Track
from benchwright.errors import UsageError
from benchwright.records import Answer, Task, TaskId


class FixedModel:
    """A model whose answer to a task is a function of the task alone."""

    deterministic = True
    reads_prompts = False

    def __init__(self, scheme: str, answer_of: Callable[[Task], str | None]) -> None:
        self.spec = f"{scheme}:"
        self._scheme, self._answer_of = scheme, answer_of

    def identity(self) -> Mapping[str, Any]:
        """Return the scheme alone: the answers are part of the data."""
        return {"scheme": self._scheme}

    def answer(self, prompts: Iterable[Prompt], tasks: Mapping[TaskId, Task]) -> Iterator[Answer]:
        """Yield one answer for each prompt, in order; an error where the data set has none."""
        for prompt in prompts:
            text = self._answer_of(tasks[prompt.task_id])
            yield Answer(
                key=prompt.key,
                task_id=prompt.task_id,
                sample=prompt.sample,
                model=self.spec,
                text=text or "",
                prompt=prompt.variant,
                finish_reason="stop" if text is not None else None,
                error=None if text is not None else f"the data set holds no {self._scheme} answer",
            )

    def samples(self, task: Task) -> int | None:
        """Return None: as many equal answers as asked."""
        return None


def open_gold(rest: str, *, track: Track | None = None, **_: Any) -> Model:
    """Open the reference solutions of a track."""
    return FixedModel("gold", _known(track, rest, "gold").gold)


def open_stub(rest: str, *, track: Track | None = None, **_: Any) -> Model:
    """Open the answers of a track that must fail."""
    return FixedModel("stub", _known(track, rest, "stub").stub)


def _known(track: Track | None, rest: str, scheme: str) -> Track:
    if rest:
        raise UsageError(
            f"`{scheme}:` takes nothing after the colon, not {rest!r}", hint=f"write `{scheme}:`"
        )
    if track is None:
        raise UsageError(f"`{scheme}:` needs a track", hint=f'call parse_model("{scheme}:", track=TRACK)')
    return track
