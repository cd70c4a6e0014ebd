"""Runs hostile programs in one sandbox, one after another, and says how each ended and what it did."""

from __future__ import annotations

import contextlib
import os
import secrets
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

import msgspec

from benchwright.contracts import BatchSpec, CallsSpec, Criterion, Extraction, Job, Judgement, MeraSpec, Spec
from benchwright.errors import SandboxError
from benchwright.executing.pool import Pool
from benchwright.judges.judge_registry import Judges, Resources
from benchwright.records import Outcome
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.codec import encode
from benchwright.sandbox.limits import Limits
from benchwright.sandbox.untrusted import UntrustedBytes, default_limit
from benchwright.sandbox.zygote import AnswerUsage, RunningAnswer
from tests.attacks import probes
from tests.attacks.pack import BY_NAME, Attack

CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [((1, 2), {}), ((40, 2), {}), ((7, 8), {})]
SUMS = [3, 42, 15]
LIMITS = Limits(cpu_s=0.5, memory_mb=192, processes=100, tmp_mb=16)
COSTLY_CPU_S = 5.0
BRIEF_CPU_S = 0.2  # for what ends by the limit alone, however large that is
WAIT_S, HANG_S = 6.0, 300.0  # wall guards: of programs that only wait, and of those that must not

QUICK_CHECK_S = 0.2

# How tests of data sets use a value: by walking through it, counting with it, or calling in a loop of C.
USES = {
    "tuple": "assert tuple(candidate(1, 2)) == (1, 2)",
    "sum": "assert sum(candidate(1, 2)) == 3",
    "set": "assert set(candidate(1, 2)) == {1, 2}",
    "repeat": "assert [0] * candidate(1, 2) == [0, 0, 0]",
    "count": "assert sum(range(candidate(1, 2))) == 3",
    "zip": "for got, want in zip(map(candidate, [1, 2], [2, 2]), [3, 4]):\n        assert got == want",
    "sentinel": "for got in iter(lambda: candidate(1, 2), 3):\n        assert got == 3",
}
SENTINEL_USE = "assert candidate(1, 2) == 3"

# What the next answer relies on: clean modules, the first random number, an empty /tmp, its own state.
GOOD = """
import collections, json, math, os, random, re
assert json.loads(json.dumps([1])) == [1] and math.sqrt(4) == 2 and re.match("a+", "aa").end() == 2
assert random.random() == 0.8444218515250481 and len(os.listdir("/tmp")) == 0 and os.getcwd() == "/tmp"
assert os.umask(0o22) == 0o22 and os.getpid() == 1 and collections.Counter("aa") == {"a": 2}
def add(x, y):
    return sum([x, y])
"""
BAD = "def add(x, y): return x + y + 1"


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """What one program did in one form: its outcomes (two when it ran twice), and the probes it tripped."""

    name: str
    form: str
    outcomes: list[str]
    tripped: dict[str, str]
    wall_s: float
    detail: str = ""

    @property
    def wrong_outcome(self) -> bool:
        allowed = BY_NAME[self.name].outcomes[self.form]
        return not self.outcomes or any(outcome not in allowed for outcome in self.outcomes)


class Listener(Sandbox):
    """A sandbox that keeps what the answer said, as bytes, before anybody reads them, and, while `attacked`,
    what the user outside could not make while the answer and its processes were there."""

    said = b""
    missed = ""
    attacked = False

    def execute(
        self, job: tuple[str, str, str, bytes], work: Callable[[RunningAnswer], None], **options: Any
    ) -> AnswerUsage:
        kept: list[bytes] = []

        def listening(running: RunningAnswer) -> None:
            read = running.read

            def reading() -> tuple[bytes, UntrustedBytes]:
                kind, payload = read()
                with default_limit():
                    kept.append(payload.reveal()[: 1 << 16])
                return kind, payload

            running.read = reading  # type: ignore[method-assign]
            try:
                work(running)
            finally:
                if self.attacked and not self.missed:
                    self.missed = probes.user_limits()

        usage = super().execute(job, listening, **options)
        self.said = b"\n".join([*kept, usage.stdout])
        return usage


class Arena:
    """A sandbox with everything around it that a program might harm."""

    def __init__(self, *, jail: str, secret: str, wall_s: float) -> None:
        self._secret, self._tag = secret, f"bwtag{secrets.token_hex(8)}"
        self._watch = probes.Watch(secret=secret, tag=self._tag)
        self._box = Listener(jail=jail, limits=msgspec.structs.replace(LIMITS, wall_s=wall_s))
        self._judges = Judges(Resources(self._box, contextlib.ExitStack()))
        self._pool: Pool | None = None
        if unsound := self._sentinels():
            raise SandboxError(f"the sandbox is not sound before the first attack: {unsound}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close_pool()
        self._box.close()
        self._watch.__exit__(kind, error, trace)

    def attack(self, name: str, form: str) -> Finding:
        """Run one program, then all probes."""
        attack, started = BY_NAME[name], time.monotonic()
        if form not in USES:
            self._close_pool()
        elif self._pool is None and (unsound := self._pool_sentinels()):
            raise SandboxError(f"the pool is not sound before its first attack: {unsound}")
        self._watch.begin()
        self._box.missed, self._box.attacked = "", True
        runs = [self._run(attack, form) for _ in range(2 if "twice" in attack.traits else 1)]
        self._box.attacked = False
        unsound = self._sentinels() or (self._pool_sentinels() if form in USES else "")
        tripped = self._watch.complaints(b"".join(said for _, _, said in runs), during=self._box.missed)
        if unsound:
            tripped["verdict"] = unsound
        if not all(_reportable(detail) for _, detail, _ in runs):
            tripped["report"] = repr(runs)
        return Finding(
            name=name,
            form=form,
            outcomes=[outcome for outcome, _, _ in runs],
            tripped=tripped,
            wall_s=round(time.monotonic() - started, 3),
            detail=runs[-1][1],
        )

    def _run(self, attack: Attack, form: str) -> tuple[str, str, bytes]:
        if form in USES:
            return self._run_in_worker(attack, form)
        self._box.said = b""
        try:
            asked = question(attack, form, self._secret)
            judgement = self._judged(filled(attack.source, self._watch, self._tag), asked)
        except SandboxError as error:
            return Outcome.sandbox_error.value, str(error), self._box.said
        except Exception as error:  # noqa: BLE001 (an end of the judge is what is to be found out)
            return f"crash {type(error).__name__}", str(error), self._box.said
        return judgement.outcome.value, judgement.detail + judgement.stdout, self._box.said

    def _run_in_worker(self, attack: Attack, form: str) -> tuple[str, str, bytes]:
        """As a run does it: what a value does to a test is bounded there, and is seen if it ends the worker."""
        judgement = self._judged_in_worker(filled(attack.source, self._watch, self._tag), USES[form])
        return judgement.outcome.value, judgement.detail + judgement.stdout, b""

    def _judged_in_worker(self, program: str, use: str) -> Judgement:
        """By a pool that stays for the next program, as it does in a run; one whose worker died starts another."""
        if self._pool is None:
            self._pool = Pool(workers=1, jail=self._box.jail, limits=self._box.limits)
            self._pool._setup = msgspec.structs.replace(self._pool._setup, check_cpu_s=QUICK_CHECK_S)
        ((_, judgement),) = self._pool.judge([Job(0, program, Criterion(_use(use)))])
        return judgement

    def _close_pool(self) -> None:
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    def _pool_sentinels(self) -> str:
        """The same for the pool, which has a worker afterwards, whatever became of the one before."""
        ends = [self._judged_in_worker(program, SENTINEL_USE).outcome for program in (GOOD, BAD)]
        return "" if ends == [Outcome.passed, Outcome.wrong] else f"in a worker of the pool: {ends}"

    def _sentinels(self) -> str:
        """What a right and a wrong answer end as, where it is not what they should."""
        good, bad = (self._judged(program, spec("batch", SUMS)) for program in (GOOD, BAD))
        if (good.outcome, bad.outcome) == (Outcome.passed, Outcome.wrong):
            return ""
        return f"right answer: {good.outcome} {good.detail}; wrong answer: {bad.outcome} {bad.detail}"

    def _judged(self, program: str, spec: Spec) -> Judgement:
        found = self._judges.of(spec).judge(Extraction(program=program, rule=""), spec)
        return found if isinstance(found, Judgement) else found()


def filled(source: str, watch: probes.Watch, tag: str) -> str:
    """Return a program with what it attacks, and the text that it needs, in place of its tokens."""
    filling = {"@FOLDER@": str(watch.folder.path), "@PORT@": str(watch.canary.port)}
    filling |= {"@TAG@": tag, "@NUL@": "\0", "@DEEP@": "-" * 100_000 + "1"}
    filling |= {"@LISTS@": "[]," * 300_000, "@FINALLY@": _nested_finally(levels=15)}
    filling |= {"@WAYS@": _many_ways_out(ways=800, steps=2200), "@NICE@": str(os.nice(0))}
    for token, text in filling.items():
        source = source.replace(token, text)
    return source


def question(attack: Attack, form: str, secret: str) -> Spec:
    """Return the spec by which a program is judged in a form."""
    if form in USES:
        return _use(USES[form])
    expected = [secret] * len(CALLS) if "secret" in attack.traits else SUMS
    return spec(form, expected, cpu_s=_cpu_s(attack, form))


def _use(use: str) -> CallsSpec:
    test = f"def check(candidate):\n    {use}\n"
    return CallsSpec(entry_point="add", test=test, cpu_limit_s=LIMITS.cpu_s)


def _cpu_s(attack: Attack, form: str) -> float:
    """How much processor time a program may use: what only waits must not meet this limit before the wall's."""
    if "costly" in attack.traits:
        return COSTLY_CPU_S
    is_burning = attack.outcomes[form] == (Outcome.timed_out.value,) and "waits" not in attack.traits
    return BRIEF_CPU_S if is_burning else LIMITS.cpu_s


def _nested_finally(*, levels: int) -> str:
    """Each level is compiled twice, for the way out and for the exception: 2 to the power of the levels."""
    lines = [f"{' ' * depth}try: x\n{' ' * depth}finally:" for depth in range(1, levels + 1)]
    return "\n".join([*lines, " " * (levels + 1) + "x += y; " * 40])


def _many_ways_out(*, ways: int, steps: int) -> str:
    """The block behind `finally` is compiled once for each `return` before it."""
    return " try:\n" + "  if x: return\n" * ways + " finally:\n  " + "x+=y;" * steps


def spec(form: str, expected: list[Any], *, cpu_s: float = LIMITS.cpu_s) -> Spec:
    """The question every program is asked, in one of the forms a judge knows."""
    if form == "calls":
        lines = [
            f"    assert candidate(*{args}) == {value!r}"
            for (args, _), value in zip(CALLS, expected, strict=True)
        ]
        return CallsSpec(
            entry_point="add", test="\n".join(["def check(candidate):", *lines]), cpu_limit_s=cpu_s
        )
    common: dict[str, Any] = {"entry_point": "add", "calls": encode(CALLS), "cpu_limit_s": cpu_s}
    texts = [str(value) for value in expected] if form in ("text", "mera-code") else []
    if form == "mera-code":
        return MeraSpec(**common, expected_text=texts)
    values = [] if texts else [encode(value) for value in expected]
    return BatchSpec(**common, expected=values, expected_text=texts)


def _reportable(text: str) -> bool:
    with contextlib.suppress(UnicodeEncodeError):
        text.encode("utf-8")
        return all(char.isprintable() or char == "\n" for char in text)
    return False


def left_by(pid: int) -> list[str]:
    """Control groups and processes that remain of a process's closed sandboxes."""
    return [*probes.groups_of(pid), *(probes.tree(pid) if pid == os.getpid() else [])]
