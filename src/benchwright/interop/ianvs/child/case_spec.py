"""The specification of a case, and the loading of the example's modules."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import DataError
from benchwright.interop.ianvs.child.datasets import DataPlace
from benchwright.interop.ianvs.child.sedna_shim import ClassFactory


class CaseSpec(NamedTuple):
    """A test case, as sent to its process."""

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
    document = json.loads(text)
    places = {use: _data_place(document[use]) for use in ("train", "test")}
    return CaseSpec(**{**document, **places, "folder": Path(document["folder"])})


def _data_place(document: dict[str, Any] | None) -> Any:
    return None if document is None else DataPlace(**{**document, "path": Path(document["path"])})


_loaded: dict[Path, ModuleType] = {}
_beside: dict[Path, dict[str, ModuleType]] = {}  # by folder: the modules that its files have imported from it


def load_registered(path: Path, kind: str, name: str) -> Any:
    """Run a file and return the object that it registers under a name. Raises DataError if there is none."""
    before = {each: id(thing) for each, thing in ClassFactory.registered.get(kind, {}).items()}
    load(path)
    registered = ClassFactory.registered.get(kind, {})
    if name in registered:
        return registered[name]
    new = [each for each, thing in registered.items() if before.get(each) != id(thing)]
    found = ", ".join(map(repr, map(escaped_name, new or registered))) or "nothing"
    hint = f"add @ClassFactory.register(…, alias={name!r}), or use a registered name"
    raise DataError(
        f"registers no {name!r} of type {kind}; registered: {found}", path=escaped_path(path), hint=hint
    )


def load(path: Path) -> ModuleType:
    """The module of a file, or of a folder that is a package; executed once."""
    path = path.absolute()
    if path in _loaded:
        return _loaded[path]
    file = path / "__init__.py" if path.is_dir() else path
    name = _free_name(path.stem)
    spec = importlib.util.spec_from_file_location(
        name, file, submodule_search_locations=[str(path)] if path.is_dir() else None
    )
    if spec is None or spec.loader is None:
        raise DataError("not a Python file", path=escaped_path(path), hint="use a .py file")
    module = importlib.util.module_from_spec(spec)
    with _folder_first(path.parent):
        sys.modules[name] = module
        spec.loader.exec_module(module)
    _loaded[path] = module
    return module


def _free_name(stem: str) -> str:
    """The stem where nothing else has that name, else the stem with a number."""
    name, number = stem, 1
    while name in sys.modules or importlib.machinery.PathFinder.find_spec(name) is not None:
        number += 1
        name = f"{stem}_{number}"
    return name


@contextmanager
def _folder_first(folder: Path) -> Iterator[None]:
    """Imports find the files of this folder first, whatever another folder has under their names."""
    own = _beside.setdefault(folder, {})
    names = {entry.stem for entry in folder.iterdir() if entry.suffix == ".py" or entry.is_dir()}
    for other, modules in _beside.items():
        if other != folder:
            for name in [each for each in modules if each.partition(".")[0] in names]:
                sys.modules.pop(name, None)
    sys.modules.update(own)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        if str(folder) not in sys.path:
            sys.path.append(str(folder))  # for imports inside functions, which come later
        own.update({name: module for name, module in sys.modules.items() if _is_in(module, folder)})


def _is_in(module: Any, folder: Path) -> bool:
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and Path(file).is_relative_to(folder)
