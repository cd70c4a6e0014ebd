"""The public API as text: names, signatures, attributes and exceptions of `benchwright`.

`./run python -m tools.public_api` prints it; `--write` stores it in `tests/api/public_api.txt`, which a test
compares with the package.
"""

from __future__ import annotations

import enum
import inspect
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, get_overloads

import msgspec

import benchwright

FILE = Path(__file__).resolve().parents[1] / "tests" / "api" / "public_api.txt"
COMMAND = "./run python -m tools.public_api --write"


def public_api() -> str:
    """Return a section for each name of `benchwright.__all__`, in alphabetic order."""
    names = sorted(name for name in benchwright.__all__ if name != "__version__")
    return "\n".join("\n".join(_section(name, getattr(benchwright, name))) + "\n" for name in names)


def _section(name: str, value: Any) -> Iterator[str]:
    if not inspect.isclass(value):
        yield f"def {name}"
        shapes = get_overloads(inspect.unwrap(value)) or [value]
        for shape in shapes:
            yield from _arguments(shape)
        return
    yield f"class {name}({', '.join(each.__name__ for each in value.__bases__)})"
    if issubclass(value, enum.Enum):
        yield from (f"    {each.name} = {each.value!r}" for each in value)
    elif issubclass(value, msgspec.Struct):
        yield from _fields(value)
    elif not issubclass(value, tuple):
        yield from _arguments(value.__init__)
    if issubclass(value, BaseException):
        yield f"    exit_code = {value.exit_code}"  # type: ignore[attr-defined]
    for attribute in sorted(vars(value)):
        if not attribute.startswith("_") or attribute in ("_repr_html_", "__enter__", "__getitem__"):
            yield from _attribute(attribute, vars(value)[attribute])


def _arguments(function: Any) -> Iterator[str]:
    shape = inspect.signature(function)
    for each in shape.parameters.values():
        if each.name != "self":
            yield f"    {'' if each.kind is not each.KEYWORD_ONLY else '*, '}{each}"
    yield f"    -> {_written(shape.return_annotation)}"


def _fields(record: type[msgspec.Struct]) -> Iterator[str]:
    for field in msgspec.structs.fields(record):
        annotation = _annotation(record, field.name)
        yield f"    {field.name}: {annotation}{'' if field.required else ' (optional)'}"


def _annotation(record: type, name: str) -> str:
    owner = next(each for each in record.__mro__ if name in inspect.get_annotations(each))
    return _written(inspect.get_annotations(owner)[name])


def _attribute(name: str, value: Any) -> Iterator[str]:
    function = getattr(value, "fget", None) or getattr(value, "func", None)
    if function is not None:
        yield f"    .{name}: {_written(inspect.signature(function).return_annotation)}"
    elif isinstance(value, classmethod | staticmethod) or inspect.isfunction(value):
        plain: Any = inspect.unwrap(getattr(value, "__func__", value))  # type: ignore[arg-type]
        yield f"    .{name}{inspect.signature(plain)}"


def _written(annotation: Any) -> str:
    if annotation is inspect.Signature.empty:
        return "None"
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the text, or store it with `--write`."""
    if "--write" in (sys.argv[1:] if arguments is None else arguments):
        FILE.write_text(public_api(), encoding="utf-8")
    else:
        sys.stdout.write(public_api())
    return 0


if __name__ == "__main__":
    sys.exit(main())
