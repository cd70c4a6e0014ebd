"""Data sets of a case as Sedna's classes read them, and columns that act like one-dimensional arrays."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import DataError
from benchwright.store.files import open_binary
from benchwright.store.scanning import scan_lines

_OTHER_NAMES = {"query": "question", "question": "query", "response": "answer", "answer": "response"}
_MAX_METADATA = 1 << 20


class DataPlace(NamedTuple):
    """Where a data set is, how it is read, and which names its records have for Ianvs's fields."""

    path: Path
    kind: str  # "txt", "jsonl" or "metadata"
    fields: dict[str, str]  # ours → theirs
    strict: bool = False  # treat all labels of a text file as paths, as Ianvs does

    @property
    def records(self) -> Path:
        """The file of the records."""
        return self.path.with_name("data.jsonl") if self.kind == "metadata" else self.path


class DataItem(NamedTuple):
    """One record. All but x and y belong to metadata.json's data sets."""

    line: int
    x: Any
    y: Any
    explanation: Any = ""
    judge_prompt: Any = ""
    level_3: Any = ""
    level_4: Any = ""


# Names of Sedna's data sources; examples import these names and inherit from the first.


class BaseDataSource:
    """Records as their fields: `x` is asked about, `y` is expected."""

    def __init__(self, data_type: str = "train", func: Any = None) -> None:
        self.data_type = data_type
        self.process_func = func if callable(func) else None
        self.x: Any = None
        self.y: Any = None
        self.meta_attr: Any = None

    @property
    def is_test_data(self) -> bool:
        """Whether these are data of a test."""
        return self.data_type == "test"

    def num_examples(self) -> int:
        """How many records there are."""
        return len(self.x)

    def __len__(self) -> int:
        return self.num_examples()

    def parse(self, *files: str, **options: Any) -> None:
        """Read files. Raises NotImplementedError for a data source without a format."""
        raise NotImplementedError

    def fill(self, items: Iterable[DataItem]) -> BaseDataSource:
        """Take these records, and return itself."""
        records = list(items)
        self.x = column_of(item.x for item in records)
        self.y = column_of(item.y for item in records)
        return self


class TxtDataParse(BaseDataSource):
    """Lines of a path and a label."""

    kind = "txt"

    def parse(self, *files: str, **options: Any) -> None:
        """Read the records of all files."""
        places = [DataPlace(Path(file), self.kind, {}) for file in files if file]
        self.fill(item for place in places for item in read_items(place))


class JsonlDataParse(TxtDataParse):
    """Records with `question` and `answer`."""

    kind = "jsonl"


class JSONMetaDataParse(TxtDataParse):
    """Records with `query` and `response`, and what a metadata.json says of them all."""

    kind = "metadata"
    need_other_info = True

    def parse(self, *files: str, **options: Any) -> None:
        """Read metadata.json files and the data.jsonl in the same folder as each."""
        super().parse(*files, **options)
        for file in files:
            self.describe(metadata(Path(file)))

    def describe(self, content: dict[str, Any]) -> None:
        """Take what a metadata.json says."""
        self.dataset_name, self.description = content["dataset"], content.get("description", "")
        self.level_1_dim, self.level_2_dim = content.get("level_1_dim", ""), content.get("level_2_dim", "")
        for name in ("level_3_dim", "level_4_dim"):
            if name in content:
                setattr(self, name, content[name])

    def fill(self, items: Iterable[DataItem]) -> BaseDataSource:
        """Take these records, and return itself."""
        records = list(items)
        self.explanation = Column(item.explanation for item in records)
        self.judge_prompts = Column(item.judge_prompt for item in records)
        self.level_3 = Column(item.level_3 for item in records)
        self.level_4 = Column(item.level_4 for item in records)
        return super().fill(records)


_SOURCES = {"txt": TxtDataParse, "jsonl": JsonlDataParse, "metadata": JSONMetaDataParse}


def source_maker(place: DataPlace, data_type: str) -> Any:
    """Return a function that makes a data source of some records of a data set."""
    content = metadata(place.path) if place.kind == "metadata" else None

    def make(items: Iterable[DataItem]) -> BaseDataSource:
        source = _SOURCES[place.kind](data_type=data_type)
        if content is not None and isinstance(source, JSONMetaDataParse):
            source.describe(content)
        return source.fill(items)

    return make


# Reading.


def metadata(path: Path) -> dict[str, Any]:
    """Return the content of a metadata.json. Raises DataError."""
    place = escaped_path(path)
    try:
        with path.open("rb") as file:
            content = json.loads(file.read(_MAX_METADATA))
    except (OSError, ValueError, RecursionError) as error:
        hint = 'write {"dataset": "name", "description": "", "level_1_dim": "", "level_2_dim": ""}'
        raise DataError(f"invalid JSON: {error}", path=place, hint=hint) from None
    if not isinstance(content, dict) or "dataset" not in content:
        raise DataError("missing field", path=place, field="dataset", hint='add "dataset": "its name"')
    return content


def read_items(place: DataPlace) -> Iterator[DataItem]:
    """The records of a data set, one at a time. Raises DataError with file and line."""
    if place.kind == "txt":
        yield from _paths(place)
        return
    make = _described_item if place.kind == "metadata" else _prompt_item
    for line, record in _objects(place.records):
        yield make(_RecordFields(record, escaped_path(place.records), line, place.fields))


def _objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    if path.suffix == ".json":
        from benchwright.store.lines import read_rows  # noqa: PLC0415 (an array needs more)

        yield from read_rows(path, surrogates="replace")
        return
    name = escaped_path(path)
    with open_binary(path) as stream:
        for number, _, data in scan_lines(stream, name):
            try:
                record = json.loads(data)
            except (ValueError, RecursionError) as error:
                hint = "each line must be one JSON object; `python -m json.tool` shows the error"
                raise DataError(f"invalid JSON: {error}", path=name, line=number, hint=hint) from None
            if not isinstance(record, dict):
                raise DataError("a record must be a JSON object", path=name, line=number, hint="write {…}")
            yield number, record


class _RecordFields(NamedTuple):
    """The fields of a record, by Ianvs's names or by those of this data set."""

    record: dict[str, Any]
    path: str
    line: int
    fields: dict[str, str]

    def get(self, name: str) -> Any:
        """A field that may be absent."""
        return self.record.get(self.fields.get(name, name), "")

    def need(self, name: str) -> Any:
        """A field that must be there; `query` is accepted for `question`, and so on."""
        for key in (self.fields.get(name, name), _OTHER_NAMES[name]):
            if key in self.record:
                return self.record[key]
        field_names = ", ".join(f"`{escaped_name(key, 30)}`" for key in list(self.record)[:8]) or "nothing"
        hint = f"the record has {field_names}; map a field: `--fields NAME={name}`"
        raise DataError("missing field", path=self.path, line=self.line, field=name, hint=hint)


def _prompt_item(fields: _RecordFields) -> DataItem:
    return DataItem(fields.line, fields.need("question"), fields.need("answer"))


def _described_item(fields: _RecordFields) -> DataItem:
    return DataItem(
        fields.line,
        f"{fields.get('prompt')}{fields.need('query')}",
        fields.need("response"),
        fields.get("explanation"),
        fields.get("judge_prompt"),
        fields.get("level_3_dim"),
        fields.get("level_4_dim"),
    )


def _paths(place: DataPlace) -> Iterator[DataItem]:
    """Read the items of an index. Paths are relative to it, and so are labels if `_labels_are_paths`."""
    folder, name = place.path.parent.absolute(), escaped_path(place.path)
    joined = _labels_are_paths(place)
    with open_binary(place.path) as stream:
        for number, _, data in scan_lines(stream, name):
            words = _words(data)
            if joined:
                words = [os.path.abspath(folder / word) for word in words]
            x = os.path.abspath(folder / words[0])
            yield DataItem(number, x, words[1] if len(words) > 1 else 0)


def _labels_are_paths(place: DataPlace) -> bool:
    """Whether a label is the name of a file in the folder of the index. With `strict`, every label is one.

    False for an index of absolute paths, as in Ianvs.
    """
    folder, relative, are_names, seen = place.path.parent.absolute(), False, place.strict, set[str]()
    with open_binary(place.path) as stream:
        for _, _, data in scan_lines(stream, escaped_path(place.path)):
            path, *labels = _words(data)
            relative = relative or not os.path.isabs(path)
            for label in labels[:1]:
                are_names = are_names or (label not in seen and os.path.isfile(folder / label))
                seen.add(label)
            if relative and are_names:
                return True
    return False


def _words(line: bytes) -> list[str]:
    return line.decode("utf-8", "surrogateescape").split()


_SCALARS = {str, float, int, bool}
_TYPES: dict[str, Callable[[Any], Any]] = {"int": int, "float": float, "str": str, "bool": bool}


class Column(list[Any]):
    """A list with the methods of a one-dimensional array that examples use; `==` compares item by item."""

    __hash__ = None

    @property
    def shape(self) -> tuple[int]:
        """How many items there are, as an array says it."""
        return (len(self),)

    @property
    def size(self) -> int:
        """How many items there are."""
        return len(self)

    @property
    def ndim(self) -> int:
        """One dimension."""
        return 1

    def tolist(self) -> list[Any]:
        """A plain list of the items."""
        return list(self)

    def astype(self, kind: Any) -> Column:
        """The items as another type: a name such as "int", or what makes one of a value."""
        make: Callable[[Any], Any] = _TYPES[kind] if isinstance(kind, str) else kind
        return Column(make(item) for item in self)

    def sum(self, *args: Any, **options: Any) -> Any:
        """Return the sum of the items. An array handles other arguments of numpy, here and below."""
        return sum(self) if _has_no_arguments(args, options) else _array(self).sum(*args, **options)

    def mean(self, *args: Any, **options: Any) -> Any:
        """The mean of the items."""
        return (
            sum(self) / len(self) if _has_no_arguments(args, options) else _array(self).mean(*args, **options)
        )

    def all(self, *args: Any, **options: Any) -> Any:
        """Whether every item is true."""
        return all(self) if _has_no_arguments(args, options) else _array(self).all(*args, **options)

    def any(self, *args: Any, **options: Any) -> Any:
        """Whether some item is true."""
        return any(self) if _has_no_arguments(args, options) else _array(self).any(*args, **options)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return Column(super().__getitem__(at))
        if hasattr(at, "__len__"):  # numbers, or true and false for each item
            return Column(super(Column, self).__getitem__(number) for number in _numbers(at))
        return super().__getitem__(at)

    def __setitem__(self, at: Any, value: Any) -> None:
        """Put a value; an array of texts keeps the width that it was made with, and cuts what is longer."""
        if isinstance(at, int) and isinstance(value, str) and self:
            width = self.__dict__.setdefault("width", max(map(_width, self)))
            value = value if width == math.inf else value[: int(width) or 1]
        super().__setitem__(at, value)

    def __eq__(self, other: object) -> Any:
        return _compare_elementwise(self, other, lambda mine, theirs: bool(mine == theirs))

    def __ne__(self, other: object) -> Any:
        return _compare_elementwise(self, other, lambda mine, theirs: bool(mine != theirs))

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of an array with these items. Raises AttributeError without numpy."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(_array(self), name)


def column_of(values: Iterable[Any]) -> Column:
    """Values of one field, of one type as in an array: where one is a text all are, and so for fractions.

    An array that holds anything but texts and numbers keeps each value as it is.
    """
    column = Column(values)
    kinds = set(map(type, column))
    if len(kinds) > 1 and kinds <= _SCALARS:
        for kind in (str, float, int):
            if kind in kinds:
                return Column(map(kind, column))
    return column


def _width(item: Any) -> float:
    """How many characters a text has; an array with anything else in it keeps objects of any size."""
    return len(item) if isinstance(item, str) else math.inf


def _has_no_arguments(args: tuple[Any, ...], options: dict[str, Any]) -> bool:
    """Whether a method is called without anything that changes what it does."""
    return all(each is None for each in (*args, *options.values()))


def _numbers(chosen: Any) -> list[int]:
    picks = list(chosen)
    if picks and all(type(pick).__name__ in ("bool", "bool_") for pick in picks):
        return [number for number, pick in enumerate(picks) if pick]
    return [int(pick) for pick in picks]


def _compare_elementwise(column: Column, other: object, same: Callable[[Any, Any], bool]) -> Any:
    if isinstance(other, str) or not hasattr(other, "__len__"):
        return Column(same(item, other) for item in column)
    others = list(other)  # type: ignore[call-overload]
    if len(others) != len(column):
        return NotImplemented
    return Column(same(mine, other) for mine, other in zip(column, others, strict=True))


def _array(column: Column) -> Any:
    try:
        import numpy  # noqa: PLC0415 (only an example that has it can ask)
    except ImportError:
        raise AttributeError("the data is a list; converting it to an array requires numpy") from None
    return numpy.array(list(column))


def _arithmetic(name: str) -> Callable[[Column, Any], Any]:
    def method(self: Column, other: Any) -> Any:
        return getattr(_array(self), name)(_array(other) if isinstance(other, Column) else other)

    return method


for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "lt", "le", "gt", "ge"):
    setattr(Column, f"__{_name}__", _arithmetic(f"__{_name}__"))  # a list would join, repeat or order itself
