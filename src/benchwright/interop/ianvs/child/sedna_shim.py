"""Replaces the modules of Sedna and Ianvs's core that examples import, only in the process of a test case.

The names are those that the published examples use; what they do is what those of Sedna's wheel 0.6.0.1
and of kubeedge/ianvs at 1d3da5b do, on this machine alone. Where the real packages are installed, only the
modules listed here are replaced.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from enum import Enum
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any, ClassVar

from benchwright.interop.ianvs.child import datasets


class ClassType:
    """The kinds of things that can be registered."""

    GENERAL = "general"
    HEM = "hard_example_mining"
    FL_AGG = "aggregation"
    MTL = "multi_task_learening"  # as Sedna spells it
    UTD = "unseen_task_detect"
    OF = "optical_flow"
    ALGORITHM = "algorithm"
    DATASET = "data_process"
    CALLBACK = "post_process_callback"
    UTP = "unseen_task_processing"
    KM = "knowledge_management"
    STP = "seen_task_processing"


class ClassFactory:
    """Objects that examples registered, by kind and name; the last one of a name counts."""

    registered: ClassVar[dict[str, dict[str, Any]]] = {}

    @classmethod
    def register(cls, type_name: str = ClassType.GENERAL, alias: str | None = None) -> Callable[[Any], Any]:
        """A decorator that registers a class or a function under its own name or another."""
        return lambda thing: cls.register_cls(thing, type_name, alias)

    @classmethod
    def register_cls(cls, t_cls: Any, type_name: str = ClassType.GENERAL, alias: str | None = None) -> Any:
        """Register a class or a function, and return it."""
        cls.registered.setdefault(type_name, {})[alias or t_cls.__name__] = t_cls
        return t_cls

    @classmethod
    def is_exists(cls, type_name: str, cls_name: str | None = None) -> bool:
        """Whether there is anything of a kind, or something of that name."""
        classes = cls.registered.get(type_name)
        return classes is not None and (cls_name is None or cls_name in classes)

    @classmethod
    def get_cls(cls, type_name: str, t_cls_name: str | None = None) -> Any:
        """Return the object that is registered under a name. Raises ValueError if there is none."""
        if t_cls_name is None or not cls.is_exists(type_name, t_cls_name):
            raise ValueError(f"nothing of the type {type_name} is registered as {t_cls_name!r}")
        return cls.registered[type_name][t_cls_name]


class Context:
    """Parameters of a job, which Sedna takes from the environment."""

    parameters = os.environ

    @classmethod
    def get_parameters(cls, param: str, default: Any = None) -> Any:
        """A variable of the environment, in the given case or in capitals."""
        return os.environ.get(param) or os.environ.get(str(param).upper()) or default


class BaseConfig:
    """Sedna's configuration: each attribute is the variable of the environment of that name."""

    def __getattr__(self, name: str) -> Any:
        return os.environ.get(name.upper())

    def get(self, name: str, default: Any = "") -> Any:
        """An attribute, or what is to stand for it."""
        return os.environ.get(name.upper()) or default


class FileOps:
    """Sedna's file operations, on local files."""

    @staticmethod
    def exists(folder: Any) -> bool:
        """Whether there is such a file or folder."""
        return os.path.exists(folder)

    @staticmethod
    def is_local(url: str) -> bool:
        """Whether this is a local path: here every one is."""
        return "://" not in url

    @staticmethod
    def join_path(*parts: Any) -> str:
        """The parts as one path."""
        return os.path.join(*(str(part) for part in parts))

    @classmethod
    def make_dir(cls, *parts: Any) -> None:
        """Make a folder and those above it."""
        os.makedirs(cls.join_path(*parts), exist_ok=True)

    @classmethod
    def clean_folder(cls, target: Any, clean: bool = True) -> list[str]:
        """Make folders, emptied where they were there and `clean` is set."""
        folders = [target] if isinstance(target, str) else list(target)
        for folder in folders:
            if clean and os.path.isdir(folder):
                import shutil  # noqa: PLC0415 (as below)

                shutil.rmtree(folder)
            os.makedirs(folder, exist_ok=True)
        return folders

    @staticmethod
    def copy_file(src: str, dst: str, clean: bool = True) -> str:
        """Copy a file; where it now is."""
        import shutil  # noqa: PLC0415 (few examples copy files)

        return str(shutil.copy(src, dst))

    @classmethod
    def download(cls, src: str, dst: str | None = None, untar: bool = False) -> str:
        """Return a local file, copied if a destination is given."""
        return src if dst is None else cls.copy_file(src, dst)

    @classmethod
    def upload(cls, src: str, dst: str, tar: bool = False, clean: bool = True) -> str:
        """Copy a local file to its place."""
        return cls.copy_file(src, dst)


class AggClient:
    """The update of a client in federated learning."""

    num_samples: int
    weights: list[Any]


class BaseAggregation:
    """An aggregator of federated learning."""

    def __init__(self) -> None:
        self.total_size = 0
        self.weights: Any = None

    def aggregate(self, clients: Sequence[AggClient]) -> Any:
        """The weights for all clients; each aggregator has its own way."""
        raise NotImplementedError


def _singleton(cls: Any) -> Any:
    instances: list[Any] = []

    def instance(*args: Any, **options: Any) -> Any:
        if not instances:
            instances.append(cls(*args, **options))
        return instances[0]

    return instance


def _logger() -> Any:
    import logging  # noqa: PLC0415 (not every example logs)

    logger = logging.getLogger("ianvs")
    if not logger.handlers:
        logger.addHandler(logging.StreamHandler())
        logger.setLevel(logging.INFO)
        logger.propagate = False
    return logger


def known_arguments(function: Any, **options: Any) -> dict[str, Any]:
    """Those of the options that a function takes."""
    from inspect import getfullargspec  # noqa: PLC0415 (one paradigm alone asks)

    if not callable(function):
        return options
    parameters = getfullargspec(function)
    return (
        options
        if parameters.varkw
        else {key: value for key, value in options.items() if key in parameters.args}
    )


def _file_format(url: str) -> str:
    return "jsonforllm" if os.path.basename(url) == "metadata.json" else os.path.splitext(url)[-1][1:]


def _yaml2dict(url: str) -> Any:
    from benchwright.store.yaml_documents import load_yaml  # noqa: PLC0415 (few examples read YAML)

    with open(url, "rb") as file:
        return load_yaml("reading an example's YAML", "ianvs").safe_load(file)


def _enum(name: str, **members: str) -> type[Enum]:
    return Enum(name, members)  # type: ignore[return-value]


def _class_factory() -> dict[str, Any]:
    return {"ClassFactory": ClassFactory, "ClassType": ClassType}


def _log() -> dict[str, Any]:
    return {"LOGGER": _logger()}


def _config() -> dict[str, Any]:
    return {"Context": Context, "BaseConfig": _singleton(BaseConfig)}


def _aggregation() -> dict[str, Any]:
    return {"AggClient": AggClient, "BaseAggregation": BaseAggregation}


def _sources() -> dict[str, Any]:
    names = ("BaseDataSource", "TxtDataParse", "JsonlDataParse", "JSONMetaDataParse")
    return {name: getattr(datasets, name) for name in names}


def _core_utils() -> dict[str, Any]:
    return {
        "is_local_file": os.path.isfile,
        "is_local_dir": os.path.isdir,
        "get_file_format": _file_format,
        "parse_kwargs": known_arguments,
        "get_local_time": lambda: time.strftime("%Y-%m-%d %H:%M:%S"),
        "yaml2dict": _yaml2dict,
    }


def _constants() -> dict[str, Any]:
    kinds = {"CSV": "csv", "TXT": "txt", "JSON": "json", "JSONL": "jsonl", "JSONFORLLM": "jsonforllm"}
    paradigms = {
        "SINGLE_TASK_LEARNING": "singletasklearning",
        "FEDERATED_LEARNING": "federatedlearning",
        "JOINT_INFERENCE": "jointinference",
    }
    return {
        "DatasetFormat": _enum("DatasetFormat", **kinds),
        "ParadigmType": _enum("ParadigmType", **paradigms),
    }


def _nothing() -> dict[str, Any]:
    return {}


STANDINS: dict[str, Callable[[], dict[str, Any]]] = {
    "sedna": _nothing,
    "sedna.common": _nothing,
    "sedna.common.class_factory": _class_factory,
    "sedna.common.config": _config,
    "sedna.common.log": _log,
    "sedna.common.file_ops": lambda: {"FileOps": FileOps},
    "sedna.common.utils": lambda: {"singleton": _singleton, "get_host_ip": lambda: "127.0.0.1"},
    "sedna.datasources": _sources,
    "sedna.algorithms": _nothing,
    "sedna.algorithms.aggregation": _aggregation,
    "sedna.algorithms.aggregation.aggregation": _aggregation,
    "core": _nothing,
    "core.common": _nothing,
    "core.common.log": _log,
    "core.common.utils": _core_utils,
    "core.common.constant": _constants,
    "core.testcasecontroller": _nothing,
    "core.testcasecontroller.metrics": _nothing,
}


class StandInFinder:
    """Finds the modules of STANDINS before any other; what else is in the real packages is found as ever.

    A finder and a loader by its methods: `importlib.abc` would cost a fifth of this process's start.
    """

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Find the module if this package replaces it."""
        if name not in STANDINS:
            return None
        spec = ModuleSpec(name, self, is_package=_is_package(name))  # type: ignore[arg-type]
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations += _real_locations(name, path)
        return spec

    def create_module(self, spec: Any) -> None:
        """Python makes the module itself."""

    def exec_module(self, module: ModuleType) -> None:
        """Give the module its names."""
        vars(module).update(STANDINS[module.__name__]())


def install() -> None:
    """From now on this process imports the stand-ins."""
    sys.meta_path.insert(0, StandInFinder())


def _is_package(name: str) -> bool:
    return any(other.startswith(f"{name}.") for other in STANDINS)


def _real_locations(name: str, path: Any) -> list[str]:
    """Where the real package of this name is, so that its other modules are still found."""
    real = PathFinder.find_spec(name, path)
    return list(real.submodule_search_locations or []) if real is not None else []
