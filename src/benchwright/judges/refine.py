"""The judge of review remarks: is the new hunk equal to the reference, or do the tests pass with it?

Scores, 0 or 1: `applies`, the code with the new hunk parses if it did before; `touches`, a line that the
remark is about was changed; `exact`, the new hunk is the reference; `equal`, it is, apart from white space
without a meaning; `tests`, where there are tests. `chrf` is chrF++ against the reference, for readers. A new
hunk that breaks the syntax has the outcome `syntax_error`.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import partial

import msgspec

from benchwright.contracts import Extraction, Judgement, Pending, RefineSpec, SuiteAnswerSpec
from benchwright.judges.judge_registry import Judges, Resources
from benchwright.lang.hunks import hunk_of, is_equal_but_spaces, parses, replace_lines
from benchwright.lang.lines import lines_of
from benchwright.records import Outcome
from benchwright.text.chrf import chrf

APPLIES, TOUCHES, EXACT, EQUAL, TESTS, CHRF = "applies", "touches", "exact", "equal", "tests", "chrf"


class RefineJudge:
    """Judges new hunks: by tests if the row has them, else `passed` for a hunk equal to the reference."""

    spec = RefineSpec

    def __init__(self, resources: Resources) -> None:
        self._judges = Judges(resources)

    def judge(self, taken: Extraction, spec: RefineSpec) -> Judgement | Pending:
        """Return the judgement, or what executes the tests."""
        code = replace_lines(spec.code, spec.first, spec.last, taken.program)
        scores = {CHRF: round(chrf([(taken.program, spec.reference)]), 4)}
        scores[TOUCHES] = float(touches(taken.program, spec))
        if parses(spec.code, spec.lang) and not parses(code, spec.lang):
            detail = "the code with the new lines does not parse"
            scores |= {APPLIES: 0.0, EXACT: 0.0, EQUAL: 0.0}
            return Judgement(outcome=Outcome.syntax_error, detail=detail, scores=scores)
        exact, equal = equality(code, spec)
        scores |= {APPLIES: 1.0, EXACT: float(exact), EQUAL: float(equal)}
        if spec.suite is None:
            outcome = Outcome.passed if equal else Outcome.wrong
            return Judgement(outcome=outcome, detail="; ".join(_why(scores, spec)), scores=scores)
        suite = SuiteAnswerSpec(suite=spec.suite)
        pending = self._judges.of(suite).judge(Extraction(program=code, rule=taken.rule), suite)
        return partial(_tested, pending, scores)


def _tested(pending: Judgement | Pending, scores: dict[str, float]) -> Judgement:
    """The judgement of the tests with the scores of the hunk; without an execution, tests have no score."""
    judgement = pending if isinstance(pending, Judgement) else pending()
    if not judgement.outcome.is_missing:
        scores = {**scores, TESTS: float(judgement.outcome is Outcome.passed)}
    return msgspec.structs.replace(judgement, scores=scores)


def _why(scores: dict[str, float], spec: RefineSpec) -> Iterator[str]:
    if scores[EXACT]:
        return
    if scores[EQUAL]:
        yield "equals the reference but for white space"
        return
    if not scores[TOUCHES]:
        yield "the lines that the remark is about are unchanged"
    yield "differs from the reference; the task has no tests"


def equality(code: str, spec: RefineSpec) -> tuple[bool, bool]:
    """Return whether a new version is the reference, and whether it is but for white space.

    Where the reference itself changes white space alone, only the same white space is equal.
    """
    reference = replace_lines(spec.code, spec.first, spec.last, spec.reference)
    exact = code == reference
    if exact or is_equal_but_spaces(spec.code, reference, spec.lang):
        return exact, exact
    return exact, is_equal_but_spaces(code, reference, spec.lang)


def touches(hunk: str, spec: RefineSpec) -> bool:
    """Return whether the new hunk changes a line that the remark is about, or inserts lines next to it."""
    old = lines_of(hunk_of(spec.code, spec.first, spec.last))
    first, last = (line - spec.first for line in spec.remarked)
    changes = SequenceMatcher(a=old, b=lines_of(hunk), autojunk=False).get_opcodes()
    return any(
        begin <= last + (begin == end) and first <= max(begin, end - 1)
        for kind, begin, end, _, _ in changes
        if kind != "equal"
    )
