"""The cost of asking: forecast before the first request, limited by a budget, counted as answers arrive."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf
from threading import Lock
from typing import Any, NamedTuple

from benchwright.asking.parameters import TEMPERATURE, answer_limit
from benchwright.contracts import Prompt, RequestOptions
from benchwright.display.escape import escaped_name
from benchwright.display.wording import counted
from benchwright.errors import RunError
from benchwright.progress import Watcher
from benchwright.records import Answer, Outcome
from benchwright.store.keys import canonical
from benchwright.store.runfolder import RunFolder

# Costs of answers, the limit for requests in flight, and the end of the budget.

MILLION = 1_000_000
TEMPLATE_TOKENS = 64  # most tokens that a chat template adds to a message, until the server has counted one


def cost(asking: RequestOptions, tokens_in: float, tokens_out: float, *, batch: bool = False) -> float | None:
    """Return the cost of tokens, at the price of batches if they are from a batch; None without prices."""
    if asking.price_in is None or asking.price_out is None:
        return None
    share = price_share(asking, batch=batch)
    return share * (tokens_in * asking.price_in + tokens_out * asking.price_out) / MILLION


def price_share(asking: RequestOptions, *, batch: bool) -> float:
    """Return the paid share of the prices: that of batches, or 1."""
    return asking.price_batch if batch else 1.0


def money(amount: float) -> str:
    """Format an amount: two decimals, more for small amounts."""
    return f"{amount:.2f}" if amount >= 0.1 or amount == 0 else f"{amount:.2g}"


class Budget:
    """Counts the tokens of answers, and holds back for each request in flight the most that it can cost.

    A request starts when what is spent, what is held back and its own greatest cost stay within the budget;
    or when nothing else is in flight and the budget is not yet used up. So a run costs more than its budget
    by one answer at most, and by nothing but that answer's own length.

    The greatest cost is that of a token for each byte of the prompt and of the longest answer that the
    request allows. If the server counts more, its count is used: the next request reserves as much.
    Only answers that are kept are counted, by the server's own count: a failed request has none.
    """

    def __init__(self, asking: RequestOptions) -> None:
        self._limit, self._option = asking.budget, f"{asking.options}budget"
        share = price_share(asking, batch=asking.batch)
        self._prices = (share * (asking.price_in or 0.0), share * (asking.price_out or 0.0))
        self._tokens_in = self._tokens_out = 0
        self._reservations: dict[str, float] = {}  # by the key of a prompt in flight
        self._reserved_total = 0.0  # a batch holds thousands
        self._beside = TEMPLATE_TOKENS  # the most tokens of a prompt that are none of its bytes
        # The longest answer. Where the server decides it, requests go one at a time.
        longest = answer_limit(asking)
        self._longest = inf if longest is None else float(longest)

    def already(self, tokens_in: int, tokens_out: int) -> None:
        """Set the tokens of all stored answers; replaces earlier counts."""
        self._tokens_in, self._tokens_out = tokens_in, tokens_out

    def add(self, tokens_in: int | None, tokens_out: int | None) -> None:
        """Count an answer. Raises RunError where its tokens are unknown: no budget can be kept."""
        if self._limit is not None and (tokens_in is None or tokens_out is None):
            hint = f"leave out `{self._option}`; stored answers are kept"
            raise RunError("the server does not count tokens, so a budget cannot be enforced", hint=hint)
        self._tokens_in += tokens_in or 0
        self._tokens_out += tokens_out or 0

    def greatest(self, prompt: Prompt) -> float:
        """Return the maximum cost of the answer to a prompt; infinite for answers of unlimited length."""
        price_in, price_out = self._prices
        input_cost = (_bytes(prompt) + self._beside) * price_in
        output_cost = self._longest * price_out if price_out else 0.0  # inf times 0 would be no number
        return (input_cost + output_cost) / MILLION

    def admits(self, prompt: Prompt) -> bool:
        """Whether a prompt may be sent now."""
        if self._limit is None or not self._reservations:
            return not self.is_reached
        return self.spent + self._reserved_total + self.greatest(prompt) <= self._limit

    def hold(self, prompt: Prompt) -> None:
        """Reserve the maximum cost of a sent prompt."""
        if self._limit is not None:
            self.release(prompt)
            self._reservations[prompt.key] = self.greatest(prompt)
            self._reserved_total += self._reservations[prompt.key]

    def release(self, prompt: Prompt) -> None:
        """Release the reservation of a prompt. `add` counts the real cost of its answer."""
        self._reserved_total -= self._reservations.pop(prompt.key, 0.0)
        if not self._reservations:
            self._reserved_total = 0.0  # without rounding errors, and after infinite ones

    def learn(self, prompt: Prompt, tokens_in: int | None, tokens_out: int | None) -> None:
        """Use the server's count of one answer for the maximum cost of later ones."""
        self._beside = max(self._beside, (tokens_in or 0) - _bytes(prompt))
        self._longest = max(self._longest, tokens_out or 0)

    @property
    def spent(self) -> float:
        """The cost of all answers."""
        price_in, price_out = self._prices
        return (self._tokens_in * price_in + self._tokens_out * price_out) / MILLION

    @property
    def is_reached(self) -> bool:
        """Whether the budget is used up."""
        return self._limit is not None and self.spent >= self._limit

    def detail(self) -> dict[str, Any]:
        """The state of the budget, for the event."""
        return {
            "budget": self._limit,
            "spent": round(self.spent, 6),
            "tokens_in": self._tokens_in,
            "tokens_out": self._tokens_out,
        }

    def used_up(self, answered: int) -> RunError:
        """Return the error with the progress, the cost, and how to continue."""
        message = (
            f"the budget of {self._limit:g} is used up: the answers of this run have cost {self.spent:.6g} "
            f"({counted(self._tokens_in, 'token')} in, {self._tokens_out:,} out), "
            f"{answered:,} of them in this session"
        )
        more = float(f"{2 * max(self._limit or 0.0, self.spent) or 1:.2g}")
        hint = f"they are kept; the same command with `{self._option} {more:g}` continues the run"
        return RunError(message, hint=hint)


def _bytes(prompt: Prompt) -> int:
    """Return the length of a prompt in bytes: no tokenizer in use makes more tokens than bytes."""
    size = len(prompt.text.encode("utf-8", "surrogatepass"))
    for message in prompt.history:
        size += len(message.content.encode("utf-8", "surrogatepass")) + TEMPLATE_TOKENS
    return size if prompt.schema is None else size + len(canonical(prompt.schema))


def most_tokens_in(prompt: Prompt) -> int:
    """Return the maximum number of tokens of a prompt, before a server has counted any."""
    return _bytes(prompt) + TEMPLATE_TOKENS


# The forecast, shown before the first request.


class Forecast(NamedTuple):
    """The remaining requests, and the maximum tokens of all prompts and of the largest one."""

    requests: int = 0
    tokens_in: int = 0
    largest: int = 0


def forecast(waiting: Iterable[Prompt]) -> Forecast:
    """Return the forecast for these prompts."""
    requests, tokens_in, largest = 0, 0, 0
    for prompt in waiting:
        tokens = most_tokens_in(prompt)
        requests, tokens_in, largest = requests + 1, tokens_in + tokens, max(largest, tokens)
    return Forecast(requests, tokens_in, largest)


def foresee(ahead: Forecast, asking: RequestOptions, *, spec: str, purpose: Sequence[str]) -> list[str]:
    """Return sentences on the remaining questions; none where nothing is left to ask.

    The first sentence of `purpose` states what the requests are for; the others are copied.
    """
    if not ahead.requests:
        return []
    what, *remarks = purpose
    return [
        f"{counted(ahead.requests, 'request')} to {spec}: {what}; {_parameters(asking)}",
        *remarks,
        *_cost(asking, ahead),
        *_budget_notes(asking, ahead.largest),
    ]


def _parameters(asking: RequestOptions) -> str:
    """Return temperature and length as sent. A null in --body omits a field."""
    heat = asking.body.get("temperature", TEMPERATURE if asking.temperature is None else asking.temperature)
    limit = answer_limit(asking)
    return ", ".join(
        (
            "the server's own temperature" if heat is None else f"temperature {heat}",
            "answers of any length" if limit is None else f"at most {limit:,} tokens an answer",
        )
    )


def _cost(asking: RequestOptions, ahead: Forecast) -> list[str]:
    """Return an upper bound: each byte of a prompt is a token, each answer has the maximum length."""
    limit = answer_limit(asking)
    if limit is None:
        return []
    bound = cost(asking, ahead.tokens_in, ahead.requests * limit, batch=asking.batch)
    if bound is None:
        return []
    budget = asking.budget
    stop = f"; asking stops when {money(budget)} are spent" if budget is not None and budget < bound else ""
    price = f" at {asking.price_batch:g} of the price, as a batch" if asking.batch else ""
    return [f"that costs at most {money(bound)}{price}, if each answer is as long as it may be{stop}"]


def _budget_notes(asking: RequestOptions, tokens_in: int) -> list[str]:
    """Return notes on a budget and requests in flight. `tokens_in` is the largest prompt's maximum."""
    if asking.budget is None:
        return []
    limit, begin = answer_limit(asking), asking.options
    if limit is None:
        return [
            f"the request leaves the length of an answer to the server, so with {begin}budget requests go "
            f"one at a time; {begin}max-tokens without a null in {begin}body lets more be in flight"
        ]
    bound = cost(asking, tokens_in, limit, batch=asking.batch) or 0.0
    if asking.batch:
        return [
            f"each request of a batch holds back up to {money(bound)} of the budget of "
            f"{money(asking.budget)}; requests beyond it are sent in a later batch"
        ]
    if bound > asking.budget:
        return [
            f"one answer may cost up to {money(bound)}, more than the whole budget of "
            f"{money(asking.budget)}: requests go one at a time, and the last may exceed it; "
            f"a smaller {begin}max-tokens, now {limit:,}, or a larger {begin}budget prevents that"
        ]
    most = int(asking.budget / bound) if bound else asking.concurrency
    if most >= asking.concurrency:
        return []
    return [
        f"each request holds back up to {money(bound)} of the budget until its answer has come, so at first "
        f"{counted(most, 'request')} at most can be in flight, not {asking.concurrency}; "
        f"a smaller {begin}max-tokens, now {limit:,}, lets in more"
    ]


# Progress while a model is asked: failures with reasons, retries, tokens, cost, faults.

SHOWN = 3  # different reasons of failure that are shown; the answers file has all


class AskTally:
    """Counts answers and receives events, which may come from other threads than the asking one."""

    def __init__(self, asking: RequestOptions, folder: RunFolder, watch: Watcher) -> None:
        self.asked = self.failed = self._misfits = 0
        self._retries: dict[str, int] = {}  # by reason
        self.tokens_in = self.tokens_out = 0
        self._spent = 0.0  # without prices it stays 0
        self._progress = ""  # of batches
        self.reasons: list[str] = []
        self._asking, self._folder, self._watch = asking, folder, watch
        self._earlier_notes: set[str] = set()
        self._lock = Lock()

    def add_tokens(self, answer: Answer) -> None:
        """Add the tokens of an answer of this session or an earlier one, at its price."""
        tokens = answer.tokens_in or 0, answer.tokens_out or 0
        self.tokens_in, self.tokens_out = self.tokens_in + tokens[0], self.tokens_out + tokens[1]
        self._spent += cost(self._asking, *tokens, batch=bool(answer.batch)) or 0.0

    def count(self, answer: Answer) -> None:
        """Count a stored answer."""
        self.asked += 1
        self.add_tokens(answer)
        self._misfits += bool(answer.schema_error)
        if answer.error is not None:
            self.failed += 1
            self._explain(answer)
        self._watch.status(self.text())
        self._watch.tick(Outcome.model_error if answer.error is not None else None)

    def hear(self, kind: str, detail: Mapping[str, Any]) -> None:
        """Store an event of the model in events.jsonl; show each fault of the server once.

        "progress" is shown and not stored.
        """
        with self._lock:
            if kind == "progress":
                self._progress = str(detail["text"])
                self._watch.status(self.text())
                return
            self._folder.event(kind, **detail)
            if kind == "retry":
                reason = str(detail.get("status"))
                self._retries[reason] = int(detail.get("count", self._retries.get(reason, 0) + 1))
                self._watch.status(self.text())
            elif kind == "server_fault":
                self._note_once(f"the server's fault: {fault_in_words(detail)}")
            elif kind == "wait":
                self._watch.note(_waiting(detail))
            elif kind == "batch":
                self._watch.note(escaped_name(str(detail.get("text", "")), 600))
            elif kind == "budget":
                self._note_once("the budget is reached: nothing more is asked")

    def text(self) -> str:
        """Return the text next to the progress bar."""
        parts = [self._progress] if self._progress else []
        if retries := sum(self._retries.values()):
            parts.append(counted(retries, "retry", "retries"))
        if self._misfits:
            parts.append(f"{counted(self._misfits, 'reply', 'replies')} not by the schema")
        if used := self.tokens_in + self.tokens_out:
            parts.append(f"{counted(used, 'token')}")
            if self._asking.price_in is not None:
                parts.append(f"cost {money(self._spent)}")
        return " · ".join(parts)

    def _explain(self, answer: Answer) -> None:
        reason = str(answer.error)
        if reason not in self.reasons and len(self.reasons) < SHOWN:
            self.reasons.append(reason)
            self._watch.note(f"no answer to task {answer.task_id}: {reason}")

    def _note_once(self, text: str) -> None:
        if text not in self._earlier_notes:
            self._earlier_notes.add(text)
            self._watch.note(text)


def fault_in_words(detail: Mapping[str, Any]) -> str:
    """Describe a server's fault in a sentence, escaped because the server may have written it."""
    return escaped_name(str(detail.get("means") or detail.get("fault", "unknown")), 200)


def _waiting(detail: Mapping[str, Any]) -> str:
    """Describe a wait in a sentence. The server's words in it are quoted already."""
    tries = f" before try {detail['try']} of {detail['tries']}" if "try" in detail else ""
    return escaped_name(f"waiting {float(detail.get('for_s', 0)):.0f} s{tries}: {detail.get('why', '')}", 600)
