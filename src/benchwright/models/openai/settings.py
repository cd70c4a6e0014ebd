"""What may be asked of a live model: settings that mean nothing are refused before anything is sent."""

from __future__ import annotations

import math
from typing import Any

from benchwright.contracts import Asking
from benchwright.errors import UsageError
from benchwright.models.openai.endpoint import PATHS
from benchwright.store.keys import canonical

# Fields of the body that have a setting of their own, or that would change what a reply is.
SETTINGS = {
    "temperature": "--temperature",
    "top_p": "--top-p",
    "max_tokens": "--max-tokens",
    "stop": "--stop",
    "seed": "--seed",
}
OURS = {"model", "messages", "prompt", "n", "best_of", "stream", "stream_options", "echo"}


def check_settings(asking: Asking) -> None:
    """Raise UsageError for the first setting that cannot be meant."""
    if asking.api not in PATHS:
        raise UsageError(f"there is no interface {asking.api!r}", hint=f"one of: {', '.join(PATHS)}")
    _bound("temperature", asking.temperature, least=0.0)
    _bound("top_p", asking.top_p, least=0.0)
    _bound("max_tokens", asking.max_tokens, least=1)
    _bound("concurrency", asking.concurrency, least=1)
    _bound("per_minute", asking.per_minute, least=0.001)
    _bound("timeout_s", asking.timeout_s, least=0.001)
    _bound("retries", asking.retries, least=0)
    for name in ("budget", "price_in", "price_out"):
        _bound(name, getattr(asking, name), least=0.0)
    if "" in asking.stop:
        raise UsageError("an empty stop string stops nothing", hint="leave it out")
    _check_body(asking.body)


def _bound(name: str, value: float | None, *, least: float) -> None:
    if value is not None and not (math.isfinite(value) and value >= least):
        option = "--" + name.removesuffix("_s").replace("_", "-")
        raise UsageError(f"{option} {value}: must be a number of at least {least:g}")


def _check_body(body: dict[str, Any]) -> None:
    for name, value in body.items():
        if name in OURS:
            message = f"the request's field {name!r} is Benchwright's own"
            raise UsageError(message, hint="each request asks one question once; use `--n` for more answers")
        if name in SETTINGS and value is not None:
            message = f"the request's field {name!r} has an option of its own"
            raise UsageError(message, hint=f"{SETTINGS[name]} {value}; null in the body leaves the field out")
    try:
        canonical(body)
    except (TypeError, ValueError) as error:
        raise UsageError(f"the further fields of the request are not JSON: {error}") from None
