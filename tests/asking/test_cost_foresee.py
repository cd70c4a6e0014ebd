"""Estimates of a run's cost are correct."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from benchwright.asking.cost import TEMPLATE_TOKENS, Forecast, forecast, foresee
from benchwright.contracts import RequestOptions
from benchwright.running.answering import RunPrompts, purpose
from kit.live_model import LiveModel, register
from kit.run_stages import plan_of

PRICES = {"price_in": 3.0, "price_out": 50.0}


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """The sentences for some options, and their prompts."""
    register(monkeypatch, LiveModel())

    def say(**changed: Any) -> tuple[list[str], list[Any]]:
        plan = plan_of(tmp_path, **{"model": "live:model", "tasks": 12, **changed})
        waiting = list(RunPrompts(plan))
        ahead = forecast(waiting)
        return foresee(ahead, plan.asking, spec=plan.model.spec, purpose=purpose(plan)), waiting

    return say


@pytest.mark.parametrize(
    ("asking", "words"),
    [
        (RequestOptions(), "temperature 0.6, at most 2,048 tokens an answer"),
        (RequestOptions(temperature=0.0, max_tokens=9), "temperature 0.0, at most 9 tokens an answer"),
        (
            RequestOptions(body={"temperature": None, "max_tokens": None}),
            "the server's own temperature, answers of any length",
        ),
    ],
)
def test_with_which_parameters(said: Any, asking: RequestOptions, words: str) -> None:
    """As the request will have them."""
    lines, _ = said(asking=asking)

    assert lines[0].endswith(words)


@pytest.mark.parametrize(
    ("asking", "words"),
    [
        (RequestOptions(), "temperature 0.6"),
        (RequestOptions(temperature=0.0), "temperature 0.0"),
        (RequestOptions(body={"temperature": None}), "the server's own temperature"),
        (RequestOptions(temperature=0.2, body={"temperature": None}), "the server's own temperature"),
    ],
)
def test_the_temperature_is_the_one_that_is_sent(asking: RequestOptions, words: str) -> None:
    """Also where no track has settled it, as in a build: the client then sends its own default."""
    (line, *_) = foresee(Forecast(1, 10, 10), asking, spec="openai:m", purpose=["drafts"])

    assert f"drafts; {words}, at most" in line


def test_what_it_costs_at_most(said: Any) -> None:
    """Each byte of a prompt a token and each answer as long as it may be: no bill can be higher."""
    lines, waiting = said(asking=RequestOptions(max_tokens=1000, **PRICES))
    tokens_in = sum(len(prompt.text.encode()) + TEMPLATE_TOKENS for prompt in waiting)
    bound = (tokens_in * 3.0 + len(waiting) * 1000 * 50.0) / 1e6
    (told,) = re.findall(r"at most ([\d.]+), if each", lines[2])

    assert float(told) == pytest.approx(bound, abs=0.006)


@pytest.mark.parametrize(("budget", "ends"), [(1.5, True), (1000.0, False)])
def test_a_budget_is_named_where_it_can_be_reached(said: Any, budget: float, ends: bool) -> None:
    """One above the bound plays no part."""
    lines, _ = said(asking=RequestOptions(budget=budget, **PRICES))

    assert lines[2].endswith("asking stops when 1.50 are spent") == ends


def test_no_cost_is_guessed(said: Any) -> None:
    """Without prices, or where an answer may have any length, there is no line of it."""
    lengths = [
        len(said(asking=asking)[0])
        for asking in (RequestOptions(), RequestOptions(body={"max_tokens": None}, **PRICES))
    ]

    assert lengths == [2, 2]


def test_nothing_left_nothing_said() -> None:
    """A run that goes straight to judging is not announced as one that asks."""
    assert foresee(forecast([]), RequestOptions(), spec="live:model", purpose=["tests"]) == []


@pytest.mark.parametrize(
    ("asking", "words"),
    [
        (RequestOptions(max_tokens=1000, budget=100.0, **PRICES), []),
        (
            RequestOptions(max_tokens=1000, budget=0.2, **PRICES),
            ["3 requests at most can be in flight, not 8"],
        ),
        (
            RequestOptions(max_tokens=1000, budget=0.01, **PRICES),
            ["more than the whole budget of 0.01: requests go one at a time"],
        ),
        (RequestOptions(body={"max_tokens": None}, budget=9.0, **PRICES), ["requests go one at a time"]),
    ],
)
def test_what_a_budget_does_to_the_requests_in_flight(
    said: Any, asking: RequestOptions, words: list[str]
) -> None:
    """Reported before the run if the budget slows it down, and only then."""
    lines, _ = said(asking=asking)
    told = [line for line in lines if "budget" in line and "asking stops" not in line]

    assert [word in line for word, line in zip(words, told, strict=True)] == [True] * len(words)
