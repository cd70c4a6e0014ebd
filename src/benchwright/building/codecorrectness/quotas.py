"""Quotas of a data set: limits on kinds of failure and on repositories, and the composition of finished
rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from benchwright.building.codecorrectness.row_records import SUBSETS, Candidate, cluster_of
from benchwright.errors import UsageError
from benchwright.records import Record

# In per cent of the failures. At most half, or "failed" would mean "of this kind". Broken rows are easy to
# recognise, so they are few.
MOST = {"original": 50, "generated": 50, "mutated": 50, "history": 50, "broken": 5}

UNTOUCHED = 2  # balanced pairs of mutants for each failing mutant paired with an unmodified file


class Quotas(Record, frozen=True, kw_only=True):
    """Limits for a whole set. `failures` are maximum percentages of each kind."""

    failures: dict[str, int] = msgspec.field(default_factory=lambda: dict(MOST))
    strict: bool = False  # enforce limits and equal kinds, however many rows that leaves out
    uneven: bool = False  # also pair rows of two different kinds
    repository_share: float = 5.0  # per cent of the rows, if there are enough repositories
    file_rows: int = 10  # of one focal file, all its versions together


def read_mix(text: str) -> dict[str, int]:
    """The limits in "mutated=40,history=30", with the defaults for other kinds.

    Raises UsageError for an unknown kind, an invalid percentage, and limits that no set could satisfy.

    >>> read_mix("mutated=40")["mutated"]
    40
    """
    found = dict(MOST)
    for part in text.split(","):
        kind, _, most = (each.strip() for each in part.partition("="))
        if kind not in SUBSETS:
            raise UsageError(
                f"--mix {text}: {kind!r} is not a kind of row", hint=f"one of: {', '.join(SUBSETS)}"
            )
        if not (most.isascii() and most.isdigit() and len(most) <= 3 and int(most) <= 100):
            message = f"--mix {text}: {kind}: expected a whole percentage from 0 to 100, got {most!r}"
            raise UsageError(message, hint=f"--mix {kind}={MOST[kind]}")
        found[kind] = int(most)
    if sum(found.values()) < 100:
        message = f"--mix {text}: the limits add up to {sum(found.values())} % of the failures"
        raise UsageError(message, hint="raise a limit: together they must reach 100 %")
    return found


def exceeded_quotas(failures: Mapping[str, int], mix: Mapping[str, int]) -> dict[str, float]:
    """The kinds that exceed their share of the failures, with their percentages."""
    total = sum(failures.values())
    shares = {kind: 100 * count / total for kind, count in sorted(failures.items())}
    return {kind: share for kind, share in shares.items() if share > mix[kind]}


# The share of a kind's rows by which its labels may differ. Of UNTOUCHED + 1 failing mutants one is paired
# with an unmodified file and the others with passing mutants, so of 2 * UNTOUCHED + 1 mutated rows one has no
# partner of its kind. Some more may be so: rows go to the shots, and the last turn is not always a full one.
UNEVEN = 1 / (2 * UNTOUCHED + 1) + 0.05
FEW = 10  # minimum number of rows of a kind to check its labels


def contents(rows: Sequence[Candidate], mix: Quotas) -> dict[str, Any]:
    """The counts as a JSON document."""
    clusters = Counter(cluster_of(row) for row in rows)
    repositories = Counter(row.repository for row in rows)
    failures = [row for row in rows if row.label == "failed"]
    return {
        "kinds": kinds_of(rows),
        "failures": _sorted(Counter(row.kind or "unknown" for row in failures)),
        "origins": _sorted(Counter(row.subset for row in rows if row.origin)),
        "clusters": {"tests": len(clusters), "most_rows": max(clusters.values(), default=0)},
        "largest_repository": max(repositories.values(), default=0) / max(1, len(rows)),
        "steady": _sorted(Counter(row.steady or "steady" for row in rows)),
        "builds": _sorted(Counter(row.builds.partition(":")[0] or "not tried" for row in rows)),
        "warnings": [*quota_warnings(rows, mix), *even_warnings(rows)],
    }


def kinds_of(rows: Sequence[Candidate]) -> dict[str, dict[str, int]]:
    """The number of rows of each kind by label, in the order of `SUBSETS`."""
    counted = Counter((row.subset, row.label) for row in rows)
    labels = ("success", "failed")
    return {
        kind: {label: counted[kind, label] for label in labels}
        for kind in SUBSETS
        if any(counted[kind, label] for label in labels)
    }


def quota_warnings(rows: Sequence[Candidate], mix: Quotas) -> list[str]:
    """A sentence for each kind that exceeds its share of the failures."""
    kinds = {kind: labels["failed"] for kind, labels in kinds_of(rows).items()}
    if not sum(kinds.values()):
        return []
    return [
        f"{share:.3g} % of the failed rows are of the kind “{kind}”, more than the {mix.failures[kind]} % "
        f"that they may be: the sources gave too few failures of other kinds"
        for kind, share in exceeded_quotas(kinds, mix.failures).items()
    ]


def even_warnings(rows: Sequence[Candidate]) -> list[str]:
    """A sentence for each kind with unequal labels.

    Broken rows only fail, and each has a passing row of another kind. Unmodified files may pass as often as
    they do.
    """
    found, kinds = [], kinds_of(rows)
    beside = kinds.get("broken", {}).get("failed", 0)
    for kind, labels in kinds.items():
        total, ahead = sum(labels.values()), labels["success"] - labels["failed"]
        ahead = max(-ahead, 0 if kind == "original" else ahead - beside)
        if kind != "broken" and total >= FEW and ahead > UNEVEN * total:
            labelled = " and ".join(f"{count} {label}" for label, count in labels.items())
            found.append(
                f"the kind “{kind}” has {labelled} rows, so how a row was made says something of its label"
            )
    return found


def _sorted(counted: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counted.items()))
