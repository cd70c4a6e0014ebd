"""The recipe of the alignment data set: its stages, each with a file of kept records and a file of drops.

sources ─▶ event store ─▶ repositories ┬▶ trajectories ─▶ feedback ┬▶ links ─▶ resolve ─┐
                                       │                           └────────▶           ├▶ publish
                                       └▶ filter ─▶ split ──────────────────────────────┘

Mining always runs: it adds new events to the store and writes nothing else. If a repository has new events,
the stages run again.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from benchwright.building.alignment.card_facts import PLAIN, CardOptions
from benchwright.building.alignment.event_store import EventStore
from benchwright.building.alignment.filters import applied, filter_identity, filtered
from benchwright.building.alignment.mining import EVENTS, mine, open_event_sources, refreshed
from benchwright.building.alignment.options import AlignmentOptions, check_options
from benchwright.building.alignment.publish import publish
from benchwright.building.alignment.records import (
    DevelopmentTrajectory,
    EvidenceLink,
    Feedback,
    MinedRepository,
)
from benchwright.building.alignment.release_rows import ReleaseRow, release_rows
from benchwright.building.alignment.splits import with_splits
from benchwright.building.alignment.stage_parts import (
    AlignmentContext,
    make_feedback,
    make_links,
    make_trajectories,
    resolve,
)
from benchwright.building.engine.recipe import BuildResult, nothing_left
from benchwright.building.engine.stages import BuildFolder, Stage, StageFiles, remove_stage_files
from benchwright.contracts import Inventory, Item
from benchwright.display.escape import escaped_path
from benchwright.errors import UsageError, command_name
from benchwright.progress import Silent, Watcher
from benchwright.records import Drop, Record
from benchwright.sources.cleaning.text_cleaner import open_cleaner
from benchwright.sources.events import Cleaner
from benchwright.store.parquet_lines import LinesToParquet
from benchwright.store.writing import read_records, replacing

CHOICE = "choice.jsonl"
BUILDING = 1  # increase it when the same sources may give other rows


class AlignmentBuild(BuildResult, frozen=True, kw_only=True):
    """A finished build, with the folder of its release."""

    release: str


def _repositories(
    items: Iterator[Item[MinedRepository] | Drop], _: AlignmentContext
) -> Iterator[MinedRepository | Drop]:
    return (each if isinstance(each, Drop) else each.record for each in items)


def _filter(rows: Iterator[MinedRepository], context: AlignmentContext) -> Iterator[ReleaseRow | Drop]:
    return filtered(release_rows(rows, context), context)


STAGES: tuple[Stage[AlignmentContext, Any], ...] = (
    Stage("repositories", MinedRepository, _repositories, "repositories"),
    Stage(
        "trajectories",
        DevelopmentTrajectory,
        make_trajectories,
        "trajectories",
        ("repositories",),
        spreads=True,
    ),
    Stage("feedback", Feedback, make_feedback, "remarks and results", ("trajectories",), spreads=True),
    Stage("links", EvidenceLink, make_links, "links", ("feedback",), spreads=True),
    Stage("resolve", Feedback, resolve, "remarks and results", ("feedback",)),
    Stage("filter", ReleaseRow, _filter, "rows", ("repositories",), spreads=True),
    Stage("split", ReleaseRow, with_splits, "rows", ("filter",)),
)


def build(
    options: AlignmentOptions,
    out: Path,
    *,
    clean: Cleaner | None = None,
    watch: Watcher | None = None,
    shown: CardOptions = PLAIN,
) -> AlignmentBuild:
    """Mine the sources and publish a release; the same call resumes, and adds what is new in the sources.

    By default texts are cleaned with the key of the build.
    """
    check_options(options)
    applied(options)
    sources, watch = open_event_sources(options), watch or Silent()
    folder = BuildFolder(out, {**options.identity(), "building": BUILDING}, watch=watch)
    found = mine(sources, options, out, clean=clean or open_cleaner(out), tell=watch.note)
    return _publish_found(options, folder, found, watch=watch, shown=shown)


def rebuild(options: AlignmentOptions, out: Path, *, watch: Watcher | None = None) -> AlignmentBuild:
    """Publish a release of the stored events again, without reading the sources."""
    watch = watch or Silent()
    folder = BuildFolder(out, {**options.identity(), "building": BUILDING}, watch=watch)
    found = refreshed(mined_before(folder), EventStore(out / EVENTS))
    contact = _choice(out).contact
    return _publish_found(options, folder, found, watch=watch, shown=CardOptions(contact=contact))


def mined_before(folder: BuildFolder) -> list[MinedRepository | Drop]:
    """The repositories of the last call, and what was dropped; empty before the first."""
    files = StageFiles.of(folder.stages, 1, STAGES[0].name)
    if not files.kept.exists():
        return []
    return [*read_records(files.kept, MinedRepository), *read_records(files.drops, Drop)]


def _publish_found(
    options: AlignmentOptions,
    folder: BuildFolder,
    found: list[MinedRepository | Drop],
    *,
    watch: Watcher,
    shown: CardOptions,
) -> AlignmentBuild:
    is_new = _start_again_if_new(folder, found)
    _filter_again_if_changed(folder, options, contact=shown.contact)
    context = AlignmentContext(options, folder, EventStore(folder.path / EVENTS), watch)
    with LinesToParquet() as writer:
        if is_new:
            writer.start()
        folder.run_all(STAGES, context, given=_inventory(found))
        if next(folder.kept("split", ReleaseRow), None) is None:
            raise nothing_left("row", folder.path, folder.levels)
        release, manifest = publish(context, writer, levels=folder.levels, shown=shown)
    return AlignmentBuild(
        folder=str(folder.path), release=str(release), manifest=manifest, levels=folder.levels
    )


def _inventory(found: list[MinedRepository | Drop]) -> Inventory[Any]:
    items = (Item(each.name, each) if isinstance(each, MinedRepository) else each for each in found)
    return Inventory(len(found), items)


def _start_again_if_new(folder: BuildFolder, found: list[MinedRepository | Drop]) -> bool:
    """Remove the files of all stages unless the repositories are those of the call before."""
    stored = mined_before(folder)
    if stored == found:
        return False
    remove_stage_files(folder.stages, 1)
    return True


class BuildChoice(Record, frozen=True, kw_only=True):
    """The options of the last call that may change between calls, and what decides about rows."""

    identity: dict[str, Any]
    filters: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    seed: int = 0
    contact: str = ""


def _filter_again_if_changed(folder: BuildFolder, options: AlignmentOptions, *, contact: str) -> None:
    """Remove the files of the filters and of later stages if other filters apply than in the call before."""
    path = folder.path / CHOICE
    choice = BuildChoice(
        identity=filter_identity(options),
        filters=options.filters,
        against=options.against,
        seed=options.seed,
        contact=contact,
    )
    known = _choice(folder.path)
    if known.identity != choice.identity:
        remove_stage_files(folder.stages, 1 + [each.name for each in STAGES].index("filter"))
    with replacing(path) as file:
        file.write(msgspec.json.encode(choice) + b"\n")


def _choice(out: Path) -> BuildChoice:
    """The choice of the last call; one without an identity before the first."""
    path, unknown = out / CHOICE, BuildChoice(identity={})
    return next(read_records(path, BuildChoice), unknown) if path.exists() else unknown


def stored_options(out: Path) -> AlignmentOptions:
    """The options of a build. Raises UsageError for a folder without one."""
    path = out / "build.json"
    try:
        identity = msgspec.json.decode(path.read_bytes())["identity"]
        options = msgspec.convert(identity, AlignmentOptions)
    except (OSError, ValueError, KeyError, TypeError, msgspec.ValidationError):
        message = f"{escaped_path(out)}: not the folder of a build of the alignment data set"
        hint = f"{command_name()} build alignment --from CLONE --out FOLDER"
        raise UsageError(message, hint=hint) from None
    choice = _choice(out)
    return replace(options, filters=choice.filters, against=choice.against, seed=choice.seed)
