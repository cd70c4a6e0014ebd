"""Recipes: their declaration to the registry, the sources of a build, and its publication.

Sources are opened by name and read as one list, each record once. A finished build has a card, a manifest and
the SHA-256 of each data file.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from benchwright.building.engine.stages import FunnelLevel, Stage, drop_summary
from benchwright.contracts import Inventory, Item, LicensedRecord, Source
from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import DataError, UsageError
from benchwright.records import Drop, Record
from benchwright.registry import find, names
from benchwright.store.writing import replacing, write_json
from benchwright.version import VERSION

if TYPE_CHECKING:
    import click


CARD, MANIFEST = "README.md", "manifest.json"
MADE_BY = f"benchwright {VERSION}"


class BuildResult(Record, frozen=True, kw_only=True):
    """A finished build: its folder, its manifest and its funnel."""

    folder: str
    manifest: dict[str, Any]
    levels: list[FunnelLevel]


class DeclaredRecipe(NamedTuple):
    """A recipe for the registry; `contracts.BuildRecipe` describes the fields."""

    name: str
    command: click.Command
    stages: Sequence[Stage[Any, Any]]
    build: Callable[..., BuildResult]


def nothing_left(what: str, folder: Path, levels: Sequence[FunnelLevel], *, hint: str = "") -> DataError:
    """The error of a build without a single row: all reasons of drops, and where each drop is listed."""
    dropped = drop_summary(levels)
    if not dropped:
        return DataError(
            f"no {what} to publish: the sources are empty", hint=hint or "check the files of the sources"
        )
    listed = f"for each drop: cat {quoted(folder / 'stages')}/*.dropped.jsonl"
    message = f"no {what} left to publish; dropped: {dropped}"
    return DataError(message, hint=f"{hint}; {listed}" if hint else listed)


def tally(values: Iterable[str]) -> dict[str, int]:
    """How often each value occurs, by value."""
    return dict(sorted(Counter(values).items()))


def digests(files: Mapping[str, bytes | Path]) -> dict[str, str]:
    """The SHA-256 of each file, given as its content or its path, in the order of `files`."""
    contents = (each.read_bytes() if isinstance(each, Path) else each for each in files.values())
    return {name: hashlib.sha256(content).hexdigest() for name, content in zip(files, contents, strict=True)}


def write_card_and_manifest(folder: Path, card: str, manifest: Mapping[str, Any]) -> None:
    """Write README.md and manifest.json, each in one step. Equal manifests give equal bytes."""
    write_json(folder / MANIFEST, manifest)
    with replacing(folder / CARD) as file:
        file.write(card.encode())


L = TypeVar("L", bound=LicensedRecord)
T = TypeVar("T")
_SOURCE_BY_NAME = re.compile(r"([A-Za-z][A-Za-z0-9_.-]*):(?!//)(.*)", re.DOTALL)


def source_named(text: str, *, licences: Collection[str]) -> Source[Any] | None:
    """The source that `name:rest` names; None for a path, an address or an unknown name."""
    match = _SOURCE_BY_NAME.fullmatch(text)
    if match is None or os.path.lexists(text) or match[1] not in names("source"):
        return None
    source: Source[Any] = find("source", match[1])(match[2], licences=licences)
    return source


def open_sources(
    texts: Iterable[str],
    *,
    licences: Collection[str],
    unnamed: Callable[[list[str]], Sequence[Source[Any]]],
) -> list[Source[Any]]:
    """Open the sources of `--from`: those that `unnamed` makes of paths and addresses, then those by name."""
    opened = [(text, source_named(text, licences=licences)) for text in texts]
    others = [text for text, source in opened if source is None]
    return [*unnamed(others), *(source for _, source in opened if source is not None)]


def inventory(sources: Iterable[Source[L]], folder: Path, tell: Callable[[str], None]) -> Inventory[L]:
    """The records of all sources, in the order of the sources."""
    found = [source.collect(folder, tell) for source in sources]
    return Inventory(
        total=sum(each.total for each in found),
        items=chain.from_iterable(each.items for each in found),
        notes=[note for each in found for note in each.notes],
    )


class RecordKind(NamedTuple):
    """The records that a recipe reads from its sources, with the words of its error message."""

    record: type[Any]
    plural: str  # "repositories"
    product: str  # product of the recipe: "rows"
    hint: str = ""  # by default the names of all sources

    def checked(self, item: Item[Any]) -> Any:
        """The record of an item. Raises UsageError if its source yields another type."""
        if not isinstance(item.record, self.record):
            given = type(item.record).__name__
            where = escaped_path(item.origin)
            message = f"{where}: the source yields {given} records; {self.product} are made of {self.plural}"
            known = f"one of: {', '.join(names('source'))}, if it has {self.plural}"
            raise UsageError(message, hint=self.hint or known)
        return item.record


def each_once(
    items: Iterable[Item[Any] | Drop],
    kind: RecordKind,
    *,
    key: Callable[[Any], object],
    duplicate: str,
    name: Callable[[Item[Any]], str] = lambda item: item.origin,
    unique: Callable[[Any], Any] = lambda record: record,
) -> Iterator[Any]:
    """The records of all sources: of several with an equal `key` the first, and the others as drops.

    `duplicate` is the reason of those drops, `name` what they call an item. `unique` may rename a record that
    is kept. Drops of the sources pass through.
    """
    first: dict[object, str] = {}
    for item in items:
        if isinstance(item, Drop):
            yield item
            continue
        record = kind.checked(item)
        if (same := first.get(key(record))) is not None:
            yield Drop(unit=name(item), reason=duplicate, detail=f"as {same}")
            continue
        renamed = unique(record)
        first[key(record)] = name(item._replace(record=renamed))
        yield renamed
