"""The batches of a run: `batches.jsonl` in its folder, one line for each step of a batch.

A batch is planned before it is submitted, and each line is on the disk before the next step. So a process
that was killed at any moment leaves a file that says which batches exist, or which one may exist.
"""

from __future__ import annotations

from pathlib import Path
from secrets import token_hex
from typing import Literal, NamedTuple

from benchwright.records import KeyedRow, Record, TaskId
from benchwright.store.atomic_files import sync_folder
from benchwright.store.runfolder import utc_now
from benchwright.store.writing import Appender, read_records

NAME = "batches.jsonl"
# "absent": the provider does not have it, so it was never submitted. "refused": the provider said so.
_Step = Literal["planned", "submitted", "collected", "absent", "refused"]


class BatchedRequest(Record, frozen=True, kw_only=True):
    """A request in a batch: which prompt it asks, and how many earlier batches failed to answer it."""

    key: str
    task_id: TaskId
    attempt: int = 0

    @property
    def row(self) -> KeyedRow:
        """The id of the answer in the run."""
        return self.key, self.task_id


class BatchStep(Record, frozen=True, kw_only=True):
    """A step of a batch. `label` is our id, sent to the provider; `id` is the provider's."""

    label: str
    step: _Step
    at: str  # ISO 8601, UTC
    server: str = ""  # of a planned batch: the base URL
    requests: list[BatchedRequest] = []  # of a planned batch, in the order of its custom_ids
    id: str = ""  # of a submitted batch
    why: str = ""


class StoredBatch(NamedTuple):
    """A batch that has not been collected. Without `id` it may or may not have been submitted."""

    label: str
    planned: str  # ISO 8601, UTC
    server: str
    requests: list[BatchedRequest]
    id: str = ""

    def custom_id(self, number: int) -> str:
        """Return the id of a request: letters, digits, `-`, at most 64 characters, as providers require."""
        return f"{self.label}-{number}"


class BatchFile:
    """The file of batches of one run."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME

    def open_batches(self) -> list[StoredBatch]:
        """Return the batches that have not been collected, in the order of their plans."""
        found: dict[str, StoredBatch] = {}
        for step in read_records(self._path, BatchStep, torn="skip") if self._path.exists() else ():
            if step.step == "planned":
                found[step.label] = StoredBatch(step.label, step.at, step.server, step.requests)
            elif step.step == "submitted" and step.label in found:
                found[step.label] = found[step.label]._replace(id=step.id)
            else:
                found.pop(step.label, None)
        return list(found.values())

    def known_ids(self) -> set[str]:
        """Return the provider's ids of all batches of the run."""
        steps = read_records(self._path, BatchStep, torn="skip") if self._path.exists() else iter(())
        return {step.id for step in steps if step.id}

    def plan(self, server: str, requests: list[BatchedRequest]) -> StoredBatch:
        """Store a batch that will be submitted, under a new label."""
        batch = StoredBatch(f"bw-{token_hex(8)}", utc_now(), server, requests)
        self._append(
            BatchStep(label=batch.label, step="planned", at=batch.planned, server=server, requests=requests)
        )
        return batch

    def submitted(self, batch: StoredBatch, batch_id: str) -> StoredBatch:
        """Store the provider's id of a batch."""
        self._append(BatchStep(label=batch.label, step="submitted", at=utc_now(), id=batch_id))
        return batch._replace(id=batch_id)

    def end(self, batch: StoredBatch, step: Literal["collected", "absent", "refused"], why: str = "") -> None:
        """Store the end of a batch."""
        self._append(BatchStep(label=batch.label, step=step, at=utc_now(), why=why))

    def _append(self, step: BatchStep) -> None:
        """Write a line and wait until the disk has it, and the file's name."""
        is_new = not self._path.exists()
        with Appender(self._path) as file:
            file.append(step)
        if is_new:
            sync_folder(self._path.parent)
