"""Verification of a published data set: every row is executed again and compared with its label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchwright.building.codecorrectness.labelling import Consensus, agree
from benchwright.building.codecorrectness.rows import LabelledRow, load_rows, suite_of
from benchwright.building.codecorrectness.steadying import hangs_on_chance, steadied
from benchwright.building.folder import make_folder
from benchwright.building.stages import write_records
from benchwright.contracts import Suite
from benchwright.errors import UsageError
from benchwright.executing.ledger import Ledger, RowSuite, execute
from benchwright.executing.libraries import Libraries
from benchwright.executing.runners import Runners
from benchwright.lang.faults import LayoutError
from benchwright.lang.source import tags
from benchwright.progress import Silent, Watcher
from benchwright.records import Record, TaskId
from benchwright.store.sources import data_hash
from benchwright.store.writing import write_json
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


class Verified(Record, frozen=True, kw_only=True):
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
) -> Verified:
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
        done |= steadied(risky, done, ledger, opened, most=steady_repeat, watch=watch)
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


def document(report: Verified) -> dict[str, Any]:
    """The report without its findings, as JSON."""
    kept = {name: getattr(report, name) for name in report.__struct_fields__ if name != "findings"}
    return {**kept, "checked": report.checked}


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
    return hangs_on_chance((*found_tags["focal_uses"], *found_tags["test_uses"]))


def _distinct(jobs: Sequence[RowSuite]) -> list[RowSuite]:
    return list({job.row: job for job in jobs}.values())


def _finding(row: LabelledRow, impossible: dict[str, LayoutError], done: dict[str, Any]) -> RowFinding:
    if row.revision in impossible:
        error = impossible[row.revision]
        consensus = Consensus(state="no_layout", detail=f"{error.reason}: {error.message}")
    else:
        consensus = agree(done[row.revision])
    return RowFinding(
        task_id=row.task_id,
        origin=row.origin,
        lang=row.lang,
        revision=row.revision,
        finding=_named(row, consensus),
        published=row.label,
        executed=consensus.label,
        runs=consensus.runs,
        passes=consensus.passes,
        kinds=consensus.kinds,
        detail=consensus.detail,
    )


def _named(row: LabelledRow, told: Consensus) -> str:
    if told.state != "steady":
        return told.state
    if not row.label:
        return "unlabelled"
    return "agrees" if row.label == told.label else "wrong_label"


def _report(
    data: str,
    digest: str,
    folder: Path,
    rows: Sequence[LabelledRow],
    findings: Sequence[RowFinding],
    *,
    repeat: int,
    opened: Runners,
) -> Verified:
    counts = _counts(findings)
    checked = counts["agrees"] + counts["wrong_label"]
    langs = dict.fromkeys(each.lang for each in findings)
    return Verified(
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
