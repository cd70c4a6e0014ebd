"""Parameters of asking that mean nothing are refused with the option's name and one that works."""

from __future__ import annotations

import math
from typing import Any

import pytest

from benchwright.asking.parameters import answer_limit, check_asking, settle_asking
from benchwright.contracts import RequestOptions
from benchwright.errors import UsageError
from benchwright.tracks.functions.humaneval import TRACK

NUMBERS = (
    *("temperature", "top_p", "max_tokens", "seed", "concurrency", "per_minute", "timeout_s", "retries"),
    *("budget", "price_in", "price_out"),
)
PRICES = {"price_in": 1.0, "price_out": 2.0}
ZERO_IS_FINE = {"temperature", "seed", "retries", "price_in", "price_out"}


def refusal(**fields: Any) -> tuple[str, str | None]:
    """How parameters are refused."""
    with pytest.raises(UsageError) as caught:
        check_asking(RequestOptions(**fields))
    return caught.value.message, caught.value.hint


@pytest.mark.parametrize("field", NUMBERS)
@pytest.mark.parametrize("value", [math.nan, math.inf, -1.0, -0.001])
def test_numbers_that_mean_nothing_are_refused(field: str, value: float) -> None:
    """The message names the option, and the hint is the option with a value to paste."""
    message, hint = refusal(**{**PRICES, field: value})
    option = "--" + field.removesuffix("_s").replace("_", "-")

    assert (message.split()[0], hint is not None and hint.startswith(f"{option} ")) == (option, True)


@pytest.mark.parametrize("field", NUMBERS)
def test_zero_is_refused_only_where_it_means_nothing(field: str) -> None:
    """No retries and no temperature are choices; no tokens and no time are slips."""
    try:
        check_asking(RequestOptions(**{**PRICES, field: 0}))
        refused = False
    except UsageError:
        refused = True

    assert refused == (field not in ZERO_IS_FINE)


@pytest.mark.parametrize("field", NUMBERS)
def test_the_hint_is_accepted(field: str) -> None:
    """Whoever pastes it is not refused again."""
    _, hint = refusal(**{**PRICES, field: -1})
    value = float(str(hint).split()[1])

    assert check_asking(RequestOptions(**{**PRICES, field: value})) is None


@pytest.mark.parametrize(
    ("fields", "message", "hint"),
    [
        ({"api": "responses"}, "unknown API: 'responses'", "one of: chat, completions"),
        ({"base_url": ""}, "--base-url is empty", "is a shell variable unset?"),
        ({"price_in": 1.0}, "--price-out is missing", "--price-out 0"),
        ({"price_out": 1.0}, "--price-in is missing", "--price-in 0"),
        ({"budget": 1.0}, "--budget needs the prices", "--price-in and --price-out"),
        (
            {"budget": 1.0, "price_in": 0.0, "price_out": 0.0},
            "has no effect with prices",
            "leave --budget out",
        ),
        ({"stop": ("a", "")}, "--stop: an empty stop string", r"--stop '\ndef'"),
        ({"stop": ("\udcff",)}, "must be text that JSON can hold", "UTF-8"),
        ({"body": {"": 1}}, "--body: a field needs a name", "--body reasoning_effort="),
        ({"body": {"x": math.nan}}, "must be text that JSON can hold", "UTF-8"),
        ({"body": {"x": object()}}, "must be text that JSON can hold", "UTF-8"),
    ],
)
def test_what_no_request_could_hold_is_refused(fields: dict[str, Any], message: str, hint: str) -> None:
    """Before anything is asked."""
    said, offered = refusal(**fields)

    assert (message in said, hint in str(offered)) == (True, True)


def test_the_defaults_are_accepted() -> None:
    """And so is a body of any JSON."""
    asking = RequestOptions(body={"reasoning_effort": "low", "x": {"y": [None, 1.5]}}, budget=1.0, **PRICES)

    assert (check_asking(RequestOptions()), check_asking(asking)) == (None, None)


def test_the_track_s_temperature_fills_the_gap_and_nothing_else() -> None:
    """A given one stays, zero too."""
    found = [settle_asking(RequestOptions(temperature=given, seed=7), TRACK) for given in (None, 0.0, 1.0)]

    assert [(asking.temperature, asking.seed) for asking in found] == [(0.6, 7), (0.0, 7), (1.0, 7)]


@pytest.mark.parametrize(
    ("body", "limit"),
    [
        ({}, 2048),
        ({"max_completion_tokens": 300}, 300),
        ({"max_tokens": None}, None),
        ({"max_tokens": None, "max_completion_tokens": 9}, 9),
        ({"reasoning_effort": "low"}, 2048),
    ],
)
def test_the_longest_answer_is_what_the_request_says(body: dict[str, Any], limit: int | None) -> None:
    """A null leaves the field out, and newer servers have another name for it."""
    assert answer_limit(RequestOptions(body=body)) == limit
