"""Sources: connectors that find what a builder makes tasks of, and get it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from benchwright.records import Drop


class Licensed(Protocol):
    """Whatever is collected says under which licence it is."""

    @property
    def licence(self) -> str:
        """SPDX; empty where it is not surely known."""
        ...


C_co = TypeVar("C_co", bound=Licensed, covariant=True)


class Item(NamedTuple, Generic[C_co]):
    """One record that a source got. `origin` is how drops and messages name it: an address, a folder."""

    origin: str
    record: C_co


class Inventory(NamedTuple, Generic[C_co]):
    """What a source found: `items` gets one after the other as it is read, and yields exactly `total`."""

    total: int
    items: Iterator[Item[C_co] | Drop]
    notes: list[str] = []  # what people should know of it; stands in the manifest and in the card


class Source(Protocol[C_co]):
    """Finds records for a builder. Opened and checked before anything is written."""

    def collect(self, folder: Path, tell: Callable[[str], None]) -> Inventory[C_co]:
        """List what there is; `tell` is given what the user should read meanwhile.

        What is stored lies below `folder`, the build's own. Called there again, a source gives the list that
        it gave before and does not get anew what it has. What cannot be had is a Drop, with a reason.
        """
        ...


class SourceOpener(Protocol):
    """What the registry holds: opens a source by what follows its name and a colon.

    What is under none of `licences` will not be used, so a source may leave it out, as drops.
    """

    def __call__(self, rest: str, *, licences: Collection[str]) -> Source[Any]:
        """Raises UsageError for what cannot be meant."""
        ...
