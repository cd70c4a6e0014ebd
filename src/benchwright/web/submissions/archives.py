"""Unpack an untrusted archive of a run: known names only, limited in number, depth, size and ratio.

Nothing of the archive decides a path: each member is written under the name that this module lists.
"""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from benchwright.display.escape import escaped_name
from benchwright.interop.mera.archive import MAX_RATIO, MAX_RATIO_FROM, ZIP_DAMAGE, directory_problem
from benchwright.web.submissions.refusals import SubmissionRefusal

MAX_UPLOAD = 256 << 20  # bytes of a pushed file
MAX_MEMBERS = 32
MAX_UNPACKED = 1 << 30  # of all members
# The members of an archived run, with the largest size of each.
MEMBERS = {
    "run.json": 1 << 20,
    "scores.json": 16 << 20,
    "answers.jsonl": 768 << 20,
    "verdicts.jsonl": 768 << 20,
}
_MOST_PARTS = 2  # of a name: one folder, as `zip -r` of a run folder makes it
_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_CHUNK = 1 << 20


def is_zip(path: Path) -> bool:
    """Whether a file begins as a zip archive does."""
    with path.open("rb") as file:
        return file.read(4) == b"PK\x03\x04"


def run_members(path: Path) -> list[str]:
    """The names of an archive's members without folders. Raises SubmissionRefusal for an unsafe archive."""
    with path.open("rb") as file, _opened(file) as packed:
        return [PurePosixPath(each.filename).name for each in _checked(packed, path.stat().st_size)]


def unpack_run(path: Path, into: Path) -> list[str]:
    """Write the members of an archived run into a folder; return their names. Raises SubmissionRefusal."""
    with path.open("rb") as file, _opened(file) as packed:
        entries = _checked(packed, path.stat().st_size)
        members = {_known_name(each): each for each in entries}
        for name, info in members.items():
            _write(packed, info, into / name)
    return [*members]


def _opened(file: BinaryIO) -> zipfile.ZipFile:
    problem = directory_problem(file)
    if problem is not None:
        reason = "too-large" if problem[0] == "too-large" else "half-upload"
        raise SubmissionRefusal(reason, f"the archive is not usable: {problem[1]}")
    try:
        return zipfile.ZipFile(file)
    except ZIP_DAMAGE as error:
        raise _damaged(error) from None


def _checked(packed: zipfile.ZipFile, size: int) -> list[zipfile.ZipInfo]:
    """The files of an archive. Nothing is unpacked yet."""
    entries = packed.infolist()
    if len(entries) > MAX_MEMBERS:
        raise SubmissionRefusal(
            "too-many-members", f"the archive has {len(entries):,} members, more than {MAX_MEMBERS}"
        )
    for info in entries:
        _check_name(info)
        _check_type(info)
        _check_size(info)
    files = [info for info in entries if not info.is_dir()]
    names = [PurePosixPath(info.filename).name.casefold() for info in files]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise SubmissionRefusal("doubled-member", f"the archive has `{escaped_name(twice)}` more than once")
    if sum(info.compress_size for info in files) > size:
        raise SubmissionRefusal("zip-bomb", "members of the archive share their bytes")
    if (total := sum(info.file_size for info in files)) > MAX_UNPACKED:
        raise SubmissionRefusal("too-large", f"the archive unpacks to {total:,} bytes")
    return files


def _check_name(info: zipfile.ZipInfo) -> None:
    given = info.orig_filename
    path, name = PurePosixPath(given), escaped_name(given, 200)
    unsafe = path.is_absolute() or ".." in path.parts or any(each in given for each in "\\:\0")
    if unsafe or not given.isprintable():
        raise SubmissionRefusal("unsafe-name", f"the member `{name}` has an unsafe name")
    if len(path.parts) > _MOST_PARTS:
        raise SubmissionRefusal("too-deep", f"the member `{name}` is in a nested folder")


def _check_type(info: zipfile.ZipInfo) -> None:
    mode, name = info.external_attr >> 16, escaped_name(info.filename, 200)
    if stat.S_ISLNK(mode):
        raise SubmissionRefusal("link", f"the member `{name}` is a link")
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise SubmissionRefusal("special-file", f"the member `{name}` is not an ordinary file")
    if info.flag_bits & 1:
        raise SubmissionRefusal("encrypted", f"the member `{name}` is encrypted")
    if info.compress_type not in _COMPRESSIONS:
        raise SubmissionRefusal("unknown-compression", f"the member `{name}` is not packed with deflate")


def _check_size(info: zipfile.ZipInfo) -> None:
    sizes = f"`{escaped_name(info.filename, 200)}` unpacks from {info.compress_size:,} to {info.file_size:,}"
    limit = MEMBERS.get(PurePosixPath(info.filename).name, MAX_UNPACKED)
    if info.file_size > limit:
        raise SubmissionRefusal("too-large", f"{sizes} bytes, more than {limit:,}")
    if info.file_size > MAX_RATIO_FROM and info.file_size > MAX_RATIO * info.compress_size:
        raise SubmissionRefusal("zip-bomb", f"{sizes} bytes")


def _known_name(info: zipfile.ZipInfo) -> str:
    name = PurePosixPath(info.filename).name
    if name not in MEMBERS:
        raise SubmissionRefusal(
            "unknown-member", f"the member `{escaped_name(info.filename, 200)}` is unknown"
        )
    return name


def _write(packed: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path) -> None:
    left = info.file_size
    try:
        with packed.open(info) as stream, path.open("xb") as out:
            while chunk := stream.read(_CHUNK):
                left -= len(chunk)
                if left < 0:
                    raise SubmissionRefusal("zip-bomb", f"`{path.name}` is larger than its directory entry")
                out.write(chunk)
    except ZIP_DAMAGE as error:
        raise _damaged(error) from None


def _damaged(error: Exception) -> SubmissionRefusal:
    return SubmissionRefusal("half-upload", f"the archive is damaged: {escaped_name(str(error), 200)}")
