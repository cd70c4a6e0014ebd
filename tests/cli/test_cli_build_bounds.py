"""Every bound is an option; other bounds are another build, and the error says which and how."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from benchwright.cli.build_codecorrectness import bounds_of
from benchwright.errors import RunError, UsageError
from kit.command_line import build as command
from kit.fake_suites import FakeSuites, use_fakes
from kit.made_repositories import MIT, cases_of, function, repository

_GIVEN: dict[str, Any] = {
    "focal_chars": 1,
    "test_chars": 2,
    "asserts": 3,
    "cases_per_file": 4,
    "cases_per_repository": 5,
    "likeness": 0.5,
    "uses": (),
    "licence_unknown": "drop",
}


@pytest.fixture(autouse=True)
def _fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    use_fakes(monkeypatch, FakeSuites)


def _run(folder: Path, *options: str) -> None:
    names = ["codecorrectness", "--from", str(folder / "r"), "--out", str(folder / "out"), "--json", *options]
    CliRunner().invoke(command, names, catch_exceptions=False)


def test_each_option_is_a_bound() -> None:
    """None is passed over, and licences have their default."""
    found = bounds_of(_GIVEN, ())

    assert (found.focal_chars, found.test_chars, found.asserts) == (1, 2, 3)
    assert (found.a_focal_file, found.a_repository, found.likeness) == (4, 5, 0.5)
    assert ("MIT" in found.licences, found.uses) == (True, ("assets", "callers", "network", "random"))


def test_uses_are_allowed_and_refused() -> None:
    """A plain name allows, `no-` refuses; what is no use is an error that lists them."""
    assert bounds_of({**_GIVEN, "uses": ("random", "no-time")}, ()).uses == (
        *("assets", "callers", "network", "time"),
    )
    with pytest.raises(UsageError, match="--uses dice: unknown use") as caught:
        bounds_of({**_GIVEN, "uses": ("dice",)}, ())
    assert "random" in (caught.value.hint or "")


def test_a_bound_is_kept_and_another_is_refused(tmp_path: Path) -> None:
    """The funnel shows it at work; the folder goes on with the same one only."""
    tests = cases_of("sum_1", "sum_1", *("abcdefgh"))
    repository(tmp_path / "r", {"LICENSE": MIT, "sum_1.py": function("sum_1"), "test_sum_1.py": tests})
    _run(tmp_path, "--cases-per-file", "3", "--likeness", "1.0")
    funnel = json.loads((tmp_path / "out/funnel.json").read_text())["stages"]
    dropped = {each["stage"]: each.get("dropped", {}) for each in funnel}

    assert dropped["label"] == {"enough_of_file": 5}
    with pytest.raises(RunError, match=r"bounds.a_focal_file differ \(3 stored, 4 requested\)"):
        _run(tmp_path, "--cases-per-file", "4", "--likeness", "1.0")


def test_a_folder_of_an_earlier_recipe(tmp_path: Path) -> None:
    """It is told as such: its options may be the same."""
    tests = cases_of("sum_1", "sum_1", "a", "b")
    repository(tmp_path / "r", {"LICENSE": MIT, "sum_1.py": function("sum_1"), "test_sum_1.py": tests})
    _run(tmp_path)
    path = tmp_path / "out/build.json"
    stored = json.loads(path.read_text())
    stored["identity"]["building"] = 2
    path.write_text(json.dumps(stored))

    with pytest.raises(RunError, match="started with version 2 of the recipe; this is version 4"):
        _run(tmp_path)
