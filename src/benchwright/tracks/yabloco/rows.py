"""Rows of YABLoCo in MERA's format, and the file with which a user describes a repository's environment.

Row: {instruction, inputs: {language, signature, docstring, context}, outputs, meta: {id, original_id,
repository, fname, file, pos, code_length, …}}. `file` begins with the folder of the repository; the function
has the lines `pos` to `pos + code_length`. Format: https://github.com/MERA-Evaluation/MERA_CODE. Rows name no
commit and no command, so FOLDER/REPOSITORY.toml does.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import NamedTuple

import msgspec

from benchwright.contracts import MakeTests
from benchwright.display.escape import escaped_path
from benchwright.records import Task
from benchwright.store.keys import content_key
from benchwright.tracks.realcode.clones import is_commit
from benchwright.tracks.rows import Fields, check_shown, instruction_of, open_mera, with_extra

MAX_TEXT = 1 << 20
MAX_LINE = 10_000_000
MAX_FILE = 1 << 16
LANGUAGES = {"C": "C", "C++": "C++", "c": "C", "cpp": "C++", "c++": "C++", "CPP": "C++"}
_REPOSITORY = re.compile(r"[\w-][\w.-]{0,99}")


def read_task(fields: Fields) -> Task:
    """Read a task from a row. Raises DataError with file, line, field and hint."""
    fields, meta = open_mera(fields)
    inputs = fields.inner("inputs")
    texts = [inputs.text(name, limit=MAX_TEXT) for name in ("language", "signature", "docstring", "context")]
    if texts[0] not in LANGUAGES:
        raise inputs.error("is unknown", field="language", hint="one of: C, C++")
    if not texts[1].strip():
        raise inputs.error("is empty", field="signature", hint="a row needs the head of the function")
    outputs = fields.data.get("outputs")
    if outputs is not None:
        fields.text("outputs", limit=MAX_TEXT)
    if not _REPOSITORY.fullmatch(meta.text("repository", limit=100)):
        raise meta.error("is not the name of a repository", field="repository", hint='write "redis"')
    path = meta.text("file", limit=1000).split("/")
    if len(path) < 2 or not {"", ".", ".."}.isdisjoint(path):
        hint = "write the folder of the repository, then the path: redis/src/sds.c"
        raise meta.error("is not a path below a folder", field="file", hint=hint)
    places = [_line(meta, name, least) for name, least in (("pos", 1), ("code_length", 0))]
    instruction = instruction_of(fields, limit=MAX_TEXT)
    check_shown(fields, instruction, inputs, "signature")
    return Task(
        task_id=meta.identity("id"),
        instruction=instruction,
        inputs=inputs.data,
        outputs=outputs,
        meta=with_extra(fields, meta),
        revision=content_key("yabloco", *texts, outputs, meta.data["repository"], path, places, instruction),
        origin=f"{fields.path}:{fields.line}",
    )


def _line(meta: Fields, name: str, least: int) -> int:
    value = meta.data.get(name)
    if type(value) is not int or not least <= value <= MAX_LINE:
        raise meta.error(f"must be an integer from {least}", field=name, hint=f'write "{name}": 12')
    return value


class MakeEnvironment(NamedTuple):
    """The environment of a repository: its commit and its commands, or why it is missing."""

    commit: str = ""
    make: MakeTests | None = None
    missing: str = ""


class _EnvironmentFile(MakeTests, frozen=True, kw_only=True, forbid_unknown_fields=True):
    commit: str


def read_environment(folder: Path, repository: str) -> MakeEnvironment:
    """Read FOLDER/REPOSITORY.toml. A missing or invalid file is a reason, not an error."""
    path = folder / f"{repository}.toml"
    place = escaped_path(path)
    if not path.is_file():
        return MakeEnvironment(missing=f"no file {place} with commit and commands")
    try:
        with path.open("rb") as file:
            given = tomllib.loads(file.read(MAX_FILE).decode())
        found = msgspec.convert(given, _EnvironmentFile)
        re.compile(found.reported)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError, re.error) as error:
        return MakeEnvironment(missing=f"{place}: {error}")
    if not is_commit(found.commit):
        return MakeEnvironment(missing=f"{place}: commit: must have 7 to 64 hexadecimal digits")
    groups = set(re.compile(found.reported).groupindex)
    if found.reported and not {"name", "state"} <= groups:
        return MakeEnvironment(missing=f"{place}: reported: needs the groups name and state")
    if found.canary is not None and not found.reported:
        return MakeEnvironment(missing=f"{place}: canary: needs `reported`")
    fields = {name: getattr(found, name) for name in MakeTests.__struct_fields__}
    return MakeEnvironment(commit=found.commit, make=MakeTests(**fields))
