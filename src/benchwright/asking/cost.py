"""What answers have cost, what those in flight may cost at most, and when that is enough."""

from __future__ import annotations

from math import inf
from typing import Any

from benchwright.asking.parameters import answer_limit
from benchwright.contracts import Asking, Prompt
from benchwright.errors import RunError
from benchwright.store.keys import canonical

MILLION = 1_000_000
TEMPLATE_TOKENS = 64  # what a chat template adds to a message, at most, until the server has counted one


def cost(asking: Asking, tokens_in: float, tokens_out: float) -> float | None:
    """What so many tokens cost; None where no prices were given."""
    if asking.price_in is None or asking.price_out is None:
        return None
    return (tokens_in * asking.price_in + tokens_out * asking.price_out) / MILLION


def money(amount: float) -> str:
    """An amount for people: two decimals, and more where it would read as nothing."""
    return f"{amount:.2f}" if amount >= 0.1 or amount == 0 else f"{amount:.2g}"


class Budget:
    """Counts the tokens of answers, and holds back for each request in flight the most that it can cost.

    A request starts when what is spent, what is held back and its own greatest cost stay within the budget;
    or when nothing else is in flight and the budget is not yet used up. So a run costs more than its budget
    by one answer at most, and by nothing but that answer's own length.

    The greatest cost is that of a token for each byte of the prompt and of the longest answer that the
    request allows. A server that counts more than that is believed: the next request holds back as much.
    Only answers that are kept are counted, by the server's own count: a failed request has none.
    """

    def __init__(self, asking: Asking) -> None:
        self._limit = asking.budget
        self._prices = (asking.price_in or 0.0, asking.price_out or 0.0)
        self._tokens_in = self._tokens_out = 0
        self._held: dict[str, float] = {}  # by the key of a prompt in flight
        self._beside = TEMPLATE_TOKENS  # the most tokens of a prompt that are none of its bytes
        # The longest answer. Where the server decides it, requests go one at a time.
        longest = answer_limit(asking)
        self._longest = inf if longest is None else float(longest)

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

    def greatest(self, prompt: Prompt) -> float:
        """The most that the answer to a prompt can cost; infinite while an answer may have any length."""
        price_in, price_out = self._prices
        asked = (_bytes(prompt) + self._beside) * price_in
        answered = self._longest * price_out if price_out else 0.0  # inf times 0 would be no number
        return (asked + answered) / MILLION

    def admits(self, prompt: Prompt) -> bool:
        """Whether a prompt may be sent now; while the budget is not reached, it may be later."""
        if self._limit is None or not self._held:
            return not self.is_reached
        return self.spent + sum(self._held.values()) + self.greatest(prompt) <= self._limit

    def hold(self, prompt: Prompt) -> None:
        """Hold back the greatest cost of a prompt that is sent."""
        if self._limit is not None:
            self._held[prompt.key] = self.greatest(prompt)

    def release(self, prompt: Prompt) -> None:
        """It is in flight no longer: what its answer really cost is told with `add`."""
        self._held.pop(prompt.key, None)

    def learn(self, prompt: Prompt, tokens_in: int | None, tokens_out: int | None) -> None:
        """Take the server's count of one answer for the greatest cost of those to come."""
        self._beside = max(self._beside, (tokens_in or 0) - _bytes(prompt))
        self._longest = max(self._longest, tokens_out or 0)

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


def _bytes(prompt: Prompt) -> int:
    """The length of a prompt: no tokenizer in use makes more tokens of a text than it has bytes."""
    size = len(prompt.text.encode("utf-8", "surrogatepass"))
    for message in prompt.history:
        size += len(message.content.encode("utf-8", "surrogatepass")) + TEMPLATE_TOKENS
    return size if prompt.schema is None else size + len(canonical(prompt.schema))


def most_tokens_in(prompt: Prompt) -> int:
    """As many tokens as a prompt can have, before a server has counted any."""
    return _bytes(prompt) + TEMPLATE_TOKENS
