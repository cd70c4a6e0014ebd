"""JSON Schemas of every row, verdict, score and file of a run folder, by name.

Generated from the records that the code reads and writes, with the comments of their fields.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import msgspec

from benchwright.contracts import Assessment
from benchwright.errors import UsageError, command_name, nearest_hint
from benchwright.models.replay import TEXT_FIELDS
from benchwright.records import Answer, Event, Metric, Proof, Record, Score, Verdict
from benchwright.running.data_check import CheckedData
from benchwright.tracks import row_schemas as rows
from benchwright.tracks.aicodereval.entry import BenchmarkEntry
from benchwright.tracks.own.rows import KINDS, OwnRow

DRAFT = "https://json-schema.org/draft/2020-12/schema"
_REMARK = re.compile(r"^    (\w+):[^#\n]*?(?:\"[^\"\n]*\"[^#\n]*?)*  # (?!noqa|type:)(.+)$", re.MULTILINE)


class KeptTasks(Record, frozen=True, kw_only=True):
    """The data set in a run folder, `tasks.gz`."""

    sha256: str  # of its unpacked content
    bytes: int  # unpacked


class RunManifest(Record, frozen=True, kw_only=True):
    """`run.json`: what was run. Folders of one `identity` hold the same run; a track may add to it."""

    identity: dict[str, Any]  # track, form, data, model, n, profile, limits, judging, python and more
    model: str  # as the command named it
    name: str = ""  # what the suite that ran it calls its model
    version: str = ""  # of Benchwright
    data: str = ""  # as the command named it
    base_url: str = ""  # where the model was served
    jail: str = ""
    host: dict[str, Any] = {}  # system, cores, python
    tasks: KeptTasks | None = None  # null where the tasks are withheld
    started: str = ""  # ISO 8601, UTC
    finished: str = ""


class Named(NamedTuple):
    """A schema name, the place of its records, and their type."""

    kind: type[msgspec.Struct]
    where: str


NAMES: Mapping[str, Named] = {
    "own": Named(OwnRow, "a row of a data set of own tasks, a line of JSON or a [[task]] of TOML"),
    "humaneval": Named(rows.HumanEvalRow, "a row of a data set"),
    "mbpp": Named(rows.AssertedRow, "a row of a data set"),
    "evalplus": Named(rows.PlusRow, "a row of a data set"),
    "multipl": Named(rows.MultiplRow, "a row of a data set"),
    "ruhumaneval": Named(rows.FunctionRow, "a row of a data set"),
    "codecorrectness": Named(rows.CorrectnessRow, "a row of a data set"),
    "codecorrectness-errors": Named(rows.ErrorClassRow, "a row of a data set"),
    "aicodereval": Named(BenchmarkEntry, "a row of a data set"),
    "smartcoding-comments": Named(rows.CommentRow, "a row of a data set"),
    "smartcoding-issues": Named(rows.IssueRow, "a row of a data set"),
    "stored-answer": Named(rows.StoredAnswerRow, "a row of a file for --model replay:FILE"),
    "run": Named(RunManifest, "run.json of a run folder"),
    "answer": Named(Answer, "a row of answers.jsonl and replies.JUDGE.jsonl"),
    "verdict": Named(Verdict, "a row of verdicts.jsonl and verdicts.PROFILE.jsonl"),
    "proof": Named(Proof, "a row of self_check.jsonl"),
    "assessment": Named(Assessment, "a row of assessments.jsonl"),
    "event": Named(Event, "a row of events.jsonl"),
    "score": Named(Score, "scores.json, and what `run --json` prints"),
    "metric": Named(Metric, "each figure of a score"),
    "check": Named(CheckedData, "what `check --json` prints"),
}

_ONE_OF: Mapping[str, tuple[str, ...]] = {
    "own": KINDS,
    "mbpp": ("text", "prompt"),
    "stored-answer": TEXT_FIELDS,
}  # one must be there


def schema_of(name: str) -> dict[str, Any]:
    """The JSON Schema of a name, draft 2020-12. Raises UsageError, with the nearest name, for another.

    >>> schema_of("metric")["properties"]["n"]
    {'type': 'integer', 'description': 'tasks'}
    """
    if name not in NAMES:
        hint = nearest_hint(name, NAMES, otherwise=f"{command_name()} schema")
        raise UsageError(f"there is no schema of {name!r}", hint=hint)
    kind, where = NAMES[name]
    made = msgspec.json.schema(kind)
    defined: dict[str, Any] = made["$defs"]
    for each, schema in defined.items():
        _describe(schema, _kinds(kind)[each])
    top = {"title": name, **{key: value for key, value in defined[kind.__name__].items() if key != "title"}}
    if name in _ONE_OF:
        top["anyOf"] = [{"required": [each]} for each in _ONE_OF[name]]
    is_named_elsewhere = f'"#/$defs/{kind.__name__}"' in str(defined).replace("'", '"')
    rest = {each: schema for each, schema in defined.items() if each != kind.__name__ or is_named_elsewhere}
    return {"$schema": DRAFT, "$comment": where, **top, **({"$defs": rest} if rest else {})}


def _describe(schema: dict[str, Any], kind: Any) -> None:
    """Add the comments of fields to the properties of a schema."""
    for name, remark in _remarks(kind).items():
        if name in schema.get("properties", {}):
            schema["properties"][name]["description"] = remark


@cache
def _remarks(kind: type) -> dict[str, str]:
    """Return the comments of a record's fields in its source, and of those that it inherits."""
    found: dict[str, str] = {}
    for each in reversed(kind.__mro__):
        if issubclass(each, msgspec.Struct) and each is not msgspec.Struct:
            found |= dict(_REMARK.findall(inspect.getsource(each)))
    return found


def _kinds(kind: type) -> dict[str, type]:
    """Return the named types in a record's fields, including itself, by name."""
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
    """Return the named types in an annotation."""
    if isinstance(kind, type) and hasattr(kind, "__doc__") and not hasattr(kind, "__args__"):
        yield kind
    for part in getattr(kind, "__args__", ()):
        yield from _types(part)
