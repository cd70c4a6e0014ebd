"""The figures of `./run bench suites`: from measured runs to tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from benchmarks import figures
from benchmarks.environment import Machine
from benchmarks.figures import Spread
from benchmarks.measure import Usage
from benchmarks.suites_drive import OURS
from benchmarks.suites_ground import Contest
from benchmarks.tables import surroundings, table

PUBLISHED = 3  # rounds, at least
HEAD = ("language", "pairs", "peer", "peer, CPU-ms a pair", "ours, CPU-ms a pair", "ratio", "goal")
TITLES = {"python": "Python", "java": "Java", "go": "Go"}


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """One measured run: `pairs` of them, for the comparison at `size`. Round 0 is not compared."""

    language: str
    who: str
    size: int
    round: int
    pairs: int
    usage: Usage

    @property
    def cpu_ms(self) -> float:
        """CPU milliseconds a pair."""
        return 1000 * self.usage.cpu_s / self.pairs


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One peer at one size. The ratio is taken within each round."""

    language: str
    size: int
    peer: str
    peer_pairs: int
    peer_ms: Spread
    ours_ms: Spread
    ratio: Spread
    goal: str


class Growth(msgspec.Struct, frozen=True, kw_only=True):
    """What ours costs once, and for each pair more, from the least and the greatest size."""

    language: str
    small: int
    large: int
    fixed_s: Spread
    marginal_ms: Spread


class Steady(msgspec.Struct, frozen=True, kw_only=True):
    """A peer's cost a pair in a longer run, by the median of its others."""

    peer: str
    pairs: int
    longer: int
    ratio: float


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """All that was found. `absent`: why a language was not measured."""

    machine: Machine
    versions: dict[str, str]
    rounds: int
    cpus: int
    absent: dict[str, str]
    lines: list[Line]
    growth: list[Growth]
    steady: list[Steady]
    runs: list[Taken]


def compared(language: str, contest: Contest, taken: Sequence[Taken]) -> Iterator[Line]:
    """A line for each size and peer."""
    for size in sorted({each.size for each in taken if each.language == language}):
        own = _of(taken, language, OURS, size)
        for peer in contest.peers:
            theirs = _of(taken, language, peer.name, size)
            yield Line(
                language=language,
                size=size,
                peer=peer.title,
                peer_pairs=theirs[0].pairs,
                peer_ms=figures.spread(each.cpu_ms for each in theirs),
                ours_ms=figures.spread(each.cpu_ms for each in own),
                ratio=figures.paired_ratio([each.cpu_ms for each in theirs], [each.cpu_ms for each in own]),
                goal=contest.goal if peer.goal is None else peer.goal,
            )


def grown(language: str, taken: Sequence[Taken]) -> Iterator[Growth]:
    """Ours at the least and the greatest size; nothing where they are the same."""
    sizes = sorted({each.size for each in taken if each.language == language})
    small, large = (_of(taken, language, OURS, size) for size in (sizes[0], sizes[-1]))
    if sizes[0] == sizes[-1]:
        return
    parts = [
        figures.split(one.usage.cpu_s, many.usage.cpu_s, small=sizes[0], large=sizes[-1])
        for one, many in zip(small, large, strict=True)
    ]
    yield Growth(
        language=language,
        small=sizes[0],
        large=sizes[-1],
        fixed_s=figures.spread(part.fixed_s for part in parts),
        marginal_ms=figures.spread(part.marginal_ms for part in parts),
    )


def steadied(
    language: str, contest: Contest, taken: Sequence[Taken], longer: Sequence[Taken]
) -> Iterator[Steady]:
    """Whether a peer's cost a pair depends on how many pairs there are."""
    for each in longer:
        if each.language != language:
            continue
        others = [one for one in taken if (one.language, one.who) == (language, each.who)]
        usual = figures.spread(one.cpu_ms for one in others).median
        title = next(peer.title for peer in contest.peers if peer.name == each.who)
        pairs = max(one.pairs for one in others)
        yield Steady(peer=title, pairs=pairs, longer=each.pairs, ratio=each.cpu_ms / usual)


def page(report: Report, ratios: bool = True) -> str:
    """The figures as Markdown; without ratios if the machine was too busy for them."""
    few = "" if report.rounds >= PUBLISHED else f" Fewer than {PUBLISHED} rounds: not for publication."
    parts = [f"{report.rounds} rounds, {report.cpus} CPUs.{_account(report)}{few}"]
    if report.lines:
        parts.append(table(HEAD, (_line(line, ratios) for line in report.lines)))
    parts += map(_growth, report.growth)
    parts += map(_steady, report.steady)
    parts += [f"{TITLES[name]} was not measured: {why}" for name, why in report.absent.items()]
    return "\n\n".join([*parts, surroundings(report.machine, report.versions)])


def _account(report: Report) -> str:
    return f" CPU time by {report.runs[0].usage.account}." if report.runs else ""


def _line(line: Line, ratios: bool) -> list[str]:
    return [
        TITLES[line.language],
        str(line.size),
        line.peer,
        line.peer_ms.text(0),
        line.ours_ms.text(1),
        line.ratio.text(1) if ratios else "–",
        line.goal,
    ]


def _growth(each: Growth) -> str:
    return (
        f"{TITLES[each.language]}, from {each.small} to {each.large} pairs: {each.fixed_s.text()} CPU-s "
        f"once, and {each.marginal_ms.text(1)} ms for each pair."
    )


def _steady(each: Steady) -> str:
    return (
        f"{each.peer}: a pair in a run of {each.longer} costs {each.ratio:.2f} times what it does in one of "
        f"{each.pairs}."
    )


def _of(taken: Sequence[Taken], language: str, who: str, size: int) -> list[Taken]:
    """These runs in the order of their rounds."""
    found = [each for each in taken if (each.language, each.who, each.size) == (language, who, size)]
    return sorted(found, key=lambda each: each.round)
