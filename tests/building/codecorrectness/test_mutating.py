"""Mutated rows: drawn from executed lines, kinds in turn, one of each label at most, and every miss with a reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
import pytest

from benchwright.building.codecorrectness.mutations import MutantEffort, in_turn, mutate
from benchwright.building.codecorrectness.row_records import Candidate
from benchwright.contracts import Suite, SuiteReport, Variation
from benchwright.executing.suite_ledger import Ledger
from benchwright.executing.suite_runners import Runners
from benchwright.lang.protocol import Mutant
from benchwright.lang.source import mutants
from benchwright.progress import Silent
from benchwright.records import Drop
from kit.fake_suites import FakeGo, FakeSuites
from kit.made_candidates import candidate

BOUND = '''def clamp(value, low, high):
    """Within bounds."""
    if value < low:
        return low
    if value >= high:
        return high
    return value


def other(value):
    return value[0] - value[1]


# {}
'''


class Tracing(FakeSuites):
    """Says which lines are executed, and counts."""

    lines: tuple[int, ...] = (3, 4, 5, 6, 7)
    traced = 0

    def run(
        self, suites: Iterable[tuple[int, Suite]], *, variation: Variation
    ) -> Iterator[tuple[int, SuiteReport]]:
        """As it is, with the lines of a traced run."""
        for number, report in super().run(suites, variation=variation):
            Tracing.traced += variation.traced
            lines = list(Tracing.lines) if variation.traced else []
            yield number, msgspec.structs.replace(report, lines=lines)


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    FakeSuites.executed.clear()
    Tracing.traced, Tracing.lines = 0, (3, 4, 5, 6, 7)
    yield
    FakeSuites.executed.clear()


def _row(remark: str, **changed: object) -> Candidate:
    return candidate(**{"focal_code": BOUND.format(remark), "label": "success", **changed})


def _made(
    tmp_path: Path, rows: list[Candidate], *, fake: type[FakeSuites] = Tracing, **effort: int
) -> tuple[list[Candidate], list[Drop]]:
    with Ledger(tmp_path / "e.jsonl") as ledger, Runners(lambda _: fake()) as runners:
        found = list(
            mutate(
                rows,
                ledger,
                runners,
                repeat=2,
                watch=Silent(),
                effort=MutantEffort(**effort) if effort else None,
            )
        )
    return [each for each in found if isinstance(each, Candidate)], [
        each for each in found if isinstance(each, Drop)
    ]


def test_one_that_fails_and_one_that_passes(tmp_path: Path) -> None:
    """Both with their parent, their change and the label that was executed; nothing is dropped."""
    row = _row("needs: value < low")
    made, drops = _made(tmp_path, [row])

    assert (Counter(each.label for each in made), drops) == ({"failed": 1, "success": 1}, [])
    for each in made:
        assert (each.subset, each.parent, each.test_code) == ("mutated", row.revision, row.test_code)
        assert each.mutation and each.focal_code != row.focal_code and each.revision != row.revision
        assert (each.runs, each.passes) == (2, 2 if each.label == "success" else 0)


def test_only_executed_lines_are_changed(tmp_path: Path) -> None:
    """Those that a traced execution names, which is done once for each row that passes."""
    Tracing.lines = (5,)
    rows = [_row("needs: value < low"), _row("ends: assertion", label="failed", kind="assertion")]
    made, drops = _made(tmp_path, rows, tried=40, kept=40)

    assert made and {each.mutation.split("-")[1] for each in made} == {"5"}
    assert ([each.reason for each in drops], Tracing.traced) == (["survived", "fails_already"], 1)


def test_without_known_lines_the_whole_file_is_changed(tmp_path: Path) -> None:
    """What cannot be traced is not lost."""
    Tracing.lines = ()
    made, _ = _made(tmp_path, [_row("needs: value < low")], tried=60, kept=60)

    assert any(int(each.mutation.split("-")[1]) > 9 for each in made)


@pytest.mark.parametrize(
    ("remark", "lines", "reason", "made"),
    [
        ("ends: success", (3, 4, 5), "survived", 1),
        ("needs: if value >= high:\n        return high\n    return value", (5,), "killed", 1),
        ("ends: success", (2,), "no_mutants", 0),
        ("ends: flaky", (3,), "mutant_flaky", 0),
        ("ends: timeout", (3,), "mutant_fails_by_timeout", 0),
        ("ends: sandbox_error", (3,), "mutant_sandbox_error", 0),
    ],
)
def test_what_is_missing_has_a_reason(
    tmp_path: Path, remark: str, lines: tuple[int, ...], reason: str, made: int
) -> None:
    """A row of one label only says why there is none of the other; a failed machine is tried again later."""
    Tracing.lines = lines
    code = BOUND.format(remark) if "\n" not in remark else BOUND.format("x") + f'"""needs: {remark}"""\n'
    rows, drops = _made(tmp_path, [candidate(focal_code=code, label="success")])

    assert ([each.reason for each in drops], len(rows)) == ([reason], made)


def test_an_absent_toolchain_is_tried_again(tmp_path: Path) -> None:
    """It is a drop by that name, which the next run of the command passes over."""
    row = _row("ends: success", lang="Go", focal_code="package a\n\nfunc f(a, b int) int { return a - b }\n")
    with Ledger(tmp_path / "e.jsonl") as ledger, Runners(lambda _: FakeGo()) as runners:
        row = msgspec.structs.replace(
            row,
            focal_path="a.go",
            test_path="a_test.go",
            test_code='package a\n\nimport "testing"\n\nfunc TestF(t *testing.T) {\n\tf(1, 2)\n}\n',
        )
        found = list(mutate([row], ledger, runners, repeat=2, watch=Silent()))

    assert [each.reason for each in found if isinstance(each, Drop)] == ["mutant_absent"]


def test_no_more_is_tried_than_asked_for(tmp_path: Path) -> None:
    """Each mutant costs one execution, and those that are kept the rest of their label."""
    _made(tmp_path, [_row("ends: success")], tried=3, kept=1)
    codes = Counter(code for code, _ in FakeSuites.executed)

    assert (len(codes), sum(codes.values())) == (4, 1 + 3 + 1)


def test_a_second_run_executes_nothing(tmp_path: Path) -> None:
    """The same mutants in the same order, all of them known."""
    first = _made(tmp_path, [_row("needs: value < low")])
    FakeSuites.executed.clear()

    assert (_made(tmp_path, [_row("needs: value < low")]), FakeSuites.executed) == (first, [])


def test_kinds_come_in_turn() -> None:
    """The first mutants of a row are of as many kinds as there are, in an order that the row's key decides."""
    found = [Mutant(name=f"{kind}-{at}", kind=kind, code="", line=at) for kind in "abc" for at in range(9)]
    orders = {tuple(each.name for each in in_turn(f"row {number}", found)) for number in range(20)}

    assert len(orders) == 20
    for order in orders:
        assert sorted(order) == sorted(each.name for each in found)
        assert all({name[0] for name in order[at : at + 3]} == set("abc") for at in range(0, 27, 3))
    assert in_turn("row", found) == in_turn("row", reversed(found))


def test_rows_of_one_file_are_given_different_mutants(tmp_path: Path) -> None:
    """One row does not teach the answer to the next."""
    rows = [
        _row(
            "needs: value < low",
            test_code=f"from sum_1 import clamp\n\n\ndef test_{at}():\n    assert clamp({at})\n",
        )
        for at in range(12)
    ]
    made, _ = _made(tmp_path, rows)

    assert len({each.mutation for each in made if each.label == "success"}) > 3
    assert len(list(mutants(rows[0].focal_code, "Python"))) > 12
