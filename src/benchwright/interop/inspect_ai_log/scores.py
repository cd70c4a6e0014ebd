"""Scores in Inspect logs by sample and scorer; nothing is judged.

Values become numbers as in Inspect's `value_to_float`: C is 1, P 0.5, I and N 0, yes and true 1, no and false
0. Other texts are 0 in Inspect, after a warning, and no score here.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.contracts import LoggedSample, Measure, ToolLog
from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import DataError
from benchwright.interop.inspect_ai_log.answers import Sample
from benchwright.interop.inspect_ai_log.logs import MAX_LOGS, InspectLog, find_logs

TOOL = "Inspect"
_ZIP = b"PK"
_WORDS = {"c": 1.0, "i": 0.0, "p": 0.5, "n": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_MOST_METRICS = 200
_SHOWN = 5
_MEANS = ("mean", "accuracy")


class InspectScores:
    """Reader of `.eval` and `.json` logs."""

    def recognizes(self, path: Path) -> bool:
        """Recognise a log by the first bytes of a zip archive, or by its name."""
        if path.suffix in (".eval", ".json"):
            return True
        with path.open("rb") as file:
            return file.read(len(_ZIP)) == _ZIP

    def files(self, folder: Path) -> list[Path]:
        """Return the .eval files of a folder; .json logs must be given as files."""
        return sorted(path for path in folder.rglob("*.eval") if path.is_file())[:MAX_LOGS]

    def read(self, path: Path, *, texts: bool = False) -> ToolLog:
        """Read a log with the scores of all samples. Raises DataError for a duplicate sample."""
        log = find_logs(path).logs[0]
        header = LogHeader.of(log)
        samples = list(_samples(log, header, texts=texts))
        names = dict.fromkeys(name for sample in samples for name in sample.scores)
        if len(names) > _MOST_METRICS:
            what = f"too many metrics: {len(names):,}, at most {_MOST_METRICS}"
            raise DataError(
                what, path=escaped_path(path), hint="check for a scorer with different keys for each sample"
            )
        measures = [Measure(name=name, label=name, paired=True) for name in names]
        return ToolLog(
            tool=TOOL,
            path=path,
            task=header.task,
            model=header.model,
            samples=samples,
            measures=measures,
            expected=header.expected,
            epochs=max(header.epochs, *(sample.epoch for sample in samples), 1),
            reported=header.reported,
            notes=[*header.notes, *_replacement_notes(log)],
            started=header.started,
        )


class LogHeader(NamedTuple):
    """Facts in a log's header for comparisons."""

    task: str
    model: str
    epochs: int
    expected: list[int | str]
    scores_errors: bool  # whether the scores of samples that ended in an error count
    reported: dict[str, float]
    notes: list[str]
    started: str

    @classmethod
    def of(cls, log: InspectLog) -> LogHeader:
        """Header of a log with checked fields and defaults."""
        spec: Mapping[str, Any] = log.header["eval"]
        config, data = _object(spec.get("config")), _object(spec.get("dataset"))
        ids, epochs = data.get("sample_ids"), config.get("epochs")
        status = str(log.header.get("status") or "started")
        reducer = config.get("epochs_reducer")
        notes = [f"its evaluation is not complete: its status is {escaped_name(status)}"]
        notes = notes if status != "success" else []
        if reducer and reducer not in ("mean", ["mean"]):
            shown = escaped_name(str(reducer), 40)
            notes.append(
                f"Inspect reduced its epochs by {shown}; here a task's value is the mean over epochs"
            )
        return cls(
            task=_word(spec.get("task"), "unnamed"),
            model=_word(spec.get("model"), "unknown"),
            epochs=epochs if type(epochs) is int and 0 < epochs < 1 << 31 else 1,
            expected=[each for each in ids if type(each) in (int, str)] if isinstance(ids, list) else [],
            scores_errors=config.get("score_on_error") is True,
            reported={} if reducer else dict(_reported_means(log.header.get("results"))),
            notes=notes,
            started=_word(spec.get("created"), ""),
        )


def _replacement_notes(log: InspectLog) -> Iterator[str]:
    """Yield a note on duplicate samples, by their names in the zip archive."""
    if log.replaced:
        names = ", ".join(escaped_name(name) for name in log.replaced[:_SHOWN])
        yield f"{len(log.replaced):,} samples are duplicated; the last one counts: {names}"


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _word(value: object, otherwise: str) -> str:
    return escaped_name(value) if isinstance(value, str) and value else otherwise


def _reported_means(results: object) -> Iterator[tuple[str, float]]:
    """Yield Inspect's mean of each scorer, if any."""
    scores = _object(results).get("scores")
    for score in scores if isinstance(scores, list) else []:
        found = _object(_object(score).get("metrics"))
        scorer = _object(score).get("name")
        for name in _MEANS:
            value = _object(found.get(name)).get("value")
            if isinstance(value, int | float) and isinstance(scorer, str) and scorer == score.get("scorer"):
                yield scorer, float(value)


def _samples(log: InspectLog, header: LogHeader, *, texts: bool) -> Iterator[LoggedSample]:
    seen: Counter[tuple[str, int]] = Counter()
    for data in log.samples():
        sample = Sample(log.path, data, own=False)
        key = str(sample.id), sample.epoch
        seen[key] += 1
        if seen[key] > 1:
            raise DataError(
                f"duplicate epoch {sample.epoch}: it is unknown which one counts",
                path=escaped_path(log.path),
                task_id=escaped_name(key[0]),
                hint="use the log of a single evaluation",
            )
        failure = _failure(data)
        counts = not failure or (header.scores_errors and not data.get("invalidation"))
        scores = dict(_scores(log.path, data)) if counts else {}
        yield LoggedSample(
            task_id=sample.id,
            epoch=sample.epoch,
            scores=scores,
            failure="" if scores else failure,
            content=_digest(data),
            meta=_object(data.get("metadata")),
            text=sample.answer(model=None, seed=None).text if texts else "",
        )


def _failure(data: Mapping[str, Any]) -> str:
    """Return why a sample has no answer to score; empty if it has one."""
    if data.get("invalidation"):
        return "the sample was invalidated"
    error = data.get("error")
    if error is None:
        return ""
    message = error.get("message") if isinstance(error, dict) else error
    return escaped_name(str(message or "the sample ended in an error"), 200)


def _digest(data: Mapping[str, Any]) -> str:
    """Return a digest of input and target, independent of the sample's id."""
    prompt = data.get("input")
    if isinstance(prompt, list):  # the ids of messages differ between logs
        prompt = [[_object(each).get("role"), _object(each).get("content")] for each in prompt]
    whole = json.dumps([prompt, data.get("target")], sort_keys=True)
    return hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest()[:16]


def _scores(path: Path, data: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Yield numbers by scorer; several numbers of a scorer are named SCORER/NAME."""
    scores = data.get("scores")
    if scores is None and isinstance(data.get("score"), dict):
        scores = {"score": data["score"]}  # of logs before there could be several
    if scores is not None and not isinstance(scores, dict):
        name = escaped_name(str(data.get("id")))
        hint = "check the log: `inspect log dump FILE`"
        place = escaped_path(path)
        raise DataError("must be an object", path=place, task_id=name, field="scores", hint=hint)
    for scorer, score in (scores or {}).items():
        value = score.get("value") if isinstance(score, dict) else None
        parts = value if isinstance(value, dict) else {"": value}
        if isinstance(value, list):
            parts = {str(place): each for place, each in enumerate(value)}
        for part, each in parts.items():
            if (number := as_number(each)) is not None:
                yield escaped_name(f"{scorer}/{part}" if part else scorer), number


def as_number(value: object) -> float | None:
    """Convert a score's value to a number as Inspect does; None if it is not one."""
    if isinstance(value, str):
        word = _WORDS.get(value.lower())
        if word is not None:
            return word
        try:
            value = float(value)
        except ValueError:
            return None
    if not isinstance(value, bool | int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


READER = InspectScores()
