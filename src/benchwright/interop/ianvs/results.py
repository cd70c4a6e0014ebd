"""What a test case gave: its metrics, where it came from, and the file that keeps it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import DataError
from benchwright.store.durable import write_json
from benchwright.store.keys import content_key

JOURNAL = "predictions.jsonl"
EDGE = "edge.json"  # beside the folders of the algorithms
FORMAT = 2  # 1 was without `figures`


BLANK = ("returned None", "returned nan", "returned inf", "returned -inf")

# How predict was called.
ALL = "all"  # once for all items, as Ianvs does
EACH = "each"  # for each item, as `--items each` asked for
PROVED = "each, proved"  # for each item, after the first ones gave the same in one call
OWN = "as the paradigm does"  # joint inference asks item by item in Ianvs too


class Measured(NamedTuple):
    """What a metric gave. `value` is a finite number or None, `cell` what a rank file shows of it, `why` says
    what is odd; `scored` of `total` items count in it, where that is known."""

    value: float | None
    cell: str
    why: str = ""
    scored: int | None = None
    total: int | None = None

    @property
    def partial(self) -> bool:
        """Whether items are missing in the value."""
        return self.scored is not None and self.scored != self.total

    @property
    def is_blank(self) -> bool:
        """Whether the metric says itself that it has no value: None, NaN or infinity."""
        return self.value is None and self.why.startswith(BLANK)

    @property
    def trouble(self) -> str:
        """Why nothing can be ranked by it; empty where it can."""
        if self.partial:
            return f"{self.scored} of {self.total} scored"
        return self.why or ("no value" if self.value is None else "")


class CaseResult(NamedTuple):
    """A case that came to its end. The example's code is its author's and was not sandboxed: `isolation`.

    `costs` are the `seconds` and `cpu_s` of the process that gave it, by what they went to: "setup",
    "predict" and "metrics" are the example's own code, "harness" is the rest. `figures` are those of its
    items, see `child.item_figures`; empty where the journal alone has them.
    """

    algorithm: str
    paradigm: str
    modules: dict[str, str]  # name by type
    hyperparameters: dict[str, str]  # by TYPE-NAME
    metrics: dict[str, Measured]
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
    items_mode: str = ""  # what was asked for: "all", "auto" or "each"
    calls: str = ""  # how predict was called: ALL, EACH, PROVED or OWN
    costs: Mapping[str, Mapping[str, float]] = {}
    figures: Mapping[str, Any] = {}

    @property
    def peers(self) -> tuple[str, str, str, str, str]:
        """What results must have in common to be put in one order."""
        return self.data, self.measuring, self.version, self.compat, self.items_mode


class CaseFailure(NamedTuple):
    """A case that gave no result: what was being done, why it ended, and where in the example's code."""

    case: int
    algorithm: str
    hyperparameters: dict[str, str]
    stage: str
    message: str
    hint: str
    place: str
    log: str


def cell_of(value: Any) -> str:
    """A value as a rank file shows it: nothing for None and NaN."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return repr(value) if isinstance(value, float) else str(value)


def result_file(folder: Path, measuring: str, version: str) -> Path:
    """Where the result of a case is kept that these metrics and this version gave: others stay beside it."""
    return folder / f"result.{content_key(measuring, version)[:12]}.json"


def write_result(folder: Path, result: CaseResult) -> None:
    """Keep a result in the folder of its case."""
    metrics = {name: measured._asdict() for name, measured in result.metrics.items()}
    path = result_file(folder, result.measuring, result.version)
    write_json(path, {**result._asdict(), "metrics": metrics, "format": FORMAT})


def read_result(path: Path) -> CaseResult:
    """A result that was kept. Raises DataError for a file that is none."""
    try:
        said = json.loads(path.read_bytes())
        if said.pop("format") not in (1, FORMAT):
            raise ValueError("of a later version")
        said["metrics"] = {name: Measured(**each) for name, each in said["metrics"].items()}
        return CaseResult(**said)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        hint = f"rm {quoted(path)}"
        raise DataError(f"invalid result of a case: {error}", path=escaped_path(path), hint=hint) from None


def kept_results(workspace: Path) -> Iterator[CaseResult]:
    """All results in a workspace, the oldest first."""
    found = [read_result(path) for path in workspace.glob("*/*/result.*.json")]
    yield from sorted(found, key=lambda each: (each.time, each.url))


def scored_text(metrics: Mapping[str, Measured]) -> str:
    """How much of each metric's items count in it, such as "llm_judgement 4/5"; empty where all do."""
    return " ".join(f"{name} {each.scored}/{each.total}" for name, each in metrics.items() if each.partial)
