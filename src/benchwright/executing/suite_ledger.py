"""Execute suites repeatedly. Each execution is stored as it ends, and none is repeated.

The key of an execution is its content: the suite's files and cases, the variation, the toolchain. So a killed
command continues, a larger `--repeat` only adds executions, and two rows of equal content share one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from benchwright.contracts import CaseReport, Suite, SuiteReport, Variation
from benchwright.executing.suite_runners import AvailableLanguage, Runners, UnavailableLanguage
from benchwright.judges.suites.variations import variations
from benchwright.progress import Watcher, stage
from benchwright.records import Record
from benchwright.store.keys import content_key
from benchwright.store.writing import Appender, read_records

EXECUTING = 3  # raised whenever the same suite may get another report than before


TIMEOUTS = 2  # executions of a suite before its time-out is final
PASSING_STATES = ("sandbox_error", "absent")  # of the machine, not of the suite: tried again


class Execution(Record, frozen=True, kw_only=True):
    """One execution of one suite. `row` is the revision of the row that it was first done for."""

    key: str
    row: str
    lang: str
    variation: Variation
    state: str
    kind: str = ""
    detail: str = ""
    cases: list[CaseReport] = []
    cpu_s: float = 0.0
    wall_s: float = 0.0
    lines: list[int] = []  # of the focal file, where the execution was traced
    versions: dict[str, str] = {}


class RowSuite(NamedTuple):
    """A row of a data set and its suite."""

    row: str
    suite: Suite


class Ledger:
    """The file of executions, and its only writer."""

    def __init__(self, path: Path) -> None:
        self._writer = Appender(path)
        self._known: dict[str, Execution] = {}
        for execution in read_records(path, Execution):
            self._learn(execution)
        self._earlier = frozenset(self._known)

    def add(self, execution: Execution) -> None:
        """Store an execution on disk, then know it."""
        self._writer.append(execution)
        self._learn(execution)

    def get(self, key: str) -> Execution | None:
        """The execution of this key; None also if the machine failed: then it is executed again."""
        return self._known.get(key)

    def earlier(self, keys: Collection[str]) -> int:
        """How many of these an earlier command has executed."""
        return len(self._earlier.intersection(keys))

    @property
    def toolchains(self) -> dict[str, dict[str, str]]:
        """The versions that executed each language last."""
        return {each.lang: each.versions for each in self._known.values()}

    def _learn(self, execution: Execution) -> None:
        if execution.state not in PASSING_STATES:
            self._known[execution.key] = execution

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *exc: object) -> None:
        self._writer.close()


def execution_key(suite: Suite, variation: Variation, versions: dict[str, str]) -> str:
    """Return the content key of an execution. Equal keys give equal reports of a steady suite."""
    return content_key(EXECUTING, msgspec.to_builtins(suite), msgspec.to_builtins(variation), versions)


def execute(
    jobs: Sequence[RowSuite],
    ledger: Ledger,
    runners: Runners,
    *,
    repeat: int,
    watch: Watcher,
    order: Sequence[Variation] | None = None,
) -> dict[str, list[Execution]]:
    """All executions of each row, by its revision. Rows without a toolchain get one of state "absent".

    `order` names the variations, in place of the first `repeat`. What runs out of time is repeated once.
    """
    return _executed(jobs, ledger, runners, variations(repeat) if order is None else order, watch)


def ran_out_of_time(executions: Sequence[Execution]) -> bool:
    """Whether every execution of a suite timed out, including one repetition.

    A third execution would cost another hundred seconds without new information.
    """
    return len(executions) >= TIMEOUTS and all(each.kind == "timeout" for each in executions)


def trace(
    jobs: Sequence[RowSuite], ledger: Ledger, runners: Runners, *, watch: Watcher
) -> dict[str, list[int]]:
    """Return the executed lines of each row's focal file, by revision; none where unknown.

    The code itself claims them: they may guide a search, and decide no verdict.
    """
    done = _executed(jobs, ledger, runners, [Variation(traced=True)], watch)
    return {row: executions[0].lines for row, executions in done.items()}


def _executed(
    jobs: Sequence[RowSuite], ledger: Ledger, runners: Runners, order: Sequence[Variation], watch: Watcher
) -> dict[str, list[Execution]]:
    found: dict[str, list[Execution]] = {job.row: [] for job in jobs}
    for lang in dict.fromkeys(job.suite.lang for job in jobs):
        mine = [job for job in jobs if job.suite.lang == lang]
        opened = runners.get(lang)
        if isinstance(opened, UnavailableLanguage):
            for job in mine:
                found[job.row] = [_absent(job, opened)]
            continue
        for job, execution in _of_language(mine, ledger, opened, order, watch):
            found[job.row].append(execution)
    return found


def _of_language(
    jobs: Sequence[RowSuite],
    ledger: Ledger,
    opened: AvailableLanguage,
    order: Sequence[Variation],
    watch: Watcher,
) -> Iterator[tuple[RowSuite, Execution]]:
    keys = {
        (job.row, variation.number): execution_key(job.suite, variation, opened.versions)
        for job in jobs
        for variation in order
    }
    known = {key for key in keys.values() if ledger.get(key) is not None}
    earlier = ledger.earlier(known)
    total = len(set(keys.values())) - len(known) + earlier
    with stage(watch, f"{jobs[0].suite.lang} suites", total=total, done=earlier):
        done: dict[str, list[Execution]] = {job.row: [] for job in jobs}
        for variation in order:
            left = [job for job in jobs if not ran_out_of_time(done[job.row])]
            mine = {keys[job.row, variation.number]: job for job in left}
            failed = _fill(mine, ledger, opened, variation, watch)
            for job in left:
                key = keys[job.row, variation.number]
                done[job.row].append(ledger.get(key) or failed[key])
                yield job, done[job.row][-1]


def _fill(
    mine: dict[str, RowSuite], ledger: Ledger, opened: AvailableLanguage, variation: Variation, watch: Watcher
) -> dict[str, Execution]:
    """Execute what is missing; return the executions in which the sandbox failed, by key."""
    waiting = [key for key in mine if ledger.get(key) is None]
    failed: dict[str, Execution] = {}
    left = set(waiting)
    numbered = ((number, mine[key].suite) for number, key in enumerate(waiting))
    reports = opened.runner.run(numbered, variation=variation) if waiting else iter(())
    for number, report in reports:
        key = waiting[number]
        left.discard(key)
        _note(_execution(key, mine[key], variation, report, opened), ledger, failed)
        watch.tick(None)
    for key in sorted(left):
        lost = SuiteReport(state="sandbox_error", detail="the runner gave no report")
        _note(_execution(key, mine[key], variation, lost, opened), ledger, failed)
        watch.tick(None)
    return failed


def _note(execution: Execution, ledger: Ledger, failed: dict[str, Execution]) -> None:
    ledger.add(execution)
    if execution.state in PASSING_STATES:
        failed[execution.key] = execution


def _execution(
    key: str, row: RowSuite, variation: Variation, report: SuiteReport, opened: AvailableLanguage
) -> Execution:
    return Execution(
        key=key,
        row=row.row,
        lang=row.suite.lang,
        variation=variation,
        state=report.state,
        kind=report.kind,
        detail=report.detail,
        cases=report.cases,
        cpu_s=report.cpu_s,
        wall_s=report.wall_s,
        lines=report.lines,
        versions=report.versions or opened.versions,
    )


def _absent(job: RowSuite, absent: UnavailableLanguage) -> Execution:
    """Return a report of state "absent". It is not stored, because the toolchain may be installed later."""
    return Execution(
        key="", row=job.row, lang=job.suite.lang, variation=Variation(), state="absent", detail=absent.why
    )
