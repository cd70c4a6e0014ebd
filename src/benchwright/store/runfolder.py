"""A run folder: what was asked (`run.json`), what was answered, what was judged, and what happened.

    run.json            what was run; its "identity" part decides what the other files may hold
    answers.jsonl       one Answer a row; equal bytes for equal runs once it is finalized
    verdicts.jsonl      one Verdict a row, by the run's own profile
    verdicts.NAME.jsonl the same answers judged by another profile
    self_check.jsonl    verdicts on the gold and stub answers
    scores.json         the score
    events.jsonl        notable events, with times
    batches.jsonl       the steps of batches at a provider, see `models/http/batch_file.py`
    tasks.gz            the data set that was run, see `task_snapshot`
    rounds.*.jsonl      answers, verdicts and tool calls of all rounds of an agent
    trajectories.jsonl  one Trajectory a row: all turns of an agent that led to each answer
    replies.JUDGE.jsonl one Answer a row: what a model judge replied, to its self-check first
    assessments.jsonl   one Assessment a row: what the model judges say of each answer

A run is resumed only if its identity is equal: a file that mixes answers to two prompts or two data sets has
no meaningful score. Times and host details are outside the
identity, because they differ between equal runs.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from benchwright.contracts import Assessment, ToolExecution
from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import DataError, RunError, UsageError, command_name
from benchwright.records import Answer, Event, Outcome, Record, Verdict
from benchwright.store.keys import JUDGES, KeySet, differences, rules_of
from benchwright.store.strict_json import JsonOrigin, parse_object
from benchwright.store.writing import (
    Appender,
    FinalizedCounts,
    Head,
    count_lines,
    finalize,
    lock,
    read_records,
    write_error,
    write_json,
    write_records,
)

Mode = Literal["new", "resume", "either"]
R = TypeVar("R", bound=Record)

_ROUNDS = "rounds."
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_MAX_MANIFEST = 16 << 20


def utc_now() -> str:
    """The time now, ISO 8601 in UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class RunFolder:
    """One run on disk. Use `open` to run (it locks the folder) and `read` to look.

    `cut` holds, by file name, how many bytes of torn last lines were removed on resume.
    """

    def __init__(
        self,
        path: Path,
        manifest: dict[str, Any],
        *,
        clock: Callable[[], str] = utc_now,
        prefix: str = "",
        answers: str = "answers.jsonl",
    ) -> None:
        self.path, self.manifest = path, manifest
        self.cut: dict[str, int] = {}
        self._clock, self._lock, self._prefix = clock, -1, prefix
        self._answers = answers

    @classmethod
    def open(
        cls,
        path: Path,
        manifest: Mapping[str, Any],
        *,
        mode: Mode,
        clock: Callable[[], str] = utc_now,
    ) -> RunFolder:
        """Create the folder with its `run.json`, or continue the run in it.

        "new" refuses a folder that holds a run, "resume" one that holds none. A run of another
        identity is refused with the fields that differ. A run that continues keeps its manifest.
        """
        wanted = _plain(manifest)
        if mode != "resume":
            _create(path)
        fd = _open_folder(path)
        try:
            lock(fd, path)
            folder = cls(path, _settle(path, wanted, mode), clock=clock)
        except BaseException:
            os.close(fd)
            raise
        folder._lock = fd
        return folder

    @classmethod
    def read(cls, path: Path) -> RunFolder:
        """Open a run for reading. Nothing is created or locked, so it may still be running."""
        found = _manifest(path)
        if found is None:
            hint = f"name a folder that `{command_name()} run … --out FOLDER` made"
            if not path.exists():
                raise RunError(f"path not found: {escaped_path(path)}", hint=hint)
            raise RunError(f"{escaped_path(path)} is not a run folder: it has no run.json", hint=hint)
        return cls(path, found)

    def close(self) -> None:
        """Release the lock. A second call does nothing."""
        if self._lock >= 0:
            fd, self._lock = self._lock, -1
            os.close(fd)

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def rounds(self) -> RunFolder:
        """The same folder with the answers and verdicts of all rounds in place of the last of each.

        It holds no lock and writes nothing.
        """
        return self._view(_ROUNDS, f"{_ROUNDS}answers.jsonl")

    def replies(self, judge: str) -> RunFolder:
        """The same folder with the replies of a model judge in place of the answers, and no verdicts.

        It holds no lock. Raises UsageError for a name that a file cannot have.
        """
        name = f"replies.{_plain_name(judge)}"
        return self._view(f"{name}.", f"{name}.jsonl")

    @property
    def answers_path(self) -> Path:
        """Path of the answers."""
        return self.path / self._answers

    def verdicts_path(self, profile: str = "") -> Path:
        """Path of the verdicts of a profile; by default, of the run's own profile."""
        if profile in ("", self.manifest["identity"].get("profile")):
            return self.path / f"{self._prefix}verdicts.jsonl"
        return self.path / f"{self._prefix}verdicts.{_plain_name(profile)}.jsonl"

    def answers(self) -> Iterator[Answer]:
        """The answers, in the order they were written; a retried one comes again until `finalize`."""
        return self._records(self.answers_path, Answer)

    def verdicts(self, profile: str = "") -> Iterator[Verdict]:
        """The verdicts of a profile, in the order they were written."""
        return self._records(self.verdicts_path(profile), Verdict)

    def answer_writer(self) -> Appender:
        """The writer of answers. Close it before `finalize`."""
        return self._writer(self.answers_path)

    def verdict_writer(self, profile: str = "") -> Appender:
        """The writer of verdicts of a profile."""
        return self._writer(self.verdicts_path(profile))

    def self_check_writer(self) -> Appender:
        """The writer of verdicts on gold and stub answers."""
        return self._writer(self.path / "self_check.jsonl")

    def done_keys(self) -> KeySet:
        """The keys of answers that need not be requested again; failed answers are left out."""
        rows = self._torn_ok(self.answers_path, Answer)
        found = ((row.key, row.task_id) for row in rows if not row.error)
        return KeySet(found, room=count_lines(self.answers_path))

    def judged_keys(self, profile: str = "", *, but: Callable[[Verdict], bool] | None = None) -> KeySet:
        """The keys of final verdicts, without infrastructure errors and those for which `but` is true."""
        rows = self._torn_ok(self.verdicts_path(profile), Verdict)
        found = (
            (row.key, row.task_id)
            for row in rows
            if not Outcome(row.outcome).is_missing and not (but and but(row))
        )
        return KeySet(found, room=count_lines(self.verdicts_path(profile)))

    def tool_executions(self) -> Iterator[ToolExecution]:
        """Yield the executed tool calls of an agent, in the order they were written."""
        return self._records(self.path / f"{self._prefix}tools.jsonl", ToolExecution)

    def tool_writer(self) -> Appender:
        """Return the writer of executed tool calls."""
        return self._writer(self.path / f"{self._prefix}tools.jsonl")

    @property
    def trajectories_path(self) -> Path:
        """Path of the trajectories."""
        return self.path / "trajectories.jsonl"

    def keep(self, answers: Iterable[Answer], verdicts: Iterable[Verdict]) -> None:
        """Replace all answers, and the verdicts of the run's own profile."""
        self.keep_answers(answers)
        self.keep_verdicts(verdicts)

    def keep_answers(self, answers: Iterable[Answer]) -> None:
        """Replace all answers by these."""
        write_records(self.answers_path, answers)

    @property
    def assessments_path(self) -> Path:
        """Path of the assessments by model judges."""
        return self.path / "assessments.jsonl"

    def assessments(self) -> Iterator[Assessment]:
        """Yield the assessments of model judges by answer in canonical order; none if no judge was asked."""
        return self._records(self.assessments_path, Assessment)

    def keep_assessments(self, assessments: Iterable[Assessment]) -> None:
        """Replace all assessments."""
        write_records(self.assessments_path, assessments)

    def keep_verdicts(self, verdicts: Iterable[Verdict]) -> None:
        """Replace all verdicts of the run's own profile."""
        write_records(self.verdicts_path(), verdicts)

    def finalize(self, order: Callable[[Head], int], *, profiles: tuple[str, ...] = ("",)) -> FinalizedCounts:
        """Put answers and verdicts into canonical order; the counts are those of the answers."""
        for profile in profiles:
            if self.verdicts_path(profile).exists():
                finalize(self.verdicts_path(profile), order)
        return finalize(self.answers_path, order) if self.answers_path.exists() else FinalizedCounts(0, 0)

    def event(self, kind: str, **detail: Any) -> None:
        """Append an event with the current time."""
        with Appender(self.path / "events.jsonl") as events:
            events.append(Event(at=self._clock(), kind=kind, detail=detail))

    def note(self, **fields: Any) -> None:
        """Set fields of `run.json` that are not identity, such as `finished`."""
        if "identity" in fields:
            raise RunError("the identity of a run never changes", hint="start a new run with `--out OTHER`")
        self.manifest = {**self.manifest, **_plain(fields)}
        write_json(self.path / "run.json", self.manifest)

    def admit_judges(self, judges: Mapping[str, Any]) -> None:
        """Add model judges, by name, to the run's identity, because its verdicts now depend on them."""
        identity = {**self.manifest["identity"], JUDGES: _plain(judges)}
        if identity != self.manifest["identity"]:
            self.manifest = {**self.manifest, "identity": identity}
            write_json(self.path / "run.json", self.manifest)

    def judge_anew(self, rules: Mapping[str, Any]) -> None:
        """Delete score and verdicts made by other rules, and set the new rules; answers stay.

        If it is killed, the run has no score, and the next call computes it.
        """
        (self.path / "scores.json").unlink(missing_ok=True)
        others = [*self.path.glob("verdicts.*.jsonl"), self.rounds().verdicts_path()]
        for path in [self.path / "verdicts.jsonl", *others]:
            path.unlink(missing_ok=True)
        was = rules_of(self.manifest["identity"])
        self.event("judged_anew", was=was, now=rules)
        unfinished = {name: value for name, value in self.manifest.items() if name != "finished"}
        identity = {**self.manifest["identity"], **rules}
        self.manifest = {**unfinished, "identity": identity, "judged_anew": {"was": was, "at": self._clock()}}
        write_json(self.path / "run.json", self.manifest)

    def write_json(self, name: str, value: object) -> bool:
        """Write `scores.json` or another derived document, whole or not at all; whether it is news."""
        path = self.path / _plain_name(name)
        before = path.read_bytes() if path.exists() else None
        write_json(path, msgspec.to_builtins(value))
        return before != path.read_bytes()

    def _view(self, prefix: str, answers: str) -> RunFolder:
        return RunFolder(self.path, self.manifest, clock=self._clock, prefix=prefix, answers=answers)

    def _writer(self, path: Path) -> Appender:
        writer = Appender(path)
        if writer.cut:
            self.cut[path.name] = writer.cut
            self.event("cut", file=path.name, bytes=writer.cut)
        return writer

    def _records(self, path: Path, kind: type[R]) -> Iterator[R]:
        return read_records(path, kind) if path.exists() else iter(())

    def _torn_ok(self, path: Path, kind: type[R]) -> Iterator[R]:
        return read_records(path, kind, torn="skip") if path.exists() else iter(())


def _settle(path: Path, wanted: dict[str, Any], mode: Mode) -> dict[str, Any]:
    """The manifest of the run in this folder; the given one is written if there is none."""
    found = _manifest(path)
    if found is None:
        _check_empty(path, mode)
        write_json(path / "run.json", wanted)
        return wanted
    if mode == "new":
        hint = "leave out `--fresh` to continue it, or choose another folder with `--out OTHER`"
        raise RunError(f"{escaped_path(path)} already holds a run", hint=hint)
    if differing := differences(found["identity"], wanted["identity"]):
        hint = "start another run with `--out OTHER`, or give the same data, model and options as before"
        raise RunError(f"{escaped_path(path)} holds a different run: {'; '.join(differing)}", hint=hint)
    return found


def _check_empty(path: Path, mode: Mode) -> None:
    if mode == "resume":
        hint = "check the path; only an existing run can be resumed"
        raise RunError(f"{escaped_path(path)} has no run to resume", hint=hint)
    if any(entry.name != ".run.json.tmp" for entry in path.iterdir()):
        hint = "choose a new or empty folder with `--out OTHER`"
        raise RunError(f"{escaped_path(path)} is not empty and not a run folder", hint=hint)


def _create(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise RunError(f"{escaped_path(path)} is a file", hint="choose a folder with `--out OTHER`") from None
    except OSError as error:
        raise write_error(error, path) from None


def _open_folder(path: Path) -> int:
    try:
        return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        hint = "check the path; only an existing run can be resumed"
        raise RunError(f"{escaped_path(path)} cannot be opened: {error.strerror}", hint=hint) from None


def _manifest(path: Path) -> dict[str, Any] | None:
    """The content of `run.json`; None if there is no such file."""
    file = path / "run.json"
    try:
        with file.open("rb") as stream:
            data = stream.read(_MAX_MANIFEST)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise RunError(
            f"{escaped_path(file)} cannot be read: {error.strerror}", hint="check `ls -l`"
        ) from None
    try:
        found = parse_object(data, JsonOrigin(escaped_path(file), 1))
    except DataError as error:
        hint = "the file was edited or damaged: restore it, or choose another folder with `--out OTHER`"
        raise RunError(error.message, hint=hint) from None
    if not isinstance(found.get("identity"), dict):
        raise RunError(
            f'{escaped_path(file)} has no "identity"', hint="choose another folder with `--out OTHER`"
        )
    return found


def _plain(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The manifest after a round trip through JSON: tuples become lists, keys become texts."""
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(manifest))
    return plain


def _plain_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        hint = "use letters, digits, `.`, `_` and `-`"
        raise UsageError(f"{escaped_name(name)!r} cannot be part of a file name", hint=hint)
    return name
