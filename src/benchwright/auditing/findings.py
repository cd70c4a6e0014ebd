"""Finding codes of an audit, and the order in which the author of a benchmark should review tasks.

A finding is one reason to distrust a task, with evidence that anyone can reproduce. A defect means that a
verdict on the task can be wrong. A question means that the gold or an accepted answer is wrong, and a person
must decide which. A weakness means that the tests miss something that the gold does. Information helps to
repair the task.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from benchwright.errors import UsageError, nearest_hint
from benchwright.records import Record

Weight = Literal["defect", "question", "weakness", "information"]
WEIGHTS: tuple[Weight, ...] = ("defect", "question", "weakness", "information")


class CodeMeaning(NamedTuple):
    """The meaning of a code."""

    weight: Weight
    title: str
    meaning: str


_D, _Q, _W, _I = WEIGHTS
CODES: Mapping[str, CodeMeaning] = {
    "unreadable": CodeMeaning(_D, "unreadable row", "a row that is not a valid task"),
    "gold_fails": CodeMeaning(_D, "gold fails", "the canonical solution fails the task's own tests"),
    "flaky": CodeMeaning(_D, "flaky", "the gold passes some of five varied executions and fails others"),
    "stub_passes": CodeMeaning(_D, "stub passes", "a constant or a returned argument passes all tests"),
    "wrong_passes": CodeMeaning(_D, "wrong solution passes", "a solution that the row declares wrong passes"),
    "alternative_fails": CodeMeaning(
        _D, "right solution fails", "a rewritten gold, or a solution declared right, fails"
    ),
    "right_answers_fail": CodeMeaning(
        _D,
        "agreeing answers fail",
        "stored answers fail and agree: the tests may require something unspecified",
    ),
    "tests_in_prompt": CodeMeaning(
        _D, "tests in the prompt", "the prompt contains every graded call with its value"
    ),
    "example_contradicts": CodeMeaning(
        _D, "example contradicts", "the prompt shows a value that the gold contradicts"
    ),
    "duplicate": CodeMeaning(_D, "duplicate", "an earlier task has the same prompt and the same solution"),
    "answer_differs": CodeMeaning(
        _Q, "gold or answer wrong", "a stored answer passes and differs from the gold: one of them is wrong"
    ),
    "weak_tests": CodeMeaning(
        _W, "weak tests", "a mutated gold passes, and differs on an input within the tests' range"
    ),
    "further_test_fails": CodeMeaning(_W, "further test fails", "the gold fails an ungraded test of the row"),
    "level_rejects_nothing": CodeMeaning(
        _W, "idle level", "no wrong program fails at one of the levels of the tests"
    ),
    "near_duplicate": CodeMeaning(_W, "near duplicate", "an earlier task is nearly identical"),
    "same_solution": CodeMeaning(_W, "same solution", "an earlier task has this solution under other names"),
    "in_corpus": CodeMeaning(_W, "in the corpus", "the given corpus contains much of the task"),
    "weak_beyond": CodeMeaning(
        _I, "weak beyond range", "a mutated gold passes, and differs on an input outside the tests' range"
    ),
    "answer_differs_beyond": CodeMeaning(
        _I,
        "answer differs beyond",
        "a stored answer passes, and differs on an input outside the tests' range",
    ),
    "examples_in_tests": CodeMeaning(_I, "examples tested", "the prompt contains some graded calls"),
    "unnamed_exception": CodeMeaning(
        _I, "unnamed exception", "the tests require an exception that the prompt omits"
    ),
    "unnamed_literal": CodeMeaning(_I, "unnamed text", "the tests require a text that the prompt omits"),
    "unnamed_symbol": CodeMeaning(_I, "unnamed symbol", "the tests use a name that the prompt omits"),
    "other_language": CodeMeaning(
        _I, "other language", "the docstring is in another natural language than those of most tasks"
    ),
    "not_executed": CodeMeaning(_I, "not executed", "there is no solution, or no way to execute it"),
    "timed_out": CodeMeaning(_I, "timed out", "the solution exceeds its time limit, even if executed alone"),
    "env_missing": CodeMeaning(_I, "library missing", "the solution needs a library that is not installed"),
    "sandbox_error": CodeMeaning(_I, "sandbox failed", "no result; run the same command to retry"),
}


class TaskFinding(Record, frozen=True, kw_only=True):
    """One reason to distrust a task. `call` with the values of gold and other is the counterexample.

    `diff` is the shortest change that shows it. `test` is a line for the data set that the gold and most
    accepted answers pass; it is empty if only the gold supports the value.
    """

    task: str
    code: str
    detail: str
    place: str = ""
    diff: str = ""
    call: str = ""
    gold: str = ""
    other: str = ""
    test: str = ""
    evidence: dict[str, Any] = {}

    @property
    def weight(self) -> Weight:
        """The severity."""
        return CODES[self.code].weight


class RankedTask(Record, frozen=True, kw_only=True):
    """A task with its findings, worst first; `rank` is 1 for the task to review first."""

    rank: int
    task: str
    origin: str
    findings: list[TaskFinding]
    defects: int = 0
    witnesses: int = 0  # places in the gold whose change only a generated input shows
    information: int = 0


def rank_tasks(findings: Iterable[TaskFinding], origins: Mapping[str, str]) -> list[RankedTask]:
    """The tasks with findings: by defects, questions, counterexamples within the test range, then the rest.

    The share of surviving mutants does not count: most survivors are equivalent on allowed inputs, or show
    one gap many times. Tasks with equal evidence keep the order of the data set.
    """
    by_task: dict[str, list[TaskFinding]] = {task: [] for task in origins}
    for each in findings:
        by_task.setdefault(each.task, []).append(each)
    found = [(task, sorted(each, key=_order)) for task, each in by_task.items() if each]
    found.sort(key=lambda item: _evidence(item[1]), reverse=True)
    return [
        RankedTask(
            rank=rank,
            task=task,
            origin=origins.get(task, ""),
            findings=each,
            defects=_weighing(each, "defect"),
            witnesses=_places(each, "weak_tests"),
            information=_weighing(each, "information"),
        )
        for rank, (task, each) in enumerate(found, 1)
    ]


_PLACE = {code: number for number, code in enumerate(CODES)}


def _order(finding: TaskFinding) -> int:
    return _PLACE[finding.code]


def _evidence(findings: Sequence[TaskFinding]) -> tuple[int, ...]:
    """The sort key of a task, the most important part first."""
    defects = len({each.code for each in findings if each.weight == "defect"})
    questions = sum(each.weight == "question" for each in findings)
    others = sum(each.weight == "weakness" and each.code != "weak_tests" for each in findings)
    return defects, questions, _places(findings, "weak_tests"), others, _places(findings, "weak_beyond")


def _places(findings: Iterable[TaskFinding], code: str) -> int:
    return sum(each.code == code for each in findings)


def _weighing(findings: Iterable[TaskFinding], weight: Weight) -> int:
    return sum(each.weight == weight for each in findings)


def count_tasks(findings: Iterable[TaskFinding]) -> dict[str, int]:
    """The number of tasks for each code with findings, in the order of CODES."""
    counts = Counter(code for _, code in {(each.task, each.code) for each in findings})
    return {code: counts[code] for code in CODES if counts[code]}


def check_codes(names: Iterable[str]) -> frozenset[str]:
    """The codes, with a weight replaced by all of its codes. Raises UsageError with the nearest."""
    codes: set[str] = set()
    for name in names:
        of_weight = {code for code, meaning in CODES.items() if meaning.weight == name}
        if not of_weight and name not in CODES:
            hint = nearest_hint(name, [*CODES, *WEIGHTS])
            raise UsageError(f"--fail-on {name!r}: unknown code", hint=hint)
        codes |= of_weight or {name}
    return frozenset(codes)


def failed_codes(counts: Mapping[str, int], codes: Collection[str]) -> list[str]:
    """The codes that have findings."""
    return [code for code in counts if code in codes]
