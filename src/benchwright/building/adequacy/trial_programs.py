"""Programs that the tests of a task are tried on, and their mutants.

Stubs solve nothing and must fail: constants, a returned argument, exceptions. Named wrong programs must fail
too. Rewrites of the canonical solution and named alternatives behave the same and must pass. Mutants of the
canonical solution measure the tests; `diff` shows one, and `limit_of` bounds its time.
"""

from __future__ import annotations

import ast
import copy
import difflib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from statistics import mean, median
from typing import Any, NamedTuple

import msgspec

from benchwright.building.adequacy.examination_records import SolvedTask
from benchwright.cases.reading import calls_of, resolve
from benchwright.contracts import BatchSpec, CallCase, LevelsSpec, MeraSpec, ProgramSpec
from benchwright.executing.trials import Trial, TrialResult, Trials, with_cpu_limit
from benchwright.lang.protocol import Mutant
from benchwright.lang.python.adequacy_mutations import distinct_mutants
from benchwright.records import Outcome
from benchwright.sandbox.codec import CodecError, decode
from benchwright.store.keys import content_key
from benchwright.text.literal import source_text
from benchwright.text.syntax import ParseFault, parse

GOLD_S = 3.0  # seconds of processor time for a solution whose spec has no limit
_WRONG = ("stubs", "wrong", "mutants")  # roles of programs that must fail
Ends = dict[str, dict[str, TrialResult]]  # results of programs, by role and name


class TrialSubject(NamedTuple):
    """A task whose canonical solution passes, with the results of its executions."""

    task: SolvedTask
    gold: Sequence[TrialResult]
    mutants: Sequence[Mutant]
    rewrites: bool  # whether to try rewrites of the canonical solution


class ProgramTrials(NamedTuple):
    """The results of a task's programs; `rejecting` are parts of the verdict that some wrong program
    fails.
    """

    ends: Ends
    cpu_s: dict[str, float]  # by role
    rejecting: list[str]


class _TrialProgram(NamedTuple):
    """A program to try: its role, and its name in that role."""

    task: int
    role: str
    name: str
    program: str
    spec: ProgramSpec


def own_spec(task: SolvedTask) -> ProgramSpec:
    """The spec for right programs of a task, with the task's own limit or the default."""
    return with_cpu_limit(task.spec, task.spec.cpu_limit_s or GOLD_S)


def try_programs(subjects: Sequence[TrialSubject], trials: Trials) -> list[ProgramTrials]:
    """Try the programs of all tasks.

    A mutant that fails a level is killed and not executed for later levels. Stubs and named wrong programs
    run on all levels, which shows whether each level rejects anything.
    """
    parts = [part for at, each in enumerate(subjects) for part in _parts(at, each)]
    wanted = [Trial(part.program, part.spec, again=part.role == "alternatives") for part in parts]
    ends = trials.run(wanted, name="programs that must fail")
    tried: list[Ends] = [{} for _ in subjects]
    for part, end in zip(parts, ends, strict=True):
        tried[part.task].setdefault(part.role, {})[part.name] = end
    return [
        ProgramTrials(
            ends,
            {role: sum(end.cpu_s for end in of_role.values()) for role, of_role in ends.items()},
            _rejecting(subject, ends),
        )
        for subject, ends in zip(subjects, tried, strict=True)
    ]


def _parts(at: int, subject: TrialSubject) -> Iterator[_TrialProgram]:
    task = subject.task
    whole = own_spec(task)
    short = with_cpu_limit(task.spec, limit_of(subject.gold[0].cpu_s, task.spec.cpu_limit_s or GOLD_S))
    for name, program in stubs(task.entry_point, task.spec).items():
        yield _TrialProgram(at, "stubs", name, program, short)
    for name, program in task.wrong.items():
        yield _TrialProgram(at, "wrong", name, program, whole)
    right = {f"given {number}": program for number, program in enumerate(task.alternatives, 1)}
    made = rewrites(task.gold, task.entry_point) if subject.rewrites else {}
    for name, program in {**right, **made}.items():
        yield _TrialProgram(at, "alternatives", name, program, whole)
    until = _until_failed(short)
    for mutant in subject.mutants:
        if mutant.name not in task.idle_mutants:
            yield _TrialProgram(at, "mutants", mutant.name, mutant.code, until)


def _until_failed(spec: ProgramSpec) -> ProgramSpec:
    """The spec that stops at the first failed level, if it has levels."""
    return msgspec.structs.replace(spec, until_failed=True) if isinstance(spec, LevelsSpec) else spec


def _rejecting(subject: TrialSubject, ends: Ends) -> list[str]:
    failing = [end for role in _WRONG for end in ends.get(role, {}).values()]
    return [name for name in subject.gold[0].parts if any(_rejects(end, name) for end in failing)]


def _rejects(end: TrialResult, part: str) -> bool:
    """Whether a program fails a part.

    A program that reached no part failed each; skipped parts are unknown.
    """
    outcome = end.parts.get(part, Outcome.passed) if end.parts else end.outcome
    return not end.outcome.is_missing and outcome is not Outcome.passed


_CONSTANTS = ("None", "True", "False", "0", "1", "-1", "0.0", "''", "'a'", "[]", "{}", "()", "set()")
_BODIES = {
    **{f"returns {text}": f"return {text}" for text in _CONSTANTS},
    "returns its first argument": "return (*args, *kwargs.values())[0]",
    "returns its last argument": "return (*args, *kwargs.values())[-1]",
    "raises NotImplementedError": "raise NotImplementedError",
    "raises ValueError": "raise ValueError",
}
_ARGUMENTS = ("returns its first argument", "returns its last argument")
_NUMBER = "number"
_CONSTANTS_TRIED = 6  # expected values combined with the exceptions
_LONGEST = 2000  # maximum length of an expected value in a stub


def stubs(entry_point: str, spec: ProgramSpec) -> dict[str, str]:
    """Whole programs by their behaviour.

    One returns the most frequent expected value, if the tests make several calls; for a single call it would
    say nothing about them.
    """
    bodies = dict(_BODIES)
    expected = [*expected_values(spec)]
    common = Counter(expected).most_common(1)
    if len(expected) > 1 and f"returns {common[0][0]}" not in bodies:
        bodies["returns the most frequent expected value"] = f"return {common[0][0]}"
    if isinstance(spec, LevelsSpec):
        bodies |= _of_levels(spec, expected)
    return {name: f"def {entry_point}(*args, **kwargs):\n    {body}\n" for name, body in bodies.items()}


def _of_levels(spec: LevelsSpec, expected: Sequence[str]) -> dict[str, str]:
    """Constants between the expected values, and each expected value and argument, with the required
    exceptions.

    A tolerance may be so wide that an unexpected value passes. A constant may pass one level and an exception
    another, so their combination may pass all.
    """
    between = [source_text(value) for value in between_values([ast.literal_eval(each) for each in expected])]
    found = {f"returns {text}, between the expected values": f"return {text}" for text in between}
    raising = _raising(spec.cases)
    if raising and sum(not case.expected.raises for case in spec.cases) > 1:
        asked = [repr(value) for value in _of_properties(spec.cases)]
        texts = dict.fromkeys([*expected[:_CONSTANTS_TRIED], *between, *asked, *_CONSTANTS])
        idle = {f"returns {text}": f"return {text}" for text in texts}
        idle |= {name: _BODIES[name] for name in _ARGUMENTS}
        for name, body in idle.items():
            found[f"{name}, and raises where the tests ask for it"] = f"{raising}\n    {body}"
    return found


def _of_properties(cases: Sequence[CallCase]) -> Iterator[Any]:
    """The simplest value with the properties that a case requires: keys, a length, a number in a range."""
    for case in cases:
        wanted = case.expected.properties
        least, most = (wanted.get("range") or [0, 0])[:2]
        number = next((each for each in (least, most) if each is not None), 0)
        if "keys" in wanted:
            yield dict.fromkeys(wanted["keys"], number)
        elif isinstance(wanted.get("length"), int):
            yield [number] * min(wanted["length"], _LONGEST)
        elif "range" in wanted:
            yield number
        elif wanted.get("one_of"):
            yield wanted["one_of"][0]


def between_values(values: Sequence[Any]) -> list[Any]:
    """Means and midpoints of values of the same form, number by number."""
    forms: dict[str, list[Any]] = {}
    for value in values:
        forms.setdefault(repr(_form(value)), []).append(value)
    found = [
        _merged(alike, how)
        for alike in forms.values()
        if len(alike) > 1 and _form(alike[0]) != alike[0]
        for how in (mean, median, lambda numbers: (min(numbers) + max(numbers)) / 2)
    ]
    halves = [0.5] if any(isinstance(each, float) for each in values) else []
    return [*{repr(each): each for each in [*halves, *found]}.values()]


def _form(value: Any) -> Any:
    """A value with placeholders for its numbers; texts and keys stay as they are."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _NUMBER
    if isinstance(value, dict):
        return {key: _form(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_form(inner) for inner in value]
    return value


def _merged(alike: Sequence[Any], how: Callable[[Sequence[float]], float]) -> Any:
    first = alike[0]
    if isinstance(first, dict):
        return {key: _merged([each[key] for each in alike], how) for key in first}
    if isinstance(first, list):
        return [_merged([each[at] for each in alike], how) for at in range(len(first))]
    return how(alike) if _form(first) == _NUMBER else first


def _raising(cases: Sequence[CallCase]) -> str:
    """Statements that raise on the calls for which the tests expect an exception; empty without one."""
    lines = []
    for case in cases:
        for args, kwargs in calls_of(case)[:1] if case.expected.raises else ():
            given = source_text((args, kwargs))
            if _is_literal(given):
                lines.append(
                    f"if repr((args, kwargs)) == {given!r}:\n        {_statement(case.expected.raises)}"
                )
    return "\n    ".join(lines)


def _statement(name: str) -> str:
    module, _, kind = name.rpartition(".")
    return f"import {module.partition('.')[0]}; raise {name}" if module else f"raise {kind}"


def expected_values(spec: ProgramSpec) -> Iterator[str]:
    """The expected values of the tests that are Python literals."""
    for value in _values(spec):
        text = source_text(value)
        if len(text) <= _LONGEST and _is_literal(text):
            yield text


def _values(spec: ProgramSpec) -> Iterator[Any]:
    match spec:
        case BatchSpec(expected=[_, *_] as expected):
            for payload in expected:
                try:
                    yield decode(payload)
                except CodecError:
                    continue
        case BatchSpec(expected_text=texts) | MeraSpec(expected_text=texts):
            yield from texts
        case LevelsSpec(cases=cases):
            yield from (resolve(case.expected.value) for case in cases if case.expected.value is not None)


def _is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


_NAMES_MATTER = frozenset({"locals", "globals", "vars", "eval", "exec", "dir", "inspect", "sys"})
_FLIPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE, ast.Eq: ast.Eq, ast.NotEq: ast.NotEq
}  # fmt: skip
_WORD = re.compile(r"[^\W\d]\w*")
_FunctionDef = ast.FunctionDef | ast.AsyncFunctionDef
_Scope = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def rewrites(gold: str, entry_point: str) -> dict[str, str]:
    """Whole programs by kind of rewrite; none for a program that does not parse or inspects its own names.

    Only the function of that name is rewritten; formatting and comments of the module may be lost.
    """
    try:
        module = ast.parse(gold)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    if any(isinstance(node, ast.Name) and node.id in _NAMES_MATTER for node in ast.walk(module)):
        return {}
    found, plain = {}, ast.dump(module)
    for name, change in _CHANGES.items():
        changed = copy.deepcopy(module)
        for node in changed.body:
            if isinstance(node, _FunctionDef) and node.name == entry_point:
                change(node)
        if ast.dump(changed) != plain:
            found[name] = ast.unparse(ast.fix_missing_locations(changed)) + "\n"
    return found


def _rename(function: _FunctionDef) -> None:
    """New names for variables of the function that are not also a parameter, definition or import.

    A variable keeps its name if a string contains it as a word: pandas' `query` evaluates its text.
    """
    taken = set(_bound_otherwise(function)) | set(_words_of_texts(function))
    mine = {node.id for node in _names(function) if isinstance(node.ctx, ast.Store)} - taken
    fresh = {name: f"{name}_renamed" for name in mine}
    for node in _names(function):
        node.id = fresh.get(node.id, node.id)


def _words_of_texts(function: _FunctionDef) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _WORD.findall(node.value)


def _names(function: _FunctionDef) -> Iterator[ast.Name]:
    return (node for node in ast.walk(function) if isinstance(node, ast.Name))


def _bound_otherwise(function: _FunctionDef) -> Iterator[str]:
    for node in ast.walk(function):
        match node:
            case ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.ExceptHandler(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name
            case ast.MatchAs(name=str(name)) | ast.MatchMapping(rest=str(name)):
                yield name
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                yield from names
            case ast.alias(name=name, asname=other):
                yield other or name.partition(".")[0]
            case ast.ClassDef():  # its variables are attributes
                yield node.name
                yield from (inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name))


def _swap_branches(function: _FunctionDef) -> None:
    for node in ast.walk(function):
        if (isinstance(node, ast.If) and node.orelse) or isinstance(node, ast.IfExp):
            node.test = ast.UnaryOp(ast.Not(), node.test)
            node.body, node.orelse = node.orelse, node.body


def _flip_comparisons(function: _FunctionDef) -> None:
    """Swap the sides of comparisons whose evaluation has no side effect."""
    for node in ast.walk(function):
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _FLIPPED:
            left, right = node.left, node.comparators[0]
            if isinstance(left, ast.Name | ast.Constant) and isinstance(right, ast.Name | ast.Constant):
                node.left, node.comparators = right, [left]
                node.ops = [_FLIPPED[type(node.ops[0])]()]


class _ForAsWhile(ast.NodeTransformer):
    """Rewrite each `for` as a `while` over its iterator."""

    def __init__(self) -> None:
        self.count = 0

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        if node.orelse:
            return node
        self.count += 1
        name = f"iterator_{self.count}"
        begin = ast.parse(f"{name} = iter(None)").body[0]
        step = ast.parse(
            f"while True:\n  try:\n    _ = next({name})\n  except StopIteration:\n    break"
        ).body[0]
        assert isinstance(begin, ast.Assign)
        assert isinstance(begin.value, ast.Call)
        assert isinstance(step, ast.While)
        begin.value.args = [node.iter]
        first = step.body[0]
        assert isinstance(first, ast.Try)
        assert isinstance(first.body[0], ast.Assign)
        first.body[0].targets = [node.target]
        step.body += node.body
        return [begin, step]


class _ReturnByVariable(ast.NodeTransformer):
    """Assign each value to a variable before returning it."""

    def visit_Return(self, node: ast.Return) -> ast.AST | list[ast.stmt]:
        if node.value is None:
            return node
        kept = ast.Assign([ast.Name("returned", ast.Store())], node.value)
        return [kept, ast.Return(ast.Name("returned", ast.Load()))]


def _as_while(function: _FunctionDef) -> None:
    _ForAsWhile().visit(function)


def _by_variable(function: _FunctionDef) -> None:
    _ReturnByVariable().visit(function)


_CHANGES: dict[str, Callable[[_FunctionDef], None]] = {
    "renamed variables": _rename,
    "swapped branches": _swap_branches,
    "flipped comparisons": _flip_comparisons,
    "for as while": _as_while,
    "returned by a variable": _by_variable,
}


LOOKED_AT = 2000  # maximum number of mutants of one program
LEAST_S = 0.25  # minimum processor time; a clock of ten ticks a second is too coarse below it
TIMES = 20  # multiple of the canonical solution's time
CONTEXT = 1  # lines of context in a diff


def chosen_mutants(gold: str, budget: int) -> list[Mutant]:
    """At most `budget` distinct mutants in program order, always the same.

    If there are more, the hash of the name selects them: program order would cover only the first lines.
    """
    found = list(islice(distinct_mutants(gold), LOOKED_AT))
    if len(found) <= budget:
        return found
    kept = {each.name for each in sorted(found, key=lambda each: content_key(gold, each.name))[:budget]}
    return [each for each in found if each.name in kept]


def guard_lines(program: str) -> set[int]:
    """The lines of conditions under which a program only raises."""
    tree = parse(program)
    if isinstance(tree, ParseFault):
        return set()
    return {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and all(isinstance(each, ast.Raise) for each in node.body)
        for line in range(node.lineno, (node.body[-1].end_lineno or node.lineno) + 1)
    }


def limit_of(gold_cpu_s: float, most_s: float) -> float:
    """The time limit of a mutant, derived from the time of the canonical solution.

    With one limit for all, the few mutants that hang take nine tenths of the time. The limit is a power of
    two, because it is part of the key of a trial and must not depend on small differences in speed.
    """
    limit = LEAST_S
    while limit < TIMES * gold_cpu_s:
        limit *= 2
    return min(limit, most_s)


def diff(gold: str, other: str) -> str:
    """The lines that differ, with one line of context and without the file header."""
    lines = difflib.unified_diff(gold.splitlines(), other.splitlines(), lineterm="", n=CONTEXT)
    return "\n".join(list(lines)[2:])
