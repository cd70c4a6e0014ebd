"""Answers from another tool's log: the file for `--model replay:FILE`, and a summary.

Nothing is judged here. The other tool's score is stored as `recorded_score`, which replay ignores: answers
are judged again, and scores can be compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from benchwright import registry
from benchwright.contracts import Track
from benchwright.display.escape import escaped_name, escaped_path, quoted
from benchwright.errors import DataError, UsageError, command_name, nearest
from benchwright.records import Record, TaskId
from benchwright.store.lines import MAX_LINE
from benchwright.store.strict_json import replace_lone
from benchwright.store.writing import STDOUT, writing

SHOWN = 5
FOREIGN = "not a task of the data set"
TOO_LONG = f"longer than the limit of {MAX_LINE:,} bytes"


class LogAnswer(Record, frozen=True, kw_only=True):
    """An answer in a log. If `error` is set, the model gave none."""

    task_id: TaskId
    text: str
    model: str | None = None
    seed: int | None = None
    finish_reason: str | None = None
    error: str | None = None
    recorded_score: dict[str, Any] = {}  # scores of the other tool, by scorer
    prompt: str = ""  # this and the rest are known for answers of our own runs
    tail: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    own: bool = False  # written as a run writes it, so that replay reads all of the fields above


class DroppedAnswers(Record, frozen=True, kw_only=True):
    """Answers of a log that were not imported, by reason."""

    reason: str
    answers: int
    tasks: list[TaskId]  # the first few


class ImportedFile(Record, frozen=True, kw_only=True):
    """A written file. `least` and `most` are the minimum and maximum of answers per task."""

    out: str
    source: list[str]
    task: str
    model: str | None
    tasks: int
    answers: int
    least: int
    most: int
    errors: dict[str, int]  # answers that failed, by what the log says of them
    empty: int  # answers of no text, which are the model's own
    dropped: list[DroppedAnswers]
    unanswered: list[TaskId]  # tasks of the data set that the log has no answer to
    recorded: dict[str, dict[str, int]]  # how often each recorded score occurs, by scorer
    notes: list[str]
    command: str


class ImportTarget(Record, frozen=True, kw_only=True):
    """Data set of the answers: name and path if known, and ids for checks."""

    track: str | None = None
    data: str | None = None
    ids: list[TaskId] | None = None


class LogOrigin(Record, frozen=True, kw_only=True):
    """Origin of answers, for the summary."""

    files: list[str]
    task: str
    model: str | None = None
    notes: list[str] = []


def import_target(track: str | None, data: str | None) -> ImportTarget:
    """Load the ids of the user's data set. Raises UsageError if only one of both options is set."""
    if (track is None) != (data is None):
        missing = "--track TRACK" if track is None else "--data PATH"
        raise UsageError("--data and --track must be used together", hint=f"add {missing}")
    if track is None or data is None:
        return ImportTarget()
    found: Track = registry.find("track", track)
    return ImportTarget(track=track, data=data, ids=[task.task_id for task in found.load(data)])


def write_answers(
    out: str | Path, answers: Iterable[LogAnswer], source: LogOrigin, aim: ImportTarget
) -> ImportedFile:
    """Write the answers in order, and count written and skipped ones.

    Raises DataError if none is left; the file is then unchanged.
    """
    tally = ImportTally(aim)
    with writing(out) as file:
        for line in tally.lines(answers):
            file.write(line)
        tally.check(source)
    return tally.imported(str(out), source)


class ImportTally:
    """Counts answers while they are written."""

    def __init__(self, aim: ImportTarget) -> None:
        self._aim = aim
        self._known = None if aim.ids is None else {str(task_id) for task_id in aim.ids}
        self._answers: dict[TaskId, int] = {}
        self._foreign: dict[TaskId, int] = {}
        self._errors: Counter[str] = Counter()
        self._empty = 0
        self._recorded: dict[str, Counter[str]] = {}

    def lines(self, answers: Iterable[LogAnswer]) -> Iterator[bytes]:
        """Yield the rows of the file."""
        for answer in answers:
            if self._known is not None and str(answer.task_id) not in self._known:
                self._foreign[answer.task_id] = self._foreign.get(answer.task_id, 0) + 1
                continue
            line, stored_answer = _line(answer), answer
            if len(line) > MAX_LINE:
                stored_answer = LogAnswer(task_id=answer.task_id, text="", model=answer.model, error=TOO_LONG)
                line = _line(stored_answer)
            self._count(stored_answer)
            yield line

    def check(self, source: LogOrigin) -> None:
        """Raise DataError if there are no answers to write."""
        if self._answers:
            return
        if not self._foreign:
            hint = "check that it is the right log, and that the evaluation was completed"
            raise DataError("contains no answers", path=", ".join(source.files[:SHOWN]), hint=hint)
        first, known = str(next(iter(self._foreign))), sorted(self._known or ())
        near = nearest(first, known, cutoff=0)
        what = f"nearest id in the data set: {escaped_name(near)!r}" if near else "the data set is empty"
        raise DataError(
            f"none of its {len(self._foreign)} tasks is in the data set {escaped_path(self._aim.data or '')}",
            path=source.files[0],
            task_id=escaped_name(first),
            hint=f"{what}; use the data set of the evaluation",
        )

    def imported(self, out: str, source: LogOrigin) -> ImportedFile:
        """Return the summary of the written file."""
        counts = self._answers.values()
        unanswered = [task_id for task_id in self._aim.ids or () if str(task_id) not in self._names()]
        return ImportedFile(
            out=out,
            source=source.files,
            task=source.task,
            model=source.model,
            tasks=len(counts),
            answers=sum(counts),
            least=min(counts),
            most=max(counts),
            errors=dict(self._errors.most_common()),
            empty=self._empty,
            dropped=self._dropped(),
            unanswered=unanswered,
            recorded={name: dict(found.most_common(SHOWN)) for name, found in self._recorded.items()},
            notes=source.notes,
            command=_command(out, self._aim),
        )

    def _names(self) -> set[str]:
        return {str(task_id) for task_id in self._answers}

    def _count(self, answer: LogAnswer) -> None:
        self._answers[answer.task_id] = self._answers.get(answer.task_id, 0) + 1
        if answer.error is not None:
            self._errors[escaped_name(answer.error)] += 1
        elif not answer.text:
            self._empty += 1
        for name, value in answer.recorded_score.items():
            score_text = f"{value:.4g}" if isinstance(value, float) else escaped_name(str(value), 40)
            self._recorded.setdefault(escaped_name(name), Counter())[score_text] += 1

    def _dropped(self) -> list[DroppedAnswers]:
        if not self._foreign:
            return []
        tasks = list(self._foreign)[:SHOWN]
        return [DroppedAnswers(reason=FOREIGN, answers=sum(self._foreign.values()), tasks=tasks)]


def _line(answer: LogAnswer) -> bytes:
    """Other tools look for `completion`; but only of a row with `text` does replay read the `error`."""
    fields: Mapping[str, Any] = msgspec.to_builtins(answer)
    name = "text" if answer.own or answer.error is not None else "completion"
    rest = {key: value for key, value in fields.items() if key not in ("task_id", "text", "own")}
    row = {"task_id": answer.task_id, name: answer.text, **rest}
    try:
        return msgspec.json.encode(row) + b"\n"
    except UnicodeEncodeError:  # half a surrogate pair, which no UTF-8 file can hold
        return msgspec.json.encode(_whole(row)) + b"\n"


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return replace_lone(value)
    return {_whole(key): _whole(item) for key, item in value.items()} if isinstance(value, dict) else value


def _command(out: str, aim: ImportTarget) -> str:
    """Return the command that judges the answers; unknown parts are words in capitals."""
    data = "DATA" if aim.data is None else quoted(aim.data)
    model = quoted(f"replay:{'FILE' if out == STDOUT else out}")
    words = [command_name(), "run", aim.track or "TRACK", "--data", data, "--model", model]
    return " ".join(words)
