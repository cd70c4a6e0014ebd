"""Programs in Python."""

from benchwright.lang.program_languages import ProgramFile, ProgramLanguage

PYTHON_PROGRAM = ProgramLanguage(
    name="Python",
    spellings=("py", "python3"),
    fence="python",
    fence_tags=frozenset({"python", "py", "python3", "py3"}),
    file_of=lambda code: ProgramFile(path="main.py"),
    stub="raise SystemExit(1)\n",
)
