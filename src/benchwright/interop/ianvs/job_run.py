"""Run of a job: cases one after another, each in its own process, then the rank files."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import UsageError
from benchwright.interop.ianvs.case_process import Message, run_process
from benchwright.interop.ianvs.case_results import (
    ALL,
    EACH,
    EDGE,
    JOURNAL,
    OWN,
    PROVED,
    CaseFailure,
    CaseResult,
    MetricResult,
    read_result,
    result_file,
    stored_results,
    write_result,
)
from benchwright.interop.ianvs.child.costs import CallCost
from benchwright.interop.ianvs.edge_costs import EdgeReport, edge_report, with_harness_costs
from benchwright.interop.ianvs.job_reading import read_job
from benchwright.interop.ianvs.job_records import (
    SINGLE_TASK,
    DataFile,
    IanvsCase,
    IanvsJob,
    JobKeys,
    JobRemark,
    case_key,
    job_cases,
    job_keys,
)
from benchwright.interop.ianvs.rank_files import (
    Standings,
    append_results,
    check_rank_files,
    rank_results,
    with_equal_types,
    write_standings,
)
from benchwright.interop.ianvs.yaml_sections import PathRules
from benchwright.progress import Watcher, stage
from benchwright.store.atomic_files import lock, open_grown, write_json
from benchwright.version import VERSION

LOG = "output.log"
_LOCK = ".lock"
_BATCH = "predict is called once for all items, because the first ones get other predictions one by one"


class JobOptions(NamedTuple):
    """Options of a run, in addition to the job's files."""

    file: Path
    root: Path = Path()
    path_map: tuple[tuple[str, str], ...] = ()
    fields: Mapping[str, str] = {}  # ours → theirs
    items: str = "all"  # how predict is called: see `child.predicting.predict`
    strict: bool = False
    timeout_s: float | None = None  # of a case
    fresh: bool = False  # nothing is taken from an earlier run


class JobReport(NamedTuple):
    """Results of a job. `other` counts results in the workspace that are not comparable."""

    job: IanvsJob
    results: list[CaseResult]
    known: int  # of them: were there already
    failures: list[CaseFailure]
    standings: Standings
    other: int
    files: list[Path]
    edge: EdgeReport

    @property
    def remarks(self) -> list[JobRemark]:
        """Notes on the job's files for their author."""
        return self.job.remarks

    @property
    def complete(self) -> bool:
        """Whether every case has a rank, and every value covers all items.

        Metrics that are not used for sorting may be None or NaN, which means that they have no value.
        """
        metric_names = {name for name, _ in self.job.rank.sort_by} or {name for _, name, _ in self.troubles}
        return not self.failures and not any(
            name in metric_names or not result.metrics[name].is_blank for result, name, _ in self.troubles
        )

    @property
    def troubles(self) -> list[tuple[CaseResult, str, str]]:
        """Metrics without a value or with a partial one: result, metric and reason."""
        return [
            (result, name, measured.trouble)
            for result in self.results
            if result.compat != "strict"
            for name, measured in result.metrics.items()
            if measured.trouble
        ]


class _Run(NamedTuple):
    """State of a running job."""

    options: JobOptions
    job: IanvsJob
    keys: JobKeys
    watch: Watcher


def run_job(options: JobOptions, watch: Watcher) -> JobReport:
    """Run a job and write its rank files. Results of a killed run are reused.

    Raises DataError and UsageError for an invalid job before it runs. A failed case is a CaseFailure; other
    cases continue.
    """
    root = options.root.absolute()
    job = read_job(options.file, PathRules(root, options.path_map))
    planned = list(job_cases(job))
    run = _Run(options, job, job_keys(job, options.fields), watch)
    with _locked_workspace(job.workspace):
        check_rank_files(job.workspace / "rank", strict=options.strict)
        case_ends = [_case(run, case, len(planned)) for case in planned]
        return _report(run, case_ends)


@contextmanager
def _locked_workspace(workspace: Path) -> Iterator[None]:
    """Create and lock the workspace."""
    try:
        workspace.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        hint = f"use another folder: `--path-map {quoted(workspace.parent)}=./workspace`"
        raise UsageError(f"cannot create {escaped_path(workspace)}: {error.strerror}", hint=hint) from None
    fd = open_grown(workspace / _LOCK, os.O_CREAT)
    try:
        lock(fd, workspace / _LOCK)
        yield
    finally:
        os.close(fd)


class _CaseEnd(NamedTuple):
    """End of a case: a result or a failure."""

    result: CaseResult | None
    failure: CaseFailure | None = None
    known: bool = False


def _case(run: _Run, case: IanvsCase, planned: int) -> _CaseEnd:
    folder = _folder(run, case)
    _report_single_calls(run, case)
    title = f"case {case.number} of {planned}"
    if (stored := _stored_result(run, folder)) is not None:
        run.watch.note(f"{title}: done in an earlier run")
        return _CaseEnd(stored, known=True)
    if run.options.fresh:
        (folder / JOURNAL).unlink(missing_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    with stage(run.watch, title, total=run.keys.records, done=0):
        last, cost = _run_case(run, case, folder, run.options.items)
        calls = PROVED if run.options.items == "auto" else run.options.items
        if last.get("again"):
            last, cost = _run_case(run, case, folder, ALL)
            last.get("remarks", []).append(_BATCH)
            calls = ALL
    if "failed" in last:
        failure = CaseFailure(
            case.number, case.algorithm.name, case.hyperparameters, **last["failed"], log=str(folder / LOG)
        )
        return _CaseEnd(None, failure)
    calls = calls if case.algorithm.paradigm == SINGLE_TASK else OWN
    result = _result(run, case, folder, last, cost, calls)
    write_result(folder, result)
    return _CaseEnd(result)


def _report_single_calls(run: _Run, case: IanvsCase) -> None:
    """Report earlier predictions that are not reused because they were made item by item."""
    if run.options.strict or run.options.items == EACH:
        return
    folder = run.job.workspace / case.algorithm.name / case_key(case, run.job, run.keys, EACH)
    if (folder / JOURNAL).is_file():
        text = "contains predictions of single items, which are not used for one call"
        run.job.remarks.append(JobRemark(escaped_path(folder), text, "resume them with `--items each`"))


def _run_case(run: _Run, case: IanvsCase, folder: Path, items: str) -> tuple[Message, CallCost]:
    """Run a case, and return its last message and cost."""
    began, before = time.monotonic(), time.process_time()
    last = run_process(
        _spec(run, case, folder, items),
        folder=run.options.root.absolute(),
        log=folder / LOG,
        timeout_s=run.options.timeout_s,
        hear=_Listener(run.watch),
    )
    seconds, cpu_s = time.monotonic() - began, time.process_time() - before + last.get("cpu_s", 0.0)
    return last, CallCost(seconds, cpu_s, last.get("peak_mb", 0.0))


def _folder(run: _Run, case: IanvsCase) -> Path:
    """Return the folder of a case: a new one with `strict`, else named by the key of its predictions."""
    name = _new_name() if run.options.strict else case_key(case, run.job, run.keys, run.options.items)
    return run.job.workspace / case.algorithm.name / name


def _new_name() -> str:
    from uuid import uuid1  # noqa: PLC0415 (as Ianvs names them)

    return str(uuid1())


def _stored_result(run: _Run, folder: Path) -> CaseResult | None:
    """Read the result of an earlier run with the same metrics; None if there is none or a metric failed."""
    path = result_file(folder, run.keys.measuring, VERSION)
    if run.options.fresh or not path.is_file():
        return None
    result = read_result(path)
    return None if any(measured.why for measured in result.metrics.values()) else result


def _spec(run: _Run, case: IanvsCase, folder: Path, items: str) -> Message:
    """Make the specification of a case for its process: see `child.case.CaseSpec`."""
    environment, algorithm = run.job.environment, case.algorithm
    return {
        "algorithm": algorithm.name,
        "paradigm": algorithm.paradigm,
        "modules": {
            each.type: {"name": each.name, "url": str(each.url), "hyperparameters": each.hyperparameters}
            for each in case.modules
        },
        "packages": [str(path) for path in algorithm.packages],
        "initial_model": algorithm.initial_model,
        "federated": algorithm.federated,
        "environment": {
            "use_gpu": environment.use_gpu,
            "rounds": environment.rounds,
            "clients": environment.clients,
            "mining_mode": environment.mining_mode,
        },
        "train": _data_message(run, environment.train),
        "test": _data_message(run, environment.test),
        "metrics": [
            {"name": each.name, "url": each.url and str(each.url), "options": each.options}
            for each in environment.metrics
        ],
        "folder": str(folder.absolute()),
        "items": items,
        "strict": run.options.strict,
    }


def _data_message(run: _Run, file: DataFile | None) -> Message | None:
    if file is None:
        return None
    fields = dict(run.options.fields)
    return {"path": str(file.path), "kind": file.kind, "fields": fields, "strict": run.options.strict}


class _Listener:
    """Forwards messages of a case's process to the watcher."""

    def __init__(self, watch: Watcher) -> None:
        self._watch, self._done = watch, 0

    def __call__(self, message: Message) -> None:
        if "stage" in message:
            self._watch.status(message["stage"])
        for _ in range(self._done, message.get("items", self._done)):
            self._watch.tick(None)
            self._done += 1


def _result(
    run: _Run, case: IanvsCase, folder: Path, last: Message, cost: CallCost, calls: str
) -> CaseResult:
    return CaseResult(
        algorithm=case.algorithm.name,
        paradigm=case.algorithm.paradigm,
        modules={module.type: module.name for module in case.modules},
        hyperparameters=case.hyperparameters,
        metrics={name: MetricResult(**each) for name, each in last["metrics"].items()},
        time=time.strftime("%Y-%m-%d %H:%M:%S"),
        url=str(folder),
        items=last["items"],
        data=run.keys.data,
        measuring=run.keys.measuring,
        version=VERSION,
        compat="strict" if run.options.strict else "default",
        remarks=last["remarks"],
        seconds=round(cost.seconds, 3),
        cpu_s=last["cpu_s"],
        peak_mb=cost.peak_mb,
        costs=with_harness_costs(last["costs"], cost),
        figures=last["figures"],
        items_mode=run.options.items,
        calls=calls,
    )


def _report(run: _Run, case_ends: list[_CaseEnd]) -> JobReport:
    """Write the rank files of all comparable results in the workspace."""
    results = [each.result for each in case_ends if each.result is not None]
    metrics = [metric.name for metric in run.job.environment.metrics]
    ranks, other = run.job.workspace / "rank", 0
    if run.options.strict:
        standings = Standings(results, [])
        files = append_results(ranks, results, metrics, run.job.rank) if results else []
    else:
        peers = (run.keys.data, run.keys.measuring, VERSION, "default", run.options.items)
        stored = list(stored_results(run.job.workspace))
        places = {each.url: place for place, each in enumerate(results)}  # two may end in one second
        mine = [each for each in stored if each.peers == peers]
        mine.sort(key=lambda each: (each.time, places.get(each.url, -1)))
        other = len(stored) - len(mine)
        standings = rank_results(with_equal_types(mine, metrics), run.job.rank)
        files = write_standings(ranks, standings, metrics, run.job.rank) if mine else []
    edge = edge_report(results)
    write_json(run.job.workspace / EDGE, edge.document())
    return JobReport(
        job=run.job,
        results=results,
        known=sum(each.known for each in case_ends),
        failures=[each.failure for each in case_ends if each.failure is not None],
        standings=standings,
        other=other,
        files=files,
        edge=edge,
    )
