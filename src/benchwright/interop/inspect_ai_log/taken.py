"""One sample of an Inspect log as an answer, each field checked: a log comes from somebody else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import DataError
from benchwright.interop.imported import Taken
from benchwright.records import Outcome, TaskId

# Inspect's words for why a model stopped, in those of the APIs. "unknown" is none of them.
FINISH_REASONS = {
    "stop": "stop",
    "max_tokens": "length",
    "model_length": "length",
    "length": "length",  # of old logs
    "content_filter": "content_filter",
    "tool_calls": "tool_calls",
}
_MAX_SCORE = 200


class Sample:
    """A sample's fields. Each is read once; one of the wrong type is a DataError that says where."""

    def __init__(self, path: Path, data: dict[str, Any], *, own: bool) -> None:
        """`own`: the log is an export of this program, whose metadata says more than Inspect's fields."""
        self._path, self._data, self._own = path, data, own
        self.id: TaskId = self._id()
        self.output: Mapping[str, Any] = self._object(data, "output")
        self.epoch: int = self._epoch()

    def taken(self, *, model: str | None, seed: int | None) -> Taken:
        """The answer. `model` and `seed` are those of the log, for samples that say nothing else."""
        text, stop = self._said()
        taken = Taken(
            task_id=self.id,
            text=text,
            model=_text(self.output.get("model")) or model,
            seed=seed,
            finish_reason=FINISH_REASONS.get(stop),
            error=self._error(bool(self._choices()) or bool(text)),
            recorded_score=self._scores(),
        )
        return self._completed(taken) if self._own else taken

    def _completed(self, taken: Taken) -> Taken:
        """The answer with what an export of this program keeps of it, exactly as it was."""
        kept = self._object(self.output, "metadata", within="output.")
        return msgspec.structs.replace(
            taken,
            seed=_whole(kept.get("seed")),
            finish_reason=_text(kept.get("finish_reason")),
            prompt=_text(self._object(self._data, "metadata").get("prompt")) or "",
            tail=_text(kept.get("tail")) or "",
            tokens_in=_whole(kept.get("tokens_in")),
            tokens_out=_whole(kept.get("tokens_out")),
            own=True,
        )

    def has_reasoning(self) -> bool:
        """Whether the model's thinking is kept apart from its text, and so is not taken."""
        content = self._message().get("content")
        return isinstance(content, list) and any(
            isinstance(part, dict) and part.get("type") == "reasoning" for part in content
        )

    def _said(self) -> tuple[str, str]:
        """The completion and why it ended."""
        text = self.output.get("completion")
        if text is None or text == "":
            text = _joined(self._message().get("content"))
        if not isinstance(text, str):
            raise self._wrong("output.completion", "text")
        choices = self._choices()
        return text, str(choices[0].get("stop_reason")) if choices else ""

    def _choices(self) -> list[dict[str, Any]]:
        choices = self.output.get("choices") or []
        if not isinstance(choices, list) or not all(isinstance(choice, dict) for choice in choices):
            raise self._wrong("output.choices", "an array of objects")
        return choices

    def _message(self) -> Mapping[str, Any]:
        choices = self._choices()
        return self._object(choices[0], "message", within="output.choices.0.") if choices else {}

    def _error(self, answered: bool) -> str | None:
        """Why there is no answer; None where there is one."""
        if self._data.get("invalidation"):
            return "the sample was invalidated"
        error = self._data.get("error")
        if error is None:
            return None if answered else self._silence()
        message = error.get("message") if isinstance(error, dict) else error
        if self._own and self._object(self._data, "metadata").get("outcome") == Outcome.sandbox_error.value:
            return None  # the answer is there; it was the judging that failed
        said = _text(self.output.get("error")) if self._own else None
        return said or _text(message) or "the sample ended in an error"

    def _silence(self) -> str:
        limit = self._data.get("limit")
        kind = _text(limit.get("type")) if isinstance(limit, dict) else None
        return (
            f"stopped by Inspect's {kind} limit before the model answered"
            if kind
            else "the sample has no output"
        )

    def _scores(self) -> dict[str, Any]:
        scores = self._data.get("scores")
        if scores is None and isinstance(self._data.get("score"), dict):
            scores = {"score": self._data["score"]}  # of logs before there could be several
        if not isinstance(scores, dict):
            return {}
        return {name: _plain(score.get("value")) for name, score in scores.items() if isinstance(score, dict)}

    def _id(self) -> TaskId:
        value = self._data.get("id")
        if isinstance(value, str) or (
            isinstance(value, int) and not isinstance(value, bool) and _fits(value)
        ):
            return value
        raise self._wrong("id", "text or a number of 64 bits")

    def _epoch(self) -> int:
        value = self._data.get("epoch")
        if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
            return value
        raise self._wrong("epoch", "a number from 1")

    def _object(self, data: Mapping[str, Any], name: str, *, within: str = "") -> Mapping[str, Any]:
        value = data.get(name)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise self._wrong(within + name, "an object")
        return value

    def _wrong(self, field: str, what: str) -> DataError:
        name = self._data.get("id")
        return DataError(
            f"must be {what}", path=escaped_path(self._path), task_id=escaped_name(str(name)), field=field
        )


def _joined(content: Any) -> Any:
    """The text of a message in parts, joined as Inspect joins it; parts that are no text are left out."""
    if not isinstance(content, list):
        return "" if content is None else content
    texts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str))


def _plain(value: Any) -> Any:
    """A recorded score as one short value, for the file and for counting."""
    if value is None or isinstance(value, bool | float) or (isinstance(value, int) and _fits(value)):
        return value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text[:_MAX_SCORE]


def _fits(value: int) -> bool:
    return -(1 << 63) <= value < 1 << 63


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and _fits(value) else None
