"""What asking will take, told before the first request is paid for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from benchwright.asking.cost import cost, money, most_tokens_in
from benchwright.asking.parameters import answer_limit
from benchwright.contracts import Asking, Prompt
from benchwright.display.wording import counted


class Forecast(NamedTuple):
    """What is going to be asked: requests, and the most tokens that all prompts and the largest can have."""

    requests: int = 0
    tokens_in: int = 0
    largest: int = 0


def forecast(waiting: Iterable[Prompt]) -> Forecast:
    """The forecast for these prompts."""
    requests, tokens_in, largest = 0, 0, 0
    for prompt in waiting:
        tokens = most_tokens_in(prompt)
        requests, tokens_in, largest = requests + 1, tokens_in + tokens, max(largest, tokens)
    return Forecast(requests, tokens_in, largest)


def foresee(ahead: Forecast, asking: Asking, *, spec: str, purpose: Sequence[str]) -> list[str]:
    """Sentences on the questions that will be asked; none where nothing is left to ask.

    The first sentence of `purpose` says what the requests are for, and its others stand as they are.
    """
    if not ahead.requests:
        return []
    what, *remarks = purpose
    return [
        f"{counted(ahead.requests, 'request')} to {spec}: {what}; {_parameters(asking)}",
        *remarks,
        *_cost(asking, ahead),
        *_held_back(asking, ahead.largest),
    ]


def _parameters(asking: Asking) -> str:
    """Temperature and length, as the request has them: a null in its body leaves a field out."""
    heat = asking.body.get("temperature", asking.temperature)
    limit = answer_limit(asking)
    return ", ".join(
        (
            "the server's own temperature" if heat is None else f"temperature {heat}",
            "answers of any length" if limit is None else f"at most {limit:,} tokens an answer",
        )
    )


def _cost(asking: Asking, ahead: Forecast) -> list[str]:
    """An upper bound: every byte of a prompt a token, every answer as long as it may be."""
    limit = answer_limit(asking)
    bound = None if limit is None else cost(asking, ahead.tokens_in, ahead.requests * limit)
    if bound is None:
        return []
    budget = asking.budget
    stop = f"; asking stops when {money(budget)} are spent" if budget is not None and budget < bound else ""
    return [f"that costs at most {money(bound)}, if each answer is as long as it may be{stop}"]


def _held_back(asking: Asking, tokens_in: int) -> list[str]:
    """What a budget means for the requests in flight; `tokens_in` is the largest prompt's greatest count."""
    if asking.budget is None:
        return []
    limit = answer_limit(asking)
    if limit is None:
        return [
            "the request leaves the length of an answer to the server, so with --budget requests go one at a "
            "time; --max-tokens without a null in --body lets more be in flight"
        ]
    bound = cost(asking, tokens_in, limit) or 0.0
    if bound > asking.budget:
        return [
            f"one answer may cost up to {money(bound)}, more than the whole budget of "
            f"{money(asking.budget)}: requests go one at a time, and the last may exceed it; "
            f"a smaller --max-tokens, now {limit:,}, or a larger --budget prevents that"
        ]
    most = int(asking.budget / bound) if bound else asking.concurrency
    if most >= asking.concurrency:
        return []
    return [
        f"each request holds back up to {money(bound)} of the budget until its answer has come, so at first "
        f"{counted(most, 'request')} at most can be in flight, not {asking.concurrency}; "
        f"a smaller --max-tokens, now {limit:,}, lets in more"
    ]
