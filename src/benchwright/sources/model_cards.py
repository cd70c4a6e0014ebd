"""Sources of model cards: Markdown with front matter and example code, and the cards of PyTorch Hub."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.contracts import Inventory, Item
from benchwright.display.escape import escaped_name
from benchwright.errors import UsageError
from benchwright.records import Drop
from benchwright.sources.licences import spdx_of_name
from benchwright.sources.markdown_files import CardFile, files_of, split_front_matter
from benchwright.sources.model_records import (
    CodeBlock,
    FormatDeviation,
    ModelRecord,
    StatedPlace,
    of_model_index,
    of_tables,
    stated_place,
)
from benchwright.store.keys import content_key
from benchwright.store.yaml_documents import load_yaml
from benchwright.text.fences import LocatedBlock, locate_blocks
from benchwright.text.syntax import ParseFault, parse

MAX_CARD = 1 << 20  # bytes; evaluation results of one model fill 300 KB
MAX_BLOCKS = 200
MAX_DESCRIPTION = 2000
MAX_PARSED = 100_000  # maximum length of a block to parse as Python
_PYTHON = ("python", "py", "python3")
_SHELL_LINE = re.compile(r"^([ \t]*)[!%]\s?[A-Za-z].*$", re.MULTILINE)
_PROMPT = re.compile(r"^[ \t]*>>> ", re.MULTILINE)
_URL = re.compile(r"https?://")
_NO_PROSE = re.compile(r"[ \t]*([#<!|>\[*+-]|\d+\.|```|~~~|$)")


class Card(NamedTuple):
    """The content of a card."""

    fields: dict[str, Any]  # the front matter's
    title: str
    description: str
    blocks: list[CodeBlock]
    performance: dict[str, str]
    quirks: list[FormatDeviation]


def read_card(data: bytes) -> Card:
    """Read a card of at most MAX_CARD bytes."""
    text, quirks = _decoded(data)
    front = split_front_matter(text)
    quirks += front.quirks
    before = front.body_line - 1
    located = locate_blocks(front.body)
    if len(located) > MAX_BLOCKS:
        detail = f"{len(located):,} blocks of code, of which {MAX_BLOCKS} are read"
        quirks.append(
            FormatDeviation(
                name="too_many_blocks", where=f"line {before + located[MAX_BLOCKS].first_line}", detail=detail
            )
        )
    blocks = [_block(each, before) for each in located[:MAX_BLOCKS]]
    for each, block in zip(located, blocks, strict=False):
        quirks += _oddities(block, closed=each.block.closed)
    if not blocks:
        quirks.append(FormatDeviation(name="no_code"))
    published, odd = of_model_index(front.fields.get("model-index"))
    prose = _without_code(front.body, located)
    performance = published or of_tables(prose)
    title = as_text(front.fields.get("title")) or _heading(prose)
    description = as_text(front.fields.get("summary")) or _paragraph(prose)
    return Card(front.fields, title, description, blocks, performance, quirks + odd)


def as_text(value: Any) -> str:
    """A field that should be one text; empty if it is not."""
    return " ".join(value.split())[:MAX_DESCRIPTION] if isinstance(value, str) else ""


def _odd_fields(fields: Mapping[str, Any]) -> Iterator[FormatDeviation]:
    """Deviations of fields: a task that is not one text is not used."""
    value = fields.get("pipeline_tag")
    if value is not None and not isinstance(value, str):
        yield FormatDeviation(name="field_not_text", where="pipeline_tag", detail=type(value).__name__)


def as_list(value: Any) -> list[str]:
    """A field that should be a list of texts, or one text with commas."""
    parts = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
    return [part.strip() for part in parts if isinstance(part, str) and part.strip()]


class CardsSource:
    """A folder, a clone or an archive of cards. Raises BenchwrightError for anything else."""

    def __init__(self, given: StatedPlace) -> None:
        load_yaml()
        self._place = given
        self._files = files_of(Path(given.rest))

    def collect(self, folder: Path, tell: Callable[[str], None]) -> Inventory[ModelRecord]:
        """Every Markdown file, ordered by path."""
        found = self._files.files(tell)
        return Inventory(len(found), (self._item(each) for each in found))

    def _item(self, file: CardFile) -> Item[ModelRecord] | Drop:
        data = file.read(MAX_CARD)
        if isinstance(data, Drop):
            return data
        card, digest = read_card(data), sha256(data).hexdigest()
        fields = card.fields
        name = as_text(fields.get("model_id")) or _id(file.path)
        record = ModelRecord(
            origin="cards",
            id=name,
            revision=file.commit or content_key(digest),
            revised_at=file.committed_at,
            licence=spdx_of_name(as_text(fields.get("license"))) or self._place.licence,
            sha256=digest,
            model=name,
            description=card.description,
            task=as_text(fields.get("pipeline_tag")),
            tags=as_list(fields.get("tags")),
            libraries=as_list(fields.get("library_name")),
            performance=card.performance,
            blocks=card.blocks,
            quirks=[*card.quirks, *_odd_fields(fields)],
            metadata=fields,
        )
        return Item(file.path, record)


def open_cards(rest: str, *, licences: Collection[str]) -> CardsSource:
    """`cards:FOLDER`, optionally with `,licence=SPDX` for cards that state no licence."""
    return CardsSource(stated_place(rest))


def _decoded(data: bytes) -> tuple[str, list[FormatDeviation]]:
    quirks = []
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
        quirks.append(FormatDeviation(name="byte_order_mark"))
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        text = data.decode("utf-8", "replace")
        quirks.append(FormatDeviation(name="not_utf8", where=f"line {line}", detail=error.reason))
    if "\r\n" in text:
        quirks.append(FormatDeviation(name="crlf"))
        text = text.replace("\r\n", "\n")
    if "\0" in text:
        quirks.append(
            FormatDeviation(name="nul_bytes", where=f"line {text.count(chr(10), 0, text.index(chr(0))) + 1}")
        )
    return text, quirks


def _block(located: LocatedBlock, before: int) -> CodeBlock:
    first, last = before + located.first_line, before + located.last_line
    return CodeBlock(language=located.block.tag, code=located.block.content, first_line=first, last_line=last)


def _oddities(block: CodeBlock, *, closed: bool) -> Iterator[FormatDeviation]:
    """The deviations of one code block, each kind once."""
    where = f"line {block.first_line}"
    if not closed:
        yield FormatDeviation(name="fence_unclosed", where=where)
    if not block.language:
        yield FormatDeviation(name="block_untagged", where=where)
    if _URL.search(block.code):
        yield FormatDeviation(name="block_has_url", where=where)
    if block.language in _PYTHON:
        yield from oddities_of_python(block.code, where)


def oddities_of_python(code: str, where: str) -> Iterator[FormatDeviation]:
    """Why example code is not a valid Python module."""
    if len(code) > MAX_PARSED:
        yield FormatDeviation(name="block_too_long", where=where, detail=f"{len(code):,} characters")
        return
    plain, shell = _SHELL_LINE.subn(r"\1pass", code)
    if shell:
        yield FormatDeviation(name="shell_in_python", where=where, detail=f"lines with ! or %: {shell}")
    if _PROMPT.search(code):
        yield FormatDeviation(name="prompts_in_python", where=where)
        return
    fault = parse(plain)
    if isinstance(fault, ParseFault):
        yield FormatDeviation(name="python_does_not_parse", where=where, detail=str(fault)[:200])


def _without_code(body: str, located: list[LocatedBlock]) -> list[str]:
    lines = body.split("\n")
    for each in located:
        for at in range(each.first_line - 1, min(each.last_line, len(lines))):
            lines[at] = ""
    return lines


def _heading(lines: list[str]) -> str:
    found = next((line for line in lines if re.match(r"#{1,6} ", line)), "")
    return as_text(found.lstrip("#"))


def _paragraph(lines: list[str]) -> str:
    """The first paragraph of prose, without headings, lists, pictures, tables and HTML."""
    prose: list[str] = []
    for line in lines:
        if not _NO_PROSE.match(line) or (prose and line.strip()):
            prose.append(line)
        elif prose:
            break
    return as_text(" ".join(prose))


def _id(path: str) -> str:
    """The id of a card's model: both `OWNER/NAME/README.md` and `OWNER/NAME.md` are OWNER/NAME."""
    parts = path.removesuffix(".md").removesuffix(".MD").split("/")
    return "/".join(parts[:-1] if parts[-1].lower() == "readme" and len(parts) > 1 else parts)


LAYOUT = "hub_detail"
PAGES = "https://pytorch.org/hub/"
_EXPECTED_FIELDS = ("title", "summary", "author", "tags", "github-link")


class TorchHubSource:
    """The cards of PyTorch Hub's repository. Raises BenchwrightError without any."""

    def __init__(self, given: StatedPlace) -> None:
        load_yaml()
        self._place = given
        self._files = files_of(Path(given.rest))

    def collect(self, folder: Path, tell: Callable[[str], None]) -> Inventory[ModelRecord]:
        """Every Markdown file at the top, as a card or as a drop with a reason."""
        found = [each for each in self._files.files(tell) if "/" not in each.path]
        if not found:
            hint = "give a clone of https://github.com/pytorch/hub"
            raise UsageError(
                f"torchhub:{escaped_name(self._place.rest)}: no Markdown file at the top", hint=hint
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
        missing = [
            FormatDeviation(name="field_missing", where=name)
            for name in _EXPECTED_FIELDS
            if not fields.get(name)
        ]
        name = file.path.rpartition(".")[0]
        tags = as_list(fields.get("tags"))
        record = ModelRecord(
            origin="torchhub",
            id=name,
            revision=file.commit or content_key(digest),
            revised_at=file.committed_at,
            url=f"{PAGES}{name}/",
            licence=self._place.licence,
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
    return TorchHubSource(stated_place(rest))


def _is_broken(quirk: FormatDeviation) -> bool:
    """Whether there is front matter that could not be read, so that its layout is unknown."""
    return quirk.name.startswith("front_matter_") and quirk.name != "front_matter_missing"
