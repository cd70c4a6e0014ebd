"""Tests of `sandbox.installed_packages`."""

from __future__ import annotations

import sys
from importlib.metadata import PathDistribution, distributions
from pathlib import Path

import pytest

from benchwright.sandbox import installed_packages
from benchwright.sandbox.installed_packages import find_package, read_info
from kit.examples import SCALE


def test_the_common_layout_is_read_as_importlib_reads_it() -> None:
    """Distributions of this environment have the same name, version, requirements and folders: all of them in the
    weekly check, otherwise each fourth."""
    names = sorted({package.name for package in distributions()})[:: 1 if SCALE > 1 else 4]

    assert {find_package(name) for name in names} == {
        installed_packages._by_importlib(name) for name in names
    }


def test_files_outside_a_package_are_not_among_its_folders(tmp_path: Path) -> None:
    """Scripts in ../../bin, metadata and files that are gone are left out; a quoted path is read."""
    info = _package(tmp_path, "pkg", "1.0")
    (tmp_path / "a,b.py").touch()
    record = 'pkg/__init__.py,,\n../../bin/tool,,\npkg-1.0.dist-info/RECORD,,\ngone.py,,\n"a,b.py",,\n'
    (info / "RECORD").write_text(record)

    found = read_info(info)

    assert found == installed_packages._converted(PathDistribution(info))
    assert found is not None
    assert found.top_level == {tmp_path / "pkg", tmp_path / "a,b.py"}
    assert found.requirements == ("other>=1; extra == 'x'",)


def test_other_layouts_and_absent_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Metadata without RECORD and an egg-info folder are left to importlib; an absent package is None."""
    _package(tmp_path, "bare", "2")
    (tmp_path / "old_one-3.egg-info").mkdir()
    (tmp_path / "old_one-3.egg-info/PKG-INFO").write_text("Name: old-one\nVersion: 3\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), str(tmp_path / "gone")])

    bare, old = find_package("bare"), find_package("Old.One")

    assert (bare and bare.version, old and old.version, find_package("none")) == ("2", "3", None)


def _package(folder: Path, name: str, version: str) -> Path:
    (folder / name).mkdir()
    (folder / name / "__init__.py").touch()
    info = folder / f"{name}-{version}.dist-info"
    info.mkdir()
    head = f"Name: {name}\nVersion: {version}\nRequires-Dist: other>=1; extra == 'x'\n"
    (info / "METADATA").write_text(f"{head}\nName: not this\n")
    return info
