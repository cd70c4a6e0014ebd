"""Plugins of pytest go that a suite has no word for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import benchwright.sandbox

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


def test_a_plugin_stays_where_a_word_asks_for_it() -> None:
    """Capture for its fixtures, logging for these as well, since they would read what is logged."""
    assert _left("def test_a(): pass") == "['warnings']"
    assert _left("import LOGGING") == "['logging-plugin', 'warnings']"
    assert _left("def test_a(capsys): pass") == "['logging-plugin', 'capturemanager', 'warnings']"
