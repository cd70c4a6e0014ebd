"""Make evidence links with ids that depend on their content alone, and the measured precision of their
method."""

from __future__ import annotations

import hashlib
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from benchwright.building.alignment.records import RUNGS, EvidenceLink


def answered(repo: str, rung: int, source: str, target: str, *, finer: str = "", **rest: Any) -> EvidenceLink:
    """Return a link of a rung; `finer` is added to its method, as in "platform.closing_reference"."""
    method = f"{RUNGS[rung]}.{finer}" if finer else RUNGS[rung]
    facts = {"weak": rung == 7, "confidence": measured_precision(method), **rest}
    return _link(repo, "answered", rung, method, source, target, **facts)


def measured_precision(method: str) -> float | None:
    """Return the precision of a method on labelled links, with three digits; None if it was not measured."""
    counts = _counts()
    found = counts.get(method) or counts.get(method.partition(".")[0])
    return None if found is None else round(found[0] / found[1], 3)


@cache
def _counts() -> dict[str, tuple[int, int]]:
    """Right and decided links by method (`precision.toml`)."""
    text = files(__package__).joinpath("precision.toml").read_text("utf-8")
    return {method: (right, decided) for method, (right, decided) in tomllib.loads(text).items()}


def unchanged(repo: str, source: str, target: str, **rest: Any) -> EvidenceLink:
    """Return a link of rung 0; `target` is the commit of the merge."""
    return _link(repo, "unchanged", 0, RUNGS[0], source, target, **rest)


def unknown(repo: str, source: str, why: str, **rest: Any) -> EvidenceLink:
    """Return the record of feedback that no rung answers; `why` is the name of the gap."""
    return _link(repo, "unknown", None, "", source, "", detail=why, **rest)


def self_revision(repo: str, source: str, target: str, **rest: Any) -> EvidenceLink:
    """Return the link from a commit to a later one that rewrites its lines without a remark."""
    return _link(repo, "self_revision", None, "self_revision", source, target, **rest)


def _link(
    repo: str, state: str, rung: int | None, method: str, source: str, target: str, **rest: Any
) -> EvidenceLink:
    before = rest.get("before")
    place = f"{before.path}:{before.first}:{before.last}" if before is not None else ""
    key = "\0".join((state, method, source, target, place))
    name = f"{repo}:link:{hashlib.sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:20]}"
    return EvidenceLink(
        id=name, repo=repo, state=state, rung=rung, method=method, source=source, target=target, **rest
    )
