"""Stage try: the gates that execute a draft.

Twins of the models that drafts load are built first. Then each canonical solution runs several times, varied
each time, followed by the doctests of its docstring, stubs, mutants and other programs.
"""

from __future__ import annotations

import ast
import doctest
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import msgspec

from benchwright.building.adequacy.examination import TOGETHER, examine
from benchwright.building.adequacy.examination_records import Examination, ExaminationEffort, SolvedTask
from benchwright.building.adequacy.execution_gates import GATES
from benchwright.building.adequacy.trial_programs import chosen_mutants
from benchwright.building.aicodereval.admission import LACKS, is_executable
from benchwright.building.aicodereval.draft_records import Draft, ExaminedDraft, parsed, prompt_of
from benchwright.building.aicodereval.model_twins import (
    WEIGHTS_GATES,
    TwinResult,
    try_second_weights,
    with_stand_ins,
)
from benchwright.building.aicodereval.release_options import EntryBounds
from benchwright.building.engine.gates import decide, open_gates
from benchwright.cases.reading import LITERAL
from benchwright.contracts import CallCase, Decision, Gate, LevelsSpec, Subject, Variation
from benchwright.contracts.specs import CaseInput, CaseLevel, ExpectedResult
from benchwright.executing.trials import Trial, TrialResult, Trials
from benchwright.records import Drop, Outcome
from benchwright.text.literal import parse_literal
from benchwright.text.syntax import ParseFault
from benchwright.tracks.aicodereval.entry import (
    BenchmarkEntry,
    Weights,
    entry_point_of,
    program_of,
    spec_of,
    twin_links,
)
from benchwright.tracks.aicodereval.stand_in_models import (
    PROFILE,
    Make,
    TwinName,
    make_twins,
    unavailable,
    with_twin,
)

FLAKY = "flaky"  # reason of the gate about the canonical solution
_REPEATS = 3  # executions to test one cause
_CAUSES = (
    ("flaky_random", [Variation(number=100 + n) for n in range(_REPEATS)]),
    ("flaky_set_order", [Variation(number=200 + n, hash_seed=17 * n) for n in range(_REPEATS)]),
    ("flaky_clock", [Variation(number=300 + n, clock_shift_s=n * 40_000_000) for n in range(_REPEATS)]),
)


class DraftExecution:
    """The gates that execute, with the examinations that they read."""

    def __init__(self, bounds: EntryBounds, make: Make = make_twins) -> None:
        self.min_mutation_score = bounds.mutation_score
        self._effort, self._make = ExaminationEffort(executions=bounds.executions), make
        self._examinations: dict[str, Examination] = {}
        self._other: dict[str, TwinResult] = {}
        self.gates: list[Gate[SolvedTask]] = open_gates((*GATES.values(), *WEIGHTS_GATES), (), self)

    def examination(self, candidate: Subject) -> Examination:
        """The examination of a candidate of the latest batch."""
        return self._examinations[candidate.unit]

    def on_other(self, candidate: Subject) -> TwinResult | None:
        """The result on the second twin; None if the candidate loads no model with one."""
        return self._other.get(candidate.unit)

    def tried(self, found: Iterable[ExaminedDraft], trials: Trials) -> Iterator[ExaminedDraft | Drop]:
        """Each draft with the outcomes of its levels and the decisions of the gates.

        A draft that cannot be executed here passes unchanged. A draft for which the sandbox failed is a drop,
        and the next call retries it.
        """
        waiting = iter(with_stand_ins(found, self._make))
        while chunk := list(islice(waiting, TOGETHER)):
            tasks = {each.draft.unit: solved_task(each.draft) for each in chunk if is_executable(each)}
            ended = examine(tasks.values(), trials, effort=self._effort)
            self._examinations = {each.unit: each for each in ended}
            twinned = [tasks[each.draft.unit] for each in chunk if self._has_twins(each)]
            self._other = dict(
                zip((each.unit for each in twinned), try_second_weights(twinned, trials), strict=True)
            )
            example_decisions = _examples(
                [each.draft for each in chunk if each.draft.unit in tasks and not self._fault(each)], trials
            )
            for each in chunk:
                task = tasks.get(each.draft.unit)
                yield (
                    each
                    if task is None
                    else self._examined(each, task, trials, example_decisions.get(each.draft.unit))
                )

    def _fault(self, each: ExaminedDraft) -> str:
        return self._examinations[each.draft.unit].gold_fault

    def _has_twins(self, each: ExaminedDraft) -> bool:
        """Whether to try the second twin too, which needs a pass on the first."""
        found = self._examinations.get(each.draft.unit)
        return found is not None and not found.gold_fault and each.draft.entry.weights is Weights.stand_in

    def _examined(
        self, each: ExaminedDraft, task: SolvedTask, trials: Trials, example_decision: Decision | None
    ) -> ExaminedDraft | Drop:
        gold, other = self.examination(task).gold, self.on_other(task)
        ends = [*gold, *([other.missing] if other is not None and other.missing is not None else [])]
        if (failed := next((end for end in ends if end.outcome.is_missing), None)) is not None:
            return Drop(unit=task.unit, reason=str(failed.outcome), detail=failed.detail)
        decisions = {
            **self._decisions(task, trials),
            **({EXAMPLES: example_decision} if example_decision else {}),
        }
        notable = {name: each for name, each in decisions.items() if each != Decision()}
        levels = steady_levels(_levels(each), gold)
        each = msgspec.structs.replace(each, draft=_timed(each.draft, gold))
        draft = each.draft if other is None or other.cases is None else _with_cases(each.draft, other.cases)
        return msgspec.structs.replace(
            each, draft=draft, levels=levels, decisions={**each.decisions, **notable}
        )

    def _decisions(self, task: SolvedTask, trials: Trials) -> dict[str, Decision]:
        """The decisions of all gates; only that about the canonical solution if it does not pass."""
        gold, *others = self.gates
        found = decide(task, [gold])
        if (first := found[gold.name]).reason:
            return {gold.name: self._explained(first, task, trials)}
        return found | decide(task, others, every=True)

    def _explained(self, decision: Decision, task: SolvedTask, trials: Trials) -> Decision:
        """The detailed reason why the canonical solution does not pass, if one is known."""
        if decision.reason == FLAKY:
            return _with_cause(decision, task, trials)
        details = {end.detail for end in self.examination(task).gold}
        lacks = {lack for detail in details if (lack := unavailable(detail, task.gold)) is not None}
        if not lacks:
            return decision
        lack = min(lacks, key=lambda each: each.name)
        reason = LACKS[lack.lack]
        return msgspec.structs.replace(decision, reason=reason, detail=lack.name or decision.detail)


def _examples(drafts: Sequence[Draft], trials: Trials) -> dict[str, Decision]:
    """The results of the doctests in docstrings, by draft."""
    wanted = {each.unit: trial for each in drafts if (trial := example_trial(each)) is not None}
    ends = trials.run([*wanted.values()], name="examples of docstrings")
    return {unit: examples_decision(end) for unit, end in zip(wanted, ends, strict=True)}


# In steps, so that a build on another machine nearly always gives the same entry.
_STEPS_S = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0)


def _timed(draft: Draft, gold: Sequence[TrialResult]) -> Draft:
    """The draft with the maximum processor seconds of its solution."""
    most = max(end.cpu_s for end in gold)
    time_s = next((step for step in _STEPS_S if most <= step), most)
    return msgspec.structs.replace(draft, entry=msgspec.structs.replace(draft.entry, time_s=time_s))


def _with_cases(draft: Draft, cases: list[CallCase]) -> Draft:
    return msgspec.structs.replace(draft, entry=msgspec.structs.replace(draft.entry, cases=cases))


def _levels(each: ExaminedDraft) -> list[str]:
    return list(dict.fromkeys(str(case.level) for case in each.draft.entry.cases))


def steady_levels(levels: Sequence[str], ended: Sequence[TrialResult]) -> dict[str, Outcome]:
    """The outcome of each level; `flaky` if it differs between executions.

    If a program did not reach its levels, each of them has the outcome of the whole.
    """
    found = {}
    for level in levels:
        outcomes = {each.parts.get(level, each.outcome) for each in ended}
        found[level] = outcomes.pop() if len(outcomes) == 1 else Outcome.flaky
    return found


def _with_cause(decision: Decision, task: SolvedTask, trials: Trials) -> Decision:
    """The cause of differing executions, found by varying one factor at a time."""
    spent = decision.cpu_s
    for name, variations in _CAUSES:
        specs = [msgspec.structs.replace(task.spec, variation=each) for each in variations]
        ended = trials.run([Trial(task.gold, spec) for spec in specs], name="causes")
        spent += sum(end.cpu_s for end in ended)
        if len({end.outcome for end in ended}) > 1:
            return msgspec.structs.replace(decision, reason=name, cpu_s=spent)
    return msgspec.structs.replace(decision, cpu_s=spent)


CPU_LIMIT_S = 10.0  # seconds for one execution of all cases, independent of the run's limit


def solved_task(draft: Draft) -> SolvedTask:
    """The task of a draft that passed the form gates.

    Mutants of the message of an exception count as equivalent: a case checks only its type.
    """
    entry, gold = draft.entry, program_of(draft.entry)
    spec = spec_for(entry)
    if spec.twin_links:  # the values on the second twin are computed separately
        spec = with_twin(spec, TwinName.a)
    return SolvedTask(
        unit=draft.unit,
        revision=draft.revision,
        prompt=prompt_of(entry),
        entry_point=spec.entry_point,
        gold=gold,
        spec=spec,
        tests=msgspec.json.encode(entry.cases).decode(),
        alternatives=draft.alternatives,
        wrong=draft.wrong,
        equivalent_mutants=draft.equivalent_mutants,
        idle_mutants=message_mutants(gold),
    )


def spec_for(entry: BenchmarkEntry) -> LevelsSpec:
    """The spec that judges programs of a valid entry, for builds and rechecks alike."""
    spec = msgspec.structs.replace(spec_of(entry), cpu_limit_s=CPU_LIMIT_S)
    return with_twin(spec, TwinName.a) if entry.environment == PROFILE and not spec.links else spec


def environment_links(entry: BenchmarkEntry) -> dict[str, str]:
    """The links through which a program finds stand-ins for models; none outside their profile."""
    return twin_links(TwinName.a) if entry.environment == PROFILE else {}


def message_mutants(program: str) -> list[str]:
    """The names of mutants whose change is within the arguments of an exception."""
    tree = parsed(program)
    if isinstance(tree, ParseFault):
        return []
    spans = [span for node in tree.nodes if isinstance(node, ast.Raise) for span in _arguments(node)]
    if not spans:
        return []
    names = [each.name for each in chosen_mutants(program, ExaminationEffort().mutants)]
    return [name for name in names if any(first <= _place(name) < last for first, last in spans)]


_Place = tuple[int, int]  # line and column, from 1


def _arguments(node: ast.Raise) -> list[tuple[_Place, _Place]]:
    """The start and end of each argument of the exception."""
    given = node.exc.args if isinstance(node.exc, ast.Call) else []
    return [
        ((each.lineno, each.col_offset + 1), (each.end_lineno or 0, (each.end_col_offset or 0) + 1))
        for each in given
    ]


def _place(name: str) -> _Place:
    """The place of a mutant, from its name: kind, line, column, and a number if one place has several."""
    _, line, column = name.split("-")[:3]
    return int(line), int(column)


EXAMPLES = "aicodereval.examples"  # the name of the gate
CONTRADICTED = "example_contradicted"
_TOLERANCE = 1e-6


def example_trial(draft: Draft) -> Trial | None:
    """The trial of the canonical solution on the examples of its docstring; None without readable ones."""
    cases = [*_docstring_cases(draft.entry.docstring, entry_point_of(draft.entry))]
    if not cases:
        return None
    spec = msgspec.structs.replace(spec_for(draft.entry), cases=cases, twin_links={})
    return Trial(program_of(draft.entry), spec)


def examples_decision(end: TrialResult) -> Decision:
    """The examples in the prompt agree with the solution; otherwise `example_contradicted`."""
    if end.outcome is Outcome.passed or end.outcome.is_missing:
        return Decision()
    return Decision(
        reason=CONTRADICTED, detail=f"a doctest of the docstring: {end.detail}"[:300], cpu_s=end.cpu_s
    )


def _docstring_cases(docstring: str, name: str) -> Iterator[CallCase]:
    try:
        examples = doctest.DocTestParser().get_examples(docstring)
    except ValueError:
        return  # not a valid doctest
    for number, each in enumerate(examples):
        given, value = _call(each.source, name), _literal(each.want)
        if given is not None and value is not None:
            tolerance = _TOLERANCE if "." in each.want else 0.0
            expected = ExpectedResult(value=value, rel_tol=tolerance, abs_tol=tolerance)
            yield CallCase(
                name=f"example {number + 1}", level=CaseLevel.normal, input=given, expected=expected
            )


def _literal(text: str) -> dict[str, str] | None:
    """A literal as cases write it; None for other texts and for the literal None."""
    try:
        value = parse_literal(text.strip())
    except ValueError:
        return None
    return None if value is None else {LITERAL: text.strip()}


def _call(source: str, name: str) -> CaseInput | None:
    try:
        node = ast.parse(source.strip(), mode="eval").body
    except SyntaxError:
        return None
    if not isinstance(node, ast.Call) or ast.unparse(node.func) != name:
        return None
    args = [_literal_or_none(each) for each in node.args]
    kwargs = {each.arg: _literal_or_none(each.value) for each in node.keywords if each.arg}
    if None in args or None in kwargs.values() or len(kwargs) != len(node.keywords):
        return None
    return CaseInput(args=args, kwargs=kwargs)


def _literal_or_none(node: ast.expr) -> dict[str, str] | None:
    text = ast.unparse(node)
    try:
        parse_literal(text)
    except ValueError:
        return None
    return {LITERAL: text}
