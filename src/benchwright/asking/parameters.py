"""The parameters of asking: checks before any request is paid for, and derived values."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from benchwright.contracts import RequestOptions, Track
from benchwright.errors import UsageError
from benchwright.store.keys import canonical, content_key

APIS = ("chat", "completions")
TEMPERATURE = 0.6  # where neither the caller nor a track says anything
LIMIT = "max_completion_tokens"  # the newer name of max_tokens; both at once are refused


class _Range(NamedTuple):
    """The range of a number. NaN is in no range, since it fails each comparison."""

    option: str
    low: float
    high: float
    words: str
    example: str
    open_below: bool = False

    def holds(self, value: float) -> bool:
        """Whether the value is in the range."""
        return (self.low < value if self.open_below else self.low <= value) and value <= self.high


_HUGE = 1e12
_RANGES = {
    "temperature": _Range("temperature", 0, 100, "between 0 and 100", "0.6"),
    "top_p": _Range("top-p", 0, 1, "more than 0 and at most 1", "0.95", open_below=True),
    "max_tokens": _Range("max-tokens", 1, 10_000_000, "at least 1", "2048"),
    "seed": _Range("seed", 0, 2**63 - 1, "at least 0 and below 2^63", "1234"),
    "concurrency": _Range("concurrency", 1, 1000, "between 1 and 1000", "8"),
    "per_minute": _Range("per-minute", 0, _HUGE, "more than 0", "60", open_below=True),
    "timeout_s": _Range(
        "timeout", 0, 86_400, "more than 0 and at most 86400 seconds", "600", open_below=True
    ),
    "retries": _Range("retries", 0, 100, "between 0 and 100", "6"),
    "budget": _Range("budget", 0, _HUGE, "more than 0", "5", open_below=True),
    "price_in": _Range("price-in", 0, _HUGE, "at least 0, for a million tokens", "0.5"),
    "price_out": _Range("price-out", 0, _HUGE, "at least 0, for a million tokens", "1.5"),
    "price_batch": _Range(
        "price-batch", 0, 1, "more than 0 and at most 1, a share of the price", "0.5", open_below=True
    ),
}


def settle_asking(asking: RequestOptions, track: Track) -> RequestOptions:
    """Return the parameters, with the track's temperature as default."""
    if asking.temperature is not None:
        return asking
    return msgspec.structs.replace(asking, temperature=track.temperature)


def check_asking(asking: RequestOptions) -> None:
    """Raise UsageError, naming the option, for parameters that no server accepts."""
    for field, limits in _RANGES.items():
        value = getattr(asking, field)
        if value is not None and not limits.holds(value):
            option = asking.options + limits.option
            raise UsageError(f"{option} {value:g}: must be {limits.words}", hint=f"{option} {limits.example}")
    if asking.api not in APIS:
        raise UsageError(f"unknown API: {asking.api!r}", hint=f"one of: {', '.join(APIS)}")
    if asking.base_url == "":
        raise UsageError(f"{asking.options}base-url is empty", hint="is a shell variable unset?")
    if asking.model_id == "":
        raise UsageError(f"{asking.options}model-id is empty", hint="is a shell variable unset?")
    if not (asking.wait or asking.batch):
        raise UsageError(f"{asking.options}no-wait needs batches", hint=f"add {asking.options}batch")
    _check_prices(asking)
    _check_fields(asking)


def _check_prices(asking: RequestOptions) -> None:
    """Require both prices or none: with one of them, the budget would not match the bill."""
    begin = asking.options
    prices = {f"{begin}price-in": asking.price_in, f"{begin}price-out": asking.price_out}
    absent = [option for option, price in prices.items() if price is None]
    if len(absent) == 1:
        raise UsageError(f"{absent[0]} is missing: both prices are required", hint=f"{absent[0]} 0")
    if asking.budget is not None and absent:
        hint = f"add {' and '.join(prices)}, the prices of a million tokens"
        raise UsageError(f"{begin}budget needs the prices of the tokens", hint=hint)
    if asking.budget is not None and not (asking.price_in or asking.price_out):
        message = f"{begin}budget has no effect with prices of 0"
        raise UsageError(message, hint=f"leave {begin}budget out")


def _check_fields(asking: RequestOptions) -> None:
    """Require JSON values in stop strings and body fields. The model checks which fields are free."""
    begin = asking.options
    if "" in asking.stop:
        message = f"{begin}stop: an empty stop string would stop every answer at its start"
        raise UsageError(message, hint=rf"{begin}stop '\ndef'")
    if not all(isinstance(name, str) and name for name in asking.body):
        raise UsageError(f"{begin}body: a field needs a name", hint=f"{begin}body reasoning_effort='\"low\"'")
    try:
        canonical(asking.body)  # rejects NaN and values that are not JSON
        msgspec.json.encode(asking)  # half a character, which an argument that is not UTF-8 becomes
    except (TypeError, ValueError, RecursionError) as error:
        option_names = ", ".join(begin + name for name in ("base-url", "model-id", "stop"))
        message = f"{option_names} and {begin}body must be text that JSON can hold: {error}"
        raise UsageError(message, hint="write them in UTF-8") from None


def seed_of(seed: int, key: str) -> int:
    """The seed of one request: from 1 to 2³¹ - 1, which every server can hold and none reads as "any".

    It depends on the prompt's key, which names the repetition too: servers that honour a seed give
    equal answers to equal seeds, so one seed for all repetitions would make ten copies of one answer.
    """
    return int(content_key("seed", seed, key)[:16], 16) % (2**31 - 1) + 1


def answer_limit(asking: RequestOptions) -> int | None:
    """Return the maximum tokens of an answer; None where the request leaves it to the server."""
    if newer := asking.body.get(LIMIT):
        return newer if isinstance(newer, int) and not isinstance(newer, bool) else None
    return None if "max_tokens" in asking.body else asking.max_tokens
