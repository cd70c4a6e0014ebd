"""One metric with several names: `pass@1=includes` matches a run's pass@1 with a log's includes."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from benchwright.display.escape import escaped_name
from benchwright.errors import UsageError
from benchwright.rank.comparable import BOTH
from benchwright.rank.contestant import Contestant


def match_metric(contestants: Sequence[Contestant], metric: str | None) -> list[Contestant]:
    """The contestants, each with the metric under the joined name; unchanged without joined names.

    Each contestant uses the first of the names that it has. Only the user knows that two tools measure the
    same, so nothing is matched automatically. Raises UsageError for a contestant with none of the names,
    and for metrics with opposite directions.
    """
    if metric is None or BOTH not in metric or any(metric in c.estimates for c in contestants):
        return list(contestants)
    names = [name.strip() for name in metric.split(BOTH)]
    own = [_own(c, names) for c in contestants]
    directions = {c.measure(name).higher_is_better for c, name in zip(contestants, own, strict=True)}
    if len(directions) > 1:
        message = f"{escaped_name(metric)}: higher is better for one of them and worse for the other"
        raise UsageError(message, hint="use metrics with the same direction")
    return [_with(c, name, metric) for c, name in zip(contestants, own, strict=True)]


def _own(contestant: Contestant, names: Sequence[str]) -> str:
    found = next((name for name in names if name in contestant.estimates), None)
    if found is None:
        held = ", ".join(contestant.estimates) or "none"
        asked = " nor ".join(escaped_name(name) for name in names)
        raise UsageError(
            f"{contestant.name} has neither {asked}: it has {held}",
            hint=f"--metric '{names[0]}={next(iter(contestant.estimates), 'NAME')}'",
        )
    return found


def _with(contestant: Contestant, name: str, joined: str) -> Contestant:
    """The contestant with a metric also under the joined name."""
    known = msgspec.structs.replace(contestant.measure(name), name=joined, label=joined)
    score = contestant.score
    metrics = {joined: score.metrics[name], **score.metrics}
    return msgspec.structs.replace(
        contestant,
        estimates={joined: contestant.estimates[name], **contestant.estimates},
        measured=[known, *contestant.measured],
        score=msgspec.structs.replace(score, metrics=metrics),
    )
