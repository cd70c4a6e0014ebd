"""Access to the package inspect-ai, imported at first use because that takes seconds."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

from benchwright.errors import PrerequisiteError, install_command


class InspectPackage(NamedTuple):
    """Modules of the package. They are untyped, because its types change with each version."""

    log: Any
    model: Any
    scorer: Any


def load_package() -> InspectPackage:
    """Import the package. Raises PrerequisiteError if it is not installed."""
    try:
        return InspectPackage(*(import_module(f"inspect_ai.{name}") for name in InspectPackage._fields))
    except ImportError as error:
        message = f"writing Inspect logs requires the package inspect-ai: {error}"
        raise PrerequisiteError(message, hint=install_command("inspect")) from None


def load_recorder(log_folder: str, location: str) -> Any | None:
    """Return the package's writer of single samples; None if this version has none.

    It is not public; the public `write_eval_log` requires all samples at once.
    """
    try:
        create = import_module("inspect_ai.log._recorders").create_recorder_for_location
    except (ImportError, AttributeError):
        return None
    return create(location, log_folder)


def enable_zstandard() -> None:
    """Enable the compression of newer logs in Python's `zipfile`, if a library is installed.

    Python has it since 3.14. For earlier versions the package installs `zipfile_zstd`, which patches the
    module; importing it takes a hundredth of the time of the package.
    """
    try:
        import_module("zipfile_zstd")
    except ImportError:
        return
