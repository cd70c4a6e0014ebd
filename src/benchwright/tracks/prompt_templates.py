"""Prompt templates: read them, fill them in, and name their variants.

Templates are data: `prompts/KIND_LANGUAGE.toml` lists the fields and has a table for each variant, numbered
from 01, with a template for each form. A track whose templates have changed has a version number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from benchwright.contracts import Question
from benchwright.errors import DataError, UsageError

LANGUAGES = ("ru", "en", "zh")  # a kind of prompt has those for which there is a file
FORMS = ("chat", "base")
FOLDER = Path(__file__).with_name("prompts")
_TICKS = re.compile(r"`{3,}")
# MERA fills templates with `str.format`. That lets a data file read attributes (`{a.__class__}`) and pad to
# any width (`{a:>99999999}`), so only `{name}` is supported here, with `{{` and `}}` for braces. Values are
# inserted unchanged, because code is full of braces.
_PART = re.compile(r"\{\{|\}\}|\{(\w+)\}|[{}]")


def fill(template: str, values: Mapping[str, Any]) -> str:
    """Replace each `{name}` in a template. Raises ValueError for an unknown name or a single brace.

    >>> fill("Complete it:\\n{function}", {"function": "def f(x): {}"})
    'Complete it:\\ndef f(x): {}'
    """

    def part(match: re.Match[str]) -> str:
        found, name = match.group(), match.group(1)
        if name is None:
            if len(found) == 1:
                raise ValueError(f"a single `{found}` at character {match.start() + 1}; write it twice")
            return found[0]
        if not isinstance(values.get(name), str):
            raise ValueError(f"`{found}` is not a text field; fields: {', '.join(sorted(values))}")
        text: str = values[name]
        return text

    return _PART.sub(part, template)


class TemplateFault(ValueError):
    """A fault of a template, and its line, counted from 1."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


def placeholders(template: str) -> list[tuple[str, int]]:
    """The names of the fields in a template, each with its line. Raises TemplateFault for a single brace.

    >>> placeholders("Write {{}}.\\n{function}")
    [('function', 2)]
    """
    names = []
    for match in _PART.finditer(template):
        line = template.count("\n", 0, match.start()) + 1
        if match.group(1) is not None:
            names.append((match.group(1), line))
        elif len(match.group()) == 1:
            raise TemplateFault(f"a single `{match.group()}`", line)
    return names


def languages_of(kind: str) -> list[str]:
    """Languages of a kind of prompt."""
    return [each for each in LANGUAGES if (FOLDER / f"{kind}_{each}.toml").is_file()]


def wordings_in(kind: str, *, language: str, form: str) -> tuple[str, ...]:
    """Templates of a kind of prompt, variant 1 first. Raises UsageError for another language or form."""
    known = languages_of(kind)
    if language not in known or form not in FORMS:
        raise UsageError(
            f"no prompts in the language {language!r} and the form {form!r}",
            hint=f"languages: {', '.join(known)}; forms: {', '.join(FORMS)}",
        )
    return read_wordings(FOLDER / f"{kind}_{language}.toml")[form]


@cache
def read_wordings(path: Path) -> dict[str, tuple[str, ...]]:
    """Templates of a file by form. Raises DataError, with file and key, for an invalid file."""
    import tomllib  # noqa: PLC0415 (2 ms, and most commands ask nothing)

    try:
        read = tomllib.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise DataError(f"invalid TOML: {error}", path=str(path)) from None
    fields = read.pop("fields", None)
    if not isinstance(fields, list) or not all(isinstance(name, str) for name in fields):
        raise DataError("must be a list of names", path=str(path), field="fields")
    for number, name in enumerate(read, 1):
        if name != f"{number:02}":
            raise DataError(f"expected {number:02}: variants count from 01", path=str(path), field=name)
        _check_variant(path, name, read[name], dict.fromkeys(fields, ""))
    return {form: tuple(variant[form] for variant in read.values()) for form in FORMS}


def _check_variant(path: Path, name: str, variant: Any, values: Mapping[str, str]) -> None:
    if not isinstance(variant, dict) or set(variant) != set(FORMS):
        raise DataError(f"must be a table with the keys {', '.join(FORMS)}", path=str(path), field=name)
    for form, wording in variant.items():
        try:
            fill(wording, values)
        except (TypeError, ValueError) as error:
            message = str(error) if isinstance(error, ValueError) else "must be a text"
            raise DataError(message, path=str(path), field=f"{name}.{form}") from None


def variant_name(language: str, number: int, *, version: int = 1) -> str:
    """Name of a variant: "ru-03", or "ru2-03" in version 2. A name never changes its text.

    >>> variant_name("ru", 3), variant_name("ru", 3, version=2)
    ('ru-03', 'ru2-03')
    """
    return f"{language}{version if version > 1 else ''}-{number:02}"


def questions(
    wordings: Sequence[str], values: Mapping[str, Any], *, language: str, version: int = 1
) -> list[Question]:
    """Fill in each template; the questions are named by `variant_name`."""
    return [
        Question(variant=variant_name(language, number, version=version), text=fill(wording, values))
        for number, wording in enumerate(wordings, 1)
    ]


def fence(*texts: str) -> str:
    """A fence of backticks longer than any in the texts, such as those in a docstring."""
    longest = max((len(ticks) for text in texts for ticks in _TICKS.findall(text)), default=2)
    return "`" * (longest + 1)
