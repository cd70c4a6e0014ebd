"""Model cards: fields, example code with its lines, and a named deviation for every irregularity."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.contracts import Item
from benchwright.errors import UsageError
from benchwright.records import Drop
from benchwright.sources.model_cards import (
    MAX_BLOCKS,
    MAX_CARD,
    MAX_PARSED,
    CardsSource,
    open_cards,
    read_card,
)
from benchwright.sources.model_records import ModelRecord
from kit.growth import PER_DOUBLING, growth

CARD = """---
license: apache-2.0
pipeline_tag: text-classification
library_name: transformers
tags: [sentiment, "en"]
model-index:
- name: tiny
  results:
  - dataset: {name: Reviews, type: reviews}
    metrics:
    - {type: accuracy, value: 0.910}
---
# Tiny sentiment

![badge](x.png)

Tells cheerful from
gloomy sentences.

## Use

```python
from transformers import pipeline
print(pipeline("sentiment-analysis")("Fine."))
```

| set | F1 |
|---|---|
| test | 0.9 |
"""


def _names(text: str | bytes) -> list[str]:
    data = text if isinstance(text, bytes) else text.encode()
    return [quirk.name for quirk in read_card(data).quirks]


def test_a_tidy_card() -> None:
    """Its values are unchanged, and there is no deviation."""
    card = read_card(CARD.encode())

    assert (card.title, card.description) == ("Tiny sentiment", "Tells cheerful from gloomy sentences.")
    assert card.performance == {"Reviews: accuracy": "0.910"}
    [block] = card.blocks
    assert (block.language, block.first_line, block.last_line) == ("python", 23, 24)
    assert CARD.split("\n")[block.first_line - 1 : block.last_line] == block.code.split("\n")
    assert card.quirks == []


def test_title_and_summary_may_be_fields() -> None:
    """They take precedence over the body; tables are read if there is no `model-index`."""
    card = read_card(b"---\ntitle: T\nsummary: S  s\n---\n# Other\n\nText.\n\n|a|b|\n|-|-|\n|r|1.5 %|\n")

    assert (card.title, card.description, card.performance) == ("T", "S s", {"r: b": "1.5 %"})


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("# T\n", ["front_matter_missing", "no_code"]),
        ("---\na: b\n", ["front_matter_unclosed", "no_code"]),
        ("---\na: b: c\n---\n", ["front_matter_broken", "no_code"]),
        ("---\na: “b”\n---\n", ["curly_quotes", "no_code"]),
        ("---\na: b\r\n---\r\n", ["crlf", "no_code"]),
        (b"\xef\xbb\xbf---\na: b\n---\n", ["byte_order_mark", "no_code"]),
        (b"---\na: b\n---\n\xff\xfe", ["not_utf8", "no_code"]),
        ("---\na: b\n---\n\0", ["nul_bytes", "no_code"]),
        ("---\na: b\n---\n```\nx\n```\n", ["block_untagged"]),
        ("---\na: b\n---\n```bash\npip install x\n", ["fence_unclosed"]),
        ("---\na: b\n---\n```sh\ncurl https://x.example\n```\n", ["block_has_url"]),
        ("---\na: b\n---\n```python\n!pip install x\nx = 1\n```\n", ["shell_in_python"]),
        ("---\na: b\n---\n```py\nif x:\n    %matplotlib inline\n```\n", ["shell_in_python"]),
        ("---\na: b\n---\n```python\nx = = 1\n```\n", ["python_does_not_parse"]),
        ("---\na: b\n---\n```python\n>>> x\n1\n```\n", ["prompts_in_python"]),
        (f"---\na: b\n---\n```python\n{'x' * (MAX_PARSED + 1)}\n```\n", ["block_too_long"]),
        ("---\nmodel-index: [a]\n---\n", ["no_code", "model_index_broken"]),
    ],
)
def test_each_oddity_has_a_name(text: str | bytes, names: list[str]) -> None:
    """The card is still read."""
    assert _names(text) == names


def test_quirks_name_the_line_of_the_whole_text() -> None:
    """Lines count from the start of the file, front matter included."""
    card = read_card(b"---\na: b\n---\n\n```\nx\n```\n\n```python\nx = = 1\n```\n")

    assert [(quirk.name, quirk.where) for quirk in card.quirks] == [
        ("block_untagged", "line 6"),
        ("python_does_not_parse", "line 10"),
    ]


def test_blocks_are_limited() -> None:
    """A card with too many fences keeps the first ones, and records the number."""
    card = read_card(b"---\na: b\n---\n" + b"```text\nx\n```\n" * (MAX_BLOCKS + 5))

    assert len(card.blocks) == MAX_BLOCKS
    assert [quirk.name for quirk in card.quirks] == ["too_many_blocks"]


@settings(deadline=None, max_examples=200)
@given(st.binary(max_size=200) | st.text(alphabet="-\n`~py: |a\r\0[#", max_size=200).map(str.encode))
def test_any_bytes_are_read(data: bytes) -> None:
    """For any content, a block's lines are inside the text."""
    card = read_card(data)

    lines = data.count(b"\n") + 1
    assert all(1 <= block.first_line <= block.last_line + 1 <= lines + 1 for block in card.blocks)


@pytest.mark.parametrize("piece", ["```\n", "|\n", "| - ", "# \n", " ", "\n", "![", "<", "---\n", "- a\n"])
def test_reading_takes_time_in_proportion(piece: str) -> None:
    """A repeated piece of text does not make a card slow."""
    ratio = growth(lambda text: read_card(text.encode()), lambda size: piece * (size // len(piece)), 4000)

    assert ratio <= PER_DOUBLING


def _collected(rest: str) -> list[Item[ModelRecord] | Drop]:
    source = open_cards(rest, licences=())
    inventory = source.collect(Path("unused"), lambda text: None)
    items = list(inventory.items)
    assert len(items) == inventory.total
    return items


def test_a_folder_of_cards(tmp_path: Path) -> None:
    """Every Markdown file is a record under its path; an unreadable one is a drop, and the rest is read."""
    (tmp_path / "acme/tiny").mkdir(parents=True)
    (tmp_path / "acme/tiny/README.md").write_text(CARD)
    (tmp_path / "acme/bare.md").write_text("# Bare\n")
    (tmp_path / "acme/big.md").write_bytes(b"x" * (MAX_CARD + 1))
    (tmp_path / "acme/other.txt").write_text("no card")
    (tmp_path / "link.md").symlink_to("/etc/hostname")
    items = _collected(f"{tmp_path},licence=MIT")

    drops = {item.unit: item.reason for item in items if isinstance(item, Drop)}
    assert drops == {"acme/big.md": "card_too_large", "link.md": "unreadable"}
    bare, tiny = (item.record for item in items if isinstance(item, Item))
    assert (bare.id, bare.licence) == ("acme/bare", "MIT")
    assert (tiny.id, tiny.licence, tiny.task) == ("acme/tiny", "Apache-2.0", "text-classification")
    assert (tiny.tags, tiny.libraries) == (["sentiment", "en"], ["transformers"])
    assert tiny.sha256 == sha256(CARD.encode()).hexdigest()
    assert tiny.revision and tiny.revision == _collected(str(tmp_path))[-2].record.revision  # type: ignore[union-attr]


def test_no_cards_there(tmp_path: Path) -> None:
    """A missing place, and one without cards, are usage errors."""
    for rest in ("", str(tmp_path / "none"), f"{tmp_path},licence=Mine"):
        with pytest.raises(UsageError):
            open_cards(rest, licences=())
    with pytest.raises(UsageError, match="no Markdown"):
        source = open_cards(str(tmp_path), licences=())
        assert isinstance(source, CardsSource)
        source.collect(tmp_path, print)


@pytest.mark.parametrize("value", ["{text: x}", "[a, b]", "[]", "{}", "[{a: b}]"])
def test_a_task_that_is_no_text_leaves_a_quirk(tmp_path: Path, value: str) -> None:
    """It is not used, and the record has a note."""
    (tmp_path / "card.md").write_text(f"---\nlicense: mit\npipeline_tag: {value}\n---\n# Card\n\nText.\n")
    found = next(iter(open_cards(str(tmp_path), licences=()).collect(tmp_path, lambda text: None).items))

    assert not isinstance(found, Drop)
    assert found.record.task == ""
    assert ("field_not_text", "pipeline_tag") in [(each.name, each.where) for each in found.record.quirks]
