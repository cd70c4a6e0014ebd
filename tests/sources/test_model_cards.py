"""PyTorch Hub's repository: cards become records, other pages drops, and everything is counted."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from benchwright.contracts import Item
from benchwright.errors import UsageError
from benchwright.records import Drop
from benchwright.sources.model_cards import open_torchhub
from benchwright.sources.model_records import ModelRecord
from kit.made_repositories import repository
from kit.needs import need_that

CARD = """---
layout: hub_detail
title: TinyNet
summary: “Counts sheep”
author: Nobody
tags: [vision, scriptable]
github-link: https://github.com/acme/tiny
accelerator: cuda-optional
---

```python
import torch
torch.hub.load("acme/tiny", "tinynet")
```
"""
FILES = {
    "acme_tiny.md": CARD,
    "acme_odd.md": "---\nlayout: hub_detail\ntitle: x: y\n---\n",
    "README.md": "# Hub\n",
    "docs/template.md": CARD,
}
REAL = "BENCHWRIGHT_TORCH_HUB"


def _items(rest: str) -> list[Item[ModelRecord] | Drop]:
    inventory = open_torchhub(rest, licences=()).collect(Path("unused"), lambda text: None)
    items = list(inventory.items)
    assert len(items) == inventory.total
    return items


def test_cards_and_other_pages(tmp_path: Path) -> None:
    """Files in subfolders are ignored; a card with invalid front matter is still a card."""
    odd, tiny, readme = sorted(
        _items(str(repository(tmp_path, FILES))), key=lambda item: isinstance(item, Drop)
    )

    assert isinstance(readme, Drop)
    assert (readme.unit, readme.reason) == ("README.md", "not_a_card")
    assert isinstance(tiny, Item) and isinstance(odd, Item)
    record = tiny.record
    assert (record.origin, record.id, record.model) == ("torchhub", "acme_tiny", "TinyNet")
    assert (record.url, record.task, record.licence) == ("https://pytorch.org/hub/acme_tiny/", "vision", "")
    assert (len(record.revision), record.revised_at[:4]) == (40, "2023")
    assert [(block.first_line, block.last_line) for block in record.blocks] == [(12, 13)]
    assert [quirk.name for quirk in record.quirks] == ["curly_quotes"]
    assert record.description == "Counts sheep"
    assert [quirk.name for quirk in odd.record.quirks if quirk.name != "field_missing"] == [
        "front_matter_broken",
        "no_code",
    ]


def test_a_folder_without_cards(tmp_path: Path) -> None:
    """A usage error that says where the cards are."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text(CARD)
    with pytest.raises(UsageError, match="no Markdown file at the top"):
        _items(str(tmp_path))


@pytest.mark.integration
def test_the_real_repository() -> None:
    """Every page at its top is a card or a drop, and each card has fields and example code."""
    need_that(REAL in os.environ, f"{REAL} names no clone of https://github.com/pytorch/hub")
    items = _items(os.environ[REAL])

    records = [item.record for item in items if isinstance(item, Item)]
    assert Counter(item.reason for item in items if isinstance(item, Drop)) == {"not_a_card": 3}
    assert len(records) >= 50
    assert all(record.model and record.description and record.blocks for record in records)
