"""Records of an examination: a task with its canonical solution, and the results of executing programs."""

from __future__ import annotations

from benchwright.contracts import ProgramSpec
from benchwright.executing.trials import TrialResult
from benchwright.records import Outcome, Record

MANY_INPUTS = 48  # generated calls needed before it counts that none distinguishes a mutant


class Counterexample(Record, frozen=True, kw_only=True):
    """A call on which a program differs from the canonical solution. All fields are source text."""

    call: str  # "f([1, 2], key=3)"
    gold: str  # value of the canonical solution
    other: str  # value of the other program, or "raises ValueError: ..."
    beyond: bool  # outside the types and ranges of the tests


class MutantResult(Record, frozen=True, kw_only=True):
    """The fate of one mutant of the canonical solution.

    `fate` is "killed", "timed_out" (killed by its time limit), "survived", "equivalent" or "not_executed"
    (the sandbox failed). Equivalent are mutants in the words of an exception, mutants declared equivalent
    that neither tests nor generated calls distinguish, and mutants in a guard that raise the same as the
    solution.
    """

    name: str  # kind, line and column: "compare-12-7"
    kind: str
    line: int
    fate: str
    detail: str = ""
    declared: bool = False  # declared equivalent by its task
    diff: str = ""  # of a survivor: the changed lines of the canonical solution
    witness: Counterexample | None = None  # of a survivor, if one was found


class ExaminationEffort(Record, frozen=True, kw_only=True):
    """The amount of work for each task; a share of 0 disables a part."""

    executions: int = 5  # executions of the canonical solution, each with another variation
    rewrites: bool = True  # rewrites of the canonical solution
    mutants: int = 80
    inputs: int = 96  # generated calls for each task with survivors


class ReferenceReplies(Record, frozen=True, kw_only=True):
    """The replies of the canonical solution on generated calls like those of the tests."""

    calls: int = 0
    common: int = 0  # calls with the most frequent reply, including failed look-ups
    others: int = 0  # distinct replies that no test expects


class Examination(Record, frozen=True, kw_only=True):
    """All results about one task; only the gold result if the gold does not pass."""

    unit: str
    revision: str
    gold: list[TrialResult]  # one for each variation; the first has none
    stubs: dict[str, TrialResult] = {}
    wrong: dict[str, TrialResult] = {}
    alternatives: dict[str, TrialResult] = {}
    mutants: list[MutantResult] = []
    rejecting: list[str] = []  # parts of the verdict that some wrong program failed
    replies: ReferenceReplies = ReferenceReplies()
    expected: list[str] = []  # distinct expected values of the tests, as Python literals
    inputs: int = 0  # generated calls on which the canonical solution returns a value
    cpu_s: dict[str, float] = {}  # processor seconds of "gold", "stubs", ... "witnesses"

    @property
    def gold_fault(self) -> str:
        """ "gold_fails", "flaky" if it passes under some variations only, "not_executed", or empty.

        "timed_out" if only the time limit ended it, which may be due to the machine.
        """
        ends = {each.outcome for each in self.gold}
        if any(each.is_missing for each in ends):
            return "not_executed"
        failed = ends - {Outcome.passed}
        if failed <= {Outcome.timed_out}:
            return "timed_out" if failed else ""
        return "flaky" if Outcome.passed in ends else "gold_fails"

    @property
    def survivors(self) -> list[MutantResult]:
        """The mutants that the tests do not distinguish from the canonical solution."""
        return [each for each in self.mutants if each.fate == "survived"]

    @property
    def refused_equivalents(self) -> list[MutantResult]:
        """Mutants declared equivalent that a test or a generated call distinguishes."""
        return [each for each in self.mutants if each.declared and each.fate != "equivalent"]

    @property
    def score(self) -> float | None:
        """The share of killed mutants, without equivalents; None without any."""
        fates = [each.fate for each in self.mutants if each.fate not in ("equivalent", "not_executed")]
        return sum(fate != "survived" for fate in fates) / len(fates) if fates else None

    @property
    def supported_score(self) -> float | None:
        """The score with a survivor counted half if many generated calls do not distinguish it.

        Such a mutant is as likely equivalent as not. Counted whole, it would fail sound tests of a function
        with a guard or padding. A call beyond the range of the tests may violate the contract of the task, so
        it proves as little. A survivor counts whole if few calls could be generated.
        """
        fates = [each.fate for each in self.mutants if each.fate not in ("equivalent", "not_executed")]
        if not fates or self.inputs < MANY_INPUTS:
            return self.score
        unseen = sum(each.witness is None or each.witness.beyond for each in self.survivors)
        killed = len(fates) - len(self.survivors)
        return killed / (len(fates) - unseen / 2)

    @property
    def weaknesses(self) -> list[MutantResult]:
        """Survivors with a counterexample, one for each source line, those within the test range first."""
        found = [each for each in self.survivors if each.witness is not None]
        found.sort(key=lambda each: (each.witness is not None and each.witness.beyond, len(each.diff)))
        return list({each.line: each for each in reversed(found)}.values())[::-1]


class SolvedTask(Record, frozen=True, kw_only=True):
    """A task with its programs. `gold`, `alternatives` and the values of `wrong` define `entry_point`."""

    unit: str  # name in drops, findings and messages
    revision: str  # content key of everything that decides it
    prompt: str  # the prompt
    entry_point: str
    gold: str
    spec: ProgramSpec
    tests: str = ""  # the text of the tests, to be compared with the prompt
    alternatives: list[str] = []
    wrong: dict[str, str] = {}
    equivalent_mutants: list[str] = []  # declared equivalent by the author, and tried anyway
    idle_mutants: list[str] = []  # equivalent for every verdict; not executed
