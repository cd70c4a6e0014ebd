"""The answers of a file or folder as plain rows, one after the other, with what was found on the way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import DataError, command_name
from benchwright.models.stored_answers.columns import Answers, Columns, IdColumn
from benchwright.models.stored_answers.folders import open_answers
from benchwright.models.stored_answers.items import Container, StoredItem
from benchwright.models.stored_answers.names import PLACE, FieldNames
from benchwright.models.stored_answers.row import Stored

_LM_EVAL_KEYS = {"doc", "resps", "arguments"}


class PlacedAnswer(NamedTuple):
    """An answer, the line that it was read from, and whether an error beside it was taken for a program's."""

    stored: Stored
    line: int
    noted: bool


class AnswerReader:
    """Reads the answers at a path. What it knows of their shape is complete when all are read."""

    def __init__(self, path: Path, fields: FieldNames) -> None:
        self._path = escaped_path(path)
        self._source = path
        self._columns = Columns(fields)
        self.container: Container
        self.container, self.files = open_answers(path)
        self.ids = IdColumn(None, PLACE)
        self.remarks: list[int] = []  # lines with neither a task nor an answer
        self._texts: set[str] = set()
        self._several = False

    def answers(self) -> Iterator[PlacedAnswer]:
        """All answers, in the file's order. Raises DataError for an item that holds none."""
        first: StoredItem | None = None
        for item in self.container.items():
            if first is None:
                self._check_log(item)
                first, self.ids = item, self._columns.id_column(item)
            if isinstance(item.value, dict) != isinstance(first.value, dict):
                kind = "an object" if isinstance(first.value, dict) else "a text or a list"
                hint = f"all rows must be alike: the first one is {kind}"
                raise item.place.error("a row must be a JSON object, as the others are", hint=hint)
            if self._columns.is_remark(item, self.ids):
                self.remarks.append(item.place.line)
                continue
            read = self._columns.read(item, self.ids)
            self._see(read)
            for stored in read.replies:
                yield PlacedAnswer(stored, item.place.line, read.noted)

    @property
    def shape(self) -> str:
        """The shape in words."""
        texts = ", ".join(f"`{name}`" for name in sorted(self._texts) if name) or "texts"
        many = f"lists of answers in {texts}" if self._several else f"one answer in {texts}"
        many = many.replace("in texts", "each") if texts == "texts" else many
        column, kind = self.ids
        by = (
            f"tasks by `{column}`"
            if column
            else ("tasks in their order" if kind == PLACE else "tasks by key")
        )
        return f"{self.container.form}, {many}, {by}"

    def _see(self, read: Answers) -> None:
        self._texts.add(read.column)
        self._several = self._several or len(read.replies) > 1

    def _check_log(self, item: StoredItem) -> None:
        if isinstance(item.value, dict) and item.value.keys() >= _LM_EVAL_KEYS:
            hint = f"{command_name()} import lm-eval {quoted(self._source)} --out answers.jsonl"
            raise DataError("this is a log of lm-eval, not a file of answers", path=self._path, hint=hint)
