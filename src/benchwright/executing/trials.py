"""Execute programs by a spec under variations. Each outcome is stored as it ends, and none is repeated.

The key of a trial is its content: the program, the spec with its variation, and the versions of its
environment. So a killed command continues, two commands share one file, and a program that two gates need is
executed once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from benchwright.contracts import (
    CallsSpec,
    Criterion,
    Executor,
    Job,
    Judgement,
    LevelsSpec,
    ProgramSpec,
    RepliesSpec,
)
from benchwright.judges.recorded_calls import Check, check_of
from benchwright.judges.suites.variations import variations
from benchwright.progress import Silent, Watcher, stage
from benchwright.records import Outcome, Record
from benchwright.sandbox.environments import find_environment, versions
from benchwright.sandbox.profiles import twin_digests
from benchwright.store.keys import ending_with
from benchwright.store.writing import Appender, read_records

TRYING = 1  # increment if the same trial may end differently than before
VARIATIONS = 5
MAX_HELD = 64 << 20  # bytes of all recorded calls


class Trial(NamedTuple):
    """A program and the spec that judges it. `spec` has its own limit: the executor's is not in the key.

    `again`: on a timeout the program is executed once more, alone, and that result counts. Other programs and
    a busy machine can take the time of a program that is expected to pass.
    `observed`: the time of its slowest call is measured, from which limits of other programs follow, and the
    calls of a check are recorded, with which later programs are executed faster.
    """

    program: str
    spec: ProgramSpec
    again: bool = False
    observed: bool = False


class TrialResult(Record, frozen=True, kw_only=True):
    """The result of a trial, with the fields of `contracts.Judgement`."""

    key: str
    outcome: Outcome
    detail: str = ""
    parts: dict[str, Outcome] = {}
    cpu_s: float = 0.0
    payload: bytes = b""
    call_s: float = 0.0  # processor seconds of the slowest call, if the trial was observed
    alone: bool = False  # executed again without parallel load after a time-out

    @property
    def passed(self) -> bool:
        """Whether the program satisfied the spec."""
        return self.outcome is Outcome.passed


class Trials:
    """The file of trials, and the executor for missing ones. Close it, or use `with`."""

    def __init__(self, path: Path, executor: Executor, *, watch: Watcher | None = None) -> None:
        self._executor, self.watch = executor, watch or Silent()
        self._writer = Appender(path)
        self._known: dict[str, TrialResult] = {}
        self._recorded: dict[Check, bytes] = {}  # calls and replies of programs that passed; never stored
        self._recorded_bytes = 0  # bytes of `_recorded`
        for each in read_records(path, TrialResult):
            self._learn(each)
        self.earlier = len(self._known)

    def run(self, trials: Iterable[Trial], *, name: str = "trials") -> list[TrialResult]:
        """Return the result of each trial in order. Sandbox failures are not stored."""
        wanted = list(trials)
        keys = _keys(wanted)
        missing = {key: trial for key, trial in zip(keys, wanted, strict=True) if self._is_open(key, trial)}
        failed: dict[str, TrialResult] = {}
        known = len(set(keys)) - len(missing)
        with stage(self.watch, name, total=len(missing) + known, done=known):
            for each in self._trial_results(missing):
                self.watch.tick(each.outcome)
                if each.outcome.is_missing:
                    failed[each.key] = each
                else:
                    self._writer.append(each)
                    self._learn(each)
        return [self._known.get(key) or failed[key] for key in keys]

    def _is_open(self, key: str, trial: Trial) -> bool:
        known = self._known.get(key)
        return known is None or (trial.again and known.outcome is Outcome.timed_out and not known.alone)

    def _trial_results(self, missing: dict[str, Trial]) -> Iterator[TrialResult]:
        """Yield the results; then those of trials that are executed again, one at a time."""
        slow = []
        for each in self._executed(missing):
            if each.outcome is Outcome.timed_out and missing[each.key].again:
                slow.append(each.key)
            else:
                yield each
        for key in slow:
            for each in self._executed({key: missing[key]}):
                yield msgspec.structs.replace(each, alone=True)

    def _executed(self, missing: dict[str, Trial]) -> Iterator[TrialResult]:
        ordered = sorted(missing.items(), key=lambda item: _order(item[1].spec))
        keys = [key for key, _ in ordered]
        for number, judgement in self._executor.judge(self._jobs([trial for _, trial in ordered])):
            yield _trial_result(keys[number], self._without_calls(ordered[number][1].spec, judgement))

    def _without_calls(self, spec: ProgramSpec, judgement: Judgement) -> Judgement:
        """Keep the calls of a judgement in memory, up to a limit; return the rest, which is stored."""
        if not (isinstance(spec, CallsSpec) and judgement.payload):
            return judgement
        check = check_of(spec)
        self._recorded_bytes += len(judgement.payload) - len(self._recorded.pop(check, b""))
        self._recorded[check] = judgement.payload
        while self._recorded_bytes > MAX_HELD:  # the oldest first
            self._recorded_bytes -= len(self._recorded.pop(next(iter(self._recorded))))
        return msgspec.structs.replace(judgement, payload=b"")

    def _jobs(self, trials: Sequence[Trial]) -> Iterator[Job]:
        """Yield jobs. Those that share a spec share a criterion, which each worker receives once."""
        criteria: dict[tuple[int, bool], Criterion] = {}
        for number, trial in enumerate(trials):
            key = id(trial.spec), trial.observed
            if key not in criteria:
                criteria[key] = Criterion(self._executed_spec(trial))
            yield Job(number, trial.program, criteria[key])

    def _executed_spec(self, trial: Trial) -> ProgramSpec:
        """The spec of a trial with what changes its cost only, and is therefore in no key."""
        if trial.observed:
            return msgspec.structs.replace(trial.spec, observed=True)
        if isinstance(trial.spec, CallsSpec) and (recorded := self._recorded.get(check_of(trial.spec))):
            return msgspec.structs.replace(trial.spec, recorded=recorded)
        return trial.spec

    def _learn(self, tried: TrialResult) -> None:
        self._known[tried.key] = tried

    def close(self) -> None:
        """Close the file."""
        self._writer.close()

    def __enter__(self) -> Trials:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def vary(program: str, spec: ProgramSpec, count: int = VARIATIONS) -> list[Trial]:
    """Return trials of one program under several variations; the first variation changes nothing."""
    return [
        Trial(program, msgspec.structs.replace(spec, variation=each), again=True, observed=each.number == 0)
        for each in variations(count)
    ]


def with_cpu_limit(spec: ProgramSpec, cpu_s: float) -> ProgramSpec:
    """Return the spec with another limit."""
    return msgspec.structs.replace(spec, cpu_limit_s=cpu_s)


@cache
def environment_lock(name: str) -> dict[str, str]:
    """Return the package versions of a profile. Raises UsageError and PrerequisiteError."""
    return versions(find_environment(name))


def _order(spec: ProgramSpec) -> tuple[bool, str, int]:
    """Sort by interpreter, unvaried trials last: the next trials need their interpreter.

    A worker keeps only a few interpreters. Otherwise the order is unchanged.
    """
    return spec.variation.number == 0, spec.environment, spec.variation.number


def _keys(trials: Sequence[Trial]) -> list[str]:
    """Return content keys. A spec is encoded once for all trials that share it.

    The key of a program with stand-in models contains the digests of those that it names.
    """
    spelled: dict[int, Callable[..., str]] = {}
    digests = cache(twin_digests)
    keys = []
    for program, spec, *_ in trials:
        if id(spec) not in spelled:
            lock = environment_lock(spec.environment)
            spelled[id(spec)] = ending_with(spec.judge, msgspec.to_builtins(spec), lock, TRYING)
        keys.append(spelled[id(spec)](program, *_stand_ins(program, spec, digests)))
    return keys


def _stand_ins(
    program: str, spec: ProgramSpec, digests: Callable[[str], dict[str, str]]
) -> list[dict[str, str]]:
    """Return the digests of the stand-ins that a program names, by id; empty for nearly all programs."""
    if not (isinstance(spec, LevelsSpec | RepliesSpec) and spec.links):
        return []
    used_digests = {name: digest for name, digest in digests(spec.environment).items() if name in program}
    return [used_digests] if used_digests else []


def _trial_result(key: str, judgement: Judgement) -> TrialResult:
    return TrialResult(
        key=key,
        outcome=judgement.outcome,
        detail=judgement.detail,
        parts=judgement.parts,
        cpu_s=judgement.cpu_s,
        payload=judgement.payload,
        call_s=judgement.call_s,
    )
