"""One worker: a process with one sandbox, so that memory, descriptors and children are its alone.

Usage: python -m tests.attacks.worker '{"jail": …, "secret": …, "wall_s": …, "jobs": [[name, form], …]}'
Writes one finding a line, and last a line that names what it left behind.
"""

from __future__ import annotations

import json
import os
import sys

import msgspec

from benchwright.sandbox.inside import linux
from tests.attacks.arena import Arena, left_by


def main(config_text: str) -> None:
    """Run the jobs and report."""
    linux.die_with_parent()
    config = json.loads(config_text)
    os.environ["BW_ATTACK"] = config["secret"]
    encoder = msgspec.json.Encoder()
    with Arena(jail=config["jail"], secret=config["secret"], wall_s=config["wall_s"]) as arena:
        for name, form in config["jobs"]:
            _say(encoder.encode(arena.attack(name, form)))
    _say(encoder.encode({"left": left_by(os.getpid())}))


def _say(line: bytes) -> None:
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(sys.argv[1])
