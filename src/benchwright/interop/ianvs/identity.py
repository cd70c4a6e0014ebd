"""Content keys of everything that affects predictions and metrics: runs with equal keys share results."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.display.escape import escaped_path
from benchwright.errors import DataError
from benchwright.interop.ianvs.grid import IanvsCase
from benchwright.interop.ianvs.job import DataFile, IanvsJob, NamedMetric
from benchwright.store.keys import content_key

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
        [module.type, module.name, module.url and _code(module.url), _spelled(module.hyperparameters)]
        for module in case.modules
    ]
    settings = [environment.use_gpu, environment.rounds, environment.clients, environment.mining_mode]
    packages = [_code(path) for path in algorithm.packages]
    rest = [algorithm.initial_model, packages, _spelled(algorithm.federated)]
    whole = [algorithm.name, algorithm.paradigm, modules, settings, rest, keys.data, keys.train]
    return content_key(*whole) if items == "each" else content_key(*whole, items)


def _spelled(value: Any) -> str:
    """Return a YAML value as text: YAML has infinities and NaN, unlike JSON."""
    return repr(value)


def _data(file: DataFile) -> list[str]:
    paths = {file.path: None, file.records: None}
    return [file.kind, *(_digest(path) for path in paths)]


def _metric(metric: NamedMetric) -> list[Any]:
    return [metric.name, metric.url and _code(metric.url), _spelled(metric.options)]


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
