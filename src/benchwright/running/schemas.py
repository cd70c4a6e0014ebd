"""JSON Schema of rows, verdicts, scores and files of a run folder, by name.

Schemas are generated from the records of the code and the comments on their fields.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from itertools import chain
from typing import Any, NamedTuple

import msgspec

from benchwright import registry
from benchwright.contracts import Assessment
from benchwright.errors import UsageError, command_name, nearest_hint
from benchwright.models.replay import TEXT_FIELDS
from benchwright.records import Answer, Event, Metric, Proof, Record, Score, Verdict
from benchwright.running.data_check import CheckedData
from benchwright.tracks.row_schemas import StoredAnswerRow

DRAFT = "https://json-schema.org/draft/2020-12/schema"
_REMARK = re.compile(r"^    (\w+):[^#\n]*?(?:\"[^\"\n]*\"[^#\n]*?)*  # (?!noqa|type:)(.+)$", re.MULTILINE)


class TaskSnapshot(Record, frozen=True, kw_only=True):
    """The data set in a run folder, `tasks.gz`."""

    sha256: str  # of its unpacked content
    bytes: int  # unpacked


class RunManifest(Record, frozen=True, kw_only=True):
    """`run.json`: identity of a run. Folders of one `identity` hold the same run; a track may add to it."""

    identity: dict[str, Any]  # track, form, data, model, n, profile, limits, judging, python and more
    model: str  # as the command named it
    name: str = ""  # the model's name in the suite that ran it
    version: str = ""  # of Benchwright
    data: str = ""  # as the command named it
    base_url: str = ""  # where the model was served
    jail: str = ""
    planned: dict[str, float] = {}  # answers; price_in and price_out of a million tokens, if given
    host: dict[str, Any] = {}  # system, cores, python
    tasks: TaskSnapshot | None = None  # null where the tasks are withheld
    started: str = ""  # ISO 8601, UTC
    finished: str = ""


class SchemaSource(NamedTuple):
    """A record type, the place where such records are stored, and alternatives: at least one is required."""

    kind: type[msgspec.Struct]
    where: str
    one_of: tuple[str, ...] = ()


STORED_ANSWER = SchemaSource(StoredAnswerRow, "a row of a file for --model replay:FILE", TEXT_FIELDS)
RUN = SchemaSource(RunManifest, "run.json of a run folder")
ANSWER = SchemaSource(Answer, "a row of answers.jsonl and replies.JUDGE.jsonl")
VERDICT = SchemaSource(Verdict, "a row of verdicts.jsonl and verdicts.PROFILE.jsonl")
PROOF = SchemaSource(Proof, "a row of self_check.jsonl")
ASSESSMENT = SchemaSource(Assessment, "a row of assessments.jsonl")
EVENT = SchemaSource(Event, "a row of events.jsonl")
SCORE = SchemaSource(Score, "scores.json, and what `run --json` prints")
METRIC = SchemaSource(Metric, "each figure of a score")
CHECK = SchemaSource(CheckedData, "what `check --json` prints")


def schema_names() -> list[str]:
    """Names that have a schema: tracks that declare their rows, then files."""
    tracks = chain(registry.built_in_tracks(), registry.installed_tracks())
    files = (name for name, place in registry.SCHEMAS.items() if _is_installed(place))
    return [*(track.name for track in tracks if track.row), *files]


def _is_installed(place: str) -> bool:
    """Whether the module of `MODULE:NAME` is installed: it may be in the package of the build tools."""
    try:
        return find_spec(place.partition(":")[0]) is not None
    except ModuleNotFoundError:
        return False


def described(name: str) -> SchemaSource:
    """Return the type of a schema. Raises UsageError, with the nearest name, for an unknown one."""
    if name in registry.SCHEMAS and _is_installed(registry.SCHEMAS[name]):
        source: SchemaSource = registry.load(registry.SCHEMAS[name])
        return source
    if name in registry.names("track") and (track := registry.declaration(name)).row:
        return SchemaSource(registry.load(track.row), track.where, track.one_of)
    hint = nearest_hint(name, schema_names(), otherwise=f"{command_name()} schema")
    raise UsageError(f"unknown schema: {name!r}", hint=hint)


def schema_of(name: str) -> dict[str, Any]:
    """The JSON Schema with a name, draft 2020-12. Raises UsageError, with the nearest name, if unknown.

    >>> schema_of("metric")["properties"]["n"]
    {'type': 'integer', 'description': 'tasks'}
    """
    kind, comment, one_of = described(name)
    document = msgspec.json.schema(kind)
    defined: dict[str, Any] = document["$defs"]
    for each, schema in defined.items():
        _describe(schema, _kinds(kind)[each])
    top = {"title": name, **{key: value for key, value in defined[kind.__name__].items() if key != "title"}}
    if one_of:
        top["anyOf"] = [{"required": [each]} for each in one_of]
    is_named_elsewhere = f'"#/$defs/{kind.__name__}"' in str(defined).replace("'", '"')
    rest = {each: schema for each, schema in defined.items() if each != kind.__name__ or is_named_elsewhere}
    return {"$schema": DRAFT, "$comment": comment, **top, **({"$defs": rest} if rest else {})}


def _describe(schema: dict[str, Any], kind: Any) -> None:
    """Add the comments on fields to the properties of a schema."""
    for name, remark in _remarks(kind).items():
        if name in schema.get("properties", {}):
            schema["properties"][name]["description"] = remark


@cache
def _remarks(kind: type) -> dict[str, str]:
    """Comments on the fields of a record in its source, including inherited fields."""
    found: dict[str, str] = {}
    for each in reversed(kind.__mro__):
        if issubclass(each, msgspec.Struct) and each is not msgspec.Struct:
            found |= dict(_REMARK.findall(inspect.getsource(each)))
    return found


def _kinds(kind: type) -> dict[str, type]:
    """Named types in the fields of a record, including the record, by name."""
    found: dict[str, type] = {}
    waiting: list[Any] = [kind]
    while waiting:
        each = waiting.pop()
        if each.__name__ not in found:
            found[each.__name__] = each
            waiting += _inside(each)
    return found


def _inside(kind: type) -> Iterator[type]:
    if not issubclass(kind, msgspec.Struct):
        return
    for field in msgspec.structs.fields(kind):
        yield from _types(field.type)


def _types(kind: Any) -> Iterator[type]:
    """Named types in an annotation."""
    if isinstance(kind, type) and hasattr(kind, "__doc__") and not hasattr(kind, "__args__"):
        yield kind
    for part in getattr(kind, "__args__", ()):
        yield from _types(part)
