"""pytest starts without pygments and importlib.metadata, and both are there when something needs them."""

from __future__ import annotations

from pathlib import Path

import benchwright.sandbox
from kit.processes import python

PLACE = str(Path(benchwright.sandbox.__file__).parent)
PROGRAM = """
import sys
from inside import suite_late, suite_warm
print([name for name in ("pygments", "importlib.metadata", "email") if name in sys.modules])
from _pytest._io import TerminalWriter
from io import StringIO
writer = TerminalWriter(StringIO())
writer.hasmarkup = True
print("\\x1b[" in writer._highlight("x = 1", "python"), type(sys.modules["pygments"]).__name__)
import importlib
try:
    importlib.nothing
except AttributeError as error:
    print(error)
print(importlib.metadata.version("pytest") == suite_warm.pytest.__version__)
try:
    importlib.metadata.version("absent")
except importlib.metadata.PackageNotFoundError:
    print("absent")
"""


def test_late_modules_are_loaded_when_they_are_used() -> None:
    """None is loaded with pytest. Colours and versions are those of the real modules, whose classes are classes."""
    done = python(PROGRAM, cwd="/tmp", env={"PYTHONPATH": PLACE})

    assert (done.stdout.splitlines(), done.stderr) == (
        ["[]", "True module", "module 'importlib' has no attribute 'nothing'", "True", "absent"],
        "",
    )
