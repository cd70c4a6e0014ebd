"""What `ianvs run` takes of a small device: processor seconds and memory of the whole process tree.

`./run python -m benchmarks.ianvs [--json] [--items N] [--repeats N]` writes jobs of its own with a model that
answers at once. Processor time is measured from outside. Memory is the sum of what the kernel calls the
largest memory of each process, in a run of its own: a bound from above, which no sampling can miss. An item's
cost is the difference of two jobs of different size, divided by their items.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import msgspec

from benchmarks import environment
from benchmarks.dataset import REPOSITORY
from benchmarks.figures import Spread, spread
from benchmarks.measure import measure
from benchwright.errors import UsageError

ITEMS, REPEATS, LIMIT_S = 20_000, 3, 600.0
FEW = 5  # records of the small jobs
RECORD, LARGE = 2_000, 200_000  # characters of a question
ADDRESSES_KIB = 512 * 1024
GOAL_ITEM_MS = 2.0
_START = "from benchwright.cli.main import main; main()"
_AT_EXIT = "open('status.txt', 'w').write(open('/proc/self/status').read())"
_WATCHED = f"import atexit; atexit.register(lambda: {_AT_EXIT}); {_START}"
_JOB = ["ianvs", "run", "-f", "job.yaml", "--fresh"]
_IMPORTS = "from sedna.common.class_factory import ClassFactory, ClassType\n"
_MODEL = """
@ClassFactory.register(ClassType.GENERAL, alias="stub")
class Stub:
    def __init__(self, **kwargs):
        pass

    def preprocess(self, **kwargs):
        return None

    def train(self, train_data, valid_data=None, **kwargs):
        return None

    def save(self, model_path=None):
        return None

    def load(self, model_url=None):
        pass

    def predict(self, data, **kwargs):
        return ["sound: {'Composite score': 7}" for _ in data]
"""
_METRIC = """
import re

@ClassFactory.register(ClassType.GENERAL, alias="judgement")
def judgement(y_true, y_pred):
    found = [int(re.search(r"'Composite score': ([0-9]+)", text).group(1)) for text in y_pred]
    return sum(found) / len(found)
"""


class Goal(NamedTuple):
    """What a command may take at most."""

    cpu_s: float | None
    peak_mib: float


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One command's figures: processor seconds of some runs, memory of the one before them."""

    name: str
    cpu_s: Spread
    peak_mib: float
    goal_cpu_s: float | None
    goal_mib: float

    @property
    def kept(self) -> bool:
        """Whether it is within its goal. The load of a machine adds processor time: the least counts."""
        return self.peak_mib <= self.goal_mib and (
            self.goal_cpu_s is None or self.cpu_s.low <= self.goal_cpu_s
        )


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of all commands, and what one item more costs."""

    machine: environment.Machine
    items: int
    rows: list[Row]
    item_ms: float

    @property
    def kept(self) -> bool:
        """Whether all are within their goals."""
        return all(row.kept for row in self.rows) and self.item_ms <= GOAL_ITEM_MS


def write_job(folder: Path, items: int, *, large: bool = False) -> None:
    """A job over so many records of 2 KB, and one of 200 KB where asked for."""
    folder.mkdir()
    (folder / "stub.py").write_text(_IMPORTS + _MODEL)
    (folder / "judgement.py").write_text(_IMPORTS + _METRIC)
    with (folder / "data.jsonl").open("w") as file:
        for number in range(items + large):
            size = LARGE if number == items else RECORD
            file.write(json.dumps({"question": f"{number:06} ".ljust(size, "x"), "answer": "A"}) + "\n")
    (folder / "train.jsonl").touch()
    module = {"type": "basemodel", "name": "stub", "url": "./stub.py"}
    _write(folder / "stub.yaml", "algorithm", {"paradigm_type": "singletasklearning", "modules": [module]})
    data = {"train_data": "./train.jsonl", "test_data": "./data.jsonl"}
    metrics = [{"name": "judgement", "url": "./judgement.py"}]
    _write(folder / "testenv.yaml", "testenv", {"dataset": data, "metrics": metrics})
    tested = {"type": "algorithms", "algorithms": [{"name": "stub", "url": "./stub.yaml"}]}
    job = {"name": "job", "workspace": "./workspace", "testenv": "./testenv.yaml", "test_object": tested}
    _write(folder / "job.yaml", "benchmarkingjob", {**job, "rank": {"sort_by": [{"judgement": "descend"}]}})


def _write(path: Path, key: str, value: dict[str, Any]) -> None:
    path.write_text(json.dumps({key: value}, indent=1))  # JSON is YAML too


def bench(*, items: int, repeats: int) -> Report:
    """Write the jobs, and measure each command in turn, round by round."""
    machine = environment.describe()
    with TemporaryDirectory() as name:
        ground = Path(name)
        write_job(ground / "few", FEW)
        write_job(ground / "many", items)
        write_job(ground / "large", items, large=True)
        many, small, big = f"{items:,} records of 2 KB", Goal(None, 120), Goal(2.5, 130)
        commands = [
            ("--version", ["--version"], ground, Goal(0.15, 30), 0),
            (f"job of {FEW} records", _JOB, ground / "few", Goal(0.4, 60), 0),
            (many, _JOB, ground / "many", small, 0),
            (f"{many}, one of 200 KB", _JOB, ground / "large", big, 0),
            ("the same, 512 MB of addresses", _JOB, ground / "large", big, ADDRESSES_KIB),
        ]
        rows = [_row(*each, repeats) for each in commands]
    item_ms = 1000 * (rows[2].cpu_s.low - rows[1].cpu_s.low) / (items - FEW)
    return Report(machine=machine, items=items, rows=rows, item_ms=round(item_ms, 4))


def _row(name: str, words: Sequence[str], folder: Path, goal: Goal, limit_kib: int, repeats: int) -> Row:
    """The first run, in which memory is looked at, writes bytecode too: its time does not count."""
    measure(_command(_WATCHED, words, limit_kib), folder=folder, limit_s=LIMIT_S)
    runs = [
        measure(_command(_START, words, limit_kib), folder=folder, limit_s=LIMIT_S) for _ in range(repeats)
    ]
    return Row(
        name=name,
        cpu_s=spread(each.cpu_s for each in runs),
        peak_mib=round(_peak_mib(folder), 1),
        goal_cpu_s=goal.cpu_s,
        goal_mib=goal.peak_mib,
    )


def _command(program: str, words: Sequence[str], limit_kib: int) -> list[str]:
    command = ["/usr/bin/env", f"PYTHONPATH={REPOSITORY / 'src'}", sys.executable, "-c", program, *words]
    return ["/bin/sh", "-c", f'ulimit -v {limit_kib}; exec "$@"', "sh", *command] if limit_kib else command


def _peak_mib(folder: Path) -> float:
    """Of the command's own process, and of the one that ran the job's case."""
    status = (folder / "status.txt").read_text()
    own = int(status.partition("VmHWM:")[2].split()[0]) / 1024
    report = folder / "workspace" / "job" / "edge.json"
    cases = json.loads(report.read_text())["cases"] if report.is_file() else []
    return own + max((case["peak_mb"] for case in cases), default=0.0)


def page(report: Report) -> str:
    """The figures as text."""
    machine = report.machine
    lines = [
        f"{row.name:<42} {row.cpu_s.text():>18} CPU s{_goal(row.goal_cpu_s)}"
        f" {row.peak_mib:>6.0f} MiB (goal {row.goal_mib:g})" + ("" if row.kept else "  MISSED")
        for row in report.rows
    ]
    lines += [
        f"{'one item more':<42} {report.item_ms:>18.3f} CPU ms (goal {GOAL_ITEM_MS:g})",
        f"{machine.cpu}, {machine.cores} cores, Python {machine.python}, load {machine.load} at the start",
    ]
    return "\n".join(lines)


def _goal(seconds: float | None) -> str:
    return "" if seconds is None else f" (goal {seconds:g})"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 1 where one is beyond its goal."""
    parser = argparse.ArgumentParser(prog="benchmarks.ianvs", description=__doc__)
    parser.add_argument("--items", type=int, default=ITEMS, help="records of the large jobs (20000)")
    parser.add_argument("--repeats", type=int, default=REPEATS, help="counted runs (3)")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    if given.items <= FEW or given.repeats < 1:
        raise UsageError(f"--items must be more than {FEW}, --repeats at least 1")
    report = bench(items=given.items, repeats=given.repeats)
    print(msgspec.json.encode(report).decode() if given.json else page(report))
    return int(not report.kept)


if __name__ == "__main__":
    sys.exit(main())
