"""A budget counts what answers cost, by the server's own count of tokens."""

from __future__ import annotations

import re
from math import inf
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from benchwright.asking.cost import TEMPLATE_TOKENS, Budget, cost, money, most_tokens_in
from benchwright.contracts import Message, Prompt, RequestOptions
from benchwright.errors import RunError
from kit.asking_kit import prompts


def budget(limit: float | None = 1.0) -> Budget:
    """At 2 for a million tokens in and 8 for a million out."""
    return Budget(RequestOptions(budget=limit, price_in=2.0, price_out=8.0))


def test_prices_are_of_a_million_tokens() -> None:
    """250,000 in and 62,500 out at these prices are 0.5 and 0.5."""
    spent = budget()
    spent.add(250_000, 62_500)

    assert (spent.spent, spent.is_reached) == (1.0, True)


def test_stored_answers_count() -> None:
    """The cost of an earlier run counts once, also if it is passed twice."""
    spent = budget()
    spent.already(100_000, 50_000)
    spent.already(100_000, 50_000)
    spent.add(100_000, 0)

    assert (round(spent.spent, 9), spent.is_reached) == (0.8, False)


def test_no_budget_is_never_reached() -> None:
    """And needs neither prices nor counts."""
    spent = Budget(RequestOptions())
    spent.add(None, None)
    spent.add(10**12, 10**12)

    assert not spent.is_reached


def test_a_budget_of_nothing_is_reached_at_once() -> None:
    """Zero means that nothing more may be asked."""
    assert budget(0.0).is_reached


@pytest.mark.parametrize("tokens", [(None, 1), (1, None)])
def test_without_counts_no_budget_can_be_kept(tokens: tuple[int | None, int | None]) -> None:
    """The run ends, because its cost is unknown."""
    with pytest.raises(RunError) as caught:
        budget().add(*tokens)

    assert "does not count tokens" in caught.value.message


def test_the_error_says_cost_and_how_to_go_on() -> None:
    """With a larger budget to paste."""
    spent = budget(2.5)
    spent.add(1_234_567, 45_678)
    error = spent.used_up(812)

    assert "budget of 2.5" in error.message and "2.83456 (1,234,567 tokens in, 45,678 out)" in error.message
    assert "812 of them" in error.message
    assert "`--budget 5.7`" in str(error.hint)


def prompt_of(text: str, key: str = "k") -> Prompt:
    """A prompt with this text."""
    return Prompt(key=key, task_id=0, sample=0, text=text, variant="v")


@pytest.mark.parametrize(
    ("settings", "tokens_out"),
    [
        ({}, 2048),
        ({"max_tokens": 10}, 10),
        ({"body": {"max_completion_tokens": 300}}, 300),
        ({"body": {"max_tokens": None}}, inf),
    ],
)
def test_the_greatest_cost_of_a_request(settings: dict[str, Any], tokens_out: float) -> None:
    """A token for each byte of the prompt, the template's, and the longest answer that is allowed."""
    spent = Budget(RequestOptions(budget=1.0, price_in=2.0, price_out=8.0, **settings))

    assert spent.greatest(prompt_of("ы" * 50)) == ((100 + TEMPLATE_TOKENS) * 2.0 + tokens_out * 8.0) / 1e6


def test_answers_that_cost_nothing_may_have_any_length() -> None:
    """Only their prompts are held back."""
    spent = Budget(RequestOptions(budget=1.0, price_in=2.0, price_out=0.0, body={"max_tokens": None}))

    assert spent.greatest(prompt_of("x" * 36)) == 100 * 2.0 / 1e6


def test_what_is_in_flight_is_held_back() -> None:
    """A second request must find room beside the first; the last of the budget is for one alone."""
    first, second, third = prompts(tasks=3)
    cost = budget().greatest(first)
    spent = budget(2.5 * cost)
    admitted = []
    for prompt in (first, second, third):
        admitted.append(spent.admits(prompt))
        spent.hold(prompt)
    for prompt in (first, second, third):
        spent.release(prompt)
    spent.already(0, int(2.4 * cost / 8e-6))  # less than a request's greatest cost is left

    assert (admitted, spent.admits(first)) == ([True, True, False], True)


def test_a_used_up_budget_admits_nothing() -> None:
    """Not alone either."""
    spent = budget(1.0)
    spent.add(500_000, 0)

    assert not spent.admits(prompt_of("x"))


def test_a_server_that_counts_more_is_believed() -> None:
    """A server that ignores the limit, or adds a prompt, exceeds the estimate only once."""
    spent = Budget(RequestOptions(budget=1.0, price_in=1.0, price_out=1.0, max_tokens=10))
    asked = prompt_of("x" * 100)
    spent.learn(asked, 1100, 500)

    assert spent.greatest(asked) == (100 + 1000 + 500) / 1e6


def test_cost_is_by_the_million() -> None:
    """Unknown without prices."""
    assert (
        cost(RequestOptions(price_in=1.0, price_out=2.0), 500_000, 250_000),
        cost(RequestOptions(), 1, 1),
    ) == (1.0, None)


@given(st.floats(0, 1e9))
def test_money_is_short_and_never_hides_a_cost(amount: float) -> None:
    """Two decimals, or two digits where those would be zeros; what costs something is not shown as nothing."""
    text = money(amount)

    assert re.fullmatch(r"\d+\.\d\d|0|0\.0\d+|\d(\.\d)?e-\d+", text), text
    assert (float(text) == 0) == (amount == 0)
    assert float(text) == pytest.approx(amount, rel=0.06, abs=0)


def test_a_conversation_and_a_schema_count_too() -> None:
    """Each message adds its template, and some servers put the schema into the prompt."""
    plain = Prompt(key="k", task_id=1, sample=0, text="é")
    history = (Message(role="system", content="four"), Message(role="user", content="ä"))
    counts = [
        most_tokens_in(replace(plain, history=history[:number], schema=schema))
        for number, schema in ((0, None), (2, None), (0, {"type": "object"}))
    ]

    assert counts == [
        2 + TEMPLATE_TOKENS,
        2 + 4 + 2 + 3 * TEMPLATE_TOKENS,
        2 + len('{"type":"object"}') + TEMPLATE_TOKENS,
    ]
