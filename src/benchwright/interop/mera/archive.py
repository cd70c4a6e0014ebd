"""Reading of an untrusted submission: its zip archive, documents and rows.

Nothing is written to disk, and memory is limited. The size of the archive's directory is checked before the
standard library reads it, which makes an object for each entry: a file of a few megabytes can have a million.

Documents are read with Python's `json`, as by MERA's server: NaN and duplicate keys are accepted and
reported. Three bytes of JSON can take a hundred in memory, so values are counted first.
"""

from __future__ import annotations

import codecs
import json
import lzma
import os
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, NamedTuple

from benchwright.display.escape import escaped_name, escaped_path
from benchwright.interop.mera.findings import Findings
from benchwright.interop.mera.task_sets import KINDS, LOGS, TaskSetKind, nearest_kind
from benchwright.store.files import locate

MAX_DIRECTORY = 1 << 20
MAX_ENTRIES = 1000
MAX_FILE = 64 << 20
MAX_UNPACKED = 1 << 30
MAX_RATIO = 200  # of an entry over MAX_RATIO_FROM; a file of nulls alone is packed 1:150
MAX_RATIO_FROM = 16 << 20
_CHUNK = 1 << 18
_END = b"PK\x05\x06"
_END_SIZE, _LOCATOR_SIZE, _MAX_COMMENT = 22, 20, 1 << 16
_LOCATOR = b"PK\x06\x07"  # of a zip64 directory, whose sizes would be others than those checked here
# What the standard library raises for archives that are damaged or made to be.
ZIP_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(EOFError, OSError, ValueError, RuntimeError),
)


class ArchiveMember(NamedTuple):
    """File of a task set in the archive."""

    kind: TaskSetKind
    name: str
    data: bytes


def read_members(path: str | Path, found: Findings) -> dict[str, ArchiveMember]:
    """Read the files of task sets by correct names. Errors of the archive are added to `found`."""
    file = locate(path)
    name = escaped_path(file.name)
    if not file.name.endswith(".zip"):
        found.add("not-named-zip", name, "the server takes a file for an archive by the end of its name")
    try:
        with file.open("rb") as stream:
            if not _check_directory(stream, name, found):
                return {}
            with zipfile.ZipFile(stream) as packed:
                return _Reader(packed, name, found).members()
    except ZIP_DAMAGE as error:
        found.add("unreadable-zip", name, f"it cannot be read as a zip: {escaped_name(str(error))}")
        return {}


def _check_directory(stream: BinaryIO, name: str, found: Findings) -> bool:
    """Return whether the directory exists and is small."""
    problem = directory_problem(stream)
    if problem is not None:
        found.add(problem[0], name, problem[1])
    return problem is None


def directory_problem(stream: BinaryIO) -> tuple[str, str] | None:
    """Return the kind of problem with a zip archive's directory and a clause about it; None if it is good.

    It is called before the standard library reads the directory.
    """
    size = stream.seek(0, os.SEEK_END)
    start = max(0, size - _END_SIZE - _LOCATOR_SIZE - _MAX_COMMENT)
    stream.seek(start)
    tail = stream.read()
    stream.seek(0)
    at = tail.rfind(_END)
    if at < 0 or len(tail) - at < _END_SIZE:
        return "unreadable-zip", "invalid zip file: it has no directory at its end"
    directory = int.from_bytes(tail[at + 12 : at + 16], "little")
    if directory > MAX_DIRECTORY or tail[:at][-_LOCATOR_SIZE:].startswith(_LOCATOR):
        return "too-large", f"its directory takes more than {MAX_DIRECTORY >> 10} KiB, or is a zip64 one"
    return None


class _Reader:
    """Reads all entries once: names, then contents, with a common budget."""

    def __init__(self, packed: zipfile.ZipFile, archive: str, found: Findings) -> None:
        self._packed, self._archive, self._found = packed, archive, found
        self._left = MAX_UNPACKED
        self._members: dict[str, ArchiveMember] = {}
        self._seen: set[str] = set()

    def members(self) -> dict[str, ArchiveMember]:
        entries = [info for info in self._packed.infolist() if not info.is_dir()]
        if len(entries) > MAX_ENTRIES:
            self._found.add("too-large", self._archive, f"it holds {len(entries):,} files")
            return {}
        for info in entries:
            self._take(info)
        return self._members

    def _take(self, info: zipfile.ZipInfo) -> None:
        name = escaped_name(info.filename, 200)
        kind = self._identify(info.filename, name)
        if (data := self._content(info, name, keep=kind is not None)) is None or kind is None:
            return
        if kind.name in self._members:
            problem = f"{self._members[kind.name].name} has the same name"
            self._found.add("doubled-file", name, problem)
        self._members[kind.name] = ArchiveMember(kind, name, data)

    def _identify(self, filename: str, name: str) -> TaskSetKind | None:
        """Return the task set of a file; errors in its name are reported."""
        path = PurePosixPath(filename.replace("\\", "/"))
        stem, extension = os.path.splitext(path.name)
        if path.is_absolute() or ".." in path.parts or "\\" in filename:
            self._found.add("unsafe-name", name, "its name is absolute, or has `..` or a backslash")
        near = KINDS.get(stem) or nearest_kind(stem)
        if near is None or stem.casefold() != near.name.casefold():
            self._note_extra(path, name, near)
            return None
        if len(path.parts) > 1:
            self._found.add("not-at-root", name, "it is in a folder of the archive")
        if stem != near.name:
            hint = f"rename it to {near.name}.json"
            self._found.add("wrong-case", name, f"the name is `{near.name}`", hint=hint)
        if extension != ".json":
            problem = f"it ends in `{escaped_name(extension, 20)}`, not in `.json`"
            self._found.add("wrong-extension", name, problem)
            return None
        return near

    def _note_extra(self, path: PurePosixPath, name: str, near: TaskSetKind | None) -> None:
        if str(path) == LOGS:
            return
        hint = f"if it belongs to {near.name}, rename it to {near.name}.json" if near else ""
        self._found.add("extra-file", name, "it is the file of no task set of MERA Code", hint=hint)

    def _content(self, info: zipfile.ZipInfo, name: str, *, keep: bool) -> bytes | None:
        """Read the bytes of an entry and verify their checksum; empty if they are not needed."""
        if info.flag_bits & 1:
            self._found.add("encrypted", name, "it is encrypted")
            return None
        limit = MAX_FILE if keep else MAX_UNPACKED
        swells = info.file_size > MAX_RATIO_FROM and info.file_size > MAX_RATIO * info.compress_size
        if info.file_size > min(limit, self._left) or swells:
            problem = f"it unpacks from {info.compress_size:,} to {info.file_size:,} bytes"
            self._found.add("too-large", name, problem)
            return None
        self._left -= info.file_size
        try:
            with self._packed.open(info) as stream:
                chunks = iter(lambda: stream.read(_CHUNK), b"")
                return b"".join(chunk if keep else b"" for chunk in chunks)
        except ZIP_DAMAGE as error:
            problem = f"its content is damaged: {escaped_name(str(error))}"
            self._found.add("unreadable-zip", name, problem)
            return None


MAX_NODES = 4_000_000
UNREADABLE = object()


def read_json(data: bytes, file: str, found: Findings) -> Any:
    """Parse a file; returns UNREADABLE with the reason in `found` if it is invalid."""
    if data.startswith(codecs.BOM_UTF8):
        found.add("byte-order-mark", file, "it begins with a byte-order mark, which Python's json refuses")
        data = data[len(codecs.BOM_UTF8) :]
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        problem = f"byte {error.start:,} is not UTF-8 ({error.reason})"
        found.add("not-utf-8", file, problem)
        return UNREADABLE
    if sum(map(data.count, (b",", b"[", b"{"))) > MAX_NODES:
        found.add("too-large", file, f"it holds more than {MAX_NODES:,} values")
        return UNREADABLE
    return _parse(text, file, found)


def _parse(text: str, file: str, found: Findings) -> Any:
    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        mapping = dict(items)
        if len(mapping) != len(items):
            repeated_name, _ = Counter(name for name, _ in items).most_common(1)[0]
            found.add(
                "doubled-key", file, "a key appears twice in one object", field=escaped_name(repeated_name)
            )
        return mapping

    try:
        return json.loads(text.strip(), object_pairs_hook=pairs)
    except (ValueError, RecursionError) as error:
        found.add("broken-json", file, f"it is not JSON: {escaped_name(str(error))}")
        return UNREADABLE


def read_rows(document: Any, file: str, found: Findings) -> dict[Any, Any] | None:
    """Return the outputs by id as the server reads them, with the last of duplicates; None if invalid."""
    rows = _rows(document, file, found)
    if rows is None:
        return None
    outputs: dict[Any, Any] = {}
    for number, row in enumerate(rows):
        field = f"data.test.{number}"
        has_outputs = isinstance(row, dict) and "outputs" in row
        if not has_outputs:
            found.add("no-outputs", file, "the row has no `outputs`", field=field, task_id=_id_of(row))
        task_id = _take_id(row, file, field, found)
        if task_id is None or not has_outputs:
            continue
        if task_id in outputs:
            found.add("doubled-id", file, "it was already there", field=field, task_id=_shown_id(task_id))
        outputs[task_id] = row["outputs"]
    return outputs


def check_ids(outputs: dict[Any, Any], expected: Iterable[Any], file: str, found: Findings) -> None:
    """Report missing and unknown ids."""
    expected_ids = dict.fromkeys(expected)
    for task_id in expected_ids:
        if task_id not in outputs:
            found.add("missing-id", file, "the row of this task is missing", field="meta.id", task_id=task_id)
    for task_id in outputs:
        if task_id not in expected_ids:
            problem = "the task set has no such task"
            found.add("unknown-id", file, problem, field="meta.id", task_id=_shown_id(task_id))


def _rows(document: Any, file: str, found: Findings) -> list[Any] | None:
    if not isinstance(document, dict):
        kind = "no-data" if isinstance(document, list) else "wrong-top"
        found.add(kind, file, f"the document is {name_of(document)}, not an object")
    elif "data" not in document:
        found.add("no-data", file, "the document has no `data`", field="data")
    elif not isinstance(document["data"], dict):
        kind = "no-split" if isinstance(document["data"], list) else "wrong-top"
        found.add(kind, file, f"it is {name_of(document['data'])}, not an object", field="data")
    elif "test" not in document["data"]:
        found.add("no-split", file, "`data` has no `test`", field="data.test")
    elif not isinstance(document["data"]["test"], list):
        problem = f"it is {name_of(document['data']['test'])}, not an array of rows"
        found.add("wrong-top", file, problem, field="data.test")
    else:
        return list(document["data"]["test"])
    return None


def _take_id(row: Any, file: str, field: str, found: Findings) -> str | float | None:
    """Return the row's id; None if it has no usable one."""
    meta = row.get("meta") if isinstance(row, dict) else None
    if not isinstance(row, dict) or "meta" not in row:
        found.add("no-meta", file, "the row has no `meta`", field=field)
        return None
    if not isinstance(meta, dict) or "id" not in meta:
        found.add("no-id", file, "`meta` has no `id`", field=f"{field}.meta")
        return None
    task_id = meta["id"]
    if isinstance(task_id, list | dict):
        found.add("id-unusable", file, f"it is {name_of(task_id)}", field=f"{field}.meta.id")
        return None
    if type(task_id) is not int:
        problem = f"it is {name_of(task_id)}, not an integer"
        found.add("id-not-integer", file, problem, field=f"{field}.meta.id", task_id=_shown_id(task_id))
    return task_id if isinstance(task_id, str | int | float) else None


def _id_of(row: Any) -> Any:
    """Return the id for a message, if any."""
    meta = row.get("meta") if isinstance(row, dict) else None
    return _shown_id(meta["id"]) if isinstance(meta, dict) and "id" in meta else None


def _shown_id(task_id: Any) -> Any:
    if isinstance(task_id, str):
        return escaped_name(task_id)
    if isinstance(task_id, int):
        return task_id if task_id.bit_length() < 64 else escaped_name(str(task_id))
    return None


def name_of(value: Any) -> str:
    """Return the JSON type of a value in words."""
    names = {type(None): "null", bool: "a boolean", int: "a number", float: "a number", str: "a string"}
    return names.get(type(value), "an array" if isinstance(value, list) else "an object")
