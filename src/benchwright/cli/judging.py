"""Options for model judges."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import click

from benchwright.cli.arguments import Option
from benchwright.cli.asking import body_of
from benchwright.contracts import Asking
from benchwright.running.options import JudgeOptions

_judge = partial(click.option, cls=Option, section="Model judges")
_BEGIN = "--judge-"
_DEFAULT = Asking(options=_BEGIN)

# Options of `cli.asking` for judges: name, field of `Asking`, type, and line in --help.
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
            _judge(_BEGIN + name, f"judge_{field}", type=kind, default=getattr(_DEFAULT, field), help=text)
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
    body = body_of(given["judge_body"], f"{_BEGIN}body")
    asking = Asking(**fields, body=body, options=_BEGIN, cache=not given.get("no_cache", True))
    return JudgeOptions(
        specs=given["judges"], votes=given["votes"], schema=not given["judge_no_schema"], asking=asking
    )
