"""The document of `benchwright run --json` as Markdown: each score with its interval, how answers ended.

python3 summary.py run.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def summary(document: dict[str, Any]) -> str:
    """A heading, a table of the metrics, a line of the outcomes and one of the self-check."""
    heading = f"### {_cell(document['track'])}: {_cell(document['model'])}"
    rows = [_row(name, metric) for name, metric in document["metrics"].items()]
    table = ["| metric | value | 95 % interval | tasks |", "|---|---|---|---|", *rows]
    ended = ", ".join(f"{count} {name}" for name, count in document["outcomes"].items() if count)
    failures = len(document["self_check"].get("failures", []))
    check = (
        "self-check: gold passed and the stub failed" if not failures else f"self-check: {failures} failures"
    )
    return "\n".join([heading, "", *table, "", f"{ended}. {check}.", ""])


def _row(name: str, metric: dict[str, Any]) -> str:
    low, high = _number(metric.get("low")), _number(metric.get("high"))
    return f"| {_cell(name)} | {_number(metric.get('value'))} | {low} to {high} | {metric.get('n', '')} |"


def _number(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, int | float) else "–"


def _cell(text: object) -> str:
    """Text of others in a table: no bar, line end or tag of it counts."""
    plain = " ".join(str(text).split()).replace("&", "&amp;").replace("<", "&lt;")
    return plain.replace("\\", "\\\\").replace("|", "\\|").replace("`", "\\`")


def main(words: list[str]) -> int:
    """Print the summary of the document that is named; nothing where a failed run has left none."""
    text = Path(words[0]).read_text(encoding="utf-8")
    if text.strip():
        print(summary(json.loads(text)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
