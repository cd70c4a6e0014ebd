"""The suite that runs before the first fork."""

from __future__ import annotations

from pathlib import Path

import benchwright.sandbox
from kit.processes import python

PLACE = str(Path(benchwright.sandbox.__file__).parent)


def test_a_rehearsal_leaves_nothing() -> None:
    """pytest's session, the import system and the trip wire are after it as they were before."""
    program = (
        "import sys\nfrom inside import suite, suite_warm, suite_probes\n"
        "session, watch = suite_warm.SESSION, suite_warm.WATCH\n"
        "def state():\n"
        "    owners = (session, session._fixturemanager, suite_warm.OUTCOMES)\n"
        "    kept = {k: repr(v) for each in owners for k, v in vars(each).items() if not k.startswith('_best')}\n"
        "    return (kept, list(sys.path), list(sys.meta_path), set(sys.modules) - {'inside.suite_rehearsal'},\n"
        "        set(sys.path_importer_cache), set(suite_probes._own), len(session._setupstate.stack))\n"
        "before = state()\nfrom inside import suite_rehearsal\n"
        "print(before == state(), repr(watch.changed()), watch._memory.is_same(), 'null' in sys.modules)\n"
    )
    done = python(program, cwd="/tmp", env={"PYTHONPATH": PLACE})

    assert (done.stdout, done.stderr) == ("True '' True False\n", "")
