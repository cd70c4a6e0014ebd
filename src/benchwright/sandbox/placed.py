"""Files and links that an answer finds in its own /tmp: checked here, made by its own side before it loads.

A path stays below /tmp, and all files together are bounded, so a data set that nobody has read can neither
reach beside that folder nor fill it. A link may point anywhere: it opens nothing that the jail does not show.
"""

from __future__ import annotations

import marshal
from collections.abc import Mapping
from pathlib import PurePosixPath

from benchwright.errors import SandboxError
from benchwright.sandbox.bounds import some_limit
from benchwright.sandbox.exchange import read_claim, tampered
from benchwright.sandbox.inside.wire import FORMAT
from benchwright.sandbox.zygote import AnswerEnded, Job, Running

FOLDER = "/tmp"
MAX_FILE = 512 << 10  # bytes; an answer may write files of 1 MiB itself
MAX_ALL = 4 << 20
MAX_PATHS = 100
MAX_PATH = 200


def placed(job: Job, *, files: Mapping[str, bytes], links: Mapping[str, str]) -> Job:
    """The job of an answer that is given files (path below /tmp: content) and links (path: target).

    The conversation begins with `read_placed` then. Raises ValueError for a path or size that is refused.
    """
    check_paths([*files, *links])
    sizes = {path: len(content) for path, content in files.items()}
    if large := [path for path, size in sizes.items() if size > MAX_FILE]:
        raise ValueError(f"the file {large[0]!r} has more than {MAX_FILE:,} bytes")
    if sum(sizes.values()) > MAX_ALL:
        raise ValueError(f"the files have more than {MAX_ALL:,} bytes together")
    if bad := [target for target in links.values() if not target or "\0" in target or len(target) > MAX_PATH]:
        raise ValueError(f"{bad[0][:MAX_PATH]!r} cannot be what a link points to")
    mode, entry_point, source, calls = job
    packed = marshal.dumps((dict(files), dict(links), mode, calls), FORMAT)
    return "placed", entry_point, source, packed


def check_paths(paths: list[str]) -> None:
    """Raise ValueError unless all are plain relative paths, and none lies inside another."""
    if len(paths) > MAX_PATHS:
        raise ValueError(f"{len(paths)} files and links are more than {MAX_PATHS}")
    for path in paths:
        if not _is_plain(path):
            raise ValueError(f"{path[:MAX_PATH]!r} is no plain path below the answer's folder")
    whole = set(paths)
    for path in whole:
        if any(str(parent) in whole for parent in PurePosixPath(path).parents):
            raise ValueError(f"{path!r} lies inside another file or link")
    if len(whole) < len(paths):
        raise ValueError("two files or links have one path")


def read_placed(running: Running) -> None:
    """Wait until the files are there. Whatever keeps them away is the sandbox's failure: nothing of the
    answer has been loaded yet. Raises SandboxError."""
    try:
        kind, payload = running.read()
    except AnswerEnded as ended:
        raise SandboxError(f"the answer's files could not be placed: {ended.detail}") from None
    if kind == b"P" and not payload:
        return
    if kind != b"E":
        raise tampered(f"a frame {kind!r} before its files were placed")
    with some_limit():
        raise SandboxError(f"the answer's files could not be placed: {read_claim(payload).text}")


def _is_plain(path: str) -> bool:
    return (
        0 < len(path) <= MAX_PATH
        and path.isprintable()
        and str(PurePosixPath(path)) == path
        and not path.startswith("/")
        and not {".", ".."} & set(path.split("/"))
    )
