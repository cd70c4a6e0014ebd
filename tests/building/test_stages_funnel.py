"""The funnel adds up, whatever the stages do; and says so where it does not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.building.engine.stages import BuildFolder, FunnelLevel, Stage, funnel_errors, funnel_level
from benchwright.contracts import Inventory
from benchwright.errors import RunError
from benchwright.records import Drop
from benchwright.sources.repositories import Repository

_REASONS = st.sampled_from(["too_large", "no_tests", "flaky"])
# What a stage makes of each record: kept (None) or dropped for a reason; a spreading stage, several of them.
_ONE = st.one_of(st.none(), _REASONS)
_ALONE = _ONE.map(lambda one: [one])
_MANY = st.lists(_ONE, min_size=1, max_size=3)


def _repository(name: str) -> Repository:
    return Repository(name=name, place="", commit="", committed_at="", licence="")


def _made(names: list[str], fates: list[list[str | None]]) -> list[Repository | Drop]:
    made: list[Repository | Drop] = []
    for name, mine in zip(names, fates, strict=False):
        for number, reason in enumerate(mine):
            unit = f"{name}.{number}"
            made.append(_repository(unit) if reason is None else Drop(unit=unit, reason=reason))
    return made


def _stage(name: str, made: Sequence[Repository | Drop], **fields: Any) -> Stage[None, Repository]:
    return Stage(name, Repository, lambda _records, _context: made, "r", **fields)


def _given(count: int) -> Inventory[Any]:
    return Inventory(count, iter(()))


@given(st.lists(_ONE, max_size=6), st.data())
def test_stages_in_a_row_add_up(
    tmp_path_factory: pytest.TempPathFactory, first: list[str | None], data: st.DataObject
) -> None:
    """Each stage is given what those before kept, and every record is kept or dropped for one reason."""
    folder = BuildFolder(tmp_path_factory.mktemp("build"), {})
    names = [str(number) for number in range(len(first))]
    source = _given(len(first))
    folder.run(_stage("collect", _made(names, [[fate] for fate in first])), None, given=source)
    for name, fate, spreads in (("pair", _MANY, True), ("tag", _ALONE, False), ("filter", _ALONE, False)):
        before = folder.levels[-1].stage
        names = [each.name for each in folder.kept(before, Repository)]
        made = _made(names, [data.draw(fate) for _ in names])
        folder.run(_stage(name, made, after=(before,), spreads=spreads), None, given=source)
    levels = folder.levels
    lost = sum(sum(each.dropped.values()) for each in levels)
    spread = sum(each.considered - each.given for each in levels)

    assert levels[-1].kept + lost == levels[0].given + spread
    assert len(list(folder.kept("filter", Repository))) == levels[-1].kept


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"given": 4}, "given 4, but the stages before kept 5"),
        ({"considered": 4, "kept": 3}, "1 were lost without a reason"),
        ({"considered": 6, "kept": 5}, "1 came from nowhere"),
        ({"kept": 5}, "5 considered are not kept and dropped together"),
    ],
)
def test_what_does_not_add_up(changed: dict[str, int], said: str) -> None:
    """Each way to lose a row is told with its stage."""
    first = FunnelLevel(stage="collect", unit="r", given=5, considered=5, kept=5)
    fields = {"given": 5, "considered": 5, "kept": 4, **changed}
    second = FunnelLevel(stage="tag", unit="r", after=["collect"], dropped={"too_large": 1}, **fields)

    assert [f"tag: {said}"] == [
        fault for fault in funnel_errors([first, second], spreading=()) if said in fault
    ]


def test_a_stage_that_loses_a_record_stops_the_build(tmp_path: Path) -> None:
    """It is a fault of the program, so nothing is published."""
    folder = BuildFolder(tmp_path, {})
    folder.run(_stage("collect", [_repository("a"), _repository("b")]), None, given=_given(2))
    folder.run(_stage("tag", [_repository("a")], after=("collect",)), None, given=_given(2))

    with pytest.raises(RunError, match="1 were lost without a reason"):
        _ = folder.levels


def test_a_stage_that_may_spread(tmp_path: Path) -> None:
    """Only one that says so may make several records of one."""
    for spreads in (True, False):
        folder = BuildFolder(tmp_path / str(spreads), {})
        folder.run(_stage("a", [_repository("a"), _repository("b")], spreads=spreads), None, given=_given(1))
        assert bool(funnel_errors(folder._levels, spreading=["a"] if spreads else [])) is not spreads


def test_reasons_are_in_the_order_of_their_counts() -> None:
    """The largest loss is what a reader looks for."""
    drops = [Drop(unit=str(number), reason=reason) for number, reason in enumerate("abbccc")]

    assert list(funnel_level("x", unit="r", after=[], given=6, kept=0, drops=drops).dropped) == [
        "c",
        "b",
        "a",
    ]
