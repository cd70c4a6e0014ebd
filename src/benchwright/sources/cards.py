"""Model cards: Markdown with YAML front matter and example code.

A deviation from the format is recorded with its line, and the card is read anyway: real cards are untidy, and
the author of a task should know how. Only a file that is not a card, or is too large, is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.contracts import Inventory, Item
from benchwright.records import Drop
from benchwright.sources.card_files import CardFile, files_of
from benchwright.sources.front_matter import split_front_matter
from benchwright.sources.licences import spdx_of_name
from benchwright.sources.model_records import CodeBlock, ModelRecord, Quirk, Stated, stated
from benchwright.sources.published import of_model_index, of_tables
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
    quirks: list[Quirk]


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
            Quirk(
                name="too_many_blocks", where=f"line {before + located[MAX_BLOCKS].first_line}", detail=detail
            )
        )
    blocks = [_block(each, before) for each in located[:MAX_BLOCKS]]
    for each, block in zip(located, blocks, strict=False):
        quirks += _oddities(block, closed=each.block.closed)
    if not blocks:
        quirks.append(Quirk(name="no_code"))
    published, odd = of_model_index(front.fields.get("model-index"))
    prose = _without_code(front.body, located)
    performance = published or of_tables(prose)
    title = as_text(front.fields.get("title")) or _heading(prose)
    description = as_text(front.fields.get("summary")) or _paragraph(prose)
    return Card(front.fields, title, description, blocks, performance, quirks + odd)


def as_text(value: Any) -> str:
    """A field that should be one text; empty if it is not."""
    return " ".join(value.split())[:MAX_DESCRIPTION] if isinstance(value, str) else ""


def _odd_fields(fields: Mapping[str, Any]) -> Iterator[Quirk]:
    """Deviations of fields: a task that is not one text is not used."""
    value = fields.get("pipeline_tag")
    if value is not None and not isinstance(value, str):
        yield Quirk(name="field_not_text", where="pipeline_tag", detail=type(value).__name__)


def as_list(value: Any) -> list[str]:
    """A field that should be a list of texts, or one text with commas."""
    parts = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
    return [part.strip() for part in parts if isinstance(part, str) and part.strip()]


class CardsSource:
    """A folder, a clone or an archive of cards. Raises BenchwrightError for anything else."""

    def __init__(self, given: Stated) -> None:
        load_yaml()
        self._given = given
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
            licence=spdx_of_name(as_text(fields.get("license"))) or self._given.licence,
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
    return CardsSource(stated(rest))


def _decoded(data: bytes) -> tuple[str, list[Quirk]]:
    quirks = []
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
        quirks.append(Quirk(name="byte_order_mark"))
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        text = data.decode("utf-8", "replace")
        quirks.append(Quirk(name="not_utf8", where=f"line {line}", detail=error.reason))
    if "\r\n" in text:
        quirks.append(Quirk(name="crlf"))
        text = text.replace("\r\n", "\n")
    if "\0" in text:
        quirks.append(Quirk(name="nul_bytes", where=f"line {text.count(chr(10), 0, text.index(chr(0))) + 1}"))
    return text, quirks


def _block(located: LocatedBlock, before: int) -> CodeBlock:
    first, last = before + located.first_line, before + located.last_line
    return CodeBlock(language=located.block.tag, code=located.block.content, first_line=first, last_line=last)


def _oddities(block: CodeBlock, *, closed: bool) -> Iterator[Quirk]:
    """The deviations of one code block, each kind once."""
    where = f"line {block.first_line}"
    if not closed:
        yield Quirk(name="fence_unclosed", where=where)
    if not block.language:
        yield Quirk(name="block_untagged", where=where)
    if _URL.search(block.code):
        yield Quirk(name="block_has_url", where=where)
    if block.language in _PYTHON:
        yield from oddities_of_python(block.code, where)


def oddities_of_python(code: str, where: str) -> Iterator[Quirk]:
    """Why example code is not a valid Python module."""
    if len(code) > MAX_PARSED:
        yield Quirk(name="block_too_long", where=where, detail=f"{len(code):,} characters")
        return
    plain, shell = _SHELL_LINE.subn(r"\1pass", code)
    if shell:
        yield Quirk(name="shell_in_python", where=where, detail=f"lines with ! or %: {shell}")
    if _PROMPT.search(code):
        yield Quirk(name="prompts_in_python", where=where)
        return
    fault = parse(plain)
    if isinstance(fault, ParseFault):
        yield Quirk(name="python_does_not_parse", where=where, detail=str(fault)[:200])


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
    said: list[str] = []
    for line in lines:
        if not _NO_PROSE.match(line) or (said and line.strip()):
            said.append(line)
        elif said:
            break
    return as_text(" ".join(said))


def _id(path: str) -> str:
    """The id of a card's model: both `OWNER/NAME/README.md` and `OWNER/NAME.md` are OWNER/NAME."""
    parts = path.removesuffix(".md").removesuffix(".MD").split("/")
    return "/".join(parts[:-1] if parts[-1].lower() == "readme" and len(parts) > 1 else parts)
