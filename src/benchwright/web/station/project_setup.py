"""Create a project from run folders: its items and texts in the database, each text once.

The same runs find the same project again; answers added to a run since then are added to the project.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from benchwright.contracts.assessing import judge_language
from benchwright.display.escape import escaped_path, quoted
from benchwright.display.wording import counted
from benchwright.errors import RunError, UsageError
from benchwright.judges.people.guidance import Guidance, default_guidance
from benchwright.judges.people.judged_items import keyed
from benchwright.judges.people.records import ANNOTATION, ItemKind, JudgedItem
from benchwright.records import TaskId
from benchwright.running.judged_items import equal_pairs, items_of_pair, items_of_run, run_digest
from benchwright.running.run_data import DataByHash, data_of, identity_field
from benchwright.store.keys import canonical, content_key
from benchwright.store.runfolder import RunFolder
from benchwright.web.core.accounts import make_project
from benchwright.web.station.assignment import make_turns, repeat_gap
from benchwright.web.station.blinding import new_project_secret
from benchwright.web.station.gold_items import read_gold
from benchwright.web.station.judge_session import ENDLESS, all_items, project_facts
from benchwright.web.station.roles import OPEN
from benchwright.web.station.tables import (
    StationItem,
    StationItemAnswer,
    StationProject,
    StationRubric,
    StationRun,
    StationSeat,
    StationText,
)

KINDS: tuple[ItemKind, ...] = ("rate", "decide", "pair", "annotate")
_WORDS = {
    "rate": "Rating",
    "decide": "Deciding",
    "pair": "Comparing",
    "annotate": "Annotating",
    "link": "Labelling",
}
LONGEST_NAME = 200  # characters of a project's name
_BATCH = 200  # items written at a time
_SUBJECT = ("question", "code", "lang", "references")


class ProjectOptions(NamedTuple):
    """Options of a new project. `seed` makes orders reproducible; None draws a random secret."""

    kind: ItemKind | None = None
    judgements: int = 3
    repeat_share: float = 0.1
    threshold: float = 0.5
    lease_s: int = 20 * 60
    gold: Path | None = None
    seed: str | None = None
    name: str = ""


def check_options(wishes: ProjectOptions) -> None:
    """Raise UsageError for invalid shares, or a name that cannot be shown."""
    for option, value in (("--repeat", wishes.repeat_share), ("--threshold", wishes.threshold)):
        if not 0 <= value <= 1:  # NaN is not either
            raise UsageError(f"{option} must be from 0 to 1, not {value}", hint=f"{option} 0.1")
    if len(wishes.name) > LONGEST_NAME or not wishes.name.isprintable():
        raise UsageError(
            f"a project name must have at most {LONGEST_NAME} visible characters", hint='--name "First round"'
        )


class ProjectRuns(NamedTuple):
    """The runs of a project."""

    folders: Sequence[RunFolder]
    kind: ItemKind
    track: str
    given: DataByHash

    @property
    def fingerprint(self) -> str:
        """Hash of the runs and the kind of judgement; for a pair it ignores their order."""
        return content_key("station", self.kind, sorted(map(run_digest, self.folders)))


class ReadyItems(NamedTuple):
    """Items that belong to no run, such as links of the alignment data set."""

    items: Sequence[JudgedItem]
    kind: ItemKind
    track: str
    language: str = "en"

    @property
    def folders(self) -> Sequence[RunFolder]:
        """No runs."""
        return ()

    @property
    def fingerprint(self) -> str:
        """Hash of the items in any order."""
        return content_key("items", self.kind, sorted(item.item for item in self.items))


ProjectSource = ProjectRuns | ReadyItems


class CreatedProject(NamedTuple):
    """A project: whether it is new, its number of items, of added items, and of pairs with equal answers,
    which are ties without votes.
    """

    project_id: str
    is_new: bool
    items: int
    added: int
    equal_pairs: int = 0


def project_runs(folders: Sequence[RunFolder], kind: ItemKind | None, given: DataByHash) -> ProjectRuns:
    """Check that people can judge these runs together. Raises UsageError if not."""
    tracks = sorted({identity_field(folder, "track") for folder in folders})
    if len(tracks) != 1:
        raise UsageError(
            f"the runs are of different tracks: {', '.join(tracks)}", hint="serve one track at a time"
        )
    _check_apart(folders)
    if kind == "pair" and len(folders) != 2:
        raise UsageError(
            f"--kind pair needs two runs, not {len(folders)}", hint="name two runs, or use --kind rate"
        )
    found = kind or ("pair" if len(folders) == 2 else _kind_of(folders[0], given))
    if found in ("rate", "decide") and found != (own := _kind_of(folders[0], given)):
        message = f"answers of {tracks[0]} cannot be judged with --kind {found}"
        raise UsageError(message, hint=f"--kind {own}")
    return ProjectRuns(folders, found, tracks[0], given)


def _check_apart(folders: Sequence[RunFolder]) -> None:
    """Answers and votes are stored by the identity of their run, so two runs of one identity cannot be
    judged together. Raises UsageError, which states whether they are one folder, a copy, or different
    answers.
    """
    known: dict[str, RunFolder] = {}
    for folder in folders:
        earlier = known.setdefault(run_digest(folder), folder)
        if earlier is folder:
            continue
        one, other = escaped_path(earlier.path), escaped_path(folder.path)
        if earlier.path.resolve() == folder.path.resolve():
            raise UsageError(f"the run {one} is given twice", hint="name each run once")
        differ, shared = _differing(earlier, folder)
        if not differ:
            raise UsageError(
                f"{one} and {other} are the same run: their answers are equal", hint="name one of them"
            )
        raise UsageError(
            f"{one} and {other} are runs of one identity (model, data, settings and seeds), though "
            f"{differ:,} of {counted(shared, 'answer')} differ: a vote could not be assigned to one of them",
            hint=f"diff {quoted(earlier.path / 'run.json')} {quoted(folder.path / 'run.json')}",
        )


def _differing(one: RunFolder, other: RunFolder) -> tuple[int, int]:
    """The number of answers that differ between two runs of one identity, and the number of answers."""
    texts = [{answer.key: answer.text for answer in folder.answers()} for folder in (one, other)]
    keys = texts[0].keys() | texts[1].keys()
    return sum(texts[0].get(key) != texts[1].get(key) for key in keys), len(keys)


def _kind_of(folder: RunFolder, given: DataByHash) -> ItemKind:
    first = next(items_of_run(folder, data_of(folder, given)), None)
    if first is None:
        raise RunError(
            f"{escaped_path(folder.path)} has no answers for people to judge: rules decided all of them",
            hint="use another run",
        )
    return first.kind


def items_of_source(source: ProjectSource) -> Iterator[JudgedItem]:
    """The items of a project; those of runs in the order of their answers."""
    if isinstance(source, ReadyItems):
        yield from source.items
        return
    folders = source.folders
    data = [data_of(folder, source.given) for folder in folders]
    if source.kind == "pair":
        ordered = sorted(folders, key=run_digest)  # so that the same runs give the same items
        yield from items_of_pair(ordered[0], ordered[1], data[0])
        return
    answers = chain.from_iterable(map(items_of_run, folders, data))
    yield from _tasks(answers) if source.kind == "annotate" else answers


def _equal_pairs(source: ProjectSource) -> int:
    if source.kind != "pair" or isinstance(source, ReadyItems):
        return 0
    one, other = source.folders
    return equal_pairs(one, other, data_of(one, source.given))


def _tasks(answers: Iterable[JudgedItem]) -> Iterator[JudgedItem]:
    """Each task once, without answers: annotators write the reference."""
    seen: set[TaskId] = set()
    for item in answers:
        if item.task_id not in seen:
            seen.add(item.task_id)
            bare = msgspec.structs.replace(
                item, item="", kind="annotate", answers=[], references=[], fields=[ANNOTATION]
            )
            yield keyed(bare)


def find_or_create_project(
    session: Session, source: ProjectSource, wishes: ProjectOptions, now: int
) -> CreatedProject:
    """Find or create the project of these runs or items. Raises RunError if there are no items."""
    known = session.scalar(
        select(StationProject).where(StationProject.fingerprint == source.fingerprint).with_for_update()
    )
    project = known or _new_project(session, source, wishes, now)
    added = _add_items(session, project, source, wishes)
    project.equal_pairs = _equal_pairs(source)
    total = _count(session, project.project_id)
    if not total:
        raise RunError(
            "the runs have no items for people to judge: rules decided all answers, or their texts are equal"
        )
    if added:
        project.gap = repeat_gap(total)
        session.flush()
        _extend_orders(session, project)
    return CreatedProject(project.project_id, known is None, total, added, project.equal_pairs)


def _new_project(session: Session, source: ProjectSource, wishes: ProjectOptions, now: int) -> StationProject:
    record = make_project(session, wishes.name, now, state=OPEN)
    record.name = wishes.name or f"{_WORDS[source.kind]} {record.id[:6]}"
    guidance = default_guidance(source.kind, _language(source))
    project = StationProject(
        project_id=record.id,
        fingerprint=source.fingerprint,
        kind=source.kind,
        track=source.track,
        judgements=wishes.judgements,
        repeat_share=wishes.repeat_share,
        threshold=wishes.threshold,
        lease_s=wishes.lease_s,
        gap=1,
        secret=new_project_secret() if wishes.seed is None else content_key("seed", wishes.seed) * 2,
        rubric=guidance.digest,
        made_at=now,
    )
    session.add(project)
    session.flush()
    store_guidance(session, project, guidance, now)
    rows = [
        {
            "project_id": record.id,
            "place": place,
            "digest": run_digest(folder),
            "path": str(folder.path.absolute()),
        }
        for place, folder in enumerate(source.folders)
    ]
    if rows:
        session.execute(insert(StationRun), rows)
    return project


def store_guidance(session: Session, project: StationProject, guidance: Guidance, now: int) -> None:
    """Make this text the current rubric. A text that was used before keeps its version number."""
    known = session.get(StationRubric, (project.project_id, guidance.digest))
    if known is None:
        number = session.scalar(select(func.count()).where(StationRubric.project_id == project.project_id))
        session.add(
            StationRubric(
                project_id=project.project_id,
                digest=guidance.digest,
                number=(number or 0) + 1,
                document=msgspec.json.encode(guidance).decode(),
                made_at=now,
            )
        )
    project.rubric = guidance.digest
    session.flush()


def _language(source: ProjectSource) -> str:
    """The language of the first task, as prompts of model judges use it."""
    if isinstance(source, ReadyItems):
        return judge_language(source.language)
    data = data_of(source.folders[0], source.given)
    task = next(iter(data.tasks().values()), None)
    return judge_language(task.inputs.get("language") if task is not None else None)


def _add_items(
    session: Session, project: StationProject, source: ProjectSource, wishes: ProjectOptions
) -> int:
    known = set(session.scalars(select(StationItem.item).where(StationItem.project_id == project.project_id)))
    place = _count(session, project.project_id)
    added = 0
    models: dict[TaskId, JudgedItem] = {}
    items = _with_gold(source, wishes, models)
    while batch := list(islice(items, _BATCH)):
        fresh = {item.item: item for item in batch if item.item not in known}
        known.update(fresh)
        _write(session, project, list(fresh.values()), place + added)
        added += len(fresh)
    return added


def _with_gold(
    source: ProjectSource, wishes: ProjectOptions, models: dict[TaskId, JudgedItem]
) -> Iterator[JudgedItem]:
    for item in items_of_source(source):
        if wishes.gold is not None:
            models.setdefault(item.task_id, item)
        yield item
    if wishes.gold is not None:
        yield from read_gold(wishes.gold, models)


def _write(session: Session, project: StationProject, items: Sequence[JudgedItem], place: int) -> None:
    if not items:
        return
    texts: dict[str, str] = {}
    rows = [_row(project, item, place + number, texts) for number, item in enumerate(items)]
    _keep_texts(session, texts)
    session.execute(insert(StationItem), rows)
    numbers = dict(
        session.execute(
            select(StationItem.item, StationItem.id).where(
                StationItem.project_id == project.project_id, StationItem.item.in_([i.item for i in items])
            )
        ).all()
    )
    answers = [
        {
            "item_id": numbers[item.item],
            "place": side,
            "run": answer.run,
            "key": answer.key,
            "sample": answer.sample,
            "text": _digest(answer.text),
        }
        for item in items
        for side, answer in enumerate(item.answers)
    ]
    if answers:
        session.execute(insert(StationItemAnswer), answers)


def _row(project: StationProject, item: JudgedItem, place: int, texts: dict[str, str]) -> dict[str, Any]:
    subject = canonical({name: getattr(item, name) for name in _SUBJECT}).decode("utf-8", "replace")
    for text in (subject, *(answer.text for answer in item.answers)):
        texts[_digest(text)] = text
    return {
        "project_id": project.project_id,
        "place": place,
        "item": item.item,
        "kind": item.kind,
        "task_id": msgspec.json.encode(item.task_id).decode(),
        "track": item.track,
        "subject": _digest(subject),
        "fields": msgspec.json.encode(item.fields).decode(),
        "expected": msgspec.json.encode(item.expected).decode(),
        "state": "open",
        "wanted": ENDLESS if item.expected else project.judgements,
    }


def _digest(text: str) -> str:
    return content_key("text", text)


def _keep_texts(session: Session, texts: dict[str, str]) -> None:
    known = set(session.scalars(select(StationText.digest).where(StationText.digest.in_(texts))))
    rows = [{"digest": key, "body": storable_text(text)} for key, text in texts.items() if key not in known]
    if rows:
        session.execute(insert(StationText), rows)


def storable_text(text: str) -> str:
    """The text without what PostgreSQL or UTF-8 cannot store: NUL becomes its symbol, lone surrogates are
    replaced. Judges see the same characters anyway.
    """
    return text.replace("\0", "\u2400").encode("utf-8", "replace").decode()


def _extend_orders(session: Session, project: StationProject) -> None:
    """Append new items to the existing orders of judges."""
    query = select(StationSeat.judge_id).where(StationSeat.project_id == project.project_id)
    connection = session.connection()
    facts, items = project_facts(connection, project.project_id), all_items(connection, project.project_id)
    for judge in session.scalars(query).all():
        make_turns(connection, facts, judge, items)


def _count(session: Session, project_id: str) -> int:
    return session.scalar(select(func.count()).where(StationItem.project_id == project_id)) or 0
