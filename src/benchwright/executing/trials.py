"""Programs tried: each by a spec under a variation, the outcome stored as it ends, none executed twice.

The key of a trial is its content: the program, the spec with its variation, and the versions of what it is
executed in. So a command that was killed goes on, two commands over one file share what they know, and a
program that two gates ask about costs one execution.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from benchwright.contracts import Criterion, Executor, Job, Judgement, LevelsSpec, ProgramSpec, RepliesSpec
from benchwright.executing.ledger import variations
from benchwright.progress import Silent, Watcher, stage
from benchwright.records import Outcome, Record
from benchwright.sandbox.environments import find_environment, versions
from benchwright.sandbox.profiles import twin_digests
from benchwright.store.keys import ending_with
from benchwright.store.writing import Appender, read_records

TRYING = 1  # raised whenever the same trial may end otherwise than before
VARIATIONS = 5


class Trial(NamedTuple):
    """A program and how it is judged. `spec` names its own limit: the executor's is no part of the key.

    `again`: where its time runs out, it is executed once more with nothing beside it, and that counts.
    Other programs and a busy machine can take the time of one that is expected to pass.
    """

    program: str
    spec: ProgramSpec
    again: bool = False


class Tried(Record, frozen=True, kw_only=True):
    """How a trial ended, as `contracts.Judgement` has it."""

    key: str
    outcome: Outcome
    detail: str = ""
    parts: dict[str, Outcome] = {}
    cpu_s: float = 0.0
    payload: bytes = b""
    alone: bool = False  # executed again by itself, since its time had run out

    @property
    def passed(self) -> bool:
        """Whether the program did all that the spec asks."""
        return self.outcome is Outcome.passed


class Trials:
    """The file of trials, and what executes those that it does not know. Close it, or use `with`."""

    def __init__(self, path: Path, executor: Executor, *, watch: Watcher | None = None) -> None:
        self._executor, self.watch = executor, watch or Silent()
        self._writer = Appender(path)
        self._known: dict[str, Tried] = {}
        for each in read_records(path, Tried):
            self._learn(each)
        self.earlier = len(self._known)

    def run(self, trials: Iterable[Trial], *, name: str = "trials") -> list[Tried]:
        """How each trial ended, in the order given. Those in which the sandbox failed are not remembered."""
        wanted = list(trials)
        keys = _keys(wanted)
        missing = {key: trial for key, trial in zip(keys, wanted, strict=True) if self._is_open(key, trial)}
        failed: dict[str, Tried] = {}
        known = len(set(keys)) - len(missing)
        with stage(self.watch, name, total=len(missing) + known, done=known):
            for each in self._ended(missing):
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

    def _ended(self, missing: dict[str, Trial]) -> Iterator[Tried]:
        """How each trial ended; behind them those that are executed again, one at a time."""
        slow = []
        for each in self._executed(missing):
            if each.outcome is Outcome.timed_out and missing[each.key].again:
                slow.append(each.key)
            else:
                yield each
        for key in slow:
            for each in self._executed({key: missing[key]}):
                yield msgspec.structs.replace(each, alone=True)

    def _executed(self, missing: dict[str, Trial]) -> Iterator[Tried]:
        ordered = sorted(missing.items(), key=lambda item: _order(item[1].spec))
        keys = [key for key, _ in ordered]
        for number, judgement in self._executor.judge(_jobs([trial for _, trial in ordered])):
            yield _tried(keys[number], judgement)

    def _learn(self, tried: Tried) -> None:
        self._known[tried.key] = tried

    def close(self) -> None:
        """Close the file."""
        self._writer.close()

    def __enter__(self) -> Trials:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def varied(program: str, spec: ProgramSpec, count: int = VARIATIONS) -> list[Trial]:
    """A program that should pass, under several variations; the first of all changes nothing."""
    return [
        Trial(program, msgspec.structs.replace(spec, variation=each), again=True)
        for each in variations(count)
    ]


def limited(spec: ProgramSpec, cpu_s: float) -> ProgramSpec:
    """The spec with another limit."""
    return msgspec.structs.replace(spec, cpu_limit_s=cpu_s)


@cache
def environment_lock(name: str) -> dict[str, str]:
    """The versions of what a profile executes with. Raises UsageError and PrerequisiteError."""
    return versions(find_environment(name))


def _order(spec: ProgramSpec) -> tuple[bool, str, int]:
    """Those of one interpreter stand together, and last those that are not varied: it is the interpreter that
    the next trials need, and a worker keeps only a few. All else keeps the order it came in."""
    return spec.variation.number == 0, spec.environment, spec.variation.number


def _keys(trials: Sequence[Trial]) -> list[str]:
    """Their content keys. A spec is spelled once for all trials that share the object.

    Of a program beside stand-ins for models the key holds what those are that it names.
    """
    spelled: dict[int, Callable[..., str]] = {}
    digests = cache(twin_digests)
    keys = []
    for program, spec, _ in trials:
        if id(spec) not in spelled:
            lock = environment_lock(spec.environment)
            spelled[id(spec)] = ending_with(spec.judge, msgspec.to_builtins(spec), lock, TRYING)
        keys.append(spelled[id(spec)](program, *_stand_ins(program, spec, digests)))
    return keys


def _stand_ins(
    program: str, spec: ProgramSpec, digests: Callable[[str], dict[str, str]]
) -> list[dict[str, str]]:
    """The digests of those that a program is given and names, by their ids; empty for nearly all programs."""
    if not (isinstance(spec, LevelsSpec | RepliesSpec) and spec.links):
        return []
    named = {name: digest for name, digest in digests(spec.environment).items() if name in program}
    return [named] if named else []


def _jobs(trials: Sequence[Trial]) -> Iterator[Job]:
    """Jobs that share a spec share a criterion: a worker is then told it once."""
    criterion: Criterion | None = None
    for number, (program, spec, _) in enumerate(trials):
        if criterion is None or criterion.spec is not spec:
            criterion = Criterion(spec)
        yield Job(number, program, criterion)


def _tried(key: str, judgement: Judgement) -> Tried:
    return Tried(
        key=key,
        outcome=judgement.outcome,
        detail=judgement.detail,
        parts=judgement.parts,
        cpu_s=judgement.cpu_s,
        payload=judgement.payload,
    )
