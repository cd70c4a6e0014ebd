"""Options for asking models, and for the model judges of a run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import click

from benchwright.asking.parameters import APIS
from benchwright.cli.arguments import Option, not_empty_each
from benchwright.cli.shell_completion import files
from benchwright.contracts import RequestOptions
from benchwright.display.escape import escaped_name
from benchwright.errors import DataError, UsageError
from benchwright.running.options import JudgeOptions
from benchwright.running.prompting import DESIGNS
from benchwright.store.strict_json import JsonOrigin, parse_value
from benchwright.tracks.prompt_templates import LANGUAGES

_DEFAULT = RequestOptions()
_prompts = partial(click.option, cls=Option, section="Prompts for a live model", rare=True)
_model = partial(click.option, cls=Option, section="Live model", rare=True)
_pace = partial(click.option, cls=Option, section="Rate and cost", rare=True)

_WORDINGS = (
    _prompts(
        "--prompt",
        "prompt_files",
        multiple=True,
        callback=not_empty_each,
        shell_complete=files,
        metavar="FILE",
        help="Your own prompt: a text with {prompt} or other fields of the task; repeatable. Each file gets "
        "a run, named after it.",
    ),
    _prompts(
        "--prompts",
        type=click.Choice(DESIGNS),
        help="Ten prompt templates: spread over the tasks, or all for each task. row: the row's own text.  "
        "[default: spread; row for stored answers]",
    ),
    _prompts(
        "--language", type=click.Choice(LANGUAGES), help="Language of the templates.  [default: the track's]"
    ),
)
_OPTIONS = (
    _model(
        "--base-url",
        metavar="URL",
        help="Address of the server, such as http://localhost:8000/v1.  [default: $OPENAI_BASE_URL, or the "
        "provider's address]",
    ),
    _model(
        "--model-id",
        metavar="TEXT",
        help="Distinguish models served under the same name; part of the run's identity.",
    ),
    _model(
        "--api",
        type=click.Choice(APIS),
        default=_DEFAULT.api,
        help="Interface of the server; use completions for base models.",
    ),
    _model(
        "--temperature",
        type=float,
        help="Sampling temperature; 0 is greedy.  [default: the track's]",
    ),
    _model("--top-p", type=float, help="Nucleus sampling probability.  [default: the server's]"),
    _model(
        "--max-tokens",
        type=int,
        default=_DEFAULT.max_tokens,
        help="Maximum tokens per answer, including reasoning.",
    ),
    _model(
        "--stop",
        multiple=True,
        metavar="TEXT",
        help=r"Stop string, for base models; repeatable; \n and \t are escapes.",
    ),
    _model("--seed", type=int, default=_DEFAULT.seed, help="Base seed; each request gets its own seed."),
    _model(
        "--body",
        multiple=True,
        metavar="KEY=JSON",
        help="Additional field of the request, such as reasoning_effort='\"low\"'; repeatable.",
    ),
    _pace("--concurrency", type=int, default=_DEFAULT.concurrency, help="Maximum concurrent requests."),
    _pace("--per-minute", type=float, help="Maximum requests per minute.  [default: no limit]"),
    _pace(
        "--timeout",
        "timeout_s",
        type=float,
        default=_DEFAULT.timeout_s,
        help="Timeout per request, in seconds.",
    ),
    _pace("--retries", type=int, default=_DEFAULT.retries, help="Retries per request."),
    _pace(
        "--budget",
        type=float,
        help="Stop asking when answers cost this much, plus at most one answer; requires both prices.",
    ),
    _pace("--price-in", type=float, help="Price per million prompt tokens, in the budget's currency."),
    _pace("--price-out", type=float, help="Price per million answer tokens."),
    _pace(
        "--no-cache",
        is_flag=True,
        envvar="BENCHWRIGHT_NO_CACHE",
        help="Do not read or write the cache of answers.",
    ),
)
_BATCHES = (
    _pace(
        "--batch",
        is_flag=True,
        help="Ask through the provider's batches (openai:, anthropic:), at a lower price, within 24 hours.",
    ),
    _pace(
        "--no-wait",
        is_flag=True,
        help="Submit batches, collect those that have ended, and exit with code 4 if others have not.",
    ),
    _pace(
        "--price-batch",
        type=float,
        default=_DEFAULT.price_batch,
        metavar="FACTOR",
        help="Price of an answer from a batch, as a share of both prices.",
    ),
)
# Fields of `RequestOptions` that are not an option as it is.
_MADE = ("stop", "body", "options", "cache", "batch", "wait", "price_batch", "timed")
_ESCAPE = re.compile(r"\\([ntr\\])")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\"}


def asking_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for prompts and the model to a command."""
    return _with(_WORDINGS, _with((*_OPTIONS, *_BATCHES), command))


def model_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for the model to a command with its own prompts."""
    return _with(_OPTIONS, command)


def _with(options: Iterable[Callable[..., Any]], command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(list(options)):
        command = option(command)
    return command


def asking_settings(given: Mapping[str, Any]) -> RequestOptions:
    """Make asking parameters from parsed options; the plan checks them."""
    plain = {name: given[name] for name in RequestOptions.__struct_fields__ if name not in _MADE}
    return RequestOptions(
        **plain,
        cache=not given["no_cache"],
        batch=given.get("batch", False),  # builds ask without batches
        wait=not given.get("no_wait", False),
        price_batch=given.get("price_batch", _DEFAULT.price_batch),
        stop=tuple(map(_unescape, given["stop"])),
        body=request_body(given["body"]),
    )


def _unescape(text: str) -> str:
    r"""Replace escapes such as \n in a stop string: a line end is hard to type in a shell."""
    return _ESCAPE.sub(lambda found: _ESCAPED[found[1]], text)


def request_body(fields: tuple[str, ...], option: str = "--body") -> dict[str, Any]:
    """Parse additional fields of a request, each KEY=JSON. Raises UsageError that names the option."""
    body: dict[str, Any] = {}
    for field in fields:
        name, equals, text = field.partition("=")
        if not equals or not name:
            raise UsageError(
                f"{option} {escaped_name(field)!r}: expected KEY=JSON",
                hint=f"{option} reasoning_effort='\"low\"'",
            )
        if name in body:
            raise UsageError(f"{option} {escaped_name(name)}: duplicate field", hint="use each field once")
        body[name] = _value(name, text, option)
    return body


def _value(name: str, text: str, option: str) -> Any:
    try:
        return parse_value(text.encode("utf-8", "surrogatepass"), JsonOrigin(option, 1))
    except DataError:
        quoted = escaped_name(text.replace("'", ""))
        raise UsageError(
            f"{option} {escaped_name(name)}: {escaped_name(text)!r} is invalid JSON",
            hint=f"quote a string twice: {option} {escaped_name(name)}='\"{quoted}\"'",
        ) from None


_judge = partial(click.option, cls=Option, section="Model judges", rare=True)
_BEGIN = "--judge-"
_DEFAULT_JUDGE = RequestOptions(options=_BEGIN)

# Options of this module for judges: name, field of `RequestOptions`, type, and line in --help.
_FIELDS: tuple[tuple[str, str, type, str], ...] = (
    ("base-url", "base_url", str, "Address of the judges' server; a SPEC openai:NAME@URL overrides it."),
    ("model-id", "model_id", str, "Distinguish judges served under the same name."),
    ("temperature", "temperature", float, "Sampling temperature.  [default: 0; 0.6 with --votes]"),
    ("max-tokens", "max_tokens", int, "Maximum tokens per reply, including reasoning."),
    ("seed", "seed", int, "Base seed; each request gets its own seed."),
    ("concurrency", "concurrency", int, "Maximum concurrent requests."),
    ("per-minute", "per_minute", float, "Maximum requests per minute.  [default: no limit]"),
    ("timeout", "timeout_s", float, "Timeout per request, in seconds."),
    ("retries", "retries", int, "Retries per request."),
    ("budget", "budget", float, "Stop asking when a judge's replies cost this much; requires both prices."),
    ("price-in", "price_in", float, "Price per million prompt tokens, in the budget's currency."),
    ("price-out", "price_out", float, "Price per million reply tokens."),
)


def judge_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for model judges to a command."""
    options = [
        _judge(
            "--judge",
            "judges",
            multiple=True,
            metavar="SPEC",
            help="Model judge of the answers: openai:NAME, or replay:FOLDER for the replies of another run; "
            "repeatable.",
        ),
        _judge(
            f"{_BEGIN}no-schema",
            is_flag=True,
            help="Send no JSON schema, for servers that reject it. Replies are parsed by the same rules.",
        ),
        _judge("--votes", type=int, help="Votes of each judge per answer.  [default: 1]"),
        *(
            _judge(
                _BEGIN + name, f"judge_{field}", type=kind, default=getattr(_DEFAULT_JUDGE, field), help=text
            )
            for name, field, kind, text in _FIELDS
        ),
        _judge(
            f"{_BEGIN}body",
            "judge_body",
            multiple=True,
            metavar="KEY=JSON",
            help="Additional field of the request; repeatable.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def judges_of(given: Mapping[str, Any]) -> JudgeOptions:
    """Make judge options from parsed options; opening the judges checks them."""
    fields = {field: given[f"judge_{field}"] for _, field, _, _ in _FIELDS}
    body = request_body(given["judge_body"], f"{_BEGIN}body")
    asking = RequestOptions(**fields, body=body, options=_BEGIN, cache=not given.get("no_cache", True))
    return JudgeOptions(
        specs=given["judges"], votes=given["votes"], schema=not given["judge_no_schema"], asking=asking
    )
