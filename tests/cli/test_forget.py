"""`benchwright forget`: a build without a person, and clear errors."""

from __future__ import annotations

import json
from pathlib import Path

from kit.command_line import called
from kit.people_history import all_bytes, people_history


def test_a_person_is_removed_from_a_build(tmp_path: Path) -> None:
    clone, out = people_history(tmp_path / "clone"), tmp_path / "out"
    build = ("build", "alignment", "--from", clone.path, "--name", "acme/sums", "--out", out)
    assert called(*build, "--quiet").code == 0
    said = called("forget", "ben-hur", "ben@hur.org", "--in", out, "--json")
    assert said.code == 0
    document = json.loads(said.out)
    assert (document["events"], document["patches"]) == (1, 1)
    assert Path(document["release"]) == out / "release"
    assert not any(b"ben-hur" in content.lower() for _, content in all_bytes(out))
    again = called("forget", "ben-hur", "--in", out)
    assert again.code == 0
    assert "removed: 0 events and 0 patches" in again.err


def test_other_folders_and_owners_are_refused(tmp_path: Path) -> None:
    said = called("forget", "ada", "--in", tmp_path)
    assert said.code == 2
    assert "not the folder of a build" in said.err
    assert "hint:" in said.err
