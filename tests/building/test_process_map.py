"""Parts of a stage made by several processes: the same results, order and errors as by one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import islice

import pytest

from benchwright import registry
from benchwright.building.codecorrectness.collect_pairs import pair_tests
from benchwright.building.codecorrectness.options import RowBounds
from benchwright.building.codecorrectness.row_gates import all_gates
from benchwright.building.codecorrectness.row_records import Candidate, Pair
from benchwright.building.codecorrectness.stage_parts import (
    CasesPart,
    PairPart,
    TagPart,
    by_repository,
    filtered,
    in_parts,
)
from benchwright.building.codecorrectness.test_cases import split_cases
from benchwright.building.engine import process_map
from benchwright.building.engine.gates import admit, open_gates
from benchwright.building.engine.process_map import StagePart, map_parts
from benchwright.errors import DataError
from benchwright.executing.suite_runners import Libraries
from benchwright.records import Drop
from benchwright.sources.repositories import Repository
from kit.made_repositories import cases_of, function
from kit.processes import all_gone, descendants

NAMES = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"]


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_map, "WORTH_S", 0.0)


def made_pair(name: str, lang: str = "Python", *, tests: int = 2) -> Pair:
    return Pair(
        repository=f"owner/{name}",
        commit="c" * 40,
        committed_at="",
        licence="MIT",
        lang=lang,
        focal_path=f"{name}.py",
        test_path=f"test_{name}.py",
        focal_code=function(name),
        test_code=cases_of(name, name, *(f"case{at}" for at in range(tests))),
    )


def candidates(*, tests: int = 2) -> list[Candidate]:
    found = [each for name in NAMES for each in split_cases([made_pair(name, tests=tests)])]
    return [each for each in found if isinstance(each, Candidate)]


def parts_of(pairs: list[Pair]) -> Iterator[StagePart]:
    for name, some in by_repository(pairs, most=2):
        place = Repository(name=name, commit="c" * 40, committed_at="", licence="MIT", place="/none")
        yield CasesPart(repository=place, pairs=some, bounds=RowBounds())


def test_order_of_one_process() -> None:
    """Long and short parts in turn: each part's results come where one process would have put them."""
    pairs = [made_pair(name, tests=1 + 40 * (at % 2)) for at, name in enumerate(NAMES)]
    alone = list(map_parts(parts_of(pairs), processes=1))

    assert len(alone) == 4 * 1 + 4 * 41
    assert [each.case for each in alone[:2]] == ["test_case0", "test_case0"]
    assert list(map_parts(parts_of(pairs), processes=3)) == alone


def test_drops_and_records_together() -> None:
    """A file without a case is a drop among candidates, and both come back as what they were."""
    empty = made_pair("beta", tests=0)
    found = list(map_parts(parts_of([made_pair("alpha"), empty, made_pair("gamma")]), processes=2))

    assert [type(each) for each in found] == [Candidate, Candidate, Drop, Candidate, Candidate]
    assert found[2].reason == "no_cases"


def test_an_error_is_raised_in_its_turn() -> None:
    """What the parts before it gave has come, and the error is the one that it is on one core."""
    coming = map_parts(
        parts_of([made_pair("alpha"), made_pair("beta", "Cobol"), made_pair("gamma")]), processes=2
    )

    assert [each.case for each in islice(coming, 2)] == ["test_case0", "test_case1"]
    with pytest.raises(DataError, match="Cobol"):
        next(coming)


def test_a_process_that_dies_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its part is made where the stage runs."""
    pairs = [made_pair(name) for name in NAMES]
    alone = list(map_parts(parts_of(pairs), processes=1))
    monkeypatch.setattr(process_map, "_START", "import os; os._exit(3)")

    assert list(map_parts(parts_of(pairs), processes=2)) == alone


def test_what_is_not_taken_ends_the_processes() -> None:
    """Who stops reading leaves no process behind."""
    before = descendants(os.getpid())
    coming = map_parts((TagPart(candidates=some) for some in in_parts(candidates(), 1)), processes=2)
    next(coming)
    own = descendants(os.getpid()) - before
    coming.close()  # type: ignore[attr-defined]

    assert own and all_gone(own)
    with pytest.raises(StopIteration):
        next(coming)


def test_short_stages_start_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process costs more than a small build's parts."""
    monkeypatch.setattr(process_map, "WORTH_S", 60.0)
    monkeypatch.setattr(process_map, "_ProcessPool", None)

    assert len(list(map_parts(parts_of([made_pair("alpha")]), processes=8))) == 2


def test_gates_asked_on_all_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kept, dropped and each drop's further reasons are those of gates asked one by one; a double is found."""
    bounds = RowBounds(test_chars=150, asserts=0)
    from_parts = [TagPart(candidates=some) for some in in_parts(candidates(), 3)]
    tagged = [each for part in from_parts for each in part.made() if isinstance(each, Candidate)]
    tagged = [*tagged, tagged[0]]
    gates = open_gates(all_gates(Libraries()), (), bounds)
    cheap = ("codecorrectness.size", "codecorrectness.deterministic", "codecorrectness.self_contained")
    one_by_one = list(admit(tagged, gates, cheap=(*cheap, "codecorrectness.libraries")))
    again = open_gates(all_gates(Libraries()), (), bounds)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})

    assert any(isinstance(each, Drop) for each in one_by_one)
    assert list(filtered(tagged, again, bounds, "")) == one_by_one


def test_a_repository_without_a_licence_is_a_drop() -> None:
    """A part of one repository says what the stage says of it."""
    place = Repository(name="owner/none", commit="c" * 40, committed_at="", licence="", place="/none")

    found = list(PairPart(repository=place, bounds=RowBounds()).made())

    assert found == list(pair_tests([place], RowBounds()))
    assert [each.reason for each in found if isinstance(each, Drop)] == ["licence_unknown"]


def test_parts_keep_to_a_repository() -> None:
    """Two of one repository go together, and none with another's."""
    pairs = [made_pair(name) for name in ("alpha", "alpha", "alpha", "beta")]

    assert [(name, len(some)) for name, some in by_repository(pairs, most=2)] == [
        ("owner/alpha", 2),
        ("owner/alpha", 1),
        ("owner/beta", 1),
    ]


def test_another_package_spreads_the_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a process map of its name, which gets the parts and the number of processes."""
    maps = {"backwards": f"{__name__}:backwards"}
    monkeypatch.setattr(
        registry, "GROUPS", {**registry.GROUPS, "process_map": {**registry.PROCESS_MAPS, **maps}}
    )
    parts = list(parts_of([made_pair(name) for name in NAMES[:3]]))

    assert list(map_parts(parts, processes=2, on="backwards")) == list(map_parts(parts[::-1], processes=1))


def backwards(parts: Iterable[StagePart], *, processes: int | None) -> Iterator[object]:
    """Here, the last part first."""
    assert processes == 2
    for part in reversed(list(parts)):
        yield from part.made()
