"""Commits that share a run of tokens with a benchmark, kept by the content of the file of their patches.

Ten more commits change the file of the last quarter, so the patches of the others are not searched again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from benchwright.building.alignment.decontamination import Benchmark
from benchwright.records import Record
from benchwright.store.writing import read_records, replacing

HITS = "benchmark-hits.jsonl"  # in the folder of the build
SEARCH = 1  # version of the search: another one searches all patches again


class FileHits(Record, frozen=True, kw_only=True):
    """The benchmark that each contaminated commit of a file shares a run with, by the commit's id."""

    key: str  # SHA-256 over the version of the search, the benchmarks, and the file
    hits: dict[str, str]


class StoredHits:
    """The hits of the build before; `save` leaves those of this build alone."""

    def __init__(self, path: Path, benchmarks: Iterable[Benchmark]) -> None:
        self._path = path
        self._benchmarks = "".join(f"{each.name} {each.digest}\n" for each in benchmarks)
        stored = read_records(path, FileHits) if path.exists() else ()
        self._before = {each.key: each for each in stored}
        self._now: list[FileHits] = []

    def of(self, patches: Path, search: Callable[[], dict[str, str]]) -> dict[str, str]:
        """The hits of a file of patches; `search` finds them if they are not stored."""
        with patches.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        key = hashlib.sha256(f"{SEARCH}\n{self._benchmarks}{content}".encode()).hexdigest()
        found = self._before.get(key) or FileHits(key=key, hits=search())
        self._now.append(found)
        return found.hits

    def save(self) -> None:
        """Replace the file, or remove it if this build has searched nothing."""
        if not self._now:
            self._path.unlink(missing_ok=True)
            return
        with replacing(self._path) as file:
            file.writelines(msgspec.json.encode(each) + b"\n" for each in self._now)
