"""Read the answers in a file, or in a folder of another tool: which files count, and which rows each has."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import DataError, UsageError, command_name
from benchwright.models.stored_answers.columns import Columns, IdColumn, ItemAnswers, replies_in
from benchwright.models.stored_answers.fields import PLACE, FieldNames, StoredAnswer
from benchwright.models.stored_answers.items import Container, StoredItem, names_task, open_container
from benchwright.records import SOLUTION
from benchwright.store.files import READ_ERRORS, broken_off, open_binary
from benchwright.store.lines import MAX_LINE
from benchwright.store.strict_json import JsonOrigin, parse_value, replace_lone

_LM_EVAL_KEYS = {"doc", "resps", "arguments"}


class PlacedAnswer(NamedTuple):
    """An answer, its line, and whether an error in its row was treated as the program's."""

    stored: StoredAnswer
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
            item_answers = self._columns.read(item, self.ids)
            self._see(item_answers)
            for stored in item_answers.replies:
                yield PlacedAnswer(stored, item.place.line, item_answers.noted)

    @property
    def shape(self) -> str:
        """The shape in words."""
        texts = ", ".join(f"`{name}`" for name in sorted(self._texts) if name) or "texts"
        answers_text = f"lists of answers in {texts}" if self._several else f"one answer in {texts}"
        answers_text = answers_text.replace("in texts", "each") if texts == "texts" else answers_text
        column, kind = self.ids
        by = (
            f"tasks by `{column}`"
            if column
            else ("tasks in their order" if kind == PLACE else "tasks by key")
        )
        return f"{self.container.form}, {answers_text}, {by}"

    def _see(self, item_answers: ItemAnswers) -> None:
        self._texts.add(item_answers.column)
        self._several = self._several or len(item_answers.replies) > 1

    def _check_log(self, item: StoredItem) -> None:
        if isinstance(item.value, dict) and item.value.keys() >= _LM_EVAL_KEYS:
            hint = f"{command_name()} import lm-eval {quoted(self._source)} --out answers.jsonl"
            raise DataError("this is a log of lm-eval, not a file of answers", path=self._path, hint=hint)


MOST_FILES = 200_000
_TEXTS = frozenset({".py", ".txt", ".md", ".java", ".go", ".js", ".ts", ".cpp", ".rs", ".sol", ".out"})
_ROWS = (".jsonl", ".json", ".jsonl.gz", ".json.gz", ".csv", ".tsv", ".parquet")
_RESULTS = re.compile(
    r"(eval_results|[._-]results?|metrics?|scores?|summary|config|metadata|params|args)"
    r"(\.json|\.jsonl|\.csv|\.tsv)?(\.gz)?$|_results\.jsonl?$",
    re.IGNORECASE,
)
_LM_EVAL = re.compile(r"samples_.+_\d{4}-\d\d-\d\dT.+\.jsonl")
_SAMPLE = re.compile(
    r"(?:(?:sample|run|try|attempt|repeat|rep|gen|generation|completion|seed|n|s|k)[_-]?)?\d+", re.I
)
_PASSED_OVER = ("readme", "license", "requirements", "__init__")


class _Key(NamedTuple):
    """Facts of a file's path: the task, whether a folder names it, and the path of one sample."""

    task: str
    of_folder: bool
    sample: tuple[str, ...]


def open_answers(path: Path) -> tuple[Container, list[Path]]:
    """The answers at a path and the files that they are in. Raises UsageError or DataError."""
    if not path.is_dir():
        return open_container(path), [path]
    found = _files(path)
    tables = [each for each in found if each.name.lower().endswith(_ROWS)]
    rows = [each for each in tables if not _RESULTS.search(each.name)]
    texts = [each for each in found if each.suffix.lower() in _TEXTS and not _is_passed_over(each)]
    _check_log(path, found)
    if len(rows) == 1 and not (texts and _have_names(texts, path)):
        return open_container(rows[0]), rows
    if len(rows) > 1 and _are_tasks(rows):
        return Container("one JSON file a task", lambda: _rows_by_task(rows)), rows
    if rows and not texts:
        raise _several(path, rows)
    if len(tables) > 1 and not texts:
        raise _several(path, tables)
    if not texts and len(tables) == 1:  # a file of verdicts may hold the answers too
        return open_container(tables[0]), tables
    if not texts:
        hint = "name the file with the answers"
        raise UsageError(f"{escaped_path(path)} is a folder without answers", hint=hint)
    if is_runs(texts[0]):
        return Container("one Markdown file of runs a task", lambda: _runs(texts)), texts
    return Container("one file an answer", lambda: _texts(path, texts)), texts


def _files(path: Path) -> list[Path]:
    """All files below a folder, links aside, in an order that counts numbers as numbers."""
    found: list[Path] = []
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__")))
        found += [Path(folder, name) for name in names if not name.startswith(".")]
        if len(found) > MOST_FILES:
            message = f"{escaped_path(path)} has more than {MOST_FILES:,} files"
            raise UsageError(message, hint="name the folder with the answers of one model")
    files = [each for each in found if each.is_file() and not each.is_symlink()]
    return sorted(files, key=lambda each: _counted(str(each.relative_to(path))))


def _counted(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d{1,18})", name)]


def _is_passed_over(path: Path) -> bool:
    return path.stem.lower().startswith(_PASSED_OVER)


def _check_log(path: Path, found: Iterable[Path]) -> None:
    """Refuse a folder that another tool's log is, with the command that reads it."""
    for each in found:
        if each.suffix == ".eval":
            hint = f"{command_name()} import inspect {quoted(path)} --out answers.jsonl"
            raise DataError("this is a folder of Inspect's logs", path=escaped_path(path), hint=hint)
        if _LM_EVAL.fullmatch(each.name):
            hint = f"{command_name()} import lm-eval {quoted(path)} --out answers.jsonl"
            raise DataError("this is a folder of lm-eval's logs", path=escaped_path(path), hint=hint)


def _have_names(texts: list[Path], path: Path) -> bool:
    """Return whether text files are in separate folders or have numbers in their names, like answers."""
    return all(any(map(str.isdigit, str(each.relative_to(path)))) for each in texts)


def _are_tasks(rows: list[Path]) -> bool:
    """Whether JSON files are one a task: each a single object, and many of them numbered."""
    numbered = [each for each in rows if re.search(r"\d", each.name)]
    return len(numbered) == len(rows) and all(each.name.endswith((".json", ".json.gz")) for each in rows)


def _several(path: Path, rows: list[Path]) -> UsageError:
    file_names = ", ".join(escaped_path(each.relative_to(path)) for each in rows[:5])
    more = ", …" if len(rows) > 5 else ""
    message = f"{escaped_path(path)} has {len(rows)} files that may hold the answers: {file_names}{more}"
    return UsageError(message, hint=f"name one of them: --model {quoted(f'replay:{rows[0]}')}")


def _rows_by_task(rows: list[Path]) -> Iterator[StoredItem]:
    """The object in each file; the file's name is that of its task, unless the object names it."""
    for position, path in enumerate(rows):
        place = JsonOrigin(escaped_path(path), 1)
        value = parse_value(_data(path), place, surrogates="replace")
        key = None if isinstance(value, dict) and names_task(value) else path.name.split(".")[0]
        yield StoredItem(place, value, key, position)


def _texts(folder: Path, texts: list[Path]) -> Iterator[StoredItem]:
    keys = {path: _key(path.relative_to(folder).with_suffix("").parts) for path in texts}
    _check_samples(folder, keys)
    for position, (path, (key, of_task, _)) in enumerate(keys.items()):
        form = SOLUTION if of_task and path.suffix == ".py" else ""  # as EvalPlus reads a task's folder
        yield StoredItem(JsonOrigin(escaped_path(path), 1), _text(path), key, position, form)


def _key(parts: tuple[str, ...]) -> _Key:
    """Return the task's name in a path: a folder with a number other than a sample's, or its own name."""
    numbered = [at for at, part in enumerate(parts[:-1]) if any(map(str.isdigit, part))]
    of_tasks = [at for at in numbered if not _SAMPLE.fullmatch(parts[at])]
    if of_tasks and parts[of_tasks[-1] + 1 : -1]:
        at = of_tasks[-1]
        return _Key(parts[at], True, parts[: at + 2])
    if numbered and numbered[-1] == len(parts) - 2 and (of_tasks or not _is_task(parts[-1])):
        return _Key(parts[-2], True, parts)
    return _Key(parts[-1], False, parts)


def _is_task(name: str) -> bool:
    """Whether a name has a word and a number, and is not that of a sample."""
    return bool(re.search(r"[^\W\d]\D*\d", name)) and not _SAMPLE.fullmatch(name)


def _check_samples(folder: Path, keys: Mapping[Path, _Key]) -> None:
    """Refuse a folder of a sample with several files: which of them is the answer nobody can know."""
    first: dict[tuple[str, ...], list[Path]] = {}
    for path, key in keys.items():
        first.setdefault(key.sample, []).append(path)
    several = next((paths for paths in first.values() if len(paths) > 1), None)
    if several:
        file_names = ", ".join(escaped_path(each.relative_to(folder)) for each in several[:3])
        message = f"{escaped_path(folder)} has {len(several)} files to one sample: {file_names}"
        raise UsageError(message, hint="keep only the answers, named TASK/SAMPLE.py or TASK.py")


def _runs(texts: list[Path]) -> Iterator[StoredItem]:
    for position, path in enumerate(texts):
        place = JsonOrigin(escaped_path(path), 1)
        yield StoredItem(place, read_runs(_text(path), place), path.stem, position)


def _text(path: Path) -> str:
    return replace_lone(_data(path).decode("utf-8-sig", "replace"))


def _data(path: Path) -> bytes:
    place = escaped_path(path)
    with open_binary(path) as stream:
        try:
            data = stream.read(MAX_LINE + 1)
        except READ_ERRORS as error:
            raise broken_off(error, place, 1) from None
    if len(data) > MAX_LINE:
        raise DataError(f"an answer is longer than {MAX_LINE:,} bytes", path=place, hint="shorten it")
    return data


_HEADING = re.compile(
    r"^#{2,4} +\W*(?:run|sample|attempt|completion|answer|generation) *#?\d+\W*$", re.I | re.M
)
_FENCED = re.compile(r"^(`{3,})[^\n`]*\n(.*)^\1 *$", re.S | re.M)
_START = 1 << 20


def is_runs(path: Path) -> bool:
    """Whether a file is such a page."""
    if path.suffix.lower() != ".md":
        return False
    with path.open("rb") as stream:
        return _HEADING.search(stream.read(_START).decode("utf-8", "replace")) is not None


def read_runs(text: str, place: JsonOrigin) -> list[str]:
    """The texts of the runs on a page. Raises DataError for a run without a text."""
    starts = [*_HEADING.finditer(text)]
    ends = [each.start() for each in starts[1:]] + [len(text)]
    texts = [_block(text[start.end() : end]) for start, end in zip(starts, ends, strict=True)]
    if not texts or replies_in(texts) is None:
        raise place.error("the page has no run with a block of code", hint="name a file of answers")
    return [each or "" for each in texts]


def _block(section: str) -> str | None:
    """Return the content of a run's block from its first fence to its last; it may contain blocks."""
    found = _FENCED.search(section)
    return found[2] if found else None
