"""Test cases of a job: all choices of hyperparameters of all algorithms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.interop.ianvs.job import IanvsAlgorithm, IanvsJob
from benchwright.store.yaml_documents import YamlDocument

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


def cases(job: IanvsJob) -> Iterator[IanvsCase]:
    """Yield the cases in Ianvs's order: listed algorithms, then the product over their modules.

    Raises DataError for a grid with more than MAX_CASES cases.
    """
    number = 0
    for algorithm in job.algorithms:
        size = 1
        for module in algorithm.modules:
            size *= len(module.choices)
        if number + size > MAX_CASES:
            raise too_many(job.document, algorithm.name, number + size)
        for chosen in product(*(module.choices for module in algorithm.modules)):
            number += 1
            modules = [
                ChosenModule(module.type, module.name, module.url, values)
                for module, values in zip(algorithm.modules, chosen, strict=True)
            ]
            yield IanvsCase(number, algorithm, modules)


def too_many(document: YamlDocument, name: str, size: int) -> Exception:
    """Return the error for a grid that is too large."""
    hint = "use fewer values of the hyperparameters"
    return document.error(f"{size:,} cases with {name}; the limit is {MAX_CASES:,}", hint=hint)
