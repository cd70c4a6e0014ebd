"""Mining: the events of all sources go into the event store; each repository becomes a `MinedRepository`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from benchwright.building.alignment.commit_parts import commit_spread
from benchwright.building.alignment.event_store import EventStore, folder_name, label_name
from benchwright.building.alignment.forgotten_events import remembered
from benchwright.building.alignment.options import AlignmentOptions
from benchwright.building.alignment.records import MinedRepository
from benchwright.building.alignment.refactorings import with_refactorings
from benchwright.building.engine.recipe import source_named
from benchwright.contracts import Item
from benchwright.display.escape import escaped_path
from benchwright.errors import UsageError
from benchwright.records import Drop
from benchwright.sources.clones import CloneError
from benchwright.sources.error_reports import with_error_reports
from benchwright.sources.events import Cleaner, EventSource
from benchwright.sources.git_history import GitHistory, references
from benchwright.sources.object_reader import ObjectReader
from benchwright.sources.repositories import ClonesSource, Repository
from benchwright.sources.session_logs import CONSENTS

EVENTS = "events"  # folder of the event store in the build
SOURCE_FILES = "sources"  # folder of what the sources store


class OpenedSources(NamedTuple):
    """The sources of a build: clones, and everything else by the text that names it."""

    clones: ClonesSource | None
    others: dict[str, Any]


def open_event_sources(options: AlignmentOptions) -> OpenedSources:
    """Open the sources of `--from`. Raises UsageError for one that does not exist."""
    opened = {text: _opened(text, options) for text in options.sources}
    paths = [text for text, source in opened.items() if source is None]
    others = {text: source for text, source in opened.items() if source is not None}
    if options.consent:
        _state_consent(options.consent, others)
    clones = ClonesSource(paths, references=references(pulls=options.pulls)) if paths else None
    return OpenedSources(clones, others)


def _state_consent(consent: str, sources: dict[str, Any]) -> None:
    """Pass on a statement of consent. Raises UsageError if no source has logs of sessions."""
    asking = [each for each in sources.values() if hasattr(each, "state_consent")]
    if not asking:
        raise UsageError(
            "--consent: no source has session logs", hint="--from sessions:FOLDER --consent TEXT"
        )
    for each in asking:
        each.state_consent(consent)


def _opened(text: str, options: AlignmentOptions) -> Any:
    source = source_named(text, licences=options.licences)
    return source if source is None else _prepared(source, options)


def _prepared(source: Any, options: AlignmentOptions) -> Any:
    from benchwright.sources.gerrit import GerritServer  # noqa: PLC0415 (load the HTTP client)
    from benchwright.sources.github.event_source import GitHubEvents  # noqa: PLC0415

    if options.offline and isinstance(source, GerritServer):
        source.go_offline()
    if not isinstance(source, GitHubEvents):
        return source
    return GitHubEvents(
        source.name,
        api=options.github_api,
        offline=options.offline,
        allow_private=options.allow_private,
        since=options.since,
    )


class _Mine(NamedTuple):
    options: AlignmentOptions
    out: Path
    store: EventStore
    clean: Cleaner
    tell: Callable[[str], None]


def mine(
    sources: OpenedSources,
    options: AlignmentOptions,
    out: Path,
    *,
    clean: Cleaner,
    tell: Callable[[str], None],
) -> list[MinedRepository | Drop]:
    """Read all sources into the event store below `out`; the repositories by name, and what was dropped."""
    work = _Mine(options, out, EventStore(out / EVENTS), clean, tell)
    found: list[Repository] = []
    drops: list[Drop] = []
    for item in _clones(sources, work):
        (drops if isinstance(item, Drop) else found).append(item)  # type: ignore[arg-type]
    for text, source in sources.others.items():
        for repository in _mine_by_name(text, source, work):
            (drops if isinstance(repository, Drop) else found).append(repository)  # type: ignore[arg-type]
    known = {each.name: each for each in found}
    names = sorted({*known, *work.store.repositories()})
    return [*(_mined(name, known.get(name), work) for name in names), *drops]


def _clones(sources: OpenedSources, work: _Mine) -> Iterator[Repository | Drop]:
    """Mine each clone; one with an unknown or refused licence is a drop."""
    if sources.clones is None:
        return
    given = sources.clones.collect(work.out, work.tell)
    if work.options.name and given.total > 1:
        raise UsageError(f"--name names one clone; the source has {given.total}", hint="leave out --name")
    seen: dict[str, str] = {}
    for item in given.items:
        yield item if isinstance(item, Drop) else _clone(item, seen, work)


def _clone(item: Item[Repository], seen: dict[str, str], work: _Mine) -> Repository | Drop:
    repository = item.record
    if work.options.name:
        repository = msgspec.structs.replace(repository, name=work.options.name)
    name = repository.name
    if name in seen:
        return Drop(unit=item.origin, reason="duplicate", detail=f"as {seen[name]}")
    seen[name] = item.origin
    return _mine_clone(repository, work)


def _mine_clone(repository: Repository, work: _Mine) -> Repository | Drop:
    name, options = repository.name, work.options
    if not options.allows(repository.licence):
        licence = repository.licence or "unknown"
        return Drop(unit=name, reason="licence", detail=f"{licence}: see --licence and --licence-unknown")
    history = GitHistory(
        name, Path(repository.place), repository.licence, pulls=options.pulls, comments=options.comments
    )
    known = list(work.store.known(name))
    try:
        with ExitStack() as stack:
            spread = commit_spread(history, work.clean, refactorings=options.refactorings)
            events = history.new_events(work.clean, known=known, spread=spread)
            if options.refactorings and spread is None:
                objects = stack.enter_context(ObjectReader(Path(repository.place)))
                events = with_refactorings(events, objects, work.clean)
            work.store.write(f"git:{name}", remembered(events, work.clean))
    except CloneError as error:
        return Drop(unit=name, reason=error.reason, detail=error.message)
    return repository


def _mine_by_name(text: str, source: Any, work: _Mine) -> Iterator[Repository | Drop]:
    """Mine a source by name: one of events, or one of repositories, which are clones."""
    if hasattr(source, "events"):
        _mine_events(text, source, work)
        return
    for item in source.collect(work.out, work.tell).items:
        if isinstance(item, Drop):
            yield item
        elif isinstance(item.record, Repository):
            yield _mine_clone(item.record, work)
        elif hasattr(item.record, "events"):
            _mine_events(item.origin, item.record, work)
        else:
            kind = type(item.record).__name__
            message = f"{escaped_path(text)}: the source yields {kind} records, not events or repositories"
            raise UsageError(message, hint="--from CLONE")


def _mine_events(label: str, source: EventSource, work: _Mine) -> None:
    folder = work.out / SOURCE_FILES / label_name(label)
    folder.mkdir(parents=True, exist_ok=True)
    events = with_error_reports(source.events(folder, work.clean, work.tell))
    work.store.write(label, remembered(events, work.clean))


def _mined(name: str, repository: Repository | None, work: _Mine) -> MinedRepository:
    mined = MinedRepository(
        name=name,
        place="" if repository is None else repository.place,
        events=f"{EVENTS}/{folder_name(name)}",
        digest="",
        licence="" if repository is None else repository.licence,
        head="" if repository is None else repository.commit,
        remote="" if repository is None else work.clean.text(repository.remote),
    )
    return _counted(mined, work.store)


def refreshed(found: Iterable[MinedRepository | Drop], store: EventStore) -> list[MinedRepository | Drop]:
    """The repositories with the counts of the store as it is now, without those that left it."""
    names = set(store.repositories())
    current = (each for each in found if isinstance(each, Drop) or each.name in names)
    return [each if isinstance(each, Drop) else _counted(each, store) for each in current]


def _counted(mined: MinedRepository, store: EventStore) -> MinedRepository:
    """A repository with what the store has of it. Without a clone its events state the licence."""
    name, kinds, licence = mined.name, Counter[str](), mined.licence
    for event in store.read(name):
        kinds[event.kind] += 1
        licence = licence or event.licence
    return msgspec.structs.replace(
        mined,
        digest=store.digest(name),
        licence=licence,
        kinds=dict(sorted(kinds.items())),
        gaps=_gaps([*store.gaps(name), *store.current_gaps(f"git:{name}")]),
    )


def _gaps(drops: Iterable[Drop]) -> dict[str, int]:
    return dict(sorted(Counter(each.reason for each in drops).items()))


def consents(out: Path) -> dict[str, int]:
    """The statements of consent in the sources of a build, each with its number of sessions."""
    found: Counter[str] = Counter()
    for path in sorted((out / SOURCE_FILES).glob(f"*/{CONSENTS}")):
        found.update(msgspec.json.decode(path.read_bytes(), type=dict[str, int]))
    return dict(sorted(found.items()))


def without_drops(found: Sequence[MinedRepository | Drop]) -> list[MinedRepository]:
    """The repositories alone."""
    return [each for each in found if isinstance(each, MinedRepository)]
