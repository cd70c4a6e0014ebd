"""What the three kinds of files of an Ianvs job say, once they are read."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from benchwright.store.yaml_documents import YamlDocument

SINGLE_TASK = "singletasklearning"
PARADIGMS = (SINGLE_TASK, "jointinference", "federatedlearning")
SYSTEM_METRICS = ("samples_transfer_ratio", "FWT", "BWT", "task_avg_acc", "MATRIX", "forget_rate")
COMPOSITE = "composite_score"  # our own metric: a job names it without a url


class LineEdit(NamedTuple):
    """A text in a line of a file, and what to put in its place."""

    path: str
    line: int
    old: str
    new: str


class Remark(NamedTuple):
    """Something in a job's files that its author should know, and where it stands."""

    place: str  # "file:line"
    text: str
    hint: str = ""
    fatal: bool = False  # a job that is run stops at it: told so only where all is looked at
    theirs: bool = False  # it is Ianvs's trouble alone: here the job runs
    edit: LineEdit | None = None


class DataFile(NamedTuple):
    """A data set of a job: `kind` says how its records are read."""

    path: Path
    kind: str  # "txt", "jsonl" or "metadata"

    @property
    def records(self) -> Path:
        """The file that holds the records: of metadata.json it is the data.jsonl beside it."""
        return self.path.with_name("data.jsonl") if self.kind == "metadata" else self.path


class NamedMetric(NamedTuple):
    """A metric of a test environment: the function of that alias in a file, or one of our own."""

    name: str
    url: Path | None
    options: dict[str, Any]


class ModuleFile(NamedTuple):
    """A module of an algorithm, and each choice of its hyperparameters: the last key varies fastest."""

    type: str
    name: str
    url: Path | None
    choices: list[dict[str, Any]]


class IanvsAlgorithm(NamedTuple):
    """An algorithm under test, with all that is to be tried of it."""

    name: str
    paradigm: str
    modules: list[ModuleFile]
    initial_model: str
    packages: list[Path]
    federated: dict[str, Any]  # fl_data_setting


class IanvsEnvironment(NamedTuple):
    """The data and the metrics of a job, and what else its paradigm may ask for."""

    train: DataFile | None
    test: DataFile
    metrics: list[NamedMetric]
    use_gpu: bool
    rounds: int
    clients: int
    mining_mode: str


class RankSettings(NamedTuple):
    """How a job wants its results in order and shown; `None` stands for "all"."""

    sort_by: list[tuple[str, bool]]  # metric, whether the smallest comes first
    shown: bool
    paradigms: list[str] | None
    modules: list[str] | None
    hyperparameters: list[str] | None
    metrics: list[str] | None
    all_rows: bool  # whether all_rank.csv is written beside selected_rank.csv


class IanvsJob(NamedTuple):
    """A whole job."""

    name: str
    document: YamlDocument
    workspace: Path  # with the job's name
    environment: IanvsEnvironment
    algorithms: list[IanvsAlgorithm]
    rank: RankSettings
    remarks: list[Remark]
