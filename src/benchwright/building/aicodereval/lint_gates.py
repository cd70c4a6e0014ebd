"""Gates over what a draft's code and tests say, read and not executed. What they refuse is not certified.

An entry that they refuse may still be trained on, so none of them drops it: see `tiers`.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from benchwright.building.aicodereval.drafted_code import ParsedCode, codes_of, entry_point, prompt_of
from benchwright.building.aicodereval.nouns import Draft
from benchwright.building.aicodereval.options import EntryBounds
from benchwright.building.gates import gate
from benchwright.contracts import KEEP, Decision, GateOpener
from benchwright.contracts.cases import CallCase, CaseLevel
from benchwright.lang.python.uses import python_uses
from benchwright.text.literal import parse_literal

_BROAD = {"Exception", "BaseException", "builtins.Exception", "builtins.BaseException"}
_EXCEPTION = re.compile(r"[A-Za-z_][\w.]*(Error|Exception|Warning|Interrupt)")
_BUILT_IN = {
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
}


class Flaw(NamedTuple):
    """One thing found: a reason code, and where."""

    reason: str
    where: str


def _decision(flaws: list[Flaw]) -> Decision:
    """The first flaw is the reason; all are evidence."""
    if not flaws:
        return KEEP
    found = [{"reason": each.reason, "where": each.where} for each in flaws]
    return Decision(reason=flaws[0].reason, detail=flaws[0].where[:300], evidence={"found": found})


@gate("aicodereval.levels")
def levels(draft: Draft, _: EntryBounds) -> Decision:
    """Each of the three levels has a case."""
    if draft.entry.suite:
        return KEEP
    there = {case.level for case in draft.entry.cases}
    return _decision([Flaw("level_missing", str(level)) for level in CaseLevel if level not in there])


@gate("aicodereval.exceptions")
def exceptions(draft: Draft, _: EntryBounds) -> Decision:
    """Nothing that fails is passed over, and no test takes the name of an exception for a result."""
    flaws = [Flaw("swallowed_exception", where) for where in _each(draft, _swallows)]
    flaws += [
        Flaw("exception_name_expected", f"cases.{case.name}: {case.expected.value}")
        for case in draft.entry.cases
        if _names_exception(case.expected.value)
    ]
    flaws += [Flaw("exception_name_expected", where) for where in _each(draft, _compares_with_name)]
    return _decision(flaws)


def _each(draft: Draft, look: Callable[[ParsedCode], Iterator[ast.AST]]) -> Iterator[str]:
    for what, code in codes_of(draft):
        for node in look(code):
            yield f"{what}:{getattr(node, 'lineno', 0)}"


def _swallows(code: ParsedCode) -> Iterator[ast.AST]:
    """Handlers of everything that do not raise: what goes wrong inside would be taken for a result."""
    for node in code.nodes:
        if isinstance(node, ast.ExceptHandler) and _is_broad(node, code):
            inner = (each for statement in node.body for each in ast.walk(statement))
            if not any(isinstance(each, ast.Raise) for each in inner):
                yield node


def _is_broad(handler: ast.ExceptHandler, code: ParsedCode) -> bool:
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(each is None or code.full(each) in _BROAD for each in caught)


def _names_exception(value: Any) -> bool:
    return isinstance(value, str) and (value in _BUILT_IN or _EXCEPTION.fullmatch(value) is not None)


def _compares_with_name(code: ParsedCode) -> Iterator[ast.AST]:
    for node in code.nodes:
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(isinstance(each, ast.Constant) and _names_exception(each.value) for each in sides):
                yield node


@gate("aicodereval.tolerance")
def tolerance(draft: Draft, _: EntryBounds) -> Decision:
    """A float is compared within a tolerance: == on floats tests the machine, not the answer."""
    flaws = [
        Flaw("float_equality", f"cases.{case.name}.expected")
        for case in draft.entry.cases
        if not case.expected.rel_tol and not case.expected.abs_tol and _has_float(case.expected.value)
    ]
    return _decision(flaws + [Flaw("float_equality", where) for where in _each(draft, _compares_floats)])


def _has_float(value: Any) -> bool:
    if isinstance(value, dict):
        if isinstance(literal := value.get("$literal"), str):
            return _has_float(_read(literal))
        return any(map(_has_float, value.values()))
    return any(map(_has_float, value)) if isinstance(value, list | tuple | set) else isinstance(value, float)


def _read(literal: str) -> Any:
    try:
        return parse_literal(literal)
    except ValueError:  # the judge says what is wrong with it
        return None


def _compares_floats(code: ParsedCode) -> Iterator[ast.AST]:
    """Asserts that compare by == with a float that stands there."""
    for node in code.nodes:
        if isinstance(node, ast.Assert) and isinstance(test := node.test, ast.Compare):
            sides = [test.left, *test.comparators]
            plain = any(isinstance(each, ast.Constant) and isinstance(each.value, float) for each in sides)
            if plain and any(isinstance(op, ast.Eq) for op in test.ops):
                yield node


@gate("aicodereval.prompt")
def prompt(draft: Draft, _: EntryBounds) -> Decision:
    """No graded call stands in the prompt with its result, and no exception is asked for that it does not name."""
    text = prompt_of(draft.entry)
    spelled = _spelling(text)
    flaws = [
        Flaw("graded_assertion_in_prompt", f"cases.{case.name}")
        for case in draft.entry.cases
        if _is_told(case, entry_point(draft.entry), spelled)
    ]
    flaws += [
        Flaw("exception_unnamed", f"cases.{case.name}: {case.expected.raises}")
        for case in draft.entry.cases
        if case.expected.raises and case.expected.raises.rpartition(".")[2] not in text
    ]
    return _decision(flaws)


def _spelling(text: str) -> str:
    return re.sub(r"\s+", "", text).replace('"', "'")


def _is_told(case: CallCase, name: str, spelled: str) -> bool:
    """Whether the call stands in the prompt, and what it gives right behind it."""
    at = spelled.find(call := _spelling(_call(case, name)))
    if at < 0 or case.expected.raises or case.expected.properties:
        return False
    end = at + len(call)
    return _spelling(_written(case.expected.value)) in spelled[end : end + 200]


def _call(case: CallCase, name: str) -> str:
    given = [_written(each) for each in case.input.args]
    given += [f"{key}={_written(each)}" for key, each in case.input.kwargs.items()]
    return f"{name}({', '.join(given)})"


def _written(value: Any) -> str:
    """As Python writes it."""
    if isinstance(value, dict):
        if isinstance(literal := value.get("$literal"), str):
            return literal
        return "{" + ", ".join(f"{key!r}: {_written(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    return repr(value)


@gate("aicodereval.mocks")
def mocks(draft: Draft, _: EntryBounds) -> Decision:
    """What is tested is what is done: nothing is mocked."""
    return _decision(
        [
            Flaw("needless_mock", what)
            for what, code in codes_of(draft)
            if "mocks" in python_uses(_module(code))
        ]
    )


@gate("aicodereval.network")
def network(draft: Draft, _: EntryBounds) -> Decision:
    """No module of the network, and no address that something would be got from."""
    flaws = []
    for what, code in codes_of(draft):
        if "network" in python_uses(_module(code)):
            flaws.append(Flaw("network_used", what))
        flaws += [
            Flaw("address_in_code", f"{what}:{node.lineno}: {node.value[:80]}") for node in _addresses(code)
        ]
    return _decision(flaws)


def _addresses(code: ParsedCode) -> Iterator[Any]:
    """Texts that begin as an address does. Docstrings, which are expressions of their own, may name some."""
    alone = {id(node.value) for node in code.nodes if isinstance(node, ast.Expr)}
    for node in code.nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            if re.match(r"(https?|ftp|wss?)://", node.value):
                yield node


def _module(code: ParsedCode) -> ast.Module:
    module = code.nodes[0]
    assert isinstance(module, ast.Module)
    return module


_SEEDS = {"random": "random.seed", "numpy.random": "numpy.random.seed", "torch": "torch.manual_seed"}
_REASONS = {
    "random": "random_unseeded",
    "numpy.random": "numpy_random_unseeded",
    "torch": "torch_random_unseeded",
}
_GENERATORS = {"random.Random": "random", "numpy.random.default_rng": "numpy.random", "torch.Generator": ""}
_TORCH = frozenset(
    f"torch.{name}" for name in "rand randn randint randperm bernoulli multinomial normal".split()
)
_ALWAYS_NEW = ("secrets", "os.urandom", "uuid.uuid1", "uuid.uuid4", "random.SystemRandom")
_NO_DRAW = {"random.getstate", "random.setstate", "numpy.random.SeedSequence", "numpy.random.RandomState"}
_CLOCKS = frozenset(
    "time.time time.time_ns time.localtime time.gmtime time.ctime time.strftime datetime.datetime.now "
    "datetime.datetime.utcnow datetime.datetime.today datetime.date.today".split()
)


@gate("aicodereval.determinism")
def determinism(draft: Draft, _: EntryBounds) -> Decision:
    """No draw without a seed and no look at the clock: what execution shows five times may still be luck."""
    flaws = []
    for what, code in codes_of(draft):
        called = {name for name, _ in code.calls()}
        for name, node in code.calls():
            if reason := _chance(name, node, called):
                flaws.append(Flaw(reason, f"{what}:{node.lineno}: {name}"))
    return _decision(flaws)


def _chance(name: str, call: ast.Call, called: set[str]) -> str:
    """Why the result of a call is not the same twice; empty where it is, or where nothing is known."""
    if name in _CLOCKS:
        return "clock_read"
    if any(name == each or name.startswith(f"{each}.") for each in _ALWAYS_NEW):
        return "random_unseeded"
    if name in _GENERATORS:
        home = _GENERATORS[name]
        return _REASONS[home] if home and not call.args and not call.keywords else ""
    home = _home(name)
    return _REASONS[home] if home and _SEEDS[home] not in called else ""


def _home(name: str) -> str:
    """The module whose own generator a call draws from; empty for other calls."""
    module, _, function = name.rpartition(".")
    if name in _TORCH:
        return "torch"
    if module not in ("random", "numpy.random") or name in _NO_DRAW or function == "seed":
        return ""
    return module


LINT_GATES: tuple[GateOpener, ...] = (
    levels,
    exceptions,
    tolerance,
    prompt,
    mocks,
    network,
    determinism,
)
