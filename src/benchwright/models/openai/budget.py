"""What the answers of a run have cost, and when that is enough."""

from __future__ import annotations

from typing import Any

from benchwright.contracts import Asking
from benchwright.errors import RunError, UsageError

MILLION = 1_000_000


class Budget:
    """Counts the tokens of answers; over the budget, asking stops.

    Only answers that are kept are counted, by the server's own count: a failed request has none. What is
    in flight when the budget is reached is paid for, so it is taken: the run may cost that much more.
    """

    def __init__(self, asking: Asking) -> None:
        if asking.budget is not None and (asking.price_in is None or asking.price_out is None):
            hint = "add `--price-in` and `--price-out`, what a million tokens cost"
            raise UsageError("a budget needs the prices of tokens", hint=hint)
        self._limit = asking.budget
        self._prices = (asking.price_in or 0.0, asking.price_out or 0.0)
        self._tokens_in = self._tokens_out = 0

    def already(self, tokens_in: int, tokens_out: int) -> None:
        """The tokens of all answers that are stored; replaces what was counted before."""
        self._tokens_in, self._tokens_out = tokens_in, tokens_out

    def add(self, tokens_in: int | None, tokens_out: int | None) -> None:
        """Count one more answer. Raises RunError when its tokens are unknown: no budget could be kept."""
        if self._limit is not None and (tokens_in is None or tokens_out is None):
            hint = "leave out `--budget`; what was answered is kept"
            raise RunError("the server does not count tokens, so no budget can be kept", hint=hint)
        self._tokens_in += tokens_in or 0
        self._tokens_out += tokens_out or 0

    @property
    def spent(self) -> float:
        """What the answers have cost."""
        price_in, price_out = self._prices
        return (self._tokens_in * price_in + self._tokens_out * price_out) / MILLION

    @property
    def is_reached(self) -> bool:
        """Whether nothing more may be asked."""
        return self._limit is not None and self.spent >= self._limit

    def detail(self) -> dict[str, Any]:
        """For the event."""
        return {
            "budget": self._limit,
            "spent": round(self.spent, 6),
            "tokens_in": self._tokens_in,
            "tokens_out": self._tokens_out,
        }

    def used_up(self, answered: int) -> RunError:
        """The error that says how far it got, what it cost and how to go on."""
        message = (
            f"the budget of {self._limit:g} is used up: the answers of this run have cost {self.spent:.6g} "
            f"({self._tokens_in:,} tokens in, {self._tokens_out:,} out), {answered:,} of them came just now"
        )
        more = float(f"{2 * max(self._limit or 0.0, self.spent) or 1:.2g}")
        hint = f"they are kept; the same command with `--budget {more:g}` goes on from there"
        return RunError(message, hint=hint)
