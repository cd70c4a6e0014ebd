"""Every error that Benchwright raises on purpose.

BenchwrightError                  exit code 1
├── UsageError                    2   the command or the call is wrong
├── DataError                     1   a data set or an answers file is wrong (file, line, field)
├── RunError                      1   a run folder cannot be used
│   └── SelfCheckError            1   gold did not pass or the stub did, so no score is printed
├── SandboxError                  1   the sandbox failed; never the model's fault
└── PrerequisiteError             3   something must be installed first

A verdict such as "wrong" or "timed_out" is data (`records.Outcome`), never an exception.
"""

from __future__ import annotations

import os
from collections.abc import Iterable


def command_name() -> str:
    """What the user types: `benchwright`, or what stands for it in a clone, under uvx or in an environment.

    For hints.
    """
    if said := os.environ.get("BENCHWRIGHT_COMMAND"):
        return said
    from benchwright.installation import typed  # noqa: PLC0415 (only what prints a hint needs it)

    return typed()


def install_command(extra: str) -> str:
    """The command that gets an optional part, as it works where the user is. For hints."""
    from benchwright.installation import adding  # noqa: PLC0415 (only what prints a hint needs it)

    return adding(extra)


def package_command(*names: str) -> str:
    """The command that installs packages which no extra names, into the environment that runs. For hints."""
    from benchwright.installation import adding_packages  # noqa: PLC0415 (only what prints a hint needs it)

    return adding_packages(*names)


def setup_command(profile: str) -> str:
    """The command that installs a dependency profile's packages, as it works where the user is. For hints."""
    return f"{clone_script() or command_name()} setup {profile}"


def clone_script() -> str:
    """The script that a clone is used by, as its user types it; empty elsewhere. For hints."""
    from benchwright.installation import script  # noqa: PLC0415 (only what prints a hint needs it)

    return script()


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
    """Base of all deliberate errors: what went wrong, where, why, and a hint to paste."""

    exit_code = 1

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\nhint: {self.hint}" if self.hint else self.message


class UsageError(BenchwrightError):
    """The command line or the function call cannot be understood."""

    exit_code = 2


class DataError(BenchwrightError):
    """A row of a file is not what its format asks for.

    `path`, `line` (1-based), `task_id` and `field` say where; each may be None when it is not known.
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
        self.what = message  # without the place
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
    """The harness did not prove itself on this data, so its scores would mean nothing."""


class SandboxError(BenchwrightError):
    """The sandbox could not do its work. Says nothing about the code that was to run."""


class PrerequisiteError(BenchwrightError):
    """Something must be installed or allowed first; the hint is the command that does it."""

    exit_code = 3
