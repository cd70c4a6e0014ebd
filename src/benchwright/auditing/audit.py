"""An audit from a data set to its ranked findings: the main path, one screen.

It uses no model and no network. The folder stores every execution, so the same command resumes, and a second
one executes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from benchwright.auditing.audit_tasks import AuditTask
from benchwright.auditing.execution_findings import (
    ExecutionTotals,
    executable,
    executed_findings,
    execution_totals,
    unexecuted,
)
from benchwright.auditing.findings import CODES, RankedTask, TaskFinding, count_tasks, rank_tasks
from benchwright.auditing.overlap_findings import contaminated, duplicates
from benchwright.auditing.prompt_findings import contradictions, disagreements, leaks, other_languages
from benchwright.auditing.row_loading import LoadedTasks, UnreadableRow, load_audit
from benchwright.auditing.stored_answers import StoredAnswers, answer_findings, read_answers, with_majorities
from benchwright.building.adequacy.examination import examine
from benchwright.building.engine.stages import make_folder, write_records
from benchwright.building.text_overlap import corpus_texts
from benchwright.contracts import Executor
from benchwright.display.escape import escaped_path, quoted
from benchwright.display.notebook import HtmlTable, fragment
from benchwright.display.wording import counted
from benchwright.errors import RunError, UsageError, nearest
from benchwright.executing.trials import Trials
from benchwright.progress import Silent, Watcher
from benchwright.records import Record, full_document
from benchwright.sandbox.limits import Limits
from benchwright.store.data_files import data_hash
from benchwright.store.writing import write_json
from benchwright.tracks.aicodereval.stand_in_models import make_requested
from benchwright.version import VERSION

BARE_MEMORY_MB = 96  # for a program without libraries; two of them and the rest need less than 300 MB
PAGE = "report.html"
_FORMER_MB = "1024"  # limit of folders from earlier versions, which state none


class AuditOptions(Record, frozen=True, kw_only=True):
    """The options of an audit. `shape` is "auto" or one of `tasks.SHAPES`; without `tasks` all are audited.

    `memory_mb` is the memory limit of a program; None: that of `audit_limits`. A folder has trials of one
    limit.
    """

    data: str
    shape: str = "auto"
    tasks: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    corpus: tuple[str, ...] = ()
    memory_mb: int | None = None


def audit_limits(memory_mb: int | None = None) -> Limits:
    """The limits for the programs of an audit, by default or with the given MiB for each.

    Most mutants that allocate memory allocate all of it. So by default those without libraries get only
    `BARE_MEMORY_MB`, and those of a profile with libraries as much as any answer.
    """
    return Limits(bare_memory_mb=BARE_MEMORY_MB) if memory_mb is None else Limits(memory_mb=memory_mb)


class AuditReport(Record, frozen=True, kw_only=True):
    """The report. `rows` counts the whole data set, `tasks` the audited tasks."""

    folder: str
    data: str
    data_hash: str
    rows: int
    tasks: int
    shapes: dict[str, int]
    unreadable: list[UnreadableRow]
    counts: dict[str, int]  # number of tasks (or rows) by code
    totals: ExecutionTotals
    answers: int | None  # number of stored answers; None without a run
    answers_unfit: int
    ranked: list[RankedTask]

    @property
    def page(self) -> Path:
        """The page of the audit in its folder."""
        return Path(self.folder) / PAGE

    def __str__(self) -> str:
        found = [f"{name}: {counted(count, 'task')} ({CODES[name].weight})" for name, count in self._counts()]
        return "\n".join([self._title(), *(found or ["no findings"])])

    def _repr_html_(self) -> str:
        rows = [(name, CODES[name].weight, count, CODES[name].meaning) for name, count in self._counts()]
        table = HtmlTable(("finding", "weight", "tasks", "meaning"), rows)
        return fragment(self._title(), tables=[table] if rows else [], lines=[f"page: {self.page}"])

    def _title(self) -> str:
        return f"{self.data}: {counted(self.rows, 'row')}, {counted(self.tasks, 'task')} audited"

    def _counts(self) -> list[tuple[str, int]]:
        return list(self.counts.items())


def audit(
    options: AuditOptions, executor: Executor, *, out: Path | None = None, watch: Watcher | None = None
) -> AuditReport:
    """Audit a data set into a folder. Equal inputs give equal findings, whatever is stored already."""
    loaded = load_audit(options.data, shape=options.shape)
    tasks = executable(_select_tasks(loaded.tasks, options.tasks))
    stored = read_answers(options.answers, tasks, options.data) if options.answers else None
    digest = data_hash(options.data)
    folder = _open_folder(
        out or default_folder(options.data, digest), {"data": digest, **_memory(options.memory_mb)}
    )
    findings = [*_static(tasks, options), *unexecuted(tasks)]
    with Trials(folder / "trials.jsonl", executor, watch=watch or Silent()) as trials:
        sums = _execute(tasks, stored, trials, findings, audit_limits(options.memory_mb))
    report = _report(options, folder, digest, loaded, tasks, stored, findings, sums)
    write_records(folder / "findings.jsonl", (each for task in report.ranked for each in task.findings))
    write_json(folder / "report.json", {**document(report), "version": VERSION})
    return report


def _memory(memory_mb: int | None) -> dict[str, str]:
    limits = audit_limits(memory_mb)
    bare = {} if limits.bare_memory_mb is None else {"bare_memory_mb": str(limits.bare_memory_mb)}
    return {"memory_mb": str(limits.memory_mb), **bare}


def _static(tasks: Sequence[AuditTask], options: AuditOptions) -> Iterator[TaskFinding]:
    for task in tasks:
        yield from leaks(task)
        yield from disagreements(task)
    yield from duplicates(tasks)
    yield from other_languages(tasks)
    if options.corpus:
        yield from contaminated(tasks, corpus_texts(options.corpus))


def _execute(
    tasks: Sequence[AuditTask],
    stored: StoredAnswers | None,
    trials: Trials,
    findings: list[TaskFinding],
    limits: Limits,
) -> ExecutionTotals:
    """Add the findings of execution, and return the totals."""
    executed = [task for task in tasks if not task.lacks]
    needed = {each.id: each for task in executed for each in task.stand_ins}
    make_requested(needed.values(), note=trials.watch.note)
    examined = list(examine([task.solved for task in executed], trials))
    for task, found in zip(executed, examined, strict=True):
        findings += executed_findings(task, found, limits)
    sound = [task for task, found in zip(executed, examined, strict=True) if not found.gold_fault]
    findings += contradictions(sound, trials)
    if stored is not None:
        findings[:] = with_majorities(findings, sound, stored, trials)
        findings += answer_findings(sound, stored, trials)
    return execution_totals(examined)


def default_folder(data: str | Path, digest: str) -> Path:
    """A folder named by the content of the data, so that the same command resumes."""
    path = Path(str(data))
    stem = path.name.split(".")[0] if path.suffix else path.name
    return Path("runs") / f"audit-{stem or 'data'}-{digest[:8]}"


def document(report: AuditReport) -> dict[str, Any]:
    """The whole report as JSON."""
    built: dict[str, Any] = msgspec.to_builtins(full_document(report))
    return built


def _select_tasks(tasks: Sequence[AuditTask], names: Sequence[str]) -> list[AuditTask]:
    known = {task.unit: task for task in tasks}
    for name in names:
        if name not in known:
            hint = f"did you mean {nearest(name, known, cutoff=0)}?"
            raise UsageError(f"--tasks {name!r}: no such task in the data set", hint=hint)
    return [task for task in tasks if not names or task.unit in names]


def _open_folder(path: Path, wanted: dict[str, str]) -> Path:
    """The folder, new or resumed. Raises RunError for one of another data set or limit."""
    make_folder(path)
    identity = path / "audit.json"
    if not identity.exists():
        if any(path.iterdir()):
            message = f"{escaped_path(path)} is not empty, and is not the folder of an audit"
            raise RunError(message, hint="choose an empty folder with --out OTHER")
        write_json(identity, wanted)
        return path
    try:
        known = msgspec.json.decode(identity.read_bytes(), type=dict[str, str])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        message = f"{escaped_path(identity)} cannot be read: {error}"
        raise RunError(message, hint=f"rm -r {quoted(path)}") from None
    known = {"memory_mb": _FORMER_MB, **known}
    if known != wanted:
        raise _of_another(path, known, wanted)
    return path


def _of_another(path: Path, known: dict[str, str], wanted: dict[str, str]) -> RunError:
    """Why a folder cannot be resumed."""
    restart = f"use --out OTHER, or start over: rm -r {quoted(path)}"
    if known.get("data") != wanted["data"]:
        return RunError(f"{escaped_path(path)} contains the audit of another data set", hint=restart)
    usual = "bare_memory_mb" in known
    memory = "the default memory" if usual else f"--memory {known['memory_mb']}"
    goes_on = "omit --memory" if usual else memory
    message = f"{escaped_path(path)} contains an audit with {memory} for each program"
    return RunError(message, hint=f"to resume it: {goes_on}; otherwise {restart}")


def _report(
    options: AuditOptions,
    folder: Path,
    digest: str,
    loaded: LoadedTasks,
    tasks: Sequence[AuditTask],
    stored: StoredAnswers | None,
    findings: Sequence[TaskFinding],
    sums: ExecutionTotals,
) -> AuditReport:
    counts = count_tasks(findings)
    unreadable = {"unreadable": len(loaded.unreadable)} if loaded.unreadable else {}
    shapes = sorted({task.shape for task in tasks})
    return AuditReport(
        folder=str(folder),
        data=options.data,
        data_hash=digest,
        rows=loaded.rows,
        tasks=len(tasks),
        shapes={shape: sum(task.shape == shape for task in tasks) for shape in shapes},
        unreadable=loaded.unreadable,
        counts={**unreadable, **counts},
        totals=sums,
        answers=None if stored is None else stored.answers,
        answers_unfit=0 if stored is None else stored.unfit,
        ranked=rank_tasks(findings, {task.unit: task.origin for task in tasks}),
    )
