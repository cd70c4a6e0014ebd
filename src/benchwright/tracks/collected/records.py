"""Collected records: field names, pseudonyms of people, import options and loading as rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.display.escape import escaped_name
from benchwright.errors import DataError, UsageError, command_name, nearest_hint
from benchwright.records import Task
from benchwright.store.keys import content_key
from benchwright.tracks.rows import Fields, Refuse, load_tasks

ID, SHAPE, GIVEN, DERIVED, DATASET = "id", "shape", "given", "derived", "dataset"
RESERVED = frozenset({ID, SHAPE, GIVEN, DERIVED, DATASET, "_row"})
NAMES = frozenset(
    {
        *("id", "description", "code_snippet", "comment", "annotations", "line_number", "annotation"),
        *("lang", "language", "style", "unit", "key_lines"),
        *("question", "user_login", "created_at", "updated_at", "body", "answers"),
        *("accepted", "linked_fix", "author_association", "role", "reactions"),
        *("query", "response", "explanation", "judge_prompt", "prompt"),
        *("level_1_dim", "level_2_dim", "level_3_dim", "level_4_dim"),
        *("license", "repo", "commit"),
    }
)


class FieldRenaming:
    """Mapping of a project's field names to ours, MINE=OURS, at every depth of a record."""

    def __init__(self, pairs: Iterable[str] = ()) -> None:
        """Raises UsageError for an invalid pair, an unknown name, and a duplicate name."""
        self.ours: dict[str, str] = {}
        for pair in pairs:
            mine, sign, ours = (part.strip() for part in pair.partition("="))
            if not (mine and sign and ours):
                raise UsageError(
                    f"--fields: expected MINE=OURS, got {pair!r}", hint="--fields source=code_snippet"
                )
            if ours not in NAMES:
                hint = nearest_hint(ours, sorted(NAMES))
                raise UsageError(f"--fields {pair}: unknown field {ours!r}", hint=hint)
            if mine in self.ours or ours in self.ours.values():
                raise UsageError(f"--fields {pair}: duplicate name", hint="use each name once")
            self.ours[mine] = ours

    def applied(self, fields: Fields) -> Fields:
        """A record with our names. Raises DataError if it has both names of a field."""
        return fields._replace(data=_rename_keys(fields.data, self.ours, fields)) if self.ours else fields

    def undone(self, record: dict[str, Any]) -> dict[str, Any]:
        """A record with the project's names."""
        mine = {ours: mine for mine, ours in self.ours.items()}
        renamed: dict[str, Any] = _rename_keys(record, mine, None) if mine else record
        return renamed


def _rename_keys(value: Any, names: Mapping[str, str], place: Fields | None) -> Any:
    """A value with renamed keys, recursively; the depth of rows is limited."""
    if isinstance(value, list):
        return [_rename_keys(each, names, place) for each in value]
    if not isinstance(value, dict):
        return value
    for mine, ours in names.items():
        if place is not None and mine in value and ours in value and mine != ours:
            hint = f"leave out --fields {mine}={ours}, or one of the two fields"
            raise place.error(f"the record has `{escaped_name(mine)}` and `{ours}`", field=ours, hint=hint)
    return {names.get(name, name): _rename_keys(each, names, place) for name, each in value.items()}


class RecordReader:
    """Reader of a record that tracks which fields a row stores under its own names.

    `reserved` are field names of the row: an unused field with such a name goes into `given`.
    """

    def __init__(self, fields: Fields, *, reserved: Collection[str] = RESERVED) -> None:
        self.fields, self._reserved = fields, {*reserved, GIVEN, DERIVED}
        self._used: set[str] = set()
        self._given: dict[str, Any] = {}
        self._derived: list[str] = []

    def has(self, name: str) -> bool:
        """Whether the record has a value for a name."""
        return self.fields.data.get(name) is not None

    def text(self, name: str) -> str:
        """A required string, which the row stores unchanged."""
        self._used.add(name)
        return self.fields.text(name)

    def use(self, name: str) -> None:
        """Mark a field as stored in the row unchanged."""
        self._used.add(name)

    def read(self, name: str) -> None:
        """Mark a field as stored in the row after conversion; the original is kept in `given`."""
        self._used.add(name)
        self._given[name] = self.fields.data[name]

    def derive(self, name: str) -> None:
        """Mark a field of the row that the record does not have."""
        self._derived.append(name)

    def meta(self) -> dict[str, Any]:
        """Fields of the record that the row's `meta` keeps."""
        rest = {name: value for name, value in self.fields.data.items() if name not in self._used}
        flat = {name: value for name, value in rest.items() if name not in self._reserved}
        given = {**self._given, **{name: value for name, value in rest.items() if name in self._reserved}}
        return {
            **flat,
            **({GIVEN: given} if given else {}),
            **({DERIVED: self._derived} if self._derived else {}),
        }


def restored(
    known: Mapping[str, Any],
    kept: Mapping[str, Any],
    *,
    own: bool = True,
    reserved: Collection[str] = RESERVED,
) -> dict[str, Any]:
    """Restore a record from known fields (by the record's names) and from the fields kept in `meta`.

    `own` is false for a row made from a record of another format: fields that only it had are omitted.
    """
    flat = {name: value for name, value in kept.items() if name not in {*reserved, GIVEN, DERIVED}}
    if not own:
        return {**known, **flat}
    record_fields = {name: value for name, value in known.items() if name not in kept.get(DERIVED, ())}
    return {**record_fields, **flat, **kept.get(GIVEN, {})}


_PERSON = frozenset(
    {
        *("user_login", "login", "author", "user", "assignee", "assignees", "closed_by", "committer"),
        *("author_name", "author_email", "committer_name", "committer_email", "email", "reviewer"),
    }
)
_CODE = ("code_snippet",)  # fields with code, in which @ is not a mention
_MENTION = re.compile(r"(?<![\w.@/`-])@([A-Za-z0-9][A-Za-z0-9-]{0,38})")


def data_hash_of(source: str | Path) -> str:
    """Hash of a data set; imported lazily, because a worker does not read files."""
    from benchwright.store.data_files import data_hash  # noqa: PLC0415

    return data_hash(source)


class Pseudonyms:
    """Pseudonyms of one data set. `key_of` returns its key and is called at first use."""

    def __init__(self, key_of: Callable[[], str]) -> None:
        self._key_of = key_of

    @cached_property
    def _key(self) -> str:
        return self._key_of()

    def of(self, name: str) -> str:
        """The pseudonym of a name; empty for an empty name."""
        return f"user-{content_key('author', self._key, name.strip().lower())[:10]}" if name.strip() else name

    def record(self, record: dict[str, Any]) -> dict[str, Any]:
        """A record with pseudonyms for names in its fields and for mentions of these people in its texts."""
        people: set[str] = set()
        replaced: dict[str, Any] = self._fields(record, people)
        known = {name.strip().lower() for name in people}
        return self._mentions(replaced, known) if known else replaced

    def _fields(self, value: Any, people: set[str], *, person: bool = False) -> Any:
        if isinstance(value, str) and person:
            people.add(value)
            return self.of(value)
        if isinstance(value, list):
            return [self._fields(each, people, person=person) for each in value]
        if not isinstance(value, dict):
            return value
        if person:  # an account object of the platform, with URLs that contain the name
            login = next(
                (value[key] for key in ("login", "name", "email") if isinstance(value.get(key), str)), ""
            )
            return {"login": self._fields(login, people, person=True)}
        return {
            name: self._fields(each, people, person=name in _PERSON or name.endswith("_login"))
            for name, each in value.items()
        }

    def _mentions(self, value: Any, known: set[str]) -> Any:
        if isinstance(value, str):
            return _MENTION.sub(
                lambda found: f"@{self.of(found[1])}" if found[1].lower() in known else found[0], value
            )
        if isinstance(value, list):
            return [self._mentions(each, known) for each in value]
        if isinstance(value, dict):
            return {
                name: each if name in _CODE else self._mentions(each, known) for name, each in value.items()
            }
        return value


ANNOTATIONS, COMMENT, ISSUE, IANVS = "annotations", "comment", "issue", "ianvs"  # formats of records


class ImportOptions(NamedTuple):
    """Options of an import: names of fields, pseudonyms if any, and the default language of code.

    `dataset` is the content of Ianvs's metadata.json.
    """

    renaming: FieldRenaming = FieldRenaming()
    pseudonyms: Pseudonyms | None = None
    lang: str = ""
    dataset: Mapping[str, Any] = {}

    def record(self, fields: Fields) -> Fields:
        """A record with our field names, and with pseudonyms."""
        renamed = self.renaming.applied(fields)
        if self.pseudonyms is None:
            return renamed
        return renamed._replace(data=self.pseudonyms.record(renamed.data))


class RecordConverter(NamedTuple):
    """How a track converts collected records into its rows, and its rows into records."""

    to_row: Callable[[Fields, ImportOptions], dict[str, Any]]  # leaves a row as it is
    build: Callable[[Fields], Task]  # reads a task from a row
    record_of_row: Callable[[Mapping[str, Any]], dict[str, Any]]
    key_input: str  # an input that only rows of this track have
    level: Callable[[Task], str]  # the level that Ianvs groups by
    note: Callable[[Task], str] = lambda task: ""  # a missing part of an imported row; empty if complete


def is_row(fields: Fields) -> bool:
    """Whether an object is a row, not a collected record."""
    return "inputs" in fields.data and "meta" in fields.data


def made_id(source: Fields) -> str:
    """Id for a record without one: 12 hex digits of the hash of its content."""
    return content_key(source.data)[:12]


def row_of_ianvs(
    source: Fields,
    fields: Fields,
    inputs: Mapping[str, Any],
    outputs: Mapping[str, Any],
    *,
    shown: str,
    importing: ImportOptions,
) -> dict[str, Any]:
    """Convert an Ianvs record into a row that keeps it; `shown` is the input used as the prompt."""
    meta = {ID: made_id(source), SHAPE: IANVS, GIVEN: fields.data}
    dataset = {DATASET: dict(importing.dataset)} if importing.dataset else {}
    parts = {"instruction": f"{{{shown}}}", "inputs": dict(inputs), "outputs": dict(outputs)}
    return {**parts, "meta": {**meta, **dataset}}


def unknown_shape(fields: Fields, *, needs: str, to: str) -> DataError:
    """Create the error for an object that is neither a row nor a record of a known format."""
    found = ", ".join(f"`{escaped_name(name, 30)}`" for name in list(fields.data)[:8]) or "nothing"
    hint = f"map the project's own names: {command_name()} convert --to {to} --fields MINE={needs}"
    return fields.error(f"the record has no `{needs}`; it has {found}", field=needs, hint=hint)


def row_from(
    source: Fields,
    taken: RecordReader,
    *,
    shape: str,
    parts: tuple[str, dict[str, Any], dict[str, Any]],
    importing: ImportOptions,
) -> dict[str, Any]:
    """Create a row from a record: `parts` are instruction, inputs and outputs.

    A record without an id gets one from its content in the file, so that field names and pseudonyms do not
    affect it.
    """
    instruction, inputs, outputs = parts
    if taken.has(ID):
        task_id = taken.fields.identity(ID)
        taken.use(ID)
    else:
        task_id = made_id(source)
        taken.derive(ID)
    meta_fields = taken.meta()
    dataset = {DATASET: dict(importing.dataset)} if importing.dataset else {}
    meta = {ID: task_id, SHAPE: shape, **dataset, **meta_fields}
    return {"instruction": instruction, "inputs": inputs, "outputs": outputs, "meta": meta}


ToRow = Callable[[Fields, ImportOptions], dict[str, Any]]


def load_collected(
    source: str | Path,
    build: Callable[[Fields], Task],
    to_row: ToRow,
    *,
    refuse: Refuse | None = None,
) -> Iterator[Task]:
    """Load the tasks of a data set of rows, or of collected records, whose authors get pseudonyms.

    `to_row` converts a record into a row and leaves rows unchanged; `build` reads a task. Raises as
    `load_tasks` does.
    """
    importing = ImportOptions(pseudonyms=Pseudonyms(lambda: data_hash_of(source)))

    def read(fields: Fields) -> Task:
        return build(fields._replace(data=to_row(fields, importing)))

    return load_tasks(source, read, refuse=refuse)
