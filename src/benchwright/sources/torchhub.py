"""PyTorch Hub: the cards of its repository, from a clone, a folder or an archive.

A card is a Markdown file at the top with front matter of the layout `hub_detail`. No file of the repository
states its licence, so it is empty unless the user states one: `torchhub:FOLDER,licence=SPDX`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from hashlib import sha256
from pathlib import Path

from benchwright.contracts import Inventory, Item
from benchwright.display.escape import escaped_name
from benchwright.errors import UsageError
from benchwright.records import Drop
from benchwright.sources.card_files import CardFile, files_of
from benchwright.sources.cards import MAX_CARD, as_list, read_card
from benchwright.sources.model_records import ModelRecord, Quirk, Stated, stated
from benchwright.store.keys import content_key
from benchwright.store.yaml_documents import load_yaml

LAYOUT = "hub_detail"
PAGES = "https://pytorch.org/hub/"
_WANTED = ("title", "summary", "author", "tags", "github-link")


class TorchHubSource:
    """The cards of PyTorch Hub's repository. Raises BenchwrightError without any."""

    def __init__(self, given: Stated) -> None:
        load_yaml()
        self._given = given
        self._files = files_of(Path(given.rest))

    def collect(self, folder: Path, tell: Callable[[str], None]) -> Inventory[ModelRecord]:
        """Every Markdown file at the top, as a card or as a drop with a reason."""
        found = [each for each in self._files.files(tell) if "/" not in each.path]
        if not found:
            hint = "give a clone of https://github.com/pytorch/hub"
            raise UsageError(
                f"torchhub:{escaped_name(self._given.rest)}: no Markdown file at the top", hint=hint
            )
        return Inventory(len(found), (self._item(each) for each in found))

    def _item(self, file: CardFile) -> Item[ModelRecord] | Drop:
        data = file.read(MAX_CARD)
        if isinstance(data, Drop):
            return data
        card, digest = read_card(data), sha256(data).hexdigest()
        fields, quirks = card.fields, card.quirks
        if fields.get("layout") != LAYOUT and not any(_is_broken(quirk) for quirk in quirks):
            detail = f"its front matter has no layout: {LAYOUT}"
            return Drop(unit=escaped_name(file.path, 200), reason="not_a_card", detail=detail)
        missing = [Quirk(name="field_missing", where=name) for name in _WANTED if not fields.get(name)]
        name = file.path.rpartition(".")[0]
        tags = as_list(fields.get("tags"))
        record = ModelRecord(
            origin="torchhub",
            id=name,
            revision=file.commit or content_key(digest),
            revised_at=file.committed_at,
            url=f"{PAGES}{name}/",
            licence=self._given.licence,
            sha256=digest,
            model=card.title or name,
            description=card.description,
            task=next(iter(tags), ""),
            tags=tags,
            libraries=["torch"],
            performance=card.performance,
            blocks=card.blocks,
            quirks=[*quirks, *missing],
            metadata=fields,
        )
        return Item(file.path, record)


def open_torchhub(rest: str, *, licences: Collection[str]) -> TorchHubSource:
    """`torchhub:FOLDER`: a clone of github.com/pytorch/hub, a folder with its files, or an archive."""
    return TorchHubSource(stated(rest))


def _is_broken(quirk: Quirk) -> bool:
    """Whether there is front matter that could not be read, so that its layout is unknown."""
    return quirk.name.startswith("front_matter_") and quirk.name != "front_matter_missing"
