"""Verification of a published data set: every row is executed again and its label compared with the result.

`write_corrected` writes a copy of the data set with the labels of the executions.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from benchwright.building.codecorrectness.label_executions import (
    Consensus,
    consensus_of,
    flakiness_verdict,
    may_be_flaky,
)
from benchwright.building.codecorrectness.row_records import LabelledRow, load_rows, suite_of
from benchwright.building.engine.stages import make_folder, write_records
from benchwright.contracts import Suite
from benchwright.errors import UsageError
from benchwright.executing.suite_ledger import Ledger, RowSuite, execute
from benchwright.executing.suite_runners import Libraries, Runners
from benchwright.lang.source import tags
from benchwright.lang.source_errors import LayoutError
from benchwright.progress import Silent, Watcher
from benchwright.records import Record, TaskId
from benchwright.store.data_files import data_hash
from benchwright.store.writing import write_json, writing
from benchwright.version import VERSION

# Each row has exactly one of these findings.
FINDINGS = (
    "agrees",
    "wrong_label",
    "unlabelled",  # the data set hides the label; the executed one is reported
    "flaky",
    "environment",
    "tampered",
    "sandbox_error",
    "absent",
    "no_layout",
)


class RowFinding(Record, frozen=True, kw_only=True):
    """The result for one row."""

    task_id: TaskId
    origin: str
    lang: str
    revision: str
    finding: str  # one of FINDINGS
    published: str = ""
    executed: str = ""  # the label that all executions agree on
    runs: int = 0
    passes: int = 0
    kinds: dict[str, int] = {}
    detail: str = ""


class VerificationReport(Record, frozen=True, kw_only=True):
    """The report on a data set; `counts` has every one of FINDINGS and adds up to `rows`."""

    data: str
    data_hash: str
    folder: str
    rows: int
    repeat: int
    counts: dict[str, int]
    languages: dict[str, dict[str, int]]
    agreement: float | None  # share of correct labels among the checked ones; None without any
    unescaped: int  # rows whose code was escaped twice
    toolchains: dict[str, dict[str, str]]
    absent: dict[str, str]  # by language: the missing toolchain and its install command
    findings: list[RowFinding]  # one for each row, in order

    @property
    def checked(self) -> int:
        """The number of rows with a published label and a stable result."""
        return self.counts["agrees"] + self.counts["wrong_label"]


def verify(
    data: str | Path,
    *,
    out: Path | None = None,
    repeat: int = 5,
    steady_repeat: int = 20,
    libraries: str = "",
    runners: Runners | None = None,
    watch: Watcher | None = None,
) -> VerificationReport:
    """Execute every row `repeat` times and compare. The same call resumes from stored executions.

    Rows that depend on time, threads or identity are executed `steady_repeat` times if that is more, the
    additional ones under a stressed scheduler.
    """
    if repeat < 1:
        raise UsageError(f"--repeat {repeat}: must be at least 1", hint="--repeat 5")
    rows = [row for row, _ in load_rows(data)]
    digest = data_hash(data)
    folder = out or default_folder(data, digest)
    make_folder(folder)
    with (
        Ledger(folder / "executions.jsonl") as ledger,
        runners or Runners(libraries=Libraries(libraries).folder) as opened,
    ):
        suites, impossible = _laid_out(rows)
        jobs = [RowSuite(row.revision, suites[row.revision]) for row in rows if row.revision in suites]
        watch = watch or Silent()
        done = execute(_distinct(jobs), ledger, opened, repeat=repeat, watch=watch)
        risky = [job for job in _distinct(jobs) if _may_vary(job.suite)] if steady_repeat > repeat else []
        done |= flakiness_verdict(risky, done, ledger, opened, most=steady_repeat, watch=watch)
        findings = [_finding(row, impossible, done) for row in rows]
        report = _report(str(data), digest, folder, rows, findings, repeat=repeat, opened=opened)
    write_records(folder / "findings.jsonl", findings)
    write_json(folder / "report.json", {**document(report), "version": VERSION})
    return report


def default_folder(data: str | Path, digest: str) -> Path:
    """A folder named by the content of the data, so that the same command resumes."""
    path = Path(str(data))
    stem = path.name.split(".")[0] if path.suffix else path.name
    return Path("runs") / f"verify-{stem or 'data'}-{digest[:8]}"


def document(report: VerificationReport) -> dict[str, Any]:
    """The report without its findings, as JSON."""
    fields = {name: getattr(report, name) for name in report.__struct_fields__ if name != "findings"}
    return {**fields, "checked": report.checked}


def _laid_out(rows: Sequence[LabelledRow]) -> tuple[dict[str, Suite], dict[str, LayoutError]]:
    suites: dict[str, Suite] = {}
    impossible: dict[str, LayoutError] = {}
    for row in rows:
        try:
            suites[row.revision] = suite_of(row)
        except LayoutError as error:
            impossible[row.revision] = error
    return suites, impossible


def _may_vary(suite: Suite) -> bool:
    """Whether the texts use something that may vary, whatever the tags say."""
    found_tags = tags(suite.files[suite.focal], suite.files[suite.test], suite.lang)
    return may_be_flaky((*found_tags["focal_uses"], *found_tags["test_uses"]))


def _distinct(jobs: Sequence[RowSuite]) -> list[RowSuite]:
    return list({job.row: job for job in jobs}.values())


def _finding(row: LabelledRow, impossible: dict[str, LayoutError], done: dict[str, Any]) -> RowFinding:
    if row.revision in impossible:
        error = impossible[row.revision]
        consensus = Consensus(state="no_layout", detail=f"{error.reason}: {error.message}")
    else:
        consensus = consensus_of(done[row.revision])
    return RowFinding(
        task_id=row.task_id,
        origin=row.origin,
        lang=row.lang,
        revision=row.revision,
        finding=_finding_name(row, consensus),
        published=row.label,
        executed=consensus.label,
        runs=consensus.runs,
        passes=consensus.passes,
        kinds=consensus.kinds,
        detail=consensus.detail,
    )


def _finding_name(row: LabelledRow, consensus: Consensus) -> str:
    if consensus.state != "steady":
        return consensus.state
    if not row.label:
        return "unlabelled"
    return "agrees" if row.label == consensus.label else "wrong_label"


def _report(
    data: str,
    digest: str,
    folder: Path,
    rows: Sequence[LabelledRow],
    findings: Sequence[RowFinding],
    *,
    repeat: int,
    opened: Runners,
) -> VerificationReport:
    counts = _counts(findings)
    checked = counts["agrees"] + counts["wrong_label"]
    langs = dict.fromkeys(each.lang for each in findings)
    return VerificationReport(
        data=data,
        data_hash=digest,
        folder=str(folder),
        rows=len(rows),
        repeat=repeat,
        counts=counts,
        languages={lang: _counts([each for each in findings if each.lang == lang]) for lang in langs},
        agreement=counts["agrees"] / checked if checked else None,
        unescaped=sum(row.unescaped for row in rows),
        toolchains=opened.versions,
        absent={each.lang: "; ".join(filter(None, (each.why, each.hint))) for each in opened.absent},
        findings=list(findings),
    )


def _counts(findings: Sequence[RowFinding]) -> dict[str, int]:
    counted = Counter(each.finding for each in findings)
    return {name: counted[name] for name in FINDINGS}


class CorrectedCopy(Record, frozen=True, kw_only=True):
    """The counts of a corrected copy: labels unchanged, changed and filled in; rows left out, by finding."""

    path: str
    kept: int
    changed: int
    filled: int
    left_out: dict[str, int]


def write_corrected(data: str | Path, target: Path, *, findings: Sequence[RowFinding]) -> CorrectedCopy:
    """Write the rows that have an executed label, with all other keys unchanged; count the rows left out.

    A name that ends in `.json` gets MERA's document, any other JSON Lines. `-` is stdout.
    """
    known = {str(each.task_id): each for each in findings}
    counts = {"kept": 0, "changed": 0, "filled": 0}
    left_out: dict[str, int] = {}
    with writing(target) as file:
        write = _Document(file) if target.suffix == ".json" else _JsonLines(file)
        for row, raw in load_rows(data):
            finding = known[str(row.task_id)]
            executed = finding.executed
            if not executed:
                left_out[finding.finding] = left_out.get(finding.finding, 0) + 1
                continue
            counts["kept" if row.label == executed else "changed" if row.label else "filled"] += 1
            write.add({**raw, "outputs": executed})
        write.end()
    return CorrectedCopy(path=str(target), left_out=dict(sorted(left_out.items())), **counts)


class _JsonLines:
    """A writer of JSON Lines."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def add(self, row: Mapping[str, Any]) -> None:
        """Write one row."""
        self._file.write(_bytes(row) + b"\n")

    def end(self) -> None:
        """Do nothing; JSON Lines have no end mark."""


class _Document(_JsonLines):
    """A writer of MERA's test.json."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__(file)
        self._before = b'{"access": "public", "data": [\n'

    def add(self, row: Mapping[str, Any]) -> None:
        """Write one row, preceded by its separator."""
        self._file.write(self._before + _bytes(row))
        self._before = b",\n"

    def end(self) -> None:
        """Close the array, which may be empty."""
        self._file.write((b"" if self._before == b",\n" else self._before) + b"\n]}\n")


def _bytes(row: Mapping[str, Any]) -> bytes:
    return json.dumps(row, ensure_ascii=False).encode()
