"""What the demo says of the alignment data set: its release, or why there is none."""

from __future__ import annotations

import sys
from importlib.resources import as_file, files
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from benchwright.cli.demo_alignment import AlignmentDemo, alignment_line, print_alignment, run_alignment
from benchwright.progress import Silent
from kit.needs import need_module


def _run(out: Path) -> AlignmentDemo:
    with as_file(files("benchwright.demo").joinpath("alignment")) as folder:
        return run_alignment(folder, out, watcher=Silent())


def _printed(found: AlignmentDemo) -> str:
    file = StringIO()
    print_alignment(Console(width=80, file=file, highlight=False), found)
    return file.getvalue()


def _release(found: AlignmentDemo) -> dict[str, bytes]:
    assert found.built is not None
    root = Path(found.built.release)
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_the_history_becomes_a_release(tmp_path: Path) -> None:
    """Every link is counted once; -v prints the funnel; another call writes the same bytes."""
    need_module("pygit2")
    found = _run(tmp_path)
    first = _release(found)

    assert found.built is not None
    assert found.built.manifest["tables"]["links"] == sum(found.links.values())
    assert alignment_line(found).endswith("8 links (rung 1:1, 2:1, 3:2, 6:2, none:2)")
    assert len(alignment_line(found)) <= 80
    assert [name for name in ("trajectories", "resolve", found.card) if name not in _printed(found)] == []
    assert _release(_run(tmp_path)) == first


def test_a_package_for_building_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The reason and the command that installs it are told, and nothing is written."""
    monkeypatch.setitem(sys.modules, "pygit2", None)
    monkeypatch.delitem(sys.modules, "benchwright.demo.git_history", raising=False)
    found = _run(tmp_path / "out")

    assert (found.document()["built"], found.card, alignment_line(found)) == (None, "", "")
    assert "pygit2" in found.unbuilt
    assert "install" in found.unbuilt
    assert f"was not built: {found.unbuilt}" in _printed(found)
    assert not (tmp_path / "out").exists()
