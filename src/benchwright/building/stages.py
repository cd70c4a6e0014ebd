"""Stages of a recipe, the files of a finished stage, and the funnel, whose counts must add up.

A stage is complete if its file of kept records exists. That file is written last and in one step, so an
interrupted stage runs again and a complete one never does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO, Generic, NamedTuple, TypeVar

import msgspec

from benchwright.contracts import Admission
from benchwright.records import Drop, Record
from benchwright.store.writing import replacing


class Level(Record, frozen=True, kw_only=True):
    """The counts of one stage.

    `given` records came from the stages `after`; each gave one or more `considered`.
    """

    stage: str
    unit: str  # the counted unit: "repositories", "test files"
    after: list[str] = []
    given: int = 0
    considered: int = 0
    kept: int = 0
    dropped: dict[str, int] = {}
    also: dict[str, int] = {}  # further reasons of those drops: one drop may have several


def level(
    stage: str, *, unit: str, after: Sequence[str], given: int, kept: int, drops: Iterable[Drop]
) -> Level:
    """Count the result of a complete stage."""
    dropped: Counter[str] = Counter()
    also: Counter[str] = Counter()
    for drop in drops:
        dropped[drop.reason] += 1
        also.update(drop.also)
    return Level(
        stage=stage,
        unit=unit,
        after=list(after),
        given=given,
        considered=kept + sum(dropped.values()),
        kept=kept,
        dropped=_commonest_first(dropped),
        also=_commonest_first(also),
    )


def _commonest_first(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def reasons(levels: Sequence[Level]) -> str:
    """All drops in one sentence: "2 empty (collect), 1 no tests (pair)"."""
    texts = [
        f"{count} {reason.replace('_', ' ')} ({each.stage})"
        for each in levels
        for reason, count in each.dropped.items()
    ]
    return ", ".join(texts) or "nothing: the sources are empty"


def faults(levels: Sequence[Level], *, spreading: Collection[str]) -> list[str]:
    """Inconsistencies of the counts, as sentences. A `spreading` stage may make several records of one."""
    kept = {each.stage: each.kept for each in levels}
    found = []
    for each in levels:
        given = sum(kept[stage] for stage in each.after) if each.after else each.given
        if each.given != given:
            found.append(f"{each.stage}: given {each.given}, but the stages before kept {given}")
        if each.considered != each.kept + sum(each.dropped.values()):
            found.append(f"{each.stage}: {each.considered} considered are not kept and dropped together")
        if each.considered < each.given:
            found.append(f"{each.stage}: {each.given - each.considered} were lost without a reason")
        if each.stage not in spreading and each.considered > each.given:
            found.append(f"{each.stage}: {each.considered - each.given} came from nowhere")
    return found


W = TypeVar("W")
R = TypeVar("R", bound=Record)


class Stage(NamedTuple, Generic[W, R]):
    """One step of a recipe: `make` gets the records that the stages `after` kept, and the context of the
    build.

    It yields each record that it keeps, and a Drop for every other. A stage without `after` reads the sources
    of the build.
    """

    name: str
    record: type[R]  # type of the kept records
    make: Callable[[Iterator[Any], W], Iterable[R | Drop | Admission]]
    unit: str  # the counted unit: "repositories", "test files"
    after: tuple[str, ...] = ()
    again: Collection[str] = ()  # reasons of drops for which a complete stage runs again
    bar: bool = False  # whether the engine reports progress by input records
    spreads: bool = False  # one record may become several


def without(stages: Iterable[Stage[W, Any]], *names: str) -> list[Stage[W, Any]]:
    """The stages except the named ones; later stages no longer read those."""
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
        """The files of a stage, numbered so that a listing shows them in order."""
        stem = f"{number}-{name}"
        return cls(*(folder / f"{stem}{end}.jsonl" for end in ("", ".dropped", ".admissions")))

    def write(self, records: Iterable[Record]) -> None:
        """Write all files in one step, the kept records last.

        Admissions have a file only if there are any.
        """
        with ExitStack() as stack:  # files are renamed in reverse order
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
    """Remove the files of this stage and of all later ones, the last first, so a kill leaves complete
    stages.
    """
    numbered = [(int(path.name.partition("-")[0]), path) for path in folder.glob("[0-9]*-*.jsonl")]
    for each, path in sorted(numbered, reverse=True):
        if each >= number:
            path.unlink()


def write_records(path: Path, records: Iterable[Record]) -> None:
    """Write a file of records in one step."""
    with replacing(path) as file:
        for record in records:
            file.write(msgspec.json.encode(record) + b"\n")
