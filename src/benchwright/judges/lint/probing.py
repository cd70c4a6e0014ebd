"""Compare two programs by their behaviour: both are called with the same arguments in the sandbox.

A row of CodeLinterEval has no calls. So each function at the top level of the given code is called with
values of common types, drawn with a fixed seed. Calls that end differently in two executions of the given
code are left out. A call must return an equal value, or raise if the given code raises. If fewer than
`LEAST` calls of a function return, the behaviour is unknown, and the programs count as different.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import Any, NamedTuple

from benchwright.errors import SandboxError
from benchwright.judges.assertions import matches
from benchwright.records import Outcome
from benchwright.sandbox.box import Reply, Sandbox
from benchwright.sandbox.codec import CodecError
from benchwright.sandbox.untrusted import CpuTimeExceeded
from benchwright.text.syntax import ParseFault, parse_program

CALLS = 64  # of each function
LEAST = 4  # calls of a function that return
_POOL: tuple[Any, ...] = (
    *(0, 1, 2, 3, 7, 10, -4, 25, 0.5, -2.25, True, "", "a", "aba", "hello World 42", "a,b;c", "1234"),
    *([], [1], [3, 1, 2], [5, 5, -1, 0], [1.5, 2.5], ["b", "a", "c", "a"], [[1, 2], [3, 4], [0]]),
    *((1, 2, 3), (4, 4), ("x", "y"), [(1, 3), (2, 1)], {"a": 1, "b": 2}, {1, 2, 3}, None),
)


class ProbeResult(NamedTuple):
    """Result of a comparison: whether nothing differed, the reason if not, and the processor time."""

    same: bool
    reason: str = ""
    cpu_s: float = 0.0


def probe(box: Sandbox, code: str, answer: str) -> ProbeResult:
    """Compare an answer with the given code. Both must parse. Raises SandboxError."""
    functions = list(_functions(code))
    if not functions:
        return ProbeResult(False, "the trees differ, and the given code has no function that can be called")
    cpu_s = 0.0
    for name, least, most in functions:
        found = _probe_function(box, (code, answer), name, list(argument_lists(least, most)))
        cpu_s += found.cpu_s
        if not found.same:
            return found._replace(cpu_s=cpu_s)
    return ProbeResult(True, cpu_s=cpu_s)


def _functions(code: str) -> Iterator[tuple[str, int, int]]:
    """Name, least and greatest number of positional arguments of each function that needs no others."""
    tree = parse_program(code)
    for node in [] if isinstance(tree, ParseFault) else tree.body:
        if isinstance(node, ast.FunctionDef) and not any(each is None for each in node.args.kw_defaults):
            most = len(node.args.posonlyargs) + len(node.args.args)
            yield node.name, most - len(node.args.defaults), most


def argument_lists(least: int, most: int) -> Iterator[tuple[Any, ...]]:
    """Arguments of at most `CALLS` calls, always the same ones for the same numbers."""
    if most <= 1:
        yield from ((value,) for value in _POOL if most)
        if not least:
            yield ()
        return
    generator = random.Random(most)
    if most == 2:
        pairs = list(product(_POOL, repeat=2))
        yield from generator.sample([pair for pair in pairs if type(pair[0]) is type(pair[1])], CALLS // 2)
        yield from generator.sample(pairs, CALLS // 2)
        return
    yield from islice(_tuples(generator, most), CALLS)


def _tuples(generator: random.Random, size: int) -> Iterator[tuple[Any, ...]]:
    numbers = [value for value in _POOL if isinstance(value, int | float)]
    while True:
        yield tuple(generator.choice(numbers) for _ in range(size))
        yield tuple(generator.choice(_POOL) for _ in range(size))


def _probe_function(
    box: Sandbox, programs: tuple[str, str], name: str, arguments: Sequence[tuple[Any, ...]]
) -> ProbeResult:
    code, answer = programs
    calls = [(each, dict[str, Any]()) for each in arguments]
    first, again, answer_run = (box.run(program, name, calls) for program in (code, code, answer))
    cpu_s = sum(each.usage.cpu_s for each in (first, again, answer_run))
    for each in (first, again, answer_run):
        if each.outcome is Outcome.sandbox_error:
            raise SandboxError(each.detail)
    if len(answer_run.replies) < len(first.replies):
        return ProbeResult(False, f"{name}: {answer_run.outcome.value} {answer_run.detail}".strip(), cpu_s)
    stable_calls = [
        at for at, pair in enumerate(zip(first.replies, again.replies, strict=False)) if _agree(*pair)
    ]
    if sum(first.replies[at].kind == "value" for at in stable_calls) < LEAST:
        reason = f"the trees differ, and too few calls of {name} return to compare the behaviour"
        return ProbeResult(False, reason, cpu_s)
    for at in stable_calls:
        if not _agree(first.replies[at], answer_run.replies[at]):
            shown = ", ".join(map(repr, arguments[at]))
            return ProbeResult(False, f"{name}({shown[:80]}) ends in another way", cpu_s)
    return ProbeResult(True, cpu_s=cpu_s)


def _agree(first: Reply, second: Reply) -> bool:
    """Whether two calls returned equal values, or both raised."""
    if first.kind != "value" or second.kind != "value":
        return (first.kind == "value") == (second.kind == "value")
    if first.payload == second.payload:
        return True
    try:
        one, other = first.value, second.value
        return type(one) is type(other) and matches(one, other, how="close")
    except (CodecError, CpuTimeExceeded):
        return False
