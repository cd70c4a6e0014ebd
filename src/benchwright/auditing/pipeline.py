"""An audit from a data set to its ranked findings: the main path, one screen.

Nothing is asked of a model or a network. What is executed is in the folder's file of trials, so the same
command goes on where it was ended, and a second one executes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from benchwright.auditing.answers import StoredAnswers, answer_findings, read_answers
from benchwright.auditing.examples import contradictions
from benchwright.auditing.executed import Totals, executable, executed_findings, totals, unexecuted
from benchwright.auditing.findings import RankedTask, TaskFinding, count_tasks, rank_tasks
from benchwright.auditing.languages import other_languages
from benchwright.auditing.loading import Loaded, UnreadableRow, load_audit
from benchwright.auditing.majority import with_majorities
from benchwright.auditing.overlap import contaminated, duplicates
from benchwright.auditing.prompts import disagreements, leaks
from benchwright.auditing.tasks import AuditTask
from benchwright.building.adequacy.examining import examine
from benchwright.building.corpus import corpus_texts
from benchwright.building.folder import make_folder
from benchwright.building.stages import write_records
from benchwright.contracts import Executor
from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import RunError, UsageError, nearest
from benchwright.executing.trials import Trials
from benchwright.progress import Silent, Watcher
from benchwright.records import Record, whole
from benchwright.sandbox.limits import Limits
from benchwright.store.sources import data_hash
from benchwright.store.writing import write_json
from benchwright.tracks.aicodereval.preparing import make_requested
from benchwright.version import VERSION

BARE_MEMORY_MB = 96  # for a program without libraries: two of them and all else hold less than 300 MB
_FORMER_MB = "1024"  # for all, where a folder names no limit: it is of an earlier version


class AuditOptions(Record, frozen=True, kw_only=True):
    """What a caller may choose. `shape` is "auto" or one of `tasks.SHAPES`; no `tasks` are all of them.

    `memory_mb` is what each program may hold; None: what `audit_limits` says. Trials are those of one limit.
    """

    data: str
    shape: str = "auto"
    tasks: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    corpus: tuple[str, ...] = ()
    memory_mb: int | None = None


def audit_limits(memory_mb: int | None = None) -> Limits:
    """What the executor of an audit should give its programs, by default or with MiB for each.

    Most mutants that take memory take all that there is. So by default those without libraries may hold
    `BARE_MEMORY_MB` alone, and those of a profile with libraries what any answer may.
    """
    return Limits(bare_memory_mb=BARE_MEMORY_MB) if memory_mb is None else Limits(memory_mb=memory_mb)


class Audited(Record, frozen=True, kw_only=True):
    """The report. `rows` are all of the data set; `tasks` those that were audited."""

    folder: str
    data: str
    data_hash: str
    rows: int
    tasks: int
    shapes: dict[str, int]
    unreadable: list[UnreadableRow]
    counts: dict[str, int]  # tasks, or rows, by code
    totals: Totals
    answers: int | None  # stored ones that were looked at; None without any run
    answers_unfit: int
    ranked: list[RankedTask]


def audit(
    options: AuditOptions, executor: Executor, *, out: Path | None = None, watch: Watcher | None = None
) -> Audited:
    """Audit a data set into a folder. Equal inputs give equal findings, whatever was known before."""
    loaded = load_audit(options.data, shape=options.shape)
    tasks = executable(_chosen(loaded.tasks, options.tasks))
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
) -> Totals:
    """Add what execution finds, and give the sums."""
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
    return totals(examined)


def default_folder(data: str | Path, digest: str) -> Path:
    """Named by the data's content, so that the same command a second time continues the first."""
    path = Path(str(data))
    stem = path.name.split(".")[0] if path.suffix else path.name
    return Path("runs") / f"audit-{stem or 'data'}-{digest[:8]}"


def document(report: Audited) -> dict[str, Any]:
    """The report ready for JSON, every field there."""
    built: dict[str, Any] = msgspec.to_builtins(whole(report))
    return built


def _chosen(tasks: Sequence[AuditTask], names: Sequence[str]) -> list[AuditTask]:
    known = {task.unit: task for task in tasks}
    for name in names:
        if name not in known:
            hint = f"the nearest is {nearest(name, known, cutoff=0)}"
            raise UsageError(f"--tasks {name!r}: the data set has no such task", hint=hint)
    return [task for task in tasks if not names or task.unit in names]


def _open_folder(path: Path, wanted: dict[str, str]) -> Path:
    """The folder, made or gone on with. Raises RunError for one of another data set, or another limit."""
    make_folder(path)
    identity = path / "audit.json"
    if not identity.exists():
        if any(path.iterdir()):
            message = f"{escaped_path(path)} is not empty and not the folder of an audit"
            raise RunError(message, hint="choose a new or empty folder with --out OTHER")
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
    """Why a folder cannot be gone on with."""
    anew = f"--out OTHER, or start anew: rm -r {quoted(path)}"
    if known.get("data") != wanted["data"]:
        return RunError(f"{escaped_path(path)} holds the audit of another data set", hint=anew)
    usual = "bare_memory_mb" in known
    memory = "the usual memory" if usual else f"--memory {known['memory_mb']}"
    goes_on = "leave out --memory" if usual else memory
    message = f"{escaped_path(path)} holds the audit with {memory} for each program"
    return RunError(message, hint=f"to go on with it: {goes_on}; else {anew}")


def _report(
    options: AuditOptions,
    folder: Path,
    digest: str,
    loaded: Loaded,
    tasks: Sequence[AuditTask],
    stored: StoredAnswers | None,
    findings: Sequence[TaskFinding],
    sums: Totals,
) -> Audited:
    counts = count_tasks(findings)
    unreadable = {"unreadable": len(loaded.unreadable)} if loaded.unreadable else {}
    shapes = sorted({task.shape for task in tasks})
    return Audited(
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
