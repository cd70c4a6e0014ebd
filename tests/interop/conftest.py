"""For the tests of other tools' formats: Inspect's package, imported once, and kept out of the user's home."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from benchwright.interop.inspect_ai_log.header import InspectPackage, load_package
from kit.needs import need_module


@pytest.fixture(scope="session")
def package() -> InspectPackage:
    """The package. What it warns of while it is imported is not ours to mend."""
    need_module("inspect_ai", reason="inspect-ai is not installed: uv sync")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return load_package()


@pytest.fixture
def inspect_log(package: InspectPackage) -> Any:
    """Its module for logs."""
    return package.log


@pytest.fixture
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand files need not each be flushed to the disk: what is tested is what they hold."""
    monkeypatch.setattr("os.fsync", lambda _: None)
