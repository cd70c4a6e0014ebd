"""Loads the test file of a suite from its rewritten code, and classifies the exceptions of a suite."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from types import CodeType, ModuleType
from typing import NamedTuple

import pytest
from _pytest.fixtures import FixtureLookupError
from _pytest.outcomes import Failed

from . import suite_checks, suite_probes
from .suite_rewrite import Canary, canary_source, governs_all, rewritten
from .suite_tests import WrittenTests

HOME = "/tmp/project"
_APPROX = {type(pytest.approx(value)) for value in (1, Decimal(1), [1], {"a": 1})}
_TEXT = 600
_KINDS: tuple[tuple[type[BaseException] | tuple[type[BaseException], ...], str], ...] = (
    (suite_checks.Forged, "tampered"),
    ((AssertionError, Failed), "assertion"),
    (SyntaxError, "compile"),
    (ImportError, "import"),
    (MemoryError, "memory"),
    (FixtureLookupError, "environment"),  # of a plugin that is not installed
)


class TestFailure(NamedTuple):
    """Why a test did not pass: one of the trusted side's kinds, and a text."""

    kind: str
    detail: str


class Importer(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads the test file from its rewritten code and records why that failed."""

    def __init__(
        self, test: str, texts: Mapping[str, bytes], canary: Canary, *, added: str, home: str = HOME
    ) -> None:
        self._home, self._texts, self._source = home, texts, texts[test]
        self._path = f"{home}/{test}"
        self._canary: Canary | None = canary
        self._folder = os.path.dirname(test)
        self._added = os.path.join(self._folder, f"test_{added}.py")
        self._places = {self._module_name(self._path): self._path}
        self._failure: BaseException | None = None
        self._code: CodeType | None = None
        self.has_conftest = any(path.rpartition("/")[2] == "conftest.py" for path in texts)

    def lay_out_canaries(self) -> list[str]:
        """Write the canaries to a separate file if marks or fixtures of the test file would affect them."""
        try:
            if self._canary is None or not governs_all(self._source, self._path):
                return []
        except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
            return []  # the import reports the error
        place = f"{self._home}/{self._added}"
        with open(place, "w") as file:
            file.write(canary_source(self._canary))
        self._canary = None
        return [place]

    def mentions(self, word: bytes) -> bool:
        """Return whether a file of the suite contains this word."""
        return any(word in text for text in self._texts.values())

    def search_path(self) -> list[str]:
        """Return sys.path of `python -m pytest`: the folder above the test's packages, then the project."""
        return list(dict.fromkeys([self._base(), self._home]))

    def _base(self) -> str:
        folder = self._folder
        while folder and os.path.join(folder, "__init__.py") in self._texts:
            folder = os.path.dirname(folder)
        return f"{self._home}/{folder}".rstrip("/")

    def _module_name(self, path: str) -> str:
        return os.path.relpath(path, self._base()).removesuffix(".py").replace("/", ".")

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Find the test file only."""
        place = self._places.get(fullname)
        return importlib.util.spec_from_file_location(fullname, place, loader=self) if place else None

    def exec_module(self, module: ModuleType) -> None:
        """Run the rewritten code and keep its exception, which pytest converts to a text."""
        try:
            code = self._code = rewritten(self._source, self._path, self._canary)
            suite_checks.trust(code)
            mock = sys.modules.get("unittest.mock")  # loaded if a file of the suite mentions it
            if mock is not None and b"ANY" in self._source:  # the test compares with it on purpose
                suite_checks.trust(type(mock.ANY).__eq__.__code__)
                suite_checks.trust(type(mock.ANY).__ne__.__code__)
            if b"approx" in self._source:
                suite_probes.tolerate(_APPROX)
            exec(code, module.__dict__)
        except BaseException as error:
            self._failure = error
            raise

    def tests(self, items: Iterable[pytest.Item]) -> WrittenTests:
        """Return the functions of these tests, to compare with the compiled file."""
        return WrittenTests(items, self._code, self._source)

    def get_source(self, fullname: str) -> str:
        """Return the original source."""
        return importlib.util.decode_source(self._source)

    def collection_verdict(self, text: str) -> TestFailure:
        """Return why collection failed: the exception of the import, else the text of pytest."""
        return self.verdict(self._failure) if self._failure is not None else TestFailure("exception", text)

    def verdict(self, error: BaseException) -> TestFailure:
        """Return the kind and the text of an exception."""
        return TestFailure(self._kind(error), _describe(error))

    def _kind(self, error: BaseException) -> str:
        if isinstance(error, ModuleNotFoundError) and error.name and not self._is_own(error.name):
            return "environment"
        for kinds, name in _KINDS:
            if isinstance(error, kinds):
                return name
        return "exception"

    def _is_own(self, module: str) -> bool:
        """Return whether a missing module may belong to the project, whose fault that would be."""
        first = module.partition(".")[0]
        own = (part for path in self._texts for part in path.removesuffix(".py").split("/"))
        return first in sys.stdlib_module_names or first in own


def _describe(error: BaseException) -> str:
    try:
        text = str.__getitem__(str(error), slice(0, _TEXT))
    except BaseException:  # noqa: BLE001 (a hostile __str__)
        text = ""
    name = type.__dict__["__name__"].__get__(type(error))
    return f"{name}: {text}" if text else str(name)
