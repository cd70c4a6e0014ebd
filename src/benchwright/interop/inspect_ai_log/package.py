"""The inspect-ai package, imported when it is first needed: that takes seconds."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

from benchwright.errors import PrerequisiteError, install_command


class InspectPackage(NamedTuple):
    """Its modules that are used here. They are untyped here: its types change with each of its versions."""

    log: Any
    model: Any
    scorer: Any


def load_package() -> InspectPackage:
    """The package. Raises PrerequisiteError where it is not installed."""
    try:
        return InspectPackage(*(import_module(f"inspect_ai.{name}") for name in InspectPackage._fields))
    except ImportError as error:
        message = f"writing Inspect logs requires the package inspect-ai: {error}"
        raise PrerequisiteError(message, hint=install_command("inspect")) from None


def load_recorder(log_folder: str, location: str) -> Any | None:
    """The package's own writer that takes one sample at a time; None where this version has none.

    It is not in the package's public face, whose `write_eval_log` needs all samples at once.
    """
    try:
        create = import_module("inspect_ai.log._recorders").create_recorder_for_location
    except (ImportError, AttributeError):
        return None
    return create(location, log_folder)


def enable_zstandard() -> None:
    """Teach Python's `zipfile` the compression of newer logs, where the library for it is installed.

    Python has it since 3.14. Before, the package brings `zipfile_zstd`, which patches the module; importing
    that alone takes a hundredth of the time of the package itself.
    """
    try:
        import_module("zipfile_zstd")
    except ImportError:
        return
