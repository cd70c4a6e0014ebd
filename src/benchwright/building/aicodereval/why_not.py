"""Why entries of a release are not certified: reasons, and changes that their tests do not notice."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SHOWN = 20  # entries; the rest is in the release's admissions.jsonl
DIFFS = 2  # of surviving mutants, for each entry


def uncertified(release: Path) -> Iterator[str]:
    """A line for each entry and reason, then its surviving mutants as diffs; at most `SHOWN` entries."""
    rows = [json.loads(line) for line in (release / "admissions.jsonl").read_text("utf-8").splitlines()]
    found = [row for row in rows if row["tier"] != "certified"]
    for row in found[:SHOWN]:
        yield f"{row['task_id']} is {row['tier']}, not certified:"
        for decision in row["decisions"].values():
            yield from _reason(decision)
    if len(found) > SHOWN:
        yield f"and {len(found) - SHOWN} more: {release / 'admissions.jsonl'}"


def _reason(decision: dict[str, Any]) -> Iterator[str]:
    if not decision.get("reason"):
        return
    yield f"  {decision['reason']}: {decision.get('detail', '')}".rstrip(": ")
    for mutant in decision.get("evidence", {}).get("surviving", [])[:DIFFS]:
        yield f"    the tests pass with this change ({mutant['name']}):"
        yield from (f"      {line}" for line in mutant["diff"].splitlines())
        if "call" in mutant:
            yield f"      a case that shows it: {mutant['call']}"
            yield f"      gives {mutant['solution']}, and with the change {mutant['mutant']}"
