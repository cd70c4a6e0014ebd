"""Build a program and run it in the sandbox: what a compiler reports, and what the program prints."""

from __future__ import annotations

import signal
from collections.abc import Mapping

from benchwright.display.escape import escaped_start
from benchwright.judges.programs.toolchain import ProgramPlan
from benchwright.records import Outcome, Record
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.commands import Command, CommandResult, run_command
from benchwright.sandbox.limits import Limits

MAX_OUTPUT = 16 << 20  # bytes, of standard output and of standard error, and of an input
BUILD = Limits(
    cpu_s=30.0, memory_mb=2048, processes=128, tmp_mb=512, output_bytes=64 << 20, reply_bytes=80 << 20
)
_KEPT_BOXES = 3  # one for builds, and those of the memory limits that were used last
_SHOWN = 2000
_NEARLY = 0.9  # of the memory limit: a program this close to it failed for its memory
_NO_MEMORY = (
    *(b"MemoryError", b"std::bad_alloc", b"OutOfMemoryError", b"JavaScript heap out of memory"),
    *(b"memory allocation of ", b"fatal error: runtime: out of memory", b"runtime: cannot allocate memory"),
)


class BuiltProgram(Record, frozen=True, kw_only=True):
    """A built program; `outcome` is not "passed" if it could not be built, and `detail` says why."""

    plan: ProgramPlan
    files: Mapping[str, bytes] = {}
    outcome: Outcome = Outcome.passed
    detail: str = ""
    cpu_s: float = 0.0
    wall_s: float = 0.0


class ProgramRun(Record, frozen=True, kw_only=True):
    """A run. `outcome` is "passed" for status 0; the output is not compared here."""

    outcome: Outcome
    detail: str = ""
    stdout: bytes = b""
    stderr: str = ""  # the start, escaped
    cpu_s: float = 0.0
    wall_s: float = 0.0


class ProgramRunner:
    """Builds and runs programs, with a sandbox for builds and one for each memory limit. Close it."""

    def __init__(self, *, jail: str = "auto") -> None:
        self._jail = jail
        self._boxes: dict[int, Sandbox] = {}  # by memory limit; 0: for builds

    def close(self) -> None:
        """End all sandboxes."""
        for memory_mb in list(self._boxes):
            self._boxes.pop(memory_mb).close()

    def build(self, plan: ProgramPlan, code: str) -> BuiltProgram:
        """Run the steps of a plan. Raises SandboxError."""
        files = {plan.source: code.encode("utf-8", "surrogatepass"), **plan.extra_files}
        cpu_s = wall_s = 0.0
        for step in plan.steps:
            command = Command(argv=step.argv, files=files, collect=step.collect)
            result = run_command(self._box(0), command, environment=plan.building)
            cpu_s, wall_s = cpu_s + result.usage.cpu_s, wall_s + result.usage.wall_s
            if result.outcome is not Outcome.passed:
                outcome, detail = _build_failure(result)
                return BuiltProgram(plan=plan, outcome=outcome, detail=detail, cpu_s=cpu_s, wall_s=wall_s)
            files.update(result.files)
        run_paths = plan.files or (plan.source,)
        program_files = {path: content for path, content in files.items() if _is_below(path, run_paths)}
        return BuiltProgram(plan=plan, files=program_files, cpu_s=cpu_s, wall_s=wall_s)

    def run(self, built: BuiltProgram, program_input: bytes, *, cpu_s: float, memory_mb: int) -> ProgramRun:
        """Run a program on an input. It sees its own files and this input. Raises SandboxError."""
        plan = built.plan
        command = Command(
            argv=plan.run, files=dict(built.files), env=dict(plan.variables), stdin=program_input
        )
        box = self._box(memory_mb + plan.runtime_mb)
        result = run_command(box, command, environment=plan.running, cpu_s=cpu_s + plan.start_cpu_s)
        outcome, detail = _end_of(result, memory_mb + plan.runtime_mb)
        return ProgramRun(
            outcome=outcome,
            detail=detail,
            stdout=result.stdout,
            stderr=escaped_start(result.output.decode("utf-8", "replace"), _SHOWN),
            cpu_s=result.usage.cpu_s,
            wall_s=result.usage.wall_s,
        )

    def _box(self, memory_mb: int) -> Sandbox:
        if memory_mb not in self._boxes:
            limits = _limits(memory_mb) if memory_mb else BUILD
            self._boxes[memory_mb] = Sandbox(limits=limits, jail=self._jail)
        self._boxes[memory_mb] = box = self._boxes.pop(memory_mb)
        while len(self._boxes) > _KEPT_BOXES:
            self._boxes.pop(next(iter(self._boxes))).close()
        return box


def _limits(memory_mb: int) -> Limits:
    return Limits(
        memory_mb=memory_mb,
        processes=128,
        tmp_mb=128,
        output_bytes=MAX_OUTPUT,
        reply_bytes=MAX_OUTPUT + (1 << 20),
    )


def _is_below(path: str, folders: tuple[str, ...]) -> bool:
    return any(each in (".", path) or path.startswith(f"{each}/") for each in folders)


def _build_failure(result: CommandResult) -> tuple[Outcome, str]:
    """Return the outcome of a failed step: a compiler that refuses a program ends with a status."""
    if result.outcome is not Outcome.exception or (result.status or 0) < 0:
        return result.outcome, f"compiling {result.detail.removeprefix('the command ')}"
    output = result.output.decode("utf-8", "replace").strip()
    return Outcome.syntax_error, escaped_start(output or result.detail, _SHOWN)


def _end_of(result: CommandResult, memory_mb: int) -> tuple[Outcome, str]:
    """Return how a run ended. Only the kind of a failure depends on what the program printed."""
    if max(len(result.stdout), result.usage.printed) >= MAX_OUTPUT:
        return Outcome.output_limit, f"printed more than {MAX_OUTPUT >> 20} MiB"
    if result.outcome is not Outcome.exception:
        return result.outcome, result.detail
    near = result.usage.peak_kb > memory_mb * 1024 * _NEARLY
    if any(each in result.output for each in _NO_MEMORY) or (near and (result.status or 0) < 0):
        return Outcome.out_of_memory, "took more memory than it may"
    if result.status == -signal.SIGXCPU:
        return Outcome.timed_out, "used more processor time than it may"
    return Outcome.exception, result.detail.replace("the command", "the program", 1)
