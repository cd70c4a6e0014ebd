"""Child process that reads finished runs and computes standings and comparisons.

It calls what `rank` and `compare` call, so its figures are theirs.
"""

from __future__ import annotations

import os
import resource
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from benchwright.contracts import Measure
from benchwright.errors import BenchwrightError
from benchwright.rank.comparability import ALLOWANCES
from benchwright.rank.comparison import compare
from benchwright.rank.contestant import Contestant, with_distinct_names
from benchwright.rank.documents import comparison_document, next_comparisons, standing_csv, standing_document
from benchwright.rank.standing import MEANING, ModelPair, PairCache, rank
from benchwright.records import Record
from benchwright.running.run_data import open_run
from benchwright.store.process_limits import lower
from benchwright.web.core.child_process import answer_requests
from benchwright.web.serve.index_records import IndexedRun, newer_version, read_facts, unpack_contestant

MEMORY = 4 << 30  # bytes of address space
NICENESS = 5
MOST_PAIRS = 60_000  # paired differences that are kept: about 25 MB
_known_pairs: PairCache = {}  # of earlier rankings, by content


class ReadRequest(Record, frozen=True, kw_only=True, tag="read"):
    """Read a finished run."""

    path: bytes  # names of folders need not be UTF-8
    key: str
    name: str


class RankRequest(Record, frozen=True, kw_only=True, tag="rank"):
    """Rank runs. `contestants` are packed, in the order of their keys."""

    keys: list[str]
    contestants: list[bytes]
    metric: str = ""
    allow: list[str] = []


class CompareRequest(Record, frozen=True, kw_only=True, tag="compare"):
    """Compare two of these runs; the names are those of all."""

    a: str
    b: str
    keys: list[str]
    contestants: list[bytes]
    metric: str = ""
    allow: list[str] = []


FigureRequest = ReadRequest | RankRequest | CompareRequest


class ReadReply(Record, frozen=True, kw_only=True):
    """A run, or why it cannot be read."""

    facts: IndexedRun | None = None
    contestant: bytes = b""
    error: str = ""
    hint: str = ""
    written_by: str = ""  # the later version that wrote a run that cannot be read


class NextLead(Record, frozen=True, kw_only=True):
    """How far a model is ahead of the next one in the order."""

    value: float
    low: float
    high: float
    p: float  # corrected over all pairs
    separated: bool


class BoardPlace(Record, frozen=True, kw_only=True):
    """A run in the order of a leaderboard."""

    key: str
    name: str
    best: int = 0
    worst: int = 0
    lead: NextLead | None = None


class BoardPage(Record, frozen=True, kw_only=True):
    """The figures on a leaderboard's page. Without a ranking, `why` is the reason."""

    places: list[BoardPlace] = []
    metric: str = ""
    metrics: list[str] = []  # that can be ranked by
    shown: list[Measure] = []  # of all metrics, in the order of tables
    tasks: int = 0
    clusters: int = 0
    grouping: str = ""
    pairs: int = 0
    separated: int = 0
    sentence: str = ""
    meaning: str = ""
    notes: list[str] = []
    why: str = ""
    hint: str = ""


class FigureReply(Record, frozen=True, kw_only=True):
    """The figures of a page, and the complete document, deflated. `error`: why there are none."""

    page: bytes = b""
    document: bytes = b""


class ComparisonPage(Record, frozen=True, kw_only=True):
    """A comparison of two runs, as `compare --json` prints it; `why` is the reason if there is none."""

    document: dict[str, Any] = {}
    csv: str = ""
    why: str = ""
    hint: str = ""


def reply_to(line: bytes) -> bytes:
    """The reply to a request, JSON."""
    request = msgspec.json.decode(line, type=FigureRequest)
    if isinstance(request, ReadRequest):
        return msgspec.json.encode(_read(request))
    if isinstance(request, RankRequest):
        return msgspec.json.encode(_rank(request))
    return msgspec.json.encode(_compare(request))


def _read(request: ReadRequest) -> ReadReply:
    try:
        facts, packed = read_facts(Path(os.fsdecode(request.path)), key=request.key, name=request.name)
    except BenchwrightError as error:
        return ReadReply(error=error.message, hint=error.hint or "", written_by=_later_version(request))
    except (OSError, ValueError, MemoryError, RecursionError) as error:
        return ReadReply(error=f"the run cannot be read: {error}", written_by=_later_version(request))
    return ReadReply(facts=facts, contestant=packed)


def _later_version(request: ReadRequest) -> str:
    """The later version that wrote a run; empty if this version did, or if `run.json` is damaged."""
    try:
        return newer_version(open_run(os.fsdecode(request.path)).manifest)
    except (BenchwrightError, OSError, ValueError):
        return ""


def _contestants_by_key(keys: Sequence[str], packed: Sequence[bytes]) -> dict[str, Contestant]:
    return dict(zip(keys, with_distinct_names([unpack_contestant(each) for each in packed]), strict=True))


def _rank(request: RankRequest) -> FigureReply:
    by_key = _contestants_by_key(request.keys, request.contestants)
    runs = list(by_key.values())
    keys = {run.name: key for key, run in by_key.items()}
    unranked = [BoardPlace(key=key, name=run.name) for key, run in by_key.items()]
    names = runs[0].measures.in_order({name for run in runs for name in run.score.metrics})
    columns = [runs[0].measure(name) for name in names]
    common = [name for name in runs[0].estimates if all(name in run.estimates for run in runs)]
    if len(runs) < 2:
        why = "A ranking needs at least two runs."
        return _figures(BoardPage(places=unranked, shown=columns, metrics=common, why=why), {})
    try:
        if len(_known_pairs) > MOST_PAIRS:
            _known_pairs.clear()
        allowed = _allowed(request.allow)
        standing = rank(runs, metric=request.metric or None, allow=allowed, known=_known_pairs)
    except BenchwrightError as error:
        page = BoardPage(
            places=unranked, shown=columns, metrics=common, why=error.message, hint=error.hint or ""
        )
        return _figures(page, {})
    places = [
        BoardPlace(key=keys[row.name], name=row.name, best=row.best, worst=row.worst, lead=_lead(pair))
        for row, pair in zip(standing.places, next_comparisons(standing), strict=True)
    ]
    page = BoardPage(
        places=places,
        metric=standing.metric,
        metrics=common,
        shown=columns,
        tasks=standing.tasks,
        clusters=standing.clusters,
        grouping=standing.grouping,
        pairs=len(standing.pairs),
        separated=sum(pair.separated for pair in standing.pairs),
        sentence=standing.sentence,
        meaning=MEANING[standing.method].format(share=f"{100 * standing.confidence:g} %"),
        notes=standing.notes,
    )
    return _figures(page, {"json": standing_document(standing), "csv": standing_csv(standing)})


def _lead(pair: ModelPair | None) -> NextLead | None:
    if pair is None:
        return None
    found = pair.difference
    return NextLead(value=found.value, low=found.low, high=found.high, p=pair.p, separated=pair.separated)


def _compare(request: CompareRequest) -> FigureReply:
    by_key = _contestants_by_key(request.keys, request.contestants)
    a, b = by_key[request.a], by_key[request.b]
    try:
        found = compare(a, b, metric=request.metric or None, allow=_allowed(request.allow))
    except BenchwrightError as error:
        return _figures(ComparisonPage(why=error.message, hint=error.hint or ""), {})
    document = comparison_document(found, a, b)
    return _figures(ComparisonPage(document=document), {"json": document})


def _allowed(given: Sequence[str]) -> list[str]:
    return [each for each in given if each in ALLOWANCES]


def _figures(page: Record, document: dict[str, Any]) -> FigureReply:
    return FigureReply(
        page=msgspec.json.encode(page), document=zlib.compress(msgspec.json.encode(document), 6)
    )


def main() -> None:
    """Reply to requests until stdin ends."""
    lower(resource.RLIMIT_AS, MEMORY)
    answer_requests(reply_to, niceness=NICENESS)


if __name__ == "__main__":
    main()
