"""Set up toolchains before their first use: `python -m benchwright.judges.suites.preparing java go`.

The script `run` calls it to check a toolchain: exit code 3 means that it is missing or cannot be used.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from benchwright import registry
from benchwright.contracts import ProjectToolchain
from benchwright.errors import BenchwrightError, UsageError
from benchwright.judges.suites.runners import open_runner


def prepare(lang: str) -> str:
    """Make and keep what the suites of a language share. Return the toolchain's versions as text.

    Raises PrerequisiteError if the toolchain is missing, SandboxError if it makes nothing.
    """
    languages = {name.lower(): name for name in registry.RUNNERS}
    if lang not in languages:
        raise UsageError(f"unknown toolchain {lang!r}", hint=f"one of: {', '.join(languages)}")
    runner = open_runner(languages[lang])
    try:
        versions = runner.versions()
        if isinstance(runner, ProjectToolchain):
            runner.set_up()
    finally:
        runner.close()
    return ", ".join(f"{part} {version}" for part, version in versions.items())


def main(languages: Sequence[str]) -> int:
    """Set up each language, report on stderr, and return the exit code."""
    for lang in languages:
        try:
            sys.stderr.write(f"{lang}: ready ({prepare(lang)})\n")
        except BenchwrightError as error:
            sys.stderr.write(f"{lang}: {error}\n")
            return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
