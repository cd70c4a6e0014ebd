"""Options and helpers for importing collected records as rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from benchwright.display.escape import escaped_name
from benchwright.errors import DataError, command_name
from benchwright.records import Task
from benchwright.store.keys import content_key
from benchwright.tracks.collected.fields import DATASET, GIVEN, ID, SHAPE, ReadRecord, Renaming
from benchwright.tracks.collected.pseudonyms import Pseudonyms
from benchwright.tracks.rows import Fields

ANNOTATIONS, COMMENT, ISSUE, IANVS = "annotations", "comment", "issue", "ianvs"  # formats of records


class Importing(NamedTuple):
    """Options of an import: names of fields, pseudonyms if any, and the default language of code.

    `dataset` is the content of Ianvs's metadata.json.
    """

    renaming: Renaming = Renaming()
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

    to_row: Callable[[Fields, Importing], dict[str, Any]]  # leaves a row as it is
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
    importing: Importing,
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
    taken: ReadRecord,
    *,
    shape: str,
    parts: tuple[str, dict[str, Any], dict[str, Any]],
    importing: Importing,
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
    kept = taken.meta()
    dataset = {DATASET: dict(importing.dataset)} if importing.dataset else {}
    meta = {ID: task_id, SHAPE: shape, **dataset, **kept}
    return {"instruction": instruction, "inputs": inputs, "outputs": outputs, "meta": meta}
