"""Gates over what a draft's code and tests say, read and not executed. What they refuse is not certified.

An entry that they refuse may still be trained on, so none of them drops it: see `tiers`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from benchwright.building.aicodereval.drafted_code import ParsedCode, code_of, prompt_of
from benchwright.building.aicodereval.nouns import Draft
from benchwright.building.aicodereval.options import EntryBounds
from benchwright.building.gates import gate
from benchwright.contracts import KEEP, Decision, GateOpener
from benchwright.contracts.cases import CallCase, CaseLevel
from benchwright.lang.python.uses import python_uses
from benchwright.tracks.aicodereval.program import entry_point_of

_BROAD = {"Exception", "BaseException", "builtins.Exception", "builtins.BaseException"}


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
    there = {case.level for case in draft.entry.cases}
    return _decision([Flaw("level_missing", str(level)) for level in CaseLevel if level not in there])


@gate("aicodereval.exceptions")
def exceptions(draft: Draft, _: EntryBounds) -> Decision:
    """Nothing that fails is passed over."""
    found = [f"line {node.lineno}" for node in _swallows(code_of(draft))]
    return _decision([Flaw("swallowed_exception", where) for where in found])


def _swallows(code: ParsedCode) -> Iterator[ast.ExceptHandler]:
    """Handlers of everything that do not raise: what goes wrong inside would be taken for a result."""
    for node in code.nodes:
        if isinstance(node, ast.ExceptHandler) and _is_broad(node, code):
            inner = (each for statement in node.body for each in ast.walk(statement))
            if not any(isinstance(each, ast.Raise) for each in inner):
                yield node


def _is_broad(handler: ast.ExceptHandler, code: ParsedCode) -> bool:
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(each is None or code.full(each) in _BROAD for each in caught)


@gate("aicodereval.prompt")
def prompt(draft: Draft, _: EntryBounds) -> Decision:
    """No graded call stands in the prompt with its result, and each exception asked for is named there."""
    text = prompt_of(draft.entry)
    spelled = _spelling(text)
    flaws = [
        Flaw("graded_assertion_in_prompt", f"cases.{case.name}")
        for case in draft.entry.cases
        if _is_told(case, entry_point_of(draft.entry), spelled)
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
    return Decision(reason="needless_mock") if "mocks" in python_uses(_module(code_of(draft))) else KEEP


@gate("aicodereval.network")
def network(draft: Draft, _: EntryBounds) -> Decision:
    """No module of the network, and no address that something would be got from."""
    code = code_of(draft)
    flaws = [Flaw("network_used", "imports")] if "network" in python_uses(_module(code)) else []
    flaws += [Flaw("address_in_code", f"line {node.lineno}: {node.value[:80]}") for node in _addresses(code)]
    return _decision(flaws)


def _addresses(code: ParsedCode) -> Iterator[Any]:
    """Texts that begin as an address does. Docstrings, which are expressions of their own, may name some."""
    alone = {id(node.value) for node in code.nodes if isinstance(node, ast.Expr)}
    for node in code.nodes:
        written = node.value if isinstance(node, ast.Constant) and id(node) not in alone else None
        if isinstance(written, str) and re.match(r"(https?|ftp|wss?)://", written):
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
    f"torch.{name}" for name in ("rand", "randn", "randint", "randperm", "bernoulli", "multinomial", "normal")
)
_ALWAYS_NEW = ("secrets", "os.urandom", "uuid.uuid1", "uuid.uuid4", "random.SystemRandom")
_NO_DRAW = {"random.getstate", "random.setstate", "numpy.random.SeedSequence", "numpy.random.RandomState"}
_CLOCK_NAMES = """
time.time time.time_ns time.localtime time.gmtime time.ctime time.strftime datetime.datetime.now
datetime.datetime.utcnow datetime.datetime.today datetime.date.today
"""
_CLOCKS = frozenset(_CLOCK_NAMES.split())


@gate("aicodereval.determinism")
def determinism(draft: Draft, _: EntryBounds) -> Decision:
    """No draw without a seed and no look at the clock: what execution shows five times may still be luck."""
    code = code_of(draft)
    called = {name for name, _ in code.calls()}
    found = [(_chance(name, node, called), f"line {node.lineno}: {name}") for name, node in code.calls()]
    return _decision([Flaw(reason, where) for reason, where in found if reason])


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
    prompt,
    mocks,
    network,
    determinism,
)
