"""Requirements of tests on the machine: the only module that skips tests, always with the reason.

A test that uses a program, a package, a data set or a feature of the kernel asks for it here, itself or in
its fixture; `tests/structure` checks that no other file skips. With BENCHWRIGHT_REQUIRE_ALL=1 such a skip is
a failure (see `conftest.py`), so that a machine that should have everything cannot skip a test unnoticed. The
first pass of `.ci/run` hides all optional programs, so that no test can use one without asking.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import pytest

from benchwright.errors import BenchwrightError, PrerequisiteError
from benchwright.sandbox.box import Sandbox

Ready = TypeVar("Ready")

DATA_VARIABLE = "BENCHWRIGHT_TEST_DATA"
BESIDE = Path(__file__).parents[3] / "shared" / "data"
HUMANEVAL, RUSSIAN = "HumanEval.jsonl.gz", "humaneval-xl-russian-python.jsonl"
API_TABLES = ("gorilla-huggingface_api-200.jsonl", "gorilla-torchhub_api.jsonl")
GERRIT_PAGES = tuple(f"gerrit_reviews_page_{number}" for number in (1, 2, 3))
_PERCEVAL = "in tests/data/gerrit of https://github.com/chaoss/grimoirelab-perceval"
_GORILLA = "of https://github.com/ShishirPatil/gorilla"
PUBLISHED = {
    HUMANEVAL: "data/HumanEval.jsonl.gz of https://github.com/openai/human-eval",
    RUSSIAN: "data/python/Russian.jsonl of https://github.com/FloatAI/HumanEval-XL under that name",
    API_TABLES[0]: f"the first 200 rows of data/api/huggingface_api.jsonl {_GORILLA}",
    API_TABLES[1]: f"data/api/torchhub_api.jsonl {_GORILLA}",
    **{page: f"{page} {_PERCEVAL}" for page in GERRIT_PAGES},
}


def need(tool: str, reason: str) -> str:
    """Return the path of a program, or skip and state its purpose."""
    path = shutil.which(tool)
    if path is None:
        skip(f"{tool} is not installed, which {reason}")
    return path


def need_browser() -> str:
    """Return the path of Chromium's headless shell, or else of Chromium, or skip.

    The shell has the same engine without windows and a toolbar, so tests of pages cost half. It is what Playwright
    itself installs for tests.
    """
    return shutil.which("chromium-headless-shell") or need("chromium", "shows the pages")


def need_module(name: str, reason: str = "") -> Any:
    """Return the imported module, or skip with a hint how to install its package."""
    return pytest.importorskip(name, reason=reason or f"{name.partition('.')[0]} is not installed: uv sync")


def need_ready(find: Callable[[], Ready], what: str) -> Ready:
    """Return the result of a search for a prerequisite, or skip: `what` cannot be done, and why."""
    try:
        return find()
    except PrerequisiteError as error:
        skip(f"{what}: {error}")


def need_jail(name: str) -> str:
    """Return the name of a jail, or skip with the reason why it cannot be built here."""
    if name == "bubblewrap":
        need("bwrap", "builds one of the two jails")
    need_sandbox(name)
    return name


def need_that(holds: object, reason: str) -> None:
    """Skip with this reason unless the condition holds."""
    if not holds:
        skip(reason)


def skip(reason: str) -> NoReturn:
    """Skip the test, or the file that is being imported."""
    pytest.skip(reason, allow_module_level=True)


def need_data(name: str) -> Path:
    """Return a published data set that this project may not distribute, or skip and state its source."""
    folder = Path(os.environ.get(DATA_VARIABLE) or BESIDE)
    if not (folder / name).is_file():
        skip(f"{name} is not in {folder}: take {PUBLISHED[name]} and set {DATA_VARIABLE} to its folder")
    return folder / name


def need_sandbox(jail: str = "auto") -> None:
    """Skip if no jail can be built, mostly in a container that forbids user namespaces."""
    if complaint := _sandbox_complaint(jail):
        skip(f"the sandbox cannot run answers on this machine: {complaint}")


def need_root() -> None:
    """Skip for an ordinary user."""
    if os.geteuid() != 0:
        skip("only root can do this")


@cache
def _sandbox_complaint(jail: str) -> str:
    try:
        with Sandbox(jail=jail) as box:
            result = box.run("def f():\n    return 1\n", "f", [((), {})])
    except BenchwrightError as error:
        return error.message
    return "" if result.outcome.value == "passed" else repr(result)
