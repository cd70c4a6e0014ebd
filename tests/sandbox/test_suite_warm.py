"""Plugins of pytest go that a suite has no word for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import benchwright.sandbox
from kit.processes import HANG_S

PLACE = str(Path(benchwright.sandbox.__file__).parent)
WORDS = """
import sys
from inside import suite_warm
suite_warm.serve_fixtures([sys.argv[1].encode()])
plugins = suite_warm.CONFIG.pluginmanager
print([name for name in ("logging-plugin", "capturemanager", "warnings") if plugins.hasplugin(name)])
if "capsys" in sys.argv[1]:
    def called(config):
        hooks = vars(config.hook).items()
        return {name: [each.plugin_name.strip("0123456789") for each in hook.get_hookimpls()] for name, hook in hooks}
    print(called(suite_warm.CONFIG) == called(suite_warm._prepared()[0]))
"""


def _left(text: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", WORDS, text],
        env={"PYTHONPATH": PLACE},
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=True,
    )
    return done.stdout.strip()


def test_a_plugin_stays_where_a_word_asks_for_it() -> None:
    """Capture for its fixtures, logging for these as well, since they would read what is logged.
    Each hook then calls all plugins in pytest's order."""
    assert _left("def test_a(): pass") == "['warnings']"
    assert _left("import LOGGING") == "['logging-plugin', 'warnings']"
    assert _left("def test_a(capsys): pass") == "['logging-plugin', 'capturemanager', 'warnings']\nTrue"
