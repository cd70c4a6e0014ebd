"""Labels by execution: several executions that agree, and stage steady, which looks for flaky rows.

A label needs a unanimous result. A failure before the first test runs counts only if the two texts show its
cause. Rows that depend on time, threads or identity are executed more often, under a stressed scheduler.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from benchwright.building.codecorrectness.row_records import Candidate, layout_of, suite_of_paths
from benchwright.executing.suite_ledger import (
    Execution,
    Ledger,
    RowSuite,
    execute,
    ran_out_of_time,
)
from benchwright.executing.suite_runners import Runners
from benchwright.judges.suites.java_classes import TESTS_ALONE
from benchwright.judges.suites.variations import pressed_variations
from benchwright.lang.languages import language
from benchwright.lang.source import syntax_fault
from benchwright.progress import Watcher
from benchwright.records import Drop, Record

# A row has the first of these states that any of its executions has, since a label needs all executions.
# Successes and failures count only after these.
UNKNOWN = ("absent", "sandbox_error", "tampered", "environment")
STATES = (*UNKNOWN, "flaky", "steady")
OTHER_FAILS = "other_state_fails"  # neither state of the commit passes
USES_TEST_LIBRARY = "uses_test_library"  # for example a library of matchers, whose reports are not reliable
NOT_COMPILED = "does_not_compile"  # an artificial compile error, which is easy to recognise
ENDS_PROCESS = "uses_exit"  # the test or the code ended the process, which tools count differently
FAILS_COMPLETED = "fails_completed"  # its own code or the added code may be the cause


_PROCESS_END = re.compile(
    r"(?:the process )?(?:exited with status|was ended by signal)|the JVM exited before the last test"
)


class Consensus(Record, frozen=True, kw_only=True):
    """The common result of executions. `state` is one of STATES; `label` is empty unless it is "steady"."""

    state: str
    label: str = ""
    runs: int = 0
    passes: int = 0
    kinds: dict[str, int] = {}  # of the failures
    detail: str = ""  # of the execution that decided

    @property
    def pass_rate(self) -> float:
        """The share of executions in which all tests passed."""
        return self.passes / self.runs if self.runs else 0.0


def consensus_of(executions: Sequence[Execution]) -> Consensus:
    """The consensus of executions: unanimous or none, since a majority would keep rows that pass by
    chance.
    """
    states = [_state(execution) for execution in executions]
    passes = states.count("success")
    kinds = dict(sorted(Counter(each.kind for each in executions if each.kind).items()))
    state, deciding = _verdict(states)
    return Consensus(
        state=state,
        label=states[0] if state == "steady" else "",
        runs=0 if state == "absent" else len(executions),
        passes=passes,
        kinds=kinds,
        detail=executions[deciding].detail if executions else "it was never executed",
    )


def _state(execution: Execution) -> str:
    known = execution.state in ("success", "failed") and execution.kind == "environment"
    return "environment" if known else execution.state


def _verdict(states: list[str]) -> tuple[str, int]:
    """The state, and the execution that shows it best."""
    if not states:
        return "sandbox_error", 0
    for unknown in UNKNOWN:
        if unknown in states:
            return unknown, states.index(unknown)
    strange = [state for state in states if state not in ("success", "failed")]
    if strange:
        raise ValueError(f"a runner reported the state {strange[0]!r}")
    if len(set(states)) > 1:
        return "flaky", states.index("failed")
    return "steady", 0


# A test that fails in another way does not show that the code is wrong: it was never built, or the machine
# was too small. A reader of the two texts can rarely know that; `readable` decides when.
DECIDABLE = ("assertion", "exception")


def job_of(candidate: Candidate) -> RowSuite:
    """The candidate as a suite to execute. The filter has tried its layout, so it has one."""
    suite = suite_of_paths(
        candidate.focal_code,
        candidate.test_code,
        candidate.lang,
        focal_path=candidate.focal_path,
        test_path=candidate.test_path,
    )
    return RowSuite(candidate.revision, suite)


def label_from_executions(
    candidate: Candidate, executions: list[Execution], *, made: bool = False
) -> Candidate | Drop:
    """The candidate with the consensus of its executions, or a drop with the reason.

    A failure before the first test gives a row of the subset "broken" if the texts show the cause. `made`:
    the focal file was broken deliberately and compiled before, so the texts do show it.
    """
    consensus = consensus_of(executions)
    kind = max(consensus.kinds, key=consensus.kinds.__getitem__, default="")
    is_early = consensus.state == "steady" and list(consensus.kinds) == [kind] and kind in EARLY
    if is_early and candidate.subset == "mutated":
        return Drop(unit=candidate.unit, reason=NOT_COMPILED, detail=consensus.detail)
    made = made or candidate.subset == "history"  # kept only if another state compiles
    if is_early and (made or is_readable(candidate, kind, consensus.detail)):
        found = _broken_of_itself(candidate, consensus, kind)
    elif (reason := _reason(consensus)) is not None:
        return Drop(unit=candidate.unit, reason=reason, detail=consensus.detail)
    else:
        found = msgspec.structs.replace(
            candidate, label=consensus.label, kind=kind, runs=consensus.runs, passes=consensus.passes
        )
    found = msgspec.structs.replace(found, layout=layout_of(job_of(candidate).suite))
    if found.label == "failed" and _is_whole_by_passing_alone(candidate):
        return Drop(unit=candidate.unit, reason=FAILS_COMPLETED, detail=consensus.detail)
    return found


def _is_whole_by_passing_alone(candidate: Candidate) -> bool:
    """Whether only a pass proves that completion lost nothing that the row needs.

    A changed row has its parent as proof; a state of history may have the other state of its commit.
    """
    return bool(candidate.inlined) and not candidate.mutation and candidate.subset != "history"


def _broken_of_itself(candidate: Candidate, consensus: Consensus, kind: str) -> Candidate:
    """Whether a failing pair becomes "broken"; generated tests and states of history keep their subset."""
    is_own = candidate.subset == "original"
    return msgspec.structs.replace(
        candidate,
        label=consensus.label,
        kind=kind_of_failure(candidate, kind),
        runs=consensus.runs,
        passes=consensus.passes,
        subset="broken" if is_own else candidate.subset,
        origin="as its repository has it" if is_own else candidate.origin,
    )


def _reason(consensus: Consensus) -> str | None:
    if consensus.state == "tampered" and consensus.detail.endswith(TESTS_ALONE):
        return USES_TEST_LIBRARY
    if consensus.state != "steady":
        return consensus.state
    if consensus.label == "success":
        return None
    if _PROCESS_END.match(consensus.detail):
        return ENDS_PROCESS
    strange = [kind for kind in consensus.kinds if kind not in DECIDABLE]
    return f"fails_by_{strange[0]}" if strange else None


EARLY = ("compile", "import")  # kinds of failure before the first test
SYNTAX = "syntax"
_MAX_DETAIL = 4000


def kind_of_failure(candidate: Candidate, kind: str) -> str:
    """The kind of failure as rows state it; a compiler's grammar error is "syntax"."""
    if kind != "compile":
        return kind
    codes = (candidate.focal_code, candidate.test_code)
    return SYNTAX if any(syntax_fault(code, candidate.lang) is not None for code in codes) else kind


def is_readable(candidate: Candidate, kind: str, detail: str) -> bool:
    """Whether the two texts explain why no test ran. `detail`: the first reported errors.

    False if no rule of the language matches the errors: the pair is then dropped without a label.
    """
    return kind in EARLY and language(candidate.lang).shows_why(candidate.texts, detail[:_MAX_DETAIL])


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


def may_be_flaky(uses: Iterable[str]) -> bool:
    """Whether something that a file uses may behave differently from run to run."""
    return not UNSTEADY_USES.isdisjoint(uses)


def flakiness_verdict(
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
    return consensus_of(executions).state == "steady" and not ran_out_of_time(executions)


def check_flakiness(
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
    done = flakiness_verdict(jobs, known, ledger, runners, most=most, watch=watch)
    for each in rows:
        yield _with_consensus(each, done[each.revision], keep_unproven) if each.revision in done else each


def _may_vary(row: Candidate) -> bool:
    """Whether a row may vary; a file that is never loaded cannot."""
    return row.kind not in ("compile", "syntax", "import") and may_be_flaky(_uses(row))


def _uses(row: Candidate) -> set[str]:
    return {*row.tags.get("focal_uses", ()), *row.tags.get("test_uses", ())}


def _with_consensus(row: Candidate, executions: list[Execution], keep_unproven: bool) -> Candidate | Drop:
    consensus: Consensus = consensus_of(executions)
    if consensus.state != "steady":
        return Drop(unit=row.unit, reason=consensus.state, detail=consensus.detail)
    why = unproven(_uses(row), row.focal_code, row.test_code)
    if why and not keep_unproven:
        return Drop(unit=row.unit, reason="not_proven_steady", detail=why)
    return msgspec.structs.replace(
        row, runs=consensus.runs, passes=consensus.passes, steady=NOT_PROVEN if why else ""
    )


def unproven(uses: set[str], focal_code: str, test_code: str) -> str:
    """The race pattern that no execution can disprove; empty without one."""
    if "sleep" in uses and not uses.isdisjoint({"threads", "async"}):
        return "it waits for something concurrent by sleeping"
    if "sleep" in uses and any(_CLOCK.search(code) for code in (focal_code, test_code)):
        return "it reads a clock beside a sleep"
    if "threads" in uses and not any(_WAITS.search(code) for code in (focal_code, test_code)):
        return "threads, and nothing that waits for them"
    return ""
