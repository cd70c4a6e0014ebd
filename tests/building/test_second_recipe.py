"""Another recipe on the same engine: model cards become drafts, gates admit them, and nothing is lost."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchwright.building.engine.gates import admit, gate, open_gates
from benchwright.building.engine.recipe import inventory
from benchwright.building.engine.stages import BuildFolder, Stage
from benchwright.contracts import KEEP, Admission, Decision, Gate, Inventory, Item
from benchwright.records import Drop, Record


class ModelCard(Record, frozen=True, kw_only=True):
    """What a source of cards yields."""

    name: str
    licence: str
    text: str


class Draft(Record, frozen=True, kw_only=True):
    """What such a recipe makes of a card."""

    revision: str
    licence: str
    program: str

    @property
    def unit(self) -> str:
        """How drops name it."""
        return self.revision


class Cards:
    """Cards of a hub, one of which is gone."""

    def collect(self, folder: Path, tell: Callable[[str], None]) -> Inventory[ModelCard]:
        """Nothing is stored: they are here."""
        cards = [
            ModelCard(name=name, licence=licence, text=text)
            for name, licence, text in (("a", "MIT", "x = 1"), ("b", "", "y = 2"), ("c", "MIT", "def ("))
        ]
        return Inventory(4, iter([*(Item(f"hub/{card.name}", card) for card in cards), _GONE]))


_GONE = Drop(unit="hub/d", reason="card_gone")


@gate("licensed")
def licensed(draft: Draft, _bounds: Any) -> Decision:
    """Only what may be published."""
    return KEEP if draft.licence else Decision(reason="licence_unknown")


@gate("compiles")
def compiles(draft: Draft, _bounds: Any) -> Decision:
    """What Python takes; how many statements are the evidence."""
    try:
        tree = ast.parse(draft.program)
    except SyntaxError as error:
        return Decision(reason="draft_syntax", detail=str(error.msg), cpu_s=0.5)
    return Decision(evidence={"statements": len(tree.body)}, cpu_s=0.5)


class Context(msgspec.Struct):
    """What these stages work with."""

    gates: list[Gate[Draft]]


def _collect(items: Iterator[Item[ModelCard] | Drop], _: Context) -> Iterator[ModelCard | Drop]:
    return (item if isinstance(item, Drop) else item.record for item in items)


def _draft(cards: Iterator[ModelCard], _: Context) -> Iterator[Draft | Drop]:
    for card in cards:
        for number in range(2):
            yield Draft(revision=f"{card.name}{number}", licence=card.licence, program=card.text)


def _admit(drafts: Iterator[Draft], context: Context) -> Iterator[Draft | Drop | Admission]:
    return admit(drafts, context.gates)


STAGES: tuple[Stage[Context, Any], ...] = (
    Stage("collect", ModelCard, _collect, "cards", bar=True),
    Stage("draft", Draft, _draft, "drafts", ("collect",), spreads=True),
    Stage("admit", Draft, _admit, "drafts", ("draft",)),
)


@pytest.fixture
def folder(tmp_path: Path) -> BuildFolder:
    """The recipe, done."""
    folder = BuildFolder(tmp_path / "out", {"recipe": "cards"})
    given = inventory([Cards()], folder.path, print)
    context = Context(open_gates([licensed, compiles], (), None))
    for stage in STAGES:
        folder.run(stage, context, given=given)
    return folder


def test_its_funnel_adds_up(folder: BuildFolder) -> None:
    """Each card and each draft is kept or dropped by a reason of this recipe's."""
    assert [(each.stage, each.unit, each.kept, each.dropped) for each in folder.levels] == [
        ("collect", "cards", 3, {"card_gone": 1}),
        ("draft", "drafts", 6, {}),
        ("admit", "drafts", 2, {"draft_syntax": 2, "licence_unknown": 2}),
    ]
    assert [draft.unit for draft in folder.kept("admit", Draft)] == ["a0", "a1"]


def test_what_its_gates_found_out_is_kept(folder: BuildFolder) -> None:
    """The evidence of kept drafts, and the cost of dropped ones."""
    lines = (folder.stages / "3-admit.admissions.jsonl").read_bytes().splitlines()
    admissions = [msgspec.json.decode(line, type=Admission) for line in lines]

    assert [each.decisions["compiles"].evidence for each in admissions] == [{"statements": 1}] * 2
    assert [drop.cpu_s for drop in folder.dropped("admit")] == [0.0, 0.0, 0.5, 0.5]
