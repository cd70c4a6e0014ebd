"""flake8 in the sandbox, from the locked profile "flake8".

Our own program runs there, in a fork of an interpreter that has the linter loaded; the linted text is an
argument of its only call and is never executed. The folder holds that text as one file and nothing else, no
configuration is read (`--isolated`), and modules come from the profile's folder, which is read-only. So
nothing that a text contains can configure, extend or replace the linter. Comments can disable it only if the
caller allows that.
"""

from __future__ import annotations

from typing import NamedTuple

from benchwright.errors import SandboxError
from benchwright.records import Outcome
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.codec import CodecError

CPU_S = 10.0
MOST = 20  # findings that are kept
NOT_LINTED = "the linter did not end with a list of findings"
# MERA runs `flake8 --format=json FILE` and counts codes, so the text of a finding matters to readers only.
_PROGRAM = f"""
from flake8.main.application import Application


def findings(source, noqa):
    with open("answer.py", "w", encoding="utf-8", newline="") as file:
        file.write(source)
    options = ["--isolated", "--jobs=1", "--format=%(code)s %(row)d:%(col)d %(text)s", "--output-file=found"]
    Application().run([*options, *([] if noqa else ["--disable-noqa"]), "answer.py"])
    with open("found", encoding="utf-8") as file:
        return [line[:200] for line in file.read().splitlines()[:{MOST}]]
"""


class LintResult(NamedTuple):
    """At most `MOST` findings, each as code, place and text; `problem` is the reason of a failure."""

    findings: tuple[str, ...]
    problem: str = ""
    cpu_s: float = 0.0

    @property
    def is_clean(self) -> bool:
        """Whether the linter read the text and found nothing."""
        return not (self.findings or self.problem)


def lint(box: Sandbox, source: str, *, noqa: bool, environment: str = "flake8") -> LintResult:
    """Lint a text. `noqa`: whether its comments can disable findings. Raises SandboxError.

    A text on which flake8 fails or exceeds the limits has a problem; MERA's harness stops there.
    """
    result = box.run(_PROGRAM, "findings", [((source, noqa), {})], environment=environment, cpu_s=CPU_S)
    used = round(result.usage.cpu_s, 6)
    if result.outcome is Outcome.sandbox_error:
        raise SandboxError(result.detail)
    if result.outcome is not Outcome.passed:
        return LintResult((), f"{NOT_LINTED}: {result.outcome.value} {result.detail}".strip(), used)
    try:
        found = result.replies[0].value
    except CodecError as error:
        return LintResult((), f"{NOT_LINTED}: {error}", used)
    if not (isinstance(found, list) and all(isinstance(each, str) for each in found)):
        return LintResult((), NOT_LINTED, used)
    return LintResult(tuple(found), "", used)
