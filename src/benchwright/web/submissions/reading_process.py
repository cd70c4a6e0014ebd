"""Child process that reads uploads: their bytes are parsed under limits of memory and file size."""

from __future__ import annotations

import resource
from functools import cache
from pathlib import Path
from shutil import rmtree

import msgspec

from benchwright.records import Record
from benchwright.store.process_limits import lower
from benchwright.web.core.child_process import answer_requests
from benchwright.web.submissions.accepted_data import DataCatalog
from benchwright.web.submissions.claims import ClaimOptions, SubmittedRun, read_claim
from benchwright.web.submissions.refusals import SubmissionRefusal, disk_full

MEMORY, FILE_SIZE, NICENESS = 3 << 30, 1 << 30, 5


class ArchiveRequest(Record, frozen=True, kw_only=True):
    """An upload, the folder for its claim, the server's rules, and the request's own words."""

    upload: str
    folder: str
    rules: str
    options: ClaimOptions


class ArchiveReply(Record, frozen=True, kw_only=True):
    """The claim, or the name of the reason for a refusal with its message."""

    claim: SubmittedRun | None = None
    reason: str = ""
    message: str = ""


@cache
def _catalog(rules: str) -> DataCatalog:
    return DataCatalog.of_file(Path(rules))


def read_upload(line: bytes) -> ArchiveReply:
    """Read one upload. Of a refused one no file is left."""
    request = msgspec.json.decode(line, type=ArchiveRequest)
    folder = Path(request.folder)
    try:
        folder.mkdir(mode=0o700)
        upload = Path(request.upload).rename(folder / "upload")
        return ArchiveReply(claim=read_claim(upload, folder, _catalog(request.rules), request.options))
    except SubmissionRefusal as refusal:
        reply = ArchiveReply(reason=refusal.reason, message=refusal.message)
    except (MemoryError, RecursionError, OSError) as error:
        found = disk_full(error)
        reply = ArchiveReply(
            reason=found.reason if found else "too-large",
            message=found.message if found else f"reading took too much: {type(error).__name__}",
        )
    rmtree(folder, ignore_errors=True)
    return reply


def main() -> None:
    """Answer requests until stdin ends."""
    lower(resource.RLIMIT_AS, MEMORY)
    lower(resource.RLIMIT_FSIZE, FILE_SIZE)
    answer_requests(lambda line: msgspec.json.encode(read_upload(line)), niceness=NICENESS)


if __name__ == "__main__":
    main()
