"""The test file that MERA executes: what it takes from an answer, and how it completes that.

From `ExtractFromTagJava` of MERA_CODE and `JavaTestFixer` of MERA-Evaluation/repotest, which read lines: a
package or an import counts only at the start of one.
"""

from __future__ import annotations

_TAG, _END = "```java", "```"
# An answer whose first characters were lost in the prompt, or that begins with a token of a model.
_BEGINNINGS = (("ckage", "pa"), ("age", "pack"), ("ackage", "p"))
_TOKEN = "<|code|>"


def take_block(text: str) -> str:
    """The text between the first two marks of Java code, up to the next mark of any kind, stripped."""
    if _TAG in text:
        text = text.split(_TAG)[1]
    return text.split(_END)[0].strip()


def completed(tests: str, source: str) -> str:
    """The test file with the package of the tested class and with its imports."""
    lines = _with_package(_begun(tests).split("\n"), source)
    known = set(_imports("\n".join(lines)))
    missing = [line for name, line in _imports(source).items() if name not in known]
    at = next((at for at, line in enumerate(lines) if line.startswith("package ")), -1) + 1
    return "\n".join([*lines[:at], *missing, *lines[at:]])


def _begun(tests: str) -> str:
    for start, lost_text in _BEGINNINGS:
        if tests.startswith(start):
            return f"{lost_text}{tests}"
    return tests.removeprefix(_TOKEN)


def _with_package(lines: list[str], source: str) -> list[str]:
    """The lines with the source's package: in place of each declaration, or first if there is none."""
    package = next((line for line in source.split("\n") if line.startswith("package ")), None)
    if package is None:
        return lines
    if not any(line.startswith("package ") for line in lines):
        return [package, *lines]
    return [package if line.startswith("package ") else line for line in lines]


def _imports(code: str) -> dict[str, str]:
    """The import lines by what they import; of equal ones the last."""
    found = [line for line in code.split("\n") if line.startswith("import ")]
    return {line.replace("import ", "").replace("static ", "").rstrip(";"): line for line in found}
