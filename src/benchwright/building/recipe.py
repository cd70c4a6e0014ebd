"""Declaration of a recipe to the registry, and its publication: file digests, card and manifest."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.building.stages import Level, Stage, reasons
from benchwright.display.escape import quoted
from benchwright.errors import DataError
from benchwright.records import Record
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
    levels: list[Level]


class DeclaredRecipe(NamedTuple):
    """A recipe for the registry; `contracts.BuildRecipe` describes the fields."""

    name: str
    command: click.Command
    stages: Sequence[Stage[Any, Any]]
    build: Callable[..., BuildResult]


def nothing_left(what: str, folder: Path, levels: Sequence[Level], *, hint: str = "") -> DataError:
    """The error of a build without a single row: all reasons of drops, and where each drop is listed."""
    listed = f"for each drop: cat {quoted(folder / 'stages')}/*.dropped.jsonl"
    message = f"no {what} left to publish; dropped: {reasons(levels)}"
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
