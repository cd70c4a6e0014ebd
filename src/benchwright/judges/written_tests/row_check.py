"""Check of a task by itself: self-contained code, the mutants that count, and the baselines."""

from __future__ import annotations

from typing import NamedTuple

from msgspec.structs import replace

from benchwright.contracts import BASELINE, SuiteRunner, WrittenTestsSpec
from benchwright.judges.written_tests.trial import TestedFile, first_run, suite_of, trial, without_tests
from benchwright.lang.source_errors import LayoutError
from benchwright.records import Outcome

ENV_MISSING = "env-missing"  # begins the reason if something outside the row is missing
_FEW = 2  # mutants that a baseline is executed on


class RowCheck(NamedTuple):
    """`problem` says why answers are not scored. `mutants` are those that count."""

    problem: str = ""
    mutants: tuple[str, ...] = ()
    scores: dict[str, float] = {}  # of the baselines
    failed: str = ""  # the machine failed, so that nothing is known
    placed: WrittenTestsSpec | None = None  # the spec with the other sources of its module


def check_row(runner: SuiteRunner, spec: WrittenTestsSpec) -> RowCheck:
    """Execute the probe, the reference and the baselines."""
    try:
        probed = first_run(runner, suite_of(spec, spec.probe))
    except LayoutError as error:
        return RowCheck(problem=f"{spec.unmet}: {error.what}")
    if probed.outcome is Outcome.sandbox_error:
        return RowCheck(failed=probed.detail)
    if probed.outcome is not Outcome.passed:
        return RowCheck(problem=f"{spec.unmet}: {probed.detail}")
    mutants, problem = _counting(runner, spec)
    if problem:
        return RowCheck(problem=problem)
    ends = {name: _baseline(runner, spec, text, mutants) for name, text in spec.baselines.items()}
    exact = replace(spec, mutants=(), untested_passes=True)
    ends |= {f"{name}_exact": _baseline(runner, exact, text) for name, text in spec.exact_baselines.items()}
    return RowCheck(mutants=mutants, scores={BASELINE + name: end for name, end in ends.items()})


def _counting(runner: SuiteRunner, spec: WrittenTestsSpec) -> tuple[tuple[str, ...], str]:
    """The mutants that the reference notices, or all without one; and why there are none."""
    if not spec.reference:
        return spec.mutants, ""
    try:
        suite = suite_of(spec, spec.reference)
    except LayoutError as error:
        return (), f"{spec.unmet}: the reference: {error.what}"
    found = trial(runner, suite, spec.mutants) if spec.mutants else first_run(runner, suite)
    if found.outcome is not Outcome.passed:
        return (), f"{spec.unmet}: the reference test: {found.outcome}: {found.detail}"
    return tuple(spec.mutants[at] for at in found.noticed), ""


def _baseline(
    runner: SuiteRunner, spec: WrittenTestsSpec, tests: str, mutants: tuple[str, ...] = ()
) -> float:
    """1 for tests that pass, else 0."""
    return float(execute_tests(runner, spec, tests, mutants[:_FEW], repeats=1).outcome is Outcome.passed)


def execute_tests(
    runner: SuiteRunner, spec: WrittenTestsSpec, tests: str, mutants: tuple[str, ...], *, repeats: int
) -> TestedFile:
    """Execute a file of tests as the spec asks for it; `mutants` are those that count."""
    if not tests.strip():
        return TestedFile(Outcome.no_code, "nothing is left of the answer")
    try:
        suite = suite_of(spec, tests)
    except LayoutError as error:
        return _not_laid_out(runner, spec, tests, error)
    file_name = spec.test_path.rpartition("/")[2]
    if spec.lang == "Java" and suite.test.rpartition("/")[2] != file_name:
        return TestedFile(Outcome.syntax_error, f"the public class belongs in another file than {file_name}")
    if spec.mutants:
        return trial(runner, suite, mutants, repeats=repeats)
    found = first_run(runner, suite)
    return found._replace(outcome=Outcome.passed, detail="") if found.skipped else found


def _not_laid_out(runner: SuiteRunner, spec: WrittenTestsSpec, tests: str, error: LayoutError) -> TestedFile:
    if error.reason != "no_cases":
        return TestedFile(Outcome.syntax_error, error.what)
    if not spec.untested_passes:
        return TestedFile(Outcome.no_entry_point, error.what)
    return first_run(runner, without_tests(spec, tests))
