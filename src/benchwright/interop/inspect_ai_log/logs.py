"""Reading of untrusted Inspect logs without the package, with limits on memory.

A `.eval` file is a zip archive with header.json (or, during an evaluation, _journal/start.json) and a JSON
member per sample; samples are read one at a time. The package's own readers were rejected: one reads all
samples into memory, the other searches the zip directory for each sample (40 minutes for 20,000 answers),
and both reject logs with words that the installed version does not know.
"""

from __future__ import annotations

import json
import os
import re
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, NoReturn

import msgspec

from benchwright.display.escape import escaped_name, escaped_path, quoted
from benchwright.errors import DataError, PrerequisiteError, UsageError, install_command
from benchwright.interop.inspect_ai_log.header import enable_zstandard
from benchwright.store.files import locate
from benchwright.store.strict_json import NOT_JSON

MAX_SAMPLE = 128 << 20
MAX_DOCUMENT = 512 << 20
MAX_DIRECTORY = 32 << 20  # of the zip: some 300,000 samples
MAX_LOGS = 10_000
_HEAD = 1 << 12  # a document begins with its version, its status, and then `eval`
_CHUNK = 1 << 12  # compressed bytes read at a time; decompressed they may be 30,000 times as many
_END, _END_SIZE, _MAX_COMMENT = b"PK\x05\x06", 22, 1 << 16
_END64, _END64_SIZE, _LOCATOR_SIZE = b"PK\x06\x06", 56, 20
_SAMPLE = re.compile(r"samples/(.*)_epoch_([0-9]{1,9})\.json", re.DOTALL)
_DECODE = msgspec.json.Decoder().decode
_STORED, _DEFLATED, _ZSTANDARD = 0, 8, 93
# Exceptions of the standard library for damaged or malicious archives.
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError),
    *(ValueError, RuntimeError, NotImplementedError),
)

Samples = Iterator[dict[str, Any]]


class InspectLog(NamedTuple):
    """A log: its raw header, and its samples in the order of epochs."""

    path: Path
    header: dict[str, Any]
    samples: Callable[[], Samples]
    replaced: tuple[str, ...] = ()  # members that occur more than once; the last one counts


class FoundLogs(NamedTuple):
    """Logs of a folder, and other files that could have been logs."""

    logs: list[InspectLog]
    others: list[Path]


def find_logs(source: str | Path) -> FoundLogs:
    """Find a log, or all logs below a folder. Raises UsageError if there is none."""
    if not os.path.isdir(source):
        path = locate(source)
        if (log := _open(path)) is None:
            hint = "use FILE.eval, or FILE.json with the member `eval`"
            raise DataError("not an Inspect log", path=escaped_path(path), hint=hint)
        return FoundLogs([log], [])
    candidates = [(path, _open(path) if _may_be_log(path) else None) for path in _candidates(Path(source))]
    logs = [log for _, log in candidates if log is not None]
    if not logs:
        raise UsageError(f"no Inspect log in {escaped_path(source)}", hint=f"ls {quoted(source)}")
    return FoundLogs(logs, [path for path, log in candidates if log is None])


def _may_be_log(path: Path) -> bool:
    """Return whether a file may be a log: folders of logs have other JSON too, such as manifests."""
    with path.open("rb") as file:
        return path.suffix == ".eval" or b'"eval"' in file.read(_HEAD)


def _candidates(folder: Path) -> list[Path]:
    paths = sorted(path for ending in ("*.eval", "*.json") for path in folder.rglob(ending) if path.is_file())
    if len(paths) > MAX_LOGS:
        raise UsageError(
            f"too many files in {escaped_path(folder)}: {len(paths):,}", hint="use a folder with fewer logs"
        )
    return paths


def _open(path: Path) -> InspectLog | None:
    """Open the log in a file; None for another JSON document."""
    with path.open("rb") as file:
        packed = file.read(2) == b"PK"
    return _open_zip(path) if packed else _open_document(path)


def _open_document(path: Path) -> InspectLog | None:
    if path.suffix == ".eval":
        raise DataError(
            "not a zip archive, as a .eval log must be", path=escaped_path(path), hint="copy the file again"
        )
    if (size := path.stat().st_size) > MAX_DOCUMENT:
        hint = f"inspect log convert --to eval --stream true --output-dir converted {quoted(path)}"
        raise DataError(f"too large for a .json log: {size:,} bytes", path=escaped_path(path), hint=hint)
    document = parse(path.read_bytes(), path, "")
    if not isinstance(document, dict) or not isinstance(document.get("eval"), dict):
        return None
    samples = document.pop("samples", None) or []
    if not isinstance(samples, list) or not all(isinstance(sample, dict) for sample in samples):
        raise DataError("must be an array of objects", path=escaped_path(path), field="samples")
    order = _order(document)
    samples.sort(key=lambda sample: (order.get(str(sample.get("id")), len(order)), _epoch(sample)))
    return InspectLog(path, document, lambda: iter(samples))


def _epoch(sample: dict[str, Any]) -> int:
    epoch = sample.get("epoch")
    return epoch if isinstance(epoch, int) else 0


def _open_zip(path: Path) -> InspectLog:
    with _unpacked(path) as archive:
        infos = {info.filename: info for info in archive.infolist()}  # the last of one name counts
        header = _header(archive, infos, path)
        often = Counter(info.filename for info in archive.infolist())
    replaced = tuple(name for name, times in often.items() if times > 1 and _SAMPLE.fullmatch(name))
    return InspectLog(path, header, lambda: _members(path, header), replaced)


def _header(archive: zipfile.ZipFile, infos: dict[str, zipfile.ZipInfo], path: Path) -> dict[str, Any]:
    for name in ("header.json", "_journal/start.json"):
        if name in infos:
            header = parse(_read_member(archive, infos[name], path), path, name)
            if isinstance(header, dict) and isinstance(header.get("eval"), dict):
                return header
    hint = "check the log: `inspect log dump --header-only FILE`"
    raise DataError("the zip archive has no log header", path=escaped_path(path), hint=hint)


def _members(path: Path, header: dict[str, Any]) -> Samples:
    order = _order(header)
    with _unpacked(path) as archive:
        _check_packed(archive, path)
        infos = {info.filename: info for info in archive.infolist()}
        members = [(match, info) for name, info in infos.items() if (match := _SAMPLE.fullmatch(name))]
        members.sort(key=lambda pair: (order.get(pair[0][1], len(order)), int(pair[0][2])))
        for match, info in members:
            sample = parse(_read_member(archive, info, path), path, match[0])
            if not isinstance(sample, dict) or sample.get("epoch") != int(match[2]):
                _refuse(path, match[0], "it is not the sample that its name says")
            yield sample


def _check_packed(archive: zipfile.ZipFile, path: Path) -> None:
    """Raise DataError for members that share bytes, as in zip bombs."""
    packed = sum(info.compress_size for info in archive.infolist())
    if packed > (size := path.stat().st_size):
        raise _damaged_log_error(
            path, "", f"its members claim {packed:,} bytes, more than the file has ({size:,})"
        )


def _order(header: dict[str, Any]) -> dict[str, int]:
    """Return the position of sample ids in the data set, if the header has them."""
    data = header["eval"].get("dataset")
    ids = data.get("sample_ids") if isinstance(data, dict) else None
    return {str(name): place for place, name in enumerate(ids)} if isinstance(ids, list) else {}


def _unpacked(path: Path) -> zipfile.ZipFile:
    enable_zstandard()
    try:
        with path.open("rb") as file:
            size = _directory_size(file)
        if size <= MAX_DIRECTORY:
            return zipfile.ZipFile(path)
    except _DAMAGE as error:
        raise _damaged_log_error(path, "", str(error)) from None
    raise _damaged_log_error(
        path, "", f"its directory has {size:,} bytes, which are more than {MAX_DIRECTORY:,}"
    )


def _directory_size(file: BinaryIO) -> int:
    """Check the size of the zip directory, which the standard library reads completely."""
    end = file.seek(0, os.SEEK_END)
    start = max(0, end - _MAX_COMMENT - _END_SIZE - _LOCATOR_SIZE - _END64_SIZE)
    file.seek(start)
    tail = file.read()
    if (at := tail.rfind(_END)) < 0:
        raise zipfile.BadZipFile("the zip has no end: it was cut")
    (size,) = struct.unpack_from("<L", tail, at + 12)
    if (large := tail.rfind(_END64, 0, at)) >= 0:
        size = max(size if size != 0xFFFFFFFF else 0, *struct.unpack_from("<Q", tail, large + 40))
    return int(size)


def _read_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path) -> bytes:
    """Read the bytes of a member. `zipfile` returns at most the declared size."""
    if info.file_size > MAX_SAMPLE:
        _refuse(path, info.filename, f"{info.file_size:,} bytes are more than a sample may have")
    try:
        with archive.open(info) as member:
            return b"".join(iter(lambda: member.read(_CHUNK), b""))
    except _DAMAGE as error:
        if info.compress_type not in (_STORED, _DEFLATED) and isinstance(error, NotImplementedError):
            _need_zstandard(path, info)
        _refuse(path, info.filename, str(error))
    except Exception as error:  # the decompressor's own error, of a library that need not be installed
        raise _damaged_log_error(path, info.filename, str(error)) from error


def _need_zstandard(path: Path, info: zipfile.ZipInfo) -> NoReturn:
    if info.compress_type == _ZSTANDARD:
        message = f"{escaped_path(path)} uses Zstandard compression, which this Python cannot read"
        raise PrerequisiteError(message, hint=install_command("inspect"))
    _refuse(path, info.filename, f"packed in a way that no log is ({info.compress_type})")


def _refuse(path: Path, member: str, why: str) -> NoReturn:
    raise _damaged_log_error(path, member, why) from None


def _damaged_log_error(path: Path, member: str, why: str) -> DataError:
    what = f"the member {escaped_name(member)}" if member else "the zip archive"
    hint = "copy the file again, or check it: `inspect log dump FILE`"
    return DataError(f"cannot read {what}: {escaped_name(why, 200)}", path=escaped_path(path), hint=hint)


def parse(data: bytes, path: Path, member: str) -> Any:
    """Parse JSON in a part of a log. Inspect writes NaN for a missing score, which is read as null.

    Text that the fast parser rejects, such as NaN or half a surrogate pair, is left to the standard library.
    """
    with suppress(*NOT_JSON):
        return _DECODE(data)
    try:
        return json.loads(data, parse_constant=lambda _: None)
    except RecursionError:
        why = "nested too deeply"
    except ValueError as error:
        why = str(error) if data.strip() else "it is empty"
    where = f" in {escaped_name(member)}" if member else ""
    hint = "check the log: `inspect log dump FILE`"
    raise DataError(f"invalid JSON{where}: {escaped_name(why, 200)}", path=escaped_path(path), hint=hint)
