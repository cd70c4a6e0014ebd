"""The judge of linted code: flake8 finds nothing, and the program does the same as the given code.

Parts are `clean`, and `same` if the spec asks for it. The trees are compared first, apart from what the
findings ask for. If they differ, the behaviour is compared.
"""

from __future__ import annotations

from functools import partial

import msgspec

from benchwright.contracts import BASELINE, Extraction, Judgement, LintSpec, Pending
from benchwright.display.escape import escaped_start
from benchwright.judges.judge_registry import Resources
from benchwright.judges.lint.linter import lint
from benchwright.judges.lint.probing import ProbeResult, probe
from benchwright.judges.reasons import DETAIL_LIMIT
from benchwright.records import Outcome
from benchwright.text.asked_changes import is_same
from benchwright.text.syntax import ParseFault, parse_program

CLEAN, SAME = "clean", "same"
_SHOWN = 3


class LintJudge:
    """Judges programs by the linter of the profile "flake8"."""

    spec = LintSpec

    def __init__(self, resources: Resources) -> None:
        self._sandbox = resources.sandbox
        self._scores: tuple[LintSpec, dict[str, float]] | None = None  # baselines of the last spec

    def judge(self, taken: Extraction, spec: LintSpec) -> Judgement | Pending:
        """Compare the trees, and return what lints and executes."""
        if spec.same and not taken.program.strip():
            return partial(self._refused, spec, Outcome.no_code, "the answer contains no program")
        fault = parse_program(taken.program) if spec.same else None
        if isinstance(fault, ParseFault):
            return partial(self._refused, spec, Outcome.syntax_error, str(fault))
        same = not spec.same or is_same(spec.code, taken.program, spec.codes)
        return partial(self._decide, taken.program, spec, same=same)

    def _refused(self, spec: LintSpec, outcome: Outcome, why: str) -> Judgement:
        """The judgement of a text without a valid program, with the scores of the baselines."""
        scores = self._baselines(spec)
        return Judgement(outcome=outcome, detail=escaped_start(why, DETAIL_LIMIT), scores=scores)

    def _decide(self, program: str, spec: LintSpec, *, same: bool) -> Judgement:
        judged = self._judged(program, spec, same=same)
        return msgspec.structs.replace(judged, scores=self._baselines(spec))

    def _judged(self, program: str, spec: LintSpec, *, same: bool) -> Judgement:
        linted = lint(self._sandbox, program, noqa=spec.noqa, environment=spec.environment)
        parts = {CLEAN: Outcome.passed if linted.is_clean else Outcome.wrong}
        why, cpu_s, hushed = linted.problem or "; ".join(linted.findings[:_SHOWN]), linted.cpu_s, ""
        if spec.noqa and linted.is_clean and "noqa" in program.lower():
            strict = lint(self._sandbox, program, noqa=False, environment=spec.environment)
            hushed = "" if strict.is_clean else f"comments disable findings: {'; '.join(strict.findings[:1])}"
            cpu_s += strict.cpu_s
        if spec.same:
            compared = ProbeResult(True) if same else self._probed(program, spec)
            parts[SAME] = Outcome.passed if compared.same else Outcome.wrong
            why, cpu_s = why or compared.reason, cpu_s + compared.cpu_s
        passed = all(each is Outcome.passed for each in parts.values())
        return Judgement(
            outcome=Outcome.passed if passed else Outcome.wrong,
            detail=escaped_start(why, DETAIL_LIMIT),
            cpu_s=round(cpu_s, 6),
            parts=parts,
            suspicious=escaped_start(hushed, DETAIL_LIMIT),
        )

    def _probed(self, program: str, spec: LintSpec) -> ProbeResult:
        if not program.strip():  # a baseline
            return ProbeResult(False, "the program is empty")
        return probe(self._sandbox, spec.code, program)

    def _baselines(self, spec: LintSpec) -> dict[str, float]:
        """Scores of the spec's baselines. Answers to one task are consecutive."""
        if self._scores is None or self._scores[0] != spec:
            exact = msgspec.structs.replace(spec, same=False, noqa=True)
            ends = {name: self._baseline(text, spec) for name, text in spec.baselines.items()}
            ends |= {
                f"{name}_exact": self._baseline(text, exact) for name, text in spec.exact_baselines.items()
            }
            self._scores = spec, {BASELINE + name: value for name, value in ends.items()}
        return self._scores[1]

    def _baseline(self, program: str, spec: LintSpec) -> float:
        """1 for a program that passes, else 0."""
        same = not spec.same or is_same(spec.code, program, spec.codes)
        return float(self._judged(program, spec, same=same).outcome is Outcome.passed)
