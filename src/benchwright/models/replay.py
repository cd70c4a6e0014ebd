"""Stored answers as a model: `replay:FILE` or `replay:FOLDER`, in the shapes that are in use.

Several answers to a task are its samples 0, 1, … in file order. A file is checked whole when it is opened, so
that a fault in its last line does not end a run in its last minute. After that only byte offsets are held,
four bytes an answer of a file below 4 GiB, and each answer is read again when it is asked for. JSON Lines of
plain rows, {task_id, completion | answer | solution | text}, are read where they lie; every other shape is
written as such rows into a nameless temporary file first.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import FileIO
from pathlib import Path
from typing import IO, Any, NamedTuple
from weakref import finalize

import msgspec

from benchwright.contracts import Model, Prompt, StoredAnswersSummary
from benchwright.display.escape import escaped_name, escaped_path
from benchwright.display.wording import counted, first_names
from benchwright.errors import DataError, UsageError
from benchwright.models.stored_answers.fields import (
    PLACE,
    PROMPT,
    TASK,
    TEXT_FIELDS,
    FieldNames,
    StoredAnswer,
    as_row,
    is_plain,
    read_stored,
)
from benchwright.models.stored_answers.items import open_container
from benchwright.models.stored_answers.task_names import ORDER, WAYS, match_names, match_order, match_prompts
from benchwright.records import Answer, Task, TaskId
from benchwright.store.data_files import data_hash, folder_hash
from benchwright.store.files import BUFFER, locate, open_binary
from benchwright.store.lines import MAX_LINE, scan_lines
from benchwright.store.strict_json import JsonOrigin, parse_object, parse_value

__all__ = ["TEXT_FIELDS", "Replay", "open_model"]

MAX_UNPACKED = 8 << 30
_SHOWN = 5
_NONE: array[int] = array("Q")
_FAR = 1 << 32  # offsets from here on need eight bytes
_READ = 1 << 13  # bytes that most answers have room in
_LINE = "line"  # field of a row in the temporary file: its line in the file that the user gave
_Turn = tuple[str, int, int]  # task, sample, round


class _Shape(NamedTuple):
    """The facts about a completely indexed file."""

    words: str
    column: str | None  # that says the task
    kind: str  # the meaning of its values
    noted: int = 0  # errors that were taken for the program's
    remarks: Sequence[int] = ()  # lines with neither a task nor an answer


_PLAIN = _Shape("JSON Lines, one answer a row, tasks by `task_id`", "task_id", "")


class Replay:
    """Answers from a file or folder. Task ids match as text: both `7` and `"7"` are in use."""

    deterministic = False
    reads_prompts = False
    takes = frozenset({"history"})  # the file of all rounds that an agent asked answers each of them

    def __init__(
        self, path: Path, *, tasks: Mapping[TaskId, Task] | None = None, fields: Sequence[str] = ()
    ) -> None:
        self.spec = f"replay:{path}"
        self._name = f"replay:{path.name}"
        self._path = escaped_path(path)
        self._fields = FieldNames(fields)
        self._index = _Index(self._path)
        self._foreign: dict[str, int] = {}
        self._matched = False
        self._way = ""  # how names of tasks are read, where they are not simply ids
        self._fd, self._shape, files = self._open(path)
        finalize(self, os.close, self._fd)  # models have no `close`
        self._hash = folder_hash(path, files) if path.is_dir() else data_hash(path)
        if tasks is not None:
            self.match(tasks)

    def identity(self) -> Mapping[str, Any]:
        """Return the hash of the content. Name and path of the file decide nothing."""
        fields = {"fields": sorted(self._fields.pairs)} if self._fields else {}
        return {"scheme": "replay", "sha256": self._hash, **fields}

    def samples(self, task: Task) -> int | None:
        """Return the number of stored answers to a task."""
        return self._index.count(str(task.task_id))

    def holding(self) -> StoredAnswersSummary:
        """Return the facts about the file, and its answers to unknown tasks."""
        return StoredAnswersSummary(
            shape=f"{self._shape.words}{self._way}",
            answers=self._index.total + sum(self._foreign.values()),
            tasks=len(self._index.tasks),
            foreign=self._foreign,
            notes=list(self._notes()),
        )

    def _notes(self) -> Iterator[str]:
        if error_count := self._shape.noted:
            remark = f"an `error` next to a text was taken for the program's own, {error_count:,} times"
            yield f"{remark}; --fields error=error takes it for the request's"
        if remarks := self._shape.remarks:
            yield f"{counted(len(remarks), 'row')} without task and answer: line {first_names(remarks)}"

    def match(self, tasks: Mapping[TaskId, Task]) -> None:
        """Find the task of each answer. Raises DataError where no task matches, or two readings disagree."""
        if self._matched:
            return
        ids = [str(task_id) for task_id in tasks]
        column, kind = self._shape.column, self._shape.kind
        names = list(self._index.tasks)
        found = match_prompts(names, tasks) if kind == PROMPT else None
        if found is None:
            found = match_names(names, ids, kind=kind, column=column, path=self._path)
        elif not found.match:
            found = match_order(names, ids)
        self._check_places(names, ids, found.way)
        self._foreign = {name: self._index.count(name) for name in found.foreign}
        self._index.rename(found.match)
        self._way = "" if found.way == TASK or column is None else f", which holds {WAYS[found.way]}"
        self._matched = True

    def check(self, tasks: Mapping[TaskId, Task]) -> None:
        """Raise DataError where the file has answers to tasks that are not in the data set."""
        self.match(tasks)
        if self._foreign:
            names = ", ".join(escaped_name(name, 60) for name in list(self._foreign)[:_SHOWN])
            message = f"{len(self._foreign):,} of its tasks are not in the data set: {names}"
            raise DataError(message, path=self._path, field="task_id", hint="leave their rows out")

    def answer(self, prompts: Iterable[Prompt], tasks: Mapping[TaskId, Task]) -> Iterator[Answer]:
        """Yield the stored answer to each prompt, in order. `tasks` is the whole data set, not a part."""
        self.match(tasks)
        for prompt in prompts:
            at = self._index.place(prompt)
            stored = self._read(prompt, at)
            self._check_prompt(prompt, stored, at)
            yield self._answer(prompt, stored)

    def _answer(self, prompt: Prompt, stored: StoredAnswer) -> Answer:
        return Answer(
            key=prompt.key,
            task_id=prompt.task_id,
            sample=prompt.sample,
            model=stored.model or self._name,
            text=stored.text,
            prompt=prompt.variant or stored.prompt,
            seed=stored.seed,
            finish_reason=stored.finish_reason,
            form=stored.form,
            tail=stored.tail,
            reasoning=stored.reasoning,
            tokens_in=stored.tokens_in,
            tokens_out=stored.tokens_out,
            error=stored.error,
        )

    def _open(self, path: Path) -> tuple[int, _Shape, list[Path]]:
        """Check and index all answers. Returns the descriptor for later reads, the shape, and the files."""
        if not self._fields and path.is_file() and (fd := self._open_plain(path)) is not None:
            return fd, _PLAIN, [path]
        from tempfile import TemporaryFile  # noqa: PLC0415 (5 ms, which plain rows need not pay)

        from benchwright.models.stored_answers.reader import AnswerReader  # noqa: PLC0415

        self._index = _Index(self._path)
        reader = AnswerReader(path, self._fields)
        error_count = 0
        with TemporaryFile() as temporary_file:
            spool = _Spool(temporary_file, self._path)
            for stored, line, is_noted in reader.answers():
                self._index.add(stored, spool.add(stored, line), line)
                error_count += is_noted
            temporary_file.flush()
            fd = os.dup(temporary_file.fileno())
        self._index.is_copied = True
        return fd, _Shape(reader.shape, *reader.ids, error_count, reader.remarks), reader.files

    def _open_plain(self, path: Path) -> int | None:
        """Do the same for a file of plain rows, which needs no copy; None for another file."""
        if open_container(path).form != "JSON Lines":
            return None
        with open_binary(path) as stream:
            if not isinstance(stream.raw, FileIO):
                return None
            for number, offset, data in scan_lines(stream, self._path):
                place = JsonOrigin(self._path, number)
                row = parse_value(data, place, surrogates="replace")
                if not isinstance(row, dict) or not is_plain(row):
                    return None
                self._index.add(read_stored(row, place), offset, number)
            return os.dup(stream.fileno())

    def _read(self, prompt: Prompt, at: int) -> StoredAnswer:
        try:
            row = parse_object(_line_at(self._fd, at), JsonOrigin(self._path, 0), surrogates="replace")
            stored = read_stored(row, JsonOrigin(self._path, 0))
        except DataError:
            raise self._changed(at) from None
        if not self._index.is_name_of(stored.task_id, str(prompt.task_id)):
            raise self._changed(at)
        return stored

    def _line(self, at: int) -> int:
        """Return the line number in the user's file, for messages."""
        if self._index.is_copied:
            row = parse_object(_line_at(self._fd, at), JsonOrigin(self._path, 0), surrogates="replace")
            return int(row[_LINE])
        return 1 + sum(block.count(b"\n") for block in _blocks(self._fd, at))

    def _changed(self, at: int) -> DataError:
        hint = "try again when no process writes to it"
        message = "the file changed while it was read"
        return DataError(message, path=self._path, line=self._line(at), hint=hint)

    def _check_places(self, names: Sequence[str], ids: Sequence[str], way: str) -> None:
        """Raise DataError where rows without task names do not fit the tasks by their order.

        Such rows must not outnumber the tasks. Single texts may be several to a task, so their number must be
        equal.
        """
        in_order = self._shape.column is None and self._shape.kind == PLACE and self._index.is_copied
        if not in_order and way != ORDER:
            return
        fewer = in_order and len(names) < len(ids) and self._index.total > len(names)
        fits = fewer or len(names) == len(ids)
        if not fits:
            message = (
                f"its {len(names):,} rows do not say which task they are to, and the data set has "
                f"{len(ids):,} tasks"
            )
            hint = "name the column that does: --fields COLUMN=task_id"
            raise DataError(message, path=self._path, hint=hint)

    def _check_prompt(self, prompt: Prompt, stored: StoredAnswer, at: int) -> None:
        """Raise DataError for an answer to another prompt variant: its score would be wrong."""
        if prompt.variant and stored.prompt and prompt.variant != stored.prompt:
            message = f"answers the prompt {escaped_name(stored.prompt)}, where {prompt.variant} is asked"
            hint = "give --prompts, --language and --n of the run that it is from, or --prompts row"
            raise DataError(
                message,
                path=self._path,
                line=self._line(at),
                task_id=prompt.task_id,
                field="prompt",
                hint=hint,
            )


class _Index:
    """The positions of the answers to each task, in order."""

    def __init__(self, path: str) -> None:
        self.tasks: dict[str, array[int]] = {}
        self.total = 0
        self.is_copied = False  # whether the rows are in a temporary file
        self._path = path
        self._later: dict[_Turn, int] = {}  # answers of later rounds
        self._samples: dict[str, dict[int, int]] = {}  # of a task: the place of each sample that has a number
        self._failed: set[tuple[str, int]] = set()
        self._names: dict[str, set[str]] = {}  # of a task: what the file calls it, where that is another name

    def count(self, task_id: str) -> int:
        """Return the number of answers to a task."""
        return len(self.tasks.get(task_id, _NONE))

    def is_name_of(self, name: str, task_id: str) -> bool:
        """Whether the file uses this name for a task."""
        return name == task_id or name in self._names.get(task_id, ())

    def add(self, stored: StoredAnswer, at: int, line: int) -> None:
        """Record the position of an answer. An answer of a later round belongs to the sample of the first."""
        if stored.round and (stored.sample or 0) < self.count(stored.task_id):
            self._later[stored.task_id, stored.sample or 0, stored.round] = at
            return
        if stored.sample is not None and not stored.round and self._is_again(stored, at, line):
            return
        places = self.tasks.get(stored.task_id)
        if places is None:
            places = self.tasks[stored.task_id] = array("I")
        if at >= _FAR and places.typecode == "I":
            places = self.tasks[stored.task_id] = array("Q", places)
        places.append(at)
        self.total += 1

    def rename(self, match: Mapping[str, str]) -> None:
        """Move answers to the ids of the data set, and drop those without one."""
        found: dict[str, array[int]] = {}
        for name, places in self.tasks.items():
            task_id = match.get(name)
            if task_id is None:
                self.total -= len(places)
                continue
            if name != task_id:
                self._names.setdefault(task_id, set()).add(name)
            found[task_id] = array("Q", [*found[task_id], *places]) if task_id in found else places
        self._later = {
            (match.get(turn[0], turn[0]), turn[1], turn[2]): at for turn, at in self._later.items()
        }
        self.tasks = found

    def place(self, prompt: Prompt) -> int:
        """Return the position of the answer to a prompt. Raises DataError where it is missing."""
        task_id, sample = str(prompt.task_id), prompt.sample
        if prompt.round:
            found = self._later.get((task_id, sample, prompt.round))
            if found is None:
                message = f"holds no answer of round {prompt.round} to sample {sample}"
                hint = "leave --agent out, or name the file rounds.answers.jsonl of a run with an agent"
                raise DataError(message, path=self._path, task_id=prompt.task_id, hint=hint)
            return found
        if sample >= (count := self.count(task_id)):
            message = f"holds only {count} answers to task {escaped_name(task_id, 60)}"
            hint = f"--n {count}" if count else "leave the task out: --exclude TASK"
            raise DataError(message, path=self._path, task_id=prompt.task_id, hint=hint)
        return self.tasks[task_id][sample]

    def _is_again(self, stored: StoredAnswer, at: int, line: int) -> bool:
        """Whether the sample exists already. Of a failed request and an answer, the answer counts.

        Raises DataError for two answers.
        """
        task_id, sample = stored.task_id, stored.sample or 0
        before = self._samples.setdefault(task_id, {})
        if sample not in before:
            before[sample] = self.count(task_id)
            if stored.error is not None:
                self._failed.add((task_id, sample))
            return False
        if (task_id, sample) in self._failed:
            self.tasks[task_id][before[sample]] = at
            if stored.error is None:
                self._failed.discard((task_id, sample))
        elif stored.error is None:
            message = f"two rows are sample {sample} of task {escaped_name(task_id, 60)}"
            hint = "keep one of them, or pass the column over: --fields sample=ignore"
            raise DataError(message, path=self._path, line=line, field="sample", hint=hint)
        return True


class _Spool:
    """A temporary file of plain rows."""

    def __init__(self, stream: IO[bytes], path: str) -> None:
        self._stream, self._path, self._end = stream, path, 0

    def add(self, stored: StoredAnswer, line: int) -> int:
        """Write a row, and return its offset."""
        data = msgspec.json.encode({**as_row(stored), _LINE: line}) + b"\n"
        at = self._end
        self._end += len(data)
        if self._end >= MAX_UNPACKED:
            hint = "unpack it yourself with `gunzip`, or split it"
            raise DataError(f"unpacks to more than {MAX_UNPACKED:,} bytes", path=self._path, hint=hint)
        self._stream.write(data)
        return at


def _line_at(fd: int, at: int) -> bytes:
    """Return the line at an offset, without its end."""
    size = _READ
    while b"\n" not in (data := os.pread(fd, size, at)) and len(data) == size <= 2 * MAX_LINE:
        size *= 4
    return data.partition(b"\n")[0]


def _blocks(fd: int, end: int) -> Iterator[bytes]:
    """Yield the content of a file before an offset."""
    for at in range(0, end, BUFFER):
        yield os.pread(fd, min(BUFFER, end - at), at)


def open_model(
    rest: str, *, tasks: Mapping[TaskId, Task] | None = None, fields: Sequence[str] = (), **_: Any
) -> Model:
    """Open the answers in a file, a folder or a run folder, matched to a data set where it is known."""
    if not rest:
        raise UsageError("`replay:` needs a file", hint="write `replay:samples.jsonl`")
    folder = Path(rest) / "answers.jsonl"
    if not os.path.isfile(folder):
        folder = Path(rest) if os.path.isdir(rest) else locate(rest)
    return Replay(folder, tasks=tasks, fields=fields)
