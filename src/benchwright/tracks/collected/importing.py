"""What an importer of collected records is told beside the record."""

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

ANNOTATIONS, COMMENT, ISSUE, IANVS = "annotations", "comment", "issue", "ianvs"  # shapes of records


class Importing(NamedTuple):
    """The choices of who imports: names of fields, pseudonyms if any, the language of code that says none.

    `dataset` is what Ianvs's metadata.json says of all records.
    """

    renaming: Renaming = Renaming()
    pseudonyms: Pseudonyms | None = None
    lang: str = ""
    dataset: Mapping[str, Any] = {}

    def record(self, fields: Fields) -> Fields:
        """A record under our names, with pseudonyms in it."""
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
    note: Callable[[Task], str] = lambda task: ""  # what an imported row lacks; empty if nothing


def is_row(fields: Fields) -> bool:
    """Whether an object is a row already, and no record that was collected."""
    return "inputs" in fields.data and "meta" in fields.data


def made_id(source: Fields) -> str:
    """The id of a record that has none: 12 hex digits of its content."""
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
    """The row of a record in Ianvs's shape, which it keeps whole; `shown` is the input that is the prompt."""
    meta = {ID: made_id(source), SHAPE: IANVS, GIVEN: fields.data}
    dataset = {DATASET: dict(importing.dataset)} if importing.dataset else {}
    parts = {"instruction": f"{{{shown}}}", "inputs": dict(inputs), "outputs": dict(outputs)}
    return {**parts, "meta": {**meta, **dataset}}


def unknown_shape(fields: Fields, *, needs: str, to: str) -> DataError:
    """The error for an object that is neither a row nor a record of a shape that is known."""
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
    """The row of a record that was read: `parts` are its instruction, its inputs and its outputs.

    A record without an id gets one made of its content as it stands in the file, so that neither names of
    fields nor pseudonyms change it.
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
