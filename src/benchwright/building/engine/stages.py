"""Stages of a recipe, the folder of a build, and the funnel, whose counts must add up.

The folder holds one file for the records that each stage kept, one for its drops, and all executions.
`build.json` identifies the build. A stage is complete if its file of kept records exists. That file is
written last and in one step, so an interrupted build resumes with the first incomplete stage, and within it
with the first execution that is not stored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Generic, NamedTuple, TypeVar

import msgspec

from benchwright.contracts import Admission, Inventory
from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import RunError
from benchwright.progress import Silent, Watcher
from benchwright.progress import stage as watched
from benchwright.records import Drop, Record
from benchwright.store.keys import differences
from benchwright.store.writing import read_records, replacing, write_json
from benchwright.version import VERSION


class FunnelLevel(Record, frozen=True, kw_only=True):
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


def funnel_level(
    stage: str, *, unit: str, after: Sequence[str], given: int, kept: int, drops: Iterable[Drop]
) -> FunnelLevel:
    """Count the result of a complete stage."""
    dropped: Counter[str] = Counter()
    also: Counter[str] = Counter()
    for drop in drops:
        dropped[drop.reason] += 1
        also.update(drop.also)
    return FunnelLevel(
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


def drop_summary(levels: Sequence[FunnelLevel]) -> str:
    """All drops in one sentence: "2 empty (collect), 1 no tests (pair)"; empty if there are none."""
    texts = [
        f"{count} {reason.replace('_', ' ')} ({each.stage})"
        for each in levels
        for reason, count in each.dropped.items()
    ]
    return ", ".join(texts)


def funnel_errors(levels: Sequence[FunnelLevel], *, spreading: Collection[str]) -> list[str]:
    """Inconsistencies of the counts, as sentences. A `spreading` stage may make several records of one."""
    counts = {each.stage: each.kept for each in levels}
    found = []
    for each in levels:
        given = sum(counts[stage] for stage in each.after) if each.after else each.given
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


def without_stages(stages: Iterable[Stage[W, Any]], *names: str) -> list[Stage[W, Any]]:
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


def remove_stage_files(folder: Path, number: int) -> None:
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


NOTHING: Inventory[Any] = Inventory(0, iter(()))
RECIPE = "building"  # key of the recipe's version in an identity


class BuildFolder:
    """The folder of a build, new or resumed. Raises RunError if it contains another build."""

    def __init__(self, path: Path, identity: dict[str, Any], *, watch: Watcher | None = None) -> None:
        self.path, self.stages = path, path / "stages"
        self._watch = watch or Silent()
        self._levels: list[FunnelLevel] = []
        self._done: dict[str, tuple[Stage[Any, Any], StageFiles]] = {}
        make_folder(self.stages)
        self._check(msgspec.json.decode(msgspec.json.encode(identity)))  # normalised to JSON types

    @property
    def executions(self) -> Path:
        """The path of the file of executions."""
        return self.stages / "executions.jsonl"

    @property
    def levels(self) -> list[FunnelLevel]:
        """The funnel so far. Raises RunError if the counts do not add up, because rows were lost."""
        spreading = {name for name, (stage, _) in self._done.items() if stage.spreads}
        if wrong := funnel_errors(self._levels, spreading=spreading):
            raise RunError(
                f"internal error: the funnel does not add up: {'; '.join(wrong)}", hint="please report this"
            )
        return list(self._levels)

    def write_funnel(self) -> None:
        """Write funnel.json, also for a build without a result."""
        document = {"stages": [msgspec.to_builtins(each) for each in self.levels]}
        with replacing(self.path / "funnel.json") as file:
            file.write(msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n")

    def run(self, stage: Stage[W, Any], work: W, *, given: Inventory[Any]) -> None:
        """Run a stage unless it is complete. A stage without `after` reads what the sources have `given`.

        A complete stage that dropped records for a reason in `again`, such as a missing toolchain, runs
        again. The files of later stages are removed then, since they derive from the earlier result.
        """
        number, before = len(self._done) + 1, {each.stage: each.kept for each in self._levels}
        total = sum(before[name] for name in stage.after) if stage.after else given.total
        files = StageFiles.of(self.stages, number, stage.name)
        if not _is_done(files, stage.again):
            remove_stage_files(self.stages, number)
            read = chain.from_iterable(map(self._read, stage.after)) if stage.after else given.items
            self._make(stage, work, read, files, total)
        self._done[stage.name] = stage, files
        self._levels.append(_level(stage, files, given=total))

    def run_all(
        self,
        stages: Iterable[Stage[W, Any]],
        work: W,
        *,
        given: Inventory[Any] | Mapping[str, Inventory[Any]],
    ) -> None:
        """Run the stages in order and write the funnel.

        `given` is by stage if several stages read sources.
        """
        for stage in stages:
            mine = given.get(stage.name, NOTHING) if isinstance(given, Mapping) else given
            self.run(stage, work, given=mine)
        self.write_funnel()

    def _make(
        self, stage: Stage[W, Any], work: W, read: Iterator[Any], files: StageFiles, total: int
    ) -> None:
        if not stage.bar:
            files.write(stage.make(read, work))
            return
        with watched(self._watch, stage.name, total=total, done=0):
            files.write(stage.make(self._counted(read), work))

    def kept(self, name: str, record: type[R]) -> Iterator[R]:
        """The records that a complete stage kept."""
        return read_records(self._done[name][1].kept, record)

    def dropped(self, name: str) -> Iterator[Drop]:
        """The drops of a complete stage."""
        return read_records(self._done[name][1].drops, Drop)

    def _read(self, name: str) -> Iterator[Any]:
        return self.kept(name, self._done[name][0].record)

    def _counted(self, records: Iterator[Any]) -> Iterator[Any]:
        for record in records:
            yield record
            self._watch.tick(None)

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
            hint = f"use --out OTHER, or start over: rm -r {quoted(self.path)}"
            raise RunError(f"{escaped_path(self.path)} {_difference(known, identity)}", hint=hint)


def _difference(known: Any, identity: dict[str, Any]) -> str:
    if not isinstance(known, dict):
        return "holds another build: its build.json has no identity"
    if (recipe := known.get(RECIPE)) != identity.get(RECIPE):
        return (
            f"was started with version {recipe} of the recipe; this is version {identity.get(RECIPE)}, "
            f"which builds other rows"
        )
    differing = dict(_differing(known, identity))
    values = ", ".join(filter(None, differing.values()))
    names = ", ".join(differing or ["an option"])
    return f"holds another build: {names} differ{f' ({values})' if values else ''}"


def _differing(
    known: dict[str, Any], current: dict[str, Any], *, within: str = ""
) -> Iterator[tuple[str, str]]:
    """The path of each value that differs, with both values if they are short."""
    for name in {**known, **current}:
        old, new = known.get(name), current.get(name)
        if isinstance(old, dict) and isinstance(new, dict):
            yield from _differing(old, new, within=f"{within}{name}.")
        elif old != new:
            short = all(isinstance(each, str | int | float) for each in (old, new))
            yield f"{within}{name}", f"{str(old)[:40]} stored, {str(new)[:40]} requested" if short else ""


def _is_done(files: StageFiles, again: Collection[str]) -> bool:
    return files.kept.exists() and not any(drop.reason in again for drop in read_records(files.drops, Drop))


def _level(stage: Stage[Any, Any], files: StageFiles, *, given: int) -> FunnelLevel:
    return funnel_level(
        stage.name,
        unit=stage.unit,
        after=stage.after,
        given=given,
        kept=sum(1 for _ in read_records(files.kept, stage.record)),
        drops=read_records(files.drops, Drop),
    )


def make_folder(path: Path) -> None:
    """Create a folder that the user named, with its parents. Raises RunError if that fails."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(f"{escaped_path(path)} cannot be made: {error.strerror}", hint="--out OTHER") from None
