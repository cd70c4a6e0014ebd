"""The folder of a build: one file for each stage's kept records, one for its drops, and all executions.

`build.json` says what is built. A stage whose file of kept records is there is done: it is written last and
in one step. So a killed build goes on with the first stage that is not done, and inside that one with the
first execution that is not stored.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from benchwright.building.codecorrectness.nouns import Drop
from benchwright.building.funnel import Level, faults, level
from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import RunError
from benchwright.progress import Silent, Watcher
from benchwright.progress import stage as watched
from benchwright.records import Record
from benchwright.store.appending import read_records
from benchwright.store.atomic import replacing, write_json
from benchwright.store.identity import differences
from benchwright.version import VERSION

R = TypeVar("R", bound=Record)
BUILDING = 2  # raised whenever the same sources may give other rows than before


class BuildFolder:
    """A build's folder, made or taken up again. Raises RunError for one that holds another build."""

    def __init__(self, path: Path, identity: dict[str, Any], *, watch: Watcher | None = None) -> None:
        self.path, self.stages = path, path / "stages"
        self._watch, self._has_bar = watch or Silent(), False
        self._levels: list[Level] = []
        self._number, self._redo = 0, False
        _make(self.stages)
        self._check({**identity, "building": BUILDING})

    @property
    def executions(self) -> Path:
        """The file of executions."""
        return self.stages / "executions.jsonl"

    @property
    def levels(self) -> list[Level]:
        """The funnel so far. Raises RunError when it does not add up: then rows were lost."""
        if wrong := faults(self._levels):
            raise RunError(f"the funnel does not add up: {'; '.join(wrong)}", hint="please report this")
        return list(self._levels)

    def write_funnel(self) -> None:
        """Store the funnel, also that of a build that comes to nothing."""
        document = {"stages": [msgspec.to_builtins(each) for each in self.levels]}
        with replacing(self.path / "funnel.json") as file:
            file.write(msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n")

    def stage(
        self,
        name: str,
        kind: type[R],
        make: Callable[[], Iterable[R | Drop]],
        *,
        unit: str,
        after: Sequence[str] = (),
        given: int | None = None,
        again: Collection[str] = (),
        bar: bool = False,
    ) -> Callable[[], Iterator[R]]:
        """Do a stage unless it is done. What comes back reads its kept records, as often as needed.

        A finished stage that dropped something for a reason in `again` (a toolchain that was not there) is
        done once more, with all after it. With a `bar` the records it reads are counted for whoever watches;
        stages that execute or ask have bars of their own.
        """
        self._number += 1
        before = {each.stage: each.kept for each in self._levels}
        total = sum(before[stage] for stage in after) if given is None else given
        kept = self.stages / f"{self._number}-{name}.jsonl"
        drops = self.stages / f"{self._number}-{name}.dropped.jsonl"
        if kept.exists() and any(drop.reason in again for drop in read_records(drops, Drop)):
            self._redo = True
        if self._redo or not kept.exists():
            self._redo = True  # what comes after was made from what was here before
            with self._bar(name, total) if bar else nullcontext():
                _write(make(), kept, drops)
        self._levels.append(
            level(
                name,
                unit=unit,
                after=after,
                given=total,
                kept=sum(1 for _ in read_records(kept, kind)),
                drops=read_records(drops, Drop),
            )
        )
        return lambda: self._counted(read_records(kept, kind))

    @contextmanager
    def _bar(self, name: str, total: int) -> Iterator[None]:
        with watched(self._watch, name, total=total, done=0):
            self._has_bar = True
            try:
                yield
            finally:
                self._has_bar = False

    def _counted(self, records: Iterator[R]) -> Iterator[R]:
        for record in records:
            yield record
            if self._has_bar:
                self._watch.tick(None)

    def dropped(self, name: str) -> Iterator[Drop]:
        """What a finished stage has dropped."""
        for path in self.stages.glob(f"*-{name}.dropped.jsonl"):
            yield from read_records(path, Drop)

    def _check(self, identity: dict[str, Any]) -> None:
        path = self.path / "build.json"
        if not path.exists():
            write_json(path, {"identity": identity, "version": VERSION})
            return
        try:
            stored = msgspec.json.decode(path.read_bytes())
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            hint = f"rm -r {quoted(self.path)}"
            raise RunError(f"{escaped_path(path)} cannot be read: {error}", hint=hint) from None
        known = stored.get("identity") if isinstance(stored, dict) else None
        if not isinstance(known, dict) or differences(known, identity):
            hint = f"--out OTHER, or start anew: rm -r {quoted(self.path)}"
            raise RunError(
                f"{escaped_path(self.path)} holds another build: {_difference(known, identity)}", hint=hint
            )


def _difference(known: Any, identity: dict[str, Any]) -> str:
    if not isinstance(known, dict):
        return "its build.json says nothing of it"
    differing = [name for name in identity if known.get(name) != identity[name]]
    return f"{', '.join(differing or ['an option'])} differ"


def _write(records: Iterable[Record], kept: Path, drops: Path) -> None:
    """Both files at once, the kept ones named last: the block inside ends first."""
    with replacing(kept) as yes, replacing(drops) as no:
        for record in records:
            (no if isinstance(record, Drop) else yes).write(msgspec.json.encode(record) + b"\n")


def _make(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(f"{escaped_path(path)} cannot be made: {error.strerror}", hint="--out OTHER") from None
