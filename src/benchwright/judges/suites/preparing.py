"""What a first use of Java or Go would do, done now: `python -m benchwright.judges.suites.preparing java go`.

The script `run` asks by it whether a toolchain is there: exit code 3 means that it is not, or cannot be used.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence

from benchwright.errors import BenchwrightError, UsageError
from benchwright.judges.suites import go_library, go_toolchain, java_libraries, java_toolchain, java_tools


def prepare(lang: str) -> str:
    """Make and keep what the suites of a language share; the toolchain's versions, for people.

    Raises PrerequisiteError where the toolchain is absent, SandboxError where nothing can be made with it.
    """
    if lang not in _LANGUAGES:
        raise UsageError(f"nothing is to be set up for {lang!r}", hint=f"one of: {', '.join(_LANGUAGES)}")
    return ", ".join(f"{part} {version}" for part, version in _LANGUAGES[lang]().items())


def main(languages: Sequence[str]) -> int:
    """Prepare each language and say so on stderr; the exit code."""
    for lang in languages:
        try:
            sys.stderr.write(f"{lang}: ready ({prepare(lang)})\n")
        except BenchwrightError as error:
            sys.stderr.write(f"{lang}: {error}\n")
            return error.exit_code
    return 0


def _java() -> Mapping[str, str]:
    toolchain = java_toolchain.find_toolchain()
    java_tools.prepare_tools(toolchain)
    java_libraries.library_folder(tuple(java_libraries.DEBIAN))
    return toolchain.versions


def _go() -> Mapping[str, str]:
    toolchain = go_toolchain.find_toolchain()
    go_library.prepare_library(toolchain)
    return toolchain.versions


_LANGUAGES: Mapping[str, Callable[[], Mapping[str, str]]] = {"java": _java, "go": _go}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
