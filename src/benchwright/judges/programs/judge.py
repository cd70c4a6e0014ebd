"""The judge of whole programs: run on each input, compared outside with the expected output.

A program's jail holds its own files and one input. Expected outputs, other inputs and the checker never enter
it. A checker runs in another jail, with values alone; it can refuse an output, and its own failure on an
output is a refusal, because the output is what the program chose.
"""

from __future__ import annotations

from functools import partial

import msgspec

from benchwright.contracts import Extraction, Judgement, Pending, StdioCase, StdioSpec
from benchwright.display.escape import escaped_start
from benchwright.errors import PrerequisiteError
from benchwright.judges import reasons
from benchwright.judges.judge_registry import Resources
from benchwright.judges.programs.commands import open_toolchain
from benchwright.judges.programs.comparing import difference
from benchwright.judges.programs.runner import BuiltProgram, ProgramRun, ProgramRunner
from benchwright.judges.reasons import DETAIL_LIMIT
from benchwright.records import Outcome
from benchwright.sandbox import untrusted

CHECKER_CPU_S = 10.0
_LIMITS = frozenset({Outcome.timed_out, Outcome.out_of_memory, Outcome.output_limit})


class StdioJudge:
    """Passed if each case is; else the outcome of the first case that is not. `parts` has each case that ran.

    A case that exceeds a limit is the last one that runs. `scores` has the share of cases that passed.
    """

    spec = StdioSpec

    def __init__(self, resources: Resources) -> None:
        self._runner = ProgramRunner(jail=resources.sandbox.jail)
        resources.closing.callback(self._runner.close)
        self._checkers, self._checking = resources.sandbox, resources.checking

    @staticmethod
    def make_ready(spec: StdioSpec) -> None:
        """Find the toolchain, and make what all its programs share. Raises PrerequisiteError."""
        toolchain = open_toolchain(spec.lang, spec.commands)
        toolchain.versions()
        toolchain.plan("", memory_mb=spec.memory_mb)

    def judge(self, taken: Extraction, spec: StdioSpec) -> Judgement | Pending:
        """Return a pending judgement: compiling and running take time."""
        return partial(self._executed, taken.program, spec)

    def _executed(self, program: str, spec: StdioSpec) -> Judgement:
        try:
            toolchain = open_toolchain(spec.lang, spec.commands)
            built = self._runner.build(toolchain.plan(program, memory_mb=spec.memory_mb), program)
            plans = {
                memory_mb: toolchain.plan(program, memory_mb=memory_mb)
                for memory_mb in {case.memory_mb or spec.memory_mb for case in spec.cases}
            }
        except PrerequisiteError as error:
            return Judgement(outcome=Outcome.sandbox_error, detail=str(error))
        if built.outcome is not Outcome.passed:
            return _judgement(built, [], spec)
        runs: list[tuple[StdioCase, ProgramRun]] = []
        for case in spec.cases:
            limited = msgspec.structs.replace(built, plan=plans[case.memory_mb or spec.memory_mb])
            runs.append((case, self._case(limited, case, spec)))
            if runs[-1][1].outcome in _LIMITS:
                break
        return _judgement(built, runs, spec)

    def _case(self, built: BuiltProgram, case: StdioCase, spec: StdioSpec) -> ProgramRun:
        """Run one case; the outcome is that of the comparison if the program ended well."""
        result = self._runner.run(
            built,
            case.input.encode("utf-8", "surrogatepass"),
            cpu_s=spec.cpu_s if case.cpu_s is None else case.cpu_s,
            memory_mb=case.memory_mb or spec.memory_mb,
        )
        if result.outcome is not Outcome.passed:
            return result
        outcome, detail = self._compared(case, result, spec)
        return ProgramRun(
            outcome=outcome,
            detail=detail,
            stdout=result.stdout[: 2 * DETAIL_LIMIT],
            stderr=result.stderr,
            cpu_s=result.cpu_s,
            wall_s=result.wall_s,
        )

    def _compared(self, case: StdioCase, result: ProgramRun, spec: StdioSpec) -> tuple[Outcome, str]:
        actual = result.stdout.decode("utf-8", "replace")
        if spec.compare == "checker":
            found = self._checked(case, actual, spec)
            return (Outcome.wrong, found) if found else (Outcome.passed, "")
        try:
            with self._checking():
                found = difference(
                    case.expected, actual, compare=spec.compare, abs_tol=spec.abs_tol, rel_tol=spec.rel_tol
                )
        except untrusted.CpuTimeExceeded:
            return Outcome.timed_out, "its output kept the comparison busy"
        except MemoryError:
            return Outcome.out_of_memory, "its output took more memory to compare than it may"
        return (Outcome.wrong, found) if found else (Outcome.passed, "")

    def _checked(self, case: StdioCase, actual: str, spec: StdioSpec) -> str:
        """Return why the checker refuses an output; empty if it accepts it."""
        call: tuple[tuple[str, ...], dict[str, str]] = ((case.input, case.expected, actual), {})
        result = self._checkers.run(spec.checker, "check", [call], environment="bare", cpu_s=CHECKER_CPU_S)
        if result.outcome is not Outcome.passed:
            return f"the checker refuses the output: {result.detail}"
        value = result.replies[0].value
        if value is True:
            return ""
        message = f": {escaped_start(value, 200)}" if isinstance(value, str) and value else ""
        return f"the checker refuses the output{message}"


def _judgement(built: BuiltProgram, runs: list[tuple[StdioCase, ProgramRun]], spec: StdioSpec) -> Judgement:
    failed = next(
        (place for place, (_, case_run) in enumerate(runs) if case_run.outcome is not Outcome.passed), None
    )
    outcome, detail, raised = built.outcome, built.detail, ""
    if failed is not None:
        case, case_run = runs[failed]
        outcome, detail = case_run.outcome, _reason(failed + 1, case, case_run)
        raised = case_run.stderr[:DETAIL_LIMIT] if outcome is Outcome.exception else ""
    passed = sum(case_run.outcome is Outcome.passed for _, case_run in runs)
    return Judgement(
        outcome=outcome,
        detail=escaped_start(detail, DETAIL_LIMIT),
        cpu_s=round(built.cpu_s + sum(case_run.cpu_s for _, case_run in runs), 6),
        wall_s=round(built.wall_s + sum(case_run.wall_s for _, case_run in runs), 6),
        traceback=raised,
        scores={"cases": passed / len(spec.cases)},
        parts={f"case {number}": case_run.outcome for number, (_, case_run) in enumerate(runs, 1)},
    )


def _reason(number: int, case: StdioCase, result: ProgramRun) -> str:
    """Return a sentence with the input, and the expected and actual output, of a case that did not pass."""
    place = f"case {number}: input {reasons.shown(case.input)}"
    if result.outcome is not Outcome.wrong:
        return f"{place}: {result.detail}"
    actual = result.stdout[:DETAIL_LIMIT].decode("utf-8", "replace")
    expected = f", expected {reasons.shown(case.expected)}" if case.expected else ""
    return f"{place} gave {reasons.shown(actual)}{expected} ({result.detail})"
