"""YAML files that people wrote, read with the line of each key: bounded, and with no types but plain ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import DataError, PrerequisiteError, UsageError, install_command

MAX_BYTES = 1 << 20
MAX_DEPTH = 40
MAX_VALUES = 20_000  # each use of an alias counts again
_MISFITS = (ValueError, AttributeError, LookupError, TypeError, OverflowError)  # exceptions of the parser
_PLAIN = (str, int, float, bool, type(None))

Keys = tuple[str | int, ...]  # the way to a value: names of mappings, numbers of list items from 0


class YamlDocument(NamedTuple):
    """The content of a file: plain values, and the line of each, from 1."""

    path: str  # escaped, for messages
    data: Any
    lines: dict[Keys, int]

    def line(self, *keys: str | int) -> int:
        """The line of a value, or of the nearest value that contains it."""
        while keys and keys not in self.lines:
            keys = keys[:-1]
        return self.lines.get(keys, 1)

    def error(self, message: str, *keys: str | int, hint: str | None = None) -> DataError:
        """Return the error for the value under these keys."""
        return DataError(
            message, path=self.path, line=self.line(*keys), field=dotted(keys) or None, hint=hint
        )


def dotted(keys: Keys) -> str:
    """The path of a value as one name.

    >>> dotted(("rank", "sort_by", 0))
    'rank.sort_by[0]'
    """
    name = ""
    for key in keys:
        name += f"[{key}]" if isinstance(key, int) else f".{escaped_name(key, 40)}"
    return name.removeprefix(".")


def load_yaml(purpose: str = "reading model cards", extra: str = "hub") -> Any:
    """The parser. Raises PrerequisiteError, with what needs it, if it is not installed."""
    try:
        import yaml  # noqa: PLC0415 (an extra)
    except ImportError:
        raise PrerequisiteError(f"{purpose} needs PyYAML", hint=install_command(extra)) from None
    return yaml


def read_yaml(path: Path, *, purpose: str, extra: str) -> YamlDocument:
    """The one document of a file. Raises DataError for an error in it, UsageError if it is missing.

    Each alias is replaced by the value at its anchor; the type of a tag is ignored.
    """
    yaml, place = load_yaml(purpose, extra), escaped_path(path)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    text = _bytes_of(path, place)
    try:
        _check_shape(yaml, yaml.parse(text, Loader=loader), place)
        reader = loader(text)
        try:
            root = reader.get_single_node()
            data = None if root is None else _constructed(yaml, reader, root, place)
        finally:
            reader.dispose()
    except (yaml.YAMLError, UnicodeError, RecursionError, ValueError) as error:
        raise _broken(error, place) from None
    except (ArithmeticError, AttributeError, LookupError, TypeError):
        # PyYAML's own constructors fail so where a text is not of the type that its tag names.
        raise _broken(ValueError("a tag does not fit its value"), place) from None
    document = YamlDocument(place, data, {} if root is None else dict(_lines(yaml, root, place)))
    _refuse_types(document)
    return document


def _bytes_of(path: Path, place: str) -> bytes:
    try:
        with path.open("rb") as file:
            text = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise UsageError(
            f"no file at {place}", hint="check the path, and the folder that it is relative to"
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"{place} cannot be read: {reason}", hint="name a YAML file") from None
    if len(text) > MAX_BYTES:
        raise DataError(f"more than {MAX_BYTES:,} bytes", path=place, hint="is this the right file?")
    return text


def _constructed(yaml: Any, reader: Any, root: Any, place: str) -> Any:
    """The values of a document. Raises DataError for one that does not fit its tag, such as `!!int abc`."""
    try:
        return reader.construct_document(root)
    except _MISFITS:
        waiting, seen = [root], set()
        while waiting:
            node = waiting.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            if isinstance(node, yaml.ScalarNode):
                if not _fits(yaml, node):
                    what = f"{escaped_name(node.value, 40)!r} is no {node.tag.rpartition(':')[2]}"
                    raise DataError(
                        what, path=place, line=node.start_mark.line + 1, hint="put it in quotes"
                    ) from None
            elif isinstance(node, yaml.MappingNode):
                waiting += [each for pair in reversed(node.value) for each in reversed(pair)]
            else:
                waiting += reversed(node.value)
        raise DataError(
            "a value does not fit its tag", path=place, hint="leave the tags (`!!…`) out"
        ) from None


def _fits(yaml: Any, node: Any) -> bool:
    try:
        yaml.SafeLoader("").construct_object(node)
    except (yaml.YAMLError, *_MISFITS):
        return False
    return True


def _check_shape(yaml: Any, events: Iterator[Any], place: str) -> None:
    """Check depth and size before any recursive function reads the document."""
    depth = values = 0
    for event in events:
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        values += isinstance(event, yaml.NodeEvent)
        if depth > MAX_DEPTH or values > MAX_VALUES:
            what = (
                f"nested deeper than {MAX_DEPTH} levels"
                if depth > MAX_DEPTH
                else f"more than {MAX_VALUES:,} values"
            )
            raise DataError(what, path=place, line=event.start_mark.line + 1, hint="flatten the file")


def _lines(yaml: Any, root: Any, place: str) -> Iterator[tuple[Keys, int]]:
    """The line of each key, and the first line of each value of a mapping or list."""
    waiting: list[tuple[Keys, Any]] = [((), root)]
    values = 0
    yield (), root.start_mark.line + 1
    while waiting:
        keys, node = waiting.pop()
        values += 1
        if values > MAX_VALUES or len(keys) > MAX_DEPTH:
            raise DataError(f"more than {MAX_VALUES:,} values, aliases counted each time", path=place, line=1)
        if isinstance(node, yaml.MappingNode):
            below = [((*keys, str(key.value)), value, key) for key, value in node.value]
        elif isinstance(node, yaml.SequenceNode):
            below = [((*keys, number), value, value) for number, value in enumerate(node.value)]
        else:
            continue
        for inner, value, at in below:
            yield inner, at.start_mark.line + 1
            waiting.append((inner, value))


def _refuse_types(document: YamlDocument) -> None:
    """Refuse dates, binary data and sets, which YAML supports and files of jobs do not."""
    waiting: list[tuple[Keys, Any]] = [((), document.data)]
    while waiting:
        keys, value = waiting.pop()
        if isinstance(value, dict):
            if odd := next((key for key in value if not isinstance(key, str)), None):
                raise document.error(f"the key {odd!r} is not a text", *keys, hint="put it in quotes")
            waiting += [((*keys, key), inner) for key, inner in value.items()]
        elif isinstance(value, list):
            waiting += [((*keys, number), inner) for number, inner in enumerate(value)]
        elif not isinstance(value, _PLAIN):
            kind = type(value).__name__
            raise document.error(f"a value of the type {kind} is not read", *keys, hint="put it in quotes")


def _broken(error: Exception, place: str) -> DataError:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    reason = getattr(error, "problem", None) or str(error).partition("\n")[0] or "not YAML"
    line = mark.line + 1 if mark is not None else None
    hint = "check that line, its indentation and the quotes before it"
    return DataError(f"invalid YAML: {escaped_name(str(reason), 200)}", path=place, line=line, hint=hint)
