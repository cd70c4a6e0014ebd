"""Bradley-Terry strengths with Davidson's ties from votes on pairs, and preferences at equal length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product
from math import exp, inf
from typing import Any, Literal, NamedTuple

from benchwright.records import Record
from benchwright.stats.optional_imports import numpy

SEED, DRAWS = 20_261_122, 2000
_BLOCK = 250
_RIDGE = 1e-3  # of resamples alone, in which somebody may have won everything
_STEPS, _CLOSE = 100, 1e-10  # the error after a step is of the order of its square

Result = Literal["a", "b", "tie", "both_bad"]


class PairVote(NamedTuple):
    """A vote between `a` and `b`. Votes of one `cluster`, such as a task, are resampled together."""

    a: str
    b: str
    result: Result
    cluster: str = ""


class Strength(Record, frozen=True, kw_only=True):
    """One contestant. `value` is the log of its strength, the mean of all being 0; equal ones tie or win as
    often as they lose, and a lead of 0.69 doubles the odds."""

    name: str
    value: float
    low: float
    high: float
    win: int
    tie: int
    loss: int
    both_bad: int  # votes that it and the other are bad, which are in no figure


class PairRanking(Record, frozen=True, kw_only=True):
    """The contestants, best first; empty if `why` gives the reason for no order."""

    strengths: list[Strength]
    tie: float = 0.0  # Davidson's: 0 where nobody tied
    votes: int = 0  # without "both bad"
    both_bad: int = 0
    why: str = ""
    parts: list[list[str]] = []  # not joined by votes, or the first never lost to the others


def bradley_terry(
    votes: Sequence[PairVote], *, draws: int = DRAWS, seed: int = SEED, confidence: float = 0.95
) -> PairRanking:
    """The strengths of all contestants, with percentile intervals over resampled clusters.

    There is no estimate if votes do not connect all contestants, or if some never lost to the others: then
    `why` gives the reason and `parts` names them. The same votes and seed give the same intervals. Raises
    ValueError for a vote between a contestant and itself.
    """
    counted = VoteCounts.of(votes)
    totals: dict[str, Any] = {"votes": counted.total, "both_bad": sum(counted.bad.values())}
    why, parts = counted.refusal()
    if why:
        return PairRanking(strengths=[], why=why, parts=parts, **totals)
    np = numpy("ranking by votes")
    fitted, tie = fit_strengths(np, counted.wins(np)[None], counted.ties(np)[None])
    low, high = _limits(np, counted, votes, draws=draws, seed=seed, confidence=confidence)
    order = sorted(range(len(counted.names)), key=lambda at: (-fitted[0, at], counted.names[at]))
    strengths = [
        _strength(counted, at, float(fitted[0, at]), float(low[at]), float(high[at])) for at in order
    ]
    return PairRanking(strengths=strengths, tie=float(tie[0]), **totals)


def _strength(counted: VoteCounts, at: int, value: float, low: float, high: float) -> Strength:
    name = counted.names[at]
    return Strength(
        name=name,
        value=value,
        low=low,
        high=high,
        win=sum(number for (winner, _), number in counted.won.items() if winner == name),
        tie=sum(number for pair, number in counted.tied.items() if name in pair),
        loss=sum(number for (_, loser), number in counted.won.items() if loser == name),
        both_bad=sum(number for pair, number in counted.bad.items() if name in pair),
    )


class VoteCounts(NamedTuple):
    """Counted votes: wins, ties, and pairs called bad."""

    names: list[str]
    won: Counter[tuple[str, str]]
    tied: Counter[tuple[str, str]]  # the names in order
    bad: Counter[tuple[str, str]]

    @classmethod
    def of(cls, votes: Sequence[PairVote]) -> VoteCounts:
        """Count votes. Raises ValueError for a vote between a contestant and itself."""
        won, tied, bad = Counter[tuple[str, str]](), Counter[tuple[str, str]](), Counter[tuple[str, str]]()
        for vote in votes:
            if vote.a == vote.b:
                raise ValueError(f"a vote compares {vote.a!r} with itself")
            both = (min(vote.a, vote.b), max(vote.a, vote.b))
            if vote.result in ("a", "b"):
                won[(vote.a, vote.b) if vote.result == "a" else (vote.b, vote.a)] += 1
            else:
                (tied if vote.result == "tie" else bad)[both] += 1
        return cls(sorted({name for vote in votes for name in vote[:2]}), won, tied, bad)

    @property
    def total(self) -> int:
        """The number of votes in the model."""
        return self.won.total() + self.tied.total()

    def wins(self, np: Any) -> Any:
        """The number of wins of each row against each column."""
        table = np.zeros((len(self.names), len(self.names)))
        for (winner, loser), number in self.won.items():
            table[self.names.index(winner), self.names.index(loser)] = number
        return table

    def ties(self, np: Any) -> Any:
        """The number of ties, a symmetric table."""
        table = np.zeros((len(self.names), len(self.names)))
        for (one, other), number in self.tied.items():
            at, beside = self.names.index(one), self.names.index(other)
            table[at, beside] = table[beside, at] = number
        return table

    def refusal(self) -> tuple[str, list[list[str]]]:
        """The reason why the model has no estimate, with the parts; empty if it has one."""
        if not self.total:
            return "no votes for an answer or for a tie", []
        if not self.won:
            return "all votes are ties", []
        beaten = [*self.won, *self.tied, *((other, one) for one, other in self.tied)]
        parts = _groups(self.names, beaten, joined=True)
        if len(parts) > 1:
            return (
                f"{len(parts)} groups of contestants have no votes between them: compare across groups",
                parts,
            )
        parts = _groups(self.names, beaten, joined=False)
        if len(parts) > 1:
            return (
                "some contestants never lost or tied against the others: compare them more often",
                parts,
            )
        if self.tied and not _has_cycle(self):
            return "preferences never contradict each other, only ties do: compare all of them more often", []
        return "", []


def _has_cycle(counted: VoteCounts) -> bool:
    """Whether some round of contestants has more wins than ties in it, each beating or tying the next.

    Without one the likelihood grows for ever: let each win be a step down of 2 and each tie one of at most 2
    either way; with steps that fit all votes, strengths and the tie's factor may grow together.
    """
    far = {(one, other): 0.0 if one == other else inf for one in counted.names for other in counted.names}
    for one, other in counted.tied:
        far[one, other] = far[other, one] = 1.0
    for pair in counted.won:
        far[pair] = -1.0
    for by, one, other in product(counted.names, repeat=3):
        far[one, other] = min(far[one, other], far[one, by] + far[by, other])
    return any(far[name, name] < 0 for name in counted.names)


def _groups(names: Sequence[str], beaten: Sequence[tuple[str, str]], *, joined: bool) -> list[list[str]]:
    """Groups within which everybody is joined to everybody by votes; not `joined`: by a chain of wins or ties
    in both directions, such groups that never lost to others first."""
    steps: dict[str, set[str]] = {name: set() for name in names}
    for winner, loser in beaten:
        steps[winner].add(loser)
        if joined:
            steps[loser].add(winner)
    reached = {name: _reachable(name, steps) for name in names}
    found: dict[frozenset[str], list[str]] = {}
    for name in names:
        group = frozenset(other for other in reached[name] if name in reached[other])
        found.setdefault(group, []).append(name)
    return sorted(found.values(), key=lambda group: (-len(reached[group[0]]), group))


def _reachable(name: str, steps: dict[str, set[str]]) -> set[str]:
    seen, waiting = {name}, [name]
    while waiting:
        for other in steps[waiting.pop()] - seen:
            seen.add(other)
            waiting.append(other)
    return seen


# Newton's method on many tables at once. The log likelihood is concave in the log
# strengths and the log of the tie factor.


def fit_strengths(np: Any, wins: Any, ties: Any, *, ridge: float = 0.0) -> tuple[Any, Any]:
    """Fit log strengths (tables by contestants, each with mean 0) and Davidson's factor of each table.

    `ridge` shrinks both slightly, so that every table has an estimate. Raises ArithmeticError if the
    method does not converge.
    """
    draws, number = wins.shape[0], wins.shape[1]
    counts = wins + wins.transpose(0, 2, 1) + ties
    points = wins.sum(axis=2) + ties.sum(axis=2) / 2
    tied = ties.sum(axis=(1, 2)) / 2
    without = tied == 0  # tables in which the tie's factor is 0, and nothing to be found
    at = np.zeros((draws, number + 1))
    for _ in range(_STEPS):
        slope, bend = _derivatives(np, at, counts, points, tied)
        slope -= ridge * at
        bend[:, range(number + 1), range(number + 1)] += ridge
        bend[:, :number, :number] += 1 / number  # the strengths' mean is free: hold it at 0
        slope[without, number] = 0
        bend[without, number, :] = bend[without, :, number] = 0
        bend[without, number, number] = 1
        step = np.linalg.solve(bend, slope[:, :, None])[:, :, 0]
        at += step * np.minimum(1, 2 / np.maximum(np.abs(step).max(axis=1), 1e-300))[:, None]
        if np.abs(step).max() < _CLOSE:
            break
    else:
        if not ridge:
            raise ArithmeticError("the strengths do not converge")
    factor = np.where(without, 0.0, np.exp(at[:, number]))
    return at[:, :number] - at[:, :number].mean(axis=1, keepdims=True), factor


def _derivatives(np: Any, at: Any, counts: Any, points: Any, tied: Any) -> tuple[Any, Any]:
    """The gradient of the log likelihood, and the negative of its second derivatives."""
    number = counts.shape[1]
    places = range(number)
    half = (at[:, :number, None] - at[:, None, :number]) / 2
    factor = np.where(tied == 0, 0.0, np.exp(at[:, number]))[:, None, None]
    up, down = np.exp(half), np.exp(-half)
    whole = up + down + factor
    won, drew = up / whole, factor / whole  # chances of the row against the column
    score = won + drew / 2
    slope = np.concatenate(
        [points - (counts * score).sum(axis=2), (tied - _pairs(counts * drew))[:, None]], 1
    )
    spread = counts * (won + drew / 4 - score**2)
    bend = np.zeros((len(at), number + 1, number + 1))
    bend[:, :number, :number] = -spread
    bend[:, places, places] = spread.sum(axis=2) - spread[:, places, places]
    crossed = (counts * (drew / 2 - drew * score)).sum(axis=2)
    bend[:, :number, number] = bend[:, number, :number] = crossed
    bend[:, number, number] = _pairs(counts * drew * (1 - drew))
    return slope, bend


def vote_influence(
    np: Any, strengths: Any, factor: float, counted: VoteCounts, one: int, other: int
) -> dict[tuple[str, str, str], float]:
    """The first-order change of the lead of `one` over `other` when a vote of each kind is dropped."""
    number = len(counted.names)
    wins, ties = counted.wins(np)[None], counted.ties(np)[None]
    counts = wins + wins.transpose(0, 2, 1) + ties
    at = np.append(strengths, np.log(factor) if factor else 0.0)[None]
    _, bend = _derivatives(np, at, counts, counts.sum(axis=2) * 0, ties.sum(axis=(1, 2)) / 2)
    bend[:, :number, :number] += 1 / number
    if not factor:
        bend[:, number, number] = 1
    lead = np.zeros(number + 1)
    lead[one], lead[other] = 1, -1
    pull = np.linalg.solve(bend[0], lead)
    places = {name: place for place, name in enumerate(counted.names)}

    def score(a: str, b: str, tie: float) -> float:
        """Return a vote's gradient term times its influence on the lead; `tie` is 1 for a tie, else 0."""
        half = (strengths[places[a]] - strengths[places[b]]) / 2
        whole = np.exp(half) + np.exp(-half) + factor
        drew = factor / whole
        gain = 1 - tie / 2 - np.exp(half) / whole - drew / 2
        return float(gain * (pull[places[a]] - pull[places[b]]) + (tie - drew) * pull[number])

    found = {("win", a, b): score(a, b, 0.0) for a, b in counted.won}
    return found | {("tie", a, b): score(a, b, 1.0) for a, b in counted.tied}


def _pairs(values: Any) -> Any:
    """The sum over pairs of a symmetric table."""
    return values.sum(axis=(1, 2)) / 2


def _limits(
    np: Any, counted: VoteCounts, votes: Sequence[PairVote], *, draws: int, seed: int, confidence: float
) -> tuple[Any, Any]:
    """Percentiles of the strengths over resamples of the clusters."""
    rows, clusters = _rows(np, counted, votes)
    rng, number = np.random.default_rng(seed), len(counted.names)
    found = []
    for start in range(0, draws, _BLOCK):
        block = min(_BLOCK, draws - start)
        weights = rng.multinomial(clusters, np.full(clusters, 1 / clusters), size=block)
        tables = (weights @ rows).reshape(block, 2, number, number)
        ties = tables[:, 1] + tables[:, 1].transpose(0, 2, 1)
        found.append(fit_strengths(np, tables[:, 0], ties, ridge=_RIDGE)[0])
    tail = (1 - confidence) / 2
    if not found:
        return np.full(number, np.nan), np.full(number, np.nan)
    low, high = np.quantile(np.concatenate(found), [tail, 1 - tail], axis=0)
    return low, high


def _rows(np: Any, counted: VoteCounts, votes: Sequence[PairVote]) -> tuple[Any, int]:
    """The wins and ties of each cluster, as rows; a vote without a cluster is its own."""
    number = len(counted.names)
    places = {name: at for at, name in enumerate(counted.names)}
    clusters: dict[str, int] = {}
    rows: list[Any] = []
    for at, vote in enumerate(votes):
        if vote.result == "both_bad":
            continue
        place = clusters.setdefault(vote.cluster or f"\0{at}", len(clusters))
        if place == len(rows):
            rows.append(np.zeros(2 * number * number))
        one, other = places[vote.a], places[vote.b]
        winner, loser = (other, one) if vote.result == "b" else (one, other)
        rows[place][(vote.result == "tie") * number * number + winner * number + loser] += 1
    return np.array(rows), len(rows)


RIDGE = 0.5
_NEWTON_STEPS = 50


def relative_difference(a: int, b: int) -> float:
    """The difference of two lengths divided by their sum, from -1 to 1; 0 if both are 0."""
    return (a - b) / (a + b) if a + b else 0.0


def at_equal_length(values: Sequence[float], differences: Sequence[float]) -> tuple[float, float]:
    """The share of preferences for a that is left at equal lengths, and the weight of length.

    `values` are 1 where a is preferred, 0.5 for a tie, 0 where b is.

    >>> round(at_equal_length([1, 0, 1, 0], [0.5, -0.5, 0.5, -0.5])[0], 3)
    0.5
    """
    strength = weight = 0.0
    for _ in range(_NEWTON_STEPS):
        shares = [_share(strength + weight * d) for d in differences]
        rest = [value - share for value, share in zip(values, shares, strict=True)]
        slopes = [share * (1 - share) for share in shares]
        g0, g1 = sum(rest) - RIDGE * strength, sum(map(_times, rest, differences)) - RIDGE * weight
        h00, h01 = sum(slopes) + RIDGE, sum(map(_times, slopes, differences))
        h11 = sum(slope * d * d for slope, d in zip(slopes, differences, strict=True)) + RIDGE
        det = h00 * h11 - h01 * h01
        strength += (h11 * g0 - h01 * g1) / det
        weight += (h00 * g1 - h01 * g0) / det
    return _share(strength), weight


def _share(logit: float) -> float:
    return 1 / (1 + exp(-max(-30.0, min(30.0, logit))))


def _times(a: float, b: float) -> float:
    return a * b
