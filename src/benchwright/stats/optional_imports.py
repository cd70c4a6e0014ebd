"""numpy and scipy, imported on first use: only comparisons of models and of judges need them.

scipy.special takes a quarter of the import time of scipy.stats (0.7 s of CPU against 2.7 s) and has the
two functions that are needed, Student's distribution and its inverse.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from benchwright.errors import PrerequisiteError, install_command

_COMPARING = "comparing models"


def numpy(purpose: str = _COMPARING) -> Any:
    """The module numpy. Raises PrerequisiteError that names the purpose if it is not installed."""
    return _need("numpy", purpose)


def special() -> Any:
    """The module scipy.special. Raises PrerequisiteError if it is not installed."""
    return _need("scipy.special", _COMPARING)


def _need(module: str, purpose: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        message = f"{purpose} needs {module.partition('.')[0]}: {error}"
        raise PrerequisiteError(message, hint=install_command("compare")) from None
