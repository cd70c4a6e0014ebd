"""Errors that Benchwright raises deliberately.

BenchwrightError                  exit code 1
├── UsageError                    2   invalid command or call
│   ├── ArgumentError             2   invalid arguments of a Python call; also a TypeError
│   └── UnknownNameError          2   unknown name in a result; also a KeyError
├── DataError                     1   invalid data set or file of answers (file, line, field)
├── RunError                      1   a run folder cannot be used
│   └── SelfCheckError            1   self-check failed; score withheld
├── BatchesPending                4   submitted batches have not ended; the same command collects them
├── SandboxError                  1   the sandbox failed; never the model's fault
└── PrerequisiteError             3   a prerequisite is missing

A verdict such as "wrong" or "timed_out" is data (`records.Outcome`), never an exception.
"""

from __future__ import annotations

import os
from collections.abc import Iterable


def command_name() -> str:
    """Return the call of the program for hints, such as `benchwright` or `./run benchwright` in a clone."""
    if command := os.environ.get("BENCHWRIGHT_COMMAND"):
        return command
    from benchwright.installation import program_call  # noqa: PLC0415 (only what prints a hint needs it)

    return program_call()


def install_command(extra: str) -> str:
    """Return the command that installs an extra, for hints."""
    from benchwright.installation import extra_install_command  # noqa: PLC0415 (only what prints a hint needs it)

    return extra_install_command(extra)


def package_command(*names: str) -> str:
    """Return the command that installs packages into the running environment, for hints."""
    from benchwright.installation import package_install_command  # noqa: PLC0415 (only what prints a hint needs it)

    return package_install_command(*names)


def setup_command(profile: str) -> str:
    """Return the command that installs the packages of a dependency profile, for hints."""
    return f"{clone_script() or command_name()} setup {profile}"


def clone_script() -> str:
    """Return the call of a clone's script, for hints; empty outside of a clone."""
    from benchwright.installation import clone_script_call  # noqa: PLC0415 (only what prints a hint needs it)

    return clone_script_call()


def nearest(name: str, known: Iterable[str], *, cutoff: float = 0.6) -> str:
    """Return the known name that is most similar to `name`; empty where none is similar enough."""
    from difflib import get_close_matches  # noqa: PLC0415 (3 ms, only where a name is wrong)

    return next(iter(get_close_matches(name, list(known), 1, cutoff=cutoff)), "")


def nearest_hint(name: str, known: Iterable[str], *, otherwise: str = "") -> str:
    """Return a question with the nearest known name. Without one: `otherwise`, or a list of all known names.

    >>> nearest_hint("agre", ["agree", "disagree"])
    'did you mean `agree`?'
    """
    names = list(known)
    near = nearest(name, names)
    return f"did you mean `{near}`?" if near else otherwise or f"one of: {', '.join(names)}"


class BenchwrightError(Exception):
    """Base of deliberate errors: a message, and a hint to paste."""

    exit_code = 1

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\nhint: {self.hint}" if self.hint else self.message


class UsageError(BenchwrightError):
    """The command line or the function call is invalid."""

    exit_code = 2


class ArgumentError(UsageError, TypeError):
    """The arguments of a call do not fit its signature, such as an unknown name."""


class UnknownNameError(UsageError, KeyError):
    """A result has no entry of this name."""


class DataError(BenchwrightError):
    """A row of a file violates its format.

    `path`, `line` (1-based), `task_id` and `field` give the place; each may be None.
    """

    def __init__(
        self,
        message: str,
        *,
        path: str | None = None,
        line: int | None = None,
        task_id: object = None,
        field: str | None = None,
        hint: str | None = None,
    ) -> None:
        self.path, self.line, self.task_id, self.field = path, line, task_id, field
        self.what = message  # message without the place
        super().__init__(self._place() + message, hint=hint)

    def _place(self) -> str:
        parts = []
        if self.path is not None:
            parts.append(self.path if self.line is None else f"{self.path}:{self.line}")
        if self.task_id is not None:
            parts.append(f"task {self.task_id}")
        if self.field is not None:
            parts.append(f"field `{self.field}`")
        return ": ".join([", ".join(parts), ""]) if parts else ""


class RunError(BenchwrightError):
    """A run folder cannot be created, resumed or read."""


class SelfCheckError(RunError):
    """The self-check failed on this data, so its scores are withheld."""


class BatchesPending(BenchwrightError):
    """Submitted batches have not ended. The same command collects their results later."""

    exit_code = 4


class SandboxError(BenchwrightError):
    """The sandbox failed, which says nothing about the code to run."""


class PrerequisiteError(BenchwrightError):
    """Something must be installed or permitted first; the hint is the command for it."""

    exit_code = 3
