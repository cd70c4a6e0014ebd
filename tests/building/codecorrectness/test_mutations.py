"""Broken rows: of a drawn part of those that pass, labelled by execution like any other."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from benchwright.building.codecorrectness.mutations import break_rows
from benchwright.building.codecorrectness.row_records import Candidate
from benchwright.executing.suite_ledger import Ledger
from benchwright.executing.suite_runners import Runners
from benchwright.lang.source import syntax_fault
from benchwright.progress import Silent
from benchwright.records import Drop
from kit.fake_suites import FakeGo, FakeSuites
from kit.go_needs import need_go
from kit.made_candidates import candidate

_FOCAL = """def sum_{0}(first, second):
    if first > 100:
        return max(first, second)
    return first + second
"""


def _broken(
    folder: Path, rows: list[Candidate], *, part: float = 1.0, fake: bool = True
) -> list[Candidate | Drop]:
    runners = Runners(lambda lang: FakeGo() if lang == "Go" else FakeSuites()) if fake else Runners(workers=1)
    with Ledger(folder / "executions.jsonl") as ledger, runners as opened:
        return list(break_rows(rows, ledger, opened, part=part, repeat=2, watch=Silent()))


def _passing(number: int, **changed: object) -> Candidate:
    return candidate(number, label="success", runs=5, passes=5, **changed)


def test_a_broken_row_tells_where_it_comes_from(tmp_path: Path) -> None:
    """Its slip, the row that it was, and the label that execution gave."""
    row = _passing(1)
    (made,) = _broken(tmp_path, [row])

    assert isinstance(made, Candidate)
    assert (made.subset, made.parent, made.test_code) == ("broken", row.revision, row.test_code)
    assert made.mutation.split("-")[0] in made.origin and made.focal_code != row.focal_code
    assert made.revision != row.revision and (made.runs, made.label != "") == (2, True)


def test_each_row_is_a_row_or_a_drop(tmp_path: Path) -> None:
    """Rows that fail already are no ground for one; nor is a file with nothing in it to break."""
    rows = [
        _passing(1),
        candidate(2, label="failed", kind="assertion"),
        _passing(3, focal_code="1\n", test_code="import sum_3\n\n\ndef test_small():\n    assert sum_3\n"),
        _passing(
            4, lang="Go", focal_code="package a\n\nfunc F() {}\n", focal_path="a.go", test_path="a_test.go"
        ),
    ]
    found = _broken(tmp_path, rows[:3])

    assert [each.reason for each in found if isinstance(each, Drop)] == ["fails_already", "nothing_to_break"]
    assert len(found) == 3


def test_so_many_are_drawn_always_the_same(tmp_path: Path) -> None:
    """By the row's key, so a row more does not change which others are broken."""
    rows = [_passing(number) for number in range(200)]
    found = _broken(tmp_path, rows, part=0.25)
    drawn = {each.parent for each in found if isinstance(each, Candidate)}
    again = _broken(tmp_path, rows[:100], part=0.25)

    assert 30 < len(drawn) < 70
    assert {each.reason for each in found if isinstance(each, Drop)} == {"not_drawn"}
    assert {each.parent for each in again if isinstance(each, Candidate)} == drawn & {
        each.revision for each in rows[:100]
    }


def test_no_kind_is_most_of_them(tmp_path: Path) -> None:
    """Kinds are drawn before places: a file has fifty names and two colons."""
    found = _broken(tmp_path, [_passing(number, focal_code=_FOCAL.format(number)) for number in range(120)])
    kinds = Counter(each.mutation.split("-")[0] for each in found if isinstance(each, Candidate))

    assert set(kinds) == {"bracket", "colon", "misspelt"}
    assert max(kinds.values()) < 70


@pytest.mark.usefixtures("jail")
def test_python_really_stumbles_over_it(tmp_path: Path) -> None:
    """In the sandbox: what does not parse is "syntax", a name that is not there an exception."""
    found = _broken(
        tmp_path, [_passing(number, focal_code=_FOCAL.format(number)) for number in range(6)], fake=False
    )
    rows = [each for each in found if isinstance(each, Candidate)]

    assert len(rows) == 6
    for row in rows:
        torn = syntax_fault(row.focal_code, "Python") is not None
        assert (row.label, row.kind) == (
            "failed",
            "syntax" if torn else "exception",
        ) or row.label == "success"
    assert {row.kind for row in rows} >= {"syntax"}


@pytest.mark.usefixtures("jail")
@pytest.mark.slow
def test_go_really_stumbles_over_it(tmp_path: Path) -> None:
    """Every slip is one for the compiler."""
    need_go()
    focal = 'package sums\n\nimport (\n\t"fmt"\n\t"strings"\n)\n\nfunc Total(first, second int) string {\n'
    focal += "\treturn strings.TrimSpace(fmt.Sprint(first + second))\n}\n"
    test = 'package sums\n\nimport "testing"\n\nfunc TestTotal(t *testing.T) {\n\tif Total(1, 2) != "3" {\n'
    rows = [
        _passing(
            1,
            lang="Go",
            focal_path="sums.go",
            test_path="sums_test.go",
            case="TestTotal",
            focal_code=f"{focal}\n// {number}\n",
            test_code=f'{test}\t\tt.Fatal("no")\n\t}}\n}}\n',
        )
        for number in range(8)
    ]
    found = _broken(tmp_path, rows, fake=False)

    assert [
        (each.label, each.kind) for each in found if isinstance(each, Candidate) and each.kind != "syntax"
    ]
    assert {each.label for each in found if isinstance(each, Candidate)} == {"failed"}
    assert {each.kind for each in found if isinstance(each, Candidate)} == {"syntax", "compile"}
