"""Input files and links in an answer's /tmp: checked here, and created inside the jail before it loads.

Paths stay below /tmp and the total size is limited, so an unreviewed data set can neither escape from the
folder nor fill it. A link may point anywhere, because the jail limits what it can reach.
"""

from __future__ import annotations

import marshal
from collections.abc import Mapping
from pathlib import PurePosixPath

from benchwright.errors import SandboxError
from benchwright.sandbox.claims import read_claim, tampered_end
from benchwright.sandbox.inside.wire import FORMAT
from benchwright.sandbox.untrusted import default_limit
from benchwright.sandbox.zygote import AnswerEnded, Job, RunningAnswer

FOLDER = "/tmp"
MAX_FILE = 512 << 10  # bytes; an answer itself may write files of 1 MiB
MAX_ALL = 4 << 20
MAX_PATHS = 100
MAX_PATH = 200


def with_files(job: Job, *, files: Mapping[str, bytes], links: Mapping[str, str]) -> Job:
    """Return a job with input files (path below /tmp: content) and links (path: target).

    The conversation then begins with `wait_for_files`. Raises ValueError for an invalid path or size.
    """
    check_paths([*files, *links])
    sizes = {path: len(content) for path, content in files.items()}
    if large := [path for path, size in sizes.items() if size > MAX_FILE]:
        raise ValueError(f"the file {large[0]!r} exceeds {MAX_FILE:,} bytes")
    if sum(sizes.values()) > MAX_ALL:
        raise ValueError(f"the files exceed {MAX_ALL:,} bytes in total")
    if bad := [target for target in links.values() if not target or "\0" in target or len(target) > MAX_PATH]:
        raise ValueError(f"invalid target of a link: {bad[0][:MAX_PATH]!r}")
    mode, entry_point, source, calls = job
    packed = marshal.dumps((dict(files), dict(links), mode, calls), FORMAT)
    return "placed", entry_point, source, packed


def check_paths(paths: list[str]) -> None:
    """Raise ValueError unless all are distinct plain relative paths, and none is inside another."""
    if len(paths) > MAX_PATHS:
        raise ValueError(f"{len(paths)} files and links exceed the limit of {MAX_PATHS}")
    for path in paths:
        if not _is_plain(path):
            raise ValueError(f"not a plain path below the answer's folder: {path[:MAX_PATH]!r}")
    whole = set(paths)
    for path in whole:
        if any(str(parent) in whole for parent in PurePosixPath(path).parents):
            raise ValueError(f"{path!r} is inside another file or link")
    if len(whole) < len(paths):
        raise ValueError("duplicate path of files or links")


def wait_for_files(running: RunningAnswer) -> None:
    """Wait until the files are there. Raises SandboxError for any failure: the answer is not loaded yet."""
    try:
        kind, payload = running.read()
    except AnswerEnded as ended:
        raise SandboxError(f"cannot create the answer's input files: {ended.detail}") from None
    if kind == b"P" and not payload:
        return
    if kind != b"E":
        raise tampered_end(f"a frame {kind!r} before its files were placed")
    with default_limit():
        raise SandboxError(f"cannot create the answer's input files: {read_claim(payload).text}")


def _is_plain(path: str) -> bool:
    return (
        0 < len(path) <= MAX_PATH
        and path.isprintable()
        and str(PurePosixPath(path)) == path
        and not path.startswith("/")
        and not {".", ".."} & set(path.split("/"))
    )
