"""Tasks examined by execution: what each kind of fault looks like, and that nothing is executed twice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchwright.building.adequacy.examination import LEAST_DECLARED, examine
from benchwright.building.adequacy.examination_records import Examination, ExaminationEffort, SolvedTask
from benchwright.building.adequacy.trial_programs import chosen_mutants
from benchwright.contracts import (
    CallCase,
    CallsSpec,
    CaseInput,
    CaseLevel,
    ExpectedResult,
    Job,
    Judgement,
    LevelsSpec,
)
from benchwright.executing.pool import Pool
from benchwright.executing.trials import Trial, TrialResult, Trials, with_cpu_limit
from benchwright.store.writing import read_records
from kit.solved_tasks import ABSOLUTE, CONSTANT, FAILS, FLAKY, SOUND, WEAK, pairs_spec, solved

pytestmark = pytest.mark.usefixtures("jail")
NARROW = msgspec.structs.replace(
    SOUND,
    unit="narrow",
    alternatives=["def f(x):\n    return float(abs(x))\n", "def f(x):\n    return str(abs(x))\n"],
)
NAMED = msgspec.structs.replace(
    SOUND, unit="named", wrong={"keeps the sign": "def f(x):\n    return x\n", "right": ABSOLUTE}
)


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(workers=1) as pool:
        yield pool


def found(
    tmp_path: Path, pool: Pool, *tasks: SolvedTask, effort: ExaminationEffort | None = None
) -> list[Examination]:
    """The examinations of some tasks, in a ledger of their own."""
    with Trials(tmp_path / "trials.jsonl", pool) as trials:
        return list(examine(tasks, trials, effort=effort))


def test_a_sound_task_holds(tmp_path: Path, pool: Pool) -> None:
    """Its gold passes five times, no stub and hardly a mutant does, and all rewrites pass."""
    (sound,) = found(tmp_path, pool, SOUND)

    assert (sound.gold_fault, len(sound.gold)) == ("", 5)
    assert len(sound.stubs) >= 12
    assert not any(end.passed for end in sound.stubs.values())
    assert sound.alternatives
    assert all(end.passed for end in sound.alternatives.values())
    assert sound.score is not None
    assert sound.score >= 0.8
    assert sound.cpu_s["mutants"] > 0


def test_a_gold_that_fails_and_one_that_is_not_steady(tmp_path: Path, pool: Pool) -> None:
    """Each has a code of its own, and nothing else is tried with them."""
    fails, flaky = found(tmp_path, pool, FAILS, FLAKY)

    assert [fails.gold_fault, flaky.gold_fault] == ["gold_fails", "flaky"]
    assert not (fails.stubs or fails.mutants or flaky.stubs or flaky.mutants)


def test_a_constant_passes(tmp_path: Path, pool: Pool) -> None:
    """Tests that expect one value alone are passed by the stub that returns it."""
    (constant,) = found(tmp_path, pool, CONSTANT)

    assert [name for name, end in constant.stubs.items() if end.passed] == ["returns True", "returns 1"]


def test_weak_tests_leave_a_witness(tmp_path: Path, pool: Pool) -> None:
    """The condition on the sign can go: a list with a negative number shows it, beyond what the tests show."""
    (weak,) = found(tmp_path, pool, WEAK)
    witnesses = [each.witness for each in weak.weaknesses if each.witness]

    assert {each.line for each in weak.weaknesses} >= {4}
    assert len({each.line for each in weak.weaknesses}) == len(weak.weaknesses)
    assert any(each.beyond for each in witnesses)
    space: dict[str, object] = {}
    exec(WEAK.gold, space)  # our own few lines
    for each in witnesses:
        exec(f"assert {each.call} == {each.gold}", space)


def test_named_programs_are_held_to_their_names(tmp_path: Path, pool: Pool) -> None:
    """A wrong one that passes and a right one that fails are both told."""
    narrow, named = found(tmp_path, pool, NARROW, NAMED)

    assert {name: end.passed for name, end in named.wrong.items()} == {"keeps the sign": False, "right": True}
    assert narrow.alternatives["given 1"].passed
    assert not narrow.alternatives["given 2"].passed


def test_declared_equivalents_without_a_witness_are_believed(tmp_path: Path, pool: Pool) -> None:
    """They are executed all the same, and as many count for nothing in the score as may be declared."""
    (before,) = found(tmp_path, pool, SOUND)
    declared = [each.name for each in before.survivors if each.witness is None]
    (after,) = found(tmp_path, pool, msgspec.structs.replace(SOUND, equivalent_mutants=declared))

    assert declared
    assert (after.score or 0) > (before.score or 0)
    assert [each.fate for each in after.mutants].count("equivalent") == min(len(declared), LEAST_DECLARED)


def test_a_declared_equivalent_with_a_witness_is_refused(tmp_path: Path, pool: Pool) -> None:
    """A declaration is held against tests and grown calls; it improves nothing."""
    (before,) = found(tmp_path, pool, WEAK)
    declared = [each.name for each in before.mutants]
    (after,) = found(tmp_path, pool, msgspec.structs.replace(WEAK, equivalent_mutants=declared))
    told = {each.name for each in before.mutants if each.fate == "killed" or each.witness is not None}

    assert told
    assert told <= {each.name for each in after.refused_equivalents}
    assert len([each for each in after.mutants if each.fate == "equivalent"]) <= LEAST_DECLARED


def test_a_mutant_that_hangs_is_killed_by_its_time(tmp_path: Path, pool: Pool) -> None:
    """Its limit comes from the gold, and it is counted apart."""
    loop = (
        "def f(n):\n    found = 0\n    while n > 0:\n        n -= 1\n        found += 1\n    return found\n"
    )
    (looping,) = found(tmp_path, pool, solved("loop", loop, [((3,), 3), ((0,), 0), ((7,), 7)]))
    fates = [each.fate for each in looping.mutants]

    assert "timed_out" in fates
    assert looping.cpu_s["mutants"] < 1.0 * fates.count("timed_out") + 1.0


def test_twice_is_equal_and_executes_nothing(tmp_path: Path, pool: Pool) -> None:
    """The second examination reads the ledger alone: an executor that may not be asked is no obstacle."""
    tasks = [SOUND, CONSTANT, FAILS, WEAK]
    first = found(tmp_path, pool, *tasks)
    before = (tmp_path / "trials.jsonl").read_bytes()
    second = found(tmp_path, pool, *tasks)

    assert first == second
    assert (tmp_path / "trials.jsonl").read_bytes() == before


def test_less_effort_leaves_parts_out(tmp_path: Path, pool: Pool) -> None:
    """No mutants, no inputs, no rewrites, where nobody wants them."""
    effort = ExaminationEffort(executions=2, rewrites=False, mutants=0, inputs=0)
    (weak,) = found(tmp_path, pool, WEAK, effort=effort)

    assert (len(weak.gold), weak.mutants, weak.alternatives, weak.inputs) == (2, [], {}, 0)
    assert weak.score is None
    assert weak.stubs


def test_a_slow_gold_gives_its_mutants_more_time(tmp_path: Path, pool: Pool) -> None:
    """What takes the gold long is not held against a mutant that does the same."""
    slow = "def f(n):\n    for _ in range(n):\n        pass\n    return n\n"
    (task,) = found(
        tmp_path, pool, solved("slow", slow, pairs_spec([((2_000_000,), 2_000_000), ((5,), 5)], cpu_s=3.0))
    )

    assert all(end.passed for end in task.alternatives.values())
    assert {each.fate for each in task.mutants if each.kind == "deletion"} <= {"killed", "survived"}


def test_a_mutant_is_executed_up_to_the_level_that_kills_it(tmp_path: Path, pool: Pool) -> None:
    """Its fate is that of an execution of all levels; stubs are executed for all, and say what levels reject."""
    in_levels = LevelsSpec(
        entry_point="f",
        cases=[
            _case("normal", 3, value=3),
            _case("edge_case", -3, value=3),
            _case("edge_case", "x", raises="TypeError"),
            _case("correctness", -40, value=40),
        ],
    )
    (found_,) = found(tmp_path, pool, solved("levels", ABSOLUTE, in_levels))
    trials = [*read_records(tmp_path / "trials.jsonl", TrialResult)]
    levels = [[*each.parts] for each in trials if not each.passed]

    assert found_.rejecting == ["normal", "edge_case", "correctness"]
    assert ["normal"] in levels  # a mutant that goes no further, while stubs do
    assert ["normal", "edge_case", "correctness"] in levels
    with Trials(tmp_path / "whole.jsonl", pool) as whole:
        mutants = chosen_mutants(ABSOLUTE, 80)
        ends = whole.run([Trial(each.code, with_cpu_limit(in_levels, 3.0)) for each in mutants])
    assert {each.name: each.fate != "survived" for each in found_.mutants} == {
        each.name: not end.passed for each, end in zip(mutants, ends, strict=True)
    }


def _case(level: str, given: object, **expected: Any) -> CallCase:
    name = f"{level} {given!r}"
    return CallCase(
        name=name, level=CaseLevel(level), input=CaseInput(args=[given]), expected=ExpectedResult(**expected)
    )


class StoppingExecutor:
    """An executor that is interrupted after some results."""

    def __init__(self, pool: Pool, after: int) -> None:
        self.pool, self.size, self.left = pool, pool.size, after

    def judge(self, jobs: Iterable[Job]) -> Iterator[tuple[int, Judgement]]:
        """The results of the pool, as long as any are left."""
        for each in self.pool.judge(jobs):
            if not self.left:
                raise KeyboardInterrupt
            self.left -= 1
            yield each


def test_a_check_with_recorded_calls_is_examined_alike_after_a_kill(tmp_path: Path, pool: Pool) -> None:
    """Killed among the mutants, whose calls were recorded, and continued without a recording."""
    test = "def check(candidate):\n    for x in (3, -3, 0, -1, 1, -40):\n        assert candidate(x) == max(x, -x)\n"
    task = solved("check", ABSOLUTE, CallsSpec(entry_point="f", test=test, cpu_limit_s=1.0))
    effort = ExaminationEffort(executions=2, mutants=12)
    (tmp_path / "whole").mkdir()
    whole = found(tmp_path / "whole", pool, task, effort=effort)
    executions = len(list(read_records(tmp_path / "whole" / "trials.jsonl", TrialResult)))
    with (
        Pool(workers=1) as killed,
        pytest.raises(KeyboardInterrupt),
        Trials(tmp_path / "trials.jsonl", StoppingExecutor(killed, executions // 2)) as trials,
    ):
        list(examine([task], trials, effort=effort))
    continued = found(tmp_path, pool, task, effort=effort)

    assert _without_times(continued) == _without_times(whole)


def _without_times(examinations: list[Examination]) -> str:
    """What an examination found, without processor times, and keys, which contain limits that follow from them."""
    return re.sub(r"\d+\.\d+(e-\d+)?|key='\w+'", "", repr(examinations))
