"""A test case as its process is told it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.interop.ianvs.child.datasets import DataPlace


class CaseSpec(NamedTuple):
    """A test case as its process is told it."""

    algorithm: str
    paradigm: str
    modules: dict[str, Mapping[str, Any]]  # by type: name, url, hyperparameters
    packages: list[str]
    initial_model: str
    federated: dict[str, Any]
    environment: dict[str, Any]  # use_gpu, rounds, clients, mining_mode
    train: DataPlace | None
    test: DataPlace
    metrics: list[dict[str, Any]]
    folder: Path
    items: str  # "auto", "each" or "all": how often predict is called
    strict: bool

    @property
    def own_output(self) -> str:
        """Where Ianvs has the example put what it trains."""
        return f"{self.folder}/output/train/"


def read_spec(text: bytes) -> CaseSpec:
    """The case that the starting process has written."""
    said = json.loads(text)
    places = {use: _place(said[use]) for use in ("train", "test")}
    return CaseSpec(**{**said, **places, "folder": Path(said["folder"])})


def _place(said: dict[str, Any] | None) -> Any:
    return None if said is None else DataPlace(**{**said, "path": Path(said["path"])})
