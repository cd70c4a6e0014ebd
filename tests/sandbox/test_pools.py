"""Gaps in the interpreter's memory are filled, and plugins go that a suite has no word for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import benchwright.sandbox
from benchwright.sandbox.inside.pools import fillers

PLACE = str(Path(benchwright.sandbox.__file__).parent)
WORDS = """
import sys
from inside import suite_warm
suite_warm.spare([sys.argv[1].encode()])
plugins = suite_warm.CONFIG.pluginmanager
print([name for name in ("logging-plugin", "capturemanager", "warnings") if plugins.hasplugin(name)])
"""


def _left(text: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", WORDS, text],
        env={"PYTHONPATH": PLACE},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout.strip()


def test_objects_of_every_size_fill_the_gaps() -> None:
    """Of each size that is kept in pools; what is made next begins a pool or fills one that is new."""
    found = fillers()
    sizes = {-(-sys.getsizeof(each) // 16) * 16 for each in found}
    again = fillers()

    assert sizes <= set(range(16, 513, 16))
    assert (len(found) < 32_000, len(again) <= len(found) + 320) == (True, True)


def test_a_plugin_stays_where_a_word_asks_for_it() -> None:
    """Capture for its fixtures, logging for these as well, since they would read what is logged."""
    assert _left("def test_a(): pass") == "['warnings']"
    assert _left("import LOGGING") == "['logging-plugin', 'warnings']"
    assert _left("def test_a(capsys): pass") == "['logging-plugin', 'capturemanager', 'warnings']"
