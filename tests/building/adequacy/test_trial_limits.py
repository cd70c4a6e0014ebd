"""Limits of mutants: powers of two above a multiple of the solution's time."""

from __future__ import annotations

import msgspec
import pytest

from benchwright.building.adequacy.trial_limits import call_limit, limit_of, mutant_spec
from benchwright.building.adequacy.trial_programs import mutant_programs
from benchwright.contracts import CallsSpec
from benchwright.executing.trials import TrialResult
from benchwright.lang.protocol import Mutant
from benchwright.records import Outcome


@pytest.mark.parametrize(
    ("gold_s", "call_s", "limit", "of_call"),
    [
        (0.0, 0.0, 1 / 32, None),  # not measured
        (0.001, 0.0005, 1 / 32, None),
        (0.01, 0.001, 0.25, 1 / 32),
        (0.01, 0.01, 0.25, None),  # one call took all
        (0.1, 0.004, 1.0, 0.125),  # a slow one: four times its time and 1/4 s
        (0.1, 0.1, 1.0, None),
        (0.5, 0.05, 3.0, 0.5),  # 2.25 s, as a power of two more than the limit of the solution
        (9.0, 9.0, 3.0, None),
    ],
)
def test_limits_follow_from_the_solution(
    gold_s: float, call_s: float, limit: float, of_call: float | None
) -> None:
    """Of all calls, and of one call if that is less."""
    gold = TrialResult(key="k", outcome=Outcome.passed, cpu_s=gold_s, call_s=call_s)
    spec = mutant_spec(CallsSpec(entry_point="f"), gold)

    assert (spec.cpu_limit_s, spec.call_limit_s) == (limit, of_call)
    assert (limit_of(gold_s, 3.0), call_limit(call_s, limit)) == (limit, of_call)


def test_equal_bytecode_of_a_slow_solution_is_one_program() -> None:
    """Of a fast one, compiling costs more than it saves. Values of other types are other programs."""
    texts = {
        "a": "x = 1 + 1\n",
        "b": "\nx = 2\n",
        "c": "x = 2.0\n",
        "d": "x = (\n",
        "e": "def f():\n  y = 2\n",
    }
    mutants = [Mutant(code=code, kind="k", line=1, name=name) for name, code in texts.items()]
    slow = TrialResult(key="k", outcome=Outcome.passed, cpu_s=0.1)

    assert mutant_programs(mutants, slow) == {**texts, "b": texts["a"]}
    assert mutant_programs(mutants, msgspec.structs.replace(slow, cpu_s=0.001)) == texts
