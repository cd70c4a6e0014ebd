"""A budget counts what answers cost, by the server's own count of tokens."""

from __future__ import annotations

import pytest

from benchwright.contracts import Asking
from benchwright.errors import RunError, UsageError
from benchwright.models.openai.budget import Budget


def budget(limit: float | None = 1.0) -> Budget:
    """At 2 for a million tokens in and 8 for a million out."""
    return Budget(Asking(budget=limit, price_in=2.0, price_out=8.0))


def test_prices_are_of_a_million_tokens() -> None:
    """250,000 in and 62,500 out at these prices are 0.5 and 0.5."""
    spent = budget()
    spent.add(250_000, 62_500)

    assert (spent.spent, spent.is_reached) == (1.0, True)


def test_stored_answers_count() -> None:
    """What an earlier run has paid is paid; told twice, it is not counted twice."""
    spent = budget()
    spent.already(100_000, 50_000)
    spent.already(100_000, 50_000)
    spent.add(100_000, 0)

    assert (round(spent.spent, 9), spent.is_reached) == (0.8, False)


@pytest.mark.parametrize("prices", [{}, {"price_in": 1.0}, {"price_out": 1.0}])
def test_a_budget_needs_both_prices(prices: dict[str, float]) -> None:
    """Before anything is asked."""
    with pytest.raises(UsageError) as caught:
        Budget(Asking(budget=1.0, **prices))

    assert caught.value.hint == "add `--price-in` and `--price-out`, what a million tokens cost"


def test_no_budget_is_never_reached() -> None:
    """And needs neither prices nor counts."""
    spent = Budget(Asking())
    spent.add(None, None)
    spent.add(10**12, 10**12)

    assert not spent.is_reached


def test_a_budget_of_nothing_is_reached_at_once() -> None:
    """Zero means that nothing more may be asked."""
    assert budget(0.0).is_reached


@pytest.mark.parametrize("tokens", [(None, 1), (1, None)])
def test_without_counts_no_budget_can_be_kept(tokens: tuple[int | None, int | None]) -> None:
    """The run ends, instead of spending what nobody counts."""
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
