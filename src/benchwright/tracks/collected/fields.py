"""Fields of records that projects collected: their own names for them, and what a row keeps of the rest.

A row has its own names for what it knows. All else of a record stays in the row's `meta` under its own name;
what cannot stay there, since the name is taken or the value was read in another form, is in `meta.given`, and
`meta.derived` lists what the record did not have. So the record can be written again as it was.
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
    """A project's names for the fields of records: MINE=OURS, at every depth of a record."""

    def __init__(self, pairs: Iterable[str] = ()) -> None:
        """Raises UsageError for a pair that is none, a name that is not known, and one name twice."""
        self.ours: dict[str, str] = {}
        for pair in pairs:
            mine, sign, ours = (part.strip() for part in pair.partition("="))
            if not (mine and sign and ours):
                raise UsageError(f"--fields {pair!r} is no pair", hint="--fields source=code_snippet")
            if ours not in NAMES:
                hint = nearest_hint(ours, sorted(NAMES))
                raise UsageError(f"--fields {pair}: there is no field {ours!r}", hint=hint)
            if mine in self.ours or ours in self.ours.values():
                raise UsageError(f"--fields {pair}: one of the names is given twice", hint="name each once")
            self.ours[mine] = ours

    def applied(self, fields: Fields) -> Fields:
        """A record under our names. Raises DataError where a record has both names of a field."""
        return fields._replace(data=_renamed(fields.data, self.ours, fields)) if self.ours else fields

    def undone(self, record: dict[str, Any]) -> dict[str, Any]:
        """A record under the project's names."""
        mine = {ours: mine for mine, ours in self.ours.items()}
        renamed: dict[str, Any] = _renamed(record, mine, None) if mine else record
        return renamed


def _renamed(value: Any, names: Mapping[str, str], place: Fields | None) -> Any:
    """The value with the keys of its objects renamed; rows are read with a limit to their depth."""
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
    """A record that is being read: which of its fields a row has under names of its own.

    `reserved` are the names that the row has there: a field of such a name that is not used is in `given`.
    """

    def __init__(self, fields: Fields, *, reserved: Collection[str] = RESERVED) -> None:
        self.fields, self._reserved = fields, {*reserved, GIVEN, DERIVED}
        self._used: set[str] = set()
        self._given: dict[str, Any] = {}
        self._derived: list[str] = []

    def has(self, name: str) -> bool:
        """Whether the record says anything under a name."""
        return self.fields.data.get(name) is not None

    def text(self, name: str) -> str:
        """A string that must be there; the row has it as it is."""
        self._used.add(name)
        return self.fields.text(name)

    def use(self, name: str) -> None:
        """The row has this field as it is."""
        self._used.add(name)

    def read(self, name: str) -> None:
        """The row has what was read from this field: the field itself is kept beside it."""
        self._used.add(name)
        self._given[name] = self.fields.data[name]

    def derive(self, name: str) -> None:
        """The row has a field that the record lacks."""
        self._derived.append(name)

    def meta(self) -> dict[str, Any]:
        """What the row's `meta` keeps of the record."""
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
    """A record by what a row knows under the record's names, and by what it keeps of the record.

    `own` is false for a row that was made from a record of another shape: what only that had stays out.
    """
    flat = {name: value for name, value in kept.items() if name not in {*reserved, GIVEN, DERIVED}}
    if not own:
        return {**known, **flat}
    made = {name: value for name, value in known.items() if name not in kept.get(DERIVED, ())}
    return {**made, **flat, **kept.get(GIVEN, {})}
