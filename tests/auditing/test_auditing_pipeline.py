"""An audit from rows to ranked findings: each planted fault by its own code, twice the same, and resumed."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchwright.auditing import audit as pipeline
from benchwright.auditing.audit import AuditOptions, audit, default_folder
from benchwright.contracts import Job, Judgement
from benchwright.errors import RunError, UsageError
from benchwright.executing.pool import Pool
from benchwright.tracks.aicodereval.entry import StandIn
from kit.audit_rows import entry_row, mbpp_row, row, sound
from kit.audited import audited, codes, findings
from kit.needs import need_sandbox
from kit.small_data import humaneval_row, mera_row, write

PLANTED: dict[str, dict[str, Any]] = {
    "gold_fails": row("g", "Inc.", "    return x + 2\n", ["assert candidate(1) == 2", "assert candidate(5) == 6"]),
    "flaky": row("f", "Order.", '    return [*{"a", "b"}][0] == "a" or not x\n', ["assert candidate(1) is True", "assert candidate(0) is True"]),
    "stub_passes": row("s", "Is x positive?", "    return x > 0\n", ["assert candidate(1)", "assert candidate(2)"]),
    "tests_in_prompt": row("t", "Inc: t(1) == 2, t(4) == 5", "    return x + 1\n", ["assert candidate(1) == 2", "assert candidate(4) == 5"]),
    "example_contradicts": row("e", "Inc: e(7) == 9", "    return x + 1\n", ["assert candidate(1) == 2", "assert candidate(4) == 5"]),
    "weak_tests": row("w", "The larger of two.", "    return x if x > y else y\n", ["assert candidate(9, 1) == 9", "assert candidate(3, 1) == 3", "assert candidate(8, 7) == 8"], arguments="x, y"),
    "not_executed": row("n", "No gold.", "", ["assert candidate(1) == 2"]),
}  # fmt: skip


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    """Workers of this machine."""
    need_sandbox()
    with Pool(workers=2) as opened:
        yield opened


def test_each_planted_fault_has_its_own_code(tmp_path: Path, pool: Pool) -> None:
    """Seven faults in seven tasks, and a sound task that has none."""
    report = audited(tmp_path, [*PLANTED.values(), sound(5)[0]], pool)

    found = codes(report, "defect", "weakness", "information")
    for code, task in PLANTED.items():
        assert code in found[task["task_id"]], (code, found)
    assert found.get("Own/scale_5", set()) <= {"weak_beyond"}
    assert report.ranked[-1].findings[0].weight == "information"
    assert report.totals.gold_passed == len(PLANTED) - 3 + 1


def test_a_weakness_has_all_that_an_author_needs(tmp_path: Path, pool: Pool) -> None:
    """A call, both values and the changed lines; no assert, since the gold may be what is wrong."""
    report = audited(tmp_path, [PLANTED["weak_tests"]], pool)

    [first, *_] = [each for each in findings(report) if each.code == "weak_tests"]
    assert first.diff.count("\n+") == first.diff.count("\n-") == 1
    assert first.gold != first.other
    assert (first.call.startswith("w("), first.test) == (True, "")


def test_every_shape_is_executed(tmp_path: Path, pool: Pool) -> None:
    """Rows of all four shapes in one file; an ungraded test that the gold fails is told apart."""
    rows = [
        humaneval_row(2),
        mera_row(3),
        mbpp_row(challenge_test_list=["assert double(1) == 3"]),
        entry_row(),
    ]
    report = audited(tmp_path, rows, pool)

    assert report.shapes == {"aicodereval": 1, "humaneval": 1, "mbpp": 1, "ruhumaneval": 1}
    assert report.totals.gold_passed == 4
    assert "further_test_fails" in codes(report, "weakness")["11"]


def test_a_library_that_is_missing_is_no_fault_of_the_task(tmp_path: Path, pool: Pool) -> None:
    """A module of the solution, and a profile of an entry: named, and neither fails."""
    imports = row(
        "imports", "Inc.", "    import no_such_library\n    return x + 1\n", ["assert candidate(1) == 2"]
    )
    report = audited(tmp_path, [imports, entry_row(environment="no-such-profile"), humaneval_row(2)], pool)

    found = codes(report, "defect", "weakness", "information")
    assert (found["Own/imports"], found["mean_0001"]) == ({"env_missing"}, {"env_missing"})
    assert report.totals.gold_passed == 1


class StoppingExecutor:
    """An executor that is ended after so many programs, as by Ctrl-C."""

    size = 2

    def __init__(self, pool: Pool, programs: int) -> None:
        self._pool, self.left, self.given = pool, programs, 0

    def judge(self, jobs: Iterable[Job]) -> Iterator[tuple[int, Judgement]]:
        """What the pool gives, up to the end."""
        for each in self._pool.judge(jobs):
            if not self.left:
                raise KeyboardInterrupt
            self.left -= 1
            self.given += 1
            yield each


def test_an_ended_audit_goes_on_and_finds_the_same(tmp_path: Path) -> None:
    """What was executed before the end is not executed again, and the findings are those of one go."""
    need_sandbox()
    options = AuditOptions(data=str(write(tmp_path / "rows.jsonl", [*PLANTED.values()][:3])))
    with Pool(workers=2) as pool:
        whole = StoppingExecutor(pool, 10**9)
        at_once = audit(options, whole, out=tmp_path / "one")
        again = StoppingExecutor(pool, 10**9)
        audit(options, again, out=tmp_path / "one")
    with Pool(workers=2) as pool, pytest.raises(KeyboardInterrupt):
        audit(options, StoppingExecutor(pool, 20), out=tmp_path / "two")
    with Pool(workers=2) as pool:
        rest = StoppingExecutor(pool, 10**9)
        resumed = audit(options, rest, out=tmp_path / "two")

    assert again.given == 0
    assert whole.given - rest.given >= 20
    assert resumed.ranked == at_once.ranked
    assert (tmp_path / "one" / "findings.jsonl").read_bytes() == (
        tmp_path / "two" / "findings.jsonl"
    ).read_bytes()


def test_only_named_tasks_are_audited(tmp_path: Path, pool: Pool) -> None:
    """`tasks` picks; a name that is not there is refused with the nearest."""
    report = audited(tmp_path, [*PLANTED.values()], pool, tasks=("Own/s",))

    assert (report.tasks, report.rows, set(codes(report, "defect"))) == (1, 7, {"Own/s"})
    with pytest.raises(UsageError, match="no such task"):
        audited(tmp_path, [*PLANTED.values()], pool, tasks=("Own/ss",))


def test_a_folder_of_something_else_is_refused(tmp_path: Path, pool: Pool) -> None:
    """A folder with an audit of other data, or with other files."""
    audited(tmp_path, [humaneval_row(2)], pool)
    with pytest.raises(RunError, match="another data set"):
        audited(tmp_path, [humaneval_row(4)], pool)
    (tmp_path / "audit" / "audit.json").write_text("{")
    with pytest.raises(RunError, match="cannot be read"):
        audited(tmp_path, [humaneval_row(4)], pool)
    (tmp_path / "audit" / "audit.json").unlink()
    with pytest.raises(RunError, match="not empty"):
        audited(tmp_path, [humaneval_row(4)], pool)


def test_the_report_is_kept_beside_the_trials(tmp_path: Path, pool: Pool) -> None:
    """One JSON document that holds what the page shows."""
    report = audited(tmp_path, [humaneval_row(2)], pool)

    stored = json.loads((tmp_path / "audit" / "report.json").read_text())
    assert (stored["rows"], stored["counts"], stored["data_hash"]) == (1, report.counts, report.data_hash)
    assert str(default_folder("a/b.jsonl.gz", "0123456789")) == "runs/audit-b-01234567"


def test_stand_ins_of_models_are_made_and_one_that_is_not_there_is_no_defect(
    tmp_path: Path, pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What entries of a release need is asked for before they are executed; a solution that ends as libraries
    end without a model says nothing of its tests."""
    stand_in = {"id": "sst", "kind": "text-classification"}
    message = "We couldn't connect to 'https://huggingface.co' to load the files"
    absent = f"    raise OSError({message!r})\n"
    rows = [entry_row(implementation=absent, weights="stand-in", stand_ins=[stand_in])]
    asked: list[list[str]] = []

    def make(needed: Iterable[StandIn], *, note: object) -> dict[str, str]:
        asked.append([each.id for each in needed])
        return {}

    monkeypatch.setattr(pipeline, "make_requested", make)
    report = audited(tmp_path, rows, pool)

    assert asked == [["sst"]]
    assert [set(found) for found in codes(report, "defect", "information").values()] == [{"env_missing"}]


LOOPED = """def assertion(out, exp, atol):
    assert out == exp


def check(candidate):
    inputs = {0}
    results = {1}
    for i, (inp, exp) in enumerate(zip(inputs, results)):
        assertion(candidate(*inp), exp, 0)
"""
LOOPS: list[tuple[str, str, str, str]] = [
    ("larger", "x, y", "    return x if x > y else y\n", "[[9, 1], [3, 1], [8, 7]]"),
    ("raised", "x", "    if x > 3:\n        return x + 1\n    return x\n", "[[0], [9], [12], [1], [30]]"),
    ("upper", "x", "    return x.strip().upper()\n", "[['a'], ['bc'], ['hello you']]"),
    ("evens", "x", "    return [n for n in x if n % 2 == 0 and n > 0]\n", "[[[1, 2, 3]], [[4, 6]], [[7, 5]]]"),
    ("turned", "x", "    if len(x) > 2:\n        return x[::-1]\n    return x\n", "[['a'], ['abcdef'], ['xyzw']]"),
]  # fmt: skip


def test_tests_in_a_loop_give_witnesses(tmp_path: Path, pool: Pool) -> None:
    """Five weak tasks whose test is a loop over lists: a surviving mutant of each is shown by a call."""
    rows = []
    for name, arguments, body, inputs in LOOPS:
        task = row(name, f"The {name} one.", body, [], arguments=arguments)
        space: dict[str, Any] = {}
        exec(f"def f({arguments}):\n{body}", space)  # our own few lines
        results = [space["f"](*each) for each in ast.literal_eval(inputs)]
        rows.append({**task, "test": LOOPED.replace("{0}", inputs).replace("{1}", repr(results))})

    report = audited(tmp_path, rows, pool)

    found = codes(report, "defect", "weakness", "information")
    assert report.totals.gold_passed == report.totals.witnessed == len(LOOPS), found


LONG = {
    "plain": (
        "    return 10 ** (x * 1500 if x > 3 else x)\n",
        ["assert candidate(2) == 100", "assert candidate(4) == 10 ** 6000"],
    ),
    "listed": (
        "    return [7 ** (2000 * abs(x))] * (1 if x < 4 else 2)\n",
        ["assert candidate(3) == [7 ** 6000]", "assert candidate(0) == [1]", "assert candidate(2)[0] > 9"],
    ),
    "expected": (
        "    return {'k': (x, 16 ** 4000 - 1)}\n",
        [f"assert candidate({x}) == {{'k': ({x}, 0x{'f' * 4000})}}" for x in (1, 5)],
    ),
}


def test_integers_longer_than_python_prints(tmp_path: Path, pool: Pool) -> None:
    """A value of more than 4,300 digits is a value like any other: alone, in a list, and in the test."""
    rows = [row(name, f"The {name} power.", body, tests) for name, (body, tests) in LONG.items()]
    report = audited(tmp_path, rows, pool)

    assert report.totals.gold_passed == len(LONG)
