"""Records of an Ianvs job, as read from its three kinds of files."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from benchwright.store.yaml_documents import YamlDocument

SINGLE_TASK = "singletasklearning"
PARADIGMS = (SINGLE_TASK, "jointinference", "federatedlearning")
SYSTEM_METRICS = ("samples_transfer_ratio", "FWT", "BWT", "task_avg_acc", "MATRIX", "forget_rate")
COMPOSITE = "composite_score"  # our own metric: a job names it without a url


class LineEdit(NamedTuple):
    """A replacement of text in a line of a file."""

    path: str
    line: int
    old: str
    new: str


class Remark(NamedTuple):
    """A note on a job's files for their author, with its place."""

    place: str  # "file:line"
    text: str
    hint: str = ""
    fatal: bool = False  # a job that is run stops at it: told so only where all is looked at
    theirs: bool = False  # it is Ianvs's trouble alone: here the job runs
    edit: LineEdit | None = None


class DataFile(NamedTuple):
    """A data set of a job; `kind` is the format of its records."""

    path: Path
    kind: str  # "txt", "jsonl" or "metadata"

    @property
    def records(self) -> Path:
        """The file with the records: for metadata.json, the data.jsonl next to it."""
        return self.path.with_name("data.jsonl") if self.kind == "metadata" else self.path


class NamedMetric(NamedTuple):
    """A metric of a test environment: a function registered in a file, or one of our own."""

    name: str
    url: Path | None
    options: dict[str, Any]


class ModuleFile(NamedTuple):
    """A module of an algorithm with all choices of its hyperparameters; the last key varies fastest."""

    type: str
    name: str
    url: Path | None
    choices: list[dict[str, Any]]


class IanvsAlgorithm(NamedTuple):
    """An algorithm under test, with its modules."""

    name: str
    paradigm: str
    modules: list[ModuleFile]
    initial_model: str
    packages: list[Path]
    federated: dict[str, Any]  # fl_data_setting


class IanvsEnvironment(NamedTuple):
    """Data, metrics and further settings of a job's paradigm."""

    train: DataFile | None
    test: DataFile
    metrics: list[NamedMetric]
    use_gpu: bool
    rounds: int
    clients: int
    mining_mode: str


class RankSettings(NamedTuple):
    """Order and columns of a job's results; `None` means "all"."""

    sort_by: list[tuple[str, bool]]  # metric, whether the smallest comes first
    shown: bool
    paradigms: list[str] | None
    modules: list[str] | None
    hyperparameters: list[str] | None
    metrics: list[str] | None
    all_rows: bool  # whether all_rank.csv is written beside selected_rank.csv


class IanvsJob(NamedTuple):
    """A job."""

    name: str
    document: YamlDocument
    workspace: Path  # with the job's name
    environment: IanvsEnvironment
    algorithms: list[IanvsAlgorithm]
    rank: RankSettings
    remarks: list[Remark]
