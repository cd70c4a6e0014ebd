"""Import of answers from Inspect logs, one file per model; all fields are checked."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from benchwright import registry
from benchwright.display.escape import escaped_name, escaped_path, quoted
from benchwright.errors import DataError, UsageError
from benchwright.interop.answer_import import (
    SHOWN,
    ImportedFile,
    ImportTarget,
    LogAnswer,
    LogOrigin,
    write_answers,
)
from benchwright.interop.inspect_ai_log.header import SCORER
from benchwright.interop.inspect_ai_log.logs import InspectLog, find_logs
from benchwright.records import Outcome, TaskId


class ParsedLog(NamedTuple):
    """A log with the facts in its header."""

    log: InspectLog
    task: str
    model: str
    data: str | None
    seed: int | None
    status: str
    own: bool  # an export of this program


def import_inspect(
    source: str | Path, out: str | Path, *, task: str | None = None, aim: ImportTarget | None = None
) -> list[ImportedFile]:
    """Write the answers of a log, or of a folder of logs, to files for `--model replay:FILE`.

    `out` is a file, or a folder for several models. Several logs of a model and task are rejected, because
    one may replace the other or add to it.
    """
    found = find_logs(source)
    logs = _of_task([_parse_log(log) for log in found.logs], task, source)
    _refuse_repeated(logs)
    notes = []
    if found.others:
        names = ", ".join(escaped_path(path.name) for path in found.others[:SHOWN])
        notes.append(f"{len(found.others)} files in the folder are not Inspect logs: {names}")
    return [
        _write(parsed_log, place, aim or ImportTarget(), notes)
        for parsed_log, place in zip(logs, _places(logs, out), strict=True)
    ]


def _parse_log(log: InspectLog) -> ParsedLog:
    spec: dict[str, Any] = log.header["eval"]
    data = spec.get("dataset")
    location = data.get("location") if isinstance(data, dict) else None
    config = spec.get("model_generate_config")
    seed = config.get("seed") if isinstance(config, dict) else None
    facts = spec.get("metadata")
    maker = facts.get("exported_by") if isinstance(facts, dict) else None
    return ParsedLog(
        log=log,
        task=_word(spec.get("task"), "unnamed"),
        model=_word(spec.get("model"), "unknown"),
        data=location if isinstance(location, str) else None,
        seed=seed if isinstance(seed, int) and not isinstance(seed, bool) and abs(seed) < 1 << 63 else None,
        status=_word(log.header.get("status"), "started"),
        own=isinstance(maker, str) and maker.startswith(f"{SCORER} "),
    )


def _word(value: object, otherwise: str) -> str:
    return escaped_name(value) if isinstance(value, str) and value else otherwise


def _of_task(logs: list[ParsedLog], task: str | None, source: str | Path) -> list[ParsedLog]:
    """Return the logs of a single task. Answers to different tasks never share a file."""
    names = sorted({parsed_log.task for parsed_log in logs})
    chosen = [parsed_log for parsed_log in logs if task in (None, parsed_log.task)]
    if task is None and len(names) > 1:
        message = f"{escaped_path(source)} has logs of {len(names)} tasks: {', '.join(names[:SHOWN])}"
        raise UsageError(message, hint=f"choose one: --task {quoted(names[0])}")
    if not chosen:
        message = f"{escaped_path(source)} has no log of the task {escaped_name(str(task))}"
        raise UsageError(message, hint=f"one of: {', '.join(names[:SHOWN])}")
    return chosen


def _refuse_repeated(logs: list[ParsedLog]) -> None:
    seen: dict[str, ParsedLog] = {}
    for parsed_log in logs:
        if parsed_log.model in seen:
            paths = f"{escaped_path(seen[parsed_log.model].log.path)} and {escaped_path(parsed_log.log.path)}"
            hint = "import one of the files; the log of a retry includes the earlier samples"
            raise UsageError(f"two logs of the model {parsed_log.model}: {paths}", hint=hint)
        seen[parsed_log.model] = parsed_log


def _places(logs: list[ParsedLog], out: str | Path) -> list[Path]:
    """Return the file for each log: `out`, or a file in it named after the model."""
    if not (str(out).endswith("/") or os.path.isdir(out)):
        if len(logs) > 1:
            names = ", ".join(parsed_log.model for parsed_log in logs[:SHOWN])
            folder = Path(out).with_suffix("")
            hint = f"mkdir -p {quoted(folder)}, then --out {quoted(folder)}/ for one file per model"
            raise UsageError(f"logs of {len(logs)} models: {names}", hint=hint)
        return [Path(out)]
    places: list[Path] = []
    for parsed_log in logs:
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", parsed_log.model).strip("-.")[:80] or "model"
        place = Path(out) / f"{name}.jsonl"
        if place in places:  # two names that differ only in signs a file name should not have
            place = place.with_stem(f"{name}-{len(places) + 1}")
        places.append(place)
    return places


def _write(parsed_log: ParsedLog, out: Path, aim: ImportTarget, notes: list[str]) -> ImportedFile:
    reading = _Reading(parsed_log)
    source = LogOrigin(files=[str(parsed_log.log.path)], task=parsed_log.task, model=parsed_log.model)
    imported = write_answers(
        out, reading.answers(), source, aim if aim.ids is not None else _guess(parsed_log)
    )
    return msgspec.structs.replace(imported, notes=[*notes, *reading.notes()])


def _guess(parsed_log: ParsedLog) -> ImportTarget:
    """Return the data set in the log, for the command to paste."""
    track = parsed_log.task if parsed_log.task in registry.names("track") else None
    known = parsed_log.data is not None and "\0" not in parsed_log.data and os.path.exists(parsed_log.data)
    return ImportTarget(track=track, data=parsed_log.data if known else None)


class _Reading:
    """Reads the samples of a log once and records observations."""

    def __init__(self, parsed_log: ParsedLog) -> None:
        self._parsed_log = parsed_log
        self._epochs: dict[TaskId, set[int]] = {}
        self._seen: Counter[str] = Counter()

    def answers(self) -> Iterator[LogAnswer]:
        """Yield the answers; those of a task are in the order of epochs."""
        for data in self._parsed_log.log.samples():
            sample = Sample(self._parsed_log.log.path, data, own=self._parsed_log.own)
            epochs = self._epochs.setdefault(sample.id, set())
            if sample.epoch in epochs:
                hint = "each pair of task and epoch may occur once"
                message = f"duplicate epoch {sample.epoch}"
                raise DataError(
                    message, path=escaped_path(self._parsed_log.log.path), task_id=sample.id, hint=hint
                )
            epochs.add(sample.epoch)
            self._seen["reasoning"] += sample.has_reasoning()
            yield sample.answer(model=self._parsed_log.model, seed=self._parsed_log.seed)

    def notes(self) -> list[str]:
        """Return notes for the user."""
        gaps = sum(max(epochs) != len(epochs) for epochs in self._epochs.values())
        conditions = {
            f"incomplete evaluation: status {self._parsed_log.status}": self._parsed_log.status != "success",
            f"{gaps} tasks lack an epoch; later epochs are renumbered": gaps,
            f"{self._seen['reasoning']} answers have separate reasoning, which is omitted": self._seen[
                "reasoning"
            ],
        }
        return [note for note, holds in conditions.items() if holds]


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
    """Fields of a sample. Raises DataError with the place for a wrong type."""

    def __init__(self, path: Path, data: dict[str, Any], *, own: bool) -> None:
        """`own`: the log is an export of Benchwright, with additional metadata."""
        self._path, self._data, self._own = path, data, own
        self.id: TaskId = self._id()
        self.output: Mapping[str, Any] = self._object(data, "output")
        self.epoch: int = self._epoch()

    def answer(self, *, model: str | None, seed: int | None) -> LogAnswer:
        """Return the answer. `model` and `seed` are defaults from the log."""
        text, stop = self._text_and_stop()
        log_answer = LogAnswer(
            task_id=self.id,
            text=text,
            model=_text(self.output.get("model")) or model,
            seed=seed,
            finish_reason=FINISH_REASONS.get(stop),
            error=self._error(bool(self._choices()) or bool(text)),
            recorded_score=self._scores(),
        )
        return self._completed(log_answer) if self._own else log_answer

    def _completed(self, answer: LogAnswer) -> LogAnswer:
        """Return the original answer from the metadata of our export."""
        metadata = self._object(self.output, "metadata", within="output.")
        return msgspec.structs.replace(
            answer,
            seed=_whole(metadata.get("seed")),
            finish_reason=_text(metadata.get("finish_reason")),
            prompt=_text(self._object(self._data, "metadata").get("prompt")) or "",
            tail=_text(metadata.get("tail")) or "",
            tokens_in=_whole(metadata.get("tokens_in")),
            tokens_out=_whole(metadata.get("tokens_out")),
            own=True,
        )

    def has_reasoning(self) -> bool:
        """Whether the model's reasoning is separate from its text, and therefore not imported."""
        content = self._message().get("content")
        return isinstance(content, list) and any(
            isinstance(part, dict) and part.get("type") == "reasoning" for part in content
        )

    def _text_and_stop(self) -> tuple[str, str]:
        """Return the completion and its stop reason."""
        text = self.output.get("completion")
        if text is None or text == "":
            text = _join_content(self._message().get("content"))
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
        """Return why there is no answer; None if there is one."""
        if self._data.get("invalidation"):
            return "the sample was invalidated"
        error = self._data.get("error")
        if error is None:
            return None if answered else self._silence()
        message = error.get("message") if isinstance(error, dict) else error
        if self._own and self._object(self._data, "metadata").get("outcome") == Outcome.sandbox_error.value:
            return None  # the answer is there; it was the judging that failed
        own_error = _text(self.output.get("error")) if self._own else None
        return own_error or _text(message) or "the sample ended in an error"

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
        return {
            name: _plain_score(score.get("value"))
            for name, score in scores.items()
            if isinstance(score, dict)
        }

    def _id(self) -> TaskId:
        value = self._data.get("id")
        if isinstance(value, str) or (
            isinstance(value, int) and not isinstance(value, bool) and _fits(value)
        ):
            return value
        raise self._wrong("id", "a string or a 64-bit integer")

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
        place = escaped_path(self._path)
        hint = f"check the log: `inspect log dump {quoted(self._path)}`"
        return DataError(
            f"must be {what}", path=place, task_id=escaped_name(str(name)), field=field, hint=hint
        )


def _join_content(content: Any) -> Any:
    """Join the text parts of a message as Inspect does; other parts are ignored."""
    if not isinstance(content, list):
        return "" if content is None else content
    texts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str))


def _plain_score(value: Any) -> Any:
    """Return a recorded score as a short value, for the file and for counting."""
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
