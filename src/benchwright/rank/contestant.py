"""A run as comparisons see it: one estimate a task for each metric, and what makes runs comparable."""

from __future__ import annotations

from benchwright.records import Record, Score, TaskId


class Contestant(Record, frozen=True, kw_only=True):
    """One finished run. Every list over tasks has the order of `tasks`, which is the data set's."""

    name: str  # short, and unlike the other contestants' names
    path: str  # the run folder
    model: str  # its spec
    track: str
    profile: str
    data: str  # SHA-256 of the data set
    judging: int  # version of the judging rules
    n: int  # answers a task
    tasks: list[TaskId]
    counts: list[tuple[int, int]]  # (answers judged, answers passed) of each task
    estimates: dict[str, list[float]]  # by metric, such as "pass@1"
    clusters: list[str]  # the group a task belongs to (repository, template); its own id where it has none
    score: Score
