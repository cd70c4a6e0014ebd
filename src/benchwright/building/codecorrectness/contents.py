"""The composition of a data set for its manifest and card: kinds, clusters, states, and warnings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from benchwright.building.codecorrectness.mix import UNTOUCHED, Mix, over_bounds
from benchwright.building.codecorrectness.nouns import SUBSETS, Candidate, cluster_of

# The share of a kind's rows by which its labels may differ. Of UNTOUCHED + 1 failing mutants one is paired
# with an unmodified file and the others with passing mutants, so of 2 * UNTOUCHED + 1 mutated rows one has no
# partner of its kind. Some more may be so: rows go to the shots, and the last turn is not always a full one.
UNEVEN = 1 / (2 * UNTOUCHED + 1) + 0.05
FEW = 10  # minimum number of rows of a kind to check its labels


def contents(rows: Sequence[Candidate], mix: Mix) -> dict[str, Any]:
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
        "warnings": [*mix_warnings(rows, mix), *even_warnings(rows)],
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


def mix_warnings(rows: Sequence[Candidate], mix: Mix) -> list[str]:
    """A sentence for each kind that exceeds its share of the failures."""
    kinds = {kind: labels["failed"] for kind, labels in kinds_of(rows).items()}
    if not sum(kinds.values()):
        return []
    return [
        f"{share:.3g} % of the failed rows are of the kind “{kind}”, more than the {mix.failures[kind]} % "
        f"that they may be: the sources gave too few failures of other kinds"
        for kind, share in over_bounds(kinds, mix.failures).items()
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
