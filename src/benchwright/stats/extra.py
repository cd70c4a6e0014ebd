"""numpy and scipy, which only the comparison of models needs: imported when first called for.

scipy.special is a quarter of scipy.stats to import (0.7 s of CPU against 2.7 s) and has the two
functions that are needed, Student's distribution and its inverse.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from benchwright.errors import PrerequisiteError, install_command


def numpy() -> Any:
    """The module numpy. Raises PrerequisiteError where it is not installed."""
    return _need("numpy")


def special() -> Any:
    """The module scipy.special. Raises PrerequisiteError where it is not installed."""
    return _need("scipy.special")


def _need(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        message = f"comparing models needs {module.partition('.')[0]}: {error}"
        raise PrerequisiteError(message, hint=install_command("stats")) from None
