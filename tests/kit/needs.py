"""What a test needs of the machine: the test is skipped, with the reason, where it is not there.

With BENCHWRIGHT_REQUIRE_ALL=1 such a skip is a failure (see `conftest.py`), so that a machine which
should have everything cannot lose a test in silence.
"""

from __future__ import annotations

import os
import shutil
from functools import cache
from pathlib import Path

import pytest

from benchwright.errors import BenchwrightError
from benchwright.sandbox.box import Sandbox

DATA_VARIABLE = "BENCHWRIGHT_TEST_DATA"
BESIDE = Path(__file__).parents[3] / "shared" / "data"
HUMANEVAL, RUSSIAN = "HumanEval.jsonl.gz", "humaneval-xl-russian-python.jsonl"
API_TABLES = ("gorilla-huggingface_api-200.jsonl", "gorilla-torchhub_api.jsonl")
_GORILLA = "of https://github.com/ShishirPatil/gorilla"
PUBLISHED = {
    HUMANEVAL: "data/HumanEval.jsonl.gz of https://github.com/openai/human-eval",
    RUSSIAN: "data/python/Russian.jsonl of https://github.com/FloatAI/HumanEval-XL under that name",
    API_TABLES[0]: f"the first 200 rows of data/api/huggingface_api.jsonl {_GORILLA}",
    API_TABLES[1]: f"data/api/torchhub_api.jsonl {_GORILLA}",
}


def need(tool: str, reason: str) -> str:
    """The path of a program, or a skip that says what it is for."""
    path = shutil.which(tool)
    if path is None:
        pytest.skip(f"{tool} is not installed, which {reason}")
    return path


def need_data(name: str) -> Path:
    """A published data set, which is not ours to ship, or a skip that says where it is to be had."""
    folder = Path(os.environ.get(DATA_VARIABLE) or BESIDE)
    if not (folder / name).is_file():
        pytest.skip(
            f"{name} is not in {folder}: take {PUBLISHED[name]} and set {DATA_VARIABLE} to its folder"
        )
    return folder / name


def need_sandbox() -> None:
    """Skip where no jail can be built: mostly a container that forbids user namespaces."""
    if complaint := _sandbox_complaint():
        pytest.skip(f"no answer can be run on this machine: {complaint}")


def need_root() -> None:
    """Skip for an ordinary user."""
    if os.geteuid() != 0:
        pytest.skip("only root can do this")


@cache
def _sandbox_complaint() -> str:
    try:
        with Sandbox() as box:
            result = box.run("def f():\n    return 1\n", "f", [((), {})])
    except BenchwrightError as error:
        return error.message
    return "" if result.outcome.value == "passed" else repr(result)
