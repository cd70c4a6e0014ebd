"""Fields of collected records: mapping of names, and the fields that a row keeps.

A row has its own names for known fields. Other fields of a record are kept in the row's `meta` under their
names; `meta.given` has those whose name is taken or whose value was converted, and `meta.derived` lists
fields that the record did not have. The original record can therefore be restored.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from benchwright.display.escape import escaped_name
from benchwright.errors import UsageError, nearest_hint
from benchwright.tracks.rows import Fields

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


class Renaming:
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
        return fields._replace(data=_renamed(fields.data, self.ours, fields)) if self.ours else fields

    def undone(self, record: dict[str, Any]) -> dict[str, Any]:
        """A record with the project's names."""
        mine = {ours: mine for mine, ours in self.ours.items()}
        renamed: dict[str, Any] = _renamed(record, mine, None) if mine else record
        return renamed


def _renamed(value: Any, names: Mapping[str, str], place: Fields | None) -> Any:
    """A value with renamed keys, recursively; the depth of rows is limited."""
    if isinstance(value, list):
        return [_renamed(each, names, place) for each in value]
    if not isinstance(value, dict):
        return value
    for mine, ours in names.items():
        if place is not None and mine in value and ours in value and mine != ours:
            hint = f"leave out --fields {mine}={ours}, or one of the two fields"
            raise place.error(f"the record has `{escaped_name(mine)}` and `{ours}`", field=ours, hint=hint)
    return {names.get(name, name): _renamed(each, names, place) for name, each in value.items()}


class ReadRecord:
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
    made = {name: value for name, value in known.items() if name not in kept.get(DERIVED, ())}
    return {**made, **flat, **kept.get(GIVEN, {})}
