"""Records of an Ianvs job: files, algorithms, environment, the grid of cases, and content keys of cases."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.display.escape import escaped_path
from benchwright.errors import DataError
from benchwright.store.keys import content_key
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


class JobRemark(NamedTuple):
    """A note on a job's files for their author, with its place."""

    place: str  # "file:line"
    text: str
    hint: str = ""
    fatal: bool = False  # a run stops here; only `lint` continues to list it with others
    theirs: bool = False  # a problem of Ianvs only: `ianvs run` runs the job
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
    all_rows: bool  # whether all_rank.csv is written in addition to selected_rank.csv


class IanvsJob(NamedTuple):
    """A job."""

    name: str
    document: YamlDocument
    workspace: Path  # with the job's name
    environment: IanvsEnvironment
    algorithms: list[IanvsAlgorithm]
    rank: RankSettings
    remarks: list[JobRemark]


MAX_CASES = 10_000


class ChosenModule(NamedTuple):
    """A module with the hyperparameters of a case."""

    type: str
    name: str
    url: Path | None
    hyperparameters: dict[str, Any]


class IanvsCase(NamedTuple):
    """A test case: an algorithm with a choice of its hyperparameters."""

    number: int  # from 1, in the job's order
    algorithm: IanvsAlgorithm
    modules: list[ChosenModule]

    @property
    def hyperparameters(self) -> dict[str, str]:
        """Hyperparameters as in rank files: `TYPE-NAME` and the value as text."""
        return {
            f"{module.type}-{name}": str(value)
            for module in self.modules
            for name, value in module.hyperparameters.items()
        }


def combinations(varied: Sequence[tuple[str, Sequence[Any]]]) -> list[dict[str, Any]]:
    """Return all combinations of a value for each name; the last name varies fastest.

    >>> combinations([("a", [1, 2]), ("b", [3, 4])])[1]
    {'a': 1, 'b': 4}
    """
    names = [name for name, _ in varied]
    return [dict(zip(names, values, strict=True)) for values in product(*(values for _, values in varied))]


def job_cases(job: IanvsJob) -> Iterator[IanvsCase]:
    """Yield the cases in Ianvs's order: listed algorithms, then the product over their modules.

    Raises DataError for a grid with more than MAX_CASES cases.
    """
    number = 0
    for algorithm in job.algorithms:
        size = 1
        for module in algorithm.modules:
            size *= len(module.choices)
        if number + size > MAX_CASES:
            raise too_many_cases_error(job.document, algorithm.name, number + size)
        for chosen in product(*(module.choices for module in algorithm.modules)):
            number += 1
            modules = [
                ChosenModule(module.type, module.name, module.url, values)
                for module, values in zip(algorithm.modules, chosen, strict=True)
            ]
            yield IanvsCase(number, algorithm, modules)


def too_many_cases_error(document: YamlDocument, name: str, size: int) -> Exception:
    """Return the error for a grid that is too large."""
    hint = "use fewer values of the hyperparameters"
    return document.error(f"{size:,} cases with {name}; the limit is {MAX_CASES:,}", hint=hint)


_MAX_FILES = 500


class JobKeys(NamedTuple):
    """Keys shared by all cases of a job."""

    data: str
    train: str
    measuring: str
    records: int  # lines of the test data, for those who watch


def job_keys(job: IanvsJob, fields: Mapping[str, str]) -> JobKeys:
    """Compute the keys of a job's data and metrics. Raises DataError for an unreadable file."""
    test, train = job.environment.test, job.environment.train
    return JobKeys(
        data=content_key(_data(test), dict(fields)),
        train=content_key(_data(train), dict(fields)) if train is not None else "",
        measuring=content_key([_metric(each) for each in job.environment.metrics]),
        records=_lines(test.records),
    )


def case_key(case: IanvsCase, job: IanvsJob, keys: JobKeys, items: str) -> str:
    """Compute the key of a case's predictions: code, hyperparameters, data, settings, and calls of predict.

    Versions before 0.9 called predict for each item, so "each" resumes their folders.
    """
    algorithm, environment = case.algorithm, job.environment
    modules = [
        [module.type, module.name, module.url and _code(module.url), _yaml_value_text(module.hyperparameters)]
        for module in case.modules
    ]
    settings = [environment.use_gpu, environment.rounds, environment.clients, environment.mining_mode]
    packages = [_code(path) for path in algorithm.packages]
    rest = [algorithm.initial_model, packages, _yaml_value_text(algorithm.federated)]
    whole = [algorithm.name, algorithm.paradigm, modules, settings, rest, keys.data, keys.train]
    return content_key(*whole) if items == "each" else content_key(*whole, items)


def _yaml_value_text(value: Any) -> str:
    """Return a YAML value as text: YAML has infinities and NaN, unlike JSON."""
    return repr(value)


def _data(file: DataFile) -> list[str]:
    paths = {file.path: None, file.records: None}
    return [file.kind, *(_digest(path) for path in paths)]


def _metric(metric: NamedMetric) -> list[Any]:
    return [metric.name, metric.url and _code(metric.url), _yaml_value_text(metric.options)]


def _code(path: Path) -> list[str]:
    """Return a file with the Python files next to it and one level below, which it may import."""
    folder = path if path.is_dir() else path.parent
    beside = sorted({*folder.glob("*.py"), *folder.glob("*/*.py")})[:_MAX_FILES]
    return [str(path.name), *_digests([path] if path.is_file() else []), *_digests(beside)]


def _digests(paths: Iterable[Path]) -> list[str]:
    return [_digest(path) for path in paths]


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        hint = "check the path and its permissions: `ls -l` shows them"
        raise DataError(
            f"cannot read the file: {error.strerror}", path=escaped_path(path), hint=hint
        ) from None


def _lines(path: Path) -> int:
    with path.open("rb") as file:
        blocks = iter(lambda: file.read(1 << 16), b"")
        count, last = 0, b"\n"
        for block in blocks:
            count, last = count + block.count(b"\n"), block[-1:]
    return count + (last != b"\n")
