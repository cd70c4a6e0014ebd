"""Stages: what a recipe declares, and the files that a finished one leaves.

A stage is done when its file of kept records is there, which is written last and in one step. So a killed
stage is done again and a finished one never.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO, Generic, NamedTuple, TypeVar

import msgspec

from benchwright.contracts import Admission
from benchwright.records import Drop, Record
from benchwright.store.atomic import replacing

W = TypeVar("W")
R = TypeVar("R", bound=Record)


class Stage(NamedTuple, Generic[W, R]):
    """One step of a recipe: `make` is given what the stages `after` it kept, and what the recipe works with.

    It yields each record that it keeps, and a Drop for what it does not. A stage without `after` reads the
    build's sources.
    """

    name: str
    record: type[R]  # of what it keeps
    make: Callable[[Iterator[Any], W], Iterable[R | Drop | Admission]]
    unit: str  # what is counted: "repositories", "test files"
    after: tuple[str, ...] = ()
    again: Collection[str] = ()  # reasons of drops for which a finished stage is done once more
    bar: bool = False  # what it reads is counted for whoever watches; who executes or asks does so itself
    spreads: bool = False  # one record may become several


def without(stages: Iterable[Stage[W, Any]], *names: str) -> list[Stage[W, Any]]:
    """The stages but for these; what read them reads the rest of what it named."""
    return [
        each._replace(after=tuple(name for name in each.after if name not in names))
        for each in stages
        if each.name not in names
    ]


class StageFiles(NamedTuple):
    """The files of one stage of a build."""

    kept: Path
    drops: Path
    admissions: Path

    @classmethod
    def of(cls, folder: Path, number: int, name: str) -> StageFiles:
        """Numbered, so that a listing has them in the order of the stages."""
        stem = f"{number}-{name}"
        return cls(*(folder / f"{stem}{end}.jsonl" for end in ("", ".dropped", ".admissions")))

    def write(self, records: Iterable[Record]) -> None:
        """Write all at once, the kept ones named last; admissions have a file only where there are some."""
        with ExitStack() as stack:  # what was entered last is named first
            files: dict[Path, BinaryIO] = {}
            for path in (self.kept, self.drops):
                files[path] = stack.enter_context(replacing(path))
            for record in records:
                path = self._of(record)
                if path not in files:
                    files[path] = stack.enter_context(replacing(path))
                files[path].write(msgspec.json.encode(record) + b"\n")

    def _of(self, record: Record) -> Path:
        if isinstance(record, Drop):
            return self.drops
        return self.admissions if isinstance(record, Admission) else self.kept


def clear(folder: Path, number: int) -> None:
    """Take away the files of this stage and of all after it, the last first: a kill leaves whole stages."""
    numbered = [(int(path.name.partition("-")[0]), path) for path in folder.glob("[0-9]*-*.jsonl")]
    for each, path in sorted(numbered, reverse=True):
        if each >= number:
            path.unlink()


def write_records(path: Path, records: Iterable[Record]) -> None:
    """Write a file of records in one step."""
    with replacing(path) as file:
        for record in records:
            file.write(msgspec.json.encode(record) + b"\n")
