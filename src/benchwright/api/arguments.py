"""Arguments of the Python functions: their names, checks of their values, and errors that name them.

Each function of the API stands for a command, and each of its arguments for an option. The core names options
in its messages, as in "--top-p 2: must be at most 1". `in_python` renames them at the border of the API, so
that no code below it depends on the caller. What an option is called here, and which values it takes,
follows from the declaration of the command.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, wraps
from importlib import import_module
from inspect import Parameter, signature
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, ParamSpec, TypeVar

import click

from benchwright import registry
from benchwright.display.escape import escaped_name
from benchwright.errors import ArgumentError, BenchwrightError, DataError, command_name, nearest_hint

P = ParamSpec("P")
R = TypeVar("R")

# Flags that say no on the command line are arguments that say yes, with the default True.
NEGATED = {
    "--no-cache": "cache",
    "--no-wait": "wait",
    "--judge-no-schema": "judge_schema",
    "--without-tasks": "keep_tasks",
}
RENAMED = {"--from": "sources", "--no-report": "report", "--map": "columns", "--set": "values"}
FORMER = {  # arguments of earlier versions
    "asking": "temperature, base_url, … are arguments of their own",
    "judges": "use judge=, judge_base_url=, …",
    "ks": "use k=",
    "limits": "use cpu_limit= and memory_limit=",
    "profiles": "use profile=",
}


class Argument(NamedTuple):
    """An option of a command with its name in Python."""

    name: str
    option: click.Option
    negated: bool = False

    @property
    def is_pairs(self) -> bool:
        """Whether it is a mapping in Python: KEY=JSON, PART=W."""
        return "=" in (self.option.metavar or "")

    @property
    def is_number(self) -> bool:
        """Whether its values are numbers."""
        return isinstance(self.option.type, click.types.IntParamType | click.types.FloatParamType)


def arguments_of(command: click.Command) -> dict[str, Argument]:
    """Return the arguments of a command by their options, such as "--top-p"."""
    return {
        name: _argument(option)
        for option in command.params
        if isinstance(option, click.Option)
        for name in option.opts
        if name.startswith("--")
    }


def _argument(option: click.Option) -> Argument:
    name = max(option.opts, key=len)
    if name in NEGATED:
        return Argument(NEGATED[name], option, negated=True)
    return Argument(RENAMED.get(name, name.removeprefix("--").replace("-", "_")), option)


@cache
def command_arguments(target: str) -> Mapping[str, Argument]:
    """Return the arguments of the command at "module:object"."""
    module, _, name = target.partition(":")
    return arguments_of(getattr(import_module(module), name))


def in_python(target: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a function that stands for the command at "module:object".

    An argument that it does not have raises ArgumentError with the nearest name. Errors name arguments.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            check_call(function, args, kwargs)
            with errors_in_python(target):
                return function(*args, **kwargs)

        return call

    return decorate


def check_call(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """Raise ArgumentError unless a function can be called with these arguments."""
    shape = signature(function)
    names = [each.name for each in shape.parameters.values() if each.kind is not Parameter.POSITIONAL_ONLY]
    for name in kwargs:
        if name not in shape.parameters:
            raise unknown_argument(function.__name__, name, names)
    try:
        shape.bind(*args, **kwargs)
    except TypeError as error:
        raise ArgumentError(f"{function.__name__}(): {error}", hint=f"help({function.__name__})") from None


def unknown_argument(function: str, name: str, known: Sequence[str]) -> ArgumentError:
    """Return the error of an argument that a function does not have."""
    hint = FORMER.get(name) or nearest_hint(name, known, otherwise=f"arguments: {', '.join(known)}")
    return ArgumentError(f"{function}(): unknown argument: {escaped_name(name)}=", hint=hint)


@contextmanager
def errors_in_python(target: str | Mapping[str, Argument]) -> Iterator[None]:
    """Rename the options of a command in errors that leave the block."""
    try:
        yield
    except BenchwrightError as error:
        respell(error, command_arguments(target) if isinstance(target, str) else target)
        raise


def respell(error: BenchwrightError, arguments: Mapping[str, Argument]) -> None:
    """Rename options to arguments in an error's message and hint, in place."""
    error.message = renamed(error.message, arguments)
    error.hint = error.hint and renamed(error.hint, arguments)
    if isinstance(error, DataError):
        error.what = renamed(error.what, arguments)
    error.args = (error.message,)


_OPTION = re.compile(
    r"(?<![\w-])(?P<option>--[a-z][a-z0-9-]*)"
    r"(?:[ =](?P<value>(?:'[^']*'|\"[^\"]*\"|[^\s`'\"])+(?:'[^']*'|\"[^\"]*\")*))?"
)
_ENDING = re.compile(r"[,;:.)…]*$")
_NUMBER = re.compile(r"[-+]?(\d[\d_.]*([eE][-+]?\d+)?|inf|nan)")
_PLACEHOLDER = re.compile(r"[A-Z][A-Z_]*")


def renamed(text: str, arguments: Mapping[str, Argument]) -> str:
    """Return a text with options as arguments: "--n 5" as "n=5". Whole commands stay as they are."""
    command = re.compile(rf"({re.escape(command_name())} [a-z][^`;]*)")
    parts = command.split(text)
    return "".join(
        part if number % 2 else _OPTION.sub(lambda found: _renamed(found, arguments), part)
        for number, part in enumerate(parts)
    )


def _renamed(found: re.Match[str], arguments: Mapping[str, Argument]) -> str:
    argument, text = arguments.get(found["option"]), found["value"]
    if argument is None:
        return found[0]
    if argument.option.is_flag:
        return f"{argument.name}={not argument.negated}" + found[0].removeprefix(found["option"])
    if text is None:
        return argument.name if found.string[found.end() :].startswith(":") else f"{argument.name}="
    ending = _ENDING.search(text)
    assert ending is not None
    value = text[: ending.start()]
    if not _is_value(value, argument):
        return f"{argument.name}=" + found[0].removeprefix(found["option"])
    return f"{argument.name}={_literal(value, argument)}{ending[0]}"


def _is_value(text: str, argument: Argument) -> bool:
    """Whether the word behind an option is its value, and not the next word of the sentence."""
    if not text or text[0] in "'\"" or _PLACEHOLDER.fullmatch(text):
        return bool(text)
    if argument.is_number:
        return bool(_NUMBER.fullmatch(text))
    return not text.isalpha() or not text.islower() or text in _words(argument)


def _words(argument: Argument) -> frozenset[str]:
    """The values of an option that look like words of a sentence."""
    if isinstance(argument.option.type, click.Choice):
        return frozenset(map(str, argument.option.type.choices))
    if argument.name == "agent":
        return frozenset(registry.names("agent"))
    if argument.name == "profile":
        return frozenset(chain.from_iterable(track.profiles for track in registry.built_in_tracks()))
    return frozenset()


def _literal(text: str, argument: Argument) -> str:
    """Write a value of the command line as Python."""
    plain = text.replace("'", "") if "'" in text else text
    if argument.is_pairs:
        pairs = [part.partition("=") for part in plain.split(",")]
        return "{" + ", ".join(f"{_text(name)}: {_json(value)}" for name, _, value in pairs) + "}"
    if argument.is_number and _NUMBER.fullmatch(plain):
        return plain
    return _text(plain)


def _json(text: str) -> str:
    try:
        return repr(json.loads(text))
    except ValueError:
        return _text(text)


def _text(text: str) -> str:
    return (
        text
        if text.startswith('"') and text.endswith('"') and len(text) > 1
        else json.dumps(text, ensure_ascii=False)
    )


def check_values(given: Mapping[str, Any], target: str | Mapping[str, Argument]) -> None:
    """Raise ArgumentError for a value of a type that the argument does not take; None is "not given"."""
    arguments = command_arguments(target) if isinstance(target, str) else target
    for argument in {each.name: each for each in arguments.values()}.values():
        value = given.get(argument.name)
        if value is None:
            continue
        if argument.is_pairs:
            _require(isinstance(value, Mapping), argument, value, "a mapping")
            continue
        several = argument.option.multiple and isinstance(value, Sequence) and not isinstance(value, str)
        for each in value if several else [value]:
            _check_value(each, argument)


def _check_value(value: object, argument: Argument) -> None:
    kind = argument.option.type
    if argument.option.is_flag:
        _require(isinstance(value, bool), argument, value, "True or False")
    elif isinstance(kind, click.Choice):
        if value not in kind.choices:
            hint = nearest_hint(str(value), map(str, kind.choices))
            raise ArgumentError(f"{argument.name}={escaped_name(repr(value))}: unknown value", hint=hint)
    elif isinstance(kind, click.types.IntParamType):
        _require(isinstance(value, int) and not isinstance(value, bool), argument, value, "an integer")
    elif isinstance(kind, click.types.FloatParamType):
        _require(isinstance(value, int | float) and not isinstance(value, bool), argument, value, "a number")
    else:
        _require(isinstance(value, str | Path), argument, value, "a text or a path")
    if isinstance(kind, click.IntRange | click.FloatRange):
        _check_range(value, kind, argument)


def _check_range(value: Any, kind: Any, argument: Argument) -> None:
    if kind.min is not None and not value >= kind.min:
        message = f"{argument.name}={value}: must be at least {kind.min}"
        raise ArgumentError(message, hint=f"{argument.name}={kind.min}")


def _require(holds: bool, argument: Argument, value: object, wanted: str) -> None:
    if not holds:
        message = f"{argument.name}={escaped_name(repr(value))}: must be {wanted}"
        raise ArgumentError(message, hint=argument.option.help)


def each_of(value: Any) -> tuple[Any, ...]:
    """Return one value or several as a tuple; none for None."""
    if value is None:
        return ()
    return (value,) if isinstance(value, str | int | Path) else tuple(value)
