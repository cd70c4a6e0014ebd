"""Load a program the way MERA's harness does, quirks included, on every supported Python.

MERA runs exec(program) inside a function and then takes the entry point from locals(). So top-level
names land in a dict that functions cannot see: recursion, a second helper and a top-level import all
fail when called, while the harness module's own globals are visible without an import. Since Python
3.13 (PEP 667) exec no longer writes to locals() and every score there is zero; passing the two dicts
explicitly gives the behaviour of Python 3.12 and older on all versions.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from importlib import import_module
from typing import Any

# Modules that MERA's harness module has imported, hence visible to the program: alias, module.
LEAKED = (("ast", "ast"), ("os", "os"), ("re", "re"), ("np", "numpy"))


def load(source: str, entry_point: str) -> Callable[..., Any]:
    """The entry point as MERA would see it. Raises whatever the program raises, or KeyError."""
    harness: dict[str, Any] = {"__builtins__": builtins, "__name__": "utils"}
    for alias, module in LEAKED:
        try:
            harness[alias] = import_module(module)
        except ImportError:
            continue  # this dependency profile lacks it: the program then sees a NameError
    local: dict[str, Any] = {}
    exec(source, harness, local)
    function: Callable[..., Any] = local[entry_point]
    return function
