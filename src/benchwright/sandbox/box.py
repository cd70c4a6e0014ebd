"""`Sandbox`: run a function from untrusted source and get typed values back.

    >>> with Sandbox() as box:
    ...     result = box.run("def add(x, y): return x + y", "add", [((1, 2), {}), ((3,), {"y": 4})])
    >>> [reply.value for reply in result.replies]
    [3, 7]

The source runs in a child that is forked from a warm interpreter inside a jail: without network, without
access to your files and processes, with limits on time, memory, processes and output. The child decides
nothing in this process; its values are only values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, Self

from benchwright.errors import SandboxError
from benchwright.records import Outcome
from benchwright.sandbox.claims import CallBatch, Session
from benchwright.sandbox.codec import CodecError, decode, encode
from benchwright.sandbox.environments import BUILT_IN, Environment, find_environment
from benchwright.sandbox.jail import choose_jail
from benchwright.sandbox.limits import Limits
from benchwright.sandbox.untrusted import UntrustedBytes, default_limit
from benchwright.sandbox.zygote import AnswerEnded, AnswerUsage, Job, RunningAnswer, Zygote

ATTEMPTS = 3
RECYCLE_AFTER = 10_000
KEPT_WARM = 4  # interpreters of a sandbox; one with a large library takes 300 MB
KEPT_BYTES = 64 << 20  # all values of a run, which are stored until they are read


class Reply:
    """Reply to a call: `value` if kind is "value", else `error`."""

    def __init__(self, kind: str, payload: bytes | UntrustedBytes, error: str = "") -> None:
        self.kind, self.payload, self.error = kind, payload, error

    @cached_property
    def value(self) -> Any:
        """The value, decoded at first use. Raises CodecError if it is malformed."""
        with default_limit():
            return decode(self.payload)

    def __repr__(self) -> str:
        return f"Reply({self.value!r})" if self.kind == "value" else f"Reply({self.kind}: {self.error})"


class Result:
    """Result of a run: `outcome` is "passed" if every call returned a value, else that of the failure."""

    def __init__(self, outcome: Outcome, detail: str, replies: list[Reply], usage: AnswerUsage) -> None:
        self.outcome, self.detail, self.replies, self.usage = outcome, detail, replies, usage

    def __repr__(self) -> str:
        return f"Result({self.outcome.value}, {len(self.replies)} replies, {self.usage.cpu_s:.3f} s CPU)"


class Sandbox:
    """Runs answers one at a time, with a warm interpreter for each dependency profile, started when needed.

    At most `KEPT_WARM` interpreters are kept; the least recently used one is ended first.
    `environment` is the default profile ("bare", "numpy" or an `Environment`); `jail` is "auto",
    "bubblewrap" or "native". Not thread-safe: use one per thread. Close it, or use `with`.
    """

    def __init__(
        self, environment: str | Environment = "bare", *, limits: Limits | None = None, jail: str = "auto"
    ) -> None:
        self.limits = limits or Limits()
        self.jail = choose_jail(jail)
        self._default = environment
        self._zygotes: dict[str, Zygote] = {}
        self._used: dict[str, int] = {}
        self.trouble: list[str] = []  # failures of the sandbox after which another attempt succeeded

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """End all interpreters."""
        for name in list(self._zygotes):
            self._drop(name)

    def why_python(self, environment: str | Environment | None = None) -> str:
        """Return why a profile's zygote forks answers in Python; empty if it uses machine code.

        Both do the same; machine code costs a sixth less. Raises SandboxError if no zygote can be started.
        """
        return self._zygote(environment).why_python

    def slot_cpu_s(self, environment: str | Environment | None = None) -> float | None:
        """Return the CPU seconds of a profile's zygote and all its answers, including ended ones.

        None without a control group. Raises SandboxError if no zygote can be started.
        """
        group = self._zygote(environment).group
        return group.cpu_s() if group else None

    def run(
        self,
        source: str,
        entry_point: str,
        calls: Sequence[tuple[tuple[Any, ...], dict[str, Any]]],
        *,
        environment: str | Environment | None = None,
        cpu_s: float | None = None,
    ) -> Result:
        """Load the source and make each call (positional arguments, keyword arguments) in one process.

        Raises SandboxError if the sandbox failed three times in a row.
        """
        replies: list[Reply] = []
        outcome, detail = Outcome.passed, ""

        def work(running: RunningAnswer) -> None:
            nonlocal outcome, detail
            replies.clear()
            batch, size = CallBatch(running, len(calls)), 0
            try:
                with default_limit():
                    for kind, payload, error, _ in batch.replies():
                        replies.append(Reply(kind, payload, error))
                        size += len(payload)
                        if size > KEPT_BYTES:
                            raise AnswerEnded(
                                Outcome.output_limit, f"its values take more than {KEPT_BYTES} bytes"
                            )
            except AnswerEnded as ended:
                outcome, detail = ended.outcome, ended.detail

        usage = self.execute(
            ("batch", entry_point, source, encode(list(calls))), work, environment=environment, cpu_s=cpu_s
        )
        failed = next((reply for reply in replies if reply.kind != "value"), None)
        if outcome is Outcome.passed and failed is not None:
            outcome, detail = Outcome.exception, failed.error
        return Result(outcome, detail, replies, usage)

    @contextmanager
    def session(
        self, source: str, entry_point: str, *, environment: str | Environment | None = None
    ) -> Iterator[Session]:
        """Load the source for single calls: `session.call(args, kwargs)` returns a value or raises."""
        running = self._zygote(environment).fork(("calls", entry_point, source, b""))
        try:
            yield Session(running)
        finally:
            running.finish()

    def execute(
        self,
        job: Job,
        work: Callable[[RunningAnswer], None],
        *,
        environment: str | Environment | None = None,
        cpu_s: float | None = None,
    ) -> AnswerUsage:
        """Fork an answer, let `work` communicate with it, and end it. Failures of the sandbox are retried."""
        for _ in range(ATTEMPTS - 1):
            try:
                return self._attempt(job, work, environment, cpu_s)
            except SandboxError as error:
                self.trouble.append(error.message)
        return self._attempt(job, work, environment, cpu_s)

    def _attempt(
        self,
        job: Job,
        work: Callable[[RunningAnswer], None],
        environment: str | Environment | None,
        cpu_s: float | None,
    ) -> AnswerUsage:
        running = None
        try:
            running = self._zygote(environment).fork(job, cpu_s=cpu_s)
            work(running)
            return running.finish()
        except BaseException:
            self._drop(self._name(environment))  # replaced regardless of its state
            raise
        finally:
            if running is not None:
                running.close()

    def _name(self, environment: str | Environment | None) -> str:
        chosen = self._default if environment is None else environment
        return chosen if isinstance(chosen, str) else chosen.name

    def _zygote(self, environment: str | Environment | None) -> Zygote:
        name = self._name(environment)
        if self._used.get(name, 0) >= RECYCLE_AFTER:
            self._drop(name)
        if name not in self._zygotes:
            while len(self._zygotes) >= KEPT_WARM:
                self._drop(next(iter(self._zygotes)))
            self._zygotes[name] = Zygote(self._resolve(environment), self.limits, jail_name=self.jail)
            self._used[name] = 0
        self._used[name] += 1
        self._zygotes[name] = zygote = self._zygotes.pop(name)  # the last one is the most recently used
        return zygote

    def _resolve(self, environment: str | Environment | None) -> Environment:
        chosen = self._default if environment is None else environment
        if isinstance(chosen, Environment):
            return chosen
        return BUILT_IN.get(chosen) or find_environment(chosen)

    def _drop(self, name: str) -> None:
        zygote = self._zygotes.pop(name, None)
        if zygote is not None:
            zygote.close()


__all__ = ["CodecError", "Reply", "Result", "Sandbox"]
