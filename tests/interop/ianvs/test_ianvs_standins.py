"""Imports of examples from Sedna and Ianvs's core, in a separate process as for a case."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from benchwright.interop.ianvs.child.sedna_shim import (
    STANDINS,
    ClassFactory,
    ClassType,
    FileOps,
    known_arguments,
)
from kit.processes import python

INSTALLED = "from benchwright.interop.ianvs.child.sedna_shim import install\ninstall()\n"


def said(code: str, tmp_path: Path, **environment: str) -> Any:
    """The JSON that a program prints in a process with the stand-ins."""
    import os

    env = {**os.environ, **environment}
    done = python(INSTALLED + dedent(code), cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_what_the_examples_import(tmp_path: Path) -> None:
    """By the names that they use, and nothing of it outside of that process."""
    code = """
    import json
    from sedna.common.class_factory import ClassFactory, ClassType
    from sedna.common.config import BaseConfig, Context
    from sedna.common.file_ops import FileOps
    from sedna.common.log import LOGGER
    from sedna.common.utils import get_host_ip, singleton
    from sedna.datasources import BaseDataSource, JsonlDataParse, JSONMetaDataParse, TxtDataParse
    from sedna.algorithms.aggregation import AggClient
    from sedna.algorithms.aggregation.aggregation import BaseAggregation
    from core.common import utils
    from core.common.constant import DatasetFormat, ParadigmType
    from core.common.log import LOGGER as same
    from core.testcasecontroller.metrics import __name__ as metrics

    @singleton
    class One: pass

    print(json.dumps([
        LOGGER is same, One() is One(), utils.get_file_format("a/metadata.json"), utils.is_local_dir("."),
        DatasetFormat.JSONL.value, Context.get_parameters("lr"), Context.get_parameters("none", 7),
        BaseConfig().lr, BaseConfig().get("none", "x"), issubclass(TxtDataParse, BaseDataSource), metrics,
    ]))
    """
    assert said(code, tmp_path, LR="0.1") == [
        *(
            True,
            True,
            "jsonforllm",
            True,
            "jsonl",
            "0.1",
            7,
            "0.1",
            "x",
            True,
            "core.testcasecontroller.metrics",
        )
    ]
    with pytest.raises(ImportError):
        __import__("sedna.common.class_factory")


def test_modules_of_the_real_packages_are_found(tmp_path: Path) -> None:
    """Where they are installed: those that have a stand-in are ours, others are theirs."""
    for name, text in (("__init__", ""), ("extra", "VALUE = 'theirs'"), ("log", "LOGGER = 'theirs'")):
        (tmp_path / "core" / "common").mkdir(parents=True, exist_ok=True)
        (tmp_path / "core" / "__init__.py").touch()
        (tmp_path / "core" / "common" / f"{name}.py").write_text(text)
    code = """
    import json
    from core.common.extra import VALUE
    from core.common.log import LOGGER
    print(json.dumps([VALUE, LOGGER != "theirs"]))
    """

    assert said(code, tmp_path) == ["theirs", True]


def test_a_module_that_nobody_has(tmp_path: Path) -> None:
    """An ordinary ImportError, which the case reports."""
    code = """
    import json
    try:
        from sedna.backend import set_backend
    except ImportError as error:
        print(json.dumps(str(error)))
    """

    assert said(code, tmp_path) == "No module named 'sedna.backend'"


def test_the_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """By kind and name; the last of a name counts, and what is not there is named."""
    monkeypatch.setattr(ClassFactory, "registered", {})

    @ClassFactory.register(ClassType.HEM, alias="a")
    def first() -> int:
        return 1

    @ClassFactory.register()
    class Second:
        pass

    ClassFactory.register_cls(Second, ClassType.HEM, "a")

    assert first() == 1 and ClassFactory.get_cls(ClassType.HEM, "a") is Second
    assert ClassFactory.get_cls(ClassType.GENERAL, "Second") is Second
    assert [
        ClassFactory.is_exists(*each) for each in ((ClassType.HEM,), (ClassType.HEM, "b"), (ClassType.UTD,))
    ] == [*(True, False, False)]
    with pytest.raises(ValueError, match="nothing of the type aggregation is registered as 'a'"):
        ClassFactory.get_cls(ClassType.FL_AGG, "a")


def test_file_operations(tmp_path: Path) -> None:
    """On local files."""
    folder = FileOps.join_path(tmp_path, "a", "b")
    FileOps.make_dir(folder)
    Path(folder, "f").write_text("x")
    copied = FileOps.upload(f"{folder}/f", str(tmp_path / "g"))
    (cleaned,) = FileOps.clean_folder(folder)

    assert (Path(copied).read_text(), FileOps.exists(f"{cleaned}/f"), FileOps.download(copied)) == (
        "x",
        False,
        copied,
    )
    assert [FileOps.is_local(each) for each in ("./a", "s3://a")] == [True, False]


def test_arguments_that_a_function_takes() -> None:
    """All where it takes any."""

    def some(data: Any, mode: str = "") -> None: ...
    def any_of_them(data: Any, **rest: Any) -> None: ...

    assert known_arguments(some, mode="m", other=1) == {"mode": "m"}
    assert known_arguments(any_of_them, mode="m", other=1) == {"mode": "m", "other": 1}
    assert all(name.partition(".")[0] in ("sedna", "core") for name in STANDINS)
