"""Results of test cases: metrics, origin, and files that store them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import DataError
from benchwright.store.atomic_files import write_json
from benchwright.store.keys import content_key

JOURNAL = "predictions.jsonl"
EDGE = "edge.json"  # next to the folders of the algorithms
FORMAT = 2  # 1 had no `figures`


BLANK = ("returned None", "returned nan", "returned inf", "returned -inf")

# Calls of predict.
ALL = "all"  # once for all items, as Ianvs does
EACH = "each"  # for each item, because of `--items each`
PROVED = "each, proved"  # for each item, after the first ones gave equal predictions in one call
OWN = "as the paradigm does"  # joint inference predicts item by item in Ianvs too


class MetricResult(NamedTuple):
    """Result of a metric. `value` is a finite number or None, `cell` its text in rank files, `why` a problem.

    `scored` of `total` items count in it, if known.
    """

    value: float | None
    cell: str
    why: str = ""
    scored: int | None = None
    total: int | None = None

    @property
    def partial(self) -> bool:
        """Whether the value covers only some items."""
        return self.scored is not None and self.scored != self.total

    @property
    def is_blank(self) -> bool:
        """Whether the metric itself reports no value: None, NaN or infinity."""
        return self.value is None and self.why.startswith(BLANK)

    @property
    def trouble(self) -> str:
        """Reason for not ranking by the metric; empty if it can be used."""
        if self.partial:
            return f"{self.scored} of {self.total} scored"
        return self.why or ("no value" if self.value is None else "")


class CaseResult(NamedTuple):
    """Result of a completed case. The example's code was not sandboxed: `isolation`.

    `costs` are the `seconds` and `cpu_s` of its process by kind: "setup", "predict" and "metrics" are the
    example's code, "harness" is the rest. `figures` are those of its items (see `child.item_figures`); empty
    if only the journal has them.
    """

    algorithm: str
    paradigm: str
    modules: dict[str, str]  # name by type
    hyperparameters: dict[str, str]  # by TYPE-NAME
    metrics: dict[str, MetricResult]
    time: str
    url: str  # its folder
    items: int
    data: str  # content key of the data and how it is read
    measuring: str  # content key of the metrics' code
    version: str
    compat: str
    remarks: list[str]
    seconds: float
    cpu_s: float
    peak_mb: float
    isolation: str = "none"
    items_mode: str = ""  # the requested mode: "all", "auto" or "each"
    calls: str = ""  # how predict was called: ALL, EACH, PROVED or OWN
    costs: Mapping[str, Mapping[str, float]] = {}
    figures: Mapping[str, Any] = {}

    @property
    def peers(self) -> tuple[str, str, str, str, str]:
        """Properties that results must share to be ranked together."""
        return self.data, self.measuring, self.version, self.compat, self.items_mode


class CaseFailure(NamedTuple):
    """Failure of a case: stage, reason, and place in the example's code."""

    case: int
    algorithm: str
    hyperparameters: dict[str, str]
    stage: str
    message: str
    hint: str
    place: str
    log: str


def cell_of(value: Any) -> str:
    """Format a value for rank files: empty for None and NaN."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return repr(value) if isinstance(value, float) else str(value)


def result_file(folder: Path, measuring: str, version: str) -> Path:
    """Return the file of a case's result for these metrics and this version; others are next to it."""
    return folder / f"result.{content_key(measuring, version)[:12]}.json"


def write_result(folder: Path, result: CaseResult) -> None:
    """Write a result to the folder of its case."""
    metrics = {name: measured._asdict() for name, measured in result.metrics.items()}
    path = result_file(folder, result.measuring, result.version)
    write_json(path, {**result._asdict(), "metrics": metrics, "format": FORMAT})


def read_result(path: Path) -> CaseResult:
    """Read a stored result. Raises DataError for an invalid file."""
    try:
        document = json.loads(path.read_bytes())
        if document.pop("format") not in (1, FORMAT):
            raise ValueError("of a later version")
        document["metrics"] = {name: MetricResult(**each) for name, each in document["metrics"].items()}
        return CaseResult(**document)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        hint = f"rm {quoted(path)}"
        raise DataError(f"invalid result of a case: {error}", path=escaped_path(path), hint=hint) from None


def stored_results(workspace: Path) -> Iterator[CaseResult]:
    """Yield all results in a workspace, oldest first."""
    found = [read_result(path) for path in workspace.glob("*/*/result.*.json")]
    yield from sorted(found, key=lambda each: (each.time, each.url))


def scored_text(metrics: Mapping[str, MetricResult]) -> str:
    """Format partial metrics, such as "llm_judgement 4/5"; empty if all are complete."""
    return " ".join(f"{name} {each.scored}/{each.total}" for name, each in metrics.items() if each.partial)
