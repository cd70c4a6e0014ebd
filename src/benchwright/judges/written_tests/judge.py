"""The judge of written tests: they pass on the code, and notice changes of it.

Scores: `compiled` (0 or 1); with mutants `noticed` (the share of those that can run), `mutants` (their
number) and `lines` (executed lines of the code, as the tests' process claims); CodeBLEU if the spec asks.
"""

from __future__ import annotations

from collections import deque
from functools import partial

from benchwright.contracts import NOT_SCORED, Extraction, Judgement, Pending, WrittenTestsSpec
from benchwright.display.escape import escaped_start
from benchwright.errors import PrerequisiteError
from benchwright.judges.judge_registry import Resources
from benchwright.judges.reasons import DETAIL_LIMIT
from benchwright.judges.suites.runners import OpenRunners
from benchwright.judges.written_tests.java_module import with_module
from benchwright.judges.written_tests.likeness import Likeness, compare, scores_of
from benchwright.judges.written_tests.row_check import ENV_MISSING, RowCheck, check_row, execute_tests
from benchwright.judges.written_tests.trial import REPEATS, TestedFile
from benchwright.records import Isolation, Outcome

_KEPT = 2  # checks of tasks: a run with two profiles judges each answer by both


class WrittenTestsJudge:
    """Executes an answer's tests on the code of its task and on changed copies."""

    spec = WrittenTestsSpec

    def __init__(self, resources: Resources) -> None:
        self._runners, self._likeness = OpenRunners(resources), Likeness()
        self._rows: deque[tuple[WrittenTestsSpec, RowCheck]] = deque(maxlen=_KEPT)

    def judge(self, taken: Extraction, spec: WrittenTestsSpec) -> Judgement | Pending:
        """Return a pending judgement."""
        return partial(self._judged, taken, spec)

    def _judged(self, extraction: Extraction, spec: WrittenTestsSpec) -> Judgement:
        scores = self._like(extraction.text, spec)
        row = self._row(spec)
        if row.problem or row.failed:
            outcome = Outcome.sandbox_error if row.failed else Outcome.undecided
            why = row.failed or f"{NOT_SCORED}{row.problem}"
            return Judgement(outcome=outcome, detail=_short(why), scores=scores)
        runner = self._runners.get(spec.lang, spec.libraries)
        found = execute_tests(runner, row.placed or spec, extraction.program, row.mutants, repeats=REPEATS)
        return Judgement(
            outcome=found.outcome,
            isolation=Isolation.tamper_evident,
            detail=_short(found.detail),
            cpu_s=round(found.cpu_s, 6),
            scores={**scores, **row.scores, **_scores(found, spec)},
        )

    def _row(self, spec: WrittenTestsSpec) -> RowCheck:
        """The check of the task, made once for each profile: answers to it are consecutive."""
        row = next((row for checked, row in self._rows if checked == spec), None)
        if row is None:
            row = self._checked(spec)
            self._rows.append((spec, row))
        return row

    def _checked(self, spec: WrittenTestsSpec) -> RowCheck:
        if spec.problem:
            return RowCheck(problem=spec.problem)
        try:
            runner = self._runners.get(spec.lang, spec.libraries)
            runner.versions()
            placed = with_module(spec)
        except PrerequisiteError as error:
            return RowCheck(problem=f"{ENV_MISSING}: {error.message}")
        if placed.missing:
            return RowCheck(problem=f"{ENV_MISSING}: {placed.missing}")
        return check_row(runner, placed)._replace(placed=placed)

    def _like(self, text: str, spec: WrittenTestsSpec) -> dict[str, float]:
        if spec.likeness is None:
            return {}
        return {**scores_of(compare(text, spec.likeness)), **self._likeness.baselines(spec.likeness)}


def _scores(found: TestedFile, spec: WrittenTestsSpec) -> dict[str, float]:
    scores = {"compiled": float(found.compiled)}
    if spec.mutants:
        scores |= {"noticed": found.share, "lines": float(found.lines)}
    return {**scores, "mutants": float(len(found.runnable))} if found.runnable else scores


def _short(text: str) -> str:
    return escaped_start(text, DETAIL_LIMIT)
