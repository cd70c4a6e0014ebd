"""The replies of a model judge in another run, found by the content keys of their questions.

`replay` finds an answer by its task. This model returns a reply only to the identical question: the same
answer, the same rubric, the same judge.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from weakref import finalize

import msgspec

from benchwright.contracts import Prompt
from benchwright.display.escape import escaped_path
from benchwright.errors import DataError
from benchwright.records import Answer, Task, TaskId
from benchwright.store.keys import compact
from benchwright.store.lines import MAX_LINE, scan_lines
from benchwright.store.strict_json import NOT_JSON

_NONE = (1 << 64) - 1


class _Offsets:
    """The offset of each key's row in a file, in 32 bytes a row: there may be a million.

    Open addressing by the first 64 bits of a key; the reader of the row compares the rest.
    """

    def __init__(self, rows: int) -> None:
        self._mask = (1 << (2 * rows).bit_length()) - 1
        self._table = array("Q", [_NONE]) * (2 * (self._mask + 1))

    def __setitem__(self, key: str, offset: int) -> None:
        place, half = self._find(key)
        self._table[place : place + 2] = array("Q", [half, offset])

    def get(self, key: str) -> int | None:
        """Return the offset of a key, or None; the key at that offset may differ."""
        place, _ = self._find(key)
        offset = self._table[place + 1]
        return None if offset == _NONE else offset

    def _find(self, key: str) -> tuple[int, int]:
        half = int.from_bytes(compact(key)[:8].ljust(8, b"\0"), "big")
        at = half & self._mask
        while self._table[2 * at + 1] != _NONE and self._table[2 * at] != half:
            at = (at + 1) & self._mask
        return 2 * at, half


class RecordedReplies:
    """A file of replies, as the model that gave them. A later reply to the same question wins."""

    reads_prompts = False
    takes = frozenset({"history", "schema"})

    def __init__(self, path: Path, identity: Mapping[str, Any], *, deterministic: bool) -> None:
        self.spec = f"replay:{path}"
        self.deterministic = deterministic
        self._identity = dict(identity)
        self._path = escaped_path(path)
        with path.open("rb") as stream:
            self._at = _Offsets(sum(1 for _ in scan_lines(stream, self._path)))
            stream.seek(0)
            for number, offset, data in scan_lines(stream, self._path):
                self._at[self._decode(data, number).key] = offset
        self._file = path.open("rb")
        finalize(self, self._file.close)  # models have no `close`

    def identity(self) -> Mapping[str, Any]:
        """Return the identity of the model that gave the replies."""
        return self._identity

    def samples(self, task: Task) -> int | None:
        """Return None: as many as asked."""
        return None

    def answer(self, prompts: Iterable[Prompt], tasks: Mapping[TaskId, Task]) -> Iterator[Answer]:
        """Yield the stored reply to each prompt, in order; an error where it is missing."""
        for prompt in prompts:
            found = self._read(prompt.key)
            if found is None:
                yield self._none(prompt)
            else:
                place = {"key": prompt.key, "task_id": prompt.task_id, "sample": prompt.sample}
                yield msgspec.structs.replace(found, **place, prompt=prompt.variant, round=prompt.round)

    def _read(self, key: str) -> Answer | None:
        offset = self._at.get(key)
        if offset is None:
            return None
        self._file.seek(offset)
        found = self._decode(self._file.readline(MAX_LINE + 1), 0)
        return found if found.key == key else None

    def _none(self, prompt: Prompt) -> Answer:
        return Answer(
            key=prompt.key,
            task_id=prompt.task_id,
            sample=prompt.sample,
            model=self.spec,
            text="",
            prompt=prompt.variant,
            error="no reply to this question is kept: answer, rubric or judge was another",
        )

    def _decode(self, data: bytes, number: int) -> Answer:
        hint = "name a run folder whose judge's replies are as they were written"
        try:
            return msgspec.json.decode(data, type=Answer)
        except NOT_JSON as error:
            raise DataError(
                f"not a reply: {error}", path=self._path, line=number or None, hint=hint
            ) from None
