"""Programs in JavaScript and TypeScript: the suffix decides whether Node.js reads a module."""

import re

from benchwright.lang.program_languages import ProgramFile, ProgramLanguage

_MODULE = re.compile(r"^(?:import\s*[\w{*\"']|export\s)", re.MULTILINE)


def javascript_file(code: str) -> ProgramFile:
    """Return `main.mjs` for a program with import or export statements, else `main.cjs`."""
    return ProgramFile(path="main.mjs" if _MODULE.search(code) else "main.cjs")


def typescript_file(code: str) -> ProgramFile:
    """Return `main.mts` for a program with import or export statements, else `main.cts`."""
    return ProgramFile(path="main.mts" if _MODULE.search(code) else "main.cts")


JAVASCRIPT_PROGRAM = ProgramLanguage(
    name="JavaScript",
    spellings=("js", "node", "nodejs"),
    fence="javascript",
    fence_tags=frozenset({"javascript", "js", "mjs", "cjs", "node", "nodejs"}),
    file_of=javascript_file,
    stub="process.exit(1);\n",
)
TYPESCRIPT_PROGRAM = ProgramLanguage(
    name="TypeScript",
    spellings=("ts",),
    fence="typescript",
    fence_tags=frozenset({"typescript", "ts", "mts", "cts"}),
    file_of=typescript_file,
    stub="declare const process: any;\nprocess.exit(1);\n",
)
