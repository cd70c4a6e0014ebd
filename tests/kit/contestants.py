"""Contestants without a run folder, for tests of comparisons and rankings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchwright.rank.contestant import Contestant
from benchwright.records import Score, SelfCheck
from benchwright.stats.metrics import pass_metrics
from benchwright.stats.passk import pass_at_k


def contestant(
    name: str, counts: Sequence[int], *, n: int = 10, ks: Sequence[int] = (1,), **changed: Any
) -> Contestant:
    """Return a run with this number of right answers among n to each task; `changed` replaces fields."""
    tasks = [f"t{number}" for number in range(len(counts))]
    pairs = [(n, c) for c in counts]
    fields: dict[str, Any] = {
        "name": name,
        "path": f"runs/{name}",
        "model": f"openai:{name}",
        "track": "humaneval",
        "profile": "strict",
        "data": "d" * 64,
        "judging": 1,
        "n": n,
        "tasks": tasks,
        "counts": pairs,
        "estimates": {f"pass@{k}": [pass_at_k(n, c, k) for c in counts] for k in ks},
        "clusters": tasks,
        "score": score(name, pairs, ks),
    }
    return Contestant(**{**fields, **changed})


def score(name: str, pairs: Sequence[tuple[int, int]], ks: Sequence[int], **changed: Any) -> Score:
    """Return the score of these counts."""
    fields: dict[str, Any] = {
        "run": f"runs/{name}",
        "track": "humaneval",
        "model": f"openai:{name}",
        "profile": "strict",
        "metrics": pass_metrics(list(pairs), ks),
        "outcomes": {},
        "self_check": SelfCheck(gold_passed=1, gold_total=1, stub_passed=0, stub_total=1),
        "answers": sum(n for n, _ in pairs),
    }
    return Score(**{**fields, **changed})
