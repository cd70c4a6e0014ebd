"""Toolchains of whole programs: steps in the sandbox, and the parts of the machine that they see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from benchwright.errors import PrerequisiteError
from benchwright.records import Record
from benchwright.sandbox.environments import Environment

WORK = "/tmp/work"  # the folder of a command in the jail


class BuildStep(Record, frozen=True, kw_only=True):
    """A command of the build; what it collects is there for later steps and for the program."""

    argv: tuple[str, ...]
    collect: tuple[str, ...] = ()


class ProgramPlan(Record, frozen=True, kw_only=True):
    """How one program is built and run.

    `runtime_mb` is memory that the language's runtime takes in addition to the program's own, `start_cpu_s`
    its processor time: both are added to a task's limits.
    """

    source: str  # path of the program's file
    steps: tuple[BuildStep, ...] = ()
    building: Environment | None = None  # None: there are no steps
    run: tuple[str, ...]
    running: Environment
    extra_files: Mapping[str, bytes] = {}  # for the build
    files: tuple[str, ...] = ()  # paths or folders for the run; empty: the source
    variables: Mapping[str, str] = {}
    runtime_mb: int = 32
    start_cpu_s: float = 0.0


class Toolchain(Protocol):
    """A toolchain of one language. Methods raise PrerequisiteError if it is not installed."""

    def versions(self) -> Mapping[str, str]:
        """Return the versions by part."""
        ...

    def plan(self, code: str, *, memory_mb: int) -> ProgramPlan:
        """Return how to build and run a program whose task allows this much memory."""
        ...


def environment(
    name: str, binds: Sequence[tuple[str, str]] = (), *, runtime: bool = False, open_files: int = 256
) -> Environment:
    """Return what a step sees. `runtime`: it reserves more addresses than it uses, and reads /proc."""
    return Environment(
        name=name,
        preload=(),
        binds=tuple(binds),
        open_files=open_files,
        address_limit=not runtime,
        kernel_files=runtime,
    )


def system_binds(program: Path) -> tuple[tuple[str, str], ...]:
    """Return binds for a program of the system and what it starts: /usr, and the program's own prefix.

    Raises PrerequisiteError for a program outside of `/usr` whose folder is not called bin.
    """
    prefix = program.parent.parent
    if program.is_relative_to("/usr"):
        return (("/usr", "/usr"),)
    if program.parent.name != "bin" or len(prefix.parts) < 2:
        raise PrerequisiteError(
            f"{program} is not in a folder `bin`", hint=f"install it below /usr: {program.name}"
        )
    return (("/usr", "/usr"), (str(prefix), str(prefix)))
