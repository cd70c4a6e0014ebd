"""The options that say which models judge and how they are asked, and what is made of them."""

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

# Those of `cli.asking`, of a judge: the name, the field of `Asking`, its type, and what --help says.
_FIELDS: tuple[tuple[str, str, type, str], ...] = (
    ("base-url", "base_url", str, "Where judges are served, unless a SPEC says it: openai:NAME@URL."),
    ("model-id", "model_id", str, "What tells two judges apart that are served under one name."),
    ("temperature", "temperature", float, "Of sampling.  [default: 0; 0.6 with --votes]"),
    ("max-tokens", "max_tokens", int, "Longest reply, reasoning included."),
    ("seed", "seed", int, "Each request gets a seed of its own, made from it."),
    ("concurrency", "concurrency", int, "Requests in flight."),
    ("per-minute", "per_minute", float, "Requests started in a minute, at most.  [default: no limit]"),
    ("timeout", "timeout_s", float, "Seconds for one request."),
    ("retries", "retries", int, "Of one request, after its first try."),
    ("budget", "budget", float, "Stop asking when a judge's replies have cost this much; needs both prices."),
    ("price-in", "price_in", float, "Of a million tokens of prompts, in the budget's currency."),
    ("price-out", "price_out", float, "Of a million tokens of replies."),
)


def judge_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options, in their order."""
    options = [
        _judge(
            "--judge",
            "judges",
            multiple=True,
            metavar="SPEC",
            help="A model that assesses the answers: openai:NAME, or replay:FOLDER for the stored replies of "
            "another run; repeatable.",
        ),
        _judge(
            f"{_BEGIN}no-schema",
            is_flag=True,
            help="Send no JSON schema: some servers refuse it. Replies are read by the same rules.",
        ),
        _judge("--votes", type=int, help="How often each judge is asked about one answer.  [default: 1]"),
        *(
            _judge(_BEGIN + name, f"judge_{field}", type=kind, default=getattr(_DEFAULT, field), help=text)
            for name, field, kind, text in _FIELDS
        ),
        _judge(
            f"{_BEGIN}body",
            "judge_body",
            multiple=True,
            metavar="KEY=JSON",
            help="A further field of the request; repeatable.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def judges_of(given: Mapping[str, Any]) -> JudgeOptions:
    """What the options say; opening the judges checks it."""
    fields = {field: given[f"judge_{field}"] for _, field, _, _ in _FIELDS}
    body = body_of(given["judge_body"], f"{_BEGIN}body")
    asking = Asking(**fields, body=body, options=_BEGIN, cache=not given.get("no_cache", True))
    return JudgeOptions(
        specs=given["judges"], votes=given["votes"], schema=not given["judge_no_schema"], asking=asking
    )
