"""The judge of answers that replace a function of a repository.

Before answers to a task, the environment is examined once: the unchanged file must pass all tests of the row
(a dry run), otherwise the environment is missing; the reference, the stubs and the baselines are judged by
the same tests. Scores of each judgement, 0 or 1: `pass_dry_run`, `pass_oracle`, `pass_stub_NAME`,
`execution_success`, `baseline_NAME`.
"""

from __future__ import annotations

import re
from functools import partial

import msgspec

from benchwright.contracts import (
    BASELINE,
    DRY_RUN,
    ENV_MISSING,
    EXACT_MATCH,
    EXECUTED,
    NOT_SCORED,
    ORACLE,
    STUBS,
    Extraction,
    Judgement,
    MakeTests,
    Pending,
    RepositorySpec,
)
from benchwright.display.escape import escaped_start
from benchwright.errors import PrerequisiteError, SandboxError
from benchwright.judges.judge_registry import Resources
from benchwright.judges.reasons import DETAIL_LIMIT
from benchwright.judges.repositories.checkouts import Checkout, checkout_of
from benchwright.judges.repositories.make_tests import MakeRunner
from benchwright.judges.repositories.placing import misplaced, placed
from benchwright.judges.repositories.suite_tests import TestsRun, UnknownTests, run_suites
from benchwright.judges.suites.runners import OpenRunners
from benchwright.records import Isolation, Outcome, Record
from benchwright.text.syntax import ParseFault, parse_program

_KEPT = 64  # examined environments: answers to a task are consecutive, but there are two profiles


class ExaminedEnvironment(Record, frozen=True, kw_only=True):
    """The scores of a task whatever the answer, or why its environment is missing."""

    scores: dict[str, float]
    missing: str = ""
    tests: list[str] = []  # that passed on the unchanged file

    @property
    def stub(self) -> str:
        """The name of a stub that passes; empty if none does."""
        passing = (name for name, value in self.scores.items() if name.startswith(STUBS) and value)
        return next(passing, "").removeprefix(STUBS)


class RepositoryJudge:
    """Runs the tests of a repository on a file with the answer in it."""

    spec = RepositorySpec

    def __init__(self, resources: Resources) -> None:
        self._runners, self._make = OpenRunners(resources), MakeRunner(resources)
        self._known: dict[
            tuple[str, str, MakeTests], frozenset[str]
        ] = {}  # tests of a C repository, from its unchanged files
        self._examined: dict[bytes, ExaminedEnvironment] = {}

    def judge(self, taken: Extraction, spec: RepositorySpec) -> Judgement | Pending:
        """Return a pending judgement: nothing is read or executed here."""
        return partial(self._judged, taken.program, spec)

    def _judged(self, program: str, spec: RepositorySpec) -> Judgement:
        judged = self._by_tests(program, spec)
        if not spec.compared:
            return judged
        same = float(is_exact_match(program, spec.gold))
        return msgspec.structs.replace(judged, scores={**judged.scores, EXACT_MATCH: same})

    def _by_tests(self, program: str, spec: RepositorySpec) -> Judgement:
        try:
            examined = self._examine(spec)
        except PrerequisiteError as error:
            examined = ExaminedEnvironment(scores={EXECUTED: 0.0}, missing=error.message)
        if examined.missing:
            return _left_out(f"{ENV_MISSING}{examined.missing}", examined)
        if spec.strict and examined.stub:
            return _left_out(f"{NOT_SCORED}the stub `{examined.stub}` passes the tests", examined)
        if spec.strict and not examined.scores[ORACLE]:
            return _left_out(f"{NOT_SCORED}the reference fails the tests", examined)
        if program.strip() in ("", "-") and (spec.strict or spec.placing == "lines"):
            detail = "the answer contains no program"
            return Judgement(outcome=Outcome.no_code, detail=detail, scores=examined.scores)
        if (refused := self._refused(program, spec)) is not None:
            return msgspec.structs.replace(refused, scores=examined.scores)
        result = self._run(program, spec)
        return Judgement(
            outcome=result.outcome,
            isolation=Isolation.tamper_evident,
            detail=escaped_start(result.detail, DETAIL_LIMIT),
            cpu_s=round(result.cpu_s, 6),
            wall_s=round(result.wall_s, 6),
            scores=examined.scores,
        )

    def _refused(self, program: str, spec: RepositorySpec) -> Judgement | None:
        """Return the judgement of a Python answer that breaks the syntax of its file; nothing is executed."""
        if not (spec.strict and spec.lang == "Python"):
            return None
        fault = parse_program(self._text(program, spec))
        if not isinstance(fault, ParseFault):
            return None
        detail = f"{spec.path} with the answer: {fault}"
        return Judgement(outcome=Outcome.syntax_error, detail=escaped_start(detail, DETAIL_LIMIT))

    def _examine(self, spec: RepositorySpec) -> ExaminedEnvironment:
        """Examine the environment of a task once. Raises SandboxError and PrerequisiteError."""
        key = msgspec.msgpack.encode(msgspec.structs.replace(spec, strict=True))
        if key not in self._examined:
            while len(self._examined) >= _KEPT:
                self._examined.pop(next(iter(self._examined)))
            self._examined[key] = self._environment(spec)
        return self._examined[key]

    def _environment(self, spec: RepositorySpec) -> ExaminedEnvironment:
        missing = self._missing(spec)
        if missing:
            return ExaminedEnvironment(scores={EXECUTED: 0.0}, missing=missing)
        scores = {EXECUTED: 1.0, DRY_RUN: 1.0, ORACLE: self._passes(spec.gold, spec)}
        scores |= {STUBS + name: self._passes(text, spec) for name, text in spec.stubs.items()}
        scores |= {BASELINE + name: self._passes(text, spec) for name, text in spec.baselines.items()}
        return ExaminedEnvironment(scores=scores)

    def _missing(self, spec: RepositorySpec) -> str:
        """Return why answers cannot be judged: no clone, no such file, or tests that fail on it unchanged."""
        checkout = checkout_of(spec)
        if checkout.missing:
            return checkout.missing
        if spec.make is not None:
            self._make.check(spec.lang)
        else:
            self._runners.get(spec.lang, spec.libraries).versions()
        original = checkout.texts().get(spec.path)
        if original is None:
            return f"commit {spec.commit[:12]} has no text file {spec.path}"
        if why := misplaced(spec, original):
            return why
        try:
            result = self._tested(original, spec, checkout)
        except UnknownTests as error:
            return str(error)
        if result.outcome is Outcome.passed:
            return ""
        return f"the unchanged repository fails: {result.outcome.value}: {result.detail}"

    def _passes(self, program: str, spec: RepositorySpec) -> float:
        return float(self._run(program, spec).outcome is Outcome.passed)

    def _text(self, program: str, spec: RepositorySpec) -> str:
        return placed(spec, program, checkout_of(spec).texts()[spec.path])

    def _run(self, program: str, spec: RepositorySpec) -> TestsRun:
        return self._tested(self._text(program, spec), spec, checkout_of(spec))

    def _tested(self, focal: str, spec: RepositorySpec, checkout: Checkout) -> TestsRun:
        if spec.make is not None:
            place = (spec.clone, spec.commit, spec.make)
            known = self._known.get(place)
            result = self._make.run(spec, checkout.files, focal, known=known)
            if known is None and result.outcome is Outcome.passed:
                self._known[place] = result.passed
        else:
            result = run_suites(self._runners, spec, checkout.texts(), focal)
        if result.outcome is Outcome.sandbox_error:
            raise SandboxError(result.detail)
        return result


def is_exact_match(program: str, reference: str) -> bool:
    """Whether two texts have the same letters, digits and underscores: the exact match of YABLoCo."""
    return bool(program) and re.sub(r"\W+", "", program) == re.sub(r"\W+", "", reference)


def _left_out(detail: str, examined: ExaminedEnvironment) -> Judgement:
    shown = escaped_start(detail, DETAIL_LIMIT)
    return Judgement(outcome=Outcome.undecided, detail=shown, scores=examined.scores)
