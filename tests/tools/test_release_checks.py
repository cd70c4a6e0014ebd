"""Checks of built distributions: metadata, bills of materials, checksums."""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path

import pytest

from kit.needs import need, need_module
from tools import release, release_checks
from tools.commands import ToolError

ROOT = Path(__file__).parents[2]
METADATA = "Metadata-Version: 2.3\nName: made\nVersion: 1.0\nDescription-Content-Type: text/x-rst\n\n{text}\n"


def wheel(folder: Path, text: str) -> Path:
    """Return a wheel with a description."""
    path = folder / "made-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("made-1.0.dist-info/METADATA", METADATA.format(text=text))
        file.writestr("made-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        file.writestr("made-1.0.dist-info/RECORD", "")
    return path


def test_metadata_is_checked_as_the_index_does(tmp_path: Path) -> None:
    """A wheel with a description that the index cannot render is refused."""
    need_module("twine")
    release_checks.check_metadata([wheel(tmp_path, "Made.")])
    with pytest.raises(ToolError, match="twine check"):
        release_checks.check_metadata([wheel(tmp_path, ".. image::\n")])


def test_each_distribution_has_a_valid_bill_of_materials(tmp_path: Path) -> None:
    """It is generated from the lock, with hashes; one commit gives equal bytes."""
    need_module("cyclonedx")
    uv = need(release.find_uv() or "uv", "bills of materials are exported by it")
    names = list(release.DISTRIBUTIONS)
    written = [
        release_checks.write_bills(ROOT, folder, uv=uv, version="0.2.0", names=names)
        for folder in (tmp_path / "a", tmp_path / "b")
        if not folder.mkdir()
    ]
    bills = [json.loads(path.read_text("utf-8")) for path in written[0]]

    assert [a.read_bytes() for a in written[0]] == [b.read_bytes() for b in written[1]]
    assert [each["metadata"]["component"]["purl"] for each in bills] == [
        f"pkg:pypi/{name}@0.2.0" for name in names
    ]
    core = {each["name"]: each for each in bills[0]["components"]}
    assert {"click", "httpx", "jinja2", "msgspec", "rich"} <= set(core) and len(core) < 16
    assert core["click"]["externalReferences"][0]["hashes"][0]["alg"] == "SHA-256"


def test_an_invalid_bill_is_refused() -> None:
    """One for another distribution, and one that the schema does not allow."""
    need_module("cyclonedx")
    bill = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "components": []}
    other = {**bill, "metadata": {"component": {"type": "library", "name": "other"}}}
    with pytest.raises(ToolError, match="describes other"):
        release_checks.check_bill("made", other)
    with pytest.raises(ToolError, match="invalid"):
        release_checks.check_bill("made", {**other, "components": [{"name": "without a type"}]})


def test_checksums_are_those_of_the_files(tmp_path: Path) -> None:
    """They have the form of sha256sum."""
    file = tmp_path / "made.whl"
    file.write_bytes(b"made")
    sums = release_checks.write_sums(tmp_path / release_checks.SUMS, [file])

    assert sums.read_text() == f"{hashlib.sha256(b'made').hexdigest()}  made.whl\n"
