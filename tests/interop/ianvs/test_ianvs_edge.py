"""The edge report: each figure from its items, the harness apart from the model, and nothing made up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import DataError
from benchwright.interop.ianvs.case_results import CaseResult
from benchwright.interop.ianvs.child.costs import CallCost
from benchwright.interop.ianvs.edge_costs import (
    EdgeCase,
    Latency,
    ReplyRate,
    describe_device,
    edge_report,
    with_harness_costs,
)
from kit.made_ianvs import ACC, MODEL, algorithm, job, module, run, small_job, write

BUSY = MODEL.replace("return self.letter", "sum(range(300_000)); return self.letter")
TELLS = MODEL.replace(
    "return self.letter",
    "return {'completion': 'A', 'usage': {'completion_tokens': 3}, 'perf': {'time_to_first_token': 0.5}}",
)
SERVED = MODEL.replace(
    "self.letter = letter",
    "import subprocess, sys; self.letter = letter; self.server = subprocess.Popen("
    "[sys.executable, '-u', '-c', 'kept = bytearray(80 << 20); print(1); input()'], "
    "stdin=subprocess.PIPE, stdout=subprocess.PIPE); self.server.stdout.readline()",
)


def result(folder: Path, **changed: Any) -> CaseResult:
    """A result whose journal is in this folder."""
    given: dict[str, Any] = {
        "algorithm": "a",
        "paradigm": "singletasklearning",
        "modules": {},
        "hyperparameters": {},
        "metrics": {},
        "time": "",
        "url": str(folder),
        "items": 4,
        "data": "",
        "measuring": "",
        "version": "",
        "compat": "default",
        "remarks": [],
        "seconds": 1.0,
        "cpu_s": 0.5,
        "peak_mb": 30.0,
    }
    return CaseResult(**{**given, **changed})


def reported(folder: Path, *rows: dict[str, Any]) -> EdgeCase:
    """The report of a case with these items."""
    plain = {"seconds": 0.1, "cpu_s": 0.05, "peak_mb": 20.0}
    lines = (json.dumps({"item": number, **plain, **row}) for number, row in enumerate(rows))
    (folder / "predictions.jsonl").write_text("\n".join(lines) + "\n")
    (case,) = edge_report([result(folder, items=len(rows))]).cases
    return case


def test_latency_is_of_single_calls(tmp_path: Path) -> None:
    """Median, 95th percentile by nearest rank, largest; items a second of predicting."""
    case = reported(tmp_path, *({"seconds": number / 10} for number in range(1, 21)))

    assert case.latency == Latency(1.05, 1.9, 2.0)
    assert (case.items_per_s, case.model_s, case.model_cpu_s) == (round(20 / 21, 3), 21.0, 1.0)


def test_one_call_for_all_has_no_latency(tmp_path: Path) -> None:
    """Shares of it are no latencies."""
    case = reported(tmp_path, *[{"seconds": 0.5, "shared_by": 3}] * 3)

    assert (case.latency, case.shared_by, case.items_per_s) == (None, 3, 2.0)


@pytest.mark.parametrize(
    ("rows", "rate"),
    [
        ([{"tokens": 10}, {"tokens": 30}], ReplyRate(200.0, "tokens/s", 2)),
        ([{"tokens": 10}, {"characters": 50}], ReplyRate(100.0, "tokens/s", 1)),
        ([{"characters": 10}, {}], ReplyRate(100.0, "characters/s", 1)),
        ([{}, {}], ReplyRate(None, "not measured", 0)),
        ([{"tokens": 4, "seconds": 0.0}], ReplyRate(None, "tokens/s", 1)),
    ],
)
def test_the_rate_names_its_unit(tmp_path: Path, rows: list[dict[str, Any]], rate: ReplyRate) -> None:
    """Characters are no tokens: the two are never added."""
    assert reported(tmp_path, *rows).rate == rate


def test_the_harness_is_what_is_left() -> None:
    """Of the whole, less what the example's code took; never below nothing."""
    theirs = {"setup": {"seconds": 1.0, "cpu_s": 0.5}, "predict": {"seconds": 2.0, "cpu_s": 0.25}}

    assert with_harness_costs(theirs, CallCost(3.5, 1.0, 0.0))["harness"] == {"seconds": 0.5, "cpu_s": 0.25}
    assert with_harness_costs(theirs, CallCost(2.9, 0.7, 0.0))["harness"] == {"seconds": 0.0, "cpu_s": 0.0}


def test_an_older_result_is_not_measured(tmp_path: Path) -> None:
    """A result without costs, and a folder without a journal."""
    (case,) = edge_report([result(tmp_path)]).cases

    assert (case.latency, case.rate.unit, case.setup_cpu_s, case.harness_cpu_s) == (
        None,
        "not measured",
        None,
        None,
    )


@pytest.mark.parametrize("line", ['{"item": 1}', "{", '{"seconds": "x", "cpu_s": 0, "peak_mb": 0}'])
def test_a_damaged_journal_is_named(tmp_path: Path, line: str) -> None:
    """With its line, and the command that writes it again."""
    (tmp_path / "predictions.jsonl").write_text('{"seconds": 1, "cpu_s": 1, "peak_mb": 1}\n' + line + "\n")

    with pytest.raises(DataError, match=r"predictions.jsonl:2: no figures of an item") as caught:
        edge_report([result(tmp_path)])
    assert caught.value.hint == f"rm {tmp_path}/predictions.jsonl"


def test_a_model_at_work_is_told_from_the_harness(tmp_path: Path) -> None:
    """A model that computes has the time; loading and measuring are apart."""
    write(tmp_path, acc_py=ACC, model_py=BUSY)
    path = job(tmp_path, {"busy": algorithm(tmp_path, "busy", module("model", "./model.py"))})
    report = run(path, items="each")
    (case,) = report.edge.cases
    written = json.loads((report.job.workspace / "edge.json").read_text())
    (idle,) = run(small_job(tmp_path), fresh=True, items="each").edge.cases

    assert case.model_cpu_s > 10 * idle.model_cpu_s > 0
    assert case.items == 3 and case.latency is not None and case.latency.median_s > 0.001
    assert None not in (case.setup_cpu_s, case.metrics_cpu_s, case.harness_cpu_s)
    assert written["cases"][0]["predictions"] == f"{report.results[0].url}/predictions.jsonl"


def test_tokens_that_a_reply_tells(tmp_path: Path) -> None:
    """In the form of Ianvs's language examples."""
    write(tmp_path, acc_py=ACC, model_py=TELLS)
    (case,) = run(job(tmp_path, {"a": algorithm(tmp_path, "a", module("model", "./model.py"))})).edge.cases

    assert (case.rate.unit, case.rate.items, case.first_token_s) == ("tokens/s", 3, 0.5)


def test_the_memory_of_a_server_of_the_model(tmp_path: Path) -> None:
    """A process that the example has started belongs to the case."""
    write(tmp_path, acc_py=ACC, model_py=SERVED)
    (case,) = run(job(tmp_path, {"a": algorithm(tmp_path, "a", module("model", "./model.py"))})).edge.cases

    assert case.peak_mb > 90


def test_a_known_result_is_reported_again(tmp_path: Path) -> None:
    """From its journal and its file: nothing is run."""
    path = small_job(tmp_path)
    first, again = run(path).edge, run(path).edge

    assert again.cases == first.cases and len(again.cases) == 1


def test_the_journal_tells_the_same(tmp_path: Path) -> None:
    """As the process that wrote it, where a result has no figures: one of an earlier version, or one gone on with."""
    write(tmp_path, acc_py=ACC, model_py=TELLS)
    report = run(job(tmp_path, {"a": algorithm(tmp_path, "a", module("model", "./model.py"))}))
    (kept,) = report.results

    assert kept.figures and edge_report([kept._replace(figures={})]).cases == report.edge.cases


def test_a_journal_of_two_processes_is_read(tmp_path: Path) -> None:
    """The second adds up its own items alone, so the file counts."""
    path = small_job(tmp_path)
    (first,) = run(path, items="each").results
    (journal,) = Path(first.url).glob("predictions.jsonl")
    rows = [{**json.loads(line), "seconds": 100.0} for line in journal.read_text().splitlines()]
    journal.write_text("".join(json.dumps(row) + "\n" for row in rows[:2]))
    for file in Path(first.url).glob("result.*.json"):
        file.unlink()
    report = run(path, items="each")

    assert (report.results[0].figures, report.edge.cases[0].items) == ({}, 3)
    assert 200 < report.edge.cases[0].model_s < 300


def test_the_device_is_described() -> None:
    """Without its name."""
    device = describe_device()

    assert device.cpu and device.cores >= 1 and device.memory_mb > 100 and device.kernel[0].isdigit()
    assert (Path("/proc/sys/kernel/hostname").read_text().strip() or "-") not in device.cpu
