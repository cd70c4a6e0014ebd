"""Stage steady: labels that may depend on time, threads or identity are tested under a stressed scheduler.

Five executions miss a race that fails once in fifteen. So rows whose texts use such things are executed up to
`--steady-repeat` times, the additional ones with unusual thread scheduling. A row with one different result
is flaky and dropped. A row with a known race pattern that nothing has shown is marked as not proven steady,
or dropped on request.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from benchwright.building.codecorrectness.labelling import Consensus, agree, job_of
from benchwright.building.codecorrectness.nouns import Candidate
from benchwright.executing.ledger import (
    Execution,
    Ledger,
    RowSuite,
    execute,
    pressed_variations,
    ran_out_of_time,
)
from benchwright.executing.runners import Runners
from benchwright.progress import Watcher
from benchwright.records import Drop

UNSTEADY_USES = frozenset({"time", "sleep", "threads", "async", "identity"})
NOT_PROVEN = "not proven steady"
_AT_ONCE = 5  # executions of all rows, including flaky ones
_WAITS = re.compile(
    r"\b(?:join|Lock|RLock|Event|Condition|Semaphore|Barrier|Queue|gather|wait|Wait|WaitGroup|Mutex|RWMutex|"
    r"atomic|await|synchronized|volatile|Atomic\w{1,30}|Concurrent\w{1,40}|CountDownLatch|CyclicBarrier|"
    r"ExecutorService|Future|get|result)\b|<-"
)
_CLOCK = re.compile(
    r"\b(?:time\.time|monotonic|perf_counter|process_time|now|utcnow|nanoTime|currentTimeMillis|Now|Since)"
    r"(?:_ns)?\("
)


def hangs_on_chance(uses: Iterable[str]) -> bool:
    """Whether something that a file uses may behave differently from run to run."""
    return not UNSTEADY_USES.isdisjoint(uses)


def steadied(
    jobs: Sequence[RowSuite],
    known: Mapping[str, list[Execution]],
    ledger: Ledger,
    runners: Runners,
    *,
    most: int,
    watch: Watcher,
) -> dict[str, list[Execution]]:
    """The executions of each job, up to `most`, including the `known` ones.

    For a row that turns out flaky, execution stops with the one that shows it.
    """
    found = {job.row: list(known[job.row]) for job in jobs}
    first = min((len(each) for each in found.values()), default=most)
    for start in range(first, most, _AT_ONCE):
        left = [job for job in jobs if _is_open(found[job.row])]
        order = pressed_variations(first, most)[start - first : start - first + _AT_ONCE]
        for row, more in execute(left, ledger, runners, repeat=0, order=order, watch=watch).items():
            found[row] += more
    return found


def _is_open(executions: Sequence[Execution]) -> bool:
    """Whether another execution can still add information."""
    return agree(executions).state == "steady" and not ran_out_of_time(executions)


def steady(
    candidates: Iterable[Candidate],
    ledger: Ledger,
    runners: Runners,
    *,
    repeat: int,
    most: int,
    keep_unproven: bool,
    watch: Watcher,
) -> Iterator[Candidate | Drop]:
    """Each row whose label held under stress, or a drop; rows without such uses pass unchanged."""
    rows = list(candidates)
    jobs = [job_of(each) for each in rows if _may_vary(each)]
    known = execute(jobs, ledger, runners, repeat=repeat, watch=watch)
    done = steadied(jobs, known, ledger, runners, most=most, watch=watch)
    for each in rows:
        yield _judged(each, done[each.revision], keep_unproven) if each.revision in done else each


def _may_vary(row: Candidate) -> bool:
    """Whether a row may vary; a file that is never loaded cannot."""
    return row.kind not in ("compile", "syntax", "import") and hangs_on_chance(_uses(row))


def _uses(row: Candidate) -> set[str]:
    return {*row.tags.get("focal_uses", ()), *row.tags.get("test_uses", ())}


def _judged(row: Candidate, executions: list[Execution], keep_unproven: bool) -> Candidate | Drop:
    told: Consensus = agree(executions)
    if told.state != "steady":
        return Drop(unit=row.unit, reason=told.state, detail=told.detail)
    why = unproven(_uses(row), row.focal_code, row.test_code)
    if why and not keep_unproven:
        return Drop(unit=row.unit, reason="not_proven_steady", detail=why)
    return msgspec.structs.replace(row, runs=told.runs, passes=told.passes, steady=NOT_PROVEN if why else "")


def unproven(uses: set[str], focal_code: str, test_code: str) -> str:
    """The race pattern that no execution can disprove; empty without one."""
    if "sleep" in uses and not uses.isdisjoint({"threads", "async"}):
        return "it waits for something concurrent by sleeping"
    if "sleep" in uses and any(_CLOCK.search(code) for code in (focal_code, test_code)):
        return "it reads a clock beside a sleep"
    if "threads" in uses and not any(_WAITS.search(code) for code in (focal_code, test_code)):
        return "threads, and nothing that waits for them"
    return ""
