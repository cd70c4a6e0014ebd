"""Sources by name, and several read as one."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.building.engine.recipe import inventory, source_named
from benchwright.contracts import Inventory, Item
from benchwright.records import Drop
from benchwright.sources.repositories import ClonesSource
from kit.made_candidates import candidate


class _Made:
    """Yields so many candidates, of which the last is a drop."""

    def __init__(self, total: int) -> None:
        self.total, self.read = total, 0

    def collect(self, folder: Path, tell: object) -> Inventory[object]:
        return Inventory(self.total, (self._item(number) for number in range(self.total)), [f"{folder}"])

    def _item(self, number: int) -> Item[object] | Drop:
        self.read += 1
        return Drop(unit="x", reason="gone") if number == self.total - 1 else Item("o", candidate(number))


def test_several_sources_are_one_inventory() -> None:
    """In their order; nothing is got before it is read."""
    one, two = _Made(2), _Made(1)
    found = inventory([one, two], Path("here"), print)
    before = one.read + two.read

    assert (found.total, found.notes, before) == (3, ["here", "here"], 0)
    assert [type(each) for each in found.items] == [Item, Drop, Drop]


@pytest.mark.parametrize(
    "text", ["folder", "https://example.org/a", "git@example.org:a/b", "nowhere:rest", "", ":", "clones"]
)
def test_what_is_no_source(text: str) -> None:
    """Paths, addresses and unknown names are left to whoever reads paths."""
    assert source_named(text, licences=()) is None


def test_a_source_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What follows the colon is the source's; a file of the whole name is a path first."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clone").mkdir()

    assert isinstance(source_named("clones:clone", licences=()), ClonesSource)

    (tmp_path / "clones:clone").mkdir()

    assert source_named("clones:clone", licences=()) is None
