"""The options that say how a live model is asked, and what is made of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import click

from benchwright.asking.parameters import APIS
from benchwright.cli.arguments import Option
from benchwright.contracts import Asking
from benchwright.display.escape import escaped_name
from benchwright.errors import DataError, UsageError
from benchwright.running.prompting import DESIGNS
from benchwright.store.strict_json import JsonOrigin, parse_value
from benchwright.tracks.wordings import LANGUAGES

_DEFAULT = Asking()
_prompts = partial(click.option, cls=Option, section="Prompts, for a model that is asked")
_model = partial(click.option, cls=Option, section="The model that is asked")
_pace = partial(click.option, cls=Option, section="Pace and cost of asking")

_WORDINGS = (
    _prompts(
        "--prompts",
        type=click.Choice(DESIGNS),
        help="Ten wordings: spread over the tasks, all for each task, or the row's own text instead.  "
        "[default: spread; row for stored answers]",
    ),
    _prompts("--language", type=click.Choice(LANGUAGES), help="Of the wordings.  [default: the track's]"),
)
_OPTIONS = (
    _model(
        "--base-url",
        metavar="URL",
        help="Where the model is served, such as http://localhost:8000/v1.  [default: $OPENAI_BASE_URL, or "
        "the provider's own]",
    ),
    _model(
        "--model-id",
        metavar="TEXT",
        help="What tells two models apart that are served under one name; part of the run's identity.",
    ),
    _model(
        "--api",
        type=click.Choice(APIS),
        default=_DEFAULT.api,
        help="completions is for base models, without chat.",
    ),
    _model(
        "--temperature", type=float, help="Of sampling; 0 takes the likeliest.  [default: the track's, 0.6]"
    ),
    _model("--top-p", type=float, help="Sample from this share of probability.  [default: the server's]"),
    _model("--max-tokens", type=int, default=_DEFAULT.max_tokens, help="Longest answer, reasoning included."),
    _model(
        "--stop",
        multiple=True,
        metavar="TEXT",
        help=r"Cut an answer here; repeatable; \n and \t are understood. Meant for base models.",
    ),
    _model(
        "--seed", type=int, default=_DEFAULT.seed, help="Each request gets a seed of its own, made from it."
    ),
    _model(
        "--body",
        multiple=True,
        metavar="KEY=JSON",
        help="A further field of the request, such as reasoning_effort='\"low\"'; repeatable.",
    ),
    _pace("--concurrency", type=int, default=_DEFAULT.concurrency, help="Requests in flight."),
    _pace("--per-minute", type=float, help="Requests started in a minute, at most.  [default: no limit]"),
    _pace("--timeout", "timeout_s", type=float, default=_DEFAULT.timeout_s, help="Seconds for one request."),
    _pace("--retries", type=int, default=_DEFAULT.retries, help="Of one request, after its first try."),
    _pace(
        "--budget",
        type=float,
        help="Stop asking when the answers have cost this much, one answer more at most; needs both prices.",
    ),
    _pace("--price-in", type=float, help="Of a million tokens of prompts, in the budget's currency."),
    _pace("--price-out", type=float, help="Of a million tokens of answers."),
    _pace(
        "--no-cache",
        is_flag=True,
        envvar="BENCHWRIGHT_NO_CACHE",
        help="Ask anew what an earlier run has asked the same server, and keep no answer for later ones.",
    ),
)
_MADE = ("stop", "body", "options", "cache")  # fields of `Asking` that are not an option as it is
_ESCAPE = re.compile(r"\\([ntr\\])")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\"}


def asking_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options, in their order."""
    return _with(_WORDINGS, _with(_OPTIONS, command))


def model_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command those of the model alone: it has a question of its own."""
    return _with(_OPTIONS, command)


def _with(options: Iterable[Callable[..., Any]], command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(list(options)):
        command = option(command)
    return command


def asking_of(given: Mapping[str, Any]) -> Asking:
    """The parameters that the options say; the plan checks them."""
    plain = {name: given[name] for name in Asking.__struct_fields__ if name not in _MADE}
    return Asking(
        **plain,
        cache=not given["no_cache"],
        stop=tuple(map(_unescaped, given["stop"])),
        body=body_of(given["body"]),
    )


def _unescaped(text: str) -> str:
    r"""A stop string as it was meant: a shell has no easy way to write a line end."""
    return _ESCAPE.sub(lambda found: _ESCAPED[found[1]], text)


def body_of(fields: tuple[str, ...], option: str = "--body") -> dict[str, Any]:
    """Further fields of a request, each KEY=JSON. Raises UsageError, naming the option."""
    body: dict[str, Any] = {}
    for field in fields:
        name, equals, text = field.partition("=")
        if not equals or not name:
            raise UsageError(
                f"{option} {escaped_name(field)!r}: must be KEY=JSON",
                hint=f"{option} reasoning_effort='\"low\"'",
            )
        if name in body:
            raise UsageError(
                f"{option} {escaped_name(name)}: the field is given twice", hint="keep one of them"
            )
        body[name] = _value(name, text, option)
    return body


def _value(name: str, text: str, option: str) -> Any:
    try:
        return parse_value(text.encode("utf-8", "surrogatepass"), JsonOrigin(option, 1))
    except DataError:
        quoted = escaped_name(text.replace("'", ""))
        raise UsageError(
            f"{option} {escaped_name(name)}: {escaped_name(text)!r} is not JSON",
            hint=f"for a text, quote it twice: {option} {escaped_name(name)}='\"{quoted}\"'",
        ) from None
