"""The judge of answers that print the values of calls: compared with what another program prints.

The program that prints expected values holds no part of an answer, and runs once per task in a separate jail.
A line with a value begins with a word that is drawn for each run, so what an answer prints itself is not
taken for a value. An answer that forges such lines has only another way to return values.
"""

from __future__ import annotations

import secrets
from functools import partial
from itertools import zip_longest

from benchwright.contracts import Extraction, Judgement, Pending, PrintedSpec
from benchwright.display.escape import escaped_start
from benchwright.errors import PrerequisiteError, SandboxError
from benchwright.judges.judge_registry import Resources
from benchwright.judges.programs.commands import open_toolchain
from benchwright.judges.programs.runner import BuiltProgram, ProgramRun, ProgramRunner
from benchwright.judges.reasons import DETAIL_LIMIT
from benchwright.records import Outcome
from benchwright.sandbox import untrusted

_MAX_EXPECTED = 256  # tasks whose expected values are kept
_SHOWN = 120


class PrintedJudge:
    """Passed if each call printed the expected value; the first that did not decides."""

    spec = PrintedSpec

    def __init__(self, resources: Resources) -> None:
        self._runner = ProgramRunner(jail=resources.sandbox.jail)
        resources.closing.callback(self._runner.close)
        self._checking = resources.checking
        self._expected: dict[str, list[str]] = {}  # by the program that prints them

    @staticmethod
    def make_ready(spec: PrintedSpec) -> None:
        """Find the toolchain, and make what all its programs share. Raises PrerequisiteError."""
        toolchain = open_toolchain(spec.lang, None)
        toolchain.versions()
        toolchain.plan("", memory_mb=spec.memory_mb)

    def judge(self, taken: Extraction, spec: PrintedSpec) -> Judgement | Pending:
        """Return a pending judgement: compiling and running take time."""
        return partial(self._executed, taken.program, spec)

    def _executed(self, program: str, spec: PrintedSpec) -> Judgement:
        try:
            expected = self._expected_values(spec)
            built = self._built(program + spec.frame, spec)
        except (PrerequisiteError, SandboxError) as error:
            return Judgement(outcome=Outcome.sandbox_error, detail=str(error))
        if built.outcome is not Outcome.passed:
            return _judgement(built.outcome, _of_answer(built.detail), built, None)
        result, values = self._values(built, spec)
        outcome, detail = _compared(expected, values, result, spec)
        return _judgement(outcome, detail, built, result)

    def _built(self, program: str, spec: PrintedSpec) -> BuiltProgram:
        toolchain = open_toolchain(spec.lang, None)
        return self._runner.build(toolchain.plan(program, memory_mb=spec.memory_mb), program)

    def _values(self, built: BuiltProgram, spec: PrintedSpec) -> tuple[ProgramRun, list[str]]:
        word = secrets.token_hex(12)
        result = self._runner.run(built, f"{word}\n".encode(), cpu_s=spec.cpu_s, memory_mb=spec.memory_mb)
        try:
            with self._checking():
                lines = result.stdout.decode("utf-8", "replace").split("\n")
                return result, [line[len(word) + 1 :] for line in lines if line.startswith(f"{word} ")]
        except (untrusted.CpuTimeExceeded, MemoryError):
            return result, []

    def _expected_values(self, spec: PrintedSpec) -> list[str]:
        """Return the expected value of each call. Raises SandboxError if the tests do not compile."""
        if (known := self._expected.get(spec.oracle)) is not None:
            return known
        built = self._built(spec.oracle, spec)
        if built.outcome is not Outcome.passed:
            raise SandboxError(f"the expected values do not compile: {built.detail[:DETAIL_LIMIT]}")
        result, values = self._values(built, spec)
        if result.outcome is not Outcome.passed or len(values) != len(spec.written):
            raise SandboxError(f"the expected values cannot be printed: {result.detail or 'one is missing'}")
        while len(self._expected) >= _MAX_EXPECTED:
            self._expected.pop(next(iter(self._expected)))
        self._expected[spec.oracle] = values
        return values


def _compared(
    expected: list[str], values: list[str], result: ProgramRun, spec: PrintedSpec
) -> tuple[Outcome, str]:
    """Return the outcome of the first call whose value is not the expected one, or that has none."""
    if len(values) > len(expected):
        return Outcome.tampered, "it printed more values than there are calls"
    for number, (expected_value, actual) in enumerate(zip_longest(expected, values), 1):
        call, expected_text = spec.written[number - 1]
        place = f"call {number}: {call[:_SHOWN]}"
        if actual is None:
            outcome = result.outcome if result.outcome is not Outcome.passed else Outcome.exception
            return outcome, f"{place}: {result.detail or 'the program ended before it returned'}"
        if actual != expected_value:
            return Outcome.wrong, f"{place} gave {actual[:_SHOWN]}, expected {expected_text[:_SHOWN]}"
    return (Outcome.passed, "") if result.outcome is Outcome.passed else (result.outcome, result.detail)


def _of_answer(detail: str) -> str:
    """Return a compiler's message without lines that quote the calls: a model may be shown the reason."""
    return next(iter(detail.splitlines()), "")


def _judgement(outcome: Outcome, detail: str, built: BuiltProgram, result: ProgramRun | None) -> Judgement:
    raised = result.stderr[:DETAIL_LIMIT] if result is not None and outcome is Outcome.exception else ""
    return Judgement(
        outcome=outcome,
        detail=escaped_start(detail, DETAIL_LIMIT),
        cpu_s=round(built.cpu_s + (result.cpu_s if result else 0.0), 6),
        wall_s=round(built.wall_s + (result.wall_s if result else 0.0), 6),
        traceback=raised,
    )
