"""The funnel adds up, whatever the stages do; and says so where it does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.building.codecorrectness.nouns import Drop, Repository
from benchwright.building.folder import BuildFolder
from benchwright.building.funnel import Level, faults, level
from benchwright.errors import RunError

_REASONS = st.sampled_from(["too_large", "no_tests", "flaky"])
# What a stage makes of each record: kept (None) or dropped for a reason; a spreading stage, several of them.
_ONE = st.one_of(st.none(), _REASONS)
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


@given(st.lists(_ONE, max_size=6), st.data())
def test_stages_in_a_row_add_up(
    tmp_path_factory: pytest.TempPathFactory, first: list[str | None], data: st.DataObject
) -> None:
    """Each stage is given what those before kept, and every record is kept or dropped for one reason."""
    folder = BuildFolder(tmp_path_factory.mktemp("build"), {})
    names = [str(number) for number in range(len(first))]
    read = folder.stage(
        "collect", Repository, lambda: _made(names, [[fate] for fate in first]), unit="r", given=len(first)
    )
    for stage, fate in (
        ("pair", _MANY),
        ("tag", _ONE.map(lambda one: [one])),
        ("filter", _ONE.map(lambda one: [one])),
    ):
        names = [each.name for each in read()]
        fates = [data.draw(fate) for _ in names]
        before = folder.levels[-1].stage
        read = folder.stage(stage, Repository, lambda n=names, f=fates: _made(n, f), unit="r", after=[before])
    levels = folder.levels
    lost = sum(sum(each.dropped.values()) for each in levels)
    spread = sum(each.considered - each.given for each in levels)

    assert (faults(levels), levels[-1].kept + lost) == ([], levels[0].given + spread)
    assert len(list(read())) == levels[-1].kept


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
    first = Level(stage="collect", unit="r", given=5, considered=5, kept=5)
    fields = {"given": 5, "considered": 5, "kept": 4, **changed}
    second = Level(stage="tag", unit="r", after=["collect"], dropped={"too_large": 1}, **fields)

    assert [f"tag: {said}"] == [fault for fault in faults([first, second]) if said in fault]


def test_a_stage_that_loses_a_record_stops_the_build(tmp_path: Path) -> None:
    """It is a fault of the program, so nothing is published."""
    folder = BuildFolder(tmp_path, {})
    folder.stage("collect", Repository, lambda: [_repository("a"), _repository("b")], unit="r", given=2)
    folder.stage("tag", Repository, lambda: [_repository("a")], unit="r", after=["collect"])

    with pytest.raises(RunError, match="1 were lost without a reason"):
        _ = folder.levels


def test_reasons_are_in_the_order_of_their_counts() -> None:
    """The largest loss is what a reader looks for."""
    drops = [Drop(unit=str(number), reason=reason) for number, reason in enumerate("abbccc")]

    assert list(level("x", unit="r", after=[], given=6, kept=0, drops=drops).dropped) == ["c", "b", "a"]


def test_a_finished_stage_is_not_done_again(tmp_path: Path) -> None:
    """Only its files are read."""
    done = []

    def make() -> list[Repository | Drop]:
        done.append(1)
        return [_repository("a"), Drop(unit="b", reason="absent")]

    for again in ((), (), ("flaky",), ("absent",)):
        BuildFolder(tmp_path, {}).stage("collect", Repository, make, unit="r", given=2, again=again)

    assert len(done) == 2


def test_a_killed_stage_is_done_again(tmp_path: Path) -> None:
    """A stage that ended in the middle has left nothing that looks finished."""

    def broken() -> list[Repository | Drop]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        BuildFolder(tmp_path, {}).stage("collect", Repository, broken, unit="r", given=1)
    folder = BuildFolder(tmp_path, {})
    folder.stage("collect", Repository, lambda: [_repository("a")], unit="r", given=1)

    assert folder.levels[0].kept == 1


def test_another_build_is_refused(tmp_path: Path) -> None:
    """Rows of two builds are never mixed in one folder; the error says what differs."""
    BuildFolder(tmp_path, {"repeat": 5, "sources": ["a"]})

    with pytest.raises(RunError, match="holds another build: repeat differ"):
        BuildFolder(tmp_path, {"repeat": 6, "sources": ["a"]})


@pytest.mark.parametrize("content", ["{", "[]", '{"identity": 3}'])
def test_a_spoiled_folder(tmp_path: Path, content: str) -> None:
    """Whatever stands in build.json, it is an error with something to do."""
    (tmp_path / "build.json").write_text(content)

    with pytest.raises(RunError) as caught:
        BuildFolder(tmp_path, {"repeat": 5})

    assert "rm -r" in (caught.value.hint or "")
